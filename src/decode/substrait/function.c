/* Calls of functions: what they are called, their arguments, and the declared result. */
#include "decode/substrait/function.h"

#include <string.h>

typedef pt__substrait_call_of call_of;
typedef pt__substrait_invocation invocation;

/* ---- declarations ---- */

static const pt__substrait_declaration *find_declaration(const decoder *d, uint32_t anchor)
{
    for (size_t i = 0; i < d->functions.count; i++) {
        if (d->functions.items[i].anchor == anchor)
            return &d->functions.items[i];
    }
    return NULL;
}

static const pt__substrait_row *find_row(pt__substrait_function_kind kind, const pt__substrait_declaration *declared)
{
    size_t size = strcspn(declared->name, ":");
    const pt__substrait_row *row = pt__substrait_find_row(kind, declared->tail, declared->name, size);
    if (row == NULL && kind == PT_SUBSTRAIT_WINDOW)
        row = pt__substrait_find_row(PT_SUBSTRAIT_AGGREGATE, declared->tail, declared->name, size);
    return row;
}

static pt_status begin_call(decoder *d, pt__substrait_function_kind kind, const invocation *m, call_of *call)
{
    static const char *const KINDS[] = {"function", "aggregate function", "window function"};
    const pt__substrait_declaration *declared = find_declaration(d, m->anchor);
    if (declared == NULL)
        return pt__substrait_bad(d, "the function %u is not declared", m->anchor);
    const char *of = declared->full == NULL ? "" : " of ";
    call->shown =
        pt__arena_printf(d->arena, "%s%s%s", declared->name, of, declared->full == NULL ? "" : declared->full);
    call->row = find_row(kind, declared);
    if (call->row == NULL)
        return pt__substrait_unsupported(d, "the Substrait %s %s", KINDS[kind], call->shown);
    call->is_window = kind == PT_SUBSTRAIT_WINDOW;
    call->options = m->options;
    call->option_count = m->option_count;
    PT_TRY(pt__substrait_type(d, m->output_type, &call->output));
    return pt__substrait_check_options(d, call);
}

/* ---- arguments ---- */

static pt_status add_value(decoder *d, const scope *s, const Substrait__Expression *message, call_of *call)
{
    value_of value;
    PT_TRY(pt__substrait_expression(d, s, message, &value));
    call->types[call->count] = value.type;
    call->arguments[call->count++] = value.expr;
    return PT_OK;
}

static pt_status add_argument(decoder *d, const scope *s, const Substrait__FunctionArgument *m, call_of *call)
{
    switch ((int)m->arg_type_case) {
    case SUBSTRAIT__FUNCTION_ARGUMENT__ARG_TYPE_ENUM: call->enums[call->enum_count++] = m->enum_; return PT_OK;
    case SUBSTRAIT__FUNCTION_ARGUMENT__ARG_TYPE_VALUE: return add_value(d, s, m->value, call);
    default:
        if (m->arg_type_case == SUBSTRAIT__FUNCTION_ARGUMENT__ARG_TYPE_TYPE)
            return pt__substrait_unsupported(d, "type arguments of the Substrait function %s", call->shown);
        return pt__substrait_unknown_kind(d, &m->base, m->arg_type_case);
    }
}

/* Enumerations were expressions once; one that is left open is left out. */
static pt_status add_old_argument(decoder *d, const scope *s, const Substrait__Expression *m, call_of *call)
{
    if (m->rex_type_case != SUBSTRAIT__EXPRESSION__REX_TYPE_ENUM)
        return add_value(d, s, m, call);
    if (m->enum_->enum_kind_case == SUBSTRAIT__EXPRESSION__ENUM__ENUM_KIND_SPECIFIED)
        call->enums[call->enum_count++] = m->enum_->specified;
    return PT_OK;
}

static pt_status add_arguments(decoder *d, const scope *s, const invocation *m, call_of *call)
{
    size_t most = m->argument_count + m->old_argument_count + 1;
    call->arguments = pt__arena_array(d->arena, const pt_expr *, most);
    call->types = pt__arena_array(d->arena, const pt_type *, most);
    call->enums = pt__arena_array(d->arena, const char *, most);
    for (size_t i = 0; i < m->argument_count; i++)
        PT_TRY(add_argument(d, s, m->arguments[i], call));
    for (size_t i = 0; m->argument_count == 0 && i < m->old_argument_count; i++)
        PT_TRY(add_old_argument(d, s, m->old_arguments[i], call));
    return PT_OK;
}

