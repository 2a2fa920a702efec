/*
 * Aggregation. A call may need several of DataFusion's aggregates and something computed of them: those are columns
 * x<n> of the aggregate node, and a projection above computes the results.
 */
#include "backend/ballista/lower_rules.h"

#include "base/unconst.h"

#include <math.h>
#include <string.h>

/* ---- the aggregates of a node ---- */

static bool same_message(const pt__bx *a, const pt__bx *b)
{
    size_t size = datafusion__logical_expr_node__get_packed_size(&a->node);
    if (a->weight != b->weight || size != datafusion__logical_expr_node__get_packed_size(&b->node) || size > 4096)
        return false;
    uint8_t x[4096];
    uint8_t y[4096];
    datafusion__logical_expr_node__pack(&a->node, x);
    datafusion__logical_expr_node__pack(&b->node, y);
    return memcmp(x, y, size) == 0;
}

static const pt__bx *collect(pt__bl *bl, const pt__bx *call, const pt_type *type)
{
    pt__bl_leaves *leaves = bl->leaves;
    for (size_t i = 0; i < leaves->calls.count; i++) {
        if (same_message(leaves->calls.items[i], call))
            return pt__bx_column(bl->arena, leaves->names.items[i].name);
    }
    pt__bname name = {pt__bl_new_name(bl), type};
    pt__list_push(bl->arena, &leaves->calls, call);
    pt__list_push(bl->arena, &leaves->names, name);
    return pt__bx_column(bl->arena, name.name);
}

static void hold(pt__bx *parent, const pt__bx *child, uint32_t levels)
{
    parent->depth = parent->depth < child->depth + levels ? child->depth + levels : parent->depth;
    parent->weight += child->weight;
}

/* FILTER of the call itself and the one that the leaf has. */
static pt_status whole_filter(pt__bl *bl, const pt__bx *own, const pt__bx **out, pt_error *err)
{
    *out = own;
    if (bl->call == NULL || bl->call->filter == NULL)
        return PT_OK;
    const pt__bx *given;
    PT_TRY(pt__bl_expr(bl, bl->call->filter, &given, err));
    *out = pt__bx_and(bl->arena, given, own);
    return PT_OK;
}

typedef struct leaf_order {
    Datafusion__SortExprNode *const *items;
    size_t count;
} leaf_order;

static pt_status make_leaf(pt__bl *bl, const char *name, const pt__bx *const *arguments, size_t count,
                           const pt__bx *filter, const leaf_order *order, bool ignores_nulls, const pt_type *type,
                           const pt__bx **out, pt_error *err)
{
    pt__bx *made = pt__arena_make(bl->arena, pt__bx);
    Datafusion__AggregateUDFExprNode *node = pt__arena_make(bl->arena, Datafusion__AggregateUDFExprNode);
    datafusion__logical_expr_node__init(&made->node);
    datafusion__aggregate_udfexpr_node__init(node);
    made->node.expr_type_case = DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_AGGREGATE_UDF_EXPR;
    made->node.aggregate_udf_expr = node;
    made->depth = 2;
    made->weight = 2;
    node->fun_name = pt__unconst(name);
    node->n_args = count;
    node->args = pt__arena_array(bl->arena, Datafusion__LogicalExprNode *, count + 1);
    for (size_t i = 0; i < count; i++) {
        node->args[i] = pt__bx_node(arguments[i]);
        hold(made, arguments[i], 2);
    }
    PT_TRY(whole_filter(bl, filter, &filter, err));
    if (filter != NULL) {
        node->filter = pt__bx_node(filter);
        hold(made, filter, 2);
    }
    if (order != NULL) {
        node->n_order_by = order->count;
        node->order_by = pt__unconst(order->items);
        made->depth += 6;
    }
    node->distinct = bl->call != NULL && bl->call->is_distinct;
    if (ignores_nulls) {
        node->null_treatment_given_case = DATAFUSION__AGGREGATE_UDFEXPR_NODE__NULL_TREATMENT_GIVEN_NULL_TREATMENT;
        node->null_treatment = DATAFUSION__NULL_TREATMENT__IGNORE_NULLS;
    }
    *out = collect(bl, made, type);
    return PT_OK;
}

