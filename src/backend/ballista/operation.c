#include "backend/ballista/operation.h"

#include "backend/ballista/fetch.h"
#include "backend/ballista/lower.h"
#include "backend/ballista/plan_guard.h"
#include "backend/ballista/reads_only.h"
#include "backend/ballista/relay.h"
#include "backend/ballista/relayout.h"
#include "backend/ballista/remote_job.h"
#include "backend/ballista/stage.h"
#include "backend/ballista/write.h"
#include "base/condition.h"
#include "base/has.h"
#include "plan/arrow_schema.h"

#include <nanoarrow/nanoarrow.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 2 }; /* how often a result may get lost before any of it was handed out */

typedef struct operation {
    pt_operation base;
    pt__ballista *cluster;
    pt__arena *arena;
    const char *id;
    pt__wake wake;
    _Atomic int state;
    pt_error failure;
    pt__remote_query query;
    pt__ballista_stages stages; /* what has to be there before the job */
    pt__remote_job job;
    pt__fetch fetch;
    bool reads_only;
    bool writes_files;
    pt__ballista_write write; /* if it does */
    pt__ballista_relay relay; /* the command that gets them; none: they are in their place */
    const char *resume;       /* pt_query */
    void (*announce)(void *context, const char *handle);
    void *announce_context;
    bool has_job;
    bool has_results; /* the job has ended well */
    bool has_delivered;
    int runs;
    struct ArrowSchema schema; /* of what is handed out; `release` NULL: not known yet */
    struct ArrowArray first;   /* rows that came with the schema; `release` NULL: none */
} operation;

static operation *of(pt_operation *base)
{
    return (operation *)base;
}

/* ---- the job ---- */

static void make_job(operation *op)
{
    pt__remote_job_init(&op->job, op->cluster, &op->wake, &op->query, op->reads_only);
    op->job.announce = op->announce;
    op->job.announce_context = op->announce_context;
    if (op->resume != NULL)
        pt__remote_job_resume(&op->job, op->resume);
    op->has_job = true;
}

static pt_status start(operation *op, pt_error *err)
{
    op->state = PT_OPERATION_RUNNING;
    PT_TRY(pt__ballista_stages_run(&op->stages, err));
    if (!op->has_job)
        make_job(op);
    PT_TRY(pt__remote_job_run(&op->job, op->arena, err));
    pt__fetch_init(&op->fetch, op->cluster, &op->wake, op->job.locations, op->job.location_count);
    op->has_results = true;
    op->runs++;
    return PT_OK;
}

/* An executor took its results with it, before anybody saw one. */
static bool may_run_again(const operation *op, pt_status status)
{
    return op->has_results && !op->has_delivered && op->reads_only && op->runs < RUNS_MAX &&
           (status == PT_UNAVAILABLE || status == PT_INTERNAL || status == PT_TIMEOUT);
}

static pt_status fetch_next(operation *op, struct ArrowArray *out, const struct ArrowSchema **schema, pt_error *err)
{
    for (;;) {
        if (!op->has_results)
            PT_TRY(start(op, err));
        pt_status status = pt__fetch_next(&op->fetch, out, schema, err);
        if (status == PT_OK || !may_run_again(op, status))
            return status;
        pt_error_clear(err);
        pt__fetch_deinit(&op->fetch);
        op->has_results = false;
        pt__remote_job_forget(&op->job);
    }
}

/* ---- rows ---- */

static pt_status set_schema(operation *op, const struct ArrowSchema *engine, pt_error *err)
{
    if (op->schema.release != NULL)
        return PT_OK;
    if (engine == NULL) /* a job without partitions */
        return pt__arrow_schema(NULL, 0, "UTC", &op->schema, err);
    return pt__relayout_schema(engine, &op->schema, err);
}

/* The cluster's one row, the number of rows, is of no interest. */
static pt_status drop_rows(operation *op, pt_error *err)
{
    for (;;) {
        struct ArrowArray rows;
        const struct ArrowSchema *schema;
        PT_TRY(fetch_next(op, &rows, &schema, err));
        if (rows.release == NULL)
            return PT_OK;
        rows.release(&rows);
    }
}

