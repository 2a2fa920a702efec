/* from_csv: a line to JSON that DuckDB can cast, see typed_text.h; and to_csv. */
#include "backend/duckdb/functions/kernels.h"
#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/number_text.h"
#include "backend/duckdb/functions/typed_value.h"
#include "backend/duckdb/functions/value_text.h"
#include "base/csv_line.h"
#include "base/loose_json.h"

#include <stdlib.h>
#include <strings.h>

static pt__csv_format format_of(const pt__typed_reader *reader, bool trims)
{
    return (pt__csv_format){
        .separator = pt__typed_option(reader, "sep", pt__typed_option(reader, "delimiter", ",")),
        .quote = pt__typed_option(reader, "quote", "\"")[0],
        .escape = pt__typed_option(reader, "escape", "\\")[0],
        .trim_start = pt__typed_flag(reader, "ignoreleadingwhitespace", trims),
        .trim_end = pt__typed_flag(reader, "ignoretrailingwhitespace", trims),
    };
}

/* ---- from_csv ---- */

static bool append_integer(pt__buffer *out, pt_text_view text, int64_t least, int64_t most)
{
    int64_t value;
    bool spaced = text.size_bytes == 0 || (unsigned char)text.data[0] <= ' ' ||
                  (unsigned char)text.data[text.size_bytes - 1] <= ' ';
    if (spaced || !pt__parse_long(text, false, &value) || value < least || value > most)
        return false;
    pt__buffer_printf(out, "%lld", (long long)value);
    return true;
}

static bool text_is(pt_text_view text, const char *word)
{
    return strlen(word) == text.size_bytes && memcmp(word, text.data, text.size_bytes) == 0;
}

/* Words for what is no number are case-sensitive here. */
static bool is_java_number(pt_text_view text)
{
    if (text_is(text, "NaN") || text_is(text, "Infinity") || text_is(text, "-Infinity"))
        return true;
    return memchr(text.data, 'n', text.size_bytes) == NULL && memchr(text.data, 'N', text.size_bytes) == NULL;
}

static bool append_double(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type, pt_text_view text)
{
    double value;
    if (text_is(text, pt__typed_option(reader, "nanvalue", "NaN")))
        value = strtod("nan", NULL);
    else if (text_is(text, pt__typed_option(reader, "positiveinf", "Inf")))
        value = strtod("inf", NULL);
    else if (text_is(text, pt__typed_option(reader, "negativeinf", "-Inf")))
        value = strtod("-inf", NULL);
    else if (!is_java_number(text) || !pt__parse_double(text, &value))
        return false;
    pt__typed_append_double(out, type, value);
    return true;
}

static bool append_boolean(pt__buffer *out, pt_text_view text)
{
    bool yes = text.size_bytes == 4 && strncasecmp(text.data, "true", 4) == 0;
    if (!yes && (text.size_bytes != 5 || strncasecmp(text.data, "false", 5) != 0))
        return false;
    pt__buffer_append_string(out, yes ? "true" : "false");
    return true;
}

static bool append_field(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type, pt_text_view text)
{
    switch (type->id) {
    case PT_TYPE_BOOLEAN: return append_boolean(out, text);
    case PT_TYPE_BYTE: return append_integer(out, text, INT8_MIN, INT8_MAX);
    case PT_TYPE_SHORT: return append_integer(out, text, INT16_MIN, INT16_MAX);
    case PT_TYPE_INT: return append_integer(out, text, INT32_MIN, INT32_MAX);
    case PT_TYPE_LONG: return append_integer(out, text, INT64_MIN, INT64_MAX);
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: return append_double(out, reader, type, text);
    case PT_TYPE_BINARY: pt__typed_append_bytes(out, (const uint8_t *)text.data, text.size_bytes); return true;
    default: return pt__typed_append_text(out, reader, type, text);
    }
}

