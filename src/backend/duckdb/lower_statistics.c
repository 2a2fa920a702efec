#include "backend/duckdb/lower_collections.h"
#include "backend/duckdb/lower_rules.h"

#include <string.h>
#include <strings.h>

/* Aggregate functions that a template cannot say. Rules as in lower_rules.h. */

static pt_status by_text(pt__lower *lower, const pt_expr_call *call, const pt__aggregate_form *form, pt_error *err,
                         const char *template)
{
    return pt__lower_by_template(lower, template, call, form, err);
}

/* ---- percentiles ---- */

static bool is_whole(const pt_type *type)
{
    return pt__type_is_integral(type) || pt__type_is_interval(type) || type->id == PT_TYPE_DATE ||
           pt__type_is_datetime(type);
}

/* `number`, a DOUBLE, as a value of the type; fractions are cut. */
static const char *value_text(pt__lower *lower, const pt_type *type, const char *number)
{
    pt__arena *arena = lower->arena;
    switch (type->id) {
    case PT_TYPE_DATE: return pt__arena_printf(arena, "(DATE '1970-01-01' + CAST(trunc(%s) AS INTEGER))", number);
    case PT_TYPE_TIMESTAMP: return pt__arena_printf(arena, "make_timestamptz(CAST(trunc(%s) AS BIGINT))", number);
    case PT_TYPE_TIMESTAMP_NTZ: return pt__arena_printf(arena, "make_timestamp(CAST(trunc(%s) AS BIGINT))", number);
    default: break;
    }
    size_t mark = lower->text.size_bytes;
    pt__putf(lower, is_whole(type) ? "CAST(trunc(%s) AS " : "CAST(%s AS ", number);
    pt__put_type(lower, type);
    pt__put(lower, ")");
    return pt__cut(lower, mark);
}

/* The value as a DOUBLE. */
static const char *number_text(pt__lower *lower, const pt_type *type, const char *value)
{
    switch (type->id) {
    case PT_TYPE_DATE: return pt__arena_printf(lower->arena, "CAST(%s - DATE '1970-01-01' AS DOUBLE)", value);
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ: return pt__arena_printf(lower->arena, "CAST(epoch_us(%s) AS DOUBLE)", value);
    default: return pt__arena_printf(lower->arena, "CAST(%s AS DOUBLE)", value);
    }
}

/* `numbers`, a list of DOUBLEs, as the call's result: one value, or an array of them. */
static const char *answer_text(pt__lower *lower, const pt_type *type, const char *numbers)
{
    if (type->id != PT_TYPE_ARRAY)
        return value_text(lower, type, pt__arena_printf(lower->arena, "list_extract(%s, 1)", numbers));
    if (type->element->id == PT_TYPE_DOUBLE)
        return numbers;
    uint32_t name = ++lower->next_alias;
    const char *one = value_text(lower, type->element, pt__arena_printf(lower->arena, "n%u", name));
    return pt__arena_printf(lower->arena, "list_transform(%s, lambda n%u: %s)", numbers, name, one);
}

/* The list of percentages that argument `index` gives. */
static const char *percentages_text(pt__lower *lower, const pt_expr_call *call, size_t index)
{
    bool is_array = call->arguments[index]->type->id == PT_TYPE_ARRAY;
    return pt__arena_printf(lower->arena, is_array ? "{%zu}" : "[{%zu}]", index);
}

PT_LOWERING(percentile)
{
    const char *calls = pt__arena_printf(
        lower->arena, "spark_agg_percentile(%s, %s, %s)", number_text(lower, call->arguments[0]->type, "{0}"),
        percentages_text(lower, call, 1), call->argument_count > 2 ? "{2}" : "1::BIGINT");
    return by_text(lower, call, form, err, answer_text(lower, call->base.type, calls));
}

PT_LOWERING(median)
{
    const char *calls = pt__arena_printf(lower->arena, "spark_agg_percentile(%s, [0.5::DOUBLE], 1::BIGINT)",
                                         number_text(lower, call->arguments[0]->type, "{0}"));
    return by_text(lower, call, form, err, answer_text(lower, call->base.type, calls));
}

PT_LOWERING(percentile_approx)
{
    const char *calls = pt__arena_printf(lower->arena, "spark_agg_percentile_approx(%s, %s, %s)",
                                         number_text(lower, call->arguments[0]->type, "{0}"),
                                         percentages_text(lower, call, 1), call->argument_count > 2 ? "{2}" : "10000");
    return by_text(lower, call, form, err, answer_text(lower, call->base.type, calls));
}

/* The call with what it is ordered by within its group as one more argument. */
static const pt_expr_call *with_ordered(pt__lower *lower, const pt_expr_call *call)
{
    pt_expr_call *grown = pt__arena_copy(lower->arena, call, sizeof(*call));
    const pt_expr **arguments = pt__arena_array(lower->arena, const pt_expr *, call->argument_count + 1);
    for (size_t i = 0; i < call->argument_count; i++)
        arguments[i] = call->arguments[i];
    arguments[call->argument_count] = pt__expr_as_sort_order(call->within_group[0])->child;
    grown->arguments = arguments;
    grown->argument_count = call->argument_count + 1;
    return grown;
}

