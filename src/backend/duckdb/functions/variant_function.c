/* parse_json, to_variant_object and questions about variants. */
#include "backend/duckdb/functions/json_state.h"
#include "backend/duckdb/functions/kernels.h"
#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/typed_text.h"
#include "backend/duckdb/functions/variant_path.h"

#include <stdlib.h>

/* ---- results that are variants: NULL goes to both fields, too ---- */

static void set_null(duckdb_vector vector, idx_t row)
{
    duckdb_vector_ensure_validity_writable(vector);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

void pt__variant_put_null(duckdb_vector output, idx_t row)
{
    set_null(output, row);
    set_null(duckdb_struct_vector_get_child(output, 0), row);
    set_null(duckdb_struct_vector_get_child(output, 1), row);
}

#define EACH_VARIANT(call, columns_used, r, expression)                                                                \
    for (idx_t r = 0; r < (call)->row_count; r++) {                                                                    \
        bool present = true;                                                                                           \
        for (size_t c = 0; c < (columns_used); c++)                                                                    \
            present = present && pt__fn_bit((call)->columns[c].validity, r);                                           \
        if (present && (expression))                                                                                   \
            continue;                                                                                                  \
        if ((call)->failed)                                                                                            \
            return;                                                                                                    \
        pt__variant_put_null((call)->output, r);                                                                       \
    }

/* ---- making ---- */

static bool parse_json(pt__fn_call *call, idx_t row)
{
    pt__loose_json *json;
    pt__variant_builder builder = {0};
    pt_text_view text = pt__fn_text(call, 0, row);
    bool ok = pt__json_read_row(call, 0, row, PT_LOOSE_SINGLE_QUOTES, &json);
    if (ok) {
        pt__variant_add_json(&builder, json, 0);
        ok = !builder.has_duplicate && pt__variant_put(call, row, &builder);
    }
    pt__variant_builder_deinit(&builder);
    if (ok || call->failed || call->mode == PT__FN_TRY)
        return ok;
    return pt__typed_fail_record(call, text);
}

void pt__fn_parse_json(pt__fn_call *call)
{
    EACH_VARIANT(call, 1, r, parse_json(call, r));
}

static void add_typed(pt__variant_builder *builder, const pt_type *type, const pt__fn_column *column, idx_t row);

static void add_struct(pt__variant_builder *builder, const pt_type *type, const pt__fn_column *column, idx_t row)
{
    pt__variant_nest nest = pt__variant_begin(builder);
    for (size_t i = 0; i < type->field_count; i++) {
        pt__fn_column field = pt__fn_field(column, column->type, i);
        pt_text_view name = {type->fields[i].name, strlen(type->fields[i].name)};
        pt__variant_next(builder, &nest, &name);
        add_typed(builder, type->fields[i].type, &field, row);
    }
    pt__variant_end_object(builder, &nest);
}

static void add_list(pt__variant_builder *builder, const pt_type *type, const pt__fn_column *column, idx_t row)
{
    pt__fn_column elements = pt__fn_elements(column);
    duckdb_list_entry entry = pt__fn_list_entry(column, row);
    pt__variant_nest nest = pt__variant_begin(builder);
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        pt__variant_next(builder, &nest, NULL);
        add_typed(builder, type->element, &elements, i);
    }
    pt__variant_end_array(builder, &nest);
}

static void add_map(pt__variant_builder *builder, const pt_type *type, const pt__fn_column *column, idx_t row)
{
    pt__fn_column entries = pt__fn_elements(column);
    pt__fn_column keys = pt__fn_field(&entries, column->type, 0);
    pt__fn_column values = pt__fn_field(&entries, column->type, 1);
    duckdb_list_entry entry = pt__fn_list_entry(column, row);
    pt__variant_nest nest = pt__variant_begin(builder);
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        pt_text_view key = pt__fn_string((const duckdb_string_t *)keys.data + i);
        pt__variant_next(builder, &nest, &key);
        add_typed(builder, type->element, &values, i);
    }
    pt__variant_end_object(builder, &nest);
}

