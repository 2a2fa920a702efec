/* Wrappers: what the host puts together of a wrapper's changes and the backend that it holds. */
#include "base/has.h"
#include "exec/state.h"

#include <portico/wrapper.h>

#include <stdlib.h>
#include <string.h>

static pt_wrapper *wrapper_of(void *session)
{
    return ((pt_wrapper_session *)session)->wrapper;
}

static const pt_backend *inner_of(void *session)
{
    return &wrapper_of(session)->inner;
}

static void *inner_session(void *session)
{
    return ((pt_wrapper_session *)session)->inner;
}

static pt_status lacks(const pt_backend *backend, const char *what, pt_error *err)
{
    return pt_error_set(err, PT_UNSUPPORTED, "the backend %s has no %s", backend->name, what);
}

/* ---- passing on ---- */

bool pt_forward_accepts(void *self, const char *format)
{
    const pt_backend *inner = &((pt_wrapper *)self)->inner;
    return inner->vtable->accepts != NULL && inner->vtable->accepts(inner->self, format);
}

pt_status pt_forward_describe(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    return inner_of(session)->vtable->describe(inner_session(session), query, out, err);
}

pt_status pt_forward_execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    return inner_of(session)->vtable->execute(inner_session(session), query, out, err);
}

pt_status pt_forward_get_table(void *session, const char *database, const char *name, struct pt__arena *arena,
                               const struct pt_table **out, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    if (!pt_backend_has(inner, get_table))
        return PT_NOT_FOUND;
    return inner->vtable->get_table(inner_session(session), database, name, arena, out, err);
}

pt_status pt_forward_list_tables(void *session, const char *database, struct pt__arena *arena,
                                 const struct pt_table *const **out, size_t *count, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    *count = 0;
    if (!pt_backend_has(inner, list_tables))
        return PT_OK;
    return inner->vtable->list_tables(inner_session(session), database, arena, out, count, err);
}

pt_status pt_forward_list_databases(void *session, struct pt__arena *arena, const struct pt_database **out,
                                    size_t *count, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    *count = 0;
    if (!pt_backend_has(inner, list_databases))
        return PT_OK;
    return inner->vtable->list_databases(inner_session(session), arena, out, count, err);
}

pt_status pt_forward_describe_files(void *session, const struct pt_file_request *request, struct pt__arena *arena,
                                    const struct pt_type **out, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    if (!pt_backend_has(inner, describe_files))
        return lacks(inner, "files", err);
    return inner->vtable->describe_files(inner_session(session), request, arena, out, err);
}

pt_status pt_forward_explain(void *session, const pt_query *query, struct pt__arena *arena, const char **out,
                             pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    if (!pt_backend_has(inner, explain))
        return lacks(inner, "explain", err);
    return inner->vtable->explain(inner_session(session), query, arena, out, err);
}

pt_status pt_forward_keep(void *session, const pt_query *query, void **kept, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    if (!pt_backend_has(inner, keep))
        return lacks(inner, "kept results", err);
    return inner->vtable->keep(inner_session(session), query, kept, err);
}

void pt_forward_release_kept(void *self, void *kept)
{
    const pt_backend *inner = &((pt_wrapper *)self)->inner;
    if (pt_backend_has(inner, release_kept))
        inner->vtable->release_kept(inner->self, kept);
}

pt_status pt_forward_permit(void *session, const pt_access *access, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    return pt_backend_has(inner, permit) ? inner->vtable->permit(inner_session(session), access, err) : PT_OK;
}

pt_status pt_forward_prepare(void *session, const pt_query *query, pt_statement_info *out, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    if (!pt_backend_has(inner, prepare))
        return lacks(inner, "prepared statements", err);
    return inner->vtable->prepare(inner_session(session), query, out, err);
}

pt_status pt_forward_begin(void *session, void **transaction, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    if (!pt_backend_has(inner, begin))
        return lacks(inner, "transactions", err);
    return inner->vtable->begin(inner_session(session), transaction, err);
}

pt_status pt_forward_end(void *session, void *transaction, bool commit, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    if (!pt_backend_has(inner, end))
        return lacks(inner, "transactions", err);
    return inner->vtable->end(inner_session(session), transaction, commit, err);
}

bool pt_forward_reads_only(void *session, const pt_query *query)
{
    const pt_backend *inner = inner_of(session);
    return pt_backend_has(inner, reads_only) && inner->vtable->reads_only(inner_session(session), query);
}

