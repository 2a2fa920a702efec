/* Select lists: plain, with aggregates, with generators; and what ORDER BY and HAVING see of them. */
#include "analyze/aggregate.h"
#include "analyze/time_window.h"

#include <string.h>
#include <strings.h>

/* ---- names before taking apart ---- */

/* Gives an output expression the name that Spark would, so that rewriting does not change it. */
static const pt_expr *named(pt__analyzer *a, const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_ALIAS || (expr->kind == PT_EXPR_COLUMN && !pt__expr_as_column(expr)->is_outer))
        return expr;
    const pt_column *column = pt__output_columns(a, &expr, 1);
    pt_expr_alias *alias = pt__typed_alias(a, expr, column->name);
    alias->metadata = column->metadata;
    alias->base.origin = expr->origin;
    return &alias->base;
}

/* ---- aggregates ---- */

pt_status pt__aggregate(pt__analyzer *a, const pt_plan *input, const pt_expr *const *grouping, size_t grouping_count,
                        const pt_grouping_set *sets, size_t set_count, const pt_expr *const *outputs,
                        size_t output_count, const pt_plan *plan, const pt_plan **out, pt_error *err)
{
    pt__aggregation g;
    pt__aggregation_init(&g, a, input, grouping, grouping_count, sets, set_count);
    const pt_expr **rewritten = pt__arena_array(a->arena, const pt_expr *, output_count + 1);
    for (size_t i = 0; i < output_count; i++) {
        if (pt__contains_generator(outputs[i]))
            return pt_error_set(err, PT_UNSUPPORTED, "generators next to aggregates are not supported");
        PT_TRY(pt__aggregation_rewrite(&g, named(a, outputs[i]), &rewritten[i], err));
    }
    *out = pt__project(a, pt__aggregation_finish(&g), rewritten, output_count, plan);
    return PT_OK;
}

static bool any_aggregate(const pt_expr *const *expressions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (pt__contains_aggregate(expressions[i]))
            return true;
    }
    return false;
}

/* ---- generators ---- */

static const pt_expr_call *generator_of(const pt_expr *item)
{
    const pt_expr *child = pt__strip_alias(item);
    return pt__is_generator_call(child) ? pt__expr_as_call(child) : NULL;
}

static pt_status check_generators(pt__analyzer *a, const pt_expr *const *expressions, size_t count, pt_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (generator_of(expressions[i]) != NULL || !pt__contains_generator(expressions[i]))
            continue;
        pt_status status = pt__raise(err, PT_COND_UNSUPPORTED_GENERATOR_NESTED, "expression",
                                     pt__quote_expr(a->arena, expressions[i]), NULL);
        return pt__analyzer_fail(status, expressions[i]->origin, err);
    }
    return PT_OK;
}

static const pt_plan *make_generate(pt__analyzer *a, const pt_plan *input, const pt_expr_call *call,
                                    const char *const *names, size_t name_count, pt_name qualifier, bool is_outer,
                                    const pt_plan *plan)
{
    pt_plan_generate *node = pt__plan_make(a->arena, GENERATE, generate, NULL);
    pt__inherit(&node->base, plan);
    size_t kept = input == NULL ? 0 : input->column_count;
    const pt_type *made = call->base.type;
    pt_column *columns = pt__arena_array(a->arena, pt_column, kept + made->field_count + 1);
    if (kept != 0)
        memcpy(columns, input->columns, kept * sizeof(*columns));
    for (size_t i = 0; i < made->field_count; i++) {
        const pt_field *f = &made->fields[i];
        columns[kept + i] = pt__new_column(a, i < name_count ? names[i] : f->name, f->type, f->nullable || is_outer);
        columns[kept + i].qualifier = qualifier;
    }
    node->input = input;
    node->generator = &call->base;
    node->is_outer = is_outer || strstr(call->function->name, "_outer") != NULL;
    node->base.columns = columns;
    node->base.column_count = kept + made->field_count;
    return &node->base;
}

