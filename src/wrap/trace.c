/* trace: a span of OpenTelemetry for each query, below that of the call that asked. */
#include "plan/plan.h"
#include "wrap/span_exporter.h"
#include "wrap/wrappers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct tracer {
    pt_wrapper base;
    pt__span_exporter *exporter;
} tracer;

static pt_status open_tracer(void *self, const pt_config *config, pt_env *env, pt_error *err)
{
    return pt__span_exporter_new(config, env, &((tracer *)self)->exporter, err);
}

static void close_tracer(void *self)
{
    pt__span_exporter_free(((tracer *)self)->exporter);
}

static void start(const pt_wrapper_session *session, const pt_query *query, const char *name, pt__span *span)
{
    pt__span_start(span, name, query->traceparent);
    pt__span_set(span->user, session->user);
    pt__span_set(span->session_id, session->session_id);
    pt__span_set(span->job_id, query->operation_id);
    pt__span_set(span->kind, query->plan == NULL ? query->encoded.format : pt__plan_kind_name(query->plan->kind));
}

static void set_failure(pt__span *span, const pt_error *err, pt_status status)
{
    span->has_failed = true;
    bool is_named = err != NULL && err->condition[0] != '\0';
    pt__span_set(span->failure, is_named ? err->condition : pt_status_text(status));
}

static void end(const pt_wrapper_session *session, pt__span *span)
{
    pt__span_end(span);
    if (span->is_sampled)
        pt__span_exporter_add(((const tracer *)session->wrapper)->exporter, span);
}

/* ---- operations ---- */

typedef struct traced {
    pt_wrapper_operation base;
    const pt_wrapper_session *session;
    pt__span span;
    char traceparent[PT_TRACEPARENT_TEXT_BYTES];
    struct ArrowArrayStream inner;
    atomic_bool is_cancelled;
} traced;

static int next_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    traced *t = stream->private_data;
    int code = t->inner.get_next(&t->inner, out);
    if (code != 0) {
        pt_error err = PT_ERROR_INIT;
        pt_status status = pt_forward_operation_failure(&t->base.base, &err);
        set_failure(&t->span, &err, status == PT_OK ? PT_EXECUTION : status);
        pt_error_clear(&err);
    } else if (out->release != NULL) {
        t->span.rows += out->length;
        t->span.batches++;
    }
    return code;
}

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    traced *t = stream->private_data;
    return t->inner.get_schema(&t->inner, out);
}

static const char *stream_error(struct ArrowArrayStream *stream)
{
    traced *t = stream->private_data;
    return t->inner.get_last_error(&t->inner);
}

static void release_stream(struct ArrowArrayStream *stream)
{
    traced *t = stream->private_data;
    t->inner.release(&t->inner);
    stream->release = NULL;
}

static pt_status result(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err)
{
    traced *t = (traced *)operation;
    pt_status status = pt_forward_operation_result(operation, &t->inner, err);
    if (status != PT_OK) {
        set_failure(&t->span, err, status);
        return status;
    }
    t->span.rows = 0;
    *out = (struct ArrowArrayStream){stream_schema, next_batch, stream_error, release_stream, t};
    return PT_OK;
}

static pt_status cancel(pt_operation *operation, pt_error *err)
{
    atomic_store(&((traced *)operation)->is_cancelled, true);
    return pt_forward_operation_cancel(operation, err);
}

static void free_traced(pt_operation *operation)
{
    traced *t = (traced *)operation;
    if (atomic_load(&t->is_cancelled))
        set_failure(&t->span, NULL, PT_CANCELLED);
    pt__span_set(t->span.detail, pt_forward_operation_detail(operation));
    const pt_wrapper_session *session = t->session;
    pt__span span = t->span;
    pt_forward_operation_free(operation); /* spans below end first */
    end(session, &span);
}

static const pt_operation_vtable traced_vtable = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = pt_forward_operation_id,
    .status = pt_forward_operation_status,
    .cancel = cancel,
    .result = result,
    .failure = pt_forward_operation_failure,
    .progress = pt_forward_operation_progress,
    .free = free_traced,
    .detail = pt_forward_operation_detail,
};

/* ---- the calls ---- */

/* What lies below sees this span as the parent of its own. */
static pt_query with_parent(const pt_query *query, const char *traceparent)
{
    pt_query out = {0};
    memcpy(&out, query, query->size_bytes < sizeof(out) ? query->size_bytes : sizeof(out));
    out.size_bytes = sizeof(out);
    out.traceparent = traceparent;
    return out;
}

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    traced *t = calloc(1, sizeof(*t));
    if (t == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    t->base.base.vtable = &traced_vtable;
    t->session = session;
    start(session, query, "query", &t->span);
    pt__span_traceparent(&t->span, t->traceparent);
    const pt_query inner = with_parent(query, t->traceparent);
    pt_status status = pt_forward_execute(session, &inner, &t->base.inner, err);
    if (status == PT_OK) {
        *out = &t->base.base;
        return PT_OK;
    }
    set_failure(&t->span, err, status);
    end(session, &t->span);
    free(t);
    return status;
}

static pt_status keep(void *session, const pt_query *query, void **kept, pt_error *err)
{
    pt__span span;
    char traceparent[PT_TRACEPARENT_TEXT_BYTES];
    start(session, query, "keep", &span);
    pt__span_traceparent(&span, traceparent);
    const pt_query inner = with_parent(query, traceparent);
    pt_status status = pt_forward_keep(session, &inner, kept, err);
    if (status != PT_OK)
        set_failure(&span, err, status);
    end(session, &span);
    return status;
}

static const pt_backend_vtable changes = {.size_bytes = sizeof(changes), .execute = execute, .keep = keep};

const pt_wrapper_vtable pt_wrapper_trace = {
    .size_bytes = sizeof(pt_wrapper_vtable),
    .name = "trace",
    .self_bytes = sizeof(tracer),
    .session_bytes = sizeof(pt_wrapper_session),
    .open = open_tracer,
    .close = close_tracer,
    .changes = &changes,
};
