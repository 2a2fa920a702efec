/* Numbers in other bases: conv, unhex. */
#include "backend/duckdb/functions/kernels.h"

#include <stdlib.h>

enum { BASE_SMALLEST = 2, BASE_LARGEST = 36, BITS = 64 };

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : BASE_LARGEST;
}

/** The digits up to the first that is none; false on overflow. */
static bool parse_digits(pt_text_view text, int base, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.size_bytes && digit_value(text.data[i]) < base; i++) {
        if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit_value(text.data[i]), value))
            return false;
    }
    return true;
}

static void put_digits(pt__fn_call *call, idx_t row, uint64_t value, int base, bool minus)
{
    char digits[BITS + 1];
    size_t at = sizeof(digits);
    do {
        digits[--at] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % (uint64_t)base];
        value /= (uint64_t)base;
    } while (value != 0);
    if (minus)
        digits[--at] = '-';
    pt__fn_put_text(call, row, digits + at, sizeof(digits) - at);
}

static bool conv(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    int from = PT__FN_IN(call, 1, int32_t)[row];
    int to = PT__FN_IN(call, 2, int32_t)[row];
    for (; text.size_bytes > 0 && text.data[0] == ' '; text.size_bytes--)
        text.data++;
    if (from < BASE_SMALLEST || from > BASE_LARGEST || abs(to) < BASE_SMALLEST || abs(to) > BASE_LARGEST ||
        text.size_bytes == 0)
        return false;
    bool negative = text.data[0] == '-';
    if (negative)
        text = (pt_text_view){text.data + 1, text.size_bytes - 1};
    uint64_t value;
    if (!parse_digits(text, from, &value)) {
        if (call->mode != PT__FN_LEGACY)
            return pt__fn_reject(call, PT_COND_ARITHMETIC_OVERFLOW, "message", "Overflow in function conv()",
                                 "alternative", "", "config", PT__ANSI_CONFIG, NULL);
        value = UINT64_MAX;
    }
    if (negative && to > 0)
        value = value >> 63 != 0 ? UINT64_MAX : -value;
    if (to < 0 && value >> 63 != 0) {
        value = -value;
        negative = true;
    }
    put_digits(call, row, value, abs(to), negative && to < 0);
    return true;
}

void pt__fn_conv(pt__fn_call *call)
{
    PT__FN_EACH(call, r, conv(call, r));
}

static bool unhex(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt__buffer *bytes = &call->state->scratch;
    pt__buffer_reset(bytes);
    int high = 0;
    for (size_t i = 0; i < text.size_bytes; i++) {
        int digit = digit_value(text.data[i]);
        if (digit >= 16)
            return false;
        if ((text.size_bytes - i) % 2 == 0)
            high = digit;
        else
            pt__buffer_append_byte(bytes, (uint8_t)(high << 4 | digit)), high = 0;
    }
    return pt__fn_put_buffer(call, row, bytes);
}

void pt__fn_unhex(pt__fn_call *call)
{
    PT__FN_EACH(call, r, unhex(call, r));
}
