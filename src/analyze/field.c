/* Fields of structs, and what brackets and dots take out of arrays and maps. */
#include "analyze/analyzer.h"

#include "base/arena_buffer.h"

#include <string.h>

static const char *field_list(pt__analyzer *a, const pt_type *type)
{
    pt__buffer *names = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < type->field_count; i++)
        pt__buffer_printf(names, "%s%s", i == 0 ? "" : ", ", pt__quote_one(a->arena, type->fields[i].name));
    return pt__arena_buffer_take(a->arena, names);
}

static pt_status find_field(pt__analyzer *a, const pt_type *type, const char *name, const pt_origin *origin,
                            uint32_t *ordinal, pt_error *err)
{
    size_t found = 0;
    for (size_t i = 0; i < type->field_count; i++) {
        if (!pt__same_name(a, type->fields[i].name, name))
            continue;
        *ordinal = (uint32_t)i;
        found++;
    }
    if (found == 1)
        return PT_OK;
    pt_status status =
        found == 0 ? pt__raise(err, PT_COND_FIELD_NOT_FOUND, "fieldName", pt__quote_one(a->arena, name), "fields",
                               field_list(a, type), NULL)
                   : pt__raise(err, PT_COND_AMBIGUOUS_REFERENCE_TO_FIELDS, "field", pt__quote_one(a->arena, name),
                               "count", pt__arena_printf(a->arena, "%zu", found), NULL);
    return pt__analyzer_fail(status, origin, err);
}

static const pt_expr *make_field(pt__analyzer *a, const pt_expr *child, uint32_t ordinal, const char *name,
                                 const pt_origin *origin)
{
    pt_expr_field *field = pt__expr_make(a->arena, FIELD, field, origin);
    field->child = child;
    field->ordinal = ordinal;
    field->name = name;
    field->base.type = child->type->fields[ordinal].type;
    field->base.nullable = child->nullable || child->type->fields[ordinal].nullable;
    return &field->base;
}

pt_status pt__struct_field(pt__analyzer *a, const pt_expr *child, const char *name, const pt_origin *origin,
                           const pt_expr **out, pt_error *err)
{
    uint32_t ordinal = 0;
    PT_TRY(find_field(a, child->type, name, origin, &ordinal, err));
    *out = make_field(a, child, ordinal, name, origin);
    return PT_OK;
}

pt_status pt__field_at(pt__analyzer *a, const pt_expr *child, uint32_t position, const pt_origin *origin,
                       const pt_expr **out, pt_error *err)
{
    if (child->type->id != PT_TYPE_STRUCT || position >= child->type->field_count)
        return pt__analyzer_fail(pt_error_set(err, PT_BAD_PLAN, "there is no field %u in a value of type %s", position,
                                              pt__type_sql(a->arena, child->type)),
                                 origin, err);
    *out = make_field(a, child, position, child->type->fields[position].name, origin);
    return PT_OK;
}

static const char *literal_text(pt__analyzer *a, const pt_expr *key)
{
    if (key->kind != PT_EXPR_LITERAL || !pt__type_is_string(key->type) || pt__expr_as_literal(key)->value.is_null)
        return NULL;
    pt_text_view text = pt__expr_as_literal(key)->value.as.text;
    return pt__arena_copy_text(a->arena, text.data, text.size_bytes);
}

/* The field of every struct in an array: array<struct<x>>.x is array<x>. */
static pt_status array_field(pt__analyzer *a, const pt_expr *child, const char *name, const pt_origin *origin,
                             const pt_expr **out, pt_error *err)
{
    const pt_type *element = child->type->element;
    uint32_t ordinal = 0;
    PT_TRY(find_field(a, element, name, origin, &ordinal, err));
    pt_expr_lambda_variable *variable = pt__expr_make(a->arena, LAMBDA_VARIABLE, lambda_variable, origin);
    variable->name = pt__name_one(a->arena, "x");
    variable->id = a->next_id++;
    variable->base.type = element;
    variable->base.nullable = child->type->contains_null;
    pt_expr_lambda *lambda = pt__expr_make(a->arena, LAMBDA, lambda, origin);
    const pt_expr_lambda_variable **parameters = pt__arena_array(a->arena, const pt_expr_lambda_variable *, 1);
    parameters[0] = variable;
    lambda->parameters = parameters;
    lambda->parameter_count = 1;
    PT_TRY(pt__struct_field(a, &variable->base, name, origin, &lambda->body, err));
    lambda->base.type = lambda->body->type;
    lambda->base.nullable = lambda->body->nullable;
    size_t rows;
    pt_expr_call *call = pt__expr_make(a->arena, CALL, call, origin);
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, 2);
    arguments[0] = child;
    arguments[1] = &lambda->base;
    call->name = pt__name_one(a->arena, "get_array_struct_fields");
    call->function = pt__function_find("transform", &rows);
    call->arguments = arguments;
    call->argument_count = 2;
    call->is_internal = true;
    call->base.type = pt__type_array(a->arena, lambda->body->type, lambda->body->nullable);
    call->base.nullable = child->nullable;
    *out = &call->base;
    return PT_OK;
}

static pt_status extract_by_call(pt__analyzer *a, const char *function, const pt_expr *child, const pt_expr *key,
                                 const pt_origin *origin, const pt_expr **out, pt_error *err)
{
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, 2);
    arguments[0] = child;
    arguments[1] = key;
    pt_expr_call *call = pt__expr_make(a->arena, CALL, call, origin);
    call->name = pt__name_one(a->arena, function);
    call->arguments = arguments;
    call->argument_count = 2;
    call->is_internal = true;
    pt__scope scope = pt__scope_of(a, NULL, 0);
    return pt__resolve_call(a, &scope, call, out, err);
}

pt_status pt__extract(pt__analyzer *a, const pt_expr *child, const pt_expr *key, const pt_origin *origin,
                      const pt_expr **out, pt_error *err)
{
    const char *name = literal_text(a, key);
    switch (child->type->id) {
    case PT_TYPE_STRUCT:
        if (name != NULL)
            return pt__struct_field(a, child, name, origin, out, err);
        break;
    case PT_TYPE_ARRAY:
        if (name != NULL && child->type->element->id == PT_TYPE_STRUCT)
            return array_field(a, child, name, origin, out, err);
        return extract_by_call(a, "item_of_array", child, key, origin, out, err);
    case PT_TYPE_MAP: return extract_by_call(a, "item_of_map", child, key, origin, out, err);
    default: break;
    }
    pt_status status = pt__raise(err, PT_COND_INVALID_EXTRACT_BASE_FIELD_TYPE, "base", pt__quote_expr(a->arena, child),
                                 "other", pt__quote_type(a->arena, child->type), NULL);
    return pt__analyzer_fail(status, origin, err);
}
