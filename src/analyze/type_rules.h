/**
 * Type rules: how calls are typed that a signature cannot describe, and what the rules share.
 *
 * Each rule is a row of type_rules.def and a PT_RULE in the file of its family.
 */
#ifndef PT_ANALYZE_TYPE_RULES_H
#define PT_ANALYZE_TYPE_RULES_H

#include "analyze/analyzer.h"

#include <string.h>

/** Checks, casts and types a call; see pt__type_rule. */
#define PT_RULE(name)                                                                                                  \
    pt_status pt__rule_##name(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)

#define PT_TYPE_RULE(name, fewest, most) PT_RULE(name);
#include "analyze/type_rules.def"
#undef PT_TYPE_RULE

static inline const pt_type *pt__argument_type(const pt__match *match, size_t index)
{
    return match->arguments[index]->type;
}

/** Whether the row is that of `name`: for rules that serve several functions. */
static inline bool pt__is_called(const pt__match *match, const char *name)
{
    return strcmp(match->function->name, name) == 0;
}

static inline bool pt__has_type(const pt_expr *expr, pt_type_id id)
{
    return expr->type->id == id;
}

/** A number, or what is read as one: text, NULL. */
bool pt__is_numberish(const pt_expr *expr);

/** Puts an implicit cast to `type` around an argument unless it has that type. */
void pt__cast_argument(pt__analyzer *a, pt__match *match, size_t index, const pt_type *type);

/** Casts the first two arguments to `type`, which is the call's then. */
void pt__cast_both(pt__analyzer *a, pt__match *match, const pt_type *type);

/** DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES of the first two arguments. */
pt_status pt__fail_differing(pt__analyzer *a, const pt_expr_call *call, pt_error *err);
/** DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE: `got` where `wanted`, as types are quoted in errors, is needed. */
pt_status pt__fail_wrong_type(pt__analyzer *a, const pt_expr_call *call, const char *wanted, const pt_type *got,
                              pt_error *err);
/** How Spark lists types: ["A", "B"] or ("A" or "B"). */
typedef enum pt__type_list { PT_TYPES_WITH_COMMAS, PT_TYPES_WITH_OR } pt__type_list;
/** DATATYPE_MISMATCH.DATA_DIFF_TYPES of the arguments from `first` on. */
pt_status pt__fail_data_differ(pt__analyzer *a, const pt_expr_call *call, size_t first, pt__type_list style,
                               pt_error *err);

#endif
