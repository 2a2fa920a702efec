/* Expressions: the dispatch and the simple kinds; calls go on to call.c, names to names.c. */
#include "analyze/analyzer.h"

#include "base/arena_buffer.h"

#include <string.h>
#include <strings.h>

pt__scope pt__scope_of(pt__analyzer *a, const pt_plan *const *inputs, size_t count)
{
    return (pt__scope){.outer = a->query_scope, .inputs = inputs, .input_count = count};
}

/* ---- kinds ---- */

/* Functions that are called without parentheses where no column has their name; NULL: none of them. */
static const pt_expr *bare_function(pt__analyzer *a, const pt_expr_attribute *attribute)
{
    static const char *const NAMES[][2] = {
        {"current_date", "current_date"}, {"current_time", "current_time"}, {"current_timestamp", "current_timestamp"},
        {"current_user", "current_user"}, {"grouping__id", "grouping_id"},  {"session_user", "current_user"},
        {"user", "current_user"},
    };
    for (size_t i = 0; attribute->name.count == 1 && i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcasecmp(attribute->name.parts[0], NAMES[i][0]) == 0)
            return pt__expr_call_list(a->arena, attribute->base.origin, NAMES[i][1], NULL, 0);
    }
    return NULL;
}

static pt_status analyze_attribute(pt__analyzer *a, pt__scope *scope, const pt_expr_attribute *attribute,
                                   const pt_expr **out, pt_error *err)
{
    pt_status status = pt__resolve_attribute(a, scope, attribute, out, err);
    if (status != PT_NOT_FOUND)
        return status;
    if (attribute->plan_id >= 0)
        return pt__analyzer_fail(pt__raise(err, PT_COND_CANNOT_RESOLVE_DATAFRAME_COLUMN, "name",
                                           pt__quote_name(a->arena, &attribute->name), NULL),
                                 attribute->base.origin, err);
    const pt_expr *function = bare_function(a, attribute);
    if (function != NULL)
        return pt__analyze_expr(a, scope, function, out, err);
    return pt__unresolved_column(a, scope, &attribute->name, attribute->base.origin, err);
}

static pt_status analyze_parameter(pt__analyzer *a, const pt_expr_parameter *parameter, pt_error *err)
{
    const char *name =
        parameter->name != NULL ? parameter->name : pt__arena_printf(a->arena, "_%d", parameter->position);
    return pt__analyzer_fail(pt__raise(err, PT_COND_UNBOUND_SQL_PARAMETER, "name", name, NULL), parameter->base.origin,
                             err);
}

static pt_status analyze_extract(pt__analyzer *a, pt__scope *scope, const pt_expr_extract *extract, const pt_expr **out,
                                 pt_error *err)
{
    const pt_expr *child;
    const pt_expr *key;
    PT_TRY(pt__analyze_expr(a, scope, extract->child, &child, err));
    PT_TRY(pt__analyze_expr(a, scope, extract->key, &key, err));
    return pt__extract(a, child, key, extract->base.origin, out, err);
}

/* Before analysis a field is known by its position alone. */
static pt_status analyze_field(pt__analyzer *a, pt__scope *scope, const pt_expr_field *field, const pt_expr **out,
                               pt_error *err)
{
    const pt_expr *child;
    PT_TRY(pt__analyze_expr(a, scope, field->child, &child, err));
    return pt__field_at(a, child, field->ordinal, field->base.origin, out, err);
}

static pt_status analyze_alias(pt__analyzer *a, pt__scope *scope, const pt_expr_alias *alias, const pt_expr **out,
                               pt_error *err)
{
    pt_expr_alias *copy = pt__expr_make(a->arena, ALIAS, alias, alias->base.origin);
    PT_TRY(pt__analyze_expr(a, scope, alias->child, &copy->child, err));
    copy->names = alias->names;
    copy->name_count = alias->name_count;
    copy->metadata = alias->metadata;
    copy->base.type = copy->child->type;
    copy->base.nullable = copy->child->nullable;
    *out = &copy->base;
    return PT_OK;
}

static pt_status fail_cast(pt__analyzer *a, const pt_expr_cast *cast, const pt_expr *child, pt_error *err)
{
    pt_expr_cast shown = *cast;
    shown.child = child;
    bool legacy_would_do = pt__can_cast(a, child->type, cast->target, PT_CAST_LEGACY);
    const char *text = pt__quote_expr(a->arena, &shown.base);
    const char *from = pt__quote_type(a->arena, child->type);
    const char *to = pt__quote_type(a->arena, cast->target);
    pt_status status = legacy_would_do ? pt__raise(err, PT_COND_DATATYPE_MISMATCH_CAST_WITH_CONF_SUGGESTION, "sqlExpr",
                                                   text, "srcType", from, "targetType", to, "config",
                                                   "\"spark.sql.ansi.enabled\"", "configVal", "'false'", NULL)
                                       : pt__raise(err, PT_COND_DATATYPE_MISMATCH_CAST_WITHOUT_SUGGESTION, "sqlExpr",
                                                   text, "srcType", from, "targetType", to, NULL);
    return pt__analyzer_fail(status, cast->base.origin, err);
}

