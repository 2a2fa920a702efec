/* Calls: arguments, what follows them, and functions with syntax of their own. */
#include "decode/spark_sql/internal.h"

#include <string.h>

/* ---- arguments ---- */

/* TABLE t, TABLE(t), TABLE(query): a relation as argument of a table function. */
static bool at_table_argument(const pt__sql_parser *p)
{
    if (!pt__sql_at(p, PT_KW_TABLE))
        return false;
    int32_t next = pt__sql_peek(p, 1);
    return next == '(' || (pt__sql_is_name(next) && !pt__sql_keyword_is_strict(next));
}

static pt_status parse_table_argument(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    const pt_plan *plan = NULL;
    pt__sql_skip(p, 1);
    bool parenthesized = pt__sql_accept(p, '(');
    if (parenthesized && pt__sql_starts_query(p, 0)) {
        PT_TRY(pt__sql_query(p, &plan));
    } else {
        pt_plan_scan_table *scan = pt__plan_make(p->arena, SCAN_TABLE, scan_table, NULL);
        size_t at = p->position;
        PT_TRY(pt__sql_name(p, &scan->name));
        scan->base.origin = pt__sql_origin(p, at);
        plan = &scan->base;
    }
    if (parenthesized)
        PT_TRY(pt__sql_expect(p, ')'));
    if (pt__sql_at(p, PT_KW_PARTITION) || pt__sql_at(p, PT_KW_DISTRIBUTE) || pt__sql_at(p, PT_KW_ORDER) ||
        pt__sql_at(p, PT_KW_WITH))
        return pt__sql_unsupported(p, "partitioning or ordering of a table argument");
    pt_expr_subquery *table = pt__expr_make(p->arena, SUBQUERY, subquery, pt__sql_origin(p, first));
    table->subquery_kind = PT_SUBQUERY_TABLE;
    table->plan = plan;
    *out = &table->base;
    return PT_OK;
}

static pt_status parse_named_argument(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    const char *name = NULL;
    const pt_expr *value = NULL;
    PT_TRY(pt__sql_identifier(p, &name));
    pt__sql_skip(p, 1);
    PT_TRY(at_table_argument(p) ? parse_table_argument(p, &value) : pt__sql_expression(p, &value));
    pt_expr_named_argument *argument =
        pt__expr_make(p->arena, NAMED_ARGUMENT, named_argument, pt__sql_origin(p, first));
    argument->name = name;
    argument->value = value;
    *out = &argument->base;
    return PT_OK;
}

static pt_status parse_argument(pt__sql_parser *p, bool allow_alias, const pt_expr **out)
{
    if (pt__sql_is_name(pt__sql_peek(p, 0)) && pt__sql_peek(p, 1) == PT_TOKEN_FAT_ARROW)
        return parse_named_argument(p, out);
    if (at_table_argument(p))
        return parse_table_argument(p, out);
    return allow_alias ? pt__sql_named_expression(p, out) : pt__sql_expression(p, out);
}

static pt_status parse_arguments_rest(pt__sql_parser *p, bool allow_alias, pt__sql_expr_list *out)
{
    while (pt__sql_accept(p, ',')) {
        const pt_expr *argument = NULL;
        PT_TRY(parse_argument(p, allow_alias, &argument));
        pt__list_push(p->arena, out, argument);
    }
    return PT_OK;
}

pt_status pt__sql_arguments(pt__sql_parser *p, bool allow_alias, pt__sql_expr_list *out)
{
    if (pt__sql_accept(p, ')'))
        return PT_OK;
    const pt_expr *argument = NULL;
    PT_TRY(parse_argument(p, allow_alias, &argument));
    pt__list_push(p->arena, out, argument);
    PT_TRY(parse_arguments_rest(p, allow_alias, out));
    return pt__sql_expect(p, ')');
}

/* ---- calls ---- */

static bool name_is(pt_name name, const char *word)
{
    const char *c = name.parts[0];
    if (name.count != 1)
        return false;
    for (; *c != '\0' && *word != '\0'; c++, word++) {
        if ((*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c) != *word)
            return false;
    }
    return *c == *word;
}

/* IGNORE NULLS or RESPECT NULLS, inside the parentheses or after them. */
static bool accept_null_treatment(pt__sql_parser *p, bool *ignore_nulls)
{
    if (pt__sql_accept_two(p, PT_KW_IGNORE, PT_KW_NULLS)) {
        *ignore_nulls = true;
        return true;
    }
    return pt__sql_accept_two(p, PT_KW_RESPECT, PT_KW_NULLS);
}

