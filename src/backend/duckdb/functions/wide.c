#include "backend/duckdb/functions/wide.h"

#include <string.h>

typedef unsigned __int128 uint128;

static const uint64_t POWERS[20] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};

uint128 pt__power_of_ten(int exponent)
{
    return exponent < 20 ? (uint128)POWERS[exponent] : (uint128)POWERS[19] * POWERS[exponent - 19];
}

pt__wide pt__wide_from(uint128 value)
{
    return (pt__wide){{(uint64_t)value, (uint64_t)(value >> 64)}};
}

pt__wide pt__wide_multiply(uint128 a, uint128 b)
{
    const uint64_t left[2] = {(uint64_t)a, (uint64_t)(a >> 64)};
    const uint64_t right[2] = {(uint64_t)b, (uint64_t)(b >> 64)};
    pt__wide product = {{0}};
    for (int i = 0; i < 2; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 2; j++) {
            uint128 sum = (uint128)left[i] * right[j] + product.limbs[i + j] + carry;
            product.limbs[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        product.limbs[i + 2] = carry;
    }
    return product;
}

static void multiply_small(pt__wide *value, uint64_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < PT__WIDE_LIMBS; i++) {
        uint128 product = (uint128)value->limbs[i] * factor + carry;
        value->limbs[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
}

/** Divides in place; returns the remainder. */
static uint64_t divide_small(pt__wide *value, uint64_t divisor)
{
    uint64_t rest = 0;
    for (int i = PT__WIDE_LIMBS - 1; i >= 0; i--) {
        if (rest == 0 && value->limbs[i] == 0)
            continue;
        uint128 part = (uint128)rest << 64 | value->limbs[i];
        value->limbs[i] = (uint64_t)(part / divisor);
        rest = (uint64_t)(part % divisor);
    }
    return rest;
}

pt__wide pt__wide_scale_up(pt__wide value, int exponent)
{
    for (; exponent > 19; exponent -= 19)
        multiply_small(&value, POWERS[19]);
    multiply_small(&value, POWERS[exponent]);
    return value;
}

static void increment(pt__wide *value)
{
    for (int i = 0; i < PT__WIDE_LIMBS && ++value->limbs[i] == 0; i++) {
    }
}

static bool rounds_up(pt__rounding rounding, int half, bool odd)
{
    switch (rounding) {
    case PT__ROUND_DOWN: return false;
    case PT__ROUND_HALF_DOWN: return half > 0;
    case PT__ROUND_HALF_EVEN: return half > 0 || (half == 0 && odd);
    case PT__ROUND_HALF_UP: return half >= 0;
    }
    return false;
}

pt__wide pt__wide_scale_down(pt__wide value, int exponent, pt__rounding rounding)
{
    bool sticky = false; /* whether anything but the last digit cut is not 0 */
    for (; exponent > 19; exponent -= 19)
        sticky |= divide_small(&value, POWERS[19]) != 0;
    for (; exponent > 1; exponent = 1)
        sticky |= divide_small(&value, POWERS[exponent - 1]) != 0;
    if (exponent <= 0)
        return value;
    uint64_t digit = divide_small(&value, 10);
    int half = digit > 5 || (digit == 5 && sticky) ? 1 : digit == 5 ? 0 : -1;
    if (rounds_up(rounding, half, (value.limbs[0] & 1) != 0))
        increment(&value);
    return value;
}

int pt__wide_compare(const pt__wide *a, const pt__wide *b)
{
    for (int i = PT__WIDE_LIMBS - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

void pt__wide_add(pt__wide *value, const pt__wide *other)
{
    uint64_t carry = 0;
    for (int i = 0; i < PT__WIDE_LIMBS; i++) {
        uint128 sum = (uint128)value->limbs[i] + other->limbs[i] + carry;
        value->limbs[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

void pt__wide_subtract(pt__wide *value, const pt__wide *other)
{
    uint64_t borrow = 0;
    for (int i = 0; i < PT__WIDE_LIMBS; i++) {
        uint128 difference = (uint128)value->limbs[i] - other->limbs[i] - borrow;
        value->limbs[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
}

bool pt__wide_is_zero(const pt__wide *value)
{
    uint64_t all = 0;
    for (int i = 0; i < PT__WIDE_LIMBS; i++)
        all |= value->limbs[i];
    return all == 0;
}

static int limb_count(const pt__wide *value)
{
    int count = PT__WIDE_LIMBS;
    while (count > 0 && value->limbs[count - 1] == 0)
        count--;
    return count;
}

static void shift_left_one(pt__wide *value, uint64_t low_bit)
{
    for (int i = PT__WIDE_LIMBS - 1; i > 0; i--)
        value->limbs[i] = value->limbs[i] << 1 | value->limbs[i - 1] >> 63;
    value->limbs[0] = value->limbs[0] << 1 | low_bit;
}

/** Bit by bit: for divisors of more than 64 bits, which are rare. */
static pt__wide divide_long(const pt__wide *value, const pt__wide *divisor, pt__wide *remainder)
{
    pt__wide quotient = {{0}};
    *remainder = (pt__wide){{0}};
    for (int bit = limb_count(value) * 64 - 1; bit >= 0; bit--) {
        shift_left_one(remainder, value->limbs[bit / 64] >> (bit % 64) & 1);
        if (pt__wide_compare(remainder, divisor) >= 0) {
            pt__wide_subtract(remainder, divisor);
            quotient.limbs[bit / 64] |= (uint64_t)1 << (bit % 64);
        }
    }
    return quotient;
}

pt__wide pt__wide_divide(const pt__wide *value, const pt__wide *divisor, pt__wide *remainder)
{
    if (limb_count(divisor) > 1)
        return divide_long(value, divisor, remainder);
    pt__wide quotient = *value;
    *remainder = pt__wide_from(divide_small(&quotient, divisor->limbs[0]));
    return quotient;
}

static int digits_of(uint64_t value)
{
    int count = 0;
    while (count < 20 && value >= POWERS[count])
        count++;
    return count;
}

int pt__wide_digits(const pt__wide *value)
{
    pt__wide rest = *value;
    int count = 0;
    while (limb_count(&rest) > 1) {
        divide_small(&rest, POWERS[19]);
        count += 19;
    }
    return count + digits_of(rest.limbs[0]);
}

bool pt__wide_to_uint128(const pt__wide *value, uint128 *out)
{
    *out = (uint128)value->limbs[1] << 64 | value->limbs[0];
    return limb_count(value) <= 2 && value->limbs[1] >> 63 == 0;
}

void pt__wide_append(pt__buffer *out, const pt__wide *value, bool negative, int scale)
{
    char digits[PT__WIDE_DIGITS_MAX + 64];
    size_t at = sizeof(digits);
    pt__wide rest = *value;
    for (int position = 0; position <= scale || !pt__wide_is_zero(&rest); position++) {
        if (position == scale && scale > 0)
            digits[--at] = '.';
        digits[--at] = (char)('0' + divide_small(&rest, 10));
    }
    if (negative)
        pt__buffer_append_byte(out, '-');
    pt__buffer_append(out, digits + at, sizeof(digits) - at);
}