static pt_status analyze_cast(pt__analyzer *a, pt__scope *scope, const pt_expr_cast *cast, const pt_expr **out,
                              pt_error *err)
{
    const pt_expr *child;
    PT_TRY(pt__analyze_expr(a, scope, cast->child, &child, err));
    if (cast->is_implicit && pt__type_same_kind(child->type, cast->target)) {
        *out = child; /* of the declared type already */
        return PT_OK;
    }
    pt_cast_mode mode = cast->mode;
    if (mode == PT_CAST_DEFAULT)
        mode = a->ansi ? PT_CAST_ANSI : PT_CAST_LEGACY;
    if (!pt__can_cast(a, child->type, cast->target, mode))
        return fail_cast(a, cast, child, err);
    pt_expr *made = (pt_expr *)pt__make_cast(a, child, cast->target, mode, cast->is_implicit);
    made->origin = cast->base.origin;
    *out = made;
    return PT_OK;
}

static pt_status analyze_case(pt__analyzer *a, pt__scope *scope, const pt_expr_case *node, const pt_expr **out,
                              pt_error *err)
{
    size_t count = node->branch_count * 2 + (node->otherwise != NULL);
    const pt_expr **parts = pt__arena_array(a->arena, const pt_expr *, count);
    for (size_t i = 0; i < node->branch_count; i++) {
        parts[2 * i] = node->branches[i].condition;
        parts[2 * i + 1] = node->branches[i].value;
    }
    if (node->otherwise != NULL)
        parts[count - 1] = node->otherwise;
    return pt__analyze_expr(a, scope, pt__expr_call_list(a->arena, node->base.origin, "when", parts, count), out, err);
}

pt_status pt__fail_types_differ(pt__analyzer *a, const pt_expr *shown, const pt_expr *const *items, size_t count,
                                const char *function, pt_error *err)
{
    pt__buffer *types = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < count; i++)
        pt__buffer_printf(types, "%s%s", i == 0 ? "" : ", ", pt__quote_type(a->arena, items[i]->type));
    pt_status status = pt__raise(err, PT_COND_DATATYPE_MISMATCH_DATA_DIFF_TYPES, "sqlExpr",
                                 pt__quote_expr(a->arena, shown), "functionName", function, "dataType",
                                 pt__arena_printf(a->arena, "[%s]", pt__buffer_string(types)), NULL);
    return pt__analyzer_fail(status, shown->origin, err);
}

static pt_status analyze_in(pt__analyzer *a, pt__scope *scope, const pt_expr_in *in, const pt_expr **out, pt_error *err)
{
    size_t count = in->value_count + 1;
    const pt_expr **items = pt__arena_array(a->arena, const pt_expr *, count);
    PT_TRY(pt__analyze_expr(a, scope, in->child, &items[0], err));
    const pt_type *common = items[0]->type;
    bool nullable = items[0]->nullable;
    for (size_t i = 1; i < count; i++) {
        PT_TRY(pt__analyze_expr(a, scope, in->values[i - 1], &items[i], err));
        common = common == NULL ? NULL : pt__common_type(a, common, items[i]->type);
        nullable |= items[i]->nullable;
    }
    pt_expr_in *copy = pt__expr_make(a->arena, IN, in, in->base.origin);
    if (common == NULL) {
        copy->child = items[0];
        copy->values = items + 1;
        copy->value_count = in->value_count;
        return pt__fail_types_differ(a, &copy->base, items, count, "`in`", err);
    }
    for (size_t i = 0; i < count; i++)
        items[i] = pt__implicit_cast(a, items[i], common);
    copy->child = items[0];
    copy->values = items + 1;
    copy->value_count = in->value_count;
    copy->base.type = PT_T(BOOLEAN);
    copy->base.nullable = nullable;
    *out = &copy->base;
    return PT_OK;
}

static pt_status analyze_sort_order(pt__analyzer *a, pt__scope *scope, const pt_expr_sort_order *order,
                                    const pt_expr **out, pt_error *err)
{
    pt_expr_sort_order *copy = pt__expr_make(a->arena, SORT_ORDER, sort_order, order->base.origin);
    copy->is_descending = order->is_descending;
    copy->nulls_first = order->nulls_first;
    copy->is_plain = order->is_plain;
    PT_TRY(pt__analyze_expr(a, scope, order->child, &copy->child, err));
    copy->base.type = copy->child->type;
    copy->base.nullable = copy->child->nullable;
    *out = &copy->base;
    return PT_OK;
}