pt_status pt_forward_was_committed(void *session, const char *operation_id, bool *out, pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    *out = false;
    return pt_backend_has(inner, was_committed)
               ? inner->vtable->was_committed(inner_session(session), operation_id, out, err)
               : PT_OK;
}

void pt_forward_forget_committed(void *self, const char *operation_id)
{
    const pt_backend *inner = &((pt_wrapper *)self)->inner;
    if (pt_backend_has(inner, forget_committed))
        inner->vtable->forget_committed(inner->self, operation_id);
}

pt_status pt_forward_ingest(void *session, const pt_ingest *request, struct ArrowArrayStream *rows, int64_t *row_count,
                            pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    if (!pt_backend_has(inner, ingest))
        return lacks(inner, "ingestion", err);
    return inner->vtable->ingest(inner_session(session), request, rows, row_count, err);
}

pt_status pt_forward_metadata(void *session, const pt_metadata_request *request, struct ArrowArrayStream *out,
                              pt_error *err)
{
    const pt_backend *inner = inner_of(session);
    if (!pt_backend_has(inner, metadata))
        return lacks(inner, "catalog to ask", err);
    return inner->vtable->metadata(inner_session(session), request, out, err);
}

/* ---- operations ---- */

static pt_operation *inner_operation(pt_operation *operation)
{
    return ((pt_wrapper_operation *)operation)->inner;
}

#define HAS(operation, member)                                                                                         \
    ((operation)->vtable->size_bytes >= offsetof(pt_operation_vtable, member) + sizeof(void (*)(void)) &&              \
     (operation)->vtable->member != NULL)

const char *pt_forward_operation_id(pt_operation *operation)
{
    pt_operation *inner = inner_operation(operation);
    return inner->vtable->id(inner);
}

pt_status pt_forward_operation_status(pt_operation *operation, pt_operation_state *out, pt_error *err)
{
    pt_operation *inner = inner_operation(operation);
    return inner->vtable->status(inner, out, err);
}

pt_status pt_forward_operation_cancel(pt_operation *operation, pt_error *err)
{
    pt_operation *inner = inner_operation(operation);
    return inner->vtable->cancel(inner, err);
}

pt_status pt_forward_operation_result(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err)
{
    pt_operation *inner = inner_operation(operation);
    return inner->vtable->result(inner, out, err);
}

pt_status pt_forward_operation_failure(pt_operation *operation, pt_error *err)
{
    pt_operation *inner = inner_operation(operation);
    return HAS(inner, failure) ? inner->vtable->failure(inner, err) : PT_OK;
}

double pt_forward_operation_progress(pt_operation *operation)
{
    pt_operation *inner = inner_operation(operation);
    return HAS(inner, progress) ? inner->vtable->progress(inner) : -1;
}

void pt_forward_operation_free(pt_operation *operation)
{
    pt_operation *inner = inner_operation(operation);
    inner->vtable->free(inner);
    free(operation);
}

const char *pt_forward_operation_detail(pt_operation *operation)
{
    pt_operation *inner = inner_operation(operation);
    return HAS(inner, detail) ? inner->vtable->detail(inner) : NULL;
}

/* ---- a wrapper and what it holds, as one backend ---- */

typedef struct layer {
    pt_backend_vtable vtable; /* changes, and what passes on */
    pt_wrapper *self;
} layer;

static void close_layer(void *self)
{
    pt_wrapper *wrapper = self;
    layer *l = wrapper->reserved;
    pt_backend inner = wrapper->inner;
    if (wrapper->vtable->close != NULL)
        wrapper->vtable->close(self);
    inner.vtable->close(inner.self);
    free(wrapper);
    free(l);
}

bool pt_backend_is_wrapper(const pt_backend *backend)
{
    return backend->vtable->close == close_layer;
}

