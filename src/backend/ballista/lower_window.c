/* Window functions: each is a node on top of the relation, whose column the expression uses. */
#include "backend/ballista/lower_rules.h"

#include "base/unconst.h"

#include <string.h>

/* ---- frames ---- */

static bool spans_partition(const pt_expr_window *window)
{
    if (window->unit == PT_FRAME_NONE)
        return window->order_count == 0;
    bool no_order = window->order_count == 0 && window->unit == PT_FRAME_RANGE;
    bool from_start =
        window->lower.kind == PT_BOUND_UNBOUNDED_PRECEDING || (no_order && window->lower.kind == PT_BOUND_CURRENT_ROW);
    bool to_end =
        window->upper.kind == PT_BOUND_UNBOUNDED_FOLLOWING || (no_order && window->upper.kind == PT_BOUND_CURRENT_ROW);
    return from_start && to_end;
}

static Datafusion__WindowFrameBound *make_bound(pt__bl *bl, Datafusion__WindowFrameBoundType type)
{
    Datafusion__WindowFrameBound *bound = pt__arena_make(bl->arena, Datafusion__WindowFrameBound);
    datafusion__window_frame_bound__init(bound);
    bound->window_frame_bound_type = type;
    return bound;
}

static pt_status offset_of(pt__bl *bl, const pt_expr_window *window, const pt_expr *expr, int64_t *offset,
                           pt_error *err)
{
    const pt_expr_literal *literal = pt__bl_literal(expr);
    const pt_type *order = window->order_count == 1 ? pt__expr_as_sort_order(window->order[0])->child->type : NULL;
    bool is_rows = window->unit == PT_FRAME_ROWS;
    if (literal == NULL || literal->value.is_null || !pt__type_is_integral(literal->base.type) ||
        (!is_rows && (order == NULL || !pt__type_is_integral(order))))
        return pt__bl_refuse(err, window->base.origin, "a frame with such an offset");
    (void)bl;
    *offset = literal->value.as.integer;
    return PT_OK;
}

/* Offsets are counts for ROWS, and values in the type of the order for RANGE. */
static pt_status lower_bound(pt__bl *bl, const pt_expr_window *window, const pt_frame_bound *given,
                             Datafusion__WindowFrameBound **out, pt_error *err)
{
    bool precedes = given->kind == PT_BOUND_PRECEDING || given->kind == PT_BOUND_UNBOUNDED_PRECEDING;
    if (given->kind == PT_BOUND_CURRENT_ROW) {
        *out = make_bound(bl, DATAFUSION__WINDOW_FRAME_BOUND_TYPE__CURRENT_ROW);
        return PT_OK;
    }
    Datafusion__WindowFrameBoundType before = DATAFUSION__WINDOW_FRAME_BOUND_TYPE__PRECEDING;
    Datafusion__WindowFrameBoundType behind = DATAFUSION__WINDOW_FRAME_BOUND_TYPE__FOLLOWING;
    if (given->kind == PT_BOUND_UNBOUNDED_PRECEDING || given->kind == PT_BOUND_UNBOUNDED_FOLLOWING) {
        *out = make_bound(bl, precedes ? before : behind);
        return PT_OK;
    }
    int64_t offset = 0;
    PT_TRY(offset_of(bl, window, given->offset, &offset, err));
    if (offset < 0) {
        precedes = !precedes;
        offset = -offset;
    }
    *out = make_bound(bl, precedes ? before : behind);
    if (window->unit == PT_FRAME_ROWS) {
        DatafusionCommon__ScalarValue *count = pt__arena_make(bl->arena, DatafusionCommon__ScalarValue);
        datafusion_common__scalar_value__init(count);
        count->value_case = DATAFUSION_COMMON__SCALAR_VALUE__VALUE_UINT64_VALUE;
        count->uint64_value = (uint64_t)offset;
        (*out)->bound_value = count;
        return PT_OK;
    }
    pt_value value = {.as.integer = offset};
    const pt_type *type = pt__expr_as_sort_order(window->order[0])->child->type;
    (*out)->bound_value = pt__bx_literal(bl->arena, type, &value)->node.literal;
    return PT_OK;
}

