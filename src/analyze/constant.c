#include "analyze/constant.h"

#include "base/int128.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Text as a cast reads it: a whole number between blanks. */
static bool integer_of_text(pt_text_view text, int64_t *out)
{
    char digits[24];
    char *end;
    if (text.size_bytes == 0 || text.size_bytes >= sizeof(digits))
        return false;
    memcpy(digits, text.data, text.size_bytes);
    digits[text.size_bytes] = '\0';
    errno = 0;
    intmax_t number = strtoimax(digits, &end, 10);
    end += strspn(end, " ");
    *out = (int64_t)number;
    return errno == 0 && end != digits && *end == '\0';
}

/* A cast drops the fraction. */
static bool integer_of_decimal(pt_int128 unscaled, int32_t scale, int64_t *out)
{
    pt_int128 whole = unscaled / pt__int128_power_of_ten(scale);
    *out = (int64_t)whole;
    return *out == whole;
}

static bool literal_integer(const pt_expr *expr, int64_t *out)
{
    const pt_value *value = &pt__expr_as_literal(expr)->value;
    if (value->is_null || !pt__type_is_integral(expr->type))
        return false;
    *out = value->as.integer;
    return true;
}

static bool cast_integer(const pt_expr *cast, int64_t *out)
{
    const pt_expr *child = pt__expr_as_cast(cast)->child;
    if (cast->type == NULL || !pt__type_is_integral(cast->type) || child->kind != PT_EXPR_LITERAL ||
        pt__type_is_integral(child->type))
        return pt__constant_integer(child, out);
    const pt_value *value = &pt__expr_as_literal(child)->value;
    if (value->is_null)
        return false;
    if (child->type->id == PT_TYPE_DECIMAL)
        return integer_of_decimal(value->as.decimal, child->type->scale, out);
    return pt__type_is_string(child->type) && integer_of_text(value->as.text, out);
}

static bool call_integer(const pt_expr_call *call, int64_t *out)
{
    const char *name = call->name.parts[0];
    int64_t left = 0;
    int64_t right;
    if (call->argument_count == 1 && strcmp(name, "negative") == 0)
        return pt__constant_integer(call->arguments[0], &right) && !__builtin_sub_overflow(left, right, out);
    if (call->argument_count != 2 || !pt__constant_integer(call->arguments[0], &left) ||
        !pt__constant_integer(call->arguments[1], &right))
        return false;
    if (strcmp(name, "+") == 0)
        return !__builtin_add_overflow(left, right, out);
    if (strcmp(name, "-") == 0)
        return !__builtin_sub_overflow(left, right, out);
    return strcmp(name, "*") == 0 && !__builtin_mul_overflow(left, right, out);
}

bool pt__constant_integer(const pt_expr *expr, int64_t *out)
{
    switch (expr->kind) {
    case PT_EXPR_LITERAL: return literal_integer(expr, out);
    case PT_EXPR_CAST: return cast_integer(expr, out);
    case PT_EXPR_CALL: return call_integer(pt__expr_as_call(expr), out);
    default: return false;
    }
}