static pt_status build_call(decoder *d, const scope *s, pt__substrait_function_kind kind, const invocation *m,
                            call_of *call, const pt_expr **out)
{
    *call = (call_of){0};
    PT_TRY(begin_call(d, kind, m, call));
    PT_TRY(add_arguments(d, s, m, call));
    return call->row->build(d, call, out);
}

/* Comparisons and the like are true, false or NULL whatever is declared: DuckDB declares the type of what it compares. */
static bool is_condition(const pt__substrait_row *row)
{
    static const char *const OTHERS[] = {"coalesce", "nullif",          "least",
                                         "greatest", "least_skip_null", "greatest_skip_null"};
    for (size_t i = 0; i < sizeof(OTHERS) / sizeof(OTHERS[0]); i++) {
        if (strcmp(row->name, OTHERS[i]) == 0)
            return false;
    }
    return strcmp(row->tail, "functions_comparison") == 0 || strcmp(row->tail, "functions_boolean") == 0;
}

pt_status pt__substrait_function(decoder *d, const scope *s, pt__substrait_function_kind kind, const invocation *m,
                                 value_of *out)
{
    call_of call;
    PT_TRY(build_call(d, s, kind, m, &call, &out->expr));
    out->type = is_condition(call.row) ? PT_T(BOOLEAN) : call.output;
    if (out->type != NULL && out->type->id != PT_TYPE_BOOLEAN)
        out->expr = pt__substrait_declared(d, out->expr, call.output);
    return PT_OK;
}

/* ---- aggregates ---- */

static pt_status check_phase(decoder *d, Substrait__AggregationPhase phase, const call_of *call)
{
    if (phase == SUBSTRAIT__AGGREGATION_PHASE__AGGREGATION_PHASE_UNSPECIFIED ||
        phase == SUBSTRAIT__AGGREGATION_PHASE__AGGREGATION_PHASE_INITIAL_TO_RESULT)
        return PT_OK;
    return pt__substrait_unsupported(d, "the phase %s of the Substrait function %s",
                                     pt__substrait_enum_name(d, &substrait__aggregation_phase__descriptor, (int)phase),
                                     call->shown);
}

/* Aggregates whose result does not depend on the order of their input. */
static bool ignores_order(const char *name)
{
    static const char *const NAMES[] = {"sum", "count", "min", "max", "avg", "bool_and", "bool_or"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcmp(NAMES[i], name) == 0)
            return true;
    }
    return false;
}

/* What was built is an aggregate, or a quotient of two that average_down made. */
static void restrict_aggregates(const pt_expr *built, bool is_distinct, const pt_expr *condition)
{
    if (built->kind == PT_EXPR_CAST)
        built = pt__expr_as_cast(built)->child;
    if (built->kind != PT_EXPR_CALL)
        return;
    pt_expr_call *call = (pt_expr_call *)built;
    if (strcmp(call->name.parts[0], "divide_down") == 0) {
        restrict_aggregates(call->arguments[0], is_distinct, condition);
        restrict_aggregates(call->arguments[1], is_distinct, condition);
        return;
    }
    call->is_distinct = is_distinct;
    call->filter = condition;
}

/* The result as declared; a sum of nothing is 0 for sum0. */
static const pt_expr *finish_aggregate(decoder *d, const call_of *call, const pt_expr *expr)
{
    expr = pt__substrait_declared(d, expr, call->output);
    if (strcmp(call->row->name, "sum0") != 0)
        return expr;
    const pt_expr *zero = pt__substrait_declared(d, pt__expr_int(d->arena, 0), call->output);
    return pt__substrait_call(d, "coalesce", 2, expr, zero, NULL);
}

