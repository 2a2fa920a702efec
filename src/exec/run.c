#include "exec/run.h"

#include "base/unconst.h"
#include "exec/durable.h"
#include "exec/persist.h"
#include "exec/recover.h"
#include "plan/arrow_schema.h"
#include "plan/table.h"

#include <string.h>

typedef struct run {
    pt_session *session;
    pt_job *job; /* may be NULL */
    const pt__row_sink *sink;
    pt_operation *operation;
    pt_error *err;
} run;

static pt_status check(run *r)
{
    return r->job == NULL ? PT_OK : pt__job_check(r->job, r->err);
}

static pt_status watch(run *r, pt_operation *operation)
{
    return r->job == NULL ? PT_OK : pt__job_set_operation(r->job, operation, r->err);
}

/* Why the stream failed: the operation knows with condition and parameters, the stream only as text. */
static pt_status stream_failure(run *r, struct ArrowArrayStream *stream)
{
    PT_TRY(check(r));
    if (r->operation != NULL && r->operation->vtable->failure != NULL) {
        pt_status status = r->operation->vtable->failure(r->operation, r->err);
        if (status != PT_OK)
            return status;
    }
    const char *text = stream->get_last_error(stream);
    return pt_error_set(r->err, PT_EXECUTION, "%s", text == NULL ? "the engine failed without saying why" : text);
}

static pt_status pull(run *r, struct ArrowArrayStream *stream)
{
    for (;;) {
        struct ArrowArray batch;
        memset(&batch, 0, sizeof(batch));
        PT_TRY(check(r));
        if (stream->get_next(stream, &batch) != 0)
            return stream_failure(r, stream);
        if (batch.release == NULL)
            return PT_OK;
        PT_TRY(r->sink->batch(r->sink->context, &batch, false, r->err));
    }
}

static pt_status finish(run *r)
{
    return r->sink->end == NULL ? PT_OK : r->sink->end(r->sink->context, r->err);
}

static pt_status read_stream(run *r, struct ArrowArrayStream *stream, const struct ArrowSchema *schema)
{
    struct ArrowSchema own;
    memset(&own, 0, sizeof(own));
    if (schema == NULL && stream->get_schema(stream, &own) != 0)
        return stream_failure(r, stream);
    pt_status status = r->sink->begin(r->sink->context, schema == NULL ? &own : schema, r->err);
    if (status == PT_OK)
        status = pull(r, stream);
    if (status == PT_OK)
        status = finish(r);
    if (own.release != NULL)
        own.release(&own);
    return status;
}

static pt_status read_result(run *r, const struct ArrowSchema *schema)
{
    struct ArrowArrayStream stream;
    memset(&stream, 0, sizeof(stream));
    PT_TRY(r->operation->vtable->result(r->operation, &stream, r->err));
    pt_status status = read_stream(r, &stream, schema);
    if (stream.release != NULL)
        stream.release(&stream);
    return status;
}

/* An encoded query counts as a write unless the backend knows better; commands have begun as writes before. */
static pt_job_kind kind_of(const pt__backend_slot *slot, void *backend_session, const pt_query *query, bool is_durable)
{
    if (query->plan != NULL)
        return PT_JOB_READ;
    if (!is_durable)
        return PT_JOB_UNKNOWN; /* nobody will ask, and to find out costs */
    return pt__backend_has(slot, reads_only) && slot->vtable->reads_only(backend_session, query) ? PT_JOB_READ
                                                                                                 : PT_JOB_WRITE;
}

static pt_status begin(run *r, const pt__backend_slot *slot, void *backend_session, const pt_query *query)
{
    if (r->job == NULL)
        return PT_OK;
    pthread_mutex_lock(&r->job->lock);
    r->job->backend = slot->name;
    pthread_mutex_unlock(&r->job->lock);
    return pt__job_begin(r->job, kind_of(slot, backend_session, query, r->job->durable != NULL), r->err);
}

/* `schema` NULL: the stream's own. */
static pt_status run_query(run *r, const pt_query *query, const struct ArrowSchema *schema)
{
    pt__backend_slot *slot;
    void *backend_session;
    PT_TRY(check(r));
    PT_TRY(pt__session_backend(r->session, &slot, &backend_session, r->err));
    PT_TRY(begin(r, slot, backend_session, query));
    PT_TRY(slot->vtable->execute(backend_session, query, &r->operation, r->err));
    pt_status status = watch(r, r->operation);
    if (status == PT_OK)
        status = read_result(r, schema);
    watch(r, NULL);
    r->operation->vtable->free(r->operation);
    if (status != PT_OK && check(r) != PT_OK)
        return PT_CANCELLED; /* whatever the engine said about being stopped */
    return status;
}

