#include "backend/ballista/copy.h"

#include "base/condition.h"
#include "plan/members.h"

#include <string.h>
#include <strings.h>

/* ---- refusals ---- */

pt_status pt__bl_refuse(pt_error *err, const pt_origin *origin, const char *what)
{
    char text[400];
    size_t size = strlen(what) < sizeof(text) - 32 ? strlen(what) : sizeof(text) - 32;
    memcpy(text, what, size);
    memcpy(text + size, " on a Ballista cluster", 23);
    pt_status status = pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", text, NULL);
    pt__origin_add_context(origin, err);
    return status;
}

pt_status pt__bl_refuse_function(pt__bl *bl, const pt_expr_call *call, pt_error *err)
{
    const char *name = call->function == NULL ? call->name.parts[call->name.count - 1] : call->function->name;
    return pt__bl_refuse(err, call->base.origin, pt__arena_printf(bl->arena, "the function %s", name));
}

pt_status pt__bl_type(pt__bl *bl, const pt_type *type, const pt_origin *origin, pt__btype **out, pt_error *err)
{
    *out = pt__btype_of(bl->arena, type);
    if (*out == NULL)
        return pt__bl_refuse(err, origin,
                             pt__arena_printf(bl->arena, "the type %s", pt__type_simple_string(bl->arena, type)));
    return PT_OK;
}

pt_status pt__bl_enter(pt__bl *bl, pt_error *err)
{
    if (++bl->depth > PT_BALLISTA_NESTING_MAX)
        return pt_error_set(err, PT_LIMIT, "the plan nests more than %d levels", PT_BALLISTA_NESTING_MAX);
    return PT_OK;
}

/* ---- names ---- */

const char *pt__bl_new_name(pt__bl *bl)
{
    return pt__arena_printf(bl->arena, "x%u", ++bl->next);
}

void pt__bl_bind(pt__bl *bl, uint32_t id, const char *name)
{
    if (id >= bl->column_count) {
        size_t count = bl->column_count * 2 > (size_t)id + 1 ? bl->column_count * 2 : (size_t)id + 64;
        const char **grown = pt__arena_array(bl->arena, const char *, count);
        if (bl->column_count > 0)
            memcpy(grown, bl->columns, bl->column_count * sizeof(*grown));
        bl->columns = grown;
        bl->column_count = count;
    }
    bl->columns[id] = name;
}

const char *pt__bl_bound(const pt__bl *bl, uint32_t id)
{
    return id < bl->column_count ? bl->columns[id] : NULL;
}

/* What a CTE gives is lowered once for each reference: then the name is taken. */
const char *pt__bl_bind_own(pt__bl *bl, const pt_column *column)
{
    const char *name =
        pt__bl_bound(bl, column->id) == NULL ? pt__arena_printf(bl->arena, "c%u", column->id) : pt__bl_new_name(bl);
    pt__bl_bind(bl, column->id, name);
    return name;
}

/* ---- questions ---- */

bool pt__bl_is_call(const pt_expr *expr, const char *name)
{
    return expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
           strcasecmp(pt__expr_as_call(expr)->function->name, name) == 0;
}

bool pt__bl_is_float(const pt_type *type)
{
    return type->id == PT_TYPE_FLOAT || type->id == PT_TYPE_DOUBLE;
}

const pt_expr_literal *pt__bl_literal(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_CAST || expr->kind == PT_EXPR_ALIAS)
        expr = expr->kind == PT_EXPR_CAST ? pt__expr_as_cast(expr)->child : pt__expr_as_alias(expr)->child;
    return expr->kind == PT_EXPR_LITERAL ? pt__expr_as_literal(expr) : NULL;
}

static bool no_outer_plan(void *context, const pt_plan *plan);

static bool no_outer(void *context, const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_COLUMN)
        return !pt__expr_as_column(expr)->is_outer;
    pt__visitor visitor = {no_outer, no_outer_plan, context};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
}

static bool no_outer_plan(void *context, const pt_plan *plan)
{
    pt__visitor visitor = {no_outer, no_outer_plan, context};
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
}

bool pt__bl_has_outer(const pt_expr *expr)
{
    return !no_outer(NULL, expr);
}