static pt_status check_alias_count(pt__analyzer *a, size_t names, const pt_expr_call *call, pt_error *err)
{
    if (names == 0 || names == call->base.type->field_count)
        return PT_OK;
    pt_status status = pt__raise(err, PT_COND_UDTF_ALIAS_NUMBER_MISMATCH, "aliasesSize",
                                 pt__arena_printf(a->arena, "%zu", call->base.type->field_count), "aliasesNames",
                                 pt__arena_printf(a->arena, "%zu", names), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

/* Aggregates below the generator are computed first. */
static pt_status aggregate_first(pt__analyzer *a, const pt_plan **input, const pt_expr **items, size_t count,
                                 pt_error *err)
{
    pt__aggregation g;
    pt__aggregation_init(&g, a, *input, NULL, 0, NULL, 0);
    for (size_t i = 0; i < count; i++)
        PT_TRY(pt__aggregation_rewrite(&g, named(a, items[i]), &items[i], err));
    *input = pt__aggregation_finish(&g);
    return PT_OK;
}

static pt_status select_generator(pt__analyzer *a, const pt_plan *input, const pt_expr *const *expressions,
                                  size_t count, const pt_plan *plan, const pt_plan **out, pt_error *err)
{
    PT_TRY(check_generators(a, expressions, count, err));
    const pt_expr **items = pt__arena_array(a->arena, const pt_expr *, count + 1);
    for (size_t i = 0; i < count; i++)
        items[i] = expressions[i];
    if (any_aggregate(expressions, count))
        PT_TRY(aggregate_first(a, &input, items, count, err));
    pt__list(const pt_expr *) list = {0};
    const pt_plan *generate = input; /* each generator runs over the rows of those before it */
    for (size_t i = 0; i < count; i++) {
        const pt_expr_call *call = generator_of(items[i]);
        if (call == NULL) {
            pt__list_push(a->arena, &list, items[i]);
            continue;
        }
        const pt_expr_alias *alias = items[i]->kind == PT_EXPR_ALIAS ? pt__expr_as_alias(items[i]) : NULL;
        if (alias != NULL && alias->metadata != NULL && strstr(alias->metadata, "__autoGeneratedAlias") != NULL)
            alias = NULL;
        PT_TRY(check_alias_count(a, alias == NULL ? 0 : alias->name_count, call, err));
        generate = make_generate(a, generate, call, alias == NULL ? NULL : alias->names,
                                 alias == NULL ? 0 : alias->name_count, (pt_name){0}, false, NULL);
        for (size_t k = generate->column_count - call->base.type->field_count; k < generate->column_count; k++)
            pt__list_push(a->arena, &list, pt__column_ref(a, &generate->columns[k]));
    }
    *out = pt__project(a, generate, list.items, list.count, plan);
    return PT_OK;
}

PT_ANALYZE_KIND(generate)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    pt__scope scope = pt__scope_of(a, &input, 1);
    const pt_expr *generator;
    PT_TRY(pt__analyze_expr(a, &scope, node->generator, &generator, err));
    if (!pt__is_generator_call(generator)) {
        pt_status status = pt__raise(err, PT_COND_UNSUPPORTED_GENERATOR_NOT_GENERATOR, "functionName",
                                     pt__quote_expr(a->arena, generator), "classCanonicalName", "", NULL);
        return pt__analyzer_fail(status, node->generator->origin, err);
    }
    const pt_expr_call *call = pt__expr_as_call(generator);
    PT_TRY(check_alias_count(a, node->column_name_count, call, err));
    pt_name qualifier = node->table_alias == NULL ? (pt_name){0} : pt__name_one(a->arena, node->table_alias);
    *out = make_generate(a, input, call, node->column_names, node->column_name_count, qualifier, node->is_outer,
                         &node->base);
    return PT_OK;
}

pt_status pt__select(pt__analyzer *a, const pt_plan *input, const pt_expr *const *expressions, size_t count,
                     const pt_plan *plan, const pt_plan **out, pt_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (pt__contains_generator(expressions[i]))
            return select_generator(a, input, expressions, count, plan, out, err);
    }
    if (any_aggregate(expressions, count))
        return pt__aggregate(a, input, NULL, 0, NULL, 0, expressions, count, plan, out, err);
    *out = pt__project(a, input, expressions, count, plan);
    return PT_OK;
}

/* ---- GROUP BY ---- */