static pt_status open_session(void *self, const pt_session_request *request, void **out, pt_error *err)
{
    pt_wrapper *wrapper = self;
    pt_wrapper_session *session = calloc(1, wrapper->vtable->session_bytes);
    if (session == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a session");
    session->wrapper = wrapper;
    session->user = request->user == NULL ? "" : request->user;
    session->session_id = request->session_id;
    pt_status status = wrapper->inner.vtable->open_session(wrapper->inner.self, request, &session->inner, err);
    if (status == PT_OK && wrapper->vtable->open_session != NULL) {
        status = wrapper->vtable->open_session(session, request, err);
        if (status != PT_OK)
            wrapper->inner.vtable->close_session(session->inner);
    }
    if (status == PT_OK)
        *out = session;
    else
        free(session);
    return status;
}

static void close_session(void *session)
{
    const pt_wrapper *wrapper = wrapper_of(session);
    void *inner = inner_session(session);
    if (wrapper->vtable->close_session != NULL)
        wrapper->vtable->close_session(session);
    wrapper->inner.vtable->close_session(inner);
    free(session);
}

/* The wrapper's own member, or the one that passes on; optional ones only when the inner backend has them. */
static void compose(pt_backend_vtable *out, const pt_backend *changes, const pt_backend *inner)
{
    *out = (pt_backend_vtable){
        .size_bytes = sizeof(*out),
        .name = inner->vtable->name,
        .close = close_layer,
        .accepts = pt_forward_accepts,
        .open_session = open_session,
        .close_session = close_session,
        .describe = pt_forward_describe,
        .execute = pt_forward_execute,
    };
#define CHANGED(member)                                                                                                \
    if (pt_backend_has(changes, member))                                                                               \
        out->member = changes->vtable->member;
#define OPTIONAL(member)                                                                                               \
    if (pt_backend_has(inner, member))                                                                                 \
        out->member = pt_forward_##member;                                                                             \
    CHANGED(member)
    CHANGED(accepts)
    CHANGED(describe)
    CHANGED(execute)
    OPTIONAL(get_table)
    OPTIONAL(list_tables)
    OPTIONAL(list_databases)
    OPTIONAL(describe_files)
    OPTIONAL(explain)
    OPTIONAL(keep)
    OPTIONAL(release_kept)
    OPTIONAL(permit)
    OPTIONAL(prepare)
    OPTIONAL(begin)
    OPTIONAL(end)
    OPTIONAL(reads_only)
    OPTIONAL(was_committed)
    OPTIONAL(ingest)
    OPTIONAL(metadata)
    OPTIONAL(forget_committed)
#undef OPTIONAL
#undef CHANGED
}

static pt_status check_wrapper(const pt_wrapper_vtable *wrapper, pt_error *err)
{
    if (pt__knows(wrapper, changes) && wrapper->self_bytes >= sizeof(pt_wrapper) &&
        wrapper->session_bytes >= sizeof(pt_wrapper_session) && wrapper->changes != NULL)
        return PT_OK;
    return pt_error_set(err, PT_INVALID_ARGUMENT,
                        "the wrapper %s has no table of changes, or its structs do not start with the host's",
                        wrapper->name);
}

static pt_status wrap(pt_host *host, pt_backend *backend, const pt_wrapper_vtable *vtable, const pt_config *config,
                      pt_error *err)
{
    layer *l = calloc(1, sizeof(*l));
    pt_wrapper *self = calloc(1, vtable->self_bytes);
    pt_status status = PT_OK;
    if (l == NULL || self == NULL)
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for the wrapper %s", vtable->name);
    if (status == PT_OK) {
        *self = (pt_wrapper){*backend, vtable, l};
        const pt_backend changes = {.vtable = vtable->changes};
        compose(&l->vtable, &changes, backend);
        l->self = self;
        if (vtable->open != NULL)
            status = vtable->open(self, config, &host->env, err);
    }
    if (status == PT_OK) {
        backend->vtable = &l->vtable;
        backend->self = self;
    } else {
        free(self);
        free(l);
    }
    return status;
}

static bool has_sessions(pt_host *host)
{
    pthread_mutex_lock(&host->lock);
    bool some = host->sessions.live_count != 0;
    pthread_mutex_unlock(&host->lock);
    return some;
}

pt_status pt_host_add_wrapper(pt_host *host, const char *backend, const pt_wrapper_vtable *wrapper,
                              const pt_config *config, pt_error *err)
{
    PT_TRY(check_wrapper(wrapper, err));
    if (has_sessions(host))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the wrapper %s comes too late: the host has sessions",
                            wrapper->name);
    pt__backend_slot *slot = pt__host_find_backend(host, backend);
    if (slot == NULL)
        return pt_error_set(err, PT_NOT_FOUND, "there is no backend %s to wrap", backend == NULL ? "at all" : backend);
    PT_TRY(wrap(host, slot, wrapper, config, err));
    host->has_wrappers = true;
    return PT_OK;
}