pt_status pt__bl_leaf(pt__bl *bl, const char *name, const pt__bx *const *arguments, size_t count, const pt__bx *filter,
                      const pt_type *type, const pt__bx **out, pt_error *err)
{
    if (bl->over != NULL) {
        PT_TRY(whole_filter(bl, filter, &filter, err));
        return pt__bl_window_leaf(bl, name, true, arguments, count, filter, type, out, err);
    }
    if (bl->leaves == NULL)
        return pt_error_set(err, PT_INTERNAL, "the aggregate %s stands outside of an aggregation", name);
    return make_leaf(bl, name, arguments, count, filter, NULL, false, type, out, err);
}

/* ---- sums and averages ---- */

enum { SUM_DIGITS = 10, SAFE_DIGITS = 28 /* of a summand: 10^10 of them fit into 128 bits */ };

static pt__btype *sum_type(pt__bl *bl, const pt_type *type)
{
    if (type->precision > SAFE_DIGITS)
        return pt__btype_decimal256(bl->arena, type->precision + SUM_DIGITS, type->scale);
    return pt__btype_of(bl->arena, type);
}

static const pt__bx *fit(pt__bl *bl, const pt_expr_call *call, const pt__bx *x, const pt_type *type)
{
    pt__btype *arrow = pt__btype_of(bl->arena, type);
    return pt__bl_fails_to_null(call) ? pt__bx_try_cast(bl->arena, x, arrow) : pt__bx_cast(bl->arena, x, arrow);
}

/* Rows leave a frame that moves, and what they added to a sum of floats is not taken away exactly. */
static pt_status check_frame(pt__bl *bl, const pt_expr_call *call, pt_error *err)
{
    if (bl->over == NULL || bl->over->unit == PT_FRAME_NONE || bl->over->lower.kind == PT_BOUND_UNBOUNDED_PRECEDING)
        return PT_OK;
    return pt__bl_refuse(err, call->base.origin, "a moving frame over floating-point numbers");
}

PT_BL_LOWERING(sum)
{
    const pt_type *from = pt__bl_type_of(call, 0);
    if (pt__bl_is_float(from)) {
        PT_TRY(check_frame(bl, call, err));
        return pt__bl_leaf(bl, "sum", x, 1, NULL, call->base.type, out, err);
    }
    pt__btype *type;
    if (from->id == PT_TYPE_DECIMAL)
        type = sum_type(bl, from);
    else if (call->mode == PT_CAST_LEGACY || pt__bl_bits(call->arguments[0]) <= 15)
        type = pt__btype_named(bl->arena, "int64");
    else
        type = pt__btype_named(bl->arena, "decimal20");
    const pt__bx *summand = pt__bx_cast(bl->arena, x[0], type);
    PT_TRY(pt__bl_leaf(bl, "sum", &summand, 1, NULL, call->base.type, out, err));
    *out = fit(bl, call, *out, call->base.type);
    return PT_OK;
}

PT_BL_LOWERING(average)
{
    const pt_type *from = pt__bl_type_of(call, 0);
    if (from->id != PT_TYPE_DECIMAL) {
        PT_TRY(check_frame(bl, call, err));
        return pt__bl_leaf(bl, "avg", x, 1, NULL, call->base.type, out, err);
    }
    const pt__bx *summand = pt__bx_cast(bl->arena, x[0], sum_type(bl, from));
    const pt__bx *sum;
    const pt__bx *count;
    PT_TRY(pt__bl_leaf(bl, "sum", &summand, 1, NULL, from, &sum, err));
    PT_TRY(pt__bl_leaf(bl, "count", x, 1, NULL, PT_T(LONG), &count, err));
    int precision = from->precision + SUM_DIGITS;
    const pt_type *total = pt__type_decimal(
        bl->arena, precision > PT_DECIMAL_PRECISION_MAX ? PT_DECIMAL_PRECISION_MAX : precision, from->scale);
    const pt__bx *divisor = pt__bx_cast(bl->arena, count, pt__btype_named(bl->arena, "decimal20"));
    const pt__bx *zero = pt__bx_cast(bl->arena, pt__bx_int64(bl->arena, 0), pt__btype_named(bl->arena, "decimal20"));
    /* No rows: NULL divided by NULL. */
    divisor = pt__bx_call2(bl->arena, "nullif", divisor, zero);
    *out = pt__bl_divide_decimals(bl, fit(bl, call, sum, total), total, divisor, pt__type_decimal(bl->arena, 20, 0),
                                  call->base.type, pt__bl_fails_to_null(call));
    return PT_OK;
}

