#include "analyze/build.h"

#include <stdarg.h>
#include <string.h>

const pt_expr *pt__build_call_list(pt__build *b, const char *name, const pt_expr *const *arguments, size_t count)
{
    const pt_expr *made = NULL;
    if (b->status == PT_OK)
        b->status = pt__call(b->a, name, arguments, count, &made, b->err);
    return b->status == PT_OK ? made : NULL;
}

const pt_expr *pt__build_call(pt__build *b, const char *name, size_t count, ...)
{
    const pt_expr **arguments = pt__arena_array(b->a->arena, const pt_expr *, count + 1);
    va_list given;
    va_start(given, count);
    for (size_t i = 0; i < count; i++)
        arguments[i] = va_arg(given, const pt_expr *);
    va_end(given);
    return pt__build_call_list(b, name, arguments, count);
}

const pt_expr *pt__build_alias(pt__build *b, const pt_expr *child, const char *name)
{
    return b->status != PT_OK ? NULL : &pt__typed_alias(b->a, child, name)->base;
}

const pt_expr *pt__build_cast(pt__build *b, const pt_expr *child, const pt_type *type)
{
    return b->status != PT_OK ? NULL : pt__make_cast(b->a, child, type, PT_CAST_ANSI, true);
}

const pt_expr *pt__build_try_cast(pt__build *b, const pt_expr *child, const pt_type *type)
{
    return b->status != PT_OK ? NULL : pt__make_cast(b->a, child, type, PT_CAST_TRY, true);
}

const pt_expr *pt__build_field(pt__build *b, const pt_expr *child, const char *name)
{
    const pt_expr *field = NULL;
    if (b->status == PT_OK)
        b->status = pt__struct_field(b->a, child, name, NULL, &field, b->err);
    return b->status == PT_OK ? field : NULL;
}

const char *pt__literal_name(pt__analyzer *a, const pt_type *type, const pt_value *value)
{
    if (value->is_null)
        return "null";
    const pt_expr *literal = pt__expr_literal(a->arena, type, *value);
    const char *text = pt__pretty_name(a->arena, literal);
    const char *quote = pt__type_is_datetime(type) ? strchr(text, '\'') : NULL;
    return quote == NULL ? text : pt__arena_copy_text(a->arena, quote + 1, strlen(quote) - 2);
}
