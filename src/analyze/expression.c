/* Expressions: one function per kind; calls go to call.c, names to names.c. */
#include "analyze/analyzer.h"

#include "base/arena_buffer.h"
#include "plan/walk.h"

#include <regex.h>
#include <string.h>
#include <strings.h>

/* ---- questions about analyzed expressions ---- */

bool pt__is_aggregate_call(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
           pt__expr_as_call(expr)->function->kind == PT_FUNCTION_AGGREGATE;
}

bool pt__is_generator_call(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
           pt__expr_as_call(expr)->function->kind == PT_FUNCTION_GENERATOR;
}

const pt_expr *pt__strip_alias(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_ALIAS)
        expr = pt__expr_as_alias(expr)->child;
    return expr;
}

/* Whether no node of the tree satisfies is(node); the walk does not enter what enter(node) refuses. */
typedef struct search {
    bool (*is)(const pt_expr *expr);
    bool into_windows;
} search;

static bool search_child(void *context, const pt_expr *child)
{
    const search *s = context;
    if (s->is(child))
        return false;
    if (child->kind == PT_EXPR_WINDOW && !s->into_windows) {
        /* The function itself is the window's; aggregates among its arguments and keys count. */
        const pt_expr_window *window = pt__expr_as_window(child);
        bool none = pt__expr_each_child(window->function, search_child, context);
        for (size_t i = 0; none && i < window->partition_count; i++)
            none = search_child(context, window->partition[i]);
        for (size_t i = 0; none && i < window->order_count; i++)
            none = search_child(context, window->order[i]);
        return none;
    }
    return pt__expr_each_child(child, search_child, context);
}

static bool contains(const pt_expr *expr, bool (*is)(const pt_expr *), bool into_windows)
{
    search s = {is, into_windows};
    return !search_child(&s, expr);
}

static bool is_window(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_WINDOW;
}

static bool is_subquery(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_SUBQUERY;
}

static bool is_volatile(const pt_expr *expr)
{
    return (expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
            pt__expr_as_call(expr)->function->kind == PT_FUNCTION_VOLATILE) ||
           (expr->kind == PT_EXPR_PYTHON_UDF && !pt__expr_as_python_udf(expr)->is_deterministic);
}

bool pt__contains_aggregate(const pt_expr *expr)
{
    return contains(expr, pt__is_aggregate_call, false);
}

bool pt__contains_window(const pt_expr *expr)
{
    return contains(expr, is_window, true);
}

bool pt__contains_generator(const pt_expr *expr)
{
    return contains(expr, pt__is_generator_call, true);
}

bool pt__contains_subquery(const pt_expr *expr)
{
    return contains(expr, is_subquery, true);
}

bool pt__is_deterministic(const pt_expr *expr)
{
    return !contains(expr, is_volatile, true);
}

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