/* Descending order is that of the negated values. */
PT_LOWERING(percentile_within)
{
    const pt_expr_call *grown = with_ordered(lower, call);
    bool descending = pt__expr_as_sort_order(call->within_group[0])->is_descending;
    const char *number = number_text(lower, grown->arguments[1]->type, "{1}");
    const char *calls = pt__arena_printf(lower->arena, "%s(%s%s, %s, 1::BIGINT)",
                                         pt__is_function(call, "percentile_disc") ? "spark_agg_percentile_disc"
                                                                                  : "spark_agg_percentile",
                                         descending ? "-" : "", number, percentages_text(lower, call, 0));
    if (descending)
        calls = pt__arena_printf(lower->arena, "list_transform(%s, lambda m: 0 - m)", calls);
    return by_text(lower, grown, form, err, answer_text(lower, call->base.type, calls));
}

/* ---- others ---- */

/* The list of places and heights in turn becomes a list of both. */
PT_LOWERING(histogram_numeric)
{
    const pt_type *place = call->base.type->element->fields[0].type;
    uint32_t name = ++lower->next_alias;
    const char *bins = pt__arena_printf(lower->arena, "spark_agg_histogram_numeric(%s, {1})",
                                        number_text(lower, call->arguments[0]->type, "{0}"));
    const char *one = value_text(lower, place, pt__arena_printf(lower->arena, "n%u", name));
    return by_text(lower, call, form, err,
                   pt__arena_printf(lower->arena,
                                    "CAST(list_zip(list_transform(%s[1:-1:2], lambda n%u: %s), %s[2:-1:2]) AS {r})",
                                    bins, name, one, bins));
}

static pt_status order_form(pt__lower *lower, const pt_expr_call *call, const pt__aggregate_form *form,
                            pt__aggregate_form *out, pt_error *err)
{
    *out = form == NULL ? (pt__aggregate_form){0} : *form;
    if (call->within_group_count == 0)
        return PT_OK;
    size_t mark = lower->text.size_bytes;
    PT_TRY(pt__lower_orders(lower, call->within_group, call->within_group_count, err));
    out->order = pt__cut(lower, mark);
    return PT_OK;
}

PT_LOWERING(listagg)
{
    pt__aggregate_form ordered;
    PT_TRY(order_form(lower, call, form, &ordered, err));
    if (ordered.is_distinct && ordered.order == NULL)
        PT_TRY(pt__lower_expr_text(lower, call->arguments[0], &ordered.order, err));
    if (call->base.type->id == PT_TYPE_BINARY)
        return by_text(lower, call, &ordered, err,
                       call->argument_count > 1
                           ? "spark_array_join(list({0}) FILTER (WHERE {0} IS NOT NULL), coalesce({1}, ''::BLOB))"
                           : "spark_array_join(list({0}) FILTER (WHERE {0} IS NOT NULL), ''::BLOB)");
    const char *delimiter = call->argument_count > 1 ? "coalesce({1}, '')" : "''";
    return by_text(lower, call, &ordered, err, pt__arena_printf(lower->arena, "string_agg({0}, %s)", delimiter));
}

PT_LOWERING(mode)
{
    const pt_expr_call *ordered = call->argument_count == 0 ? with_ordered(lower, call) : call;
    int which = 0;
    if (call->argument_count == 0)
        which = pt__expr_as_sort_order(call->within_group[0])->is_descending ? 1 : -1;
    else if (call->argument_count > 1 && pt__is_true_literal(call->arguments[1]))
        which = -1;
    if (which == 0 && form != NULL && form->over != NULL)
        return by_text(lower, ordered, form, err, "mode({0})"); /* the first one, too; a list would go to each row */
    return by_text(
        lower, ordered, form, err,
        pt__arena_printf(lower->arena,
                         "list_extract(list({0}) FILTER (WHERE {0} IS NOT NULL), spark_mode_position(list({0}) "
                         "FILTER (WHERE {0} IS NOT NULL), %d))",
                         which));
}

/* Spark's order of a set is that of its hash table, for small whole numbers the ascending one. */
PT_LOWERING(collect_set)
{
    const pt_type *element = call->base.type->element;
    if (element->id == PT_TYPE_VOID)
        return by_text(lower, call, form, err, "coalesce(list({0}) FILTER (WHERE {0} IS NOT NULL), [])");
    const char *key = pt__orders_by_key(element) ? "spark_sort_key({0})" : "{0}";
    if (form != NULL && form->over != NULL)
        return by_text(lower, call, form, err,
                       "coalesce(list_sort(list(DISTINCT {0}) FILTER (WHERE {0} IS NOT NULL)), [])");
    return by_text(lower, call, form, err,
                   pt__arena_printf(lower->arena,
                                    "coalesce(list(DISTINCT {0} ORDER BY %s) FILTER (WHERE {0} IS NOT NULL), [])",
                                    key));
}

/* The mean of intervals, halves away from zero. */
PT_LOWERING(interval_average)
{
    const char *cast = call->mode == PT_CAST_TRY ? "TRY_CAST" : "CAST";
    return by_text(
        lower, call, form, err,
        pt__arena_printf(lower->arena,
                         "%s(round(CAST(%s(sum({0}) AS {r}) AS DECIMAL(38,6)) / nullif(count({0}), 0)) AS {r})", cast,
                         cast));
}