/* An item of GROUP BY: an ordinal, an alias of the select list, or an expression over the input. */
static pt_status analyze_group_item(pt__analyzer *a, pt__scope *scope, const pt_plan_aggregate *node,
                                    const pt_expr *item, const pt_expr **out, pt_error *err)
{
    if (item->kind == PT_EXPR_LITERAL && item->type->id == PT_TYPE_INT && !node->prepend_grouping &&
        !pt__expr_as_literal(item)->value.is_null) {
        int64_t position = pt__expr_as_literal(item)->value.as.integer;
        if (position < 1 || position > (int64_t)node->aggregate_count)
            return pt__analyzer_fail(pt__raise(err, PT_COND_GROUP_BY_POS_OUT_OF_RANGE, "index",
                                               pt__arena_printf(a->arena, "%lld", (long long)position), "size",
                                               pt__arena_printf(a->arena, "%zu", node->aggregate_count), NULL),
                                     item->origin, err);
        return pt__analyze_expr(a, scope, pt__strip_alias(node->aggregates[position - 1]), out, err);
    }
    pt_error first = PT_ERROR_INIT;
    pt_status status = pt__analyze_expr(a, scope, item, out, &first);
    if (status != PT_OK && item->kind == PT_EXPR_ATTRIBUTE && pt__expr_as_attribute(item)->name.count == 1) {
        const char *name = pt__expr_as_attribute(item)->name.parts[0];
        for (size_t i = 0; i < node->aggregate_count; i++) {
            const pt_expr *output = node->aggregates[i];
            if (output->kind != PT_EXPR_ALIAS || !pt__same_name(a, pt__expr_as_alias(output)->names[0], name))
                continue;
            pt_error_clear(&first);
            return pt__analyze_expr(a, scope, pt__expr_as_alias(output)->child, out, err);
        }
    }
    if (status != PT_OK && err != NULL)
        pt_error_move(err, &first);
    pt_error_clear(&first);
    return status;
}

static pt_status check_group_item(pt__analyzer *a, const pt_expr *item, pt_error *err)
{
    if (!pt__contains_aggregate(item))
        return PT_OK;
    return pt__analyzer_fail(
        pt__raise(err, PT_COND_GROUP_BY_AGGREGATE, "sqlExpr", pt__quote_expr(a->arena, item), NULL), item->origin, err);
}

/* GROUP BY ALL: the outputs without aggregates. */
static void group_by_all(pt__analyzer *a, const pt_expr *const *outputs, size_t count, const pt_expr *const **grouping,
                         size_t *grouping_count)
{
    pt__list(const pt_expr *) list = {0};
    for (size_t i = 0; i < count; i++) {
        if (!pt__contains_aggregate(outputs[i]))
            pt__list_push(a->arena, &list, pt__strip_alias(outputs[i]));
    }
    *grouping = list.items;
    *grouping_count = list.count;
}

/* The sets that ROLLUP and CUBE stand for. */
static void make_sets(pt__analyzer *a, pt_group_kind kind, size_t count, const pt_grouping_set **sets,
                      size_t *set_count)
{
    *set_count = kind == PT_GROUP_ROLLUP ? count + 1 : (size_t)1 << count;
    pt_grouping_set *made = pt__arena_array(a->arena, pt_grouping_set, *set_count);
    for (size_t s = 0; s < *set_count; s++) {
        uint32_t *members = pt__arena_array(a->arena, uint32_t, count + 1);
        for (size_t i = 0; i < count; i++) {
            bool inside = kind == PT_GROUP_ROLLUP ? i < count - s : ((s >> (count - 1 - i)) & 1) == 0;
            if (inside)
                members[made[s].count++] = (uint32_t)i;
        }
        made[s].members = members;
    }
    *sets = made;
}

static pt_status check_set_size(pt_group_kind kind, size_t count, pt_error *err)
{
    enum { MOST_CUBE_COLUMNS = 12, MOST_GROUPING_COLUMNS = 64 };
    if ((kind == PT_GROUP_CUBE && count > MOST_CUBE_COLUMNS) ||
        (kind == PT_GROUP_ROLLUP && count > MOST_GROUPING_COLUMNS))
        return pt_error_set(err, PT_LIMIT, "grouping sets over %zu columns are not supported", count);
    return PT_OK;
}