/* ---- counts ---- */

PT_BL_LOWERING(count)
{
    const pt__bx *one = pt__bx_int64(bl->arena, 1);
    const pt__bx *present = NULL;
    size_t varying = 0;
    for (size_t i = 0; i < call->argument_count; i++) {
        if (!call->arguments[i]->nullable)
            continue;
        present = pt__bx_and(bl->arena, present, pt__bx_is_not_null(bl->arena, x[i]));
        varying++;
    }
    if (!call->is_distinct && varying == 0)
        return pt__bl_leaf(bl, "count", &one, 1, NULL, PT_T(LONG), out, err);
    if (call->argument_count == 1) {
        const pt__bx *argument = x[0];
        if (call->is_distinct)
            argument = pt__bl_normal(bl, argument, call->arguments[0], pt__bl_type_of(call, 0));
        return pt__bl_leaf(bl, "count", &argument, 1, NULL, PT_T(LONG), out, err);
    }
    if (call->is_distinct)
        return pt__bl_refuse(err, call->base.origin, "count(DISTINCT) of several expressions");
    return pt__bl_leaf(bl, "count", &one, 1, present, PT_T(LONG), out, err);
}

/* ---- smallest and largest ---- */

static pt_status extreme_float(pt__bl *bl, const pt_expr_call *call, const pt__bx *x, bool is_max, const pt__bx **out,
                               pt_error *err)
{
    pt__arena *arena = bl->arena;
    const pt_type *type = call->base.type;
    const pt__bx *is_nan = pt__bx_call1(arena, "isnan", x);
    const pt__bx *normal = pt__bl_normal(bl, x, call->arguments[0], type);
    const pt__bx *proper;
    const pt__bx *nan_count;
    const pt__bx *proper_count;
    const pt__bx *one = pt__bx_int64(arena, 1);
    PT_TRY(pt__bl_leaf(bl, is_max ? "max" : "min", &normal, 1, pt__bx_not(arena, is_nan), type, &proper, err));
    PT_TRY(pt__bl_leaf(bl, "count", &one, 1, is_nan, PT_T(LONG), &nan_count, err));
    PT_TRY(pt__bl_leaf(bl, "count", &one, 1, pt__bx_not(arena, is_nan), PT_T(LONG), &proper_count, err));
    const pt__bx *nan_value = pt__bx_cast(arena, pt__bx_double(arena, NAN), pt__btype_of(arena, type));
    const pt__bx *wins = pt__bx_binary(arena, "Gt", nan_count, pt__bx_int64(arena, 0));
    if (!is_max) /* NaN is the largest */
        wins = pt__bx_and(arena, wins, pt__bx_binary(arena, "Eq", proper_count, pt__bx_int64(arena, 0)));
    *out = pt__bx_if(arena, wins, nan_value, proper);
    return PT_OK;
}