static pt_status fail_types_differ(pt__analyzer *a, const pt_expr *shown, const pt_expr *const *items, size_t count,
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
        return fail_types_differ(a, &copy->base, items, count, "`in`", err);
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

static pt_status analyze_all(pt__analyzer *a, pt__scope *scope, const pt_expr *const *items, size_t count,
                             const pt_expr *const **out, pt_error *err)
{
    const pt_expr **copies = pt__arena_array(a->arena, const pt_expr *, count + 1);
    for (size_t i = 0; i < count; i++)
        PT_TRY(pt__analyze_expr(a, scope, items[i], &copies[i], err));
    *out = copies;
    return PT_OK;
}

/* ---- windows ---- */

static pt_status analyze_bound(pt__analyzer *a, pt__scope *scope, pt_frame_bound *bound, pt_error *err)
{
    if (bound->offset == NULL)
        return PT_OK;
    return pt__analyze_expr(a, scope, bound->offset, &bound->offset, err);
}

static bool is_offset_function(const pt_expr *function)
{
    if (function->kind != PT_EXPR_CALL)
        return false;
    const char *name = pt__expr_as_call(function)->name.parts[0];
    return strcasecmp(name, "lag") == 0 || strcasecmp(name, "lead") == 0;
}

/* Spark spells the row before as the one that follows by -1. */
static const pt_expr *negated_offset(pt__analyzer *a, const pt_expr *offset)
{
    if (offset->kind != PT_EXPR_LITERAL || !pt__type_is_integral(offset->type)) {
        pt_expr *negative = (pt_expr *)pt__expr_call(a->arena, offset->origin, "negative", 1, offset);
        negative->type = offset->type;
        negative->nullable = offset->nullable;
        return negative;
    }
    pt_value value = pt__expr_as_literal(offset)->value;
    value.as.integer = value.as.integer == INT64_MIN ? INT64_MAX : -value.as.integer;
    return pt__expr_literal(a->arena, offset->type, value);
}

/* lag and lead run over the one row that they name. */
static void offset_frame(pt__analyzer *a, pt_expr_window *window)
{
    const pt_expr_call *call = pt__expr_as_call(window->function);
    bool is_lag = strcasecmp(call->name.parts[0], "lag") == 0;
    const pt_expr *offset = call->argument_count > 1 ? call->arguments[1] : pt__expr_int(a->arena, 1);
    pt_frame_bound bound = {PT_BOUND_FOLLOWING, is_lag ? negated_offset(a, offset) : offset};
    window->unit = PT_FRAME_ROWS;
    window->lower = window->upper = bound;
}

/* Functions of a row's number; nth_value and cume_dist look at peers as aggregates do. */
static bool is_row_function(const pt_expr *function)
{
    if (function->kind != PT_EXPR_CALL || pt__expr_as_call(function)->function == NULL)
        return false;
    const pt__function *row = pt__expr_as_call(function)->function;
    return row->kind == PT_FUNCTION_WINDOW && strcmp(row->name, "nth_value") != 0 &&
           strcmp(row->name, "cume_dist") != 0;
}

static void default_frame(pt__analyzer *a, pt_expr_window *window)
{
    bool window_function = is_row_function(window->function);
    if (is_offset_function(window->function)) {
        offset_frame(a, window);
        return;
    }
    window->lower.kind = PT_BOUND_UNBOUNDED_PRECEDING;
    window->upper.kind = window->order_count != 0 ? PT_BOUND_CURRENT_ROW : PT_BOUND_UNBOUNDED_FOLLOWING;
    window->unit = window->order_count != 0 && !window_function ? PT_FRAME_RANGE : PT_FRAME_ROWS;
    if (window_function)
        window->upper.kind = PT_BOUND_CURRENT_ROW;
}

static pt_status check_window(pt__analyzer *a, const pt_expr_window *window, pt_error *err)
{
    const pt_expr *function = window->function;
    if (function->kind != PT_EXPR_CALL)
        return PT_OK;
    const pt_expr_call *call = pt__expr_as_call(function);
    pt_status status = PT_OK;
    if (call->is_distinct)
        status = pt__raise(err, PT_COND_DISTINCT_WINDOW_FUNCTION_UNSUPPORTED, "windowExpr",
                           pt__quote_expr(a->arena, &window->base), NULL);
    else if (call->function->kind == PT_FUNCTION_WINDOW && window->order_count == 0)
        status = pt__raise(err, PT_COND_WINDOW_FUNCTION_FRAME_NOT_ORDERED, "wf",
                           pt__arena_printf(a->arena, "%s()", call->name.parts[0]), NULL);
    else if (call->function->kind != PT_FUNCTION_WINDOW && call->function->kind != PT_FUNCTION_AGGREGATE)
        status =
            pt__raise(err, PT_COND_UNSUPPORTED_EXPR_FOR_WINDOW, "sqlExpr", pt__quote_expr(a->arena, function), NULL);
    return pt__analyzer_fail(status, window->base.origin, err);
}

static pt_status analyze_window(pt__analyzer *a, pt__scope *scope, const pt_expr_window *window, const pt_expr **out,
                                pt_error *err)
{
    pt_expr_window *copy = pt__expr_make(a->arena, WINDOW, window, window->base.origin);
    *copy = *window;
    PT_TRY(pt__analyze_expr(a, scope, window->function, &copy->function, err));
    PT_TRY(analyze_all(a, scope, window->partition, window->partition_count, &copy->partition, err));
    PT_TRY(analyze_all(a, scope, window->order, window->order_count, &copy->order, err));
    PT_TRY(analyze_bound(a, scope, &copy->lower, err));
    PT_TRY(analyze_bound(a, scope, &copy->upper, err));
    if (copy->unit == PT_FRAME_NONE)
        default_frame(a, copy);
    copy->base.type = copy->function->type;
    copy->base.nullable = copy->function->nullable;
    if (is_offset_function(copy->function) && pt__expr_as_call(copy->function)->argument_count == 3)
        copy->base.nullable = pt__expr_as_call(copy->function)->arguments[0]->nullable ||
                              pt__expr_as_call(copy->function)->arguments[2]->nullable;
    *out = &copy->base;
    return check_window(a, copy, err);
}

/* ---- struct updates ---- */

static pt_status make_struct(pt__analyzer *a, const pt_expr *child, const char *const *names,
                             const pt_expr *const *values, size_t count, const pt_expr **out, pt_error *err)
{
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, 2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        arguments[2 * i] = pt__expr_string(a->arena, names[i]);
        arguments[2 * i + 1] = values[i];
    }
    const pt_expr *made;
    PT_TRY(pt__call(a, "named_struct", arguments, 2 * count, &made, err));
    if (!child->nullable) {
        *out = made;
        return PT_OK;
    }
    const pt_expr **when = pt__arena_array(a->arena, const pt_expr *, 2);
    PT_TRY(pt__call(a, "isnotnull", &child, 1, &when[0], err));
    when[1] = made;
    return pt__call(a, "when", when, 2, out, err);
}

