/**
 * Rows that a cluster does not read (CSV, many rows of a client, tables of the host), for one query: the companion
 * writes them into folders of the shared directory before the query is submitted; they go with the query.
 *
 * A node that dies leaves its folders, portico-<id>.
 */
#ifndef PT_BACKEND_BALLISTA_STAGE_H
#define PT_BACKEND_BALLISTA_STAGE_H

#include "backend/ballista/operation.h"
#include "base/list.h"

typedef struct pt__ballista_stage {
    pt_operation *operation; /* that writes the folder */
    const char *folder;
} pt__ballista_stage;

typedef struct pt__ballista_stages {
    pt__ballista_session *session;
    pt__arena *arena;      /* outlives them */
    const pt_query *query; /* while it is being lowered */
    pt__list(pt__ballista_stage) list;
    size_t done;
} pt__ballista_stages;

/** A folder of the cluster's shared directory that nobody has; not made. */
const char *pt__ballista_new_folder(const pt__ballista *cluster, pt__arena *arena);

/** Writes the rows of `query` into a folder, as Parquet. */
pt_plan_write_files *pt__ballista_write_folder(pt__arena *arena, const pt_plan *query, const char *folder);

/** pt__ballista_lower_options.stage; `context` is a pt__ballista_stages. */
pt_status pt__ballista_stage_rows(void *context, const pt_plan *relation, const char **url, pt_error *err);

/** Runs an operation to its end, whose rows are of no interest. */
pt_status pt__ballista_drain(pt_operation *operation, pt_error *err);

/** Writes those that are not written yet. Errors: those of the companion. */
pt_status pt__ballista_stages_run(pt__ballista_stages *stages, pt_error *err);

/** Threads: any. */
void pt__ballista_stages_cancel(pt__ballista_stages *stages);
void pt__ballista_stages_deinit(pt__ballista_stages *stages);

#endif