/* Field by field; NULL is the smallest. */
static pt_status extreme_struct(pt__bl *bl, const pt_expr_call *call, const pt__bx *x, bool is_max, const pt__bx **out,
                                pt_error *err)
{
    const pt_type *type = call->base.type;
    Datafusion__SortExprNode **order = pt__arena_array(bl->arena, Datafusion__SortExprNode *, type->field_count + 1);
    for (size_t i = 0; i < type->field_count; i++) {
        const pt_field *field = &type->fields[i];
        if (field->type->id == PT_TYPE_STRUCT || bl->over != NULL)
            return pt__bl_refuse(err, call->base.origin, "max and min of structs of structs, or in windows");
        const pt__bx *value = pt__bx_call2(bl->arena, "get_field", x, pt__bx_text(bl->arena, field->name));
        value = pt__bl_normal(bl, value, call->arguments[0], field->type);
        order[i] = pt__bsort(bl->arena, value, !is_max, !is_max);
    }
    leaf_order fields = {order, type->field_count};
    return make_leaf(bl, "first_value", &x, 1, pt__bx_is_not_null(bl->arena, x), &fields, false, type, out, err);
}

PT_BL_LOWERING(extreme)
{
    const pt_type *type = call->base.type;
    bool is_max = pt__bl_is_call(&call->base, "max");
    if (type->id == PT_TYPE_STRUCT)
        return extreme_struct(bl, call, x[0], is_max, out, err);
    if (pt__bl_is_float(type))
        return extreme_float(bl, call, x[0], is_max, out, err);
    return pt__bl_leaf(bl, is_max ? "max" : "min", x, 1, NULL, type, out, err);
}

PT_BL_LOWERING(extreme_by)
{
    const pt_type *by = pt__bl_type_of(call, 1);
    bool is_max = pt__bl_is_call(&call->base, "max_by");
    if (bl->over != NULL || call->is_distinct || by->id == PT_TYPE_STRUCT)
        return pt__bl_refuse_function(bl, call, err);
    Datafusion__SortExprNode **order = pt__arena_array(bl->arena, Datafusion__SortExprNode *, 1);
    order[0] = pt__bsort(bl->arena, pt__bl_normal(bl, x[1], call->arguments[1], by), !is_max, false);
    leaf_order one = {order, 1};
    return make_leaf(bl, "first_value", x, 1, pt__bx_is_not_null(bl->arena, x[1]), &one, false, call->base.type, out,
                     err);
}

static bool is_true(const pt_expr *expr)
{
    const pt_expr_literal *literal = pt__bl_literal(expr);
    return literal != NULL && !literal->value.is_null && literal->base.type->id == PT_TYPE_BOOLEAN &&
           literal->value.as.boolean;
}

PT_BL_LOWERING(first)
{
    bool skips = call->ignore_nulls || (call->argument_count > 1 && is_true(call->arguments[1]));
    bool is_last = strncmp(call->function->name, "last", 4) == 0;
    const char *name = is_last ? "last_value" : "first_value";
    const pt__bx *present = skips ? pt__bx_is_not_null(bl->arena, x[0]) : NULL;
    if (bl->over != NULL) {
        pt_expr_call *own = pt__arena_copy(bl->arena, call, sizeof(*call));
        own->ignore_nulls = skips;
        bl->call = own;
        return pt__bl_window_leaf(bl, name, false, x, 1, NULL, call->base.type, out, err);
    }
    return make_leaf(bl, name, x, 1, present, NULL, false, call->base.type, out, err);
}

/* The order of texts that are made distinct is that of a hash table. */
PT_BL_LOWERING(listagg)
{
    if (call->is_distinct || bl->over != NULL)
        return pt__bl_refuse_function(bl, call, err);
    const pt__bx *arguments[] = {x[0], call->argument_count > 1 ? x[1] : pt__bx_text(bl->arena, "")};
    return pt__bl_leaf(bl, "string_agg", arguments, 2, NULL, call->base.type, out, err);
}

/* ---- grouping sets ---- */

static bool has_member(const pt_grouping_set *set, size_t key)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->members[i] == key)
            return true;
    }
    return false;
}

