/*
 * What functions make may take memory that the engine's limit does not see: each call, of up to 2048 rows, has a limit of
 * its own (duckdb.value-limit). Text is counted as it is made; lists that DuckDB itself makes are asked about before.
 */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/value_order.h"

#include <stdio.h>

static bool fail_size(pt__fn_call *call, uint64_t size_bytes)
{
    char wanted[24];
    char allowed[24];
    snprintf(wanted, sizeof(wanted), "%llu", (unsigned long long)size_bytes);
    snprintf(allowed, sizeof(allowed), "%llu", (unsigned long long)call->made_limit_bytes);
    return pt__fn_raise(call, PT_COND_UNABLE_TO_ACQUIRE_MEMORY, "requestedBytes", wanted, "receivedBytes", allowed,
                        NULL);
}

bool pt__fn_may_make(pt__fn_call *call, uint64_t size_bytes)
{
    bool fits = call->made_bytes <= call->made_limit_bytes && size_bytes <= call->made_limit_bytes - call->made_bytes;
    return fits || fail_size(call, call->made_bytes + size_bytes);
}

bool pt__fn_put_buffer(pt__fn_call *call, idx_t row, const pt__buffer *buffer)
{
    if (buffer->failed)
        return buffer->limit_bytes != 0 ? fail_size(call, buffer->limit_bytes + 1) : pt__fn_fail_memory(call);
    if (!pt__fn_may_make(call, buffer->size_bytes))
        return false;
    call->made_bytes += buffer->size_bytes;
    pt__fn_put_text(call, row, buffer->size_bytes == 0 ? "" : (const char *)buffer->data, buffer->size_bytes);
    return true;
}

uint64_t pt__fn_list_limit(const pt__fn_call *call)
{
    return call->made_limit_bytes / sizeof(int64_t);
}

/* ---- lists that DuckDB makes ---- */

/* `made_bytes` counts elements here. The name in the message is the user's. */
static bool count_elements(pt__fn_call *call, idx_t row, uint64_t count, pt_text_view name)
{
    char wanted[24];
    char allowed[24];
    char function[64];
    call->made_bytes += count;
    if (call->made_bytes <= pt__fn_list_limit(call)) {
        PT__FN_OUT(call, bool)[row] = true;
        return true;
    }
    snprintf(wanted, sizeof(wanted), "%llu", (unsigned long long)call->made_bytes);
    snprintf(allowed, sizeof(allowed), "%llu", (unsigned long long)pt__fn_list_limit(call));
    snprintf(function, sizeof(function), "`%.*s`", (int)name.size_bytes, name.data);
    return pt__fn_raise(call, PT_COND_COLLECTION_SIZE_LIMIT_EXCEEDED_FUNCTION, "numberOfElements", wanted,
                        "maxRoundedArrayLength", allowed, "functionName", function, NULL);
}

/* may_hold(elements, name of the function): true, or an error. */
static bool may_hold(pt__fn_call *call, idx_t row)
{
    return count_elements(call, row, (uint64_t)PT__FN_IN(call, 0, int64_t)[row], pt__fn_text(call, 1, row));
}

void pt__fn_may_hold(pt__fn_call *call)
{
    PT__FN_EACH(call, r, may_hold(call, r));
}

/* may_flatten(list of lists): NULL when one of these is. */
static bool may_flatten(pt__fn_call *call, idx_t row)
{
    pt__fn_column elements = pt__fn_elements(&call->columns[0]);
    duckdb_list_entry entry = pt__fn_list_entry(&call->columns[0], row);
    uint64_t count = 0;
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        if (pt__value_is_null(&elements, i))
            return false;
        count += pt__fn_list_entry(&elements, i).length;
    }
    return count_elements(call, row, count, (pt_text_view){"flatten", 7});
}

void pt__fn_may_flatten(pt__fn_call *call)
{
    PT__FN_EACH(call, r, may_flatten(call, r));
}

/* ---- text ---- */

static bool concat(pt__fn_call *call, idx_t row)
{
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    for (size_t i = 0; i < call->column_count; i++) {
        pt_text_view text = pt__fn_text(call, i, row);
        pt__buffer_append(out, text.data, text.size_bytes);
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_concat(pt__fn_call *call)
{
    PT__FN_EACH(call, r, concat(call, r));
}

/* replace(text, what, by): all of it, from left to right; nothing when `what` is empty. */
static bool replace(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view what = pt__fn_text(call, 1, row);
    pt_text_view by = pt__fn_text(call, 2, row);
    pt__buffer *out = &call->state->scratch;
    const char *end = text.data + text.size_bytes;
    pt__buffer_reset(out);
    while (what.size_bytes > 0 && !out->failed) {
        const char *found = memmem(text.data, (size_t)(end - text.data), what.data, what.size_bytes);
        if (found == NULL)
            break;
        pt__buffer_append(out, text.data, (size_t)(found - text.data));
        pt__buffer_append(out, by.data, by.size_bytes);
        text.data = found + what.size_bytes;
    }
    pt__buffer_append(out, text.data, (size_t)(end - text.data));
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_replace(pt__fn_call *call)
{
    PT__FN_EACH(call, r, replace(call, r));
}
