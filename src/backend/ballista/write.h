/**
 * Files that a cluster writes: into a folder beside their place, which is moved there when the job has ended.
 *
 * The cluster sees the folder under the path that it has here. A node that dies leaves the old files, perhaps with a
 * folder *.portico-<id> beside them.
 */
#ifndef PT_BACKEND_BALLISTA_WRITE_H
#define PT_BACKEND_BALLISTA_WRITE_H

#include "backend/ballista/lower.h"

typedef struct pt__ballista_write {
    pt__arena *arena;
    const char *target; /* absolute */
    const char *folder; /* that the cluster fills */
    pt_save_mode mode;
    pt_bytes_view plan; /* that fills it; one row, the number of rows */
} pt__ballista_write;

/** file:///…/ of an absolute path. */
const char *pt__ballista_folder_url(pt__arena *arena, const char *path);

/** Lowers the command. Errors: UNSUPPORTED_FEATURE naming what a cluster does not write as Spark does. */
pt_status pt__ballista_write_prepare(pt__arena *arena, const pt_plan_write_files *node,
                                     const pt__ballista_lower_options *options, pt__ballista_write *out, pt_error *err);

/** Makes the folder, unless the save mode says that nothing is to be done: then `*is_needed` is false. */
pt_status pt__ballista_write_begin(const pt__ballista_write *write, bool *is_needed, pt_error *err);

/** The folder takes its place, if `status` is PT_OK; otherwise it is removed. Returns what came of it. */
pt_status pt__ballista_write_end(const pt__ballista_write *write, pt_status status, pt_error *err);

#endif
