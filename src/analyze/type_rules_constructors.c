/* Types of functions that put values together: arrays, maps, structs, concatenations. */
#include "analyze/type_rules.h"

#include "base/arena_buffer.h"

/* Casts arguments [first, count) in steps to their common type; NULL when there is none. */
static const pt_type *unify(pt__analyzer *a, pt__match *match, size_t first, size_t step, bool *nullable)
{
    const pt_type *common = PT_T(VOID);
    for (size_t i = first; i < match->argument_count && common != NULL; i += step) {
        common = pt__common_type(a, common, match->arguments[i]->type);
        *nullable |= match->arguments[i]->nullable;
    }
    if (common == NULL)
        return NULL;
    for (size_t i = first; i < match->argument_count; i += step)
        pt__cast_argument(a, match, i, common);
    return common;
}

PT_RULE(array)
{
    bool nullable = false;
    const pt_type *element = unify(a, match, 0, 1, &nullable);
    if (element == NULL)
        return pt__fail_data_differ(a, call, 0, PT_TYPES_WITH_OR, err);
    match->type = pt__type_array(a->arena, element, nullable);
    match->nullable = false;
    return PT_OK;
}

static pt_status need_pairs(pt__analyzer *a, const pt_expr_call *call, const pt__match *match, pt_error *err)
{
    if (call->argument_count % 2 == 0)
        return PT_OK;
    pt_expr_call named = *call; /* as the function is called, whatever the query's letters */
    named.name = pt__name_one(a->arena, match->function->name);
    return pt__wrong_count(a, &named, "2n (n > 0)", err);
}

PT_RULE(map)
{
    PT_TRY(need_pairs(a, call, match, err));
    bool keys_nullable = false;
    bool nullable = false;
    const pt_type *key = unify(a, match, 0, 2, &keys_nullable);
    const pt_type *value = unify(a, match, 1, 2, &nullable);
    if (key == NULL || value == NULL)
        return pt__fail_data_differ(a, call, 0, PT_TYPES_WITH_OR, err);
    match->type = pt__type_map(a->arena, key, value, nullable);
    match->nullable = false;
    return PT_OK;
}

static const char *field_name(pt__analyzer *a, const pt_expr *expr, size_t index)
{
    switch (expr->kind) {
    case PT_EXPR_ALIAS: return pt__expr_as_alias(expr)->names[0];
    case PT_EXPR_COLUMN: return pt__expr_as_column(expr)->name;
    case PT_EXPR_FIELD: return pt__expr_as_field(expr)->name;
    case PT_EXPR_LAMBDA_VARIABLE: return pt__expr_as_lambda_variable(expr)->name.parts[0];
    default: return pt__arena_printf(a->arena, "col%zu", index + 1);
    }
}

static const char *alias_metadata(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_ALIAS ? pt__expr_as_alias(expr)->metadata : NULL;
}

PT_RULE(struct)
{
    (void)err;
    pt_field *fields = pt__arena_array(a->arena, pt_field, call->argument_count + 1);
    for (size_t i = 0; i < call->argument_count; i++) {
        const pt_expr *argument = call->arguments[i];
        fields[i] =
            (pt_field){field_name(a, argument, i), argument->type, argument->nullable, alias_metadata(argument)};
    }
    match->type = pt__type_struct(a->arena, fields, call->argument_count);
    match->nullable = false;
    return PT_OK;
}

static pt_status fail_names(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt__buffer *names = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < call->argument_count; i += 2) {
        const pt_expr *name = call->arguments[i];
        if (name->kind != PT_EXPR_LITERAL || !pt__type_is_string(name->type))
            pt__buffer_printf(names, "%s%s", names->size_bytes == 0 ? "[" : ", ", pt__quote_expr(a->arena, name));
    }
    pt__buffer_append_string(names, "]");
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_CREATE_NAMED_STRUCT, "sqlExpr", pt__quote_expr(a->arena, &call->base),
                  "inputExprs", pt__arena_buffer_take(a->arena, names), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

PT_RULE(named_struct)
{
    PT_TRY(need_pairs(a, call, match, err));
    size_t count = call->argument_count / 2;
    pt_field *fields = pt__arena_array(a->arena, pt_field, count + 1);
    for (size_t i = 0; i < count; i++) {
        const pt_expr *name = call->arguments[2 * i];
        if (name->kind != PT_EXPR_LITERAL || !pt__type_is_string(name->type))
            return fail_names(a, call, err);
        pt_text_view text = pt__expr_as_literal(name)->value.as.text;
        const pt_expr *value = call->arguments[2 * i + 1];
        fields[i] =
            (pt_field){pt__arena_copy_text(a->arena, text.data, text.size_bytes), value->type, value->nullable, NULL};
    }
    match->type = pt__type_struct(a->arena, fields, count);
    match->nullable = false;
    return PT_OK;
}

PT_RULE(concat)
{
    bool nullable = false;
    bool all_binary = call->argument_count != 0;
    bool any_array = false;
    for (size_t i = 0; i < call->argument_count; i++) {
        all_binary &= pt__has_type(call->arguments[i], PT_TYPE_BINARY);
        any_array |= pt__has_type(call->arguments[i], PT_TYPE_ARRAY);
        nullable |= call->arguments[i]->nullable;
    }
    match->nullable = nullable;
    if (any_array) {
        match->type = unify(a, match, 0, 1, &nullable);
        return match->type == NULL ? pt__fail_data_differ(a, call, 0, PT_TYPES_WITH_OR, err) : PT_OK;
    }
    match->type = all_binary ? PT_T(BINARY) : PT_T(STRING);
    for (size_t i = 0; i < call->argument_count; i++) {
        if (!all_binary && !pt__can_cast_implicitly(a, call->arguments[i]->type, PT_T(STRING)) &&
            !pt__has_type(call->arguments[i], PT_TYPE_BINARY))
            return pt__mismatch(a, call, i, "(\"STRING\" or \"BINARY\" or \"ARRAY\")", err);
        pt__cast_argument(a, match, i, match->type);
    }
    return PT_OK;
}
