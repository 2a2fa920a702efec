/* The table of lowering rules, and what the rules share. */
#include "backend/duckdb/lower_rules.h"

#include <string.h>
#include <strings.h>

bool pt__is_function(const pt_expr_call *call, const char *name)
{
    return strcasecmp(call->function->name, name) == 0;
}

static const pt_expr *skip_casts(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_CAST)
        expr = pt__expr_as_cast(expr)->child;
    return expr;
}

/* A literal, also one that analysis has cast. */
const pt_expr_literal *pt__literal_below_casts(const pt_expr *expr)
{
    expr = skip_casts(expr);
    return expr->kind == PT_EXPR_LITERAL ? pt__expr_as_literal(expr) : NULL;
}

bool pt__is_true_literal(const pt_expr *expr)
{
    const pt_expr_literal *literal = pt__literal_below_casts(expr);
    return literal != NULL && !literal->value.is_null && literal->base.type->id == PT_TYPE_BOOLEAN &&
           literal->value.as.boolean;
}

void pt__put_all_present(pt__lower *lower, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pt__putf(lower, "%s{%zu} IS NOT NULL", i == 0 ? "" : " AND ", i);
}

pt__lower_rule pt__lower_rule_find(const char *name)
{
    static const struct {
        const char *name;
        pt__lower_rule rule;
    } RULES[] = {
#define PT_LOWER_RULE(name) {#name, pt__lowering_##name},
#include "backend/duckdb/lower_rules.def"
#undef PT_LOWER_RULE
    };
    for (size_t i = 0; i < sizeof(RULES) / sizeof(*RULES); i++) {
        if (strcmp(RULES[i].name, name) == 0)
            return RULES[i].rule;
    }
    return NULL;
}
