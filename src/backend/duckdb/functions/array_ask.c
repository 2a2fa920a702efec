/* Questions about arrays that have three answers: true, false and NULL. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/value_order.h"
#include "backend/duckdb/functions/value_set.h"

static bool answer(pt__fn_call *call, idx_t row, bool value)
{
    PT__FN_OUT(call, bool)[row] = value;
    return true;
}

/* Whether any element equals `wanted` (NULL rows of `list` aside); `*has_null` tells of NULL elements. */
static bool find_value(const pt__fn_column *list, idx_t list_row, const pt__fn_column *wanted, idx_t wanted_row,
                       bool *has_null)
{
    pt__fn_column elements = pt__fn_elements(list);
    duckdb_list_entry entry = pt__fn_list_entry(list, list_row);
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        if (pt__value_is_null(&elements, i))
            *has_null = true;
        else if (pt__value_equal(&elements, i, wanted, wanted_row))
            return true;
    }
    return false;
}

static bool contains(pt__fn_call *call, idx_t row)
{
    bool has_null = false;
    bool found = find_value(&call->columns[0], row, &call->columns[1], row, &has_null);
    return (found || !has_null) && answer(call, row, found);
}

void pt__fn_array_contains(pt__fn_call *call)
{
    PT__FN_EACH(call, r, contains(call, r));
}

static bool overlap(pt__fn_call *call, idx_t row)
{
    pt__fn_column x = pt__fn_elements(&call->columns[0]);
    pt__fn_column y = pt__fn_elements(&call->columns[1]);
    duckdb_list_entry first = pt__fn_list_entry(&call->columns[0], row);
    duckdb_list_entry second = pt__fn_list_entry(&call->columns[1], row);
    bool has_null = false;
    pt__value_set seen;
    if (first.length == 0 || second.length == 0)
        return answer(call, row, false);
    if (!pt__value_set_init(&seen, &call->state->scratch, first.length))
        return pt__fn_fail_memory(call);
    for (idx_t i = first.offset; i < first.offset + first.length; i++) {
        if (pt__value_is_null(&x, i))
            has_null = true;
        else
            pt__value_set_add(&seen, &x, i);
    }
    for (idx_t i = second.offset; i < second.offset + second.length; i++) {
        if (pt__value_is_null(&y, i))
            has_null = true;
        else if (pt__value_set_has(&seen, &y, i))
            return answer(call, row, true);
    }
    return !has_null && answer(call, row, false);
}

void pt__fn_arrays_overlap(pt__fn_call *call)
{
    PT__FN_EACH(call, r, overlap(call, r));
}

/* Whether one element is true (option 1) or false (option 0): exists, and the contrary of forall. */
static bool any_of(pt__fn_call *call, idx_t row)
{
    pt__fn_column elements = pt__fn_elements(&call->columns[0]);
    duckdb_list_entry entry = pt__fn_list_entry(&call->columns[0], row);
    bool wanted = call->row->option != 0;
    bool has_null = false;
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        if (pt__value_is_null(&elements, i))
            has_null = true;
        else if (((const bool *)elements.data)[i] == wanted)
            return answer(call, row, wanted);
    }
    return !has_null && answer(call, row, !wanted);
}

void pt__fn_any_of(pt__fn_call *call)
{
    PT__FN_EACH(call, r, any_of(call, r));
}

static bool has_null_element(pt__fn_call *call, idx_t row)
{
    pt__fn_column elements = pt__fn_elements(&call->columns[0]);
    duckdb_list_entry entry = pt__fn_list_entry(&call->columns[0], row);
    idx_t i = entry.offset;
    while (i < entry.offset + entry.length && !pt__value_is_null(&elements, i))
        i++;
    return answer(call, row, i < entry.offset + entry.length);
}

void pt__fn_has_null(pt__fn_call *call)
{
    PT__FN_EACH(call, r, has_null_element(call, r));
}