pt_status pt__substrait_measure(decoder *d, const scope *s, const Substrait__AggregateFunction *m,
                                const Substrait__Expression *filter, value_of *out)
{
    if (m == NULL)
        return pt__substrait_bad(d, "a measure has no function");
    invocation call_message = {
        .anchor = m->function_reference,
        .arguments = m->arguments,
        .argument_count = m->n_arguments,
        .old_arguments = m->args,
        .old_argument_count = m->n_args,
        .options = m->options,
        .option_count = m->n_options,
        .output_type = m->output_type,
    };
    call_of call;
    const pt_expr *built;
    PT_TRY(build_call(d, s, PT_SUBSTRAIT_AGGREGATE, &call_message, &call, &built));
    PT_TRY(check_phase(d, m->phase, &call));
    pt_expr_call *aggregate = (pt_expr_call *)built;
    if (m->n_sorts != 0 && strcmp(call.row->target, "listagg") == 0)
        PT_TRY(
            pt__substrait_sorts(d, s, m->sorts, m->n_sorts, &aggregate->within_group, &aggregate->within_group_count));
    else if (m->n_sorts != 0 && !ignores_order(call.row->target))
        return pt__substrait_unsupported(d, "the Substrait function %s over sorted input", call.shown);
    const pt_expr *condition = NULL;
    bool is_distinct =
        m->invocation == SUBSTRAIT__AGGREGATE_FUNCTION__AGGREGATION_INVOCATION__AGGREGATION_INVOCATION_DISTINCT;
    if (filter != NULL)
        PT_TRY(pt__substrait_condition(d, s, filter, &condition));
    restrict_aggregates(built, is_distinct, condition);
    out->type = call.output;
    out->expr = finish_aggregate(d, &call, built);
    return PT_OK;
}

/* ---- windows ---- */

typedef Substrait__Expression__WindowFunction__Bound bound_message;

#define BOUND(name) SUBSTRAIT__EXPRESSION__WINDOW_FUNCTION__BOUND__KIND_##name

static pt_status offset_bound(decoder *d, const scope *s, pt_bound_kind kind, int64_t offset,
                              const Substrait__Expression *expression, pt_frame_bound *out)
{
    value_of value = {.expr = NULL};
    out->kind = kind;
    if (expression != NULL)
        PT_TRY(pt__substrait_expression(d, s, expression, &value));
    bool is_small = offset >= INT32_MIN && offset <= INT32_MAX;
    out->offset = expression != NULL ? value.expr
                  : is_small         ? pt__expr_int(d->arena, (int32_t)offset)
                                     : pt__expr_long(d->arena, offset);
    return PT_OK;
}

static pt_status decode_bound(decoder *d, const scope *s, const bound_message *m, pt_bound_kind unbounded,
                              pt_frame_bound *out)
{
    out->kind = unbounded;
    if (m == NULL)
        return PT_OK;
    switch ((int)m->kind_case) {
    case BOUND(PRECEDING):
        return offset_bound(d, s, PT_BOUND_PRECEDING, m->preceding->offset, m->preceding->offset_expr, out);
    case BOUND(FOLLOWING):
        return offset_bound(d, s, PT_BOUND_FOLLOWING, m->following->offset, m->following->offset_expr, out);
    case BOUND(CURRENT_ROW): out->kind = PT_BOUND_CURRENT_ROW; return PT_OK;
    case BOUND(UNBOUNDED): return PT_OK;
    default: return pt__substrait_unknown_kind(d, &m->base, m->kind_case);
    }
}

/* Functions of a row's number have no frame. */
static bool has_frame(const call_of *call)
{
    static const char *const NAMES[] = {"first_value", "last_value", "nth_value"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcmp(NAMES[i], call->row->name) == 0)
            return true;
    }
    return call->row->kind == PT_SUBSTRAIT_AGGREGATE;
}

typedef struct frame {
    Substrait__Expression__WindowFunction__BoundsType type;
    const bound_message *lower;
    const bound_message *upper;
} frame;

static bool is_whole(const pt_expr_window *window)
{
    return window->lower.kind == PT_BOUND_UNBOUNDED_PRECEDING && window->upper.kind == PT_BOUND_UNBOUNDED_FOLLOWING;
}

static pt_status decode_frame(decoder *d, const scope *s, const frame *m, const call_of *call, pt_expr_window *window)
{
    PT_TRY(decode_bound(d, s, m->lower, PT_BOUND_UNBOUNDED_PRECEDING, &window->lower));
    PT_TRY(decode_bound(d, s, m->upper, PT_BOUND_UNBOUNDED_FOLLOWING, &window->upper));
    window->unit = PT_FRAME_ROWS;
    switch ((int)m->type) {
    case SUBSTRAIT__EXPRESSION__WINDOW_FUNCTION__BOUNDS_TYPE__BOUNDS_TYPE_UNSPECIFIED:
        if (!is_whole(window))
            return pt__substrait_unsupported(d, "bounds of no type at the Substrait window function %s", call->shown);
        return PT_OK;
    case SUBSTRAIT__EXPRESSION__WINDOW_FUNCTION__BOUNDS_TYPE__BOUNDS_TYPE_ROWS: return PT_OK;
    case SUBSTRAIT__EXPRESSION__WINDOW_FUNCTION__BOUNDS_TYPE__BOUNDS_TYPE_RANGE:
        window->unit = PT_FRAME_RANGE;
        return PT_OK;
    default: return pt__substrait_unsupported(d, "the Substrait bounds type %d", (int)m->type);
    }
}

