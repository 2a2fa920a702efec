/* DataFrame.stat and friends: describe, summary, crosstab, corr, cov, approxQuantile, freqItems, sampleBy. */
#include "analyze/build.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- describe and summary ---- */

static bool has_statistics(const pt_type *type)
{
    return pt__type_is_numeric(type) || pt__type_is_string(type);
}

static pt_status chosen_columns(pt__analyzer *a, const pt_plan_statistics *node, const pt_plan *input,
                                const pt_column ***out, size_t *count, pt_error *err)
{
    pt__list(const pt_column *) list = {0};
    for (size_t i = 0; i < node->name_count; i++) {
        int index = pt__find_column(a, input, node->names[i]);
        if (index < 0) {
            pt__scope scope = pt__scope_of(a, &input, 1);
            pt_name name = pt__name_one(a->arena, node->names[i]);
            return pt__unresolved_column(a, &scope, &name, node->base.origin, err);
        }
        if (has_statistics(input->columns[index].type))
            pt__list_push(a->arena, &list, &input->columns[index]);
    }
    for (size_t i = 0; node->name_count == 0 && i < input->column_count; i++) {
        if (!input->columns[i].is_hidden && has_statistics(input->columns[i].type))
            pt__list_push(a->arena, &list, &input->columns[i]);
    }
    *out = list.items;
    *count = list.count;
    return PT_OK;
}

static const pt_expr *statistic(pt__build *b, const pt_column *column, const char *name)
{
    pt__analyzer *a = b->a;
    const pt_expr *ref = pt__column_ref(a, column);
    const pt_expr *number = pt__type_is_string(column->type) ? pt__build_try_cast(b, ref, PT_T(DOUBLE)) : ref;
    const pt_expr *made = NULL;
    if (strcasecmp(name, "count") == 0)
        made = pt__build_call(b, "count", 1, ref);
    else if (strcasecmp(name, "count_distinct") == 0)
        made = pt__build_call(b, "count", 1, ref);
    else if (strcasecmp(name, "approx_count_distinct") == 0)
        made = pt__build_call(b, "approx_count_distinct", 1, ref);
    else if (strcasecmp(name, "mean") == 0)
        made = pt__build_call(b, "avg", 1, number);
    else if (strcasecmp(name, "stddev") == 0)
        made = pt__build_call(b, "stddev", 1, number);
    else if (strcasecmp(name, "min") == 0 || strcasecmp(name, "max") == 0)
        made = pt__build_call(b, name, 1, ref);
    else if (name[strlen(name) - 1] == '%')
        made = pt__build_call(b, "percentile_approx", 3, number, pt__expr_double(a->arena, strtod(name, NULL) / 100),
                              pt__expr_int(a->arena, 10000));
    else
        b->status = pt_error_set(b->err, PT_INVALID_ARGUMENT, "%s is no statistic", name);
    if (b->status == PT_OK && made != NULL && strcasecmp(name, "count_distinct") == 0)
        ((pt_expr_call *)made)->is_distinct = true;
    return made;
}

/* One row of all statistics, turned into a row for each. */
static pt_status statistics_rows(pt__analyzer *a, const pt_plan_statistics *node, const pt_plan *input,
                                 const pt_column *const *columns, size_t column_count, const char *const *names,
                                 size_t name_count, const pt_plan **out, pt_error *err)
{
    pt__build b = {a, PT_OK, err};
    const pt_expr **all = pt__arena_array(a->arena, const pt_expr *, column_count *name_count + 1);
    for (size_t s = 0; s < name_count; s++) {
        for (size_t c = 0; c < column_count; c++)
            all[s * column_count + c] =
                pt__build_alias(&b, pt__build_cast(&b, statistic(&b, columns[c], names[s]), PT_T(STRING)), "statistic");
    }
    PT_TRY(b.status);
    const pt_plan *one;
    PT_TRY(pt__aggregate(a, input, NULL, 0, NULL, 0, all, column_count * name_count, NULL, &one, err));
    const pt_expr **rows = pt__arena_array(a->arena, const pt_expr *, name_count + 1);
    for (size_t s = 0; s < name_count; s++) {
        const pt_expr **fields = pt__arena_array(a->arena, const pt_expr *, 2 * (column_count + 1));
        fields[0] = pt__expr_string(a->arena, "summary");
        fields[1] = pt__expr_string(a->arena, names[s]);
        for (size_t c = 0; c < column_count; c++) {
            fields[2 * c + 2] = pt__expr_string(a->arena, pt__arena_printf(a->arena, "c%zu", c));
            fields[2 * c + 3] = pt__column_ref(a, &one->columns[s * column_count + c]);
        }
        rows[s] = pt__build_call_list(&b, "named_struct", fields, 2 * (column_count + 1));
    }
    const pt_expr *exploded = pt__build_call(&b, "explode", 1, pt__build_call_list(&b, "array", rows, name_count));
    PT_TRY(b.status);
    const pt_plan *many;
    PT_TRY(pt__select(a, one, &exploded, 1, NULL, &many, err));
    const pt_expr *row = pt__column_ref(a, &many->columns[0]);
    const pt_expr **outputs = pt__arena_array(a->arena, const pt_expr *, column_count + 1);
    outputs[0] = pt__build_alias(&b, pt__build_field(&b, row, "summary"), "summary");
    for (size_t c = 0; c < column_count; c++)
        outputs[c + 1] =
            pt__build_alias(&b, pt__build_field(&b, row, pt__arena_printf(a->arena, "c%zu", c)), columns[c]->name);
    PT_TRY(b.status);
    pt_plan_project *project = (pt_plan_project *)pt__project(a, many, outputs, column_count + 1, &node->base);
    for (size_t c = 0; c <= column_count; c++)
        ((pt_column *)project->base.columns)[c].nullable = true;
    *out = &project->base;
    return PT_OK;
}

