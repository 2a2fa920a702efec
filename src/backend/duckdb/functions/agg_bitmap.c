/* Bitmaps of 32768 bits, the lowest bit of the first byte first. */
#include "backend/duckdb/functions/agg_states.h"

#include <stdio.h>
#include <stdlib.h>

static bool begin(pt__bitmap_state *s, const pt__agg_row *row)
{
    if (s->bits != NULL)
        return true;
    s->bits = calloc(PT__BITMAP_BYTES, 1);
    if (s->bits != NULL && row->option == PT__BITMAP_AND)
        memset(s->bits, 0xFF, PT__BITMAP_BYTES);
    return s->bits != NULL;
}

static void join(pt__bitmap_state *s, const uint8_t *bits, size_t size_bytes, bool both)
{
    for (size_t i = 0; i < PT__BITMAP_BYTES; i++) {
        uint8_t other = i < size_bytes ? bits[i] : 0;
        s->bits[i] = both ? s->bits[i] & other : s->bits[i] | other;
    }
}

bool pt__bitmap_add(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row)
{
    pt__bitmap_state *s = state;
    if (!begin(s, row))
        return false;
    if (row->option == PT__BITMAP_CONSTRUCT) {
        int64_t position = ((const int64_t *)columns[0].data)[at];
        bool fits = position >= 0 && position < 8 * PT__BITMAP_BYTES;
        if (fits)
            s->bits[position / 8] |= (uint8_t)(1 << (position % 8));
        else
            s->bad_position = position;
        s->has_bad_position = s->has_bad_position || !fits;
        return true;
    }
    pt_text_view bytes = pt__fn_string((const duckdb_string_t *)columns[0].data + at);
    join(s, (const uint8_t *)bytes.data, bytes.size_bytes, row->option == PT__BITMAP_AND);
    return true;
}

bool pt__bitmap_merge(void *state, const void *other, const pt__agg_row *row)
{
    pt__bitmap_state *a = state;
    const pt__bitmap_state *b = other;
    if (b->bits == NULL)
        return true;
    if (!begin(a, row))
        return false;
    join(a, b->bits, PT__BITMAP_BYTES, row->option == PT__BITMAP_AND);
    if (b->has_bad_position) {
        a->has_bad_position = true;
        a->bad_position = b->bad_position;
    }
    return true;
}

/* Of no rows: the bitmap that changes nothing. */
bool pt__bitmap_finish(void *state, pt__agg_result *result, idx_t at)
{
    pt__bitmap_state *s = state;
    if (!begin(s, result->row))
        return pt__agg_fail_memory(result);
    if (s->has_bad_position) {
        char text[24];
        snprintf(text, sizeof(text), "%lld", (long long)s->bad_position);
        return pt__agg_raise(result, PT_COND_INVALID_BITMAP_POSITION, "bitPosition", text, "bitmapNumBytes", "4096",
                             "bitmapNumBits", "32768", NULL);
    }
    pt__agg_put_bytes(result, at, s->bits, PT__BITMAP_BYTES);
    return true;
}

void pt__bitmap_end(void *state)
{
    pt__bitmap_state *s = state;
    free(s->bits);
    *s = (pt__bitmap_state){0};
}