/* A part of another variant is spelled anew, for its names have numbers of their own. */
static void add_variant(pt__variant_builder *builder, const pt__variant *variant)
{
    pt__variant_value value = pt__variant_read(variant);
    bool is_object = value.kind == PT__VARIANT_OBJECT;
    if (!is_object && value.kind != PT__VARIANT_ARRAY) {
        pt__variant whole = pt__variant_trimmed(variant);
        pt__buffer_append(&builder->value, whole.value, whole.value_bytes);
        return;
    }
    pt__variant_nest nest = pt__variant_begin(builder);
    for (uint32_t i = 0; i < value.count; i++) {
        pt__variant child;
        pt_text_view key;
        if (!pt__variant_child(variant, &value, i, &child, &key))
            continue;
        pt__variant_next(builder, &nest, is_object ? &key : NULL);
        add_variant(builder, &child);
    }
    if (is_object)
        pt__variant_end_object(builder, &nest);
    else
        pt__variant_end_array(builder, &nest);
}

static void add_typed(pt__variant_builder *builder, const pt_type *type, const pt__fn_column *column, idx_t row)
{
    if (!pt__fn_bit(column->validity, row) || type->id == PT_TYPE_VOID) {
        pt__variant_add_null(builder);
        return;
    }
    pt_text_view text = {"", 0};
    if (type->id == PT_TYPE_STRING || type->id == PT_TYPE_BINARY || type->id == PT_TYPE_CHAR ||
        type->id == PT_TYPE_VARCHAR)
        text = pt__fn_string((const duckdb_string_t *)column->data + row);
    pt__variant inner;
    switch (type->id) {
    case PT_TYPE_BOOLEAN: pt__variant_add_boolean(builder, ((const bool *)column->data)[row]); break;
    case PT_TYPE_FLOAT: pt__variant_add_float(builder, ((const float *)column->data)[row]); break;
    case PT_TYPE_DOUBLE: pt__variant_add_double(builder, ((const double *)column->data)[row]); break;
    case PT_TYPE_DECIMAL: pt__variant_add_decimal(builder, pt__fn_integer(column, row), type->scale); break;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: pt__variant_add_string(builder, text.data, text.size_bytes); break;
    case PT_TYPE_BINARY: pt__variant_add_binary(builder, text.data, text.size_bytes); break;
    case PT_TYPE_DATE: pt__variant_add_time(builder, PT__VARIANT_DATE, (int64_t)pt__fn_whole(column, row)); break;
    case PT_TYPE_TIMESTAMP:
        pt__variant_add_time(builder, PT__VARIANT_TIMESTAMP, (int64_t)pt__fn_whole(column, row));
        break;
    case PT_TYPE_TIMESTAMP_NTZ:
        pt__variant_add_time(builder, PT__VARIANT_TIMESTAMP_NTZ, (int64_t)pt__fn_whole(column, row));
        break;
    case PT_TYPE_STRUCT: add_struct(builder, type, column, row); break;
    case PT_TYPE_ARRAY: add_list(builder, type, column, row); break;
    case PT_TYPE_MAP: add_map(builder, type, column, row); break;
    case PT_TYPE_VARIANT:
        inner = pt__variant_at(column, row);
        add_variant(builder, &inner);
        break;
    default: pt__variant_add_long(builder, (int64_t)pt__fn_whole(column, row));
    }
}

/* (value, type, options, zone) */
static bool to_variant(pt__fn_call *call, idx_t row)
{
    pt__typed_reader *reader = pt__typed_reader_of(call, 1, false);
    pt__variant_builder builder = {0};
    if (reader == NULL)
        return false;
    add_typed(&builder, reader->type, &call->columns[0], row);
    bool ok = pt__variant_put(call, row, &builder);
    pt__variant_builder_deinit(&builder);
    return ok;
}

