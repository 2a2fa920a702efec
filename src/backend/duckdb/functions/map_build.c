/* Making maps: what Spark refuses before DuckDB's map() is reached. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/value_order.h"
#include "backend/duckdb/functions/value_set.h"

#define DEDUP_CONFIG "\"spark.sql.mapKeyDedupPolicy\""

/* The key of the message, as far as it is text or a number. */
static bool fail_duplicate(pt__fn_call *call, const pt__fn_column *keys, idx_t row)
{
    pt__buffer text = PT_BUFFER_INIT;
    duckdb_type type = keys->type->id;
    if (type == DUCKDB_TYPE_VARCHAR) {
        pt_text_view key = pt__fn_string((const duckdb_string_t *)keys->data + row);
        pt__buffer_append(&text, key.data, key.size_bytes);
    } else if (pt__fn_type_is_integer(keys->type)) {
        pt__buffer_printf(&text, "%lld", (long long)pt__fn_integer(keys, row));
    }
    pt__fn_raise(call, PT_COND_DUPLICATED_MAP_KEY, "key", pt__buffer_string(&text), "mapKeyDedupPolicy", DEDUP_CONFIG,
                 NULL);
    pt__buffer_deinit(&text);
    return false;
}

static bool check_key_range(pt__fn_call *call, const pt__fn_column *keys, idx_t offset, idx_t length)
{
    pt__value_set seen;
    if (!pt__value_set_init(&seen, &call->state->scratch, length))
        return pt__fn_fail_memory(call);
    for (idx_t i = offset; i < offset + length; i++) {
        if (pt__value_is_null(keys, i))
            return pt__fn_raise(call, PT_COND_NULL_MAP_KEY, NULL);
        if (!pt__value_set_add(&seen, keys, i))
            return fail_duplicate(call, keys, i);
    }
    return true;
}

/* (keys, values): true, or fails. */
static bool check_arrays(pt__fn_call *call, idx_t row)
{
    pt__fn_column keys = pt__fn_elements(&call->columns[0]);
    duckdb_list_entry entry = pt__fn_list_entry(&call->columns[0], row);
    if (entry.length != pt__fn_list_entry(&call->columns[1], row).length)
        return pt__fn_raise(call, PT_COND_MAP_ARRAYS_LENGTHS_DIFFER, NULL);
    PT__FN_OUT(call, bool)[row] = true;
    return check_key_range(call, &keys, entry.offset, entry.length);
}

void pt__fn_check_keys(pt__fn_call *call)
{
    PT__FN_EACH(call, r, check_arrays(call, r));
}

/* (array of pairs): true, NULL when a pair is NULL, or fails. */
static bool check_pairs(pt__fn_call *call, idx_t row)
{
    pt__fn_column pairs = pt__fn_elements(&call->columns[0]);
    duckdb_list_entry entry = pt__fn_list_entry(&call->columns[0], row);
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++)
        if (pt__value_is_null(&pairs, i))
            return false;
    pt__fn_column keys = pt__fn_field(&pairs, pairs.type, 0);
    PT__FN_OUT(call, bool)[row] = true;
    return check_key_range(call, &keys, entry.offset, entry.length);
}

void pt__fn_check_entries(pt__fn_call *call)
{
    PT__FN_EACH(call, r, check_pairs(call, r));
}