static pt_status write_files(operation *op, pt_error *err)
{
    bool is_needed;
    PT_TRY(pt__ballista_write_begin(&op->write, &is_needed, err));
    if (is_needed)
        PT_TRY(pt__ballista_write_end(&op->write, drop_rows(op, err), err));
    if (op->relay.command == NULL)
        return PT_OK;
    const pt_query query = {
        .size_bytes = sizeof(query), .time_zone = op->query.time_zone, .operation_id = op->query.operation_id};
    return pt__ballista_relay_finish(&op->relay, op->stages.session, &query, err);
}

static pt_status pull(operation *op, struct ArrowArray *out, pt_error *err)
{
    if (op->writes_files)
        return write_files(op, err);
    const struct ArrowSchema *engine = NULL;
    PT_TRY(fetch_next(op, out, &engine, err));
    pt_status status = set_schema(op, engine, err);
    if (status == PT_OK && out->release != NULL)
        status = pt__relayout(engine, out, &op->schema, err);
    if (status != PT_OK && out->release != NULL)
        out->release(out);
    if (status != PT_OK)
        out->release = NULL;
    return status;
}

static pt_status guarded_pull(operation *op, struct ArrowArray *out, pt_error *err)
{
    if (PT_ARENA_GUARD(op->arena))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the query");
    pt_status status = pull(op, out, err);
    pt__arena_unguard(op->arena);
    return status;
}

/* What has failed stays so, but a client of Spark asks again for ten minutes when it hears of something unavailable. */
static int finish_pull(operation *op, pt_status status, const struct ArrowArray *out)
{
    if (op->failure.status == PT_UNAVAILABLE)
        op->failure.status = PT_IO;
    if (status == PT_CANCELLED)
        op->state = PT_OPERATION_CANCELLED;
    else if (status != PT_OK)
        op->state = PT_OPERATION_FAILED;
    else if (out->release == NULL)
        op->state = PT_OPERATION_SUCCEEDED;
    return status == PT_OK ? 0 : status == PT_CANCELLED ? ECANCELED : EIO;
}

/* ---- the stream ---- */

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    operation *op = stream->private_data;
    out->release = NULL;
    if (op->failure.status != PT_OK)
        return EIO;
    if (op->first.release != NULL) {
        *out = op->first;
        op->first.release = NULL;
        op->has_delivered = true;
        return 0;
    }
    if (op->state == PT_OPERATION_SUCCEEDED)
        return 0;
    pt_status status = guarded_pull(op, out, &op->failure);
    op->has_delivered = op->has_delivered || out->release != NULL;
    return finish_pull(op, status, out);
}

static pt_status copy_schema(const struct ArrowSchema *schema, struct ArrowSchema *out, pt_error *err)
{
    return ArrowSchemaDeepCopy(schema, out) == NANOARROW_OK ? PT_OK
                                                            : pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
}

/* What a plan of others gives is known with its first rows. */
static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    operation *op = stream->private_data;
    pt_status status = op->failure.status;
    if (status == PT_OK && op->schema.release == NULL) {
        status = guarded_pull(op, &op->first, &op->failure);
        finish_pull(op, status, &op->first);
    }
    if (status == PT_OK)
        status = copy_schema(&op->schema, out, &op->failure);
    return status == PT_OK ? 0 : EIO;
}

static const char *stream_error(struct ArrowArrayStream *stream)
{
    const operation *op = stream->private_data;
    return op->failure.status == PT_OK ? NULL : pt_error_full_message(&op->failure);
}

/* Gives back what the cluster holds for the query. */
static void stop(operation *op)
{
    if (op->first.release != NULL)
        op->first.release(&op->first);
    if (op->has_results)
        pt__fetch_deinit(&op->fetch);
    if (op->has_job)
        pt__remote_job_deinit(&op->job);
    op->has_results = op->has_job = false;
}

static void stream_release(struct ArrowArrayStream *stream)
{
    stop(stream->private_data);
    stream->release = NULL;
}

/* ---- the operation ---- */

static const char *operation_id(pt_operation *base)
{
    return of(base)->id;
}

static pt_status operation_status(pt_operation *base, pt_operation_state *out, pt_error *err)
{
    (void)err;
    *out = (pt_operation_state)of(base)->state;
    return PT_OK;
}

static pt_status operation_cancel(pt_operation *base, pt_error *err)
{
    (void)err;
    pt__ballista_stages_cancel(&of(base)->stages);
    pt__ballista_relay_cancel(&of(base)->relay);
    pt__wake_raise(&of(base)->wake);
    return PT_OK;
}

