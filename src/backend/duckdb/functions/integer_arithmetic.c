/* Arithmetic of tinyint to bigint that fails, gives NULL or wraps around, by mode; shifts. */
#include "backend/duckdb/functions/kernels.h"

#include <inttypes.h>
#include <stdio.h>

static bool overflow(pt__fn_call *call, const char *alternative)
{
    return pt__fn_reject(call, PT_COND_ARITHMETIC_OVERFLOW, "message", "overflow", "alternative", alternative, "config",
                         PT__ANSI_CONFIG, NULL);
}

typedef struct operator_names {
    const char *symbol;
    const char *function;
    const char *alternative;
} operator_names;

static const operator_names NAMES[] = {
    {"+", "`try_add`", " Use 'try_add' to tolerate overflow and return NULL instead."},
    {"-", "`try_subtract`", " Use 'try_subtract' to tolerate overflow and return NULL instead."},
    {"*", "`try_multiply`", " Use 'try_multiply' to tolerate overflow and return NULL instead."},
};

/** Spark words the overflow of types below int in another way. */
static bool binary_overflow(pt__fn_call *call, size_t width, int64_t a, int64_t b)
{
    const operator_names *names = &NAMES[call->row->option];
    if (width >= 4)
        return overflow(call, names->alternative);
    char left[24];
    char right[24];
    snprintf(left, sizeof(left), "%" PRId64 "S", a);
    snprintf(right, sizeof(right), "%" PRId64 "S", b);
    return pt__fn_reject(call, PT_COND_BINARY_ARITHMETIC_OVERFLOW, "value1", left, "symbol", names->symbol, "value2",
                         right, "functionName", names->function, NULL);
}

// NOLINTBEGIN(bugprone-macro-parentheses): arguments are types and parts of names
#define TYPES(X)                                                                                                       \
    X(int8, int8_t, INT8_MIN) X(int16, int16_t, INT16_MIN) X(int32, int32_t, INT32_MIN) X(int64, int64_t, INT64_MIN)
#define BINARY(X)                                                                                                      \
    X(add, int8, int8_t)                                                                                               \
    X(add, int16, int16_t)                                                                                             \
    X(add, int32, int32_t)                                                                                             \
    X(add, int64, int64_t)                                                                                             \
    X(sub, int8, int8_t)                                                                                               \
    X(sub, int16, int16_t)                                                                                             \
    X(sub, int32, int32_t)                                                                                             \
    X(sub, int64, int64_t) X(mul, int8, int8_t) X(mul, int16, int16_t) X(mul, int32, int32_t) X(mul, int64, int64_t)