/* ---- queries ---- */

static void add_settings(pt_session *session, pt__arena *arena, pt_query *query)
{
    const pt__conf_pair *pairs;
    size_t count;
    pt__session_conf_all(session, arena, "", &pairs, &count);
    pt_query_option *settings = pt__arena_array(arena, pt_query_option, count + 1);
    for (size_t i = 0; i < count; i++)
        settings[i] = (pt_query_option){pairs[i].key, pairs[i].value};
    query->settings = settings;
    query->setting_count = count;
}

pt_query pt__query_for(pt_session *session, const pt_job *job, pt__arena *arena, const char *zone)
{
    pt_query query = {
        .size_bytes = sizeof(pt_query),
        .time_zone = zone,
        .operation_id = job == NULL ? session->id : job->id,
        .batch_bytes = session->host->limits.batch_bytes,
    };
    if (job != NULL && job->traceparent[0] != '\0')
        query.traceparent = job->traceparent;
    if (pt__durable_is_on_record(job)) {
        query.resume = job->durable->handle;
        query.announce = pt__durable_announce;
        query.announce_context = pt__unconst(job);
    }
    if (arena != NULL && session->host->has_wrappers)
        add_settings(session, arena, &query);
    return query;
}

pt_status pt__session_permit(pt_session *session, const pt_access *access, pt_error *err)
{
    pt__backend_slot *slot;
    void *backend_session;
    if (!session->host->has_wrappers)
        return PT_OK;
    PT_TRY(pt__session_backend(session, &slot, &backend_session, err));
    return pt__backend_has(slot, permit) ? slot->vtable->permit(backend_session, access, err) : PT_OK;
}

/* Rows that lie in memory already need no engine. */
static pt_status run_local(run *r, const pt_plan_local *local, const struct ArrowSchema *schema)
{
    PT_TRY(r->sink->begin(r->sink->context, schema, r->err));
    for (size_t i = 0; i < local->rows->batch_count; i++) {
        struct ArrowArray batch = *local->rows->batches[i];
        PT_TRY(check(r));
        PT_TRY(r->sink->batch(r->sink->context, &batch, true, r->err));
    }
    return finish(r);
}

/* Whether arrays of one schema can be sent as those of the other; names and zones do not matter. */
static bool same_layout(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    bool both_instants = strncmp(a->format, "tsu:", 4) == 0 && strncmp(b->format, "tsu:", 4) == 0;
    if ((!both_instants && strcmp(a->format, b->format) != 0) || a->n_children != b->n_children)
        return false;
    for (int64_t i = 0; i < a->n_children; i++)
        if (!same_layout(a->children[i], b->children[i]))
            return false;
    return true;
}

static bool is_plain_local(const pt_plan *relation, const struct ArrowSchema *schema)
{
    if (relation->kind != PT_PLAN_LOCAL || pt__plan_as_local(relation)->rows == NULL)
        return false;
    return same_layout(pt__plan_as_local(relation)->rows->schema, schema);
}

/* `encoded` NULL: there is only the plan. */
static pt_status run_relation(pt_session *session, pt_job *job, const pt_plan *relation,
                              const pt_encoded_query *encoded, const pt__row_sink *sink, pt_error *err)
{
    const pt_plan *given = relation;
    PT_TRY(pt__use_persisted(session, job, relation, &relation, err));
    run r = {.session = session, .job = job, .sink = sink, .err = err};
    char zone[PT_ZONE_NAME_MAX];
    pt__session_time_zone(session, zone);
    struct ArrowSchema schema;
    PT_TRY(pt__arrow_schema(relation->columns, relation->column_count, zone, &schema, err));
    pt_query query = pt__query_for(session, job, job == NULL ? NULL : pt__job_arena(job), zone);
    query.plan = relation;
    if (encoded != NULL) {
        query.encoded = *encoded;
        query.encoded_plan = given;
    }
    pt_status status = is_plain_local(relation, &schema) ? run_local(&r, pt__plan_as_local(relation), &schema)
                                                         : run_query(&r, &query, &schema);
    schema.release(&schema);
    return status;
}

pt_status pt__run_relation(pt_session *session, pt_job *job, const pt_plan *relation, const pt__row_sink *sink,
                           pt_error *err)
{
    return run_relation(session, job, relation, NULL, sink, err);
}