/* As Spark does: every row once for each set, with the keys that the set leaves out made NULL. */
static pt_status expand(pt__bl *bl, const pt_plan_aggregate *aggregate, const pt__bplan **input, const char **set,
                        pt_error *err)
{
    pt_column column = {.id = 0, .name = "", .type = PT_T(INT)};
    const pt__bx **cells = pt__arena_array(bl->arena, const pt__bx *, aggregate->set_count);
    for (size_t i = 0; i < aggregate->set_count; i++)
        cells[i] = pt__bx_int32(bl->arena, (int32_t)i);
    const pt__bplan *sets;
    const char *before = pt__bl_bound(bl, 0);
    pt__bl_bind(bl, 0, "");
    PT_TRY(pt__bl_rows(bl, &column, 1, cells, aggregate->set_count, &sets, err));
    *set = pt__bl_bound(bl, 0);
    pt__bl_bind(bl, 0, before);
    *input = pt__bplan_cross(bl->arena, *input, sets);
    return PT_OK;
}

/* The key in the sets that have it. */
static const pt__bx *in_sets(pt__bl *bl, const pt_plan_aggregate *aggregate, const char *set, size_t key,
                             const pt__bx *x)
{
    const pt__bx **members = pt__arena_array(bl->arena, const pt__bx *, aggregate->set_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < aggregate->set_count; i++) {
        if (has_member(&aggregate->sets[i], key))
            members[count++] = pt__bx_int32(bl->arena, (int32_t)i);
    }
    pt__btype *type = pt__btype_of(bl->arena, aggregate->grouping[key]->type);
    if (count == 0)
        return pt__bx_null(bl->arena, type);
    const pt__bx *is_member = pt__bx_in(bl->arena, pt__bx_column(bl->arena, set), members, count, false);
    return pt__bx_if(bl->arena, is_member, x, pt__bx_null(bl->arena, type));
}

/* A number of bits by set: bit i, from the left, tells that keys[i] is left out. */
static const pt__bx *grouping_bits(pt__bl *bl, const size_t *keys, size_t count)
{
    const pt_plan_aggregate *aggregate = bl->aggregate;
    if (aggregate->set_count == 0)
        return pt__bx_int64(bl->arena, 0);
    const pt__bx **pairs = pt__arena_array(bl->arena, const pt__bx *, 2 * aggregate->set_count);
    for (size_t i = 0; i < aggregate->set_count; i++) {
        int64_t bits = 0;
        for (size_t k = 0; k < count; k++)
            bits = bits * 2 + (has_member(&aggregate->sets[i], keys[k]) ? 0 : 1);
        const pt__bx *set = pt__bx_column(bl->arena, bl->set_name);
        pairs[2 * i] = pt__bx_binary(bl->arena, "Eq", set, pt__bx_int32(bl->arena, (int32_t)i));
        pairs[2 * i + 1] = pt__bx_int64(bl->arena, bits);
    }
    return pt__bx_case(bl->arena, pairs, aggregate->set_count, NULL);
}

PT_BL_LOWERING(grouping)
{
    (void)x;
    const pt_plan_aggregate *aggregate = bl->aggregate;
    if (aggregate == NULL)
        return pt__bl_refuse(err, call->base.origin, "grouping() outside of GROUP BY");
    size_t count = call->argument_count == 0 ? aggregate->grouping_count : call->argument_count;
    size_t *keys = pt__arena_array(bl->arena, size_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        keys[i] = i;
        if (call->argument_count == 0)
            continue;
        for (keys[i] = 0; keys[i] < aggregate->grouping_count; keys[i]++) {
            if (pt__expr_equal(aggregate->grouping[keys[i]], call->arguments[i]))
                break;
        }
        if (keys[i] == aggregate->grouping_count)
            return pt__bl_refuse(err, call->base.origin, "grouping() of what is no grouping column");
    }
    *out = pt__bx_cast(bl->arena, grouping_bits(bl, keys, count), pt__btype_of(bl->arena, call->base.type));
    return PT_OK;
}

/* ---- the node ---- */

typedef struct keys {
    pt__bname *names;
    const pt__bx **items; /* over the input */
    size_t count;
} keys;

