/* Bitmaps in binary values. */
#include "backend/duckdb/functions/kernels.h"

static bool count_bits(pt__fn_call *call, idx_t row)
{
    pt_text_view bytes = pt__fn_text(call, 0, row);
    int64_t count = 0;
    for (size_t i = 0; i < bytes.size_bytes; i++)
        count += __builtin_popcount((unsigned char)bytes.data[i]);
    PT__FN_OUT(call, int64_t)[row] = count;
    return true;
}

void pt__fn_bitmap_count(pt__fn_call *call)
{
    PT__FN_EACH(call, r, count_bits(call, r));
}
