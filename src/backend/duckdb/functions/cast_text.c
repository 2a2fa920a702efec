/* Casts to text. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/unicode.h"
#include "backend/duckdb/functions/value_text.h"
#include "backend/duckdb/functions/zones.h"
#include "base/format_datetime.h"
#include "base/format_double.h"

#include <stdlib.h>

/** What a value's DuckDB type does not tell. */
typedef struct writer {
    pt__buffer *out;
    const pt__zone *zone;
    const char *leaves; /* what is left of the list of leaves */
    const char *leaves_end;
} writer;

static void append_value(writer *w, const pt__fn_column *column, idx_t row);

static void append_interval(pt__buffer *out, const duckdb_interval *interval)
{
    char text[PT_INTERVAL_TEXT_MAX];
    size_t size = pt__format_calendar_interval(interval->months, interval->days, interval->micros, text);
    pt__buffer_append(out, text, size);
}

static void append_integer(pt__buffer *out, const pt__fn_column *column, idx_t row)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    pt__buffer_append(out, text, pt__decimal_format(pt__fn_integer(column, row), column->type->scale, text));
}

static void append_timestamp(writer *w, int64_t micros, bool instant)
{
    char text[PT_DATETIME_TEXT_MAX];
    if (instant && w->zone != NULL)
        micros = pt__zone_to_local(w->zone, micros);
    pt__buffer_append(w->out, text, pt__format_timestamp(micros, text));
}

static void append_double(pt__buffer *out, double value)
{
    char text[PT_DOUBLE_TEXT_MAX];
    pt__buffer_append(out, text, pt__format_double(value, text));
}

static void append_float(pt__buffer *out, float value)
{
    char text[PT_DOUBLE_TEXT_MAX];
    pt__buffer_append(out, text, pt__format_float(value, text));
}

static void append_date(pt__buffer *out, int32_t days)
{
    char text[PT_DATETIME_TEXT_MAX];
    pt__buffer_append(out, text, pt__format_date(days, text));
}

static void append_leaf(writer *w, const pt__fn_column *column, idx_t row)
{
    pt__buffer *out = w->out;
    switch (column->type->id) {
    case DUCKDB_TYPE_BOOLEAN:
        pt__buffer_append_string(out, ((const bool *)column->data)[row] ? "true" : "false");
        break;
    case DUCKDB_TYPE_FLOAT: append_float(out, ((const float *)column->data)[row]); break;
    case DUCKDB_TYPE_DOUBLE: append_double(out, ((const double *)column->data)[row]); break;
    case DUCKDB_TYPE_DATE: append_date(out, ((const int32_t *)column->data)[row]); break;
    case DUCKDB_TYPE_TIMESTAMP: append_timestamp(w, ((const int64_t *)column->data)[row], false); break;
    case DUCKDB_TYPE_TIMESTAMP_TZ: append_timestamp(w, ((const int64_t *)column->data)[row], true); break;
    case DUCKDB_TYPE_INTERVAL: append_interval(out, (const duckdb_interval *)column->data + row); break;
    case DUCKDB_TYPE_VARCHAR: {
        pt_text_view text = pt__fn_string((const duckdb_string_t *)column->data + row);
        pt__buffer_append(out, text.data, text.size_bytes);
        break;
    }
    case DUCKDB_TYPE_BLOB: pt__append_valid(out, pt__fn_string((const duckdb_string_t *)column->data + row)); break;
    default: append_integer(out, column, row);
    }
}

/** The next leaf's mark: `.`, `y` or `d`, and its interval fields. */
static char next_leaf(writer *w, uint8_t fields[2])
{
    if (w->leaves == w->leaves_end)
        return '.';
    char mark = *w->leaves++;
    for (int i = 0; i < 2 && mark != '.' && w->leaves < w->leaves_end; i++)
        fields[i] = (uint8_t)(*w->leaves++ - '0');
    return mark;
}

static void append_marked_leaf(writer *w, const pt__fn_column *column, idx_t row)
{
    uint8_t fields[2] = {0, 0};
    char text[PT_INTERVAL_TEXT_MAX];
    char mark = next_leaf(w, fields);
    if (!pt__fn_bit(column->validity, row))
        pt__buffer_append_string(w->out, "null");
    else if (mark == 'y')
        pt__buffer_append(
            w->out, text,
            pt__format_year_month_interval((int32_t)pt__fn_integer(column, row), fields[0], fields[1], text));
    else if (mark == 'd')
        pt__buffer_append(
            w->out, text,
            pt__format_day_time_interval((int64_t)pt__fn_integer(column, row), fields[0], fields[1], text));
    else
        append_leaf(w, column, row);
}

/* Nested values: the leaves of a type are read again for each element. */

static bool is_nested(const pt__fn_type *type)
{
    return type->id == DUCKDB_TYPE_LIST || type->id == DUCKDB_TYPE_MAP || type->id == DUCKDB_TYPE_STRUCT;
}