static pt_status lower_keys(pt__bl *bl, const pt_plan_aggregate *aggregate, const pt__bplan **input,
                            const pt__bname *extra, size_t extra_count, keys *out, pt_error *err)
{
    size_t count = aggregate->grouping_count;
    out->names = pt__arena_array(bl->arena, pt__bname, count + extra_count + 1);
    out->items = pt__arena_array(bl->arena, const pt__bx *, count + extra_count + 1);
    for (size_t i = 0; i < count; i++) {
        const pt_expr *key = aggregate->grouping[i];
        if (key->type->id == PT_TYPE_MAP || key->type->id == PT_TYPE_ARRAY)
            return pt__bl_refuse(err, key->origin, "GROUP BY a nested value");
        PT_TRY(pt__bl_expr_over(bl, key, input, &out->items[i], err));
        out->items[i] = pt__bl_normal(bl, out->items[i], key, key->type);
        if (bl->set_name != NULL)
            out->items[i] = in_sets(bl, aggregate, bl->set_name, i, out->items[i]);
    }
    out->count = count;
    for (size_t i = 0; i < extra_count; i++, out->count++) {
        out->names[out->count] = extra[i];
        out->items[out->count] = pt__bx_column(bl->arena, extra[i].name);
    }
    if (bl->set_name != NULL) {
        out->names[out->count] = (pt__bname){bl->set_name, PT_T(INT)};
        out->items[out->count++] = pt__bx_column(bl->arena, bl->set_name);
    }
    return PT_OK;
}

static bool is_column_named(const pt__bx *x, const char **name)
{
    if (x->node.expr_type_case != DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_COLUMN)
        return false;
    *name = x->node.column->name;
    return true;
}

/* Keys that are no columns of their own are computed below, under the names that they will have above. */
static void place_keys(pt__bl *bl, const pt_plan_aggregate *aggregate, const pt__bplan **input, keys *k)
{
    for (size_t i = 0; i < aggregate->grouping_count; i++) {
        const pt_column *column = &aggregate->base.columns[i];
        const char *name;
        bool is_free = is_column_named(k->items[i], &name);
        for (size_t j = 0; j < i && is_free; j++)
            is_free = strcmp(k->names[j].name, name) != 0;
        if (is_free) {
            pt__bl_bind(bl, column->id, name);
        } else {
            const pt__bx *item = k->items[i];
            name = pt__bl_bind_own(bl, column);
            *input = pt__bl_extend(bl, *input, item, name, column->type);
            k->items[i] = pt__bx_column(bl->arena, name);
        }
        k->names[i] = (pt__bname){name, column->type};
    }
}

static pt_status lower_results(pt__bl *bl, const pt_plan_aggregate *aggregate, const pt__bplan **input,
                               pt__bl_grouped *out, pt_error *err)
{
    out->results = pt__arena_array(bl->arena, const pt__bx *, aggregate->aggregate_count + 1);
    pt__bl before = *bl;
    for (size_t i = 0; i < aggregate->aggregate_count; i++) {
        if (aggregate->aggregates[i]->kind != PT_EXPR_CALL)
            return pt__bl_refuse(err, aggregate->aggregates[i]->origin, "this aggregate expression");
        const pt_expr_call *call = pt__expr_as_call(aggregate->aggregates[i]);
        if (call->within_group_count > 0)
            return pt__bl_refuse_function(bl, call, err);
        bl->leaves = &out->leaves;
        bl->over = NULL;
        bl->call = call;
        PT_TRY(pt__bl_expr_over(bl, &call->base, input, &out->results[i], err));
        bl->leaves = before.leaves;
        bl->over = before.over;
        bl->call = before.call;
    }
    return PT_OK;
}

