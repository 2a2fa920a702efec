/* validate: limits on what a query may ask for, checked on the analyzed plan before anything runs. */
#include "wrap/cross_join.h"
#include "wrap/tree.h"
#include "wrap/wrappers.h"

#include "analyze/function.h"
#include "plan/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct counts {
#define PT_VALIDATE(field, key, kind, value, what) uint64_t field;
#include "wrap/validate.def"
#undef PT_VALIDATE
} counts;

typedef struct validator {
    pt_wrapper base;
    counts limits;   /* 0: none */
    char *forbidden; /* names of functions, separated by commas; NULL: none */
    bool cross_joins;
} validator;

/* ---- configuration ---- */

typedef enum limit_kind { COUNT, SIZE } limit_kind;

static pt_status read_limit(const pt_config *config, const char *key, limit_kind kind, uint64_t fallback, uint64_t *out,
                            pt_error *err)
{
    int64_t count;
    if (kind == SIZE)
        return pt_config_size(config, key, fallback, out, err);
    PT_TRY(pt_config_integer(config, key, (int64_t)fallback, &count, err));
    if (count < 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "%s = %lld is negative", key, (long long)count);
    *out = (uint64_t)count;
    return PT_OK;
}

static pt_status open(void *self, const pt_config *config, pt_env *env, pt_error *err)
{
    validator *v = self;
    (void)env;
#define PT_VALIDATE(field, key, kind, value, what) PT_TRY(read_limit(config, key, kind, value, &v->limits.field, err));
#include "wrap/validate.def"
#undef PT_VALIDATE
    PT_TRY(pt_config_boolean(config, "validate.cross-joins", true, &v->cross_joins, err));
    const char *forbidden = pt_config_string(config, "validate.forbidden-functions", NULL);
    v->forbidden = forbidden == NULL ? NULL : strdup(forbidden);
    if (forbidden != NULL && v->forbidden == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the wrapper validate");
    return PT_OK;
}

static void close(void *self)
{
    free(((validator *)self)->forbidden);
}

/* ---- counting ---- */

typedef struct check {
    const validator *v;
    counts seen;
    const char *function; /* a forbidden one */
} check;

static bool is_within(const counts *seen, const counts *limits)
{
    return (limits->nodes == 0 || seen->nodes <= limits->nodes) && (limits->depth == 0 || seen->depth <= limits->depth);
}

static bool count_node(check *c, uint32_t depth)
{
    c->seen.nodes++;
    if (depth > c->seen.depth)
        c->seen.depth = depth;
    return is_within(&c->seen, &c->v->limits);
}

static bool visit_plan(void *context, const pt_plan *plan, uint32_t depth)
{
    check *c = context;
    if (plan->kind == PT_PLAN_JOIN)
        c->seen.joins++;
    if (plan->kind == PT_PLAN_SCAN_FILES && pt__plan_as_scan_files(plan)->files != NULL) {
        const pt_file_set *set = pt__plan_as_scan_files(plan)->files;
        c->seen.files += set->file_count;
        for (size_t i = 0; i < set->file_count; i++)
            c->seen.bytes += set->files[i].size_bytes < 0 ? 0 : (uint64_t)set->files[i].size_bytes;
    }
    return count_node(c, depth);
}

static const char *function_name(const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_PYTHON_UDF)
        return "python_udf";
    if (expr->kind != PT_EXPR_CALL)
        return NULL;
    const pt_expr_call *call = pt__expr_as_call(expr);
    return call->function != NULL ? call->function->name : call->name.parts[call->name.count - 1];
}

static bool visit_expr(void *context, const pt_expr *expr, uint32_t depth)
{
    check *c = context;
    const char *name = c->v->forbidden == NULL ? NULL : function_name(expr);
    if (name != NULL && pt__wrap_list_has(c->v->forbidden, name)) {
        c->function = name;
        return false;
    }
    return count_node(c, depth);
}

static pt_status over(const char *key, const char *what, uint64_t seen, uint64_t limit, pt_error *err)
{
    return pt_error_set(err, PT_LIMIT, "the query asks for %llu %s; the limit %s is %llu", (unsigned long long)seen,
                        what, key, (unsigned long long)limit);
}

static pt_status check_plan(const validator *v, const pt_plan *plan, pt_error *err)
{
    check c = {.v = v};
    pt__tree_walk(plan, &(pt__tree_visitor){visit_plan, visit_expr, &c});
    if (c.function != NULL)
        return pt_error_set(err, PT_PERMISSION_DENIED,
                            "the function %s is forbidden here (validate.forbidden-functions)", c.function);
#define PT_VALIDATE(field, key, kind, value, what)                                                                     \
    if (v->limits.field != 0 && c.seen.field > v->limits.field)                                                        \
        return over(key, what, c.seen.field, v->limits.field, err);
#include "wrap/validate.def"
#undef PT_VALIDATE
    if (!v->cross_joins && pt__find_cross_join(plan) != NULL)
        return pt_error_set(err, PT_LIMIT,
                            "the query joins relations that no condition connects (validate.cross-joins = false)");
    return PT_OK;
}

static pt_status check_query(void *session, const pt_query *query, pt_error *err)
{
    const validator *v = (const validator *)((const pt_wrapper_session *)session)->wrapper;
    return query->plan == NULL ? PT_OK : check_plan(v, query->plan, err);
}

/* ---- the calls ---- */

static pt_status describe(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    PT_TRY(check_query(session, query, err));
    return pt_forward_describe(session, query, out, err);
}

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    PT_TRY(check_query(session, query, err));
    return pt_forward_execute(session, query, out, err);
}

static pt_status explain(void *session, const pt_query *query, struct pt__arena *arena, const char **out, pt_error *err)
{
    PT_TRY(check_query(session, query, err));
    return pt_forward_explain(session, query, arena, out, err);
}

static pt_status keep(void *session, const pt_query *query, void **kept, pt_error *err)
{
    PT_TRY(check_query(session, query, err));
    return pt_forward_keep(session, query, kept, err);
}

static const pt_backend_vtable changes = {
    .size_bytes = sizeof(changes),
    .describe = describe,
    .execute = execute,
    .explain = explain,
    .keep = keep,
};

const pt_wrapper_vtable pt_wrapper_validate = {
    .size_bytes = sizeof(pt_wrapper_vtable),
    .name = "validate",
    .self_bytes = sizeof(validator),
    .session_bytes = sizeof(pt_wrapper_session),
    .open = open,
    .close = close,
    .changes = &changes,
};
