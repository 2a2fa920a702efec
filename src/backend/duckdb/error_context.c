#include "backend/duckdb/error_context.h"

#include "analyze/function.h"
#include "plan/members.h"

#include <string.h>
#include <strings.h>

typedef struct search {
    const pt_error *err;
    const pt_origin *found;
    pt__arena *arena;
} search;

static const char *parameter(const pt_error *err, const char *name)
{
    const char *key;
    const char *value;
    for (size_t i = 0; pt_error_parameter(err, i, &key, &value); i++) {
        if (strcmp(key, name) == 0)
            return value;
    }
    return "";
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strcasecmp(name, *names) == 0)
            return true;
    }
    return false;
}

/* ---- which expressions can fail how ---- */

static const char *const DIVISIONS[] = {"/", "div", NULL};
static const char *const REMAINDERS[] = {"%", "mod", "pmod", NULL};
static const char *const ARITHMETIC[] = {"+",        "-",   "*",   "/",   "div",   "%",
                                         "negative", "abs", "sum", "avg", "round", NULL};
static const char *const INDEXES[] = {"item_of_array", "element_at", "elt", NULL};
static const char *const MAKERS[] = {"make_date", "make_timestamp", "make_timestamp_ntz", "make_timestamp_ltz", NULL};
static const char *const PARSERS[] = {"to_date", "to_timestamp", "unix_timestamp", "to_unix_timestamp", NULL};

static const struct {
    const char *condition;
    const char *const *names;
} CALLS[] = {
    {"DIVIDE_BY_ZERO", DIVISIONS},
    {"INTERVAL_DIVIDED_BY_ZERO", DIVISIONS},
    {"REMAINDER_BY_ZERO", REMAINDERS},
    {"ARITHMETIC_OVERFLOW", ARITHMETIC},
    {"BINARY_ARITHMETIC_OVERFLOW", ARITHMETIC},
    {"NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", ARITHMETIC},
    {"INVALID_ARRAY_INDEX", INDEXES},
    {"INVALID_ARRAY_INDEX_IN_ELEMENT_AT", INDEXES},
    {"INVALID_INDEX_OF_ZERO", INDEXES},
    {"DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION", MAKERS},
    {"DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", MAKERS},
    {"CANNOT_PARSE_TIMESTAMP", PARSERS},
};

static bool call_can_fail(const search *s, const pt_expr_call *call)
{
    if (call->function == NULL)
        return false;
    for (size_t i = 0; i < sizeof(CALLS) / sizeof(*CALLS); i++) {
        if (strcmp(s->err->condition, CALLS[i].condition) != 0 || !is_one_of(call->function->name, CALLS[i].names))
            continue;
        const char *symbol = parameter(s->err, "symbol");
        bool is_integral = pt__type_is_integral(call->base.type) || call->base.type->id == PT_TYPE_DECIMAL;
        if (CALLS[i].names == ARITHMETIC)
            return is_integral && (symbol[0] == '\0' || strcmp(symbol, call->function->name) == 0);
        return true;
    }
    return false;
}

static bool cast_can_fail(const search *s, const pt_expr_cast *cast)
{
    const char *condition = s->err->condition;
    if (cast->mode == PT_CAST_TRY)
        return false;
    if (strcmp(condition, "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION") == 0)
        return cast->target->id == PT_TYPE_DECIMAL;
    if (strncmp(condition, "CAST_", 5) != 0)
        return false;
    const char *wanted = parameter(s->err, "targetType");
    const char *name = pt__type_sql(s->arena, cast->target);
    return wanted[0] == '\0' || (strlen(wanted) == strlen(name) + 2 && strncmp(wanted + 1, name, strlen(name)) == 0);
}

/* ---- the search: what is below is evaluated first ---- */

static bool visit_expr(void *context, const pt_expr *expr);

static bool visit_plan(void *context, const pt_plan *plan)
{
    pt__visitor visitor = {NULL, visit_plan, context};
    if (!pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor))
        return false;
    visitor = (pt__visitor){visit_expr, NULL, context};
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
}

static bool visit_expr(void *context, const pt_expr *expr)
{
    search *s = context;
    pt__visitor visitor = {visit_expr, visit_plan, context};
    if (!pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor))
        return false;
    if (expr->origin == NULL)
        return true;
    if (expr->kind == PT_EXPR_CALL && call_can_fail(s, pt__expr_as_call(expr)))
        s->found = expr->origin;
    else if (expr->kind == PT_EXPR_CAST && cast_can_fail(s, pt__expr_as_cast(expr)))
        s->found = expr->origin;
    return s->found == NULL;
}

void pt__error_find_context(const pt_plan *plan, pt_error *err)
{
    if (plan == NULL || err == NULL || err->condition[0] == '\0' || pt_error_context_count(err) > 0)
        return;
    search s = {.err = err, .arena = pt__arena_new(0)};
    if (s.arena == NULL)
        return;
    visit_plan(&s, plan);
    pt__origin_add_context(s.found, err);
    pt__arena_free(s.arena);
}
