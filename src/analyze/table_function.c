/* Functions in FROM: range, generators, and table functions of the session. */
#include "analyze/build.h"
#include "analyze/constant.h"

#include <strings.h>

static pt_status fail_arguments(pt__analyzer *a, const pt_plan_table_function *node, const char *expected,
                                pt_error *err)
{
    pt_status status =
        pt__raise(err, PT_COND_WRONG_NUM_ARGS, "functionName", pt__quote_name(a->arena, &node->name), "expectedNum",
                  expected, "actualNum", pt__arena_printf(a->arena, "%zu", node->argument_count), "docroot",
                  "https://spark.apache.org/docs/latest", NULL);
    return pt__analyzer_fail(status, node->base.origin, err);
}

static const pt_expr *plain_argument(const pt_expr *argument)
{
    return argument->kind == PT_EXPR_NAMED_ARGUMENT ? pt__expr_as_named_argument(argument)->value : argument;
}

/* range(end), range(start, end[, step[, partitions]]) */
static pt_status range_function(pt__analyzer *a, const pt_plan_table_function *node, const pt_plan **out, pt_error *err)
{
    enum { MOST_ARGUMENTS = 4 };
    int64_t numbers[MOST_ARGUMENTS] = {0};
    if (node->argument_count < 1 || node->argument_count > MOST_ARGUMENTS)
        return fail_arguments(a, node, "[1, 2, 3, 4]", err);
    pt__scope scope = pt__scope_of(a, NULL, 0);
    for (size_t i = 0; i < node->argument_count; i++) {
        const pt_expr *argument;
        PT_TRY(pt__analyze_expr(a, &scope, plain_argument(node->arguments[i]), &argument, err));
        if (!pt__constant_integer(argument, &numbers[i]))
            return pt__analyzer_fail(pt__raise(err, PT_COND_UNEXPECTED_INPUT_TYPE, "functionName", "`range`",
                                               "paramIndex", pt__arena_printf(a->arena, "%zu", i + 1), "requiredType",
                                               "\"BIGINT\"", "inputSql", pt__quote_expr(a->arena, argument),
                                               "inputType", pt__quote_type(a->arena, argument->type), NULL),
                                     node->base.origin, err);
    }
    pt_plan_range *range = pt__plan_make(a->arena, RANGE, range, node->base.origin);
    pt__inherit(&range->base, &node->base);
    range->start = node->argument_count == 1 ? 0 : numbers[0];
    range->end = node->argument_count == 1 ? numbers[0] : numbers[1];
    range->step = node->argument_count > 2 ? numbers[2] : 1;
    if (range->step == 0)
        return pt_error_set(err, PT_ANALYSIS, "the step of range cannot be 0");
    return pt__analyze_range(a, range, out, err);
}

static pt_status generator_function(pt__analyzer *a, const pt_plan_table_function *node, const pt_plan **out,
                                    pt_error *err)
{
    const pt_expr *call =
        pt__expr_call_list(a->arena, node->base.origin, node->name.parts[0], node->arguments, node->argument_count);
    pt__scope scope = pt__scope_of(a, NULL, 0);
    const pt_expr *generator;
    PT_TRY(pt__analyze_expr(a, &scope, call, &generator, err));
    return pt__select(a, NULL, &generator, 1, &node->base, out, err);
}

static pt_status session_function(pt__analyzer *a, const pt_plan_table_function *node,
                                  const pt__user_function *function, const pt_plan **out, pt_error *err)
{
    if (node->argument_count > function->parameter_count)
        return fail_arguments(a, node, pt__arena_printf(a->arena, "%zu", function->parameter_count), err);
    /* The body sees its parameters as columns of a row beside it. */
    const pt_expr **list = pt__arena_array(a->arena, const pt_expr *, function->parameter_count + 1);
    pt__scope scope = pt__scope_of(a, NULL, 0);
    for (size_t i = 0; i < function->parameter_count; i++) {
        const pt_expr *value = i < node->argument_count     ? plain_argument(node->arguments[i])
                               : function->defaults != NULL ? function->defaults[i]
                                                            : NULL;
        if (value == NULL)
            return fail_arguments(a, node, pt__arena_printf(a->arena, "%zu", function->parameter_count), err);
        value = pt__expr_cast(a->arena, value, function->parameters[i].type, PT_CAST_DEFAULT);
        PT_TRY(
            pt__analyze_expr(a, &scope, pt__expr_alias(a->arena, value, function->parameters[i].name), &list[i], err));
    }
    const pt_plan *row = pt__project(a, NULL, list, function->parameter_count, NULL);
    pt_plan_join *join = pt__plan_make(a->arena, JOIN, join, node->base.origin);
    join->left = row;
    join->join_kind = PT_JOIN_INNER;
    join->is_lateral = true;
    pt__scope inner = pt__scope_of(a, &row, 1);
    pt__scope *enclosing = a->query_scope;
    a->query_scope = &inner;
    pt_status status = pt__analyze_plan(a, function->table_body, &join->right, err);
    a->query_scope = enclosing;
    PT_TRY(status);
    pt__pass_columns(&join->base, join->right);
    size_t count;
    const pt_expr *const *refs = pt__visible_refs(a, join->right, &count);
    pt_column *columns = pt__arena_array(a->arena, pt_column, row->column_count + join->right->column_count + 1);
    for (size_t i = 0; i < row->column_count + join->right->column_count; i++)
        columns[i] = i < row->column_count ? row->columns[i] : join->right->columns[i - row->column_count];
    join->base.columns = columns;
    join->base.column_count = row->column_count + join->right->column_count;
    *out = pt__project(a, &join->base, refs, count, &node->base);
    return PT_OK;
}

PT_ANALYZE_KIND(table_function)
{
    if (node->name.count == 1 && strcasecmp(node->name.parts[0], "range") == 0)
        return range_function(a, node, out, err);
    const pt__user_function *function = NULL;
    pt_status status = a->catalog->vtable->find_function(a->catalog, a->arena, &node->name, &function, err);
    if (status == PT_OK && function->table_body != NULL)
        return session_function(a, node, function, out, err);
    if (status != PT_OK && status != PT_NOT_FOUND)
        return status;
    size_t count;
    const pt__function *row = node->name.count == 1 ? pt__function_find(node->name.parts[0], &count) : NULL;
    if (row != NULL && row->kind == PT_FUNCTION_GENERATOR)
        return generator_function(a, node, out, err);
    status =
        pt__raise(err, PT_COND_UNRESOLVABLE_TABLE_VALUED_FUNCTION, "name", pt__quote_name(a->arena, &node->name), NULL);
    return pt__analyzer_fail(status, node->base.origin, err);
}
