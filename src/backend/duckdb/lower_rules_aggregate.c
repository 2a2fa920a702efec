/* Aggregate and window functions of which a template cannot say all. */
#include "backend/duckdb/lower_rules.h"

#include <strings.h>

PT_LOWERING(sum)
{
    if (pt__type_is_integral(call->base.type) || pt__type_is_interval(call->base.type) || pt__gives_decimal(call)) {
        bool to_null = call->mode == PT_CAST_TRY || (call->mode == PT_CAST_LEGACY && pt__gives_decimal(call));
        if (pt__gives_decimal(call) &&
            call->base.type->precision == PT_DECIMAL_PRECISION_MAX) /* DuckDB goes to 39 digits */
            return pt__lower_by_template(lower,
                                         pt__arena_printf(lower->arena,
                                                          "spark_decimal_add_38_%d(sum({0}), 0::DECIMAL(1,0), %s)",
                                                          call->base.type->scale, to_null ? "true" : "false"),
                                         call, form, err);
        return pt__lower_by_template(lower, to_null ? "TRY_CAST(sum({0}) AS {r})" : "CAST(sum({0}) AS {r})", call, form,
                                     err);
    }
    return pt__lower_by_template(lower, "sum({0})", call, form, err);
}

/* The sum divided by the count, in decimals. */
PT_LOWERING(decimal_average)
{
    const pt_type *type = call->base.type;
    return pt__lower_by_template(
        lower,
        pt__arena_printf(lower->arena, "spark_decimal_divide_%d_%d(sum({0}), CAST(count({0}) AS DECIMAL(20,0)), %s)",
                         type->precision, type->scale, pt__fails_to_null(call) ? "true" : "false"),
        call, form, err);
}

/* count(1), count(*) and count(x) of what is never NULL count rows. */
static bool counts_rows(const pt_expr_call *call)
{
    if (call->is_distinct)
        return false;
    for (size_t i = 0; i < call->argument_count; i++) {
        if (call->arguments[i]->nullable)
            return false;
    }
    return true;
}

PT_LOWERING(count)
{
    if (counts_rows(call)) {
        size_t count = call->argument_count;
        pt_expr_call bare = *call;
        bare.argument_count = 0;
        (void)count;
        return pt__lower_by_template(lower, "count(*)", &bare, form, err);
    }
    if (call->argument_count == 1)
        return pt__lower_by_template(lower, "count({0})", call, form, err);
    size_t mark = lower->text.size_bytes;
    pt__put(lower, call->is_distinct ? "count(({*})) FILTER (WHERE " : "count(*) FILTER (WHERE ");
    pt__put_all_present(lower, call->argument_count);
    pt__put(lower, ")");
    return pt__lower_by_template(lower, pt__cut(lower, mark), call, form, err);
}

/* first, last, any_value and their _value forms; a second argument or IGNORE NULLS skips NULLs. */
PT_LOWERING(first)
{
    bool skips = call->ignore_nulls || (call->argument_count > 1 && pt__is_true_literal(call->arguments[1]));
    bool is_last = strncasecmp(call->function->name, "last", 4) == 0;
    pt__aggregate_form own = form == NULL ? (pt__aggregate_form){0} : *form;
    own.ignore_nulls = false;
    if (own.over != NULL) {
        own.ignore_nulls = skips;
        return pt__lower_by_template(lower, is_last ? "last_value({0})" : "first_value({0})", call, &own, err);
    }
    if (skips)
        return pt__lower_by_template(
            lower, is_last ? "last({0}) FILTER (WHERE {0} IS NOT NULL)" : "first({0}) FILTER (WHERE {0} IS NOT NULL)",
            call, &own, err);
    return pt__lower_by_template(lower, is_last ? "last({0})" : "first({0})", call, &own, err);
}

PT_LOWERING(lag)
{
    const char *name = pt__is_function(call, "lead") ? "lead" : "lag";
    const char *arguments = call->argument_count > 2   ? "{0}, {1}::BIGINT, {2}"
                            : call->argument_count > 1 ? "{0}, {1}::BIGINT"
                                                       : "{0}";
    return pt__lower_by_template(lower, pt__arena_printf(lower->arena, "%s(%s)", name, arguments), call, form, err);
}

PT_LOWERING(ntile)
{
    return pt__lower_by_template(lower, call->argument_count == 0 ? "CAST(ntile(1) AS {r})" : "CAST(ntile({0}) AS {r})",
                                 call, form, err);
}

PT_LOWERING(nth_value)
{
    pt__aggregate_form own = form == NULL ? (pt__aggregate_form){0} : *form;
    own.ignore_nulls = own.ignore_nulls || (call->argument_count > 2 && pt__is_true_literal(call->arguments[2]));
    return pt__lower_by_template(lower, "nth_value({0}, {1}::BIGINT)", call, &own, err);
}

PT_LOWERING(grouping)
{
    (void)form;
    const pt_plan_aggregate *aggregate = lower->aggregate;
    if (aggregate == NULL)
        return pt__lower_unsupported(err, call->base.origin, "grouping() outside of GROUP BY");
    if (aggregate->set_count == 0) {
        pt__put(lower, pt__is_function(call, "grouping") ? "0::TINYINT" : "0::BIGINT");
        return PT_OK;
    }
    pt__put(lower, "grouping(");
    size_t count = call->argument_count == 0 ? aggregate->grouping_count : call->argument_count;
    for (size_t i = 0; i < count; i++) {
        size_t key = i;
        while (call->argument_count > 0 && key < aggregate->grouping_count &&
               !pt__expr_equal(aggregate->grouping[key], call->arguments[i]))
            key++;
        for (size_t k = 0; call->argument_count > 0 && k < aggregate->grouping_count; k++)
            key = pt__expr_equal(aggregate->grouping[k], call->arguments[i]) ? k : key;
        if (key >= aggregate->grouping_count)
            return pt__lower_unsupported(err, call->base.origin, "grouping() of what is no grouping column");
        pt__putf(lower, "%s%s", i == 0 ? "" : ", ", pt__bind(lower, aggregate->base.columns[key].id)->text);
    }
    pt__put(lower, pt__is_function(call, "grouping") ? ")::TINYINT" : ")::BIGINT");
    return PT_OK;
}