static pt_status describe(pt__analyzer *a, const pt_plan_statistics *node, const pt_plan *input, const pt_plan **out,
                          pt_error *err)
{
    static const char *const DESCRIBE[] = {"count", "mean", "stddev", "min", "max"};
    static const char *const SUMMARY[] = {"count", "mean", "stddev", "min", "25%", "50%", "75%", "max"};
    const pt_column **columns = NULL;
    size_t count = 0;
    PT_TRY(chosen_columns(a, node, input, &columns, &count, err));
    if (node->statistics_kind == PT_STATISTICS_DESCRIBE)
        return statistics_rows(a, node, input, columns, count, DESCRIBE, 5, out, err);
    if (node->statistic_count == 0)
        return statistics_rows(a, node, input, columns, count, SUMMARY, 8, out, err);
    return statistics_rows(a, node, input, columns, count, node->statistics, node->statistic_count, out, err);
}

/* ---- two columns ---- */

static pt_status named_column(pt__analyzer *a, const pt_plan_statistics *node, const pt_plan *input, size_t index,
                              const pt_expr **out, pt_error *err)
{
    pt__scope scope = pt__scope_of(a, &input, 1);
    return pt__analyze_expr(a, &scope, pt__expr_attribute(a->arena, node->names[index], node->base.origin), out, err);
}

static pt_status one_number(pt__analyzer *a, const pt_plan_statistics *node, const pt_plan *input, const char *function,
                            const char *name, const pt_plan **out, pt_error *err)
{
    const pt_expr *x;
    const pt_expr *y;
    PT_TRY(named_column(a, node, input, 0, &x, err));
    PT_TRY(named_column(a, node, input, 1, &y, err));
    pt__build b = {a, PT_OK, err};
    const pt_expr *number =
        pt__build_call(&b, function, 2, pt__build_cast(&b, x, PT_T(DOUBLE)), pt__build_cast(&b, y, PT_T(DOUBLE)));
    const pt_expr *output = pt__build_alias(&b, number, name);
    PT_TRY(b.status);
    return pt__aggregate(a, input, NULL, 0, NULL, 0, &output, 1, &node->base, out, err);
}

static pt_status crosstab(pt__analyzer *a, const pt_plan_statistics *node, const pt_plan **out, pt_error *err)
{
    const char *name = pt__arena_printf(a->arena, "%s_%s", node->names[0], node->names[1]);
    pt__arena *arena = a->arena;
    const pt_expr *row = pt__expr_call(
        arena, NULL, "coalesce", 2,
        pt__expr_cast(arena, pt__expr_attribute(arena, node->names[0], NULL), PT_T(STRING), PT_CAST_DEFAULT),
        pt__expr_string(arena, "null"));
    const pt_expr *column = pt__expr_call(
        arena, NULL, "coalesce", 2,
        pt__expr_cast(arena, pt__expr_attribute(arena, node->names[1], NULL), PT_T(STRING), PT_CAST_DEFAULT),
        pt__expr_string(arena, "null"));
    pt_plan_aggregate *pivot = pt__plan_make(arena, AGGREGATE, aggregate, node->base.origin);
    const pt_expr **grouping = pt__arena_array(arena, const pt_expr *, 1);
    const pt_expr **aggregates = pt__arena_array(arena, const pt_expr *, 1);
    grouping[0] = pt__expr_alias(arena, row, name);
    aggregates[0] = pt__expr_call(arena, NULL, "count", 1, pt__expr_int(arena, 1));
    pivot->input = node->input;
    pivot->group_kind = PT_GROUP_PIVOT;
    pivot->grouping = grouping;
    pivot->grouping_count = 1;
    pivot->aggregates = aggregates;
    pivot->aggregate_count = 1;
    pivot->pivot_column = column;
    pivot->prepend_grouping = true;
    pt_plan_fill_na *filled = pt__plan_make(arena, FILL_NA, fill_na, node->base.origin);
    const pt_expr **zero = pt__arena_array(arena, const pt_expr *, 1);
    zero[0] = pt__expr_long(arena, 0);
    filled->base.plan_id = node->base.plan_id;
    filled->input = &pivot->base;
    filled->values = zero;
    filled->value_count = 1;
    return pt__analyze_plan(a, &filled->base, out, err);
}

