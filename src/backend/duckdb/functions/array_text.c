/* Arrays of text from and to text. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/nested.h"

/* (array, delimiter) or (array, delimiter, what stands for NULL) */
static bool join(pt__fn_call *call, idx_t row)
{
    pt__fn_column elements = pt__fn_elements(&call->columns[0]);
    duckdb_list_entry entry = pt__fn_list_entry(&call->columns[0], row);
    pt_text_view delimiter = pt__fn_text(call, 1, row);
    pt__buffer *out = &call->state->scratch;
    bool first = true;
    pt__buffer_reset(out);
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        bool is_null = !pt__fn_bit(elements.validity, i);
        if (is_null && call->column_count < 3)
            continue;
        pt_text_view text =
            is_null ? pt__fn_text(call, 2, row) : pt__fn_string((const duckdb_string_t *)elements.data + i);
        if (!first)
            pt__buffer_append(out, delimiter.data, delimiter.size_bytes);
        pt__buffer_append(out, text.data, text.size_bytes);
        first = false;
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_array_join(pt__fn_call *call)
{
    PT__FN_EACH(call, r, join(call, r));
}