/* Output expressions, the grouping columns put before them for DataFrames. */
static const pt_expr *const *with_grouping(pt__analyzer *a, const pt_expr *const *grouping, const pt_expr *const *shown,
                                           size_t grouping_count, const pt_expr *const *outputs, size_t *count)
{
    (void)grouping;
    const pt_expr **all = pt__arena_array(a->arena, const pt_expr *, grouping_count + *count + 1);
    if (grouping_count != 0)
        memcpy(all, shown, grouping_count * sizeof(*all));
    if (*count != 0)
        memcpy(all + grouping_count, outputs, *count * sizeof(*all));
    *count += grouping_count;
    return all;
}

PT_ANALYZE_KIND(aggregate)
{
    if (node->group_kind == PT_GROUP_PIVOT)
        return pt__analyze_dataframe_pivot(a, node, out, err);
    const pt_plan *input = NULL;
    if (node->input != NULL)
        PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    pt__expr_list lists[] = {{node->grouping, node->grouping_count}, {node->aggregates, node->aggregate_count}};
    PT_TRY(pt__take_time_windows(a, &input, lists, 2, err));
    pt__scope scope = pt__scope_of(a, &input, input != NULL);
    const pt_expr **grouping = pt__arena_array(a->arena, const pt_expr *, node->grouping_count + 1);
    for (size_t i = 0; i < node->grouping_count; i++) {
        PT_TRY(analyze_group_item(a, &scope, node, lists[0].items[i], &grouping[i], err));
        PT_TRY(check_group_item(a, grouping[i], err));
    }
    const pt_expr *const *outputs;
    size_t output_count;
    PT_TRY(pt__analyze_list(a, &scope, lists[1].items, lists[1].count, &outputs, &output_count, err));
    const pt_expr *const *groups = grouping;
    size_t group_count = node->grouping_count;
    if (node->group_kind == PT_GROUP_ALL)
        group_by_all(a, outputs, output_count, &groups, &group_count);
    const pt_grouping_set *sets = node->sets;
    size_t set_count = node->set_count;
    PT_TRY(check_set_size(node->group_kind, group_count, err));
    if (node->group_kind == PT_GROUP_ROLLUP || node->group_kind == PT_GROUP_CUBE)
        make_sets(a, node->group_kind, group_count, &sets, &set_count);
    if (node->prepend_grouping)
        outputs = with_grouping(a, groups, groups, group_count, outputs, &output_count);
    return pt__aggregate(a, input, groups, group_count, sets, set_count, outputs, output_count, &node->base, out, err);
}

/* ---- what stands above a select list ---- */

typedef struct substitution {
    pt__analyzer *a;
    pt__scope *scope; /* of the select's output */
    const pt_plan_project *project;
} substitution;

static bool is_aggregate_name(const pt_expr *expr)
{
    if (expr->kind != PT_EXPR_CALL || pt__expr_as_call(expr)->name.count != 1)
        return false;
    size_t count;
    const pt__function *row = pt__function_find(pt__expr_as_call(expr)->name.parts[0], &count);
    return row != NULL && row->kind == PT_FUNCTION_AGGREGATE;
}

/* What computes the select's output column of that id. */
static const pt_expr *computed_by(const pt_plan_project *project, uint32_t id)
{
    for (size_t i = 0; i < project->base.column_count; i++) {
        if (project->base.columns[i].id == id)
            return pt__strip_alias(project->expressions[i]);
    }
    return NULL;
}

static const pt_expr *inline_output(void *context, const pt_expr *expr)
{
    const substitution *s = context;
    if (expr->kind == PT_EXPR_COLUMN && !pt__expr_as_column(expr)->is_outer) {
        const pt_expr *computed = computed_by(s->project, pt__expr_as_column(expr)->id);
        return computed == NULL ? expr : computed;
    }
    return pt__expr_map_children(s->a->arena, expr, inline_output, context);
}

