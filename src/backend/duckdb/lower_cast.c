#include "backend/duckdb/lower.h"
#include "backend/duckdb/lower_collections.h"

#include <inttypes.h>
#include <string.h>

/*
 * Casts work on text: put_cast() appends the cast of an SQL expression. DuckDB's own cast is used where it neither
 * fails nor rounds; all else are our functions, one per mode.
 */

typedef struct cast {
    const char *mode;         /* "ansi", "try" or "legacy" */
    const pt_expr_cast *node; /* for errors */
} cast;

static pt_status put_cast(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                          pt_error *err);

static const pt_type *plain_type(const pt_type *type)
{
    return type->id == PT_TYPE_UDT ? type->element : type;
}

static void put_native(pt__lower *lower, const char *text, const pt_type *to)
{
    pt__putf(lower, "CAST(%s AS ", text);
    pt__put_type(lower, to);
    pt__put(lower, ")");
}

static void put_zone(pt__lower *lower)
{
    pt__put_string(lower, lower->time_zone, strlen(lower->time_zone));
}

static pt_status refuse(pt__lower *lower, const cast *c, const pt_type *from, const pt_type *to, pt_error *err)
{
    return pt__lower_unsupported(err, c->node == NULL ? NULL : c->node->base.origin,
                                 pt__arena_printf(lower->arena, "casting %s to %s", pt__type_sql(lower->arena, from),
                                                  pt__type_sql(lower->arena, to)));
}

/* ---- numbers ---- */

static int integer_digits(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_BYTE: return 3;
    case PT_TYPE_SHORT: return 5;
    case PT_TYPE_INT: return 10;
    case PT_TYPE_LONG: return 19;
    default: return 0;
    }
}

static const char *integer_name(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_BYTE: return "tinyint";
    case PT_TYPE_SHORT: return "smallint";
    case PT_TYPE_INT: return "int";
    default: return "bigint";
    }
}

/* The length of an interval's last field: microseconds or months. */
static int64_t interval_unit(const pt_type *type)
{
    static const int64_t UNITS[] = {INT64_C(86400000000), INT64_C(3600000000), INT64_C(60000000), INT64_C(1000000)};
    if (type->id == PT_TYPE_INTERVAL_YEAR_MONTH)
        return type->end_field == 0 ? 12 : 1;
    return UNITS[type->end_field < 4 ? type->end_field : 3];
}

static pt_status put_integer(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                             pt_error *err)
{
    bool widens =
        from->id == PT_TYPE_BOOLEAN || (pt__type_is_integral(from) && integer_digits(from) <= integer_digits(to));
    if (widens)
        put_native(lower, text, to);
    else if (from->id == PT_TYPE_INTERVAL_CALENDAR || from->id == PT_TYPE_DATE)
        return refuse(lower, c, from, to, err);
    else if (pt__type_is_interval(from))
        pt__putf(lower, "spark_cast_%s_%s(%s // %" PRId64 ")", integer_name(to), c->mode, text, interval_unit(from));
    else
        pt__putf(lower, "spark_cast_%s_%s(%s)", integer_name(to), c->mode, text);
    return PT_OK;
}

static pt_status put_real(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                          pt_error *err)
{
    bool to_float = to->id == PT_TYPE_FLOAT;
    if (pt__type_is_string(from)) {
        pt__putf(lower, "spark_cast_%s_%s(%s)", to_float ? "float" : "double", c->mode, text);
    } else if (from->id == PT_TYPE_TIMESTAMP) {
        pt__putf(lower, to_float ? "CAST(epoch_us(%s) / 1000000 AS FLOAT)" : "(epoch_us(%s) / 1000000)", text);
    } else if (from->id == PT_TYPE_DOUBLE && to_float) {
        /* What is too large for DuckDB's cast is infinite in Spark. */
        pt__putf(lower,
                 "coalesce(TRY_CAST(%s AS FLOAT), CASE WHEN %s > 0 THEN 'inf'::FLOAT WHEN %s < 0 THEN "
                 "'-inf'::FLOAT END)",
                 text, text, text);
    } else if (from->id == PT_TYPE_DECIMAL && from->precision > 15) {
        pt__putf(lower, "CAST(CAST(%s AS VARCHAR) AS %s)", text, to_float ? "FLOAT" : "DOUBLE");
    } else if (pt__type_is_numeric(from) || from->id == PT_TYPE_BOOLEAN) {
        put_native(lower, text, to);
    } else {
        return refuse(lower, c, from, to, err);
    }
    return PT_OK;
}

