/**
 * Tables of cells as text: what DataFrame.show() and a notebook's HTML view print.
 *
 * Widths count UTF-16 units, wide East Asian ones twice; cutting counts units, as the JVM does.
 */
#ifndef PT_FRONT_SPARK_CONNECT_TABLE_TEXT_H
#define PT_FRONT_SPARK_CONNECT_TABLE_TEXT_H

#include "base/arena.h"
#include "base/buffer.h"

typedef struct pt__table_text {
    const char *const *headers;
    size_t column_count;
    const pt_text_view *cells; /* row after row */
    size_t row_count;
    int32_t truncate;    /* units a cell may have; 0 or less: any */
    int32_t shown_limit; /* the count that the closing line names */
    bool has_more;       /* rows were left out */
} pt__table_text;

/** Escapes control characters and cuts to `truncate` units; the result lives in the arena. */
pt_text_view pt__table_text_cell(pt__arena *arena, pt_text_view raw, int32_t truncate);

void pt__table_text_append(pt__buffer *out, const pt__table_text *table);
void pt__table_text_append_vertical(pt__buffer *out, const pt__table_text *table);
void pt__table_text_append_html(pt__buffer *out, const pt__table_text *table);

#endif
