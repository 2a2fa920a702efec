/* Types. Char, varchar and the precision of timestamps are kept beside the plan, which knows strings and microseconds. */
#include "decode/substrait/internal.h"

#include <string.h>

#define KIND(name) SUBSTRAIT__TYPE__KIND_##name

enum { PRECISION_MAX = 9, MICROSECONDS = 6, ALIAS_DEPTH_MAX = 16 };

static const pt_type *with_precision(decoder *d, pt_type_id id, int32_t precision)
{
    pt_type *type = pt__arena_make(d->arena, pt_type);
    *type = *pt__type_simple(id);
    type->precision = precision;
    return type;
}

static pt_status timestamp_type(decoder *d, pt_type_id id, int32_t precision, const pt_type **out)
{
    if (precision < 0 || precision > PRECISION_MAX)
        return pt__substrait_unsupported(d, "Substrait timestamps of precision %d", precision);
    *out = with_precision(d, id, precision);
    return PT_OK;
}

static pt_status time_type(decoder *d, int32_t precision, const pt_type **out)
{
    if (precision < 0 || precision > PRECISION_MAX)
        return pt__substrait_unsupported(d, "Substrait times of precision %d", precision);
    *out = pt__type_time(d->arena, precision > MICROSECONDS ? MICROSECONDS : precision);
    return PT_OK;
}

static pt_status decimal_type(decoder *d, const Substrait__Type__Decimal *m, const pt_type **out)
{
    if (m->precision < 1 || m->precision > PT_DECIMAL_PRECISION_MAX || m->scale < 0 || m->scale > m->precision)
        return pt__substrait_bad(d, "there is no type decimal(%d, %d)", m->precision, m->scale);
    *out = pt__type_decimal(d->arena, m->precision, m->scale);
    return PT_OK;
}

static pt_status char_type(decoder *d, pt_type_id id, int32_t length, const pt_type **out)
{
    if (length < 1)
        return pt__substrait_bad(d, "a text type has the length %d", length);
    *out = pt__type_char(d->arena, id, length);
    return PT_OK;
}

static pt_status list_type(decoder *d, const Substrait__Type__List *m, const pt_type **out)
{
    const pt_type *element;
    PT_TRY(pt__substrait_type(d, m->type, &element));
    if (element == NULL)
        return pt__substrait_bad(d, "a list type has no element type");
    *out = pt__type_array(d->arena, element, true);
    return pt__type_check_nesting(*out, d->err);
}

static pt_status map_type(decoder *d, const Substrait__Type__Map *m, const pt_type **out)
{
    const pt_type *key;
    const pt_type *value;
    PT_TRY(pt__substrait_type(d, m->key, &key));
    PT_TRY(pt__substrait_type(d, m->value, &value));
    if (key == NULL || value == NULL)
        return pt__substrait_bad(d, "a map type lacks its key or value type");
    *out = pt__type_map(d->arena, key, value, true);
    return pt__type_check_nesting(*out, d->err);
}

static const char *type_name(decoder *d, uint32_t anchor)
{
    for (size_t i = 0; i < d->types.count; i++) {
        if (d->types.items[i].anchor == anchor)
            return d->types.items[i].name;
    }
    return pt__arena_printf(d->arena, "%u, which the plan does not declare", anchor);
}

/*
 * A variation of a whole number is another type. DataFusion's first one has no sign: the next larger type holds it, but for
 * the largest, whose upper half is an error wherever it is met.
 */
pt_status pt__substrait_whole(decoder *d, pt_type_id id, uint32_t variation, const pt_type **out)
{
    *out = pt__type_simple(id);
    if (variation == 0)
        return PT_OK;
    if (variation == 1 && pt__substrait_is_by(d, "datafusion")) {
        *out = pt__type_simple(id == PT_TYPE_LONG ? id : (pt_type_id)(id + 1));
        return PT_OK;
    }
    return pt__substrait_unsupported(d, "the variation %u of the Substrait type %s", variation,
                                     pt__substrait_type_text(d, *out));
}

/* DataFusion has a type of its own for NULL. */
static pt_status user_defined(decoder *d, uint32_t anchor, const pt_type **out)
{
    const char *name = type_name(d, anchor);
    *out = PT_T(VOID);
    return strcmp(name, "null") == 0 ? PT_OK : pt__substrait_unsupported(d, "the user-defined Substrait type %s", name);
}

