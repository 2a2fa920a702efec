/* Types of comparisons and of the functions that choose among their arguments. */
#include "analyze/type_rules.h"

#include <string.h>

/* ---- comparison ---- */

PT_RULE(compare)
{
    const pt_type *common = pt__common_type(a, call->arguments[0]->type, call->arguments[1]->type);
    if (common == NULL)
        return pt__fail_differing(a, call, err);
    bool equality = strchr(call->name.parts[0], '=') != NULL && call->name.parts[0][0] != '>' &&
                    (call->name.parts[0][0] != '<' || call->name.parts[0][2] == '>');
    if (!pt__type_is_orderable(common) && !(equality && common->id == PT_TYPE_INTERVAL_CALENDAR))
        return pt__fail_unordered(a, call, common, err);
    pt__cast_both(a, match, common);
    match->type = PT_T(BOOLEAN);
    return PT_OK;
}

/* x BETWEEN low AND high */
PT_RULE(between)
{
    const pt_type *common = call->arguments[0]->type;
    for (size_t i = 1; i < 3 && common != NULL; i++)
        common = pt__common_type(a, common, call->arguments[i]->type);
    if (common == NULL)
        return pt__fail_differing(a, call, err);
    for (size_t i = 0; i < 3; i++)
        pt__cast_argument(a, match, i, common);
    match->type = PT_T(BOOLEAN);
    return PT_OK;
}

/* ---- choice ---- */

PT_RULE(if)
{
    (void)a;
    (void)call;
    (void)err;
    match->type = match->arguments[1]->type;
    match->nullable = match->arguments[1]->nullable || match->arguments[2]->nullable;
    return PT_OK;
}

PT_RULE(nullif)
{
    const pt_type *common = pt__common_type(a, call->arguments[0]->type, call->arguments[1]->type);
    if (common == NULL)
        return pt__fail_differing(a, call, err);
    match->type = call->arguments[0]->type;
    match->nullable = true;
    return PT_OK;
}

/* when(condition, value, condition, value, …, otherwise): becomes CASE in expression.c; typed here for direct calls. */
PT_RULE(when)
{
    bool has_else = call->argument_count % 2 != 0;
    const pt_type *common = PT_T(VOID);
    bool nullable = !has_else;
    for (size_t i = 1; i < call->argument_count; i += 2) {
        if (!pt__has_type(call->arguments[i - 1], PT_TYPE_BOOLEAN) &&
            !pt__has_type(call->arguments[i - 1], PT_TYPE_VOID))
            return pt__mismatch(a, call, i - 1, "\"BOOLEAN\"", err);
        common = common == NULL ? NULL : pt__common_type(a, common, call->arguments[i]->type);
        nullable |= call->arguments[i]->nullable;
    }
    if (has_else && common != NULL) {
        common = pt__common_type(a, common, call->arguments[call->argument_count - 1]->type);
        nullable |= call->arguments[call->argument_count - 1]->nullable;
    }
    if (common == NULL)
        return pt__fail_data_differ(a, call, 1, PT_TYPES_WITH_COMMAS, err);
    for (size_t i = 1; i < call->argument_count; i += 2)
        pt__cast_argument(a, match, i, common);
    if (has_else)
        pt__cast_argument(a, match, call->argument_count - 1, common);
    match->type = common;
    match->nullable = nullable;
    return PT_OK;
}

/* decode(x, search, result, …[, default]): the first result whose search equals x, NULL equal to NULL. */
PT_RULE(decode)
{
    pt__list(const pt_expr *) when = {0};
    size_t i = 1;
    for (; i + 1 < call->argument_count; i += 2) {
        const pt_expr **sides = pt__arena_array(a->arena, const pt_expr *, 2);
        sides[0] = call->arguments[0];
        sides[1] = call->arguments[i];
        const pt_expr *equal;
        PT_TRY(pt__call(a, "<=>", sides, 2, &equal, err));
        pt__list_push(a->arena, &when, equal);
        pt__list_push(a->arena, &when, call->arguments[i + 1]);
    }
    if (i < call->argument_count)
        pt__list_push(a->arena, &when, call->arguments[i]);
    PT_TRY(pt__call(a, "when", when.items, when.count, &match->folded, err));
    match->type = match->folded->type;
    match->nullable = match->folded->nullable;
    return PT_OK;
}

/* assert_true(x): the message names the condition. */
PT_RULE(assert_true)
{
    if (call->argument_count == 2)
        return PT_NOT_FOUND;
    if (call->arguments[0]->type->id != PT_TYPE_BOOLEAN)
        return pt__mismatch(a, call, 0, "\"BOOLEAN\"", err);
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, 2);
    const char *text = pt__pretty_name(a->arena, call->arguments[0]);
    arguments[0] = match->arguments[0];
    arguments[1] = pt__expr_string(a->arena, pt__arena_printf(a->arena, "'%s' is not true!", text));
    match->arguments = arguments;
    match->argument_count = 2;
    match->type = PT_T(VOID);
    match->nullable = true;
    return PT_OK;
}