pt_status pt__analyze_all(pt__analyzer *a, pt__scope *scope, const pt_expr *const *items, size_t count,
                          const pt_expr *const **out, pt_error *err)
{
    const pt_expr **copies = pt__arena_array(a->arena, const pt_expr *, count + 1);
    for (size_t i = 0; i < count; i++)
        PT_TRY(pt__analyze_expr(a, scope, items[i], &copies[i], err));
    *out = copies;
    return PT_OK;
}

/* ---- calls ---- */

static bool takes_star_as_one(const pt_expr_call *call)
{
    return call->argument_count == 1 && strcasecmp(call->name.parts[call->name.count - 1], "count") == 0 &&
           !call->is_distinct && call->arguments[0]->kind == PT_EXPR_STAR;
}

/* Arguments with stars expanded and names taken off; lambdas stay as they are. */
static pt_status analyze_arguments(pt__analyzer *a, pt__scope *scope, const pt_expr_call *call, pt_expr_call *copy,
                                   pt_error *err)
{
    pt__list(const pt_expr *) arguments = {0};
    for (size_t i = 0; i < call->argument_count; i++) {
        const pt_expr *argument = call->arguments[i];
        if (argument->kind == PT_EXPR_NAMED_ARGUMENT)
            argument = pt__expr_as_named_argument(argument)->value;
        if (argument->kind == PT_EXPR_STAR) {
            const pt_expr *const *items;
            size_t count;
            PT_TRY(pt__expand_star(a, scope, pt__expr_as_star(argument), &items, &count, err));
            for (size_t k = 0; k < count; k++)
                pt__list_push(a->arena, &arguments, items[k]);
            continue;
        }
        if (argument->kind != PT_EXPR_LAMBDA)
            PT_TRY(pt__analyze_expr(a, scope, argument, &argument, err));
        pt__list_push(a->arena, &arguments, argument);
    }
    copy->arguments = arguments.items;
    copy->argument_count = arguments.count;
    return PT_OK;
}

static pt_status check_over(pt__analyzer *a, const pt_expr_call *given, const pt_expr *resolved, pt_error *err)
{
    if (resolved->kind != PT_EXPR_CALL || a->windowed == &given->base ||
        pt__expr_as_call(resolved)->function->kind != PT_FUNCTION_WINDOW)
        return PT_OK;
    pt_status status = pt__raise(err, PT_COND_WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE, "funcName",
                                 pt__quote_expr(a->arena, resolved), NULL);
    return pt__analyzer_fail(status, given->base.origin, err);
}

static pt_status analyze_call(pt__analyzer *a, pt__scope *scope, const pt_expr_call *call, const pt_expr **out,
                              pt_error *err)
{
    pt_expr_call *copy = pt__expr_make(a->arena, CALL, call, call->base.origin);
    *copy = *call;
    if (takes_star_as_one(call)) {
        const pt_expr **one = pt__arena_array(a->arena, const pt_expr *, 1);
        one[0] = pt__expr_int(a->arena, 1);
        copy->arguments = one;
    } else {
        PT_TRY(analyze_arguments(a, scope, call, copy, err));
    }
    if (call->filter != NULL)
        PT_TRY(pt__analyze_condition(a, scope, call->filter, "FILTER", &copy->filter, err));
    PT_TRY(pt__analyze_all(a, scope, call->within_group, call->within_group_count, &copy->within_group, err));
    PT_TRY(pt__resolve_call(a, scope, copy, out, err));
    return check_over(a, call, *out, err);
}

static pt_status analyze_python_udf(pt__analyzer *a, pt__scope *scope, const pt_expr_python_udf *udf,
                                    const pt_expr **out, pt_error *err)
{
    pt_expr_python_udf *copy = pt__expr_make(a->arena, PYTHON_UDF, python_udf, udf->base.origin);
    *copy = *udf;
    PT_TRY(pt__analyze_all(a, scope, udf->arguments, udf->argument_count, &copy->arguments, err));
    copy->base.type = udf->result_type;
    copy->base.nullable = true;
    *out = &copy->base;
    return PT_OK;
}

static pt_status fail_misplaced(pt__analyzer *a, const pt_expr *expr, const char *what, pt_error *err)
{
    (void)a;
    pt_status status =
        pt__raise(err, PT_COND_INVALID_USAGE_OF_STAR_OR_REGEX, "elem", what, "prettyName", "expression", NULL);
    return pt__analyzer_fail(status, expr->origin, err);
}