static bool at_quantifier(const pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    return (pt__sql_at(p, PT_KW_DISTINCT) || pt__sql_at(p, PT_KW_ALL)) && next != ')' && next != ',' && next != '.';
}

static pt_status parse_call_arguments(pt__sql_parser *p, pt_expr_call *call)
{
    pt__sql_expr_list arguments = {0};
    bool allow_alias = name_is(call->name, "struct");
    PT_TRY(pt__sql_expect(p, '('));
    if (at_quantifier(p)) {
        call->is_distinct = pt__sql_at(p, PT_KW_DISTINCT);
        pt__sql_skip(p, 1);
    }
    if (!pt__sql_at(p, ')')) {
        const pt_expr *argument = NULL;
        PT_TRY(parse_argument(p, allow_alias, &argument));
        pt__list_push(p->arena, &arguments, argument);
        PT_TRY(parse_arguments_rest(p, allow_alias, &arguments));
        (void)accept_null_treatment(p, &call->ignore_nulls);
    }
    call->arguments = arguments.items;
    call->argument_count = arguments.count;
    return pt__sql_expect(p, ')');
}

static pt_status parse_within_group(pt__sql_parser *p, pt_expr_call *call)
{
    pt__sql_expr_list orders = {0};
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expect(p, '('));
    PT_TRY(pt__sql_expect_two(p, PT_KW_ORDER, PT_KW_BY));
    PT_TRY(pt__sql_sort_orders(p, &orders));
    call->within_group = orders.items;
    call->within_group_count = orders.count;
    return pt__sql_expect(p, ')');
}

static pt_status parse_filter(pt__sql_parser *p, pt_expr_call *call)
{
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expect(p, PT_KW_WHERE));
    PT_TRY(pt__sql_expression(p, &call->filter));
    return pt__sql_expect(p, ')');
}

/* Whether OVER is followed by a window and is not an alias. */
static bool at_over(const pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    return pt__sql_at(p, PT_KW_OVER) && (next == '(' || (pt__sql_is_name(next) && next != PT_KW_FROM));
}

/* datediff(day, a, b) and the like: a unit's name stands where a column's would. */
static const char *unit_argument(const pt_expr_call *call)
{
    static const char *const UNITS[] = {"year", "quarter", "month",  "week",        "day",        "dayofyear",
                                        "hour", "minute",  "second", "millisecond", "microsecond"};
    if (call->argument_count != 3 || call->arguments[0]->kind != PT_EXPR_ATTRIBUTE)
        return NULL;
    pt_name name = pt__expr_as_attribute(call->arguments[0])->name;
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
        if (name_is(name, UNITS[i]))
            return name.parts[0];
    }
    return NULL;
}

/* A unit in quotes, which Spark takes for a mistake. */
static pt_status check_unit(pt__sql_parser *p, size_t first, const pt_expr_call *call)
{
    if (call->argument_count != 3 || call->arguments[0]->kind != PT_EXPR_LITERAL ||
        !pt__type_is_string(call->arguments[0]->type))
        return PT_OK;
    pt_text_view unit = pt__expr_as_literal(call->arguments[0])->value.as.text;
    pt_status status =
        pt__raise(p->err, PT_COND_INVALID_PARAMETER_VALUE_DATETIME_UNIT, "functionName",
                  pt__arena_printf(p->arena, "`%s`", call->name.parts[0]), "parameter", "`unit`", "invalidValue",
                  pt__arena_printf(p->arena, "'%.*s'", (int)unit.size_bytes, (const char *)unit.data), NULL);
    return pt__sql_locate_error(p, first, status);
}

static pt_status convert_unit_call(pt__sql_parser *p, size_t first, pt_expr_call *call)
{
    bool add = name_is(call->name, "timestampadd") || name_is(call->name, "dateadd") || name_is(call->name, "date_add");
    bool difference = name_is(call->name, "timestampdiff") || name_is(call->name, "datediff") ||
                      name_is(call->name, "date_diff") || name_is(call->name, "timediff");
    const char *unit = add || difference ? unit_argument(call) : NULL;
    if (unit == NULL)
        return add || difference ? check_unit(p, first, call) : PT_OK;
    const pt_expr **arguments = pt__arena_array(p->arena, const pt_expr *, 3);
    arguments[0] = pt__sql_make_string(p, first, unit);
    arguments[1] = call->arguments[1];
    arguments[2] = call->arguments[2];
    call->arguments = arguments;
    call->name = pt__name_one(p->arena, add ? "timestampadd" : "timestampdiff");
    call->reach = PT_REACH_ALL;
    return PT_OK;
}