static pt_status alias_type(decoder *d, uint32_t anchor, const pt_type **out)
{
    if (d->alias_depth == ALIAS_DEPTH_MAX)
        return pt__substrait_bad(d, "the type alias %u refers to itself, or through too many others", anchor);
    for (size_t i = 0; i < d->plan->n_type_aliases; i++) {
        if (d->plan->type_aliases[i]->type_alias_anchor != anchor)
            continue;
        d->alias_depth++;
        pt_status status = pt__substrait_type(d, d->plan->type_aliases[i]->type, out);
        d->alias_depth--;
        return status;
    }
    return pt__substrait_bad(d, "there is no type alias %u", anchor);
}

static pt_status simple(pt_type_id id, const pt_type **out)
{
    *out = pt__type_simple(id);
    return PT_OK;
}

pt_status pt__substrait_type(decoder *d, const Substrait__Type *type, const pt_type **out)
{
    *out = NULL;
    if (type == NULL)
        return PT_OK;
    switch ((int)type->kind_case) {
    case KIND(BOOL): return simple(PT_TYPE_BOOLEAN, out);
    case KIND(I8): return pt__substrait_whole(d, PT_TYPE_BYTE, type->i8->type_variation_reference, out);
    case KIND(I16): return pt__substrait_whole(d, PT_TYPE_SHORT, type->i16->type_variation_reference, out);
    case KIND(I32): return pt__substrait_whole(d, PT_TYPE_INT, type->i32->type_variation_reference, out);
    case KIND(I64): return pt__substrait_whole(d, PT_TYPE_LONG, type->i64->type_variation_reference, out);
    case KIND(FP32): return simple(PT_TYPE_FLOAT, out);
    case KIND(FP64): return simple(PT_TYPE_DOUBLE, out);
    case KIND(UUID):
    case KIND(STRING): return simple(PT_TYPE_STRING, out);
    case KIND(FIXED_BINARY):
    case KIND(BINARY): return simple(PT_TYPE_BINARY, out);
    case KIND(DATE): return simple(PT_TYPE_DATE, out);
    case KIND(TIME): return time_type(d, MICROSECONDS, out);
    case KIND(TIMESTAMP): return timestamp_type(d, PT_TYPE_TIMESTAMP_NTZ, MICROSECONDS, out);
    case KIND(TIMESTAMP_TZ): return timestamp_type(d, PT_TYPE_TIMESTAMP, MICROSECONDS, out);
    case KIND(PRECISION_TIME): return time_type(d, type->precision_time->precision, out);
    case KIND(PRECISION_TIMESTAMP):
        return timestamp_type(d, PT_TYPE_TIMESTAMP_NTZ, type->precision_timestamp->precision, out);
    case KIND(PRECISION_TIMESTAMP_TZ):
        return timestamp_type(d, PT_TYPE_TIMESTAMP, type->precision_timestamp_tz->precision, out);
    case KIND(INTERVAL_YEAR): *out = pt__type_interval(d->arena, PT_TYPE_INTERVAL_YEAR_MONTH, 0, 1); return PT_OK;
    case KIND(INTERVAL_DAY): *out = pt__type_interval(d->arena, PT_TYPE_INTERVAL_DAY_TIME, 0, 3); return PT_OK;
    case KIND(INTERVAL_COMPOUND): return simple(PT_TYPE_INTERVAL_CALENDAR, out);
    case KIND(FIXED_CHAR): return char_type(d, PT_TYPE_CHAR, type->fixed_char->length, out);
    case KIND(VARCHAR): return char_type(d, PT_TYPE_VARCHAR, type->varchar->length, out);
    case KIND(DECIMAL): return decimal_type(d, type->decimal, out);
    case KIND(STRUCT): return pt__substrait_struct_type(d, type->struct_->types, type->struct_->n_types, out);
    case KIND(LIST): return list_type(d, type->list, out);
    case KIND(MAP): return map_type(d, type->map, out);
    case KIND(ALIAS): return alias_type(d, type->alias->type_alias_reference, out);
    case KIND(USER_DEFINED): return user_defined(d, type->user_defined->type_reference, out);
    case KIND(USER_DEFINED_TYPE_REFERENCE): return user_defined(d, type->user_defined_type_reference, out);
    default: return pt__substrait_unknown_kind(d, &type->base, type->kind_case);
    }
}