static pt_status lower_frame(pt__bl *bl, const pt_expr_window *window, Datafusion__WindowFrame **out, pt_error *err)
{
    Datafusion__WindowFrame *frame = pt__arena_make(bl->arena, Datafusion__WindowFrame);
    datafusion__window_frame__init(frame);
    pt_frame_bound lower = {.kind = PT_BOUND_UNBOUNDED_PRECEDING};
    pt_frame_bound upper = {.kind = PT_BOUND_CURRENT_ROW};
    bool is_rows = window->unit == PT_FRAME_ROWS;
    if (spans_partition(window)) {
        is_rows = true;
        upper.kind = PT_BOUND_UNBOUNDED_FOLLOWING;
    } else if (window->unit != PT_FRAME_NONE) {
        lower = window->lower;
        upper = window->upper;
    }
    frame->window_frame_units = is_rows ? DATAFUSION__WINDOW_FRAME_UNITS__ROWS : DATAFUSION__WINDOW_FRAME_UNITS__RANGE;
    PT_TRY(lower_bound(bl, window, &lower, &frame->start_bound, err));
    frame->end_bound_case = DATAFUSION__WINDOW_FRAME__END_BOUND_BOUND;
    PT_TRY(lower_bound(bl, window, &upper, &frame->bound, err));
    *out = frame;
    return PT_OK;
}

/* ---- nodes ---- */

static void hold(pt__bx *parent, const pt__bx *child)
{
    parent->depth = parent->depth < child->depth + 2 ? child->depth + 2 : parent->depth;
    parent->weight += child->weight;
}

static pt_status lower_partition(pt__bl *bl, const pt_expr_window *window, Datafusion__WindowExprNode *node,
                                 pt__bx *made, pt_error *err)
{
    node->partition_by = pt__arena_array(bl->arena, Datafusion__LogicalExprNode *, window->partition_count + 1);
    for (size_t i = 0; i < window->partition_count; i++) {
        const pt__bx *key;
        PT_TRY(pt__bl_expr(bl, window->partition[i], &key, err));
        key = pt__bl_normal(bl, key, window->partition[i], window->partition[i]->type);
        node->partition_by[node->n_partition_by++] = pt__bx_node(key);
        hold(made, key);
    }
    return PT_OK;
}

static pt_status lower_over(pt__bl *bl, Datafusion__WindowExprNode *node, pt__bx *made, pt_error *err)
{
    const pt_expr_window *window = bl->over;
    uint32_t depth = 0;
    PT_TRY(lower_partition(bl, window, node, made, err));
    PT_TRY(pt__bl_orders(bl, window->order, window->order_count, &node->order_by, &depth, &made->weight, err));
    node->n_order_by = window->order_count;
    made->depth = made->depth < depth + 2 ? depth + 2 : made->depth;
    made->depth = made->depth < 6 ? 6 : made->depth;
    return lower_frame(bl, window, &node->window_frame, err);
}

static const pt__bx *put_on_top(pt__bl *bl, const pt__bx *window, const pt_type *type)
{
    const pt__bplan *input = *bl->input;
    pt__bplan *made = pt__bplan_new(bl->arena);
    Datafusion__WindowNode *node = pt__arena_make(bl->arena, Datafusion__WindowNode);
    datafusion__window_node__init(node);
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, input->name_count + 1);
    memcpy(names, input->names, input->name_count * sizeof(*names));
    names[input->name_count] = (pt__bname){pt__bl_new_name(bl), type};
    const pt__bx *named = pt__bx_alias(bl->arena, window, names[input->name_count].name);
    node->input = pt__bplan_node(input);
    node->n_window_expr = 1;
    node->window_expr = pt__arena_array(bl->arena, Datafusion__LogicalExprNode *, 1);
    node->window_expr[0] = pt__bx_node(named);
    made->node.logical_plan_type_case = DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_WINDOW;
    made->node.window = node;
    made->names = names;
    made->name_count = input->name_count + 1;
    pt__bplan_holds(made, input, 2);
    pt__bplan_holds_expr(made, named, 2);
    *bl->input = made;
    return pt__bx_column(bl->arena, names[input->name_count].name);
}

