/* chr, luhn_check, levenshtein, concat_ws, UTF-8 checks. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/unicode.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

/** Code points modulo 256. */
static bool chr(pt__fn_call *call, idx_t row)
{
    char encoded[4];
    int64_t n = PT__FN_IN(call, 0, int64_t)[row];
    pt__fn_put_text(call, row, encoded, n < 0 ? 0 : pt__utf8_encode((uint32_t)(n & 255), encoded));
    return true;
}

void pt__fn_chr(pt__fn_call *call)
{
    PT__FN_EACH(call, r, chr(call, r));
}

static bool luhn(pt_text_view text)
{
    int sum = 0;
    bool twice = false;
    for (size_t i = text.size_bytes; i-- > 0; twice = !twice) {
        int digit = text.data[i] - '0';
        if (digit < 0 || digit > 9)
            return false;
        digit = twice ? digit * 2 : digit;
        sum += digit > 9 ? digit - 9 : digit;
    }
    return text.size_bytes > 0 && sum % 10 == 0;
}

static bool put_boolean(bool value, bool *out)
{
    *out = value;
    return true;
}

void pt__fn_luhn_check(pt__fn_call *call)
{
    PT__FN_EACH(call, r, put_boolean(luhn(pt__fn_text(call, 0, r)), &PT__FN_OUT(call, bool)[r]));
}

/* levenshtein(a, b [, threshold]): -1 beyond the threshold. */

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/** `costs` has room for one more than the characters of b. */
static int32_t distance(pt_text_view a, pt_text_view b, int32_t *costs)
{
    size_t columns = pt__character_count(b);
    for (size_t j = 0; j <= columns; j++)
        costs[j] = (int32_t)j;
    for (size_t at = 0; at < a.size_bytes; at += pt__character_size(a, at)) {
        size_t size = pt__character_size(a, at);
        int32_t diagonal = costs[0]++;
        size_t other = 0;
        for (size_t j = 1; j <= columns; j++) {
            size_t other_size = pt__character_size(b, other);
            bool same = size == other_size && memcmp(a.data + at, b.data + other, size) == 0;
            int32_t cost = smaller(diagonal + !same, smaller(costs[j], costs[j - 1]) + 1);
            diagonal = costs[j];
            costs[j] = cost;
            other += other_size;
        }
    }
    return costs[columns];
}

static bool levenshtein(pt__fn_call *call, idx_t row)
{
    pt_text_view a = pt__fn_text(call, 0, row);
    pt_text_view b = pt__fn_text(call, 1, row);
    pt__buffer *costs = &call->state->scratch;
    pt__buffer_reset(costs);
    if (!pt__buffer_reserve(costs, (b.size_bytes + 1) * sizeof(int32_t)))
        return pt__fn_fail_memory(call);
    int32_t result = distance(a, b, (int32_t *)(void *)costs->data);
    if (call->column_count > 2 && result > PT__FN_IN(call, 2, int32_t)[row])
        result = -1;
    PT__FN_OUT(call, int32_t)[row] = result;
    return true;
}

void pt__fn_levenshtein(pt__fn_call *call)
{
    PT__FN_EACH(call, r, levenshtein(call, r));
}

/* concat_ws(separator, texts and lists of texts): NULLs are left out. */

static void append_part(pt__buffer *out, const pt__fn_column *column, idx_t row, pt_text_view separator, bool *any)
{
    if (!pt__fn_bit(column->validity, row))
        return;
    if (column->type->id == DUCKDB_TYPE_LIST) {
        pt__fn_column elements = pt__fn_elements(column);
        duckdb_list_entry entry = pt__fn_list_entry(column, row);
        for (idx_t i = 0; elements.type->id == DUCKDB_TYPE_VARCHAR && i < entry.length; i++)
            append_part(out, &elements, entry.offset + i, separator, any);
        return;
    }
    pt_text_view text = pt__fn_string((const duckdb_string_t *)column->data + row);
    if (*any)
        pt__buffer_append(out, separator.data, separator.size_bytes);
    pt__buffer_append(out, text.data, text.size_bytes);
    *any = true;
}

static bool concat_ws(pt__fn_call *call, idx_t row)
{
    pt__buffer *out = &call->state->scratch;
    bool any = false;
    if (!pt__fn_bit(call->columns[0].validity, row))
        return false;
    pt__buffer_reset(out);
    for (size_t i = 1; i < call->column_count; i++)
        append_part(out, &call->columns[i], row, pt__fn_text(call, 0, row), &any);
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_concat_ws(pt__fn_call *call)
{
    for (size_t i = 0; i < call->column_count; i++) {
        duckdb_type id = call->columns[i].type->id;
        if (id != DUCKDB_TYPE_VARCHAR && id != DUCKDB_TYPE_LIST && id != DUCKDB_TYPE_SQLNULL) {
            pt__fn_fail_type(call, i);
            return;
        }
    }
    PT__FN_EACH(call, r, concat_ws(call, r));
}

/* UTF-8 of texts and bytes. */

static bool is_valid(pt_text_view bytes)
{
    return pt__utf8_valid(bytes.data, bytes.size_bytes);
}

void pt__fn_is_valid_utf8(pt__fn_call *call)
{
    PT__FN_EACH(call, r, put_boolean(is_valid(pt__fn_text(call, 0, r)), &PT__FN_OUT(call, bool)[r]));
}

static bool make_valid(pt__fn_call *call, idx_t row)
{
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    pt__append_valid(out, pt__fn_text(call, 0, row));
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_make_valid_utf8(pt__fn_call *call)
{
    PT__FN_EACH(call, r, make_valid(call, r));
}

static bool validate(pt__fn_call *call, idx_t row)
{
    pt_text_view bytes = pt__fn_text(call, 0, row);
    if (is_valid(bytes)) {
        pt__fn_put_text(call, row, bytes.data, bytes.size_bytes);
        return true;
    }
    pt__buffer shown = PT_BUFFER_INIT;
    for (size_t i = 0; i < bytes.size_bytes; i++)
        pt__buffer_printf(&shown, "\\x%02X", (unsigned char)bytes.data[i]);
    pt__fn_reject(call, PT_COND_INVALID_UTF8_STRING, "str", pt__buffer_string(&shown), NULL);
    pt__buffer_deinit(&shown);
    return false;
}

void pt__fn_validate_utf8(pt__fn_call *call)
{
    PT__FN_EACH(call, r, validate(call, r));
}

/* elt(n, texts): the n-th of them, from 1. */

static bool raise_index(pt__fn_call *call, int32_t index)
{
    char value[16];
    char size[24];
    snprintf(value, sizeof(value), "%d", index);
    snprintf(size, sizeof(size), "%zu", call->column_count - 1);
    return pt__fn_reject(call, PT_COND_INVALID_ARRAY_INDEX, "indexValue", value, "arraySize", size, "ansiConfig",
                         PT__ANSI_CONFIG, NULL);
}

static bool elt(pt__fn_call *call, idx_t row)
{
    if (!pt__fn_bit(call->columns[0].validity, row))
        return false;
    int32_t index = PT__FN_IN(call, 0, int32_t)[row];
    if (index < 1 || (size_t)index >= call->column_count)
        return raise_index(call, index);
    if (!pt__fn_bit(call->columns[index].validity, row))
        return false;
    pt_text_view text = pt__fn_text(call, (size_t)index, row);
    pt__fn_put_text(call, row, text.data, text.size_bytes);
    return true;
}

void pt__fn_elt(pt__fn_call *call)
{
    PT__FN_EACH(call, r, elt(call, r));
}
