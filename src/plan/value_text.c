#include "plan/text_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pt__append_string_literal(pt__buffer *out, const char *text, size_t size_bytes)
{
    if (text == NULL) {
        pt__buffer_append_string(out, "null");
        return;
    }
    pt__buffer_append_byte(out, '\'');
    for (size_t i = 0; i < size_bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n')
            pt__buffer_append_string(out, "\\n");
        else if (c < 0x20)
            pt__buffer_printf(out, "\\x%02x", c);
        else if (c == '\'' || c == '\\')
            pt__buffer_printf(out, "\\%c", c);
        else
            pt__buffer_append_byte(out, c);
    }
    pt__buffer_append_byte(out, '\'');
}

static void append_binary(pt__buffer *out, pt_text_view bytes)
{
    pt__buffer_append_string(out, "X'");
    for (size_t i = 0; i < bytes.size_bytes; i++)
        pt__buffer_printf(out, "%02x", (unsigned char)bytes.data[i]);
    pt__buffer_append_byte(out, '\'');
}

/* The shortest text that reads back as the same number. */
static void append_real(pt__buffer *out, double value)
{
    char text[40];
    if (!isfinite(value)) {
        pt__buffer_append_string(out, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    pt__buffer_append_string(out, text);
    if (strpbrk(text, ".e") == NULL)
        pt__buffer_append_string(out, ".0");
}

static void append_decimal(pt__buffer *out, const pt_type *type, pt_int128 unscaled)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    pt__decimal_format(unscaled, type->scale, text);
    pt__buffer_append_string(out, text);
}

static void append_interval(pt__buffer *out, const pt_interval *interval)
{
    pt__buffer_printf(out, "(%d months %d days %lld us)", interval->months, interval->days,
                      (long long)interval->microseconds);
}

static void append_items(pt__buffer *out, const pt_type *type, const pt_value *value)
{
    pt__buffer_append_byte(out, '[');
    for (size_t i = 0; i < value->as.list.count; i++) {
        if (i != 0)
            pt__buffer_append_string(out, ", ");
        const pt_type *item = type->id == PT_TYPE_STRUCT ? type->fields[i].type : type->element;
        pt__value_append_text(out, item, &value->as.list.items[i]);
    }
    pt__buffer_append_byte(out, ']');
}

static void append_map(pt__buffer *out, const pt_type *type, const pt_value *value)
{
    pt__buffer_append_byte(out, '{');
    for (size_t i = 0; i + 1 < value->as.list.count; i += 2) {
        if (i != 0)
            pt__buffer_append_string(out, ", ");
        pt__value_append_text(out, type->key, &value->as.list.items[i]);
        pt__buffer_append_string(out, " -> ");
        pt__value_append_text(out, type->element, &value->as.list.items[i + 1]);
    }
    pt__buffer_append_byte(out, '}');
}

void pt__value_append_text(pt__buffer *out, const pt_type *type, const pt_value *value)
{
    if (value->is_null) {
        pt__buffer_append_string(out, "null");
        return;
    }
    switch ((int)type->id) {
    case PT_TYPE_BOOLEAN: pt__buffer_append_string(out, value->as.boolean ? "true" : "false"); return;
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: append_real(out, value->as.real); return;
    case PT_TYPE_DECIMAL: append_decimal(out, type, value->as.decimal); return;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: pt__append_string_literal(out, value->as.text.data, value->as.text.size_bytes); return;
    case PT_TYPE_VARIANT:
    case PT_TYPE_BINARY: append_binary(out, value->as.text); return;
    case PT_TYPE_INTERVAL_CALENDAR: append_interval(out, &value->as.interval); return;
    case PT_TYPE_ARRAY:
    case PT_TYPE_STRUCT: append_items(out, type, value); return;
    case PT_TYPE_MAP: append_map(out, type, value); return;
    case PT_TYPE_UDT: pt__value_append_text(out, type->element, value); return;
    default: pt__buffer_printf(out, "%lld", (long long)value->as.integer); return;
    }
}