#define DEFINE_BINARY(operation, suffix, type)                                                                         \
    static bool operation##_##suffix(pt__fn_call *call, type a, type b, type *out)                                     \
    {                                                                                                                  \
        return !__builtin_##operation##_overflow(a, b, out) || call->mode == PT__FN_LEGACY ||                          \
               binary_overflow(call, sizeof(type), a, b);                                                              \
    }                                                                                                                  \
    void pt__fn_##operation##_##suffix(pt__fn_call *call)                                                              \
    {                                                                                                                  \
        const type *a = PT__FN_IN(call, 0, type);                                                                      \
        const type *b = PT__FN_IN(call, 1, type);                                                                      \
        PT__FN_EACH(call, r, operation##_##suffix(call, a[r], b[r], &PT__FN_OUT(call, type)[r]));                      \
    }
BINARY(DEFINE_BINARY)

#define DEFINE_UNARY(suffix, type, smallest)                                                                           \
    static bool negate_##suffix(pt__fn_call *call, type value, type *out)                                              \
    {                                                                                                                  \
        *out = value == smallest ? value : (type)-value;                                                               \
        return value != smallest || call->mode == PT__FN_LEGACY || overflow(call, "");                                 \
    }                                                                                                                  \
    void pt__fn_negate_##suffix(pt__fn_call *call)                                                                     \
    {                                                                                                                  \
        PT__FN_EACH(call, r, negate_##suffix(call, PT__FN_IN(call, 0, type)[r], &PT__FN_OUT(call, type)[r]));          \
    }                                                                                                                  \
    static bool abs_##suffix(pt__fn_call *call, type value, type *out)                                                 \
    {                                                                                                                  \
        *out = value;                                                                                                  \
        return value >= 0 || negate_##suffix(call, value, out);                                                        \
    }                                                                                                                  \
    void pt__fn_abs_##suffix(pt__fn_call *call)                                                                        \
    {                                                                                                                  \
        PT__FN_EACH(call, r, abs_##suffix(call, PT__FN_IN(call, 0, type)[r], &PT__FN_OUT(call, type)[r]));             \
    }
TYPES(DEFINE_UNARY)

/* Division. */

static bool divide_by_zero(pt__fn_call *call)
{
    return pt__fn_reject(call, PT_COND_DIVIDE_BY_ZERO, "config", PT__ANSI_CONFIG, NULL);
}

static bool remainder_by_zero(pt__fn_call *call)
{
    return pt__fn_reject(call, PT_COND_REMAINDER_BY_ZERO, "config", PT__ANSI_CONFIG, NULL);
}

static bool integral_divide(pt__fn_call *call, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return divide_by_zero(call);
    if (b != -1) {
        *out = a / b;
        return true;
    }
    *out = a == INT64_MIN ? a : -a;
    return a != INT64_MIN || call->mode == PT__FN_LEGACY ||
           pt__fn_reject(call, PT_COND_ARITHMETIC_OVERFLOW, "message", "Overflow in integral divide", "alternative",
                         " Use 'try_divide' to tolerate overflow and return NULL instead.", "config", PT__ANSI_CONFIG,
                         NULL);
}

void pt__fn_integral_divide(pt__fn_call *call)
{
    const int64_t *a = PT__FN_IN(call, 0, int64_t);
    const int64_t *b = PT__FN_IN(call, 1, int64_t);
    PT__FN_EACH(call, r, integral_divide(call, a[r], b[r], &PT__FN_OUT(call, int64_t)[r]));
}

/** Wraps around as Java does where r + n has more bits than the type. */
#define DEFINE_REMAINDER(suffix, type, smallest)                                                                       \
    static bool remainder_##suffix(pt__fn_call *call, type a, type b, type *out)                                       \
    {                                                                                                                  \
        if (b == 0)                                                                                                    \
            return remainder_by_zero(call);                                                                            \
        *out = b == -1 ? 0 : (type)(a % b);                                                                            \
        return true;                                                                                                   \
    }                                                                                                                  \
    void pt__fn_remainder_##suffix(pt__fn_call *call)                                                                  \
    {                                                                                                                  \
        const type *a = PT__FN_IN(call, 0, type);                                                                      \
        const type *b = PT__FN_IN(call, 1, type);                                                                      \
        PT__FN_EACH(call, r, remainder_##suffix(call, a[r], b[r], &PT__FN_OUT(call, type)[r]));                        \
    }                                                                                                                  \
    static bool pmod_##suffix(pt__fn_call *call, type a, type b, type *out)                                            \
    {                                                                                                                  \
        type sum;                                                                                                      \
        if (!remainder_##suffix(call, a, b, out))                                                                      \
            return false;                                                                                              \
        if (*out < 0) {                                                                                                \
            (void)__builtin_add_overflow(*out, b, &sum);                                                               \
            *out = b == -1 ? 0 : (type)(sum % b);                                                                      \
        }                                                                                                              \
        return true;                                                                                                   \
    }                                                                                                                  \
    void pt__fn_pmod_##suffix(pt__fn_call *call)                                                                       \
    {                                                                                                                  \
        const type *a = PT__FN_IN(call, 0, type);                                                                      \
        const type *b = PT__FN_IN(call, 1, type);                                                                      \
        PT__FN_EACH(call, r, pmod_##suffix(call, a[r], b[r], &PT__FN_OUT(call, type)[r]));                             \
    }
TYPES(DEFINE_REMAINDER)

/* Shifts: the count is taken modulo the width. */

#define DEFINE_SHIFT(name, type, expression)                                                                           \
    void pt__fn_##name(pt__fn_call *call)                                                                              \
    {                                                                                                                  \
        const type *values = PT__FN_IN(call, 0, type);                                                                 \
        const int32_t *counts = PT__FN_IN(call, 1, int32_t);                                                           \
        for (idx_t r = 0; r < call->row_count; r++) {                                                                  \
            type value = values[r];                                                                                    \
            int count = counts[r] & (int)(sizeof(type) * 8 - 1);                                                       \
            PT__FN_OUT(call, type)[r] = (type)(expression);                                                            \
        }                                                                                                              \
    }
DEFINE_SHIFT(shift_left_int32, int32_t, (uint32_t)value << count)
DEFINE_SHIFT(shift_left_int64, int64_t, (uint64_t)value << count)
DEFINE_SHIFT(shift_right_int32, int32_t, value >> count)
DEFINE_SHIFT(shift_right_int64, int64_t, value >> count)
DEFINE_SHIFT(shift_unsigned_int32, int32_t, (uint32_t)value >> count)
DEFINE_SHIFT(shift_unsigned_int64, int64_t, (uint64_t)value >> count)
// NOLINTEND(bugprone-macro-parentheses)