pt_status pt__sql_call(pt__sql_parser *p, size_t first, pt_name name, const pt_expr **out)
{
    pt_expr_call *call = pt__expr_make(p->arena, CALL, call, NULL);
    call->name = name;
    call->reach = PT_REACH_SQL;
    PT_TRY(parse_call_arguments(p, call));
    PT_TRY(convert_unit_call(p, first, call));
    if (pt__sql_at_two(p, PT_KW_WITHIN, PT_KW_GROUP))
        PT_TRY(parse_within_group(p, call));
    if (pt__sql_at_two(p, PT_KW_FILTER, '('))
        PT_TRY(parse_filter(p, call));
    (void)accept_null_treatment(p, &call->ignore_nulls);
    call->base.origin = pt__sql_origin(p, first);
    *out = &call->base;
    if (!at_over(p))
        return PT_OK;
    pt__sql_skip(p, 1);
    return pt__sql_window_over(p, first, &call->base, out);
}

/* ---- functions with syntax of their own ---- */

/* Each starts at the function's word; the parenthesis after it has been seen. `*out` stays NULL for a plain call. */

static pt_status parse_cast(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    const pt_expr *child = NULL;
    const pt_type *type = NULL;
    bool try = pt__sql_at(p, PT_KW_TRY_CAST);
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expression(p, &child));
    PT_TRY(pt__sql_expect(p, PT_KW_AS));
    PT_TRY(pt__sql_type(p, &type));
    PT_TRY(pt__sql_expect(p, ')'));
    pt_expr_cast *cast = pt__expr_make(p->arena, CAST, cast, pt__sql_origin(p, first));
    cast->base.type = type;
    cast->child = child;
    cast->target = type;
    cast->mode = try ? PT_CAST_TRY : PT_CAST_DEFAULT;
    *out = &cast->base;
    return PT_OK;
}

static pt_status parse_extract(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    if (pt__sql_peek(p, 3) != PT_KW_FROM)
        return PT_OK;
    pt__sql_skip(p, 2);
    size_t at = p->position;
    const char *field = NULL;
    const pt_expr *source = NULL;
    if (pt__sql_at(p, PT_TOKEN_STRING))
        PT_TRY(pt__sql_string_text(p, &field));
    else
        PT_TRY(pt__sql_identifier(p, &field));
    const pt_expr *field_text = pt__sql_make_string(p, at, field);
    PT_TRY(pt__sql_expect(p, PT_KW_FROM));
    PT_TRY(pt__sql_expression(p, &source));
    PT_TRY(pt__sql_expect(p, ')'));
    *out = pt__sql_make_call(p, first, "extract", 2, field_text, source);
    return PT_OK;
}

typedef struct place {
    size_t position;
    size_t window_count;
    int32_t parameter_count;
} place;

static place here(const pt__sql_parser *p)
{
    return (place){p->position, p->named_windows.count, p->parameter_count};
}

/* Goes back to a plain call when the first argument is not followed by the word that makes it special. */
static pt_status plain_call(pt__sql_parser *p, place start, const pt_expr **out)
{
    p->position = start.position;
    p->named_windows.count = start.window_count;
    p->parameter_count = start.parameter_count;
    *out = NULL;
    return PT_OK;
}

/* substring(x FROM n [FOR m]) */
static pt_status parse_substring(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    place start = here(p);
    const pt_expr *source = NULL;
    const pt_expr *from = NULL;
    const pt_expr *length = NULL;
    if (pt__sql_peek(p, 2) == ')')
        return PT_OK;
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_value(p, &source));
    if (!pt__sql_accept(p, PT_KW_FROM))
        return plain_call(p, start, out);
    PT_TRY(pt__sql_value(p, &from));
    if (pt__sql_accept(p, PT_KW_FOR))
        PT_TRY(pt__sql_value(p, &length));
    PT_TRY(pt__sql_expect(p, ')'));
    if (length != NULL)
        *out = pt__sql_make_call(p, first, "substring", 3, source, from, length);
    else
        *out = pt__sql_make_call(p, first, "substring", 2, source, from);
    return PT_OK;
}