/* Names that the select's output has are taken from there, but not inside aggregates: those run over its input. */
static const pt_expr *take_outputs(void *context, const pt_expr *expr)
{
    substitution *s = context;
    if (expr->kind == PT_EXPR_WINDOW || is_aggregate_name(expr) || expr->kind == PT_EXPR_SUBQUERY || expr->type != NULL)
        return expr;
    if (expr->kind == PT_EXPR_ATTRIBUTE || expr->kind == PT_EXPR_ORDINAL) {
        const pt_expr *found;
        pt_error ignored = PT_ERROR_INIT;
        pt_status status = expr->kind == PT_EXPR_ORDINAL
                               ? pt__resolve_ordinal(s->a, s->scope, pt__expr_as_ordinal(expr), &found, &ignored)
                               : pt__resolve_attribute(s->a, s->scope, pt__expr_as_attribute(expr), &found, &ignored);
        pt_error_clear(&ignored);
        return status == PT_OK ? inline_output(context, found) : expr;
    }
    return pt__expr_map_children(s->a->arena, expr, take_outputs, context);
}

/* The aggregate below the select, through the filter that HAVING made; NULL: none. */
static const pt_plan_aggregate *aggregate_below(const pt_plan_project *project)
{
    const pt_plan *below = project->input;
    while (below != NULL && below->kind == PT_PLAN_FILTER)
        below = pt__plan_as_filter(below)->input;
    return below != NULL && below->kind == PT_PLAN_AGGREGATE ? pt__plan_as_aggregate(below) : NULL;
}

static const pt_plan *replace_below(pt__analyzer *a, const pt_plan *plan, const pt_plan *bottom)
{
    if (plan->kind != PT_PLAN_FILTER)
        return bottom;
    const pt_plan_filter *filter = pt__plan_as_filter(plan);
    return pt__filter(a, replace_below(a, filter->input, bottom), filter->condition, plan);
}

/* One expression over the select's input (or its groups). */
static pt_status analyze_below(substitution *s, const pt_plan *below, pt__aggregation *g, const pt_expr *expr,
                               const pt_expr **out, pt_error *err)
{
    pt__analyzer *a = s->a;
    const pt_expr *child = expr->kind == PT_EXPR_SORT_ORDER ? pt__expr_as_sort_order(expr)->child : expr;
    const pt_expr *prepared = take_outputs(s, child);
    const pt_plan *source = g != NULL ? g->input : below;
    pt__scope scope = pt__scope_of(a, &source, source != NULL);
    PT_TRY(pt__analyze_expr(a, &scope, prepared, out, err));
    if (g != NULL)
        return pt__aggregation_rewrite(g, *out, out, err);
    if (pt__contains_aggregate(*out))
        return pt__analyzer_fail(pt__raise(err, PT_COND_MISSING_GROUP_BY, NULL), expr->origin, err);
    return PT_OK;
}

static const pt_expr *with_child(pt__analyzer *a, const pt_expr *expr, const pt_expr *child)
{
    if (expr->kind != PT_EXPR_SORT_ORDER)
        return child;
    pt_expr_sort_order *order = pt__expr_make(a->arena, SORT_ORDER, sort_order, expr->origin);
    *order = *pt__expr_as_sort_order(expr);
    order->child = child;
    order->base.type = child->type;
    order->base.nullable = child->nullable;
    return &order->base;
}

/* The select with the expressions computed beside its outputs. */
static pt_status extend_select(pt__analyzer *a, const pt_plan_project *project, const pt_expr *const *expressions,
                               size_t count, const pt_plan **out_plan, const pt_expr **out, pt_error *err)
{
    const pt_plan *select = &project->base;
    pt__scope outputs = pt__scope_of(a, &select, 1);
    outputs.outer = NULL;
    substitution s = {a, &outputs, project};
    const pt_plan_aggregate *aggregate = aggregate_below(project);
    pt__aggregation g;
    if (aggregate != NULL)
        pt__aggregation_resume(&g, a, aggregate);
    size_t width = project->expression_count;
    const pt_expr **all = pt__arena_array(a->arena, const pt_expr *, width + count + 1);
    for (size_t i = 0; i < width; i++)
        all[i] = project->expressions[i];
    for (size_t i = 0; i < count; i++) {
        const pt_expr *below;
        PT_TRY(analyze_below(&s, project->input, aggregate != NULL ? &g : NULL, expressions[i], &below, err));
        all[width + i] = &pt__typed_alias(a, below, "order")->base;
    }
    const pt_plan *input = project->input;
    if (aggregate != NULL)
        input = replace_below(a, input, pt__aggregation_finish(&g));
    pt_plan_project *extended = pt__plan_make(a->arena, PROJECT, project, select->origin);
    extended->base.plan_id = select->plan_id;
    extended->input = input;
    extended->expressions = all;
    extended->expression_count = width + count;
    pt_column *columns = pt__arena_array(a->arena, pt_column, width + count);
    for (size_t i = 0; i < width; i++)
        columns[i] = select->columns[i];
    for (size_t i = 0; i < count; i++) {
        columns[width + i] = pt__new_column(a, "order", all[width + i]->type, all[width + i]->nullable);
        columns[width + i].is_hidden = true;
        out[i] = with_child(a, expressions[i], pt__column_ref(a, &columns[width + i]));
    }
    extended->base.columns = columns;
    extended->base.column_count = width + count;
    *out_plan = &extended->base;
    return PT_OK;
}