static void skip_leaves(writer *w, const pt__fn_type *type)
{
    uint8_t fields[2];
    if (!is_nested(type))
        next_leaf(w, fields);
    for (size_t i = 0; i < type->child_count; i++)
        skip_leaves(w, &type->children[i]);
}

static void append_list(writer *w, const pt__fn_column *list, idx_t row)
{
    pt__fn_column elements = pt__fn_elements(list);
    duckdb_list_entry entry = pt__fn_list_entry(list, row);
    const char *leaves = w->leaves;
    pt__buffer_append_byte(w->out, '[');
    for (idx_t i = 0; i < entry.length; i++) {
        w->leaves = leaves;
        pt__buffer_append_string(w->out, i > 0 ? ", " : "");
        append_value(w, &elements, entry.offset + i);
    }
    pt__buffer_append_byte(w->out, ']');
    w->leaves = leaves;
    skip_leaves(w, list->type);
}

static void append_map(writer *w, const pt__fn_column *map, idx_t row)
{
    pt__fn_column entries = pt__fn_elements(map);
    pt__fn_column keys = pt__fn_field(&entries, map->type, 0);
    pt__fn_column values = pt__fn_field(&entries, map->type, 1);
    duckdb_list_entry entry = pt__fn_list_entry(map, row);
    const char *leaves = w->leaves;
    pt__buffer_append_byte(w->out, '{');
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        w->leaves = leaves;
        pt__buffer_append_string(w->out, i > entry.offset ? ", " : "");
        append_value(w, &keys, i);
        pt__buffer_append_string(w->out, " -> ");
        append_value(w, &values, i);
    }
    pt__buffer_append_byte(w->out, '}');
    w->leaves = leaves;
    skip_leaves(w, map->type);
}

static void append_struct(writer *w, const pt__fn_column *column, idx_t row)
{
    pt__buffer_append_byte(w->out, '{');
    for (size_t i = 0; i < column->type->child_count; i++) {
        pt__fn_column field = pt__fn_field(column, column->type, i);
        pt__buffer_append_string(w->out, i > 0 ? ", " : "");
        append_value(w, &field, row);
    }
    pt__buffer_append_byte(w->out, '}');
}

static void append_value(writer *w, const pt__fn_column *column, idx_t row)
{
    if (!is_nested(column->type)) {
        append_marked_leaf(w, column, row);
        return;
    }
    if (!pt__fn_bit(column->validity, row)) {
        pt__buffer_append_string(w->out, "null");
        skip_leaves(w, column->type);
        return;
    }
    switch (column->type->id) {
    case DUCKDB_TYPE_LIST: append_list(w, column, row); break;
    case DUCKDB_TYPE_MAP: append_map(w, column, row); break;
    default: append_struct(w, column, row);
    }
}

void pt__append_cast_text(pt__buffer *out, const pt__zone *zone, const pt__fn_column *column, idx_t row)
{
    writer w = {.out = out, .zone = zone};
    append_value(&w, column, row);
}

static bool to_text(pt__fn_call *call, idx_t row)
{
    writer w = {.out = &call->state->scratch};
    if (call->column_count > 1 && (w.zone = pt__fn_zone(call, 1, row)) == NULL)
        return false;
    if (call->column_count > 2) {
        pt_text_view leaves = pt__fn_text(call, 2, row);
        w.leaves = leaves.data;
        w.leaves_end = leaves.data + leaves.size_bytes;
    }
    pt__buffer_reset(w.out);
    append_value(&w, &call->columns[0], row);
    return pt__fn_put_buffer(call, row, w.out);
}

void pt__fn_cast_string(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_text(call, r));
}

/* Intervals of their own. */

static bool year_month_to_text(pt__fn_call *call, idx_t row)
{
    char text[PT_INTERVAL_TEXT_MAX];
    uint8_t start = (uint8_t)PT__FN_IN(call, 1, int32_t)[row];
    uint8_t end = (uint8_t)PT__FN_IN(call, 2, int32_t)[row];
    size_t size = pt__format_year_month_interval(PT__FN_IN(call, 0, int32_t)[row], start, end, text);
    pt__fn_put_text(call, row, text, size);
    return true;
}

void pt__fn_year_month_text(pt__fn_call *call)
{
    PT__FN_EACH(call, r, year_month_to_text(call, r));
}

static bool day_time_to_text(pt__fn_call *call, idx_t row)
{
    char text[PT_INTERVAL_TEXT_MAX];
    uint8_t start = (uint8_t)PT__FN_IN(call, 1, int32_t)[row];
    uint8_t end = (uint8_t)PT__FN_IN(call, 2, int32_t)[row];
    size_t size = pt__format_day_time_interval(PT__FN_IN(call, 0, int64_t)[row], start, end, text);
    pt__fn_put_text(call, row, text, size);
    return true;
}

void pt__fn_day_time_text(pt__fn_call *call)
{
    PT__FN_EACH(call, r, day_time_to_text(call, r));
}