/* trim([BOTH | LEADING | TRAILING] [characters] FROM x) */
static pt_status parse_trim(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    place start = here(p);
    int32_t side = pt__sql_peek(p, 2);
    int32_t next = pt__sql_peek(p, 3);
    bool has_side = (side == PT_KW_BOTH || side == PT_KW_LEADING || side == PT_KW_TRAILING) && next != ')' &&
                    next != ',' && next != '.';
    const char *name = !has_side || side == PT_KW_BOTH ? "trim" : side == PT_KW_LEADING ? "ltrim" : "rtrim";
    const pt_expr *characters = NULL;
    const pt_expr *source = NULL;
    if (side == ')')
        return PT_OK;
    pt__sql_skip(p, has_side ? 3 : 2);
    if (!(has_side && pt__sql_at(p, PT_KW_FROM)))
        PT_TRY(pt__sql_value(p, &characters));
    if (!pt__sql_accept(p, PT_KW_FROM))
        return has_side ? pt__sql_syntax_error(p) : plain_call(p, start, out);
    PT_TRY(pt__sql_value(p, &source));
    PT_TRY(pt__sql_expect(p, ')'));
    if (characters != NULL)
        *out = pt__sql_make_call(p, first, name, 2, characters, source);
    else
        *out = pt__sql_make_call(p, first, name, 1, source);
    return PT_OK;
}

/* overlay(x PLACING y FROM n [FOR m]) */
static pt_status parse_overlay(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    place start = here(p);
    const pt_expr *parts[4] = {0};
    if (pt__sql_peek(p, 2) == ')')
        return PT_OK;
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_value(p, &parts[0]));
    if (!pt__sql_accept(p, PT_KW_PLACING))
        return plain_call(p, start, out);
    PT_TRY(pt__sql_value(p, &parts[1]));
    PT_TRY(pt__sql_expect(p, PT_KW_FROM));
    PT_TRY(pt__sql_value(p, &parts[2]));
    bool has_length = pt__sql_accept(p, PT_KW_FOR);
    if (has_length)
        PT_TRY(pt__sql_value(p, &parts[3]));
    PT_TRY(pt__sql_expect(p, ')'));
    if (has_length)
        *out = pt__sql_make_call(p, first, "overlay", 4, parts[0], parts[1], parts[2], parts[3]);
    else
        *out = pt__sql_make_call(p, first, "overlay", 3, parts[0], parts[1], parts[2]);
    return PT_OK;
}

/* position(a IN b) */
static pt_status parse_position(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    place start = here(p);
    const pt_expr *needle = NULL;
    const pt_expr *text = NULL;
    if (pt__sql_peek(p, 2) == ')')
        return PT_OK;
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_value(p, &needle));
    if (!pt__sql_accept(p, PT_KW_IN))
        return plain_call(p, start, out);
    PT_TRY(pt__sql_value(p, &text));
    PT_TRY(pt__sql_expect(p, ')'));
    *out = pt__sql_make_call(p, first, "locate", 2, needle, text);
    return PT_OK;
}

/*
 * Whether the word stands in the first argument, outside inner parentheses. This keeps a plain call from being read
 * twice, which would double the work at each level of nesting.
 */
static bool has_word(const pt__sql_parser *p, int32_t word)
{
    enum { LOOK_AHEAD_MAX = 100000 };
    size_t depth = 0;
    for (size_t i = 1; i < LOOK_AHEAD_MAX; i++) {
        int32_t kind = pt__sql_peek(p, i);
        if (kind == PT_TOKEN_END)
            return false;
        if (kind == '(' || kind == '[')
            depth++;
        else if ((kind == ')' || kind == ']') && --depth == 0)
            return false;
        else if (depth == 1 && kind == ',')
            return false;
        else if (depth == 1 && kind == word)
            return true;
    }
    return false;
}

pt_status pt__sql_special_call(pt__sql_parser *p, const pt_expr **out)
{
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_CAST: return parse_cast(p, out);
    case PT_KW_TRY_CAST: return parse_cast(p, out);
    case PT_KW_EXTRACT: return parse_extract(p, out);
    case PT_KW_SUBSTRING: return has_word(p, PT_KW_FROM) ? parse_substring(p, out) : PT_OK;
    case PT_KW_SUBSTR: return has_word(p, PT_KW_FROM) ? parse_substring(p, out) : PT_OK;
    case PT_KW_TRIM: return has_word(p, PT_KW_FROM) ? parse_trim(p, out) : PT_OK;
    case PT_KW_OVERLAY: return has_word(p, PT_KW_PLACING) ? parse_overlay(p, out) : PT_OK;
    case PT_KW_POSITION: return has_word(p, PT_KW_IN) ? parse_position(p, out) : PT_OK;
    default: return PT_OK;
    }
}
