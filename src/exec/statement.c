#include "exec/statement.h"

#include "analyze/analyze.h"
#include "exec/decode.h"
#include "exec/run.h"
#include "plan/arrow_schema.h"

/* ---- running ---- */

static pt_status refuse_undecodable(const pt__statement_request *request, pt_error *err)
{
    if (request->parameters != NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "statements of format %s take no parameters here",
                            request->query.format);
    if (request->transaction != NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "statements of format %s take no part in transactions",
                            request->query.format);
    return PT_OK;
}

static pt_status tell_read(pt_job *job, const pt__statement_request *request, pt_error *err)
{
    return request->was_read == NULL ? PT_OK : request->was_read(job, request->was_read_context, err);
}

/* Options of a query that goes on undecoded are the backend's. */
static pt_encoded_query without_options(const pt__statement_request *request)
{
    return (pt_encoded_query){.format = request->query.format, .payload = request->query.payload};
}

/* `passes`: the backend takes the query as it is, once its plan has been looked at. */
static pt_status run_decoded(pt_job *job, const pt__statement_request *request, bool passes, pt_error *err)
{
    const pt_plan *plan = NULL;
    const pt_plan *relation = NULL;
    bool was_command;
    const pt_encoded_query query = passes ? without_options(request) : request->query;
    PT_TRY(refuse_undecodable(request, err));
    PT_TRY(pt__session_decode(pt__job_session(job), pt__job_arena(job), &query, &plan, err));
    PT_TRY(tell_read(job, request, err));
    if (request->started != NULL)
        PT_TRY(request->started(request->context, pt__plan_is_command(plan), err));
    PT_TRY(pt__job_settle(job, plan, &relation, &was_command, err));
    if (!passes || was_command)
        return pt__job_execute(job, relation, err);
    pt__spool_sink rows;
    const pt__row_sink sink = pt__spool_sink_init(&rows, job);
    return pt__run_checked(job, relation, &request->query, &sink, err);
}

bool pt__session_backend_accepts(const pt_session *session, const char *format)
{
    return pt__host_backend_accepts(session->host, format);
}

bool pt__job_backend_accepts(const pt_job *job, const char *format)
{
    return pt__host_backend_accepts(job->session->host, format);
}

/* The spool, and what is to be told before the first batch goes there. */
typedef struct statement_sink {
    pt__row_sink spool;
    const pt__statement_request *request;
    bool is_update;
} statement_sink;

static pt_status begin_rows(void *context, const struct ArrowSchema *schema, pt_error *err)
{
    const statement_sink *s = context;
    if (s->request->started != NULL)
        PT_TRY(s->request->started(s->request->context, s->is_update, err));
    return s->spool.begin(s->spool.context, schema, err);
}

static pt_status pass_batch(void *context, struct ArrowArray *batch, bool is_borrowed, pt_error *err)
{
    const statement_sink *s = context;
    return s->spool.batch(s->spool.context, batch, is_borrowed, err);
}

static pt_status end_rows(void *context, pt_error *err)
{
    const statement_sink *s = context;
    return s->spool.end(s->spool.context, err);
}

pt_status pt__job_run_statement(pt_job *job, const pt__statement_request *request, pt_error *err)
{
    pt_host *host = job->session->host;
    bool is_accepted = pt__host_backend_accepts(host, request->query.format);
    bool must_be_seen = host->has_wrappers && pt__host_check_format(host, request->query.format, NULL) == PT_OK;
    if (!is_accepted || must_be_seen)
        return run_decoded(job, request, is_accepted, err);
    pt__spool_sink rows;
    PT_TRY(tell_read(job, request, err));
    statement_sink s = {.spool = pt__spool_sink_init(&rows, job), .request = request};
    const pt__row_sink sink = {begin_rows, pass_batch, s.spool.end == NULL ? NULL : end_rows, &s};
    return pt__run_encoded(job, request, &s.is_update, &sink, err);
}

pt_status pt__job_write_stream(pt_job *job, struct ArrowArrayStream *stream, pt_error *err)
{
    pt__spool_sink rows;
    pt__row_sink sink = pt__spool_sink_init(&rows, job);
    return pt__run_stream(job, stream, &sink, err);
}

