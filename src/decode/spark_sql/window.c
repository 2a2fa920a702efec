/* OVER and the WINDOW clause. */
#include "decode/spark_sql/internal.h"

#include <strings.h>

/* ---- frames ---- */

static pt_status parse_bound(pt__sql_parser *p, pt_frame_bound *out)
{
    *out = (pt_frame_bound){0};
    if (pt__sql_accept_two(p, PT_KW_CURRENT, PT_KW_ROW)) {
        out->kind = PT_BOUND_CURRENT_ROW;
        return PT_OK;
    }
    bool unbounded = pt__sql_at(p, PT_KW_UNBOUNDED) &&
                     (pt__sql_peek(p, 1) == PT_KW_PRECEDING || pt__sql_peek(p, 1) == PT_KW_FOLLOWING);
    if (unbounded)
        pt__sql_skip(p, 1);
    else
        PT_TRY(pt__sql_expression(p, &out->offset));
    if (pt__sql_accept(p, PT_KW_PRECEDING)) {
        out->kind = unbounded ? PT_BOUND_UNBOUNDED_PRECEDING : PT_BOUND_PRECEDING;
        return PT_OK;
    }
    out->kind = unbounded ? PT_BOUND_UNBOUNDED_FOLLOWING : PT_BOUND_FOLLOWING;
    return pt__sql_expect(p, PT_KW_FOLLOWING);
}

static pt_status parse_frame(pt__sql_parser *p, pt_expr_window *window)
{
    if (!pt__sql_at(p, PT_KW_ROWS) && !pt__sql_at(p, PT_KW_RANGE))
        return PT_OK;
    window->unit = pt__sql_at(p, PT_KW_ROWS) ? PT_FRAME_ROWS : PT_FRAME_RANGE;
    pt__sql_skip(p, 1);
    window->upper.kind = PT_BOUND_CURRENT_ROW;
    if (!pt__sql_accept(p, PT_KW_BETWEEN))
        return parse_bound(p, &window->lower);
    PT_TRY(parse_bound(p, &window->lower));
    PT_TRY(pt__sql_expect(p, PT_KW_AND));
    return parse_bound(p, &window->upper);
}

/* ---- specifications ---- */

static bool at_partition_clause(const pt__sql_parser *p)
{
    return pt__sql_at_two(p, PT_KW_PARTITION, PT_KW_BY) || pt__sql_at_two(p, PT_KW_DISTRIBUTE, PT_KW_BY);
}

static bool at_order_clause(const pt__sql_parser *p)
{
    return pt__sql_at_two(p, PT_KW_ORDER, PT_KW_BY) || pt__sql_at_two(p, PT_KW_SORT, PT_KW_BY);
}

static pt_status parse_partition(pt__sql_parser *p, pt_expr_window *window)
{
    pt__sql_expr_list list = {0};
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expression_list(p, &list));
    window->partition = list.items;
    window->partition_count = list.count;
    return PT_OK;
}

/* What stands between the parentheses; the opening one is taken. */
static pt_status parse_specification(pt__sql_parser *p, pt_expr_window *window)
{
    pt__sql_expr_list orders = {0};
    if (pt__sql_is_name(pt__sql_peek(p, 0)) && pt__sql_peek(p, 1) == ')')
        PT_TRY(pt__sql_identifier(p, &window->reference));
    else if (pt__sql_at_two(p, PT_KW_CLUSTER, PT_KW_BY))
        PT_TRY(parse_partition(p, window));
    if (at_partition_clause(p))
        PT_TRY(parse_partition(p, window));
    if (at_order_clause(p)) {
        pt__sql_skip(p, 2);
        PT_TRY(pt__sql_sort_orders(p, &orders));
        window->order = orders.items;
        window->order_count = orders.count;
    }
    PT_TRY(parse_frame(p, window));
    return pt__sql_expect(p, ')');
}

pt_status pt__sql_window_over(pt__sql_parser *p, size_t first, const pt_expr *function, const pt_expr **out)
{
    pt_expr_window *window = pt__expr_make(p->arena, WINDOW, window, NULL);
    window->function = function;
    if (pt__sql_accept(p, '('))
        PT_TRY(parse_specification(p, window));
    else
        PT_TRY(pt__sql_identifier(p, &window->reference));
    window->base.origin = pt__sql_origin(p, first);
    if (window->reference != NULL)
        pt__list_push(p->arena, &p->named_windows, window);
    *out = &window->base;
    return PT_OK;
}

/* ---- WINDOW name AS (…) ---- */

typedef struct definition {
    const char *name;
    pt_expr_window *window;
} definition;

static pt_status parse_definition(pt__sql_parser *p, definition *out)
{
    size_t first = p->position;
    PT_TRY(pt__sql_checked_identifier(p, &out->name));
    PT_TRY(pt__sql_expect(p, PT_KW_AS));
    out->window = pt__expr_make(p->arena, WINDOW, window, NULL);
    if (pt__sql_accept(p, '('))
        PT_TRY(parse_specification(p, out->window));
    else
        PT_TRY(pt__sql_identifier(p, &out->window->reference));
    out->window->base.origin = pt__sql_origin(p, first);
    return PT_OK;
}

static void apply(const definition *from, pt_expr_window *to)
{
    to->partition = from->window->partition;
    to->partition_count = from->window->partition_count;
    to->order = from->window->order;
    to->order_count = from->window->order_count;
    to->unit = from->window->unit;
    to->lower = from->window->lower;
    to->upper = from->window->upper;
    to->reference = from->window->reference;
}

static const definition *find_definition(const definition *definitions, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(definitions[i].name, name) == 0)
            return &definitions[i];
    }
    return NULL;
}

pt_status pt__sql_window_clause(pt__sql_parser *p, size_t mark)
{
    pt__list(definition) definitions = {0};
    pt__sql_skip(p, 1);
    do {
        definition one;
        PT_TRY(parse_definition(p, &one));
        const definition *named = NULL;
        if (one.window->reference != NULL)
            named = find_definition(definitions.items, definitions.count, one.window->reference);
        if (named != NULL)
            apply(named, one.window);
        pt__list_push(p->arena, &definitions, one);
    } while (pt__sql_accept(p, ','));
    size_t kept = mark;
    for (size_t i = mark; i < p->named_windows.count; i++) {
        pt_expr_window *window = p->named_windows.items[i];
        const definition *named = find_definition(definitions.items, definitions.count, window->reference);
        if (named != NULL)
            apply(named, window);
        if (window->reference != NULL)
            p->named_windows.items[kept++] = window;
    }
    p->named_windows.count = kept;
    return PT_OK;
}
