/* PIVOT and UNPIVOT. */
#include "decode/spark_sql/internal.h"

static pt_status parse_column(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    pt_name name = {0};
    PT_TRY(pt__sql_name(p, &name));
    pt_expr_attribute *attribute = pt__expr_make(p->arena, ATTRIBUTE, attribute, pt__sql_origin(p, first));
    attribute->name = name;
    attribute->plan_id = -1;
    *out = &attribute->base;
    return PT_OK;
}

/* a, or (a, b) */
static pt_status parse_columns(pt__sql_parser *p, pt__sql_expr_list *out)
{
    bool many = pt__sql_accept(p, '(');
    do {
        const pt_expr *column = NULL;
        PT_TRY(parse_column(p, &column));
        pt__list_push(p->arena, out, column);
    } while (many && pt__sql_accept(p, ','));
    return many ? pt__sql_expect(p, ')') : PT_OK;
}

/* ---- PIVOT ---- */

static pt_status parse_pivot_body(pt__sql_parser *p, pt_plan_pivot *pivot)
{
    pt__sql_expr_list aggregates = {0};
    pt__sql_expr_list columns = {0};
    pt__sql_expr_list values = {0};
    PT_TRY(pt__sql_named_expression_list(p, &aggregates));
    PT_TRY(pt__sql_expect(p, PT_KW_FOR));
    PT_TRY(parse_columns(p, &columns));
    PT_TRY(pt__sql_expect_two(p, PT_KW_IN, '('));
    PT_TRY(pt__sql_named_expression_list(p, &values));
    PT_TRY(pt__sql_expect(p, ')'));
    pivot->aggregates = aggregates.items;
    pivot->aggregate_count = aggregates.count;
    pivot->columns = columns.items;
    pivot->column_expr_count = columns.count;
    pivot->values = values.items;
    pivot->value_count = values.count;
    return pt__sql_expect(p, ')');
}

pt_status pt__sql_pivot(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    bool aliased = false;
    if (!pt__sql_at_two(p, PT_KW_PIVOT, '('))
        return PT_OK;
    pt__sql_skip(p, 2);
    pt_plan_pivot *pivot = pt__plan_make(p->arena, PIVOT, pivot, NULL);
    pivot->input = *in_out;
    PT_TRY(parse_pivot_body(p, pivot));
    pivot->base.origin = pt__sql_origin(p, first);
    *in_out = &pivot->base;
    return pt__sql_table_alias(p, in_out, &aliased);
}

/* ---- UNPIVOT ---- */

static pt_status parse_value_names(pt__sql_parser *p, pt_plan_unpivot *unpivot)
{
    pt__sql_string_list names = {0};
    if (pt__sql_at(p, '(')) {
        PT_TRY(pt__sql_identifier_list(p, &names));
    } else {
        const char *name = NULL;
        PT_TRY(pt__sql_checked_identifier(p, &name));
        pt__list_push(p->arena, &names, name);
    }
    unpivot->value_names = names.items;
    unpivot->value_width = names.count;
    return PT_OK;
}

/* One group of columns with its optional alias. */
static pt_status parse_value_group(pt__sql_parser *p, size_t width, pt__sql_expr_list *values,
                                   pt__sql_string_list *aliases)
{
    size_t first = p->position;
    size_t before = values->count;
    const char *alias = NULL;
    PT_TRY(parse_columns(p, values));
    if (values->count - before != width)
        return pt__sql_locate_error(p, first,
                                    pt__raise(p->err, PT_COND_UNPIVOT_VALUE_SIZE_MISMATCH, "names",
                                              pt__arena_printf(p->arena, "%zu", width), NULL));
    if (pt__sql_accept(p, PT_KW_AS) || pt__sql_is_name(pt__sql_peek(p, 0)))
        PT_TRY(pt__sql_checked_identifier(p, &alias));
    pt__list_push(p->arena, aliases, alias);
    return PT_OK;
}

static pt_status parse_unpivot_body(pt__sql_parser *p, pt_plan_unpivot *unpivot)
{
    pt__sql_expr_list values = {0};
    pt__sql_string_list aliases = {0};
    PT_TRY(parse_value_names(p, unpivot));
    PT_TRY(pt__sql_expect(p, PT_KW_FOR));
    PT_TRY(pt__sql_checked_identifier(p, &unpivot->variable_name));
    PT_TRY(pt__sql_expect_two(p, PT_KW_IN, '('));
    do {
        PT_TRY(parse_value_group(p, unpivot->value_width, &values, &aliases));
    } while (pt__sql_accept(p, ','));
    PT_TRY(pt__sql_expect(p, ')'));
    unpivot->values = values.items;
    unpivot->value_count = values.count;
    unpivot->values_given = true;
    unpivot->value_aliases = aliases.items;
    return pt__sql_expect(p, ')');
}

pt_status pt__sql_unpivot(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    bool aliased = false;
    int32_t next = pt__sql_peek(p, 1);
    bool nulls = (next == PT_KW_INCLUDE || next == PT_KW_EXCLUDE) && pt__sql_peek(p, 2) == PT_KW_NULLS;
    if (!pt__sql_at(p, PT_KW_UNPIVOT) || !(nulls || next == '('))
        return PT_OK;
    pt__sql_skip(p, nulls ? 3 : 1);
    PT_TRY(pt__sql_expect(p, '('));
    pt_plan_unpivot *unpivot = pt__plan_make(p->arena, UNPIVOT, unpivot, NULL);
    unpivot->input = *in_out;
    unpivot->include_nulls = nulls && next == PT_KW_INCLUDE;
    PT_TRY(parse_unpivot_body(p, unpivot));
    unpivot->base.origin = pt__sql_origin(p, first);
    *in_out = &unpivot->base;
    return pt__sql_table_alias(p, in_out, &aliased);
}