/* ---- preparing ---- */

static pt_status describe_decoded(pt_session *session, pt__arena *arena, const pt__statement_request *request,
                                  pt_statement_info *out, pt_error *err)
{
    const pt_plan *plan = NULL;
    const pt_plan *analyzed = NULL;
    char zone[PT_ZONE_NAME_MAX];
    PT_TRY(refuse_undecodable(request, err));
    PT_TRY(pt__session_decode(session, arena, &request->query, &plan, err));
    out->is_update = pt__plan_is_command(plan);
    if (out->is_update)
        return PT_OK;
    PT_TRY(pt__session_analyze(session, arena, plan, &analyzed, err));
    pt__session_time_zone(session, zone);
    PT_TRY(pt__arrow_schema(analyzed->columns, analyzed->column_count, zone, &out->result, err));
    return pt__arrow_schema(NULL, 0, zone, &out->parameters, err);
}

static pt_status prepare_decoded(pt_session *session, const pt__statement_request *request, pt_statement_info *out,
                                 pt_error *err)
{
    pt__arena *arena = pt__host_arena(session->host, pt__host_plan_limit_bytes(session->host));
    pt_status status;
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a statement");
    if (PT_ARENA_GUARD(arena)) {
        status = pt_error_set(err, PT_LIMIT, "the statement needs more memory than a request may have");
    } else {
        status = describe_decoded(session, arena, request, out, err);
        pt__arena_unguard(arena);
    }
    pt__arena_free(arena);
    return status;
}

pt_status pt__session_prepare(pt_session *session, const pt__statement_request *request, pt_statement_info *out,
                              pt_error *err)
{
    pt__backend_slot *slot;
    void *backend_session;
    char zone[PT_ZONE_NAME_MAX];
    *out = (pt_statement_info){.size_bytes = sizeof(*out)};
    if (!pt__host_backend_accepts(session->host, request->query.format))
        return prepare_decoded(session, request, out, err);
    PT_TRY(pt__session_backend(session, &slot, &backend_session, err));
    if (!pt__backend_has(slot, prepare))
        return pt_error_set(err, PT_UNSUPPORTED, "the backend %s prepares no statements", slot->vtable->name);
    pt__session_time_zone(session, zone);
    pt_query query = pt__query_for(session, NULL, NULL, zone);
    query.encoded = request->query;
    query.transaction = request->transaction;
    query.statement_id = request->statement_id;
    query.is_cancelled = request->is_cancelled;
    query.cancel_context = request->cancel_context;
    return slot->vtable->prepare(backend_session, &query, out, err);
}

/* ---- the backend's other services ---- */

#define WITH_BACKEND(session, member, what)                                                                            \
    pt__backend_slot *slot;                                                                                            \
    void *backend_session;                                                                                             \
    PT_TRY(pt__session_backend((session), &slot, &backend_session, err));                                              \
    if (!pt__backend_has(slot, member))                                                                                \
    return pt_error_set(err, PT_UNSUPPORTED, "the backend %s has no %s", slot->vtable->name, (what))

pt_status pt__session_begin(pt_session *session, void **transaction, pt_error *err)
{
    WITH_BACKEND(session, begin, "transactions");
    return slot->vtable->begin(backend_session, transaction, err);
}

pt_status pt__session_end(pt_session *session, void *transaction, bool commit, pt_error *err)
{
    WITH_BACKEND(session, end, "transactions");
    return slot->vtable->end(backend_session, transaction, commit, err);
}

pt_status pt__session_ingest(pt_session *session, const pt_ingest *request, struct ArrowArrayStream *rows,
                             int64_t *row_count, pt_error *err)
{
    WITH_BACKEND(session, ingest, "ingestion");
    return slot->vtable->ingest(backend_session, request, rows, row_count, err);
}

pt_status pt__session_metadata(pt_session *session, const pt_metadata_request *request, struct ArrowArrayStream *out,
                               pt_error *err)
{
    WITH_BACKEND(session, metadata, "catalog to ask");
    return slot->vtable->metadata(backend_session, request, out, err);
}
