/*
 * Functions of arrays whose result holds elements of their argument: the kernel gives positions, counted from 1, for
 * DuckDB's list_select; a position past the end gives NULL. So one kernel serves every type.
 */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/list_out.h"
#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/value_order.h"
#include "backend/duckdb/functions/value_set.h"

#include <stdio.h>

/** The elements of a list in a row. */
typedef struct array {
    pt__fn_column elements;
    idx_t offset;
    idx_t length;
} array;

static array array_of(const pt__fn_call *call, size_t column, idx_t row)
{
    const pt__fn_column *list = &call->columns[column];
    duckdb_list_entry entry = pt__fn_list_entry(list, row);
    return (array){pt__fn_elements(list), entry.offset, entry.length};
}

static int32_t int_argument(const pt__fn_call *call, size_t column, idx_t row)
{
    return PT__FN_IN(call, column, int32_t)[row];
}

static bool check_lists(pt__fn_call *call, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (call->columns[i].type->id != DUCKDB_TYPE_LIST)
            return pt__fn_fail_type(call, i);
    return true;
}

#define EACH_LIST(call, list_count, function)                                                                          \
    do {                                                                                                               \
        pt__list_out out;                                                                                              \
        if (!check_lists((call), (list_count)) || !pt__list_out_open(&out, (call)))                                    \
            return;                                                                                                    \
        PT__FN_EACH((call), r, (pt__list_out_begin(&out), function((call), &out, r)) && pt__list_out_end(&out, r));    \
        pt__list_out_close(&out);                                                                                      \
    } while (0)

/* ---- sets ---- */

static bool pick_distinct(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    array a = array_of(call, 0, row);
    pt__value_set seen;
    if (!pt__value_set_init(&seen, &call->state->scratch, a.length))
        return pt__fn_fail_memory(call);
    for (idx_t i = 0; i < a.length; i++)
        if (pt__value_set_add(&seen, &a.elements, a.offset + i) && !pt__list_out_push_int64(out, (int64_t)i + 1))
            return false;
    return true;
}

void pt__fn_pick_distinct(pt__fn_call *call)
{
    EACH_LIST(call, 1, pick_distinct);
}

/* For each distinct element, in the order of first occurrences, where it stands last. */
static bool pick_last(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    array a = array_of(call, 0, row);
    pt__value_set seen;
    pt__buffer *memory = &call->state->scratch2;
    pt__buffer_reset(memory);
    if (!pt__value_set_init(&seen, &call->state->scratch, a.length) ||
        !pt__buffer_reserve(memory, (seen.mask + 1) * sizeof(idx_t)))
        return pt__fn_fail_memory(call);
    idx_t *positions = (idx_t *)(void *)memory->data; /* in the result, by slot; one more, so that 0 is none */
    memset(positions, 0, (seen.mask + 1) * sizeof(*positions));
    for (idx_t i = 0; i < a.length; i++) {
        size_t slot = pt__value_set_slot(&seen, &a.elements, a.offset + i);
        if (positions[slot] == 0) {
            if (!pt__list_out_grow(out, 1, &positions[slot]))
                return false;
            positions[slot]++;
        }
        PT__LIST_OUT(out, int64_t)[positions[slot] - 1] = (int64_t)i + 1;
    }
    return true;
}

void pt__fn_pick_last(pt__fn_call *call)
{
    EACH_LIST(call, 1, pick_last);
}

/* First occurrences in the first array that are (option 1) or are not (option 0) in the second. */
static bool pick_by_other(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    array a = array_of(call, 0, row);
    array b = array_of(call, 1, row);
    pt__value_set seen;
    pt__value_set other;
    if (!pt__value_set_init(&seen, &call->state->scratch, a.length) ||
        !pt__value_set_init(&other, &call->state->scratch2, b.length))
        return pt__fn_fail_memory(call);
    for (idx_t i = 0; i < b.length; i++)
        pt__value_set_add(&other, &b.elements, b.offset + i);
    bool wanted = call->row->option != 0;
    for (idx_t i = 0; i < a.length; i++) {
        if (pt__value_set_has(&other, &a.elements, a.offset + i) == wanted &&
            pt__value_set_add(&seen, &a.elements, a.offset + i) && !pt__list_out_push_int64(out, (int64_t)i + 1))
            return false;
    }
    return true;
}

void pt__fn_pick_by_other(pt__fn_call *call)
{
    EACH_LIST(call, 2, pick_by_other);
}

/* ---- single elements ---- */

