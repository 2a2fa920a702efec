/**
 * Rest: rows that were taken off a result before their reader wanted them. A few of them stay in memory; those that follow
 * go to a file, which has no name and so does not outlive the process.
 *
 * Threads: a space is for any; a rest for one at a time.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_REST_H
#define PT_BACKEND_DUCKDB_NATIVE_REST_H

#include <portico/arrow.h>
#include <portico/error.h>

enum {
    PT_REST_MEMORY_BYTES = 32 << 20,        /* of one rest */
    PT_REST_SPACE_MEMORY_BYTES = 256 << 20, /* of all rests of a space */
    PT_REST_BATCH_BYTES = 4096,             /* that a batch takes beside its rows */
    PT_REST_SHARES = 4                      /* one rest takes no more than such a part of its space */
};

/** Where rests go, and how much they may take together. */
typedef struct pt__rest_space pt__rest_space;

/** The folder is made when it is needed. */
pt_status pt__rest_space_new(const char *folder, uint64_t bytes_max, pt__rest_space **out, pt_error *err);
/** No rest of it is left. NULL is allowed. */
void pt__rest_space_free(pt__rest_space *space);

typedef struct pt__rest pt__rest;

/** `space` outlives it; `take_schema` is taken, success or failure. */
pt_status pt__rest_new(pt__rest_space *space, struct ArrowSchema *take_schema, pt__rest **out, pt_error *err);
/** NULL is allowed. */
void pt__rest_free(pt__rest *rest);

/** What the rows that follow make way for, which errors name, and how many bytes of them may follow. The text lives on. */
void pt__rest_expect(pt__rest *rest, const char *made_way_for, uint64_t bytes_max);
/** Takes the rows, success or failure. Errors: PT_LIMIT when there are too many; PT_IO naming the folder. */
pt_status pt__rest_add(pt__rest *rest, struct ArrowArray *take_rows, pt_error *err);
/** The first rows that are left; `out->release` stays NULL when there are none. */
pt_status pt__rest_next(pt__rest *rest, struct ArrowArray *out, pt_error *err);

#endif
