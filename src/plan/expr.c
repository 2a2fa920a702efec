#include "plan/expr.h"

#include "plan/members.h"

#include <stdarg.h>
#include <string.h>

pt_expr *pt__expr_new(pt__arena *arena, pt_expr_kind kind, size_t size_bytes, const pt_origin *origin)
{
    pt_expr *expr = pt__arena_alloc(arena, size_bytes);
    expr->kind = kind;
    expr->origin = origin;
    return expr;
}

const char *pt__expr_kind_name(pt_expr_kind kind)
{
    return pt__record_of_expr(kind)->name;
}

const char *pt__name_last(const pt_name *name)
{
    return name->parts[name->count - 1];
}

pt_name pt__name_one(pt__arena *arena, const char *part)
{
    const char **parts = pt__arena_array(arena, const char *, 1);
    parts[0] = part;
    return (pt_name){parts, 1};
}

const pt_expr *pt__expr_attribute(pt__arena *arena, const char *name, const pt_origin *origin)
{
    pt_expr_attribute *attribute = pt__expr_make(arena, ATTRIBUTE, attribute, origin);
    attribute->name = pt__name_one(arena, name);
    attribute->plan_id = -1;
    return &attribute->base;
}

const pt_expr *pt__expr_call_list(pt__arena *arena, const pt_origin *origin, const char *name,
                                  const pt_expr *const *arguments, size_t count)
{
    pt_expr_call *call = pt__expr_make(arena, CALL, call, origin);
    call->name = pt__name_one(arena, name);
    call->arguments = arguments;
    call->argument_count = count;
    return &call->base;
}

const pt_expr *pt__expr_call(pt__arena *arena, const pt_origin *origin, const char *name, size_t count, ...)
{
    const pt_expr **arguments = pt__arena_array(arena, const pt_expr *, count);
    va_list list;
    va_start(list, count);
    for (size_t i = 0; i < count; i++)
        arguments[i] = va_arg(list, const pt_expr *);
    va_end(list);
    return pt__expr_call_list(arena, origin, name, arguments, count);
}

const pt_expr *pt__expr_alias(pt__arena *arena, const pt_expr *child, const char *name)
{
    pt_expr_alias *alias = pt__expr_make(arena, ALIAS, alias, child->origin);
    const char **names = pt__arena_array(arena, const char *, 1);
    names[0] = name;
    alias->child = child;
    alias->names = names;
    alias->name_count = 1;
    return &alias->base;
}

const pt_expr *pt__expr_cast(pt__arena *arena, const pt_expr *child, const pt_type *target, pt_cast_mode mode)
{
    pt_expr_cast *cast = pt__expr_make(arena, CAST, cast, child->origin);
    cast->base.type = target;
    cast->child = child;
    cast->target = target;
    cast->mode = mode;
    return &cast->base;
}

const pt_expr *pt__expr_literal(pt__arena *arena, const pt_type *type, pt_value value)
{
    pt_expr_literal *literal = pt__expr_make(arena, LITERAL, literal, NULL);
    literal->base.type = type;
    literal->base.nullable = value.is_null;
    literal->value = value;
    return &literal->base;
}

const pt_expr *pt__expr_null(pt__arena *arena, const pt_type *type)
{
    return pt__expr_literal(arena, type, (pt_value){.is_null = true});
}

const pt_expr *pt__expr_boolean(pt__arena *arena, bool value)
{
    return pt__expr_literal(arena, PT_T(BOOLEAN), (pt_value){.as.boolean = value});
}

const pt_expr *pt__expr_int(pt__arena *arena, int32_t value)
{
    return pt__expr_literal(arena, PT_T(INT), (pt_value){.as.integer = value});
}

const pt_expr *pt__expr_long(pt__arena *arena, int64_t value)
{
    return pt__expr_literal(arena, PT_T(LONG), (pt_value){.as.integer = value});
}

const pt_expr *pt__expr_double(pt__arena *arena, double value)
{
    return pt__expr_literal(arena, PT_T(DOUBLE), (pt_value){.as.real = value});
}

const pt_expr *pt__expr_string(pt__arena *arena, const char *value)
{
    pt_text_view text = {value, strlen(value)};
    return pt__expr_literal(arena, PT_T(STRING), (pt_value){.as.text = text});
}

static bool visit_constant(void *context, const pt_expr *child)
{
    (void)context;
    return pt__expr_is_constant(child);
}

bool pt__expr_is_constant(const pt_expr *expr)
{
    switch ((int)expr->kind) {
    case PT_EXPR_LITERAL: return true;
    case PT_EXPR_CALL:
    case PT_EXPR_ALIAS:
    case PT_EXPR_CAST:
    case PT_EXPR_CASE:
    case PT_EXPR_IN:
    case PT_EXPR_EXTRACT:
    case PT_EXPR_FIELD:
    case PT_EXPR_UPDATE_FIELDS:
    case PT_EXPR_NAMED_ARGUMENT: return pt__expr_each_child(expr, visit_constant, NULL);
    default: return false;
    }
}
