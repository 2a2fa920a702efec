/* A statement of DuckDB's dialect on its way: started, pulled, given up. */
#include "backend/duckdb/native/operation_inside.h"

#include "backend/duckdb/harvest.h"
#include "backend/duckdb/lost_error.h"
#include "backend/duckdb/proof.h"
#include "base/unconst.h"

#include <errno.h>
#include <nanoarrow/nanoarrow.h>
#include <stdlib.h>
#include <string.h>

/* As clients get it. */
static pt_status plain_schema_of(void *context, struct ArrowSchema *out, pt_error *err)
{
    pt__native_operation *op = context;
    if (ArrowSchemaDeepCopy(&op->engine_schema, out) != NANOARROW_OK)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
    pt_status status = pt__native_plain_schema(out, err);
    if (status != PT_OK && out->release != NULL)
        out->release(out);
    return status;
}

/* Types that a batch does not know leave all columns to DuckDB. */
static pt_status init_filler(pt__native_operation *op, pt_error *err)
{
    if (op->statement.harvest != NULL)
        return PT_OK;
    idx_t count = op->has_result ? duckdb_column_count(&op->result) : 0;
    duckdb_logical_type *types = calloc(count + 1, sizeof(*types));
    pt_status status = PT_OK;
    if (types == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a batch of the result");
    for (idx_t i = 0; i < count; i++)
        types[i] = duckdb_column_logical_type(&op->result, i);
    if (count == (idx_t)op->engine_schema.n_children && pt__batch_native_fits(&op->engine_schema, types)) {
        op->filler.has_batch = pt__batch_init_native(&op->filler.batch, &op->engine_schema, types);
        if (!op->filler.has_batch)
            status = pt_error_set(err, PT_NO_MEMORY, "no memory for a batch of the result");
    }
    for (idx_t i = 0; i < count; i++)
        duckdb_destroy_logical_type(&types[i]);
    free(types);
    return status;
}

static pt_status start(pt__native_operation *op, pt_error *err)
{
    op->has_started = true;
    op->head.state = PT_OPERATION_RUNNING;
    PT_TRY(pt__native_operation_check(op, err));
    PT_TRY(pt__native_operation_prepare(op, err));
    if (op->is_update != NULL)
        *op->is_update = pt__native_is_update(op->statement.last);
    if (op->has_parameters && op->parameters.get_schema(&op->parameters, &op->parameter_schema) != 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the parameters cannot be read: %s",
                            op->parameters.get_last_error(&op->parameters));
    PT_TRY(pt__native_operation_execute(op, err));
    if (op->engine_schema.release == NULL) /* without any row of parameters */
        PT_TRY(pt__native_operation_describe(op, err));
    return init_filler(op, err);
}

/* ---- pulling ---- */

static duckdb_state plan(void *context, duckdb_pending_result *out)
{
    return pt__native_operation_plan(context, out);
}

/* A ROLLBACK that waits does not want to know why. */
static bool is_wanted(void *context)
{
    pt__native_operation *op = context;
    return !pt__open_rows_are_hurried(&op->open_rows) && pt__native_operation_check(op, NULL) == PT_OK;
}

static pt_status fail_for_lost_reason(pt__native_operation *op, pt_error *err)
{
    pt__native_operation_drop_result(op);
    if (op->statement.harvest != NULL)
        pt__harvest_discard(op->statement.harvest);
    char *message = pt__lost_error_find(
        &(pt__lost_query){.prepared = op->statement.last, .plan = plan, .is_wanted = is_wanted, .context = op});
    pt_status status = pt__native_operation_check(op, err);
    if (status == PT_OK)
        status = message == NULL ? pt_error_set(err, PT_EXECUTION, PT_LOST_ERROR)
                                 : pt__native_operation_error(op, message, err);
    free(message);
    return status;
}

/* Nobody has cancelled it, but a ROLLBACK may have interrupted it to be rid of its rows. */
static pt_status fail(pt__native_operation *op, pt_error *err)
{
    const char *message = duckdb_result_error(&op->result);
    if (pt__lost_error_is(message) && !pt__open_rows_are_hurried(&op->open_rows))
        return fail_for_lost_reason(op, err);
    return pt__native_operation_error(op, message, err);
}

static pt_status fetch(void *context, duckdb_data_chunk *out, pt_error *err)
{
    pt__native_operation *op = context;
    *out = NULL;
    while (!op->is_finished) {
        PT_TRY(pt__native_operation_check(op, err));
        *out = duckdb_fetch_chunk(op->result);
        if (*out != NULL && duckdb_data_chunk_get_size(*out) > 0)
            return PT_OK;
        if (*out != NULL)
            duckdb_destroy_data_chunk(out);
        PT_TRY(pt__native_operation_check(op, err));
        if (duckdb_result_error(&op->result) != NULL)
            return fail(op, err);
        if (op->link->is_pooled)
            op->link->is_clean = true;
        PT_TRY(pt__native_operation_execute_next(op, err));
    }
    pt__native_operation_set_running(op, NULL);
    return pt__native_operation_commit(op, err);
}

static pt_status pull_rows(pt__native_operation *op, struct ArrowArray *out, pt_error *err)
{
    duckdb_data_chunk chunk;
    if (op->statement.harvest != NULL)
        return pt__harvest_next(op->statement.harvest, fetch, op, out, err);
    if (op->filler.has_batch)
        return pt__filler_next(&op->filler, fetch, op, out, err);
    PT_TRY(fetch(op, &chunk, err));
    if (chunk == NULL)
        return PT_OK;
    duckdb_error_data error = duckdb_data_chunk_to_arrow(op->options, chunk, out);
    duckdb_destroy_data_chunk(&chunk);
    PT_TRY(pt__native_error_data(error, err));
    return pt__native_plain_array(&op->engine_schema, out, err);
}

static pt_status pull(void *context, struct ArrowArray *out, pt_error *err)
{
    pt__native_operation *op = context;
    pt__helped_wait(&op->head.helped);
    pt_status status = pull_rows(op, out, err);
    pt__helped_go_on(&op->head.helped);
    return status;
}

/* ---- rows that stream from the session's own connection ---- */

static void hurry_open(void *context)
{
    pt__native_operation *op = context;
    (void)pt__helped_interrupt_late(&op->head.helped, op->link->connection);
}

static void close_open(void *context)
{
    pt__native_operation *op = context;
    pt__native_operation_end_running(op);
    pt__native_operation_drop_result(op);
    if (!op->is_finished)
        pt__duckdb_end_statement(op->link->connection);
}

const pt__open_rows_vtable pt__native_operation_rows = {
    .pull = pull, .schema = plain_schema_of, .hurry = hurry_open, .close = close_open};

/* ---- the stream ---- */

/* What another thread may still be at is left before the state says that all is over. */
static int settle(pt__native_operation *op, pt_status status, bool is_end)
{
    if (status != PT_OK)
        pt__open_rows_end(&op->open_rows);
    return pt__operation_settle(&op->head, status, is_end);
}

static pt_status next(pt__native_operation *op, struct ArrowArray *out, pt_error *err)
{
    PT_TRY(op->has_started ? pt__native_operation_check(op, err) : start(op, err));
    return pt__open_rows_are(&op->open_rows) ? pt__open_rows_next(&op->open_rows, out, err) : pull(op, out, err);
}

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    pt__native_operation *op = stream->private_data;
    out->release = NULL;
    if (op->head.failure.status != PT_OK)
        return EIO;
    pt_status status = op->has_started ? PT_OK : start(op, &op->head.failure);
    if (status == PT_OK)
        status = plain_schema_of(op, out, &op->head.failure);
    return settle(op, status, false);
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    pt__native_operation *op = stream->private_data;
    out->release = NULL;
    if (op->head.failure.status != PT_OK)
        return EIO;
    if (!op->has_started) /* from then on who pulls says so */
        pt__helped_wait(&op->head.helped);
    pt_status status = next(op, out, &op->head.failure);
    return settle(op, status, out->release == NULL);
}