static bool is_corrupt_field(const pt__typed_reader *reader, size_t index)
{
    const pt_field *field = &reader->type->fields[index];
    return pt__type_is_string(field->type) && strcmp(field->name, reader->corrupt_field) == 0;
}

/** A line on its way into a struct. */
typedef struct record {
    pt__typed_reader *reader;
    pt__csv_line line;
    pt__buffer *field;
    pt__buffer *out;
    const char *null_value;
    const char *empty_value;
} record;

/* The next field of the line, or NULL in its place. */
static void convert_next(record *r, const pt_type *type)
{
    bool was_quoted;
    size_t mark = r->out->size_bytes;
    if (!pt__csv_line_next(&r->line, r->field, &was_quoted)) {
        pt__buffer_append_string(r->out, "null");
        return;
    }
    const char *data = pt__buffer_string(r->field);
    pt_text_view text = {data, r->field->size_bytes};
    if (was_quoted && text.size_bytes == 0)
        text = (pt_text_view){r->empty_value, strlen(r->empty_value)};
    bool is_null = text_is(text, r->null_value);
    if (!is_null && append_field(r->out, r->reader, type, text))
        return;
    r->reader->is_bad = r->reader->is_bad || !is_null;
    r->out->size_bytes = mark;
    pt__buffer_append_string(r->out, "null");
}

/* (line, type, options, zone) */
static bool from_csv(pt__fn_call *call, idx_t row)
{
    pt__typed_reader *reader = pt__typed_reader_of(call, 1, true);
    if (reader == NULL)
        return false;
    pt_text_view text = pt__fn_text(call, 0, row);
    pt__csv_format format = format_of(reader, false);
    record r = {reader,
                {0},
                &call->state->scratch2,
                &call->state->scratch,
                pt__typed_option(reader, "nullvalue", ""),
                pt__typed_option(reader, "emptyvalue", "")};
    size_t corrupt = 0; /* where its null stands, behind the name */
    pt__csv_line_start(&r.line, &format, text);
    pt__buffer_reset(r.out);
    reader->is_bad = false;
    pt__buffer_append_byte(r.out, '{');
    for (size_t i = 0; i < reader->type->field_count; i++) {
        pt__buffer_append_string(r.out, i == 0 ? "" : ",");
        pt__typed_append_name(r.out, reader, reader->type, i);
        if (is_corrupt_field(reader, i)) {
            corrupt = r.out->size_bytes;
            pt__buffer_append_string(r.out, "null");
        } else {
            convert_next(&r, reader->type->fields[i].type);
        }
    }
    pt__buffer_append_string(r.out, reader->type->field_count == 0 ? "\"f0\":null}" : "}");
    if (reader->is_bad && reader->fails_fast)
        return pt__typed_fail_record(call, text);
    if (reader->is_bad && corrupt != 0) {
        pt__buffer_reset(r.field);
        pt__buffer_append(r.field, r.out->data + corrupt + 4, r.out->size_bytes - corrupt - 4);
        r.out->size_bytes = corrupt;
        pt__loose_append_quoted(r.out, text.data, text.size_bytes);
        pt__buffer_append(r.out, r.field->data, r.field->size_bytes);
    }
    return pt__fn_put_buffer(call, row, r.out);
}

void pt__fn_from_csv(pt__fn_call *call)
{
    PT__FN_EACH(call, r, from_csv(call, r));
}

/* ---- to_csv ---- */