static bool decimal_is_wider(const pt_type *from, const pt_type *to)
{
    int digits = from->id == PT_TYPE_DECIMAL ? from->precision - from->scale : integer_digits(from);
    int scale = from->id == PT_TYPE_DECIMAL ? from->scale : 0;
    return digits > 0 && to->precision - to->scale >= digits && to->scale >= scale;
}

static pt_status put_decimal(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                             pt_error *err)
{
    bool is_exact = from->id == PT_TYPE_DECIMAL || pt__type_is_integral(from);
    bool all_fraction = from->id == PT_TYPE_DECIMAL && from->precision == from->scale && to->scale >= from->scale;
    if (is_exact && (decimal_is_wider(from, to) || all_fraction)) {
        put_native(lower, text, to);
        return PT_OK;
    }
    if (pt__type_is_interval(from) || from->id == PT_TYPE_DATE || from->id == PT_TYPE_BINARY)
        return refuse(lower, c, from, to, err);
    pt__putf(lower, "spark_cast_decimal_%s_%d_%d(%s)", c->mode, to->precision, to->scale, text);
    return PT_OK;
}

static pt_status put_boolean(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                             pt_error *err)
{
    if (pt__type_is_string(from))
        pt__putf(lower, "spark_cast_boolean_%s(%s)", c->mode, text);
    else if (pt__type_is_numeric(from))
        pt__putf(lower, "(%s <> 0)", text);
    else
        return refuse(lower, c, from, to, err);
    return PT_OK;
}

/* ---- dates and times ---- */

static pt_status put_datetime(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                              pt_error *err)
{
    const char *name = to->id == PT_TYPE_DATE ? "date" : to->id == PT_TYPE_TIMESTAMP ? "timestamp" : "timestamp_ntz";
    bool is_number = pt__type_is_numeric(from) || from->id == PT_TYPE_BOOLEAN;
    if ((is_number && to->id != PT_TYPE_TIMESTAMP) || from->id == PT_TYPE_BINARY || from->id == PT_TYPE_TIME)
        return refuse(lower, c, from, to, err);
    pt__putf(lower, "spark_cast_%s_%s(%s, ", name, c->mode, text);
    put_zone(lower);
    pt__put(lower, ")");
    return PT_OK;
}

static pt_status put_interval_from_other(pt__lower *lower, const cast *c, const char *text, const pt_type *from,
                                         const pt_type *to, pt_error *err)
{
    const char *kind = to->id == PT_TYPE_INTERVAL_DAY_TIME ? "dt" : "ym";
    if (pt__type_is_string(from))
        pt__putf(lower, "spark_cast_%s_interval_%s(%s, %d::INTEGER, %d::INTEGER)", kind, c->mode, text, to->start_field,
                 to->end_field);
    else if (pt__type_is_integral(from) || from->id == PT_TYPE_DECIMAL)
        pt__putf(lower, "spark_number_%s_interval_%s(%s, %d::INTEGER)", kind, c->mode, text, to->end_field);
    else
        return refuse(lower, c, from, to, err);
    return PT_OK;
}

/* Another pair of fields: what is smaller than the last one is cut off. */
static pt_status put_interval(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                              pt_error *err)
{
    if (from->id != to->id)
        return put_interval_from_other(lower, c, text, from, to, err);
    int64_t unit = interval_unit(to);
    if (unit == 1 || (to->id == PT_TYPE_INTERVAL_DAY_TIME && to->end_field >= 3))
        pt__put(lower, text);
    else
        pt__putf(lower, "(%s - %s %% %" PRId64 ")", text, text, unit);
    return PT_OK;
}

/* ---- text ---- */

static bool has_interval(const pt_type *type)
{
    bool found = type->id == PT_TYPE_INTERVAL_DAY_TIME || type->id == PT_TYPE_INTERVAL_YEAR_MONTH;
    if (type->key != NULL)
        found = found || has_interval(type->key);
    if (type->element != NULL)
        found = found || has_interval(type->element);
    for (size_t i = 0; i < type->field_count; i++)
        found = found || has_interval(type->fields[i].type);
    return found;
}

static void put_leaves(pt__lower *lower, const pt_type *type)
{
    if (type->key != NULL)
        put_leaves(lower, type->key);
    if (type->element != NULL)
        put_leaves(lower, type->element);
    for (size_t i = 0; i < type->field_count; i++)
        put_leaves(lower, type->fields[i].type);
    if (type->id == PT_TYPE_INTERVAL_DAY_TIME || type->id == PT_TYPE_INTERVAL_YEAR_MONTH)
        pt__putf(lower, "%c%d%d", type->id == PT_TYPE_INTERVAL_DAY_TIME ? 'd' : 'y', type->start_field,
                 type->end_field);
    else if (type->key == NULL && type->element == NULL && type->field_count == 0)
        pt__put(lower, ".");
}

