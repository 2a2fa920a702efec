/* The table of type rules, and what the rules share. */
#include "analyze/type_rules.h"
#include "base/arena_buffer.h"

bool pt__is_numberish(const pt_expr *expr)
{
    return pt__type_is_numeric(expr->type) || pt__type_is_string(expr->type) || pt__has_type(expr, PT_TYPE_VOID);
}

void pt__cast_argument(pt__analyzer *a, pt__match *match, size_t index, const pt_type *type)
{
    match->arguments[index] = pt__implicit_cast(a, match->arguments[index], type);
    match->nullable |= match->function->nulls == PT_NULLS_ANY && match->arguments[index]->nullable;
}

void pt__cast_both(pt__analyzer *a, pt__match *match, const pt_type *type)
{
    pt__cast_argument(a, match, 0, type);
    pt__cast_argument(a, match, 1, type);
    match->type = type;
}

pt_status pt__fail_differing(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt_status status = pt__raise(err, PT_COND_DATATYPE_MISMATCH_BINARY_OP_DIFF_TYPES, "sqlExpr",
                                 pt__quote_refused(a, call), "left", pt__quote_type(a->arena, call->arguments[0]->type),
                                 "right", pt__quote_type(a->arena, call->arguments[1]->type), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

pt_status pt__fail_wrong_type(pt__analyzer *a, const pt_expr_call *call, const char *wanted, const pt_type *got,
                              pt_error *err)
{
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_BINARY_OP_WRONG_TYPE, "sqlExpr", pt__quote_refused(a, call),
                  "inputType", wanted, "actualDataType", pt__quote_type(a->arena, got), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

pt_status pt__fail_data_differ(pt__analyzer *a, const pt_expr_call *call, size_t first, pt__type_list style,
                               pt_error *err)
{
    pt__buffer *types = pt__arena_buffer(a->arena);
    pt__buffer_append_string(types, style == PT_TYPES_WITH_COMMAS ? "[" : "(");
    for (size_t i = first; i < call->argument_count; i++) {
        pt__buffer_append_string(types, i == first ? "" : style == PT_TYPES_WITH_COMMAS ? ", " : " or ");
        pt__buffer_append_string(types, pt__quote_type(a->arena, call->arguments[i]->type));
    }
    pt__buffer_append_string(types, style == PT_TYPES_WITH_COMMAS ? "]" : ")");
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_DATA_DIFF_TYPES, "sqlExpr", pt__quote_expr(a->arena, &call->base),
                  "functionName", pt__quote_name(a->arena, &call->name), "dataType", pt__buffer_string(types), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

const pt__type_rule *pt__type_rule_find(const char *name, size_t name_size)
{
    static const pt__type_rule RULES[] = {
#define PT_TYPE_RULE(name, fewest, most) {#name, fewest, most, pt__rule_##name},
#include "analyze/type_rules.def"
#undef PT_TYPE_RULE
    };
    for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]); i++) {
        if (strlen(RULES[i].name) == name_size && memcmp(RULES[i].name, name, name_size) == 0)
            return &RULES[i];
    }
    return NULL;
}
