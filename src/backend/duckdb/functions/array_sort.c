/* Sorting arrays: positions for list_select, as in array_pick.c. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/list_out.h"
#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/value_order.h"

/** What two elements are compared by. */
typedef struct order {
    pt__fn_column elements;
    idx_t offset;
    bool descending;
    bool nulls_first;
} order;

static int compare_elements(void *context, idx_t a, idx_t b)
{
    const order *by = context;
    bool a_null = pt__value_is_null(&by->elements, by->offset + a);
    bool b_null = pt__value_is_null(&by->elements, by->offset + b);
    if (a_null || b_null)
        return by->nulls_first ? b_null - a_null : a_null - b_null;
    int compared = pt__value_compare(&by->elements, by->offset + a, &by->elements, by->offset + b);
    return by->descending ? -compared : compared;
}

/* Sorts the numbers below `length` and adds them to the list, counted from 1. */
static bool push_sorted(pt__fn_call *call, pt__list_out *out, idx_t length, pt__item_compare compare, void *context)
{
    pt__buffer *memory = &call->state->scratch;
    idx_t first;
    pt__buffer_reset(memory);
    if (!pt__buffer_reserve(memory, 2 * (length + 1) * sizeof(idx_t)))
        return pt__fn_fail_memory(call);
    if (!pt__list_out_grow(out, length, &first))
        return false;
    idx_t *items = (idx_t *)(void *)memory->data;
    for (idx_t i = 0; i < length; i++)
        items[i] = i;
    pt__stable_sort(items, items + length, length, compare, context);
    for (idx_t i = 0; i < length && !call->failed; i++)
        PT__LIST_OUT(out, int64_t)[first + i] = (int64_t)items[i] + 1;
    return !call->failed;
}

/* (array, ascending, nulls first) */
static bool pick_sorted(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    duckdb_list_entry entry = pt__fn_list_entry(&call->columns[0], row);
    order by = {pt__fn_elements(&call->columns[0]), entry.offset, !PT__FN_IN(call, 1, bool)[row],
                PT__FN_IN(call, 2, bool)[row]};
    pt__list_out_begin(out);
    return push_sorted(call, out, entry.length, compare_elements, &by) && pt__list_out_end(out, row);
}

void pt__fn_pick_sorted(pt__fn_call *call)
{
    pt__list_out out;
    if (call->columns[0].type->id != DUCKDB_TYPE_LIST) {
        pt__fn_fail_type(call, 0);
        return;
    }
    pt__list_out_open(&out, call);
    PT__FN_EACH(call, r, pick_sorted(call, &out, r));
    pt__list_out_close(&out);
}

/** The comparator's answers for all pairs: a list of lists of INTEGER. */
typedef struct answers {
    pt__fn_call *call;
    const duckdb_list_entry *rows;
    pt__fn_column cells;
    idx_t offset;
} answers;

static int look_up(void *context, idx_t a, idx_t b)
{
    const answers *known = context;
    duckdb_list_entry row = known->rows[known->offset + a];
    if (b >= row.length || pt__value_is_null(&known->cells, row.offset + b)) {
        if (!known->call->failed)
            pt__fn_raise(known->call, PT_COND_COMPARATOR_RETURNS_NULL, "firstValue", "element", "secondValue",
                         "element", NULL);
        return 0;
    }
    return ((const int32_t *)known->cells.data)[row.offset + b];
}

static bool pick_by_answers(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    duckdb_list_entry entry = pt__fn_list_entry(&call->columns[0], row);
    pt__fn_column rows = pt__fn_elements(&call->columns[0]);
    answers known = {call, rows.data, pt__fn_elements(&rows), entry.offset};
    pt__list_out_begin(out);
    return push_sorted(call, out, entry.length, look_up, &known) && pt__list_out_end(out, row);
}

void pt__fn_pick_by_answers(pt__fn_call *call)
{
    pt__list_out out;
    pt__list_out_open(&out, call);
    PT__FN_EACH(call, r, pick_by_answers(call, &out, r));
    pt__list_out_close(&out);
}

/* ---- keys for ORDER BY, and comparison of nested values ---- */

static bool put_key(pt__fn_call *call, idx_t row)
{
    pt__buffer *key = &call->state->scratch;
    pt__buffer_reset(key);
    pt__value_append_key(key, &call->columns[0], row);
    return pt__fn_put_buffer(call, row, key);
}

void pt__fn_sort_key(pt__fn_call *call)
{
    PT__FN_EACH(call, r, put_key(call, r));
}

static bool compare_pair(pt__fn_call *call, idx_t row)
{
    int compared = pt__value_compare(&call->columns[0], row, &call->columns[1], row);
    PT__FN_OUT(call, int32_t)[row] = (compared > 0) - (compared < 0);
    return true;
}

void pt__fn_compare(pt__fn_call *call)
{
    PT__FN_EACH(call, r, compare_pair(call, r));
}