static void put_text(pt__lower *lower, const char *text, const pt_type *from)
{
    if (pt__type_is_integral(from) || from->id == PT_TYPE_BOOLEAN || pt__type_is_string(from)) {
        pt__putf(lower, "CAST(%s AS VARCHAR)", text);
        return;
    }
    pt__putf(lower, "spark_cast_string(%s, ", text);
    put_zone(lower);
    if (has_interval(from)) {
        pt__put(lower, ", '");
        put_leaves(lower, from);
        pt__put(lower, "'");
    }
    pt__put(lower, ")");
}

/* ---- nested ---- */

static pt_status put_array(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                           pt_error *err)
{
    uint32_t name = ++lower->next_alias;
    pt__putf(lower, "list_transform(%s, lambda e%u: ", text, name);
    PT_TRY(put_cast(lower, c, pt__arena_printf(lower->arena, "e%u", name), from->element, to->element, err));
    pt__put(lower, ")");
    return PT_OK;
}

static pt_status put_map(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                         pt_error *err)
{
    uint32_t name = ++lower->next_alias;
    pt__putf(lower, "map_from_entries(list_transform(map_entries(%s), lambda e%u: struct_pack(k := ", text, name);
    PT_TRY(put_cast(lower, c, pt__arena_printf(lower->arena, "struct_extract(e%u, 'key')", name), from->key, to->key,
                    err));
    pt__put(lower, ", v := ");
    PT_TRY(put_cast(lower, c, pt__arena_printf(lower->arena, "struct_extract(e%u, 'value')", name), from->element,
                    to->element, err));
    pt__put(lower, ")))");
    return PT_OK;
}

/* By position; a long text is bound first, for it stands once per field. */
static pt_status put_struct(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                            pt_error *err)
{
    bool binds = strlen(text) > 64;
    uint32_t bound = ++lower->next_alias;
    if (binds) {
        pt__putf(lower, "list_transform([%s], lambda e%u: ", text, bound);
        text = pt__arena_printf(lower->arena, "e%u", bound);
    }
    pt__putf(lower, "CASE WHEN %s IS NOT NULL THEN struct_pack(", text);
    for (size_t i = 0; i < to->field_count; i++) {
        const char *name = pt__field_name(lower->arena, from, i);
        size_t mark = lower->text.size_bytes;
        pt__putf(lower, "struct_extract(%s, ", text);
        pt__put_string(lower, name, strlen(name));
        pt__put(lower, ")");
        const char *field = pt__cut(lower, mark);
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_field_name(lower, to, i);
        pt__put(lower, " := ");
        PT_TRY(put_cast(lower, c, field, from->fields[i].type, to->fields[i].type, err));
    }
    pt__put(lower, binds ? ") END)[1]" : ") END");
    return PT_OK;
}

/* Names of nested fields count too: they are part of DuckDB's type. */
static bool is_same_for_engine(const pt_type *a, const pt_type *b)
{
    if (pt__type_is_string(a) && pt__type_is_string(b))
        return true;
    if (a->id != b->id)
        return false;
    switch (a->id) {
    case PT_TYPE_DECIMAL: return a->precision == b->precision && a->scale == b->scale;
    case PT_TYPE_INTERVAL_DAY_TIME:
    case PT_TYPE_INTERVAL_YEAR_MONTH: return a->end_field <= b->end_field;
    case PT_TYPE_ARRAY: return is_same_for_engine(a->element, b->element);
    case PT_TYPE_MAP: return is_same_for_engine(a->key, b->key) && is_same_for_engine(a->element, b->element);
    case PT_TYPE_STRUCT: break;
    default: return true;
    }
    if (a->field_count != b->field_count)
        return false;
    for (size_t i = 0; i < a->field_count; i++) {
        if (strcmp(a->fields[i].name, b->fields[i].name) != 0 ||
            !is_same_for_engine(a->fields[i].type, b->fields[i].type))
            return false;
    }
    return true;
}

/* ---- routing ---- */