pt_status pt__bl_group(pt__bl *bl, const pt_plan_aggregate *aggregate, const pt__bplan *input, const pt__bname *extra,
                       size_t extra_count, pt__bl_grouped *out, pt_error *err)
{
    keys k = {0};
    *out = (pt__bl_grouped){0};
    bl->set_name = NULL;
    bl->aggregate = aggregate;
    if (aggregate->set_count > 0)
        PT_TRY(expand(bl, aggregate, &input, &bl->set_name, err));
    PT_TRY(lower_keys(bl, aggregate, &input, extra, extra_count, &k, err));
    PT_TRY(lower_results(bl, aggregate, &input, out, err));
    place_keys(bl, aggregate, &input, &k);
    size_t leaf_count = out->leaves.calls.count;
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, k.count + leaf_count + 1);
    memcpy(names, k.names, k.count * sizeof(*names));
    for (size_t i = 0; i < leaf_count; i++)
        names[k.count + i] = out->leaves.names.items[i];
    if (k.count + leaf_count == 0) { /* nothing but rows: one */
        out->plan = pt__bplan_one_row(bl->arena);
        return PT_OK;
    }
    if (leaf_count == 0) { /* DISTINCT by another name */
        const pt__bplan *picked = pt__bplan_pick(bl->arena, input, names, k.count);
        out->plan = pt__bplan_distinct(bl->arena, picked);
        return PT_OK;
    }
    out->plan = pt__bplan_aggregate(bl->arena, input, k.items, k.count, out->leaves.calls.items, leaf_count, names);
    return PT_OK;
}

/* Aggregates whose results are bare columns are only bound. */
void pt__bl_bind_results(pt__bl *bl, const pt_plan_aggregate *aggregate, pt__bl_grouped *grouped)
{
    const pt__bplan *plan = grouped->plan;
    size_t most = plan->name_count + aggregate->aggregate_count + 1;
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, most);
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, most);
    size_t count = 0;
    for (; count < plan->name_count; count++) {
        names[count] = plan->names[count];
        items[count] = pt__bx_column(bl->arena, names[count].name);
    }
    size_t plain = count;
    for (size_t i = 0; i < aggregate->aggregate_count; i++) {
        const pt_column *column = &aggregate->base.columns[aggregate->grouping_count + i];
        const char *name;
        if (is_column_named(grouped->results[i], &name)) {
            pt__bl_bind(bl, column->id, name);
            continue;
        }
        items[count] = grouped->results[i];
        names[count++] = (pt__bname){pt__bl_bind_own(bl, column), column->type};
    }
    if (count > plain)
        grouped->plan = pt__bplan_project(bl->arena, plan, items, names, count);
}

static void bind_grouping_id(pt__bl *bl, const pt_plan_aggregate *aggregate, pt__bl_grouped *grouped)
{
    const pt_column *column = &aggregate->base.columns[aggregate->grouping_count + aggregate->aggregate_count];
    size_t *all = pt__arena_array(bl->arena, size_t, aggregate->grouping_count + 1);
    for (size_t i = 0; i < aggregate->grouping_count; i++)
        all[i] = i;
    const pt__bx *bits = pt__bx_cast(bl->arena, grouping_bits(bl, all, aggregate->grouping_count),
                                     pt__btype_of(bl->arena, column->type));
    grouped->plan = pt__bl_extend(bl, grouped->plan, bits, pt__bl_bind_own(bl, column), column->type);
}

pt_status pt__bl_aggregate_plan(pt__bl *bl, const pt_plan_aggregate *aggregate, const pt__bplan **out, pt_error *err)
{
    const pt__bplan *input = NULL;
    if (aggregate->input != NULL)
        PT_TRY(pt__bl_relation(bl, aggregate->input, &input, err));
    else
        input = pt__bplan_one_row(bl->arena);
    const pt_plan_aggregate *before = bl->aggregate;
    const char *set_before = bl->set_name;
    pt__bl_grouped grouped;
    PT_TRY(pt__bl_group(bl, aggregate, input, NULL, 0, &grouped, err));
    pt__bl_bind_results(bl, aggregate, &grouped);
    if (aggregate->has_grouping_id)
        bind_grouping_id(bl, aggregate, &grouped);
    bl->aggregate = before;
    bl->set_name = set_before;
    *out = grouped.plan;
    return PT_OK;
}
