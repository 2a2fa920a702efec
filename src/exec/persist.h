/**
 * Rows of persisted relations, kept by the engine from the first query that needs them; for files of src/exec.
 *
 * Threads: any; what is shared is under the session's lock.
 */
#ifndef PT_EXEC_PERSIST_H
#define PT_EXEC_PERSIST_H

#include "exec/run.h"

typedef struct pt__persisted pt__persisted;

void pt__persisted_unref(pt__persisted *entry);

/** `analyzed` with every relation that the session persists replaced by its kept rows, which may run queries first. */
pt_status pt__use_persisted(pt_session *session, pt_job *job, const pt_plan *analyzed, const pt_plan **out,
                            pt_error *err);

/** checkpoint.c: has the engine keep the rows of an analyzed relation; `*out` is a reference of the caller's. */
pt_status pt__keep_relation(pt_session *session, pt_job *job, pt__arena *arena, const pt_plan *analyzed, pt__kept **out,
                            pt_error *err);

#endif