/* `child` with the field at the end of the path set to `value`, or dropped when it is NULL. */
static pt_status update_path(pt__analyzer *a, const pt_expr *child, const pt_name *path, size_t depth,
                             const pt_expr *value, const pt_origin *origin, const pt_expr **out, pt_error *err)
{
    if (child->type->id != PT_TYPE_STRUCT) {
        pt_status status =
            pt__raise(err, PT_COND_DATATYPE_MISMATCH_UNEXPECTED_INPUT_TYPE, "sqlExpr", "\"update_fields\"",
                      "paramIndex", "first", "requiredType", "\"STRUCT\"", "inputSql", pt__quote_expr(a->arena, child),
                      "inputType", pt__quote_type(a->arena, child->type), NULL);
        return pt__analyzer_fail(status, origin, err);
    }
    pt__list(const char *) names = {0};
    pt__list(const pt_expr *) values = {0};
    bool found = false;
    bool last = depth + 1 == path->count;
    for (size_t i = 0; i < child->type->field_count; i++) {
        const char *name = child->type->fields[i].name;
        const pt_expr *field;
        PT_TRY(pt__struct_field(a, child, name, origin, &field, err));
        if (pt__same_name(a, name, path->parts[depth])) {
            found = true;
            if (last && value == NULL)
                continue;
            if (last)
                field = value;
            else
                PT_TRY(update_path(a, field, path, depth + 1, value, origin, &field, err));
            name = last ? path->parts[depth] : name;
        }
        pt__list_push(a->arena, &names, name);
        pt__list_push(a->arena, &values, field);
    }
    if (!found && value != NULL && last) {
        pt__list_push(a->arena, &names, path->parts[depth]);
        pt__list_push(a->arena, &values, value);
    }
    if (names.count == 0) {
        pt_status status =
            pt__raise(err, PT_COND_DATATYPE_MISMATCH_CANNOT_DROP_ALL_FIELDS, "sqlExpr", "\"update_fields\"", NULL);
        return pt__analyzer_fail(status, origin, err);
    }
    return make_struct(a, child, names.items, values.items, names.count, out, err);
}

static pt_name split_path(pt__analyzer *a, const char *text)
{
    pt__list(const char *) parts = {0};
    while (*text != '\0') {
        size_t size;
        if (*text == '`') {
            size = strcspn(++text, "`");
            pt__list_push(a->arena, &parts, pt__arena_copy_text(a->arena, text, size));
            text += size + (text[size] == '`');
        } else {
            size = strcspn(text, ".");
            pt__list_push(a->arena, &parts, pt__arena_copy_text(a->arena, text, size));
            text += size;
        }
        text += *text == '.';
    }
    return (pt_name){parts.items, parts.count};
}

