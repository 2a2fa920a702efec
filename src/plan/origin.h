/**
 * Where in the user's program a node came from, for query contexts of errors.
 */
#ifndef PT_PLAN_ORIGIN_H
#define PT_PLAN_ORIGIN_H

#include <portico/error.h>

#include <stdint.h>

typedef struct pt_origin {
    const char *sql;       /* whole statement; NULL for DataFrame calls */
    int32_t start;         /* offset of the first character in `sql`, counted in UTF-16 units as Spark does */
    int32_t stop;          /* offset of the last character, inclusive */
    const char *fragment;  /* the DataFrame call such as "__truediv__"; NULL: the piece of `sql` */
    const char *call_site; /* DataFrame: "file.py:12"; "" for SQL */
} pt_origin;

/** Adds the origin to a set error as its query context; `origin` may be NULL. */
void pt__origin_add_context(const pt_origin *origin, pt_error *err);

#endif