static void stop(pt__native_operation *op)
{
    pt__open_rows_end(&op->open_rows);
    pt__native_operation_end_running(op);
    if (op->link != NULL && op->link->is_pooled && !op->link->is_clean)
        duckdb_interrupt(op->link->connection); /* what is left of a stream that nobody reads to its end */
    pt__filler_deinit(&op->filler);
    pt__native_operation_drop_result(op);
    pt__native_operation_keep(op);
    pt__native_statement_deinit(&op->statement);
    if (op->options != NULL)
        duckdb_destroy_arrow_options(&op->options);
    if (op->engine_schema.release != NULL)
        op->engine_schema.release(&op->engine_schema);
    if (op->parameter_batch.release != NULL)
        op->parameter_batch.release(&op->parameter_batch);
    if (op->parameter_schema.release != NULL)
        op->parameter_schema.release(&op->parameter_schema);
    if (op->parameters.release != NULL)
        op->parameters.release(&op->parameters);
    pt__native_link_unref(op->link);
    op->link = NULL;
}

static void stream_release(struct ArrowArrayStream *stream)
{
    stop(stream->private_data);
    stream->release = NULL;
}

/* ---- the operation ---- */

static void operation_free(pt_operation *base)
{
    pt__native_operation *op = pt__native_operation_of(base);
    stop(op);
    pt_error_clear(&op->head.failure);
    pthread_mutex_destroy(&op->mutex);
    free(op->sql);
    free(pt__unconst(op->head.id));
    free(op->statement_id);
    free(op);
}

static const struct ArrowArrayStream STREAM = {
    .get_schema = stream_schema,
    .get_next = stream_next,
    .get_last_error = pt__operation_stream_error,
    .release = stream_release,
};

static const pt_operation_vtable OPERATION = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = pt__operation_id,
    .status = pt__operation_status,
    .cancel = pt__native_operation_cancel,
    .result = pt__operation_result,
    .failure = pt__operation_failure,
    .progress = pt__native_operation_progress,
    .free = operation_free,
};

pt_status pt__native_operation_new(pt__duckdb *database, pt__native *native, const pt_query *query, pt_operation **out,
                                   pt_error *err)
{
    pt__native_operation *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a statement");
    op->head.base.vtable = &OPERATION;
    op->head.stream = &STREAM;
    op->database = database;
    op->native = native;
    op->is_update = query->is_update;
    pt__filler_init(&op->filler, query->batch_rows, query->batch_bytes);
    pthread_mutex_init(&op->mutex, NULL);
    op->sql = pt__native_text(query);
    op->head.id = strdup(query->operation_id == NULL ? "" : query->operation_id);
    op->is_to_be_proven = pt__proof_is_wanted(database, query);
    op->statement_id = strdup(query->statement_id == NULL ? "" : query->statement_id);
    if (query->parameters != NULL && query->parameters->release != NULL) {
        op->parameters = *query->parameters;
        query->parameters->release = NULL;
        op->has_parameters = true;
    }
    if (op->sql == NULL || op->head.id == NULL || op->statement_id == NULL) {
        operation_free(&op->head.base);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a statement");
    }
    pt_status status = PT_OK;
    if (query->transaction != NULL)
        status = pt__native_transaction(native, query->transaction, &op->link, err);
    if (status == PT_OK)
        *out = &op->head.base;
    else
        operation_free(&op->head.base);
    return status;
}