/* Every row is a peer of the others: what ranking functions need when nothing orders them. */
static const pt_expr *const *no_order(decoder *d)
{
    const pt_expr **orders = pt__arena_array(d->arena, const pt_expr *, 1);
    pt_expr_sort_order *order = pt__expr_make(d->arena, SORT_ORDER, sort_order, NULL);
    order->child = pt__expr_int(d->arena, 1);
    order->nulls_first = true;
    orders[0] = &order->base;
    return orders;
}

static pt_status make_window(decoder *d, const scope *s, const invocation *m, const frame *bounds,
                             Substrait__AggregationPhase phase, bool is_distinct, pt_expr_window *window, value_of *out)
{
    call_of call;
    PT_TRY(build_call(d, s, PT_SUBSTRAIT_WINDOW, m, &call, &window->function));
    PT_TRY(check_phase(d, phase, &call));
    ((pt_expr_call *)window->function)->is_distinct = is_distinct;
    if (has_frame(&call)) {
        PT_TRY(decode_frame(d, s, bounds, &call, window));
    } else if (window->order_count == 0) {
        window->order = no_order(d);
        window->order_count = 1;
    }
    out->type = call.output;
    out->expr = finish_aggregate(d, &call, &window->base);
    return PT_OK;
}

pt_status pt__substrait_window(decoder *d, const scope *s, const Substrait__Expression__WindowFunction *m,
                               value_of *out)
{
    pt_expr_window *window = pt__expr_make(d->arena, WINDOW, window, NULL);
    const pt_expr **partition = pt__arena_array(d->arena, const pt_expr *, m->n_partitions + 1);
    for (size_t i = 0; i < m->n_partitions; i++) {
        value_of value;
        PT_TRY(pt__substrait_expression(d, s, m->partitions[i], &value));
        partition[i] = value.expr;
    }
    window->partition = partition;
    window->partition_count = m->n_partitions;
    PT_TRY(pt__substrait_sorts(d, s, m->sorts, m->n_sorts, &window->order, &window->order_count));
    invocation call = {
        .anchor = m->function_reference,
        .arguments = m->arguments,
        .argument_count = m->n_arguments,
        .old_arguments = m->args,
        .old_argument_count = m->n_args,
        .options = m->options,
        .option_count = m->n_options,
        .output_type = m->output_type,
    };
    frame bounds = {m->bounds_type, m->lower_bound, m->upper_bound};
    bool is_distinct =
        m->invocation == SUBSTRAIT__AGGREGATE_FUNCTION__AGGREGATION_INVOCATION__AGGREGATION_INVOCATION_DISTINCT;
    return make_window(d, s, &call, &bounds, m->phase, is_distinct, window, out);
}

pt_status pt__substrait_window_of_relation(decoder *d, const scope *s,
                                           const Substrait__ConsistentPartitionWindowRel__WindowRelFunction *m,
                                           const pt_expr *const *partition, size_t partition_count,
                                           const pt_expr *const *order, size_t order_count, value_of *out)
{
    pt_expr_window *window = pt__expr_make(d->arena, WINDOW, window, NULL);
    window->partition = partition;
    window->partition_count = partition_count;
    window->order = order;
    window->order_count = order_count;
    invocation call = {
        .anchor = m->function_reference,
        .arguments = m->arguments,
        .argument_count = m->n_arguments,
        .options = m->options,
        .option_count = m->n_options,
        .output_type = m->output_type,
    };
    frame bounds = {m->bounds_type, m->lower_bound, m->upper_bound};
    bool is_distinct =
        m->invocation == SUBSTRAIT__AGGREGATE_FUNCTION__AGGREGATION_INVOCATION__AGGREGATION_INVOCATION_DISTINCT;
    return make_window(d, s, &call, &bounds, m->phase, is_distinct, window, out);
}