void pt__fn_to_variant(pt__fn_call *call)
{
    EACH_VARIANT(call, 1, r, to_variant(call, r));
}

/* ---- questions ---- */

static bool is_null(pt__fn_call *call, idx_t row)
{
    bool present = pt__fn_bit(call->columns[0].validity, row);
    pt__variant variant = present ? pt__variant_at(&call->columns[0], row) : (pt__variant){0};
    PT__FN_OUT(call, bool)[row] = present && pt__variant_read(&variant).kind == PT__VARIANT_NULL;
    return true;
}

void pt__fn_is_variant_null(pt__fn_call *call)
{
    PT__FN_EACH(call, r, is_null(call, r));
}

static bool is_valid(pt__fn_call *call, idx_t row)
{
    pt__variant variant = pt__variant_at(&call->columns[0], row);
    PT__FN_OUT(call, bool)[row] = pt__variant_is_valid(&variant);
    return true;
}

void pt__fn_is_valid_variant(pt__fn_call *call)
{
    PT__FN_EACH(call, r, is_valid(call, r));
}

/* ---- parts ---- */

/* (variant, path): with names of its own. */
static bool get_part(pt__fn_call *call, idx_t row)
{
    pt__variant variant = pt__variant_at(&call->columns[0], row);
    pt__variant part;
    if (!pt__variant_find(call, 1, row, &variant, &part))
        return false;
    pt__variant_builder builder = {0};
    add_variant(&builder, &part);
    bool ok = pt__variant_put(call, row, &builder);
    pt__variant_builder_deinit(&builder);
    return ok;
}

void pt__fn_variant_part(pt__fn_call *call)
{
    EACH_VARIANT(call, 2, r, get_part(call, r));
}

/* ---- entries, for variant_explode ---- */

typedef struct entry_out {
    duckdb_vector list;
    idx_t size;
} entry_out;

static bool put_entry(pt__fn_call *call, entry_out *out, uint32_t position, bool has_key, pt_text_view key,
                      const pt__variant *value)
{
    idx_t at = out->size++;
    if (duckdb_list_vector_reserve(out->list, out->size) != DuckDBSuccess ||
        duckdb_list_vector_set_size(out->list, out->size) != DuckDBSuccess)
        return pt__fn_fail_memory(call);
    duckdb_vector entry = duckdb_list_vector_get_child(out->list);
    duckdb_vector keys = duckdb_struct_vector_get_child(entry, 1);
    ((int32_t *)duckdb_vector_get_data(duckdb_struct_vector_get_child(entry, 0)))[at] = (int32_t)position;
    if (has_key)
        duckdb_unsafe_vector_assign_string_element_len(keys, at, key.data, key.size_bytes);
    else
        set_null(keys, at);
    pt__variant part = pt__variant_trimmed(value);
    pt__variant_put_part(duckdb_struct_vector_get_child(entry, 2), at, &part);
    return true;
}

static bool put_entries(pt__fn_call *call, entry_out *out, idx_t row)
{
    pt__variant variant = pt__variant_at(&call->columns[0], row);
    pt__variant_value value = pt__variant_read(&variant);
    idx_t start = out->size;
    for (uint32_t i = 0; i < value.count; i++) {
        pt__variant child;
        pt_text_view key = {"", 0};
        if (!pt__variant_child(&variant, &value, i, &child, &key))
            break;
        if (!put_entry(call, out, i, value.kind == PT__VARIANT_OBJECT, key, &child))
            return false;
    }
    PT__FN_OUT(call, duckdb_list_entry)[row] = (duckdb_list_entry){start, out->size - start};
    return true;
}

void pt__fn_variant_entries(pt__fn_call *call)
{
    entry_out out = {call->output, 0};
    memset(call->out, 0, call->row_count * sizeof(duckdb_list_entry));
    PT__FN_EACH(call, r, put_entries(call, &out, r));
}
