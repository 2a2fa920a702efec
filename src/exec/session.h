/**
 * Sessions as frontends and the rest of src/exec see them: analysis against the session, commands, artifacts, kept
 * results. Configuration is in conf.h, jobs are in job.h.
 *
 * Threads: any, unless said otherwise; a session guards its own state.
 */
#ifndef PT_EXEC_SESSION_H
#define PT_EXEC_SESSION_H

#include "exec/conf.h"
#include "exec/host.h"
#include "exec/job.h"

pt_host *pt__session_host(pt_session *session);
const char *pt__session_user(const pt_session *session);
/** The client's id; pt_session_id gives the one that the host made. */
const char *pt__session_client_id(const pt_session *session);

/** A sign of life: puts off idle expiry. pt__host_session does it too. */
void pt__session_touch(pt_session *session);

bool pt__session_is_closed(pt_session *session);

/**
 * A new session under `new_id` (NULL: made here) with the configuration, views and functions of this one.
 * Errors: INVALID_CLONE_SESSION_REQUEST.*, SESSION_CLOSED.
 */
pt_status pt__session_clone(pt_session *session, const char *new_id, pt_session **out, pt_error *err);

/* ---- analysis and commands; blocking: on a worker ---- */

/**
 * Analyzes a relation against the session: for schema, explain and the like. What the result refers to (views, kept
 * results, files) lives as long as `arena`.
 */
pt_status pt__session_analyze(pt_session *session, pt__arena *arena, const pt_plan *plan, const pt_plan **out,
                              pt_error *err);

/** Text of EXPLAIN: mode is "simple", "extended", "formatted", "cost" or "codegen". */
pt_status pt__session_explain(pt_session *session, pt__arena *arena, const pt_plan *plan, const char *mode,
                              const char **out, pt_error *err);

/** Absolute paths of the files that the plan reads. */
pt_status pt__session_input_files(pt_session *session, pt__arena *arena, const pt_plan *plan, const char *const **out,
                                  size_t *count, pt_error *err);

/**
 * Settles a request of either kind: a relation is analyzed; a command, or a spark.catalog relation, is carried out
 * now and `*relation` stands for its rows (a LOCAL plan; no columns when it has none to give). `*was_command` tells
 * which (a catalog relation counts as relation). What frontends do with `*relation` is the same: pt__job_execute or
 * pt__job_collect.
 */
pt_status pt__job_settle(pt_job *job, const pt_plan *plan, const pt_plan **relation, bool *was_command, pt_error *err);

/** Keeps the rows of a relation in the session; the relation is then found as CACHED under `*relation_id`. */
pt_status pt__job_checkpoint(pt_job *job, const pt_plan *plan, const char **relation_id, pt_error *err);
/** An unknown id is no error. */
void pt__session_drop_checkpoint(pt_session *session, const char *relation_id);

/* ---- DataFrame.cache(), persist() ---- */

typedef struct pt__storage_level {
    bool use_disk;
    bool use_memory;
    bool use_off_heap;
    bool deserialized;
    int32_t replication;
} pt__storage_level;

/** `key` names the plan: pt__plan_key. NULL level: unpersist. */
void pt__session_set_storage(pt_session *session, const char *key, const pt__storage_level *level);
/** False: not persisted, `*level` all zero with replication 1. */
bool pt__session_get_storage(pt_session *session, const char *key, pt__storage_level *level);

/** Persists an analyzed relation under a key of the caller's: its rows are kept from their first use on (persist.c). */
void pt__session_persist(pt_session *session, pt__arena *arena, const char *key, const pt_plan *analyzed);
/** An unknown key is no error. */
void pt__session_unpersist(pt_session *session, const char *key);
void pt__session_unpersist_all(pt_session *session);

/** A digest of the plan's text that equal plans share whatever their plan ids. */
const char *pt__plan_key(pt__arena *arena, const pt_plan *plan);

/* ---- artifacts ---- */

/**
 * Keeps an uploaded artifact under its name ("cache/<sha256>", "files/…", "pyfiles/…", "archives/…").
 * Ownership: takes the reference, success or failure.
 * Errors:    ARTIFACT_ALREADY_EXISTS (other bytes under the name), INVALID_ARTIFACT_PATH, PT_LIMIT beyond
 *            session.artifacts-limit.
 */
pt_status pt__session_put_artifact(pt_session *session, const char *name, pt_bytes *take_bytes, pt_error *err);
bool pt__session_has_artifact(pt_session *session, const char *name);
/** A reference, or NULL. */
pt_bytes *pt__session_get_artifact(pt_session *session, const char *name);

#endif