/* Over the output alone; aggregates and windows are found, but belong beside the select list. */
static pt_status analyze_over_output(pt__analyzer *a, const pt_plan *select, const pt_expr *const *expressions,
                                     size_t count, const pt_expr **out, bool *needs_input, pt_error *err)
{
    pt__scope scope = pt__scope_of(a, &select, 1);
    for (size_t i = 0; i < count; i++) {
        PT_TRY(pt__analyze_expr(a, &scope, expressions[i], &out[i], err));
        *needs_input |= pt__contains_aggregate(out[i]) || pt__contains_window(out[i]);
    }
    return PT_OK;
}

static bool is_missing_name(const pt_error *err)
{
    return strncmp(err->condition, "UNRESOLVED_COLUMN", 17) == 0 ||
           strcmp(err->condition, "CANNOT_RESOLVE_DATAFRAME_COLUMN") == 0;
}

pt_status pt__analyze_over_select(pt__analyzer *a, const pt_plan *select, const pt_expr *const *expressions,
                                  size_t count, const pt_plan **out_plan, const pt_expr *const **out, pt_error *err)
{
    const pt_expr **analyzed = pt__arena_array(a->arena, const pt_expr *, count + 1);
    pt_error first = PT_ERROR_INIT;
    bool needs_input = false;
    *out = analyzed;
    *out_plan = select;
    pt_status status = analyze_over_output(a, select, expressions, count, analyzed, &needs_input, &first);
    bool look_below = (status == PT_OK ? needs_input : is_missing_name(&first)) && select->kind == PT_PLAN_PROJECT &&
                      pt__plan_as_project(select)->input != NULL;
    if (!look_below) {
        if (status != PT_OK && err != NULL)
            pt_error_move(err, &first);
        pt_error_clear(&first);
        return status;
    }
    pt_error second = PT_ERROR_INIT;
    pt_status below = extend_select(a, pt__plan_as_project(select), expressions, count, out_plan, analyzed, &second);
    if (below != PT_OK && err != NULL) /* a name found nowhere is reported against the output */
        pt_error_move(err, status != PT_OK && is_missing_name(&second) ? &first : &second);
    pt_error_clear(&first);
    pt_error_clear(&second);
    return below;
}

/* HAVING stands between the groups and the select list: windows of the list see only the groups that it keeps. */
pt_status pt__analyze_having(pt__analyzer *a, const pt_plan_project *project, const pt_plan_filter *node,
                             const pt_plan **out, pt_error *err)
{
    const pt_plan_aggregate *aggregate = aggregate_below(project);
    if (aggregate == NULL)
        return PT_NOT_FOUND;
    const pt_plan *select = &project->base;
    pt__scope outputs = pt__scope_of(a, &select, 1);
    outputs.outer = NULL;
    substitution s = {a, &outputs, project};
    pt__aggregation g;
    pt__aggregation_resume(&g, a, aggregate);
    const pt_expr *below;
    PT_TRY(analyze_below(&s, project->input, &g, node->condition, &below, err));
    pt__scope scope = pt__scope_of(a, NULL, 0);
    const pt_expr *condition;
    PT_TRY(pt__analyze_condition(a, &scope, below, "HAVING", &condition, err));
    const pt_plan *groups = replace_below(a, project->input, pt__aggregation_finish(&g));
    pt_plan_project *kept = pt__plan_make(a->arena, PROJECT, project, select->origin);
    *kept = *project;
    pt__inherit(&kept->base, &node->base);
    kept->input = pt__filter(a, groups, condition, &node->base);
    *out = &kept->base;
    return PT_OK;
}