pt_status pt__bl_window_leaf(pt__bl *bl, const char *name, bool is_aggregate, const pt__bx *const *arguments,
                             size_t count, const pt__bx *filter, const pt_type *type, const pt__bx **out, pt_error *err)
{
    if (bl->call->ignore_nulls) /* does not reach them either */
        return pt__bl_refuse(err, bl->over->base.origin, "IGNORE NULLS in a window function");
    pt__bx *made = pt__arena_make(bl->arena, pt__bx);
    Datafusion__WindowExprNode *node = pt__arena_make(bl->arena, Datafusion__WindowExprNode);
    datafusion__logical_expr_node__init(&made->node);
    datafusion__window_expr_node__init(node);
    made->node.expr_type_case = DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_WINDOW_EXPR;
    made->node.window_expr = node;
    made->depth = 2;
    made->weight = 2;
    node->window_function_case = is_aggregate ? DATAFUSION__WINDOW_EXPR_NODE__WINDOW_FUNCTION_UDAF
                                              : DATAFUSION__WINDOW_EXPR_NODE__WINDOW_FUNCTION_UDWF;
    node->udaf = pt__unconst(name); /* both names are one member */
    node->n_exprs = count;
    node->exprs = pt__arena_array(bl->arena, Datafusion__LogicalExprNode *, count + 1);
    for (size_t i = 0; i < count; i++) {
        /* A filter does not reach the executors: the aggregates skip NULL, which makes one of it. */
        const pt__bx *argument = filter == NULL ? arguments[i] : pt__bx_if(bl->arena, filter, arguments[i], NULL);
        node->exprs[i] = pt__bx_node(argument);
        hold(made, argument);
    }
    PT_TRY(lower_over(bl, node, made, err));
    *out = put_on_top(bl, made, type);
    return PT_OK;
}

pt_status pt__bl_window(pt__bl *bl, const pt_expr_window *window, const pt__bx **out, pt_error *err)
{
    if (window->function->kind != PT_EXPR_CALL || bl->input == NULL)
        return pt__bl_refuse(err, window->base.origin, "a window expression here");
    const pt_expr_call *call = pt__expr_as_call(window->function);
    if (call->is_distinct)
        return pt__bl_refuse(err, window->base.origin, "DISTINCT in a window function");
    const pt_expr_window *over = bl->over;
    const pt_expr_call *before = bl->call;
    pt__bl_leaves *leaves = bl->leaves;
    bl->over = window;
    bl->call = call;
    bl->leaves = NULL;
    pt_status status = pt__bl_call(bl, call, out, err);
    bl->over = over;
    bl->call = before;
    bl->leaves = leaves;
    return status;
}

/* ---- functions that are windows only ---- */

static pt_status need_window(pt__bl *bl, const pt_expr_call *call, pt_error *err)
{
    return bl->over == NULL ? pt__bl_refuse_function(bl, call, err) : PT_OK;
}

PT_BL_LOWERING(ranking)
{
    PT_TRY(need_window(bl, call, err));
    bool is_ntile = pt__bl_is_call(&call->base, "ntile");
    const pt__bx *buckets = call->argument_count > 0 ? x[0] : pt__bx_int32(bl->arena, 1);
    if (is_ntile)
        buckets = pt__bx_cast(bl->arena, buckets, pt__btype_named(bl->arena, "int64"));
    PT_TRY(pt__bl_window_leaf(bl, call->function->name, false, &buckets, is_ntile ? 1 : 0, NULL, call->base.type, out,
                              err));
    *out = pt__bx_cast(bl->arena, *out, pt__btype_of(bl->arena, call->base.type));
    return PT_OK;
}

PT_BL_LOWERING(lag)
{
    PT_TRY(need_window(bl, call, err));
    const pt__bx *arguments[3] = {x[0], NULL, NULL};
    if (call->argument_count > 1) {
        const pt_expr_literal *offset = pt__bl_literal(call->arguments[1]);
        if (offset == NULL || offset->value.is_null)
            return pt__bl_refuse(err, call->base.origin, "lag or lead by what is no literal");
        arguments[1] = pt__bx_int64(bl->arena, offset->value.as.integer);
    }
    if (call->argument_count > 2) {
        const pt_expr_literal *other = pt__bl_literal(call->arguments[2]);
        if (other == NULL)
            return pt__bl_refuse(err, call->base.origin, "lag or lead with a default that is no literal");
        arguments[2] = other->value.is_null ? pt__bx_null(bl->arena, pt__btype_of(bl->arena, call->base.type)) : x[2];
    }
    return pt__bl_window_leaf(bl, call->function->name, false, arguments, call->argument_count, NULL, call->base.type,
                              out, err);
}

PT_BL_LOWERING(nth_value)
{
    PT_TRY(need_window(bl, call, err));
    const pt_expr_literal *place = pt__bl_literal(call->arguments[1]);
    if (place == NULL || place->value.is_null || call->argument_count > 2)
        return pt__bl_refuse(err, call->base.origin, "nth_value of what is no literal");
    const pt__bx *arguments[2] = {x[0], pt__bx_int64(bl->arena, place->value.as.integer)};
    return pt__bl_window_leaf(bl, "nth_value", false, arguments, 2, NULL, call->base.type, out, err);
}
