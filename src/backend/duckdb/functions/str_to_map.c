/* str_to_map(text, pair separator, key separator): both are regular expressions. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/list_out.h"
#include "backend/duckdb/functions/regex.h"

enum { PAIR_SLOT = 0, KEY_SLOT = 1 };

typedef struct map_writer {
    pt__fn_call *call;
    pt__list_out list;
    const pt__regex *keys;
} map_writer;

static bool raise_duplicate(pt__fn_call *call, pt_text_view key)
{
    pt__buffer copy = PT_BUFFER_INIT;
    pt__buffer_append(&copy, key.data, key.size_bytes);
    pt__fn_raise(call, PT_COND_DUPLICATED_MAP_KEY, "key", pt__buffer_string(&copy), "mapKeyDedupPolicy",
                 "\"spark.sql.mapKeyDedupPolicy\"", NULL);
    pt__buffer_deinit(&copy);
    return false;
}

static bool is_new_key(const map_writer *w, pt_text_view key)
{
    const duckdb_string_t *keys = duckdb_vector_get_data(duckdb_struct_vector_get_child(w->list.child, 0));
    for (idx_t i = w->list.start; i < w->list.size; i++) {
        pt_text_view other = pt__fn_string(&keys[i]);
        if (other.size_bytes == key.size_bytes && memcmp(other.data, key.data, key.size_bytes) == 0)
            return false;
    }
    return true;
}

/** A pair without separator has the value NULL. */
static bool add_pair(map_writer *w, pt__regex *keys, pt_text_view pair)
{
    pt__span split;
    idx_t position;
    bool whole = !pt__fn_find(w->call, keys, pair, 0, &split);
    if (w->call->failed)
        return false;
    pt_text_view key = {pair.data, whole ? pair.size_bytes : split.start};
    if (!is_new_key(w, key))
        return raise_duplicate(w->call, key);
    if (!pt__list_out_grow(&w->list, 1, &position))
        return false;
    duckdb_vector key_vector = duckdb_struct_vector_get_child(w->list.child, 0);
    duckdb_vector value_vector = duckdb_struct_vector_get_child(w->list.child, 1);
    duckdb_unsafe_vector_assign_string_element_len(key_vector, position, key.data, key.size_bytes);
    if (whole) {
        duckdb_vector_ensure_validity_writable(value_vector);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(value_vector), position);
    } else {
        duckdb_unsafe_vector_assign_string_element_len(value_vector, position, pair.data + split.end,
                                                       pair.size_bytes - split.end);
    }
    return true;
}

static bool fill(map_writer *w, idx_t row)
{
    pt__regex *pairs = pt__fn_regex(w->call, PAIR_SLOT, 1, row, "`str_to_map`");
    pt__regex *keys = pairs == NULL ? NULL : pt__fn_regex(w->call, KEY_SLOT, 2, row, "`str_to_map`");
    pt_text_view text = pt__fn_text(w->call, 0, row);
    size_t index = 0;
    pt__span match;
    if (keys == NULL)
        return false;
    pt__list_out_begin(&w->list);
    for (size_t from = 0; pt__fn_find(w->call, pairs, text, from, &match);) {
        from = pt__regex_next(text, match);
        if (index == 0 && match.end == 0)
            continue;
        if (!add_pair(w, keys, (pt_text_view){text.data + index, match.start - index}))
            return false;
        index = match.end;
    }
    return !w->call->failed && add_pair(w, keys, (pt_text_view){text.data + index, text.size_bytes - index}) &&
           pt__list_out_end(&w->list, row);
}

void pt__fn_str_to_map(pt__fn_call *call)
{
    map_writer w = {.call = call};
    if (!pt__list_out_open(&w.list, call))
        return;
    PT__FN_EACH(call, r, fill(&w, r));
    pt__list_out_close(&w.list);
}
