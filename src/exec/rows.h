/**
 * Rows that a command gives: cells are appended in order, row after row, and become a LOCAL plan.
 *
 *     pt__rows *rows = pt__rows_new(arena, columns, 2);
 *     pt__rows_text(rows, name);  pt__rows_boolean(rows, true);    one row
 *     PT_TRY(pt__rows_plan(rows, &plan, err));
 *
 * Everything lives in the arena, whose end releases the Arrow arrays.
 * Threads: one at a time.
 */
#ifndef PT_EXEC_ROWS_H
#define PT_EXEC_ROWS_H

#include "plan/table.h"

typedef struct pt__row_column {
    const char *name;
    const pt_type *type; /* STRING, BOOLEAN, INT, LONG or array of STRING */
    bool nullable;
} pt__row_column;

typedef struct pt__rows pt__rows;

/** `columns` is borrowed for the call. */
pt__rows *pt__rows_new(pt__arena *arena, const pt__row_column *columns, size_t column_count);

/** NULL: null. */
void pt__rows_text(pt__rows *rows, const char *text);
void pt__rows_boolean(pt__rows *rows, bool value);
void pt__rows_integer(pt__rows *rows, int64_t value);
void pt__rows_null(pt__rows *rows);
void pt__rows_texts(pt__rows *rows, const char *const *texts, size_t count);

/** PT_NO_MEMORY when any append failed. */
pt_status pt__rows_plan(pt__rows *rows, const pt_plan **out, pt_error *err);

/** No columns and no rows: what most commands give. */
pt_status pt__rows_none(pt__arena *arena, const pt_plan **out, pt_error *err);

#endif