/* DataFrames name the variables of their lambdas apart from columns; SQL text does not. */
static pt_status analyze_lambda_variable(pt__analyzer *a, pt__scope *scope, const pt_expr_lambda_variable *variable,
                                         const pt_expr **out, pt_error *err)
{
    if (variable->base.type != NULL) {
        *out = &variable->base;
        return PT_OK;
    }
    pt_expr_attribute *attribute = pt__expr_make(a->arena, ATTRIBUTE, attribute, variable->base.origin);
    attribute->name = variable->name;
    attribute->plan_id = -1;
    return pt__resolve_attribute(a, scope, attribute, out, err);
}

static pt_status dispatch(pt__analyzer *a, pt__scope *scope, const pt_expr *expr, const pt_expr **out, pt_error *err)
{
    switch (expr->kind) {
    case PT_EXPR_ORDINAL: return pt__resolve_ordinal(a, scope, pt__expr_as_ordinal(expr), out, err);
    case PT_EXPR_FIELD: return analyze_field(a, scope, pt__expr_as_field(expr), out, err);
    case PT_EXPR_LITERAL:
    case PT_EXPR_COLUMN: *out = expr; return PT_OK; /* typed where they are made */
    case PT_EXPR_LAMBDA_VARIABLE: return analyze_lambda_variable(a, scope, pt__expr_as_lambda_variable(expr), out, err);
    case PT_EXPR_ATTRIBUTE: return analyze_attribute(a, scope, pt__expr_as_attribute(expr), out, err);
    case PT_EXPR_STAR: return fail_misplaced(a, expr, "'*'", err);
    case PT_EXPR_COLUMN_REGEX: return fail_misplaced(a, expr, "regular expressions", err);
    case PT_EXPR_PARAMETER: return analyze_parameter(a, pt__expr_as_parameter(expr), err);
    case PT_EXPR_EXTRACT: return analyze_extract(a, scope, pt__expr_as_extract(expr), out, err);
    case PT_EXPR_CALL: return analyze_call(a, scope, pt__expr_as_call(expr), out, err);
    case PT_EXPR_ALIAS: return analyze_alias(a, scope, pt__expr_as_alias(expr), out, err);
    case PT_EXPR_CAST: return analyze_cast(a, scope, pt__expr_as_cast(expr), out, err);
    case PT_EXPR_CASE: return analyze_case(a, scope, pt__expr_as_case(expr), out, err);
    case PT_EXPR_IN: return analyze_in(a, scope, pt__expr_as_in(expr), out, err);
    case PT_EXPR_SORT_ORDER: return analyze_sort_order(a, scope, pt__expr_as_sort_order(expr), out, err);
    case PT_EXPR_WINDOW: return pt__analyze_window(a, scope, pt__expr_as_window(expr), out, err);
    case PT_EXPR_LAMBDA: return fail_misplaced(a, expr, "lambda functions", err);
    case PT_EXPR_UPDATE_FIELDS: return pt__analyze_update_fields(a, scope, pt__expr_as_update_fields(expr), out, err);
    case PT_EXPR_SUBQUERY: return pt__analyze_subquery(a, scope, pt__expr_as_subquery(expr), out, err);
    case PT_EXPR_NAMED_ARGUMENT: return pt__analyze_expr(a, scope, pt__expr_as_named_argument(expr)->value, out, err);
    case PT_EXPR_PYTHON_UDF: return analyze_python_udf(a, scope, pt__expr_as_python_udf(expr), out, err);
    case PT_EXPR_COUNT: break;
    }
    return pt_error_set(err, PT_INTERNAL, "unknown kind of expression %d", (int)expr->kind);
}

pt_status pt__analyze_expr(pt__analyzer *a, pt__scope *scope, const pt_expr *expr, const pt_expr **out, pt_error *err)
{
    /* What rewrites have analyzed already comes through here again inside new nodes. */
    if (expr->type != NULL && expr->kind != PT_EXPR_CAST && expr->kind != PT_EXPR_ALIAS) {
        *out = expr;
        return PT_OK;
    }
    PT_TRY(pt__analyzer_enter(a, err));
    pt_status status = dispatch(a, scope, expr, out, err);
    pt__analyzer_leave(a);
    return status;
}

pt_status pt__analyze_condition(pt__analyzer *a, pt__scope *scope, const pt_expr *expr, const char *clause,
                                const pt_expr **out, pt_error *err)
{
    (void)clause;
    PT_TRY(pt__analyze_expr(a, scope, expr, out, err));
    const pt_type *type = (*out)->type;
    if (type->id == PT_TYPE_BOOLEAN)
        return PT_OK;
    if (type->id == PT_TYPE_VOID || pt__type_is_string(type)) {
        *out = pt__implicit_cast(a, *out, PT_T(BOOLEAN));
        return PT_OK;
    }
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_FILTER_NOT_BOOLEAN, "sqlExpr", pt__quote_expr(a->arena, *out),
                  "filter", pt__quote_expr(a->arena, *out), "type", pt__quote_type(a->arena, type), NULL);
    return pt__analyzer_fail(status, expr->origin, err);
}
