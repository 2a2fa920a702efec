/* The types of variants in words: OBJECT<a: BIGINT, b: ARRAY<STRING>>. */
#include "analyze/json_schema.h"
#include "backend/duckdb/functions/kernels.h"
#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/variant.h"
#include "base/arena.h"
#include "base/list.h"
#include "plan/type.h"

#include <stdlib.h>

/* Objects are structs of sorted fields here; VARIANT is what has no single type. */
static const pt_type *type_of(pt__arena *arena, const pt__variant *variant, int depth);

static const pt_type *decimal_type(pt__arena *arena, const pt__variant_value *value)
{
    pt_int128 unscaled = value->unscaled;
    int32_t scale = value->scale;
    for (; scale > 0 && unscaled % 10 == 0; scale--)
        unscaled /= 10;
    int32_t digits = pt__int128_digits(unscaled);
    return pt__type_decimal(arena, digits > scale ? digits : scale, scale);
}

static const pt_type *object_type(pt__arena *arena, const pt__variant *variant, const pt__variant_value *value,
                                  int depth)
{
    pt_field *fields = pt__arena_array(arena, pt_field, value->count + 1);
    size_t count = 0;
    for (uint32_t i = 0; i < value->count; i++) {
        pt__variant child;
        pt_text_view key;
        if (!pt__variant_child(variant, value, i, &child, &key))
            continue;
        fields[count++] = (pt_field){pt__arena_copy_text(arena, key.data, key.size_bytes),
                                     type_of(arena, &child, depth + 1), true, NULL};
    }
    return pt__type_struct(arena, fields, count);
}

static const pt_type *array_type(pt__arena *arena, const pt__variant *variant, const pt__variant_value *value,
                                 int depth)
{
    const pt_type *element = PT_T(VOID);
    for (uint32_t i = 0; i < value->count; i++) {
        pt__variant child;
        if (pt__variant_child(variant, value, i, &child, NULL))
            element = pt__merge_inferred(arena, element, type_of(arena, &child, depth + 1), PT_T(VARIANT));
    }
    return pt__type_array(arena, element, true);
}

static const pt_type *type_of(pt__arena *arena, const pt__variant *variant, int depth)
{
    pt__variant_value value = pt__variant_read(variant);
    if (depth > 1000)
        return PT_T(VARIANT);
    switch (value.kind) {
    case PT__VARIANT_NULL: return PT_T(VOID);
    case PT__VARIANT_BOOLEAN: return PT_T(BOOLEAN);
    case PT__VARIANT_LONG: return PT_T(LONG);
    case PT__VARIANT_DOUBLE: return PT_T(DOUBLE);
    case PT__VARIANT_FLOAT: return PT_T(FLOAT);
    case PT__VARIANT_DECIMAL: return decimal_type(arena, &value);
    case PT__VARIANT_DATE: return PT_T(DATE);
    case PT__VARIANT_TIMESTAMP: return PT_T(TIMESTAMP);
    case PT__VARIANT_TIMESTAMP_NTZ: return PT_T(TIMESTAMP_NTZ);
    case PT__VARIANT_STRING:
    case PT__VARIANT_UUID: return PT_T(STRING);
    case PT__VARIANT_BINARY: return PT_T(BINARY);
    case PT__VARIANT_ARRAY: return array_type(arena, variant, &value, depth);
    case PT__VARIANT_OBJECT: return object_type(arena, variant, &value, depth);
    case PT__VARIANT_MALFORMED: break;
    }
    return PT_T(VARIANT);
}

static void append_type(pt__buffer *out, const pt_type *type)
{
    if (type->id == PT_TYPE_ARRAY) {
        pt__buffer_append_string(out, "ARRAY<");
        append_type(out, type->element);
        pt__buffer_append_byte(out, '>');
    } else if (type->id == PT_TYPE_STRUCT) {
        pt__buffer_append_string(out, "OBJECT<");
        for (size_t i = 0; i < type->field_count; i++) {
            pt__buffer_append_string(out, i == 0 ? "" : ", ");
            pt__append_quoted_if_needed(out, type->fields[i].name);
            pt__buffer_append_string(out, ": ");
            append_type(out, type->fields[i].type);
        }
        pt__buffer_append_byte(out, '>');
    } else {
        pt__type_append_sql(out, type);
    }
}

/* Of one variant, or of all in a list. */
static const pt_type *schema_of(pt__arena *arena, const pt__fn_column *column, idx_t row)
{
    pt__variant variant;
    if (column->type->id != DUCKDB_TYPE_LIST) {
        variant = pt__variant_at(column, row);
        return type_of(arena, &variant, 0);
    }
    pt__fn_column elements = pt__fn_elements(column);
    duckdb_list_entry entry = pt__fn_list_entry(column, row);
    const pt_type *type = PT_T(VOID);
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        if (!pt__fn_bit(elements.validity, i))
            continue;
        variant = pt__variant_at(&elements, i);
        type = pt__merge_inferred(arena, type, type_of(arena, &variant, 0), PT_T(VARIANT));
    }
    return type;
}

static bool put_schema(pt__fn_call *call, idx_t row)
{
    pt__buffer *out = &call->state->scratch;
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt__fn_fail_memory(call);
    pt__buffer_reset(out);
    append_type(out, schema_of(arena, &call->columns[0], row));
    pt__arena_free(arena);
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_schema_of_variant(pt__fn_call *call)
{
    PT__FN_EACH(call, r, put_schema(call, r));
}