pt_status pt__substrait_struct_type(decoder *d, Substrait__Type *const *types, size_t count, const pt_type **out)
{
    pt_field *fields = pt__arena_array(d->arena, pt_field, count + 1);
    for (size_t i = 0; i < count; i++) {
        fields[i].name = pt__arena_printf(d->arena, "col%zu", i + 1);
        fields[i].nullable = true;
        PT_TRY(pt__substrait_type(d, types[i], &fields[i].type));
        if (fields[i].type == NULL)
            return pt__substrait_bad(d, "a field of a struct has no type");
    }
    *out = pt__type_struct(d->arena, fields, count);
    return pt__type_check_nesting(*out, d->err);
}

/* ---- names ---- */

bool pt__substrait_has_struct(const pt_type *type)
{
    if (type == NULL)
        return false;
    if (type->id == PT_TYPE_ARRAY)
        return pt__substrait_has_struct(type->element);
    if (type->id == PT_TYPE_MAP)
        return pt__substrait_has_struct(type->key) || pt__substrait_has_struct(type->element);
    return type->id == PT_TYPE_STRUCT;
}

static pt_status rename_struct(decoder *d, const pt_type *type, char *const *names, size_t name_count, size_t *next,
                               const pt_type **out)
{
    pt_field *fields = pt__arena_array(d->arena, pt_field, type->field_count + 1);
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        if (*next == name_count)
            return pt__substrait_bad(d, "there are only %zu names for the columns and fields of a schema", name_count);
        fields[i].name = names[(*next)++];
        PT_TRY(pt__substrait_rename_type(d, type->fields[i].type, names, name_count, next, &fields[i].type));
    }
    *out = pt__type_struct(d->arena, fields, type->field_count);
    return PT_OK;
}

pt_status pt__substrait_rename_type(decoder *d, const pt_type *type, char *const *names, size_t name_count,
                                    size_t *next, const pt_type **out)
{
    *out = type;
    if (!pt__substrait_has_struct(type))
        return PT_OK;
    if (type->id == PT_TYPE_STRUCT)
        return rename_struct(d, type, names, name_count, next, out);
    const pt_type *key = NULL;
    const pt_type *element;
    if (type->id == PT_TYPE_MAP)
        PT_TRY(pt__substrait_rename_type(d, type->key, names, name_count, next, &key));
    PT_TRY(pt__substrait_rename_type(d, type->element, names, name_count, next, &element));
    *out = type->id == PT_TYPE_MAP ? pt__type_map(d->arena, key, element, type->contains_null)
                                   : pt__type_array(d->arena, element, type->contains_null);
    return PT_OK;
}

pt_status pt__substrait_named_struct(decoder *d, const Substrait__NamedStruct *message, const pt_type **out)
{
    if (message == NULL || message->struct_ == NULL) {
        *out = pt__type_struct(d->arena, NULL, 0);
        return PT_OK;
    }
    const pt_type *type;
    size_t next = 0;
    PT_TRY(pt__substrait_struct_type(d, message->struct_->types, message->struct_->n_types, &type));
    PT_TRY(rename_struct(d, type, message->names, message->n_names, &next, out));
    if (next != message->n_names)
        return pt__substrait_bad(d, "a schema has %zu names for %zu columns and fields", message->n_names, next);
    return PT_OK;
}

/* ---- the plan's types ---- */

static const pt_type *plain_struct(decoder *d, const pt_type *type)
{
    pt_field *fields = pt__arena_array(d->arena, pt_field, type->field_count + 1);
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].type = pt__substrait_plain(d, type->fields[i].type);
    }
    return pt__type_struct(d->arena, fields, type->field_count);
}

const pt_type *pt__substrait_plain(decoder *d, const pt_type *type)
{
    switch ((int)type->id) {
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return PT_T(STRING);
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ: return pt__type_simple(type->id);
    case PT_TYPE_STRUCT: return plain_struct(d, type);
    case PT_TYPE_ARRAY: return pt__type_array(d->arena, pt__substrait_plain(d, type->element), type->contains_null);
    case PT_TYPE_MAP:
        return pt__type_map(d->arena, pt__substrait_plain(d, type->key), pt__substrait_plain(d, type->element),
                            type->contains_null);
    default: return type;
    }
}

const char *pt__substrait_type_text(decoder *d, const pt_type *type)
{
    return type == NULL ? "unknown" : pt__type_simple_string(d->arena, type);
}