static pt_status operation_result(pt_operation *base, struct ArrowArrayStream *out, pt_error *err)
{
    (void)err;
    *out = (struct ArrowArrayStream){.get_schema = stream_schema,
                                     .get_next = stream_next,
                                     .get_last_error = stream_error,
                                     .release = stream_release,
                                     .private_data = base};
    return PT_OK;
}

static pt_status operation_failure(pt_operation *base, pt_error *err)
{
    operation *op = of(base);
    if (op->failure.status != PT_OK && err != NULL)
        pt_error_copy(err, &op->failure);
    return op->failure.status;
}

static double operation_progress(pt_operation *base)
{
    return of(base)->state == PT_OPERATION_SUCCEEDED ? 1 : -1; /* a scheduler does not tell */
}

static void operation_free(pt_operation *base)
{
    operation *op = of(base);
    stop(op);
    pt__ballista_stages_deinit(&op->stages);
    pt__ballista_relay_deinit(&op->relay);
    if (op->schema.release != NULL)
        op->schema.release(&op->schema);
    pt__wake_deinit(&op->wake);
    pt_error_clear(&op->failure);
    pt__arena_free(op->arena);
    free(op);
}

static const pt_operation_vtable OPERATION = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = operation_id,
    .status = operation_status,
    .cancel = operation_cancel,
    .result = operation_result,
    .failure = operation_failure,
    .progress = operation_progress,
    .free = operation_free,
};

/* ---- making one ---- */

static pt_status stage_nothing(void *context, const pt_plan *relation, const char **url, pt_error *err)
{
    (void)context;
    (void)relation;
    (void)err;
    *url = "file:///portico/";
    return PT_OK;
}

pt__ballista_lower_options pt__ballista_lowering(const pt__ballista *cluster, const char *time_zone)
{
    return (pt__ballista_lower_options){.time_zone = time_zone,
                                        .target_partitions = (uint32_t)cluster->options.target_partitions,
                                        .stage = *cluster->options.shared_directory == '\0' ? NULL : stage_nothing};
}

/* Files that the cluster would not write as Spark does are written by the companion. */
static pt_status prepare_write(pt__arena *arena, const pt__ballista *cluster, const pt_plan *plan,
                               const pt__ballista_lower_options *options, pt__ballista_write *write,
                               pt__ballista_relay *relay, pt_error *err)
{
    *relay = (pt__ballista_relay){.command = NULL};
    pt_status status = PT_UNSUPPORTED;
    if (plan->kind == PT_PLAN_WRITE_FILES)
        status = pt__ballista_write_prepare(arena, pt__plan_as_write_files(plan), options, write, err);
    bool may_relay = plan->kind != PT_PLAN_WRITE_FILES || *cluster->options.shared_directory != '\0';
    if (status != PT_UNSUPPORTED || !may_relay)
        return status;
    pt_error_clear(err);
    PT_TRY(pt__ballista_relay_prepare(arena, cluster, plan, options, relay, err));
    *write = relay->write;
    return PT_OK;
}

pt_status pt__ballista_lower_query(const pt__ballista *cluster, pt__arena *arena, const pt_plan *plan,
                                   const pt__ballista_lower_options *options, pt__ballista_lowered *out, pt_error *err)
{
    if (!pt__plan_is_command(plan))
        return pt__ballista_lower(arena, plan, options, out, err);
    pt__ballista_write write;
    pt__ballista_relay relay;
    *out = (pt__ballista_lowered){.columns = NULL};
    return prepare_write(arena, cluster, plan, options, &write, &relay, err);
}

static pt__ballista_lower_options staging(operation *op)
{
    pt__ballista_lower_options options = pt__ballista_lowering(op->cluster, op->query.time_zone);
    if (options.stage != NULL) {
        options.stage = pt__ballista_stage_rows;
        options.stage_context = &op->stages;
    }
    return options;
}

