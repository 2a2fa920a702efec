#include "decode/spark_connect/test_textproto.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *text;
    const char *at;
} reader;

static void skip_space(reader *r)
{
    while (isspace((unsigned char)*r->at) || *r->at == '#' || *r->at == ',') {
        if (*r->at == '#')
            r->at += strcspn(r->at, "\n");
        else
            r->at++;
    }
}

static bool accept(reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool read_word(reader *r, char *out, size_t capacity)
{
    skip_space(r);
    size_t size = strcspn(r->at, " \t\r\n:{}<>\",#");
    if (size == 0 || size >= capacity)
        return false;
    memcpy(out, r->at, size);
    out[size] = '\0';
    r->at += size;
    return true;
}

static void append_varint(pt__buffer *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        pt__buffer_append_byte(out, (uint8_t)(value | 0x80));
    pt__buffer_append_byte(out, (uint8_t)value);
}

static void append_tag(pt__buffer *out, const ProtobufCFieldDescriptor *field, unsigned wire_type)
{
    append_varint(out, (uint64_t)field->id << 3 | wire_type);
}

static void append_sized(pt__buffer *out, const ProtobufCFieldDescriptor *field, pt__buffer *bytes)
{
    append_tag(out, field, 2);
    append_varint(out, bytes->size_bytes);
    pt__buffer_append(out, bytes->data, bytes->size_bytes);
    pt__buffer_deinit(bytes);
}

/* Behind the backslash: octal, hexadecimal or one letter. */
static uint8_t read_escape(reader *r)
{
    static const char FROM[] = "nrtabfv";
    static const char TO[] = "\n\r\t\a\b\f\v";
    char digits[4] = {0};
    if (*r->at == 'x') {
        digits[0] = r->at[1];
        digits[1] = r->at[2];
        r->at += 3;
        return (uint8_t)strtoul(digits, NULL, 16);
    }
    if (*r->at >= '0' && *r->at <= '7') {
        size_t size = strspn(r->at, "01234567");
        memcpy(digits, r->at, size > 3 ? 3 : size);
        r->at += size > 3 ? 3 : size;
        return (uint8_t)strtoul(digits, NULL, 8);
    }
    char c = *r->at++;
    const char *found = c == '\0' ? NULL : strchr(FROM, c);
    return (uint8_t)(found == NULL ? c : TO[found - FROM]);
}

static bool read_string(reader *r, const ProtobufCFieldDescriptor *field, pt__buffer *out)
{
    pt__buffer bytes = PT_BUFFER_INIT;
    bool any = false;
    while (accept(r, '"')) { /* adjacent strings are one */
        any = true;
        while (*r->at != '"' && *r->at != '\0') {
            char c = *r->at++;
            pt__buffer_append_byte(&bytes, c == '\\' ? read_escape(r) : (uint8_t)c);
        }
        if (!accept(r, '"'))
            any = false;
    }
    append_sized(out, field, &bytes);
    return any;
}

static bool read_real(const char *word, const ProtobufCFieldDescriptor *field, pt__buffer *out)
{
    char *end;
    double value = strtod(word, &end);
    float single = (float)value;
    bool is_float = field->type == PROTOBUF_C_TYPE_FLOAT;
    append_tag(out, field, is_float ? 5 : 1);
    if (is_float)
        pt__buffer_append(out, &single, sizeof(single));
    else
        pt__buffer_append(out, &value, sizeof(value));
    return *end == '\0';
}

static bool read_integer(const char *word, const ProtobufCFieldDescriptor *field, pt__buffer *out)
{
    char *end;
    errno = 0;
    int64_t value = strtoll(word, &end, 10);
    append_tag(out, field, 0);
    append_varint(out, (uint64_t)value);
    return *end == '\0' && errno == 0;
}

static bool read_enum(const char *word, const ProtobufCFieldDescriptor *field, pt__buffer *out)
{
    const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value_by_name(field->descriptor, word);
    if (value == NULL)
        return read_integer(word, field, out);
    append_tag(out, field, 0);
    append_varint(out, (uint64_t)(int64_t)value->value);
    return true;
}

static bool read_scalar(reader *r, const ProtobufCFieldDescriptor *field, pt__buffer *out)
{
    char word[64];
    if (field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_BYTES)
        return read_string(r, field, out);
    if (!read_word(r, word, sizeof(word)))
        return false;
    switch ((int)field->type) {
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE: return read_real(word, field, out);
    case PROTOBUF_C_TYPE_ENUM: return read_enum(word, field, out);
    case PROTOBUF_C_TYPE_BOOL: return read_integer(strcmp(word, "true") == 0 ? "1" : "0", field, out);
    default: return read_integer(word, field, out);
    }
}

static bool read_fields(reader *r, const ProtobufCMessageDescriptor *descriptor, pt__buffer *out)
{
    char name[96];
    skip_space(r);
    while (*r->at != '}' && *r->at != '\0') {
        if (!read_word(r, name, sizeof(name)))
            return false;
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(descriptor, name);
        if (field == NULL)
            return false;
        bool has_colon = accept(r, ':');
        if (accept(r, '{')) {
            pt__buffer nested = PT_BUFFER_INIT;
            if (field->type != PROTOBUF_C_TYPE_MESSAGE || !read_fields(r, field->descriptor, &nested) ||
                !accept(r, '}')) {
                pt__buffer_deinit(&nested);
                return false;
            }
            append_sized(out, field, &nested);
        } else if (!has_colon || !read_scalar(r, field, out)) {
            return false;
        }
        skip_space(r);
    }
    return true;
}

bool pt__test_textproto(const ProtobufCMessageDescriptor *descriptor, const char *text, pt__buffer *out, size_t *fault)
{
    reader r = {text, text};
    bool fits = read_fields(&r, descriptor, out) && *r.at == '\0';
    *fault = (size_t)(r.at - text);
    return fits && !out->failed;
}