static bool pick_unequal(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    array a = array_of(call, 0, row);
    for (idx_t i = 0; i < a.length; i++)
        if (!pt__value_equal(&a.elements, a.offset + i, &call->columns[1], row) &&
            !pt__list_out_push_int64(out, (int64_t)i + 1))
            return false;
    return true;
}

void pt__fn_pick_unequal(pt__fn_call *call)
{
    EACH_LIST(call, 1, pick_unequal);
}

static bool position_of(pt__fn_call *call, idx_t row)
{
    array a = array_of(call, 0, row);
    idx_t i = 0;
    while (i < a.length && !pt__value_equal(&a.elements, a.offset + i, &call->columns[1], row))
        i++;
    PT__FN_OUT(call, int64_t)[row] = i < a.length ? (int64_t)i + 1 : 0;
    return true;
}

void pt__fn_array_position(pt__fn_call *call)
{
    if (check_lists(call, 1))
        PT__FN_EACH(call, r, position_of(call, r));
}

/* The position of the largest (option 1) or smallest (option -1) element that is not NULL; NULL when there is none. */
static bool position_of_extreme(pt__fn_call *call, idx_t row)
{
    array a = array_of(call, 0, row);
    idx_t best = a.length;
    for (idx_t i = 0; i < a.length; i++) {
        if (pt__value_is_null(&a.elements, a.offset + i))
            continue;
        if (best == a.length ||
            pt__value_compare(&a.elements, a.offset + i, &a.elements, a.offset + best) * call->row->option > 0)
            best = i;
    }
    PT__FN_OUT(call, int64_t)[row] = (int64_t)best + 1;
    return best < a.length;
}

void pt__fn_array_extreme(pt__fn_call *call)
{
    if (check_lists(call, 1))
        PT__FN_EACH(call, r, position_of_extreme(call, r));
}

static bool reject_index(pt__fn_call *call, pt__condition_id condition, int64_t index, idx_t length)
{
    char index_text[24];
    char size_text[24];
    snprintf(index_text, sizeof(index_text), "%lld", (long long)index);
    snprintf(size_text, sizeof(size_text), "%llu", (unsigned long long)length);
    return pt__fn_reject(call, condition, "indexValue", index_text, "arraySize", size_text, NULL);
}

/* element_at: from 1, or from the end when negative. */
static bool checked_position(pt__fn_call *call, idx_t row)
{
    int64_t length = (int64_t)array_of(call, 0, row).length;
    int64_t index = int_argument(call, 1, row);
    if (index == 0)
        return pt__fn_raise(call, PT_COND_INVALID_INDEX_OF_ZERO, NULL);
    if (index > length || -index > length)
        return reject_index(call, PT_COND_INVALID_ARRAY_INDEX_IN_ELEMENT_AT, index, (idx_t)length);
    PT__FN_OUT(call, int64_t)[row] = index > 0 ? index : length + index + 1;
    return true;
}

void pt__fn_element_position(pt__fn_call *call)
{
    if (check_lists(call, 1))
        PT__FN_EACH(call, r, checked_position(call, r));
}

/* a[i]: from 0. */
static bool checked_item(pt__fn_call *call, idx_t row)
{
    int64_t length = (int64_t)array_of(call, 0, row).length;
    int64_t index = int_argument(call, 1, row);
    if (index < 0 || index >= length)
        return reject_index(call, PT_COND_INVALID_ARRAY_INDEX, index, (idx_t)length);
    PT__FN_OUT(call, int64_t)[row] = index + 1;
    return true;
}

void pt__fn_item_position(pt__fn_call *call)
{
    if (check_lists(call, 1))
        PT__FN_EACH(call, r, checked_item(call, r));
}

/* ---- ranges ---- */

static bool reject_parameter(pt__fn_call *call, pt__condition_id condition, const char *name, int32_t value)
{
    char text[16];
    snprintf(text, sizeof(text), "%d", (int)value);
    char quoted[16];
    snprintf(quoted, sizeof(quoted), "`%s`", name);
    return pt__fn_raise(call, condition, "parameter", quoted, "functionName", "`slice`", name, text, NULL);
}

static bool pick_slice(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    int64_t size = (int64_t)array_of(call, 0, row).length;
    int32_t start = int_argument(call, 1, row);
    int32_t length = int_argument(call, 2, row);
    if (start == 0)
        return reject_parameter(call, PT_COND_INVALID_PARAMETER_VALUE_START, "start", start);
    if (length < 0)
        return reject_parameter(call, PT_COND_INVALID_PARAMETER_VALUE_LENGTH, "length", length);
    int64_t first = start > 0 ? start : size + start + 1;
    for (int64_t i = 0; first > 0 && i < length && first + i <= size; i++)
        if (!pt__list_out_push_int64(out, first + i))
            return false;
    return true;
}