static pt_status analyze_update_fields(pt__analyzer *a, pt__scope *scope, const pt_expr_update_fields *update,
                                       const pt_expr **out, pt_error *err)
{
    const pt_expr *child;
    const pt_expr *value = NULL;
    PT_TRY(pt__analyze_expr(a, scope, update->child, &child, err));
    if (update->value != NULL)
        PT_TRY(pt__analyze_expr(a, scope, update->value, &value, err));
    pt_name path = split_path(a, update->field);
    return update_path(a, child, &path, 0, value, update->base.origin, out, err);
}

/* ---- subqueries ---- */

static pt_status check_in_width(pt__analyzer *a, const pt_expr_subquery *subquery, pt_error *err)
{
    size_t width = pt__visible_count(subquery->plan);
    if (width == subquery->value_count)
        return PT_OK;
    pt_status status = pt__raise(err, PT_COND_DATATYPE_MISMATCH_IN_SUBQUERY_LENGTH, "sqlExpr",
                                 pt__quote_expr(a->arena, &subquery->base), "leftLength",
                                 pt__arena_printf(a->arena, "%zu", subquery->value_count), "rightLength",
                                 pt__arena_printf(a->arena, "%zu", width), "leftColumns", "", "rightColumns", "", NULL);
    return pt__analyzer_fail(status, subquery->base.origin, err);
}

/* Both sides of IN get their common types. */
static pt_status unify_in(pt__analyzer *a, pt_expr_subquery *subquery, pt_error *err)
{
    PT_TRY(check_in_width(a, subquery, err));
    size_t count;
    const pt_expr *const *columns = pt__visible_refs(a, subquery->plan, &count);
    const pt_type **types = pt__arena_array(a->arena, const pt_type *, count);
    const pt_expr **values = pt__arena_array(a->arena, const pt_expr *, count);
    for (size_t i = 0; i < count; i++) {
        types[i] = pt__common_type(a, subquery->values[i]->type, columns[i]->type);
        if (types[i] == NULL)
            return fail_types_differ(a, &subquery->base, (const pt_expr *const[]){subquery->values[i], columns[i]}, 2,
                                     "`in`", err);
        values[i] = pt__implicit_cast(a, subquery->values[i], types[i]);
        subquery->base.nullable |= values[i]->nullable || columns[i]->nullable;
    }
    subquery->plan = pt__cast_columns(a, subquery->plan, types);
    subquery->values = values;
    return PT_OK;
}

static pt_status analyze_query_of(pt__analyzer *a, pt__scope *scope, const pt_plan *plan, const pt_plan **out,
                                  pt_error *err)
{
    pt__scope *enclosing = a->query_scope;
    a->query_scope = scope;
    pt_status status = pt__analyze_plan(a, plan, out, err);
    a->query_scope = enclosing;
    return status;
}

static pt_status analyze_subquery(pt__analyzer *a, pt__scope *scope, const pt_expr_subquery *subquery,
                                  const pt_expr **out, pt_error *err)
{
    pt_expr_subquery *copy = pt__expr_make(a->arena, SUBQUERY, subquery, subquery->base.origin);
    copy->subquery_kind = subquery->subquery_kind;
    copy->value_count = subquery->value_count;
    PT_TRY(analyze_all(a, scope, subquery->values, subquery->value_count, &copy->values, err));
    PT_TRY(analyze_query_of(a, scope, subquery->plan, &copy->plan, err));
    *out = &copy->base;
    if (subquery->subquery_kind == PT_SUBQUERY_EXISTS) {
        copy->base.type = PT_T(BOOLEAN);
        return PT_OK;
    }
    if (subquery->subquery_kind == PT_SUBQUERY_IN) {
        copy->base.type = PT_T(BOOLEAN);
        return unify_in(a, copy, err);
    }
    size_t width = pt__visible_count(copy->plan);
    if (width != 1 && subquery->subquery_kind == PT_SUBQUERY_SCALAR) {
        pt_status status = pt__raise(err, PT_COND_INVALID_SUBQUERY_SCALAR_COLUMNS, "number",
                                     pt__arena_printf(a->arena, "%zu", width), NULL);
        return pt__analyzer_fail(status, subquery->base.origin, err);
    }
    copy->base.type = copy->plan->columns[0].type;
    copy->base.nullable = true;
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
    PT_TRY(analyze_all(a, scope, call->within_group, call->within_group_count, &copy->within_group, err));
    return pt__resolve_call(a, scope, copy, out, err);
}