static pt_status put_other(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                           pt_error *err)
{
    switch (to->id) {
    case PT_TYPE_BYTE:
    case PT_TYPE_SHORT:
    case PT_TYPE_INT:
    case PT_TYPE_LONG: return put_integer(lower, c, text, from, to, err);
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: return put_real(lower, c, text, from, to, err);
    case PT_TYPE_DECIMAL: return put_decimal(lower, c, text, from, to, err);
    case PT_TYPE_BOOLEAN: return put_boolean(lower, c, text, from, to, err);
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: put_text(lower, text, from); return PT_OK;
    case PT_TYPE_DATE:
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ: return put_datetime(lower, c, text, from, to, err);
    case PT_TYPE_INTERVAL_YEAR_MONTH:
    case PT_TYPE_INTERVAL_DAY_TIME: return put_interval(lower, c, text, from, to, err);
    case PT_TYPE_ARRAY: return put_array(lower, c, text, from, to, err);
    case PT_TYPE_MAP: return put_map(lower, c, text, from, to, err);
    case PT_TYPE_STRUCT: return put_struct(lower, c, text, from, to, err);
    case PT_TYPE_BINARY:
        if (!pt__type_is_string(from))
            return refuse(lower, c, from, to, err);
        pt__putf(lower, "encode(%s)", text);
        return PT_OK;
    case PT_TYPE_INTERVAL_CALENDAR:
        if (!pt__type_is_string(from))
            return refuse(lower, c, from, to, err);
        pt__putf(lower, "spark_cast_interval(%s)", text);
        return PT_OK;
    case PT_TYPE_TIME:
    case PT_TYPE_VARIANT:
    case PT_TYPE_VOID:
    case PT_TYPE_UDT:
    case PT_TYPE_COUNT: break;
    }
    return refuse(lower, c, from, to, err);
}

static pt_status put_cast(pt__lower *lower, const cast *c, const char *text, const pt_type *from, const pt_type *to,
                          pt_error *err)
{
    from = plain_type(from);
    to = plain_type(to);
    if (is_same_for_engine(from, to)) {
        pt__put(lower, text);
        return PT_OK;
    }
    if (from->id == PT_TYPE_VOID) {
        put_native(lower, text, to);
        return PT_OK;
    }
    if (from->id == PT_TYPE_VARIANT) {
        pt__put_variant_cast(lower, text, "'$'", to, strcmp(c->mode, "try") == 0);
        return PT_OK;
    }
    if (to->id == PT_TYPE_VARIANT) {
        pt__put_to_variant(lower, text, from);
        return PT_OK;
    }
    return put_other(lower, c, text, from, to, err);
}

pt_status pt__put_cast(pt__lower *lower, pt_cast_mode mode, const char *text, const pt_type *from, const pt_type *to,
                       pt_error *err)
{
    cast c = {pt__mode_name(mode), NULL};
    return put_cast(lower, &c, text, from, to, err);
}

/* See lower_template.c: no subquery may stand in an argument of one of our functions. */
static pt_status put_bound(pt__lower *lower, const cast *c, const char *text, pt_error *err)
{
    const char *name = pt__arena_printf(lower->arena, "b%u", ++lower->next_alias);
    size_t mark = lower->text.size_bytes;
    PT_TRY(put_cast(lower, c, name, c->node->child->type, c->node->base.type, err));
    const char *body = pt__cut(lower, mark);
    if (strstr(body, "spark_") == NULL)
        return put_cast(lower, c, text, c->node->child->type, c->node->base.type, err);
    pt__putf(lower, "list_transform([%s], lambda %s: %s)[1]", text, name, body);
    return PT_OK;
}

/* Whole numbers as decimals are literals of their own, which the engine need not compute. */
static bool put_literal_decimal(pt__lower *lower, const pt_expr_cast *node)
{
    const pt_type *to = node->base.type;
    if (node->child->kind != PT_EXPR_LITERAL || to->id != PT_TYPE_DECIMAL || !pt__type_is_integral(node->child->type))
        return false;
    pt_value value = pt__expr_as_literal(node->child)->value;
    if (value.is_null ||
        pt__decimal_rescale(value.as.integer, 0, to->precision, to->scale, &value.as.decimal) != PT_DECIMAL_OK)
        return false;
    pt__put_literal(lower, to, &value);
    return true;
}

pt_status pt__lower_cast(pt__lower *lower, const pt_expr_cast *node, pt_error *err)
{
    if (put_literal_decimal(lower, node))
        return PT_OK;
    cast c = {pt__mode_name(node->mode), node};
    const char *text;
    bool in_narrow = lower->in_narrow;
    unsigned seen = lower->seen;
    lower->in_narrow = false;
    lower->seen = 0;
    pt_status status = pt__lower_expr_text(lower, node->child, &text, err);
    bool has_subquery = (lower->seen & PT_TEXT_SUBQUERY) != 0;
    lower->in_narrow = in_narrow;
    lower->seen |= seen;
    PT_TRY(status);
    if (has_subquery)
        return put_bound(lower, &c, text, err);
    return put_cast(lower, &c, text, node->child->type, node->base.type, err);
}