bool pt__bl_plan_has_outer(const pt_plan *plan)
{
    return !no_outer_plan(NULL, plan);
}

static bool differs(void *context, const pt_expr *expr)
{
    return expr->kind != *(const pt_expr_kind *)context && pt__expr_each_child(expr, differs, context);
}

bool pt__bl_has(const pt_expr *expr, pt_expr_kind kind)
{
    return !differs(&kind, expr);
}

static bool steady_plan(void *context, const pt_plan *plan);

static bool steady(void *context, const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
        pt__expr_as_call(expr)->function->kind == PT_FUNCTION_VOLATILE)
        return false;
    pt__visitor visitor = {steady, steady_plan, context};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
}

static bool steady_plan(void *context, const pt_plan *plan)
{
    pt__visitor visitor = {steady, steady_plan, context};
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
}

bool pt__bl_is_volatile(const pt_plan *plan)
{
    return !steady_plan(NULL, plan);
}

void pt__bl_split_and(pt__bl *bl, const pt_expr *expr, pt__bl_conjuncts *out)
{
    pt__list(const pt_expr *) pending = {0};
    pt__list_push(bl->arena, &pending, expr);
    while (pending.count > 0) {
        const pt_expr *next = pending.items[--pending.count];
        if (pt__bl_is_call(next, "and")) {
            pt__list_push(bl->arena, &pending, pt__expr_as_call(next)->arguments[1]);
            pt__list_push(bl->arena, &pending, pt__expr_as_call(next)->arguments[0]);
        } else {
            pt__list_push(bl->arena, out, next);
        }
    }
}

/* ---- whole plans ---- */

static bool is_utc(const char *zone)
{
    static const char *const NAMES[] = {"UTC", "Etc/UTC", "GMT", "Z", "+00:00", "Etc/GMT", "GMT0", "UCT", "Zulu"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcasecmp(zone, NAMES[i]) == 0)
            return true;
    }
    return false;
}

static pt__bl *start(pt__arena *arena, const pt__ballista_lower_options *options)
{
    pt__bl *bl = pt__arena_make(arena, pt__bl);
    bl->arena = arena;
    bl->options = options;
    bl->time_zone = options->time_zone != NULL && options->time_zone[0] != '\0' ? options->time_zone : "UTC";
    bl->is_utc = is_utc(bl->time_zone);
    bl->target_partitions = options->target_partitions == 0 ? 2 : options->target_partitions;
    return bl;
}

static pt_status check_limits(const pt__bplan *plan, pt_error *err)
{
    if (plan->depth > PT_BALLISTA_DEPTH_MAX)
        return pt_error_set(err, PT_LIMIT, "the plan nests too deeply for a Ballista cluster: %u of %d levels",
                            plan->depth, PT_BALLISTA_DEPTH_MAX);
    if (plan->weight > PT_BALLISTA_WEIGHT_MAX * 10)
        return pt_error_set(err, PT_LIMIT, "the plan is too large for a Ballista cluster: %llu nodes",
                            (unsigned long long)plan->weight);
    return PT_OK;
}

static pt_status pack(pt__arena *arena, const pt__bplan *plan, pt_bytes_view *out, pt_error *err)
{
    PT_TRY(check_limits(plan, err));
    size_t size = datafusion__logical_plan_node__get_packed_size(&plan->node);
    uint8_t *bytes = pt__arena_alloc(arena, size + 1);
    datafusion__logical_plan_node__pack(&plan->node, bytes);
    *out = (pt_bytes_view){bytes, size};
    return PT_OK;
}

static void take_visible(pt__arena *arena, const pt_plan *plan, pt__ballista_lowered *out)
{
    pt_column *columns = pt__arena_array(arena, pt_column, plan->column_count + 1);
    out->column_count = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        if (!plan->columns[i].is_hidden)
            columns[out->column_count++] = plan->columns[i];
    }
    out->columns = columns;
}

/* In the layout that a client gets. */
static pt_status result_type(pt__bl *bl, const pt_type *type, pt__btype **out, pt_error *err)
{
    if (type->id == PT_TYPE_INTERVAL_DAY_TIME)
        *out = pt__btype_named(bl->arena, "duration");
    else if (type->id == PT_TYPE_INTERVAL_YEAR_MONTH)
        *out = pt__btype_named(bl->arena, "months");
    else
        return pt__bl_type(bl, type, NULL, out, err);
    return PT_OK;
}