static pt_status analyze_python_udf(pt__analyzer *a, pt__scope *scope, const pt_expr_python_udf *udf,
                                    const pt_expr **out, pt_error *err)
{
    pt_expr_python_udf *copy = pt__expr_make(a->arena, PYTHON_UDF, python_udf, udf->base.origin);
    *copy = *udf;
    PT_TRY(analyze_all(a, scope, udf->arguments, udf->argument_count, &copy->arguments, err));
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
    case PT_EXPR_COLUMN:
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
    case PT_EXPR_WINDOW: return analyze_window(a, scope, pt__expr_as_window(expr), out, err);
    case PT_EXPR_LAMBDA: return fail_misplaced(a, expr, "lambda functions", err);
    case PT_EXPR_UPDATE_FIELDS: return analyze_update_fields(a, scope, pt__expr_as_update_fields(expr), out, err);
    case PT_EXPR_SUBQUERY: return analyze_subquery(a, scope, pt__expr_as_subquery(expr), out, err);
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

/* ---- lists ---- */

typedef pt__list(const pt_expr *) expr_list;

static pt_status push_regex(pt__analyzer *a, pt__scope *scope, const pt_expr_column_regex *node, expr_list *list,
                            pt_error *err)
{
    const char *pattern = pt__arena_printf(a->arena, "^(%s)$", node->pattern);
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | (a->case_sensitive ? 0 : REG_ICASE)) != 0)
        return pt_error_set(err, PT_ANALYSIS, "the column pattern %s is no regular expression", node->pattern);
    pt_expr_star star = {.base = node->base, .target = node->qualifier, .plan_id = node->plan_id};
    const pt_expr *const *items;
    size_t count = 0;
    pt_status status = pt__expand_star(a, scope, &star, &items, &count, err);
    for (size_t i = 0; i < count; i++) {
        if (regexec(&regex, pt__expr_as_column(items[i])->name, 0, NULL, 0) == 0)
            pt__list_push(a->arena, list, items[i]);
    }
    regfree(&regex);
    return status;
}

static pt_status push_item(pt__analyzer *a, pt__scope *scope, const pt_expr *item, expr_list *list, pt_error *err)
{
    if (item->kind == PT_EXPR_COLUMN_REGEX)
        return push_regex(a, scope, pt__expr_as_column_regex(item), list, err);
    if (item->kind == PT_EXPR_STAR) {
        const pt_expr *const *items;
        size_t count;
        PT_TRY(pt__expand_star(a, scope, pt__expr_as_star(item), &items, &count, err));
        for (size_t i = 0; i < count; i++)
            pt__list_push(a->arena, list, items[i]);
        return PT_OK;
    }
    scope->select_items = list->items;
    scope->select_count = list->count;
    const pt_expr *analyzed;
    PT_TRY(pt__analyze_expr(a, scope, item, &analyzed, err));
    /* r.b written as a name is called b; as getField("b") of r it is called r.b. */
    if (item->kind == PT_EXPR_EXTRACT && analyzed->kind == PT_EXPR_FIELD)
        analyzed = pt__automatic_alias(a, analyzed);
    pt__list_push(a->arena, list, analyzed);
    return PT_OK;
}

pt_status pt__analyze_list(pt__analyzer *a, pt__scope *scope, const pt_expr *const *expressions, size_t count,
                           const pt_expr *const **out, size_t *out_count, pt_error *err)
{
    expr_list list = {0};
    for (size_t i = 0; i < count; i++)
        PT_TRY(push_item(a, scope, expressions[i], &list, err));
    scope->select_items = NULL;
    scope->select_count = 0;
    *out = list.items;
    *out_count = list.count;
    return PT_OK;
}
