#include "backend/duckdb/functions/list_out.h"

#include <stdio.h>

bool pt__list_out_open(pt__list_out *out, pt__fn_call *call)
{
    *out = (pt__list_out){.call = call, .child = duckdb_list_vector_get_child(call->output)};
    memset(call->out, 0, call->row_count * sizeof(duckdb_list_entry));
    out->data = duckdb_vector_get_data(out->child);
    return true;
}

void pt__list_out_begin(pt__list_out *out)
{
    out->start = out->size;
}

static bool reserve(pt__list_out *out, idx_t capacity)
{
    duckdb_list_vector_set_size(out->call->output, out->size); /* what growing must keep */
    if (duckdb_list_vector_reserve(out->call->output, capacity) != DuckDBSuccess)
        return pt__fn_fail_memory(out->call);
    out->capacity = capacity;
    out->child = duckdb_list_vector_get_child(out->call->output);
    out->data = duckdb_vector_get_data(out->child);
    return true;
}

/* As the user calls it. */
static void put_function_name(const char *ours, char out[64])
{
    static const char PICKS[] = "spark_pick_";
    bool picks = strncmp(ours, PICKS, sizeof(PICKS) - 1) == 0;
    snprintf(out, 64, picks ? "`array_%s`" : "`%s`", ours + (picks ? sizeof(PICKS) - 1 : strlen("spark_")));
}

static bool fail_length(pt__list_out *out, idx_t length)
{
    char wanted[24];
    char allowed[24];
    char name[64];
    put_function_name(out->call->row->name, name);
    snprintf(wanted, sizeof(wanted), "%llu", (unsigned long long)length);
    snprintf(
        allowed, sizeof(allowed), "%llu",
        (unsigned long long)(length > PT__LIST_LENGTH_SPARK ? PT__LIST_LENGTH_SPARK : pt__fn_list_limit(out->call)));
    return pt__fn_raise(out->call, PT_COND_COLLECTION_SIZE_LIMIT_EXCEEDED_FUNCTION, "numberOfElements", wanted,
                        "maxRoundedArrayLength", allowed, "functionName", name, NULL);
}

bool pt__list_out_may_hold(pt__list_out *out, idx_t count)
{
    return out->size + count <= pt__fn_list_limit(out->call) || fail_length(out, count);
}

bool pt__list_out_grow(pt__list_out *out, idx_t count, idx_t *position)
{
    if (out->size + count > pt__fn_list_limit(out->call))
        return fail_length(out, out->size - out->start + count);
    if (out->size + count > out->capacity) {
        idx_t doubled = out->capacity * 2 < 2048 ? 2048 : out->capacity * 2;
        if (!reserve(out, out->size + count > doubled ? out->size + count : doubled))
            return false;
    }
    *position = out->size;
    out->size += count;
    return true;
}

bool pt__list_out_push_int64(pt__list_out *out, int64_t value)
{
    idx_t position;
    if (!pt__list_out_grow(out, 1, &position))
        return false;
    PT__LIST_OUT(out, int64_t)[position] = value;
    return true;
}

bool pt__list_out_push_text(pt__list_out *out, pt_text_view text)
{
    idx_t position;
    if (!pt__list_out_grow(out, 1, &position))
        return false;
    duckdb_unsafe_vector_assign_string_element_len(out->child, position, text.data, text.size_bytes);
    return true;
}

bool pt__list_out_push_null(pt__list_out *out)
{
    idx_t position;
    if (!pt__list_out_grow(out, 1, &position))
        return false;
    duckdb_vector_ensure_validity_writable(out->child);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(out->child), position);
    return true;
}

bool pt__list_out_end(pt__list_out *out, idx_t row)
{
    ((duckdb_list_entry *)out->call->out)[row] = (duckdb_list_entry){out->start, out->size - out->start};
    return true;
}

void pt__list_out_close(pt__list_out *out)
{
    duckdb_list_vector_set_size(out->call->output, out->size);
}
