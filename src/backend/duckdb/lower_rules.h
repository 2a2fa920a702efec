/**
 * Lowering rules: the SQL of calls that a template cannot say, and what the rules share.
 *
 * Each rule is a row of lower_rules.def and a PT_LOWERING in the file of its family.
 */
#ifndef PT_BACKEND_DUCKDB_LOWER_RULES_H
#define PT_BACKEND_DUCKDB_LOWER_RULES_H

#include "backend/duckdb/lower.h"

/** Appends the call's SQL; see pt__lower_rule. */
#define PT_LOWERING(name)                                                                                              \
    pt_status pt__lowering_##name(pt__lower *lower, const pt_expr_call *call, const pt__aggregate_form *form,          \
                                  pt_error *err)

#define PT_LOWER_RULE(name) PT_LOWERING(name);
#include "backend/duckdb/lower_rules.def"
#undef PT_LOWER_RULE

static inline const pt_type *pt__type_of_argument(const pt_expr_call *call, size_t index)
{
    return call->arguments[index]->type;
}

static inline bool pt__gives_decimal(const pt_expr_call *call)
{
    return call->base.type->id == PT_TYPE_DECIMAL;
}

/** Whether the call gives NULL where ANSI mode fails. */
static inline bool pt__fails_to_null(const pt_expr_call *call)
{
    return call->mode == PT_CAST_TRY || call->mode == PT_CAST_LEGACY;
}

/** A template over the arguments of a call that is no aggregate. */
static inline pt_status pt__by_template(pt__lower *lower, const pt_expr_call *call, const char *template, pt_error *err)
{
    return pt__lower_by_template(lower, template, call, NULL, err);
}

/** Whether the row is that of `name`: for rules that serve several functions. */
bool pt__is_function(const pt_expr_call *call, const char *name);

/** A literal, also one that analysis has cast; else NULL. */
const pt_expr_literal *pt__literal_below_casts(const pt_expr *expr);
bool pt__is_true_literal(const pt_expr *expr);

/** Appends {0} IS NOT NULL AND {1} IS NOT NULL … for a template of `count` arguments. */
void pt__put_all_present(pt__lower *lower, size_t count);

#endif