/* ---- quantiles, frequent items, stratified samples ---- */

static const pt_expr *array_of_doubles(pt__build *b, const double *numbers, size_t count)
{
    const pt_expr **items = pt__arena_array(b->a->arena, const pt_expr *, count + 1);
    for (size_t i = 0; i < count; i++)
        items[i] = pt__expr_double(b->a->arena, numbers[i]);
    return pt__build_call_list(b, "array", items, count);
}

static pt_status approx_quantile(pt__analyzer *a, const pt_plan_statistics *node, const pt_plan *input,
                                 const pt_plan **out, pt_error *err)
{
    pt__build b = {a, PT_OK, err};
    const pt_expr **columns = pt__arena_array(a->arena, const pt_expr *, node->name_count + 1);
    double wanted = node->relative_error > 0 ? 1 / node->relative_error : 1e9;
    int32_t accuracy = wanted > 1e9 ? 1000000000 : (int32_t)wanted;
    for (size_t i = 0; i < node->name_count; i++) {
        const pt_expr *column;
        PT_TRY(named_column(a, node, input, i, &column, err));
        const pt_expr *quantiles =
            pt__build_call(&b, "percentile_approx", 3, pt__build_cast(&b, column, PT_T(DOUBLE)),
                           array_of_doubles(&b, node->numbers, node->number_count), pt__expr_int(a->arena, accuracy));
        const pt_type *list = pt__type_array(a->arena, PT_T(DOUBLE), false);
        columns[i] = pt__build_call(&b, "coalesce", 2, quantiles,
                                    pt__build_cast(&b, pt__build_call_list(&b, "array", NULL, 0), list));
    }
    const pt_expr *output =
        pt__build_alias(&b, pt__build_call_list(&b, "array", columns, node->name_count), "approx_quantile");
    PT_TRY(b.status);
    return pt__aggregate(a, input, NULL, 0, NULL, 0, &output, 1, &node->base, out, err);
}

/* Every value is a candidate: exact, so it holds whatever the support asks for. */
static pt_status frequent_items(pt__analyzer *a, const pt_plan_statistics *node, const pt_plan *input,
                                const pt_plan **out, pt_error *err)
{
    pt__build b = {a, PT_OK, err};
    const pt_expr **outputs = pt__arena_array(a->arena, const pt_expr *, node->name_count + 1);
    for (size_t i = 0; i < node->name_count; i++) {
        const pt_expr *column;
        PT_TRY(named_column(a, node, input, i, &column, err));
        outputs[i] = pt__build_alias(&b, pt__build_call(&b, "collect_set", 1, column),
                                     pt__arena_printf(a->arena, "%s_freqItems", node->names[i]));
    }
    PT_TRY(b.status);
    return pt__aggregate(a, input, NULL, 0, NULL, 0, outputs, node->name_count, &node->base, out, err);
}

static pt_status sample_by(pt__analyzer *a, const pt_plan_statistics *node, const pt_plan *input, const pt_plan **out,
                           pt_error *err)
{
    pt__scope scope = pt__scope_of(a, &input, 1);
    pt__build b = {a, PT_OK, err};
    const pt_expr *column;
    PT_TRY(pt__analyze_expr(a, &scope, node->column, &column, err));
    const pt_expr **when = pt__arena_array(a->arena, const pt_expr *, 2 * node->number_count + 1);
    for (size_t i = 0; i < node->number_count; i++) {
        when[2 * i] = pt__build_call(&b, "<=>", 2, column, pt__strip_alias(node->strata[i]));
        when[2 * i + 1] = pt__expr_double(a->arena, node->numbers[i]);
    }
    when[2 * node->number_count] = pt__expr_double(a->arena, 0);
    const pt_expr *fraction = pt__build_call_list(&b, "when", when, 2 * node->number_count + 1);
    const pt_expr *random = pt__build_call(&b, "rand", 1, pt__expr_long(a->arena, node->seed));
    const pt_expr *condition = pt__build_call(&b, "<", 2, random, fraction);
    PT_TRY(b.status);
    *out = pt__filter(a, input, condition, &node->base);
    return PT_OK;
}

PT_ANALYZE_KIND(statistics)
{
    if (node->statistics_kind == PT_STATISTICS_CROSSTAB)
        return crosstab(a, node, out, err);
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    switch (node->statistics_kind) {
    case PT_STATISTICS_DESCRIBE:
    case PT_STATISTICS_SUMMARY: return describe(a, node, input, out, err);
    case PT_STATISTICS_COVARIANCE: return one_number(a, node, input, "covar_samp", "cov", out, err);
    case PT_STATISTICS_CORRELATION: return one_number(a, node, input, "corr", "corr", out, err);
    case PT_STATISTICS_APPROX_QUANTILE: return approx_quantile(a, node, input, out, err);
    case PT_STATISTICS_FREQUENT_ITEMS: return frequent_items(a, node, input, out, err);
    case PT_STATISTICS_SAMPLE_BY: return sample_by(a, node, input, out, err);
    case PT_STATISTICS_CROSSTAB: break;
    }
    return PT_OK;
}
