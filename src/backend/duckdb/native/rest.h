/**
 * Rest: rows that were taken off a result before their reader wanted them. Few of them stay in memory; those that follow
 * go to a file, which has no name and so does not outlive the process.
 *
 * Threads: one at a time.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_REST_H
#define PT_BACKEND_DUCKDB_NATIVE_REST_H

#include <portico/arrow.h>
#include <portico/error.h>

enum { PT_REST_MEMORY_BYTES = 32 << 20 };

typedef struct pt__rest pt__rest;

typedef struct pt__rest_options {
    const char *folder;       /* where the file goes: made when it is needed */
    uint64_t bytes_max;       /* of all rows */
    const char *made_way_for; /* said when there are more */
} pt__rest_options;

/** The options' texts live as long as the rest. `take_schema` is taken, success or failure. */
pt_status pt__rest_new(const pt__rest_options *options, struct ArrowSchema *take_schema, pt__rest **out, pt_error *err);
/** NULL is allowed. */
void pt__rest_free(pt__rest *rest);

/** Takes the rows, success or failure. Errors: PT_LIMIT when there are too many; PT_IO naming the folder. */
pt_status pt__rest_add(pt__rest *rest, struct ArrowArray *take_rows, pt_error *err);
/** The first rows that are left; `out->release` stays NULL when there are none. */
pt_status pt__rest_next(pt__rest *rest, struct ArrowArray *out, pt_error *err);

#endif
