/**
 * Wrapper: a backend that holds another, for policies around it: who may run what, limits, caching, tracing, routing.
 *
 * A wrapper writes only what it changes; the host fills in the rest by functions that pass each call on:
 *
 *     typedef struct counter { pt_wrapper base; atomic_llong queries; } counter;
 *
 *     static pt_status count(void *session, const pt_query *query, pt_operation **out, pt_error *err)
 *     {
 *         counter *self = (counter *)((pt_wrapper_session *)session)->wrapper;
 *         atomic_fetch_add(&self->queries, 1);
 *         return pt_forward_execute(session, query, out, err);
 *     }
 *
 *     static const pt_backend_vtable changes = {.size_bytes = sizeof(pt_backend_vtable), .execute = count};
 *     const pt_wrapper_vtable counting = {
 *         .size_bytes = sizeof(pt_wrapper_vtable), .name = "counting",
 *         .self_bytes = sizeof(counter), .session_bytes = sizeof(pt_wrapper_session), .changes = &changes,
 *     };
 *
 *     pt_host_add_wrapper(host, NULL, &counting, config, err);
 *
 * Ownership: the host makes and frees the wrapper's self and its sessions, and opens and closes what they hold: the
 *            inner session is open before open_session is called and closed after close_session; the inner backend
 *            likewise. Operations belong to the wrapper that made them.
 * Threads:   as of backend.h: different sessions at the same time, and several operations of one session.
 */
#ifndef PORTICO_WRAPPER_H
#define PORTICO_WRAPPER_H

#include <portico/host.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pt_wrapper_vtable;

/** What `self` of a wrapper starts with; set before `open` is called. */
typedef struct pt_wrapper {
    pt_backend inner; /* what it holds; `inner.name` is the name of the backend at the bottom */
    const struct pt_wrapper_vtable *vtable;
    void *reserved; /* the host's */
} pt_wrapper;

/** What a session of a wrapper starts with; set before `open_session` is called. */
typedef struct pt_wrapper_session {
    pt_wrapper *wrapper;
    void *inner;            /* the session of wrapper->inner */
    const char *user;       /* of the request, "" when anonymous; lives as long as the session */
    const char *session_id; /* likewise; the client's */
} pt_wrapper_session;

typedef struct pt_wrapper_vtable {
    size_t size_bytes; /* members beyond it are unknown to the plug-in: append only */
    const char *name;
    size_t self_bytes;    /* of a struct that starts with pt_wrapper; the rest is zeroed */
    size_t session_bytes; /* of a struct that starts with pt_wrapper_session; the rest is zeroed */

    /** Reads the configuration. After a failure `close` is not called. NULL: nothing to do. */
    pt_status (*open)(void *self, const pt_config *config, pt_env *env, pt_error *err);
    void (*close)(void *self);
    pt_status (*open_session)(void *session, const pt_session_request *request, pt_error *err);
    void (*close_session)(void *session);

    /**
     * What the wrapper does itself: members that are NULL, or beyond its size_bytes, are passed on. Its name, open,
     * close, open_session and close_session do not count. `self` and `session` are the wrapper's.
     */
    const pt_backend_vtable *changes;
} pt_wrapper_vtable;

/**
 * Puts a wrapper around the named backend (NULL: the default one), outside of those that are around it already.
 *
 * Errors:  PT_NOT_FOUND (no such backend); PT_INVALID_ARGUMENT when sessions are open; those of `open`.
 * Threads: while the host is set up, like pt_host_add_backend.
 */
pt_status pt_host_add_wrapper(pt_host *host, const char *backend, const pt_wrapper_vtable *wrapper,
                              const pt_config *config, pt_error *err);

/** Whether the backend is a wrapper; its self then starts with pt_wrapper. */
bool pt_backend_is_wrapper(const pt_backend *backend);

/** Whether a backend has an optional member, by its size_bytes: pt_backend_has(&backend, explain). */
#define pt_backend_has(backend, member)                                                                                \
    ((backend)->vtable->size_bytes >= offsetof(pt_backend_vtable, member) + sizeof((backend)->vtable->member) &&       \
     (backend)->vtable->member != NULL)

/*
 * What passes a call on to the inner backend; the parameters are those of the member. PT_UNSUPPORTED, or what
 * stands for nothing, when the inner backend lacks the member.
 */
bool pt_forward_accepts(void *self, const char *format);
pt_status pt_forward_describe(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err);
pt_status pt_forward_execute(void *session, const pt_query *query, pt_operation **out, pt_error *err);
pt_status pt_forward_get_table(void *session, const char *database, const char *name, struct pt__arena *arena,
                               const struct pt_table **out, pt_error *err);
pt_status pt_forward_list_tables(void *session, const char *database, struct pt__arena *arena,
                                 const struct pt_table *const **out, size_t *count, pt_error *err);
pt_status pt_forward_list_databases(void *session, struct pt__arena *arena, const struct pt_database **out,
                                    size_t *count, pt_error *err);
pt_status pt_forward_describe_files(void *session, const struct pt_file_request *request, struct pt__arena *arena,
                                    const struct pt_type **out, pt_error *err);
pt_status pt_forward_explain(void *session, const pt_query *query, struct pt__arena *arena, const char **out,
                             pt_error *err);
pt_status pt_forward_keep(void *session, const pt_query *query, void **kept, pt_error *err);
void pt_forward_release_kept(void *self, void *kept);
pt_status pt_forward_permit(void *session, const pt_access *access, pt_error *err);
pt_status pt_forward_prepare(void *session, const pt_query *query, pt_statement_info *out, pt_error *err);
pt_status pt_forward_begin(void *session, void **transaction, pt_error *err);
pt_status pt_forward_end(void *session, void *transaction, bool commit, pt_error *err);
bool pt_forward_reads_only(void *session, const pt_query *query);
pt_status pt_forward_was_committed(void *session, const char *operation_id, bool *out, pt_error *err);
void pt_forward_forget_committed(void *self, const char *operation_id);
pt_status pt_forward_ingest(void *session, const pt_ingest *request, struct ArrowArrayStream *rows, int64_t *row_count,
                            pt_error *err);
pt_status pt_forward_metadata(void *session, const pt_metadata_request *request, struct ArrowArrayStream *out,
                              pt_error *err);

/** An operation around another; a wrapper's own operations start with it, to see batches and ends. */
typedef struct pt_wrapper_operation {
    pt_operation base;
    pt_operation *inner;
} pt_wrapper_operation;

/* Members of pt_operation_vtable that pass on to `inner`; free also frees the operation itself. */
const char *pt_forward_operation_id(pt_operation *operation);
pt_status pt_forward_operation_status(pt_operation *operation, pt_operation_state *out, pt_error *err);
pt_status pt_forward_operation_cancel(pt_operation *operation, pt_error *err);
pt_status pt_forward_operation_result(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err);
pt_status pt_forward_operation_failure(pt_operation *operation, pt_error *err);
double pt_forward_operation_progress(pt_operation *operation);
void pt_forward_operation_free(pt_operation *operation);
const char *pt_forward_operation_detail(pt_operation *operation);

#ifdef __cplusplus
}
#endif

#endif