pt_status pt__run_checked(pt_job *job, const pt_plan *relation, const pt_encoded_query *encoded,
                          const pt__row_sink *sink, pt_error *err)
{
    return run_relation(job->session, job, relation, encoded, sink, err);
}

bool pt__host_backend_accepts(const pt_host *host, const char *format)
{
    const pt__backend_slot *slot = &host->backends[0];
    return slot->vtable != NULL && slot->vtable->accepts != NULL && slot->vtable->accepts(slot->self, format);
}

pt_status pt__run_encoded(pt_job *job, const pt__statement_request *request, bool *is_update, const pt__row_sink *sink,
                          pt_error *err)
{
    run r = {.session = job->session, .job = job, .sink = sink, .err = err};
    char zone[PT_ZONE_NAME_MAX];
    pt__session_time_zone(job->session, zone);
    pt_query query = pt__query_for(job->session, job, pt__job_arena(job), zone);
    query.encoded = request->query;
    query.parameters = request->parameters;
    query.transaction = request->transaction;
    query.statement_id = request->statement_id;
    query.is_update = is_update;
    if (request->batch_bytes != 0)
        query.batch_bytes = request->batch_bytes;
    query.leaves_proof = pt__durable_is_on_record(job);
    return job->is_proven ? PT_OK : run_query(&r, &query, NULL);
}

/* A stream says itself why it failed; the operation is that of nobody. */
pt_status pt__run_stream(pt_job *job, struct ArrowArrayStream *stream, const pt__row_sink *sink, pt_error *err)
{
    run r = {.session = job->session, .job = job, .sink = sink, .err = err};
    return read_stream(&r, stream, NULL);
}

/* ---- commands ---- */

static pt_status drop_schema(void *context, const struct ArrowSchema *schema, pt_error *err)
{
    (void)context;
    (void)schema;
    (void)err;
    return PT_OK;
}

static pt_status drop_batch(void *context, struct ArrowArray *batch, bool is_borrowed, pt_error *err)
{
    (void)context;
    (void)err;
    if (!is_borrowed)
        batch->release(batch);
    return PT_OK;
}

/* The one row of a command that counts. */
static pt_status take_count(void *context, struct ArrowArray *batch, bool is_borrowed, pt_error *err)
{
    int64_t *count = context;
    if (batch->length == 1 && batch->n_children == 1 && batch->children[0]->n_buffers == 2)
        *count = ((const int64_t *)batch->children[0]->buffers[1])[batch->offset + batch->children[0]->offset];
    return drop_batch(NULL, batch, is_borrowed, err);
}

/* Columns that are no count are another backend's own. */
static pt_status check_count(void *context, const struct ArrowSchema *schema, pt_error *err)
{
    (void)context;
    if (schema->n_children == 0 || (schema->n_children == 1 && strcmp(schema->children[0]->format, "l") == 0))
        return PT_OK;
    return pt_error_set(err, PT_INTERNAL, "a command that counts gave something else than a number");
}

static pt_status run_command(pt_job *job, const pt_plan *command, bool is_last, const pt__row_sink *sink, pt_error *err)
{
    run r = {.session = job->session, .job = job, .sink = sink, .err = err};
    char zone[PT_ZONE_NAME_MAX];
    pt__session_time_zone(job->session, zone);
    pt_query query = pt__query_for(job->session, job, pt__job_arena(job), zone);
    query.plan = command;
    query.leaves_proof = is_last && pt__durable_is_on_record(job);
    PT_TRY(pt__job_begin(job, PT_JOB_WRITE, err));
    pt_status status = run_query(&r, &query, NULL);
    atomic_fetch_add(&job->session->host->data_version, 1);
    return status;
}

pt_status pt__run_command(pt_job *job, const pt_plan *command, pt_error *err)
{
    const pt__row_sink sink = {drop_schema, drop_batch, NULL, NULL};
    return run_command(job, command, true, &sink, err);
}

pt_status pt__run_counting_command(pt_job *job, const pt_plan *command, int64_t *rows_written, pt_error *err)
{
    const pt__row_sink sink = {check_count, take_count, NULL, rows_written};
    *rows_written = -1;
    return run_command(job, command, true, &sink, err);
}

pt_status pt__run_first_command(pt_job *job, const pt_plan *command, pt_error *err)
{
    const pt__row_sink sink = {drop_schema, drop_batch, NULL, NULL};
    return run_command(job, command, false, &sink, err);
}