void pt__fn_pick_slice(pt__fn_call *call)
{
    EACH_LIST(call, 1, pick_slice);
}

/*
 * array_insert: positions in the array that has the new value at its end. Past the end, or before the start when
 * counted from the end, the gap is filled with NULLs.
 */
static bool pick_insert(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    int64_t size = (int64_t)array_of(call, 0, row).length;
    int64_t index = int_argument(call, 1, row);
    if (index == 0)
        return pt__fn_raise(call, PT_COND_INVALID_INDEX_OF_ZERO, NULL);
    bool from_end = index < 0;
    int64_t after = from_end ? size + index + 1 : index - 1; /* elements before the new one */
    int64_t total = after < 0 ? size - after + 1 : (after > size ? after : size) + 1;
    int64_t new_at = after < 0 ? 0 : after;
    int64_t first_old = after < 0 ? total - size : 0; /* where the old elements start when there is a gap */
    for (int64_t i = 0; i < total; i++) {
        int64_t old = i < new_at ? i : i - (first_old > 0 ? first_old : 1);
        int64_t picked = i == new_at ? size + 1 : old >= 0 && old < size ? old + 1 : size + 2;
        if (!pt__list_out_push_int64(out, picked))
            return false;
    }
    return true;
}

void pt__fn_pick_insert(pt__fn_call *call)
{
    EACH_LIST(call, 1, pick_insert);
}

static bool pick_repeat(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    int32_t count = int_argument(call, 0, row);
    idx_t first;
    if (count > 0 && !pt__list_out_grow(out, (idx_t)count, &first))
        return false;
    for (int32_t i = 0; i < count; i++)
        PT__LIST_OUT(out, int64_t)[first + (idx_t)i] = 1;
    return true;
}

void pt__fn_pick_repeat(pt__fn_call *call)
{
    EACH_LIST(call, 0, pick_repeat);
}

/* ---- the most frequent value ---- */

/* Order 0: the first of the most frequent values; -1 the smallest, 1 the largest of them. */
static bool position_of_mode(pt__fn_call *call, idx_t row)
{
    array a = array_of(call, 0, row);
    int order = PT__FN_IN(call, 1, int32_t)[row];
    pt__buffer *memory = &call->state->scratch2;
    pt__value_set seen;
    pt__buffer_reset(memory);
    if (!pt__value_set_init(&seen, &call->state->scratch, a.length) ||
        !pt__buffer_reserve(memory, (seen.mask + 1) * sizeof(idx_t)))
        return pt__fn_fail_memory(call);
    idx_t *counts = (idx_t *)(void *)memory->data;
    memset(counts, 0, (seen.mask + 1) * sizeof(*counts));
    idx_t best = a.length;
    idx_t best_count = 0;
    for (idx_t i = 0; i < a.length; i++) {
        if (!pt__value_is_null(&a.elements, a.offset + i))
            counts[pt__value_set_slot(&seen, &a.elements, a.offset + i)]++;
    }
    for (idx_t i = 0; i < a.length; i++) {
        if (pt__value_is_null(&a.elements, a.offset + i))
            continue;
        idx_t count = counts[pt__value_set_slot(&seen, &a.elements, a.offset + i)];
        int compared = best == a.length || order == 0
                           ? 0
                           : pt__value_compare(&a.elements, a.offset + i, &a.elements, a.offset + best) * order;
        if (count > best_count || (count == best_count && compared > 0)) {
            best = i;
            best_count = count;
        }
    }
    PT__FN_OUT(call, int64_t)[row] = (int64_t)best + 1;
    return best < a.length;
}

/* Whether the row before has the very same list: so it is in windows whose frame is the partition. */
static bool is_repeated(const pt__fn_call *call, idx_t row)
{
    const int32_t *orders = PT__FN_IN(call, 1, int32_t);
    if (row == 0 || !pt__fn_live(call, row - 1) || orders[row] != orders[row - 1])
        return false;
    array now = array_of(call, 0, row);
    array before = array_of(call, 0, row - 1);
    return now.offset == before.offset && now.length == before.length;
}

static bool position_of_mode_or_last(pt__fn_call *call, idx_t row)
{
    if (!is_repeated(call, row))
        return position_of_mode(call, row);
    PT__FN_OUT(call, int64_t)[row] = PT__FN_OUT(call, int64_t)[row - 1];
    return true;
}

void pt__fn_mode_position(pt__fn_call *call)
{
    if (check_lists(call, 1))
        PT__FN_EACH(call, r, position_of_mode_or_last(call, r));
}