/* The value without quotes. */
static void append_plain(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type,
                         const pt__fn_column *column, idx_t row)
{
    pt__buffer json = PT_BUFFER_INIT;
    pt_text_view text;
    switch (type->id) {
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
        text = pt__fn_string((const duckdb_string_t *)column->data + row);
        pt__buffer_append(out, text.data, text.size_bytes);
        break;
    case PT_TYPE_BINARY: /* [41 42], as Spark shows bytes */
        text = pt__fn_string((const duckdb_string_t *)column->data + row);
        for (size_t i = 0; i < text.size_bytes; i++)
            pt__buffer_printf(out, "%s%02X", i == 0 ? "[" : " ", (unsigned char)text.data[i]);
        pt__buffer_append_string(out, text.size_bytes == 0 ? "[]" : "]");
        break;
    case PT_TYPE_DATE:
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ: pt__typed_format_time(out, reader, type, column, row); break;
    case PT_TYPE_INTERVAL_DAY_TIME:
    case PT_TYPE_INTERVAL_YEAR_MONTH: pt__typed_format_interval(out, type, column, row); break;
    case PT_TYPE_ARRAY:
    case PT_TYPE_MAP:
    case PT_TYPE_STRUCT: pt__append_cast_text(out, reader->zone, column, row); break;
    default:
        pt__typed_append_json(&json, reader, type, column, row);
        bool quoted = json.size_bytes > 1 && json.data[0] == '"'; /* NaN and infinities */
        pt__buffer_append(out, json.data + quoted, json.size_bytes - 2 * quoted);
        pt__buffer_deinit(&json);
    }
}

static bool needs_quotes(const pt__csv_format *format, const pt__buffer *value)
{
    size_t size = strlen(format->separator);
    if (value->size_bytes > 0 && (char)value->data[0] == format->quote)
        return true;
    for (size_t i = 0; i < value->size_bytes; i++) {
        char c = (char)value->data[i];
        if (c == '\n' || c == '\r' || c == format->quote ||
            (i + size <= value->size_bytes && memcmp(value->data + i, format->separator, size) == 0))
            return true;
    }
    return false;
}

static void append_quoted(pt__buffer *out, const pt__csv_format *format, const pt__buffer *value)
{
    pt__buffer_append_byte(out, (uint8_t)format->quote);
    for (size_t i = 0; i < value->size_bytes; i++) {
        if ((char)value->data[i] == format->quote && format->escape != 0)
            pt__buffer_append_byte(out, (uint8_t)format->escape);
        pt__buffer_append_byte(out, value->data[i]);
    }
    pt__buffer_append_byte(out, (uint8_t)format->quote);
}

static void trim(pt__buffer *value, const pt__csv_format *format)
{
    size_t start = 0;
    while (format->trim_end && value->size_bytes > 0 && value->data[value->size_bytes - 1] <= ' ')
        value->size_bytes--;
    while (format->trim_start && start < value->size_bytes && value->data[start] <= ' ')
        start++;
    if (start > 0)
        memmove(value->data, value->data + start, value->size_bytes - start);
    value->size_bytes -= start;
}

/* (struct, type, options, zone) */
static bool to_csv(pt__fn_call *call, idx_t row)
{
    pt__typed_reader *reader = pt__typed_reader_of(call, 1, false);
    if (reader == NULL)
        return false;
    pt__csv_format format = format_of(reader, true);
    pt__buffer *out = &call->state->scratch;
    pt__buffer *value = &call->state->scratch2;
    bool quotes_all = pt__typed_flag(reader, "quoteall", false);
    pt__buffer_reset(out);
    for (size_t i = 0; i < reader->type->field_count; i++) {
        pt__fn_column field = pt__fn_field(&call->columns[0], call->columns[0].type, i);
        bool is_null = !pt__fn_bit(field.validity, row);
        pt__buffer_append_string(out, i == 0 ? "" : format.separator);
        pt__buffer_reset(value);
        if (is_null)
            pt__buffer_append_string(value, pt__typed_option(reader, "nullvalue", ""));
        else
            append_plain(value, reader, reader->type->fields[i].type, &field, row);
        trim(value, &format);
        if (!is_null && value->size_bytes == 0)
            pt__buffer_append_string(out, pt__typed_option(reader, "emptyvalue", "\"\""));
        else if (quotes_all || needs_quotes(&format, value))
            append_quoted(out, &format, value);
        else
            pt__buffer_append(out, value->data, value->size_bytes);
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_to_csv(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_csv(call, r));
}