static pt_status project_result(pt__bl *bl, const pt__ballista_lowered *result, const char *const *names,
                                const pt__bplan **plan, pt_error *err)
{
    size_t count = result->column_count;
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, count + 1);
    pt__bname *made = pt__arena_array(bl->arena, pt__bname, count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *name = pt__bl_bound(bl, result->columns[i].id);
        pt__btype *type;
        PT_TRY(result_type(bl, result->columns[i].type, &type, err));
        if (name == NULL)
            return pt_error_set(err, PT_INTERNAL, "the column %s is not bound", result->columns[i].name);
        items[i] = pt__bx_cast(bl->arena, pt__bx_column(bl->arena, name), type);
        made[i].name = names != NULL ? names[i] : pt__arena_printf(bl->arena, "o%zu", i);
        made[i].type = result->columns[i].type;
    }
    if (count == 0) {
        items[0] = pt__bx_int32(bl->arena, 0);
        made[0] = (pt__bname){"o0", PT_T(INT)};
        count = 1;
    }
    *plan = pt__bplan_project(bl->arena, *plan, items, made, count);
    return PT_OK;
}

static pt_status lower_query(pt__arena *arena, const pt_plan *plan, const pt__ballista_lower_options *options,
                             bool own_names, pt__ballista_lowered *result, const pt__bplan **out, pt_error *err)
{
    if (plan->columns == NULL && plan->column_count > 0)
        return pt_error_set(err, PT_INTERNAL, "the plan has not been analyzed");
    pt__bl *bl = start(arena, options);
    take_visible(arena, plan, result);
    PT_TRY(pt__bl_relation(bl, plan, out, err));
    const char **names = pt__arena_array(arena, const char *, result->column_count + 1);
    for (size_t i = 0; i < result->column_count; i++)
        names[i] = result->columns[i].name;
    return project_result(bl, result, own_names ? names : NULL, out, err);
}

pt_status pt__ballista_lower(pt__arena *arena, const pt_plan *plan, const pt__ballista_lower_options *options,
                             pt__ballista_lowered *out, pt_error *err)
{
    const pt__bplan *lowered;
    PT_TRY(lower_query(arena, plan, options, false, out, &lowered, err));
    return pack(arena, lowered, &out->plan, err);
}

/* ---- explain ---- */

static pt__bplan *explain_node(pt__arena *arena, const pt__bplan *query, bool analyze)
{
    pt__bplan *made = pt__bplan_new(arena);
    pt__bplan_holds(made, query, 2);
    if (analyze) {
        made->node.logical_plan_type_case = DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_ANALYZE;
        made->node.analyze = pt__arena_make(arena, Datafusion__AnalyzeNode);
        datafusion__analyze_node__init(made->node.analyze);
        made->node.analyze->input = pt__bplan_node(query);
        return made;
    }
    made->node.logical_plan_type_case = DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_EXPLAIN;
    made->node.explain = pt__arena_make(arena, Datafusion__ExplainNode);
    datafusion__explain_node__init(made->node.explain);
    made->node.explain->input = pt__bplan_node(query);
    return made;
}

pt_status pt__ballista_lower_explain(pt__arena *arena, const pt_plan *query, bool analyze,
                                     const pt__ballista_lower_options *options, pt_bytes_view *out, pt_error *err)
{
    const pt__bplan *lowered;
    pt__ballista_lowered result;
    PT_TRY(lower_query(arena, query, options, true, &result, &lowered, err));
    return pack(arena, explain_node(arena, lowered, analyze), out, err);
}

/* ---- copy ---- */

pt_status pt__ballista_lower_copy(pt__arena *arena, const pt_plan *query, const pt__ballista_copy *copy,
                                  const pt__ballista_lower_options *options, pt_bytes_view *out, pt_error *err)
{
    const pt__bplan *lowered;
    pt__ballista_lowered rows;
    PT_TRY(lower_query(arena, query, options, true, &rows, &lowered, err));
    PT_TRY(pt__bl_copy_node(arena, copy, &rows, lowered, &lowered, err));
    return pack(arena, lowered, out, err);
}