static pt_status take_encoded(operation *op, const pt_encoded_query *encoded, pt_error *err)
{
    op->query.is_physical = strcmp(encoded->format, PT_FORMAT_DATAFUSION_PHYSICAL) == 0;
    if (!op->query.is_physical && strcmp(encoded->format, PT_FORMAT_DATAFUSION_LOGICAL) != 0)
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                         pt__arena_printf(op->arena, "queries in the format %s", encoded->format), NULL);
    op->query.plan = (pt_bytes_view){pt__arena_copy(op->arena, encoded->payload.data, encoded->payload.size_bytes),
                                     encoded->payload.size_bytes};
    if (!op->query.is_physical)
        PT_TRY(pt__datafusion_check_plan(op->query.plan, err));
    op->reads_only = !op->query.is_physical && pt__datafusion_reads_only(op->query.plan);
    pt_query_option *settings = pt__arena_array(op->arena, pt_query_option, encoded->option_count + 1);
    for (size_t i = 0; i < encoded->option_count; i++)
        settings[i] = (pt_query_option){pt__arena_copy_string(op->arena, encoded->options[i].name),
                                        pt__arena_copy_string(op->arena, encoded->options[i].value)};
    op->query.settings = settings;
    op->query.setting_count = encoded->option_count;
    return PT_OK;
}

static pt_status take_write(operation *op, const pt_plan *plan, pt_error *err)
{
    const pt__ballista_lower_options options = staging(op);
    PT_TRY(prepare_write(op->arena, op->cluster, plan, &options, &op->write, &op->relay, err));
    op->query.plan = op->write.plan;
    op->writes_files = true;
    return pt__arrow_schema(NULL, 0, "UTC", &op->schema, err);
}

static pt_status take_plan(operation *op, const pt_plan *plan, pt_error *err)
{
    pt__ballista_lowered lowered;
    if (pt__plan_is_command(plan))
        return take_write(op, plan, err);
    const pt__ballista_lower_options options = staging(op);
    PT_TRY(pt__ballista_lower(op->arena, plan, &options, &lowered, err));
    op->query.plan = lowered.plan;
    op->reads_only = true;
    const char *zone = op->query.time_zone == NULL ? "UTC" : op->query.time_zone;
    return pt__arrow_schema(lowered.columns, lowered.column_count, zone, &op->schema, err);
}

/* The plan of the client as it came, which wrappers have seen and not changed; rows are those of the analyzed plan. */
static pt_status take_checked(operation *op, const pt_query *query, pt_error *err)
{
    const char *zone = op->query.time_zone == NULL ? "UTC" : op->query.time_zone;
    PT_TRY(take_encoded(op, &query->encoded, err));
    return pt__arrow_schema(query->plan->columns, query->plan->column_count, zone, &op->schema, err);
}

static pt_status fill(operation *op, pt__ballista_session *session, const pt_query *query, pt_error *err)
{
    op->stages = (pt__ballista_stages){.session = session, .arena = op->arena, .query = query};
    op->id = pt__arena_copy_string(op->arena, query->operation_id == NULL ? "" : query->operation_id);
    op->query.operation_id = op->id;
    op->resume = query->resume == NULL ? NULL : pt__arena_copy_string(op->arena, query->resume);
    op->announce = query->announce;
    op->announce_context = query->announce_context;
    op->query.job_name = op->id;
    op->query.session_id = pt__arena_copy_string(op->arena, session->id);
    op->query.time_zone = query->time_zone == NULL ? NULL : pt__arena_copy_string(op->arena, query->time_zone);
    if (query->parameters != NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "plans of DataFusion take no parameters on Ballista");
    if (query->transaction != NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "Ballista has no transactions");
    if (query->plan == NULL)
        return take_encoded(op, &query->encoded, err);
    if (pt__knows(query, encoded_plan) && query->encoded_plan == query->plan)
        return take_checked(op, query, err);
    return take_plan(op, query->plan, err);
}

static pt_status guarded_fill(operation *op, pt__ballista_session *session, const pt_query *query, pt_error *err)
{
    if (PT_ARENA_GUARD(op->arena))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the query");
    pt_status status = fill(op, session, query, err);
    pt__arena_unguard(op->arena);
    return status;
}

pt_status pt__ballista_operation_new(pt__ballista_session *session, const pt_query *query, pt_operation **out,
                                     pt_error *err)
{
    operation *op = calloc(1, sizeof(*op));
    pt__arena *arena = pt__arena_new(0);
    if (op == NULL || arena == NULL) {
        free(op);
        pt__arena_free(arena);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    }
    op->base.vtable = &OPERATION;
    op->cluster = session->cluster;
    op->arena = arena;
    op->wake.fd = -1;
    pt_status status = pt__wake_init(&op->wake, err);
    if (status == PT_OK)
        status = guarded_fill(op, session, query, err);
    if (status == PT_OK)
        *out = &op->base;
    else
        operation_free(&op->base);
    return status;
}
