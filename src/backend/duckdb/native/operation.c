/* A statement of DuckDB's dialect on its way: started, pulled, interrupted. */
#include "backend/duckdb/filler.h"
#include "backend/duckdb/harvest.h"
#include "backend/duckdb/native/native.h"
#include "backend/duckdb/native/open_rows.h"
#include "backend/duckdb/operation_base.h"
#include "backend/duckdb/proof.h"
#include "base/unconst.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct native_operation {
    pt__operation head;
    pt__duckdb *database;
    pt__native *native;
    char *sql;
    char *statement_id;    /* "" none */
    pthread_mutex_t mutex; /* guards `interrupted`, and `running` while it changes */
    bool interrupted;
    pt__native_link *running; /* whose connection an interrupt may hit; NULL: none */
    bool is_open;             /* as long as it is running: its rows stream from the session's own connection */
    pt__native_link *link;
    pt__native_statement statement;
    duckdb_pending_result pending;
    duckdb_result result;
    bool has_result;
    pt__open_rows open_rows;
    duckdb_arrow_options options;
    struct ArrowSchema engine_schema; /* with dictionaries */
    pt__filler filler;                /* has_batch false: DuckDB itself makes the arrays, one for each of its chunks */
    bool *is_update;                  /* to be told; NULL: nobody asks */
    struct ArrowArrayStream parameters;
    struct ArrowSchema parameter_schema;
    struct ArrowArray parameter_batch;
    int64_t parameter_row; /* the next one of the batch */
    bool has_parameters;
    bool has_started;
    bool is_finished;
    bool is_to_be_proven;
    bool in_transaction; /* one of its own, with its proof in it */
} native_operation;

static native_operation *of(pt_operation *base)
{
    return (native_operation *)base;
}

/* ---- interrupts ---- */

static pt_status check(native_operation *op, pt_error *err)
{
    pthread_mutex_lock(&op->mutex);
    bool interrupted = op->interrupted;
    pthread_mutex_unlock(&op->mutex);
    return interrupted ? pt_error_set(err, PT_CANCELLED, "INTERRUPT Error: the statement was cancelled") : PT_OK;
}

static void set_running(native_operation *op, pt__native_link *link)
{
    pthread_mutex_lock(&op->mutex);
    op->running = link;
    op->is_open = false;
    pthread_mutex_unlock(&op->mutex);
}

static void set_open(native_operation *op)
{
    pthread_mutex_lock(&op->mutex);
    op->is_open = true;
    pthread_mutex_unlock(&op->mutex);
}

/*
 * An interrupt ends a transaction, too. Who does not read a result to its end, as many do, is not to lose one by that: as
 * long as rows come, their reader sees for itself that nobody wants them.
 */
static void interrupt(native_operation *op)
{
    duckdb_connection connection = op->running->connection;
    if (!op->is_open || !pt__helped_interrupt_late(&op->head.helped, connection))
        duckdb_interrupt(connection);
}

static pt_status operation_cancel(pt_operation *base, pt_error *err)
{
    (void)err;
    native_operation *op = of(base);
    pthread_mutex_lock(&op->mutex);
    op->interrupted = true;
    if (op->running != NULL)
        interrupt(op);
    pthread_mutex_unlock(&op->mutex);
    return PT_OK;
}

/* ---- execution ---- */

static void drop_result(native_operation *op)
{
    if (op->has_result)
        duckdb_destroy_result(&op->result);
    op->has_result = false;
}

/* What DuckDB says, about the text that came even if another was executed. */
static pt_status engine_error(const native_operation *op, const char *message, pt_error *err)
{
    return op->statement.harvest != NULL ? pt__native_wrapped_error(message, err) : pt__native_error(message, err);
}

/* What reads nothing is done by the time that another thread is awake. */
static void begin_help(native_operation *op)
{
    if (!pt__native_reads_nothing(op->sql))
        pt__helped_begin(&op->head.helped, op->database->helper);
}

/* On the session's own connection what is no harvest is taken at once: it cannot make way. */
static bool streams(const native_operation *op)
{
    return op->link->is_pooled || op->statement.harvest != NULL;
}

static pt_status make_pending(native_operation *op, pt_error *err)
{
    duckdb_state state = streams(op) ? duckdb_pending_prepared_streaming(op->statement.last, &op->pending)
                                     : duckdb_pending_prepared(op->statement.last, &op->pending);
    return state == DuckDBSuccess ? PT_OK : engine_error(op, duckdb_pending_error(op->pending), err);
}

/* An interrupt that came before there was something to interrupt is known to us only, hence the check. */
static pt_status execute_pending(native_operation *op, pt_error *err)
{
    PT_TRY(make_pending(op, err));
    pt_status status = check(op, err);
    if (status != PT_OK) {
        duckdb_interrupt(op->link->connection);
        return status;
    }
    op->has_result = true;
    if (duckdb_execute_pending(op->pending, &op->result) == DuckDBSuccess)
        return PT_OK;
    PT_TRY(check(op, err));
    return engine_error(op, duckdb_result_error(&op->result), err);
}

static void end_pending(native_operation *op)
{
    if (op->pending != NULL)
        duckdb_destroy_pending(&op->pending);
}

static pt_status execute_making_way(native_operation *op, pt_error *err)
{
    pt__native_outdate_kept(op->link, op->statement.last, op->sql);
    pt__native_make_way(op->link, op->statement.last, op->sql);
    pt_status status = execute_pending(op, err);
    if (status == PT_OK || !pt__native_made_way(op->link, err))
        return status;
    pt_error_clear(err);
    end_pending(op);
    drop_result(op);
    return execute_pending(op, err);
}

static pt_status execute_one(native_operation *op, pt_error *err)
{
    pt_status status = execute_making_way(op, err);
    end_pending(op);
    if (status == PT_OK && !op->link->is_pooled)
        pt__native_reset_arrow(op->link, op->sql);
    return status;
}

static pt_status execute(native_operation *op, pt_error *err)
{
    drop_result(op);
    op->link->is_clean = false;
    set_running(op, op->link);
    begin_help(op);
    pt_status status = execute_one(op, err);
    if (!streams(op) || status != PT_OK) {
        set_running(op, NULL);
        pt__helped_end(&op->head.helped);
    } else {
        pt__helped_stream(&op->head.helped);
    }
    if (status == PT_OK && pt__open_rows_are(&op->open_rows))
        set_open(op);
    return status;
}

/* ---- rows that stream from the session's own connection ---- */

static pt_status pull(native_operation *op, struct ArrowArray *out, pt_error *err);
static pt_status schema_of(native_operation *op, struct ArrowSchema *out, pt_error *err);

static pt_status pull_open(void *context, struct ArrowArray *out, pt_error *err)
{
    return pull(context, out, err);
}

static pt_status plain_schema_of(void *context, struct ArrowSchema *out, pt_error *err)
{
    PT_TRY(schema_of(context, out, err));
    pt_status status = pt__native_plain_schema(out, err);
    if (status != PT_OK && out->release != NULL)
        out->release(out);
    return status;
}

static void close_open(void *context)
{
    native_operation *op = context;
    set_running(op, NULL);
    pt__helped_end(&op->head.helped);
    drop_result(op);
    if (!op->is_finished)
        pt__duckdb_end_statement(op->link->connection);
}

static const pt__open_rows_vtable OPEN_ROWS = {.pull = pull_open, .schema = plain_schema_of, .close = close_open};

/* The session's own connection runs one statement at a time; who pulls rows from it has entered already. */
static pt_status execute_alone(native_operation *op, pt_error *err)
{
    if (op->link->is_pooled || pt__open_rows_are(&op->open_rows))
        return execute(op, err);
    pt__native_link_enter(op->link);
    pt_status status = execute(op, err);
    if (status == PT_OK && streams(op)) {
        pt__open_rows_begin(&op->open_rows, &OPEN_ROWS, op, op->link);
        set_open(op);
    }
    pt__native_link_leave(op->link);
    return status;
}

/* ---- starting ---- */

/* What it is kept by: a client's handle, or else a text that means the same at any time. NULL: it is not. */
static const char *key_of(const native_operation *op)
{
    if (op->statement_id[0] != '\0')
        return op->statement_id;
    return pt__native_is_literal_row(op->sql) ? op->sql : NULL;
}

static bool take_kept(native_operation *op)
{
    const char *key = op->link->is_pooled ? NULL : key_of(op);
    return key != NULL && pt__native_take_kept(op->link, key, &op->statement);
}

static pt_status take_apart_and_prepare(native_operation *op, pt_error *err)
{
    PT_TRY(pt__native_statement_init(&op->statement, op->link, op->sql, err));
    if (op->statement.count > 1 && op->link->is_pooled)
        return PT_OK;
    return pt__native_statement_prepare(&op->statement, op->link, op->sql, err);
}

static pt_status prepare_here(native_operation *op, pt_error *err)
{
    pt__native_link_enter(op->link);
    set_running(op, op->link);
    pt_status status = take_kept(op) ? PT_OK : take_apart_and_prepare(op, err);
    set_running(op, NULL);
    pt__native_link_leave(op->link);
    return status;
}

static bool must_be_own(const native_operation *op)
{
    if (!op->link->is_pooled)
        return false;
    return op->statement.count > 1 || pt__native_leaves_state(op->statement.last, op->sql);
}

/* What was prepared before, unless the session has by now set something for itself. */
static bool take_prepared(native_operation *op)
{
    if (op->link != NULL)
        return false;
    if (op->statement_id[0] == '\0' ||
        !pt__native_unshelve(op->database, PT_SHELF_HANDLES, op->statement_id, &op->link, &op->statement))
        return pt__native_unshelve_text(op->database, op->native, op->sql, &op->link, &op->statement);
    if (!pt__native_has_own(op->native))
        return true;
    pt__native_statement_deinit(&op->statement);
    pt__native_link_unref(op->link);
    op->link = NULL;
    return false;
}

static pt_status prepare(native_operation *op, pt_error *err)
{
    if (take_prepared(op))
        return PT_OK;
    if (op->link == NULL)
        PT_TRY(pt__native_any(op->database, op->native, op->sql, &op->link, err));
    PT_TRY(prepare_here(op, err));
    if (!must_be_own(op))
        return PT_OK;
    pt__native_statement_deinit(&op->statement);
    pt__native_link_unref(op->link);
    op->link = NULL;
    PT_TRY(pt__native_own(op->database, op->native, &op->link, err));
    return prepare_here(op, err);
}

/* `*has_row` tells whether there is another row of parameters, which is then bound. */
static pt_status bind_next(native_operation *op, bool *has_row, pt_error *err)
{
    while (op->parameter_batch.release == NULL || op->parameter_row >= op->parameter_batch.length) {
        if (op->parameter_batch.release != NULL)
            op->parameter_batch.release(&op->parameter_batch);
        op->parameter_row = 0;
        if (op->parameters.get_next(&op->parameters, &op->parameter_batch) != 0)
            return pt_error_set(err, PT_INVALID_ARGUMENT, "the parameters cannot be read: %s",
                                op->parameters.get_last_error(&op->parameters));
        *has_row = op->parameter_batch.release != NULL;
        if (!*has_row)
            return PT_OK;
    }
    *has_row = true;
    return pt__native_bind_row(op->statement.last, &op->parameter_schema, &op->parameter_batch, op->parameter_row++,
                               err);
}

/* Executes for the next row of parameters; without any, once. */
static pt_status execute_next(native_operation *op, bool is_first, pt_error *err)
{
    bool has_row = is_first;
    if (op->has_parameters)
        PT_TRY(bind_next(op, &has_row, err));
    else if (is_first && duckdb_nparams(op->statement.last) != 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the statement has %llu parameters, and no values came",
                            (unsigned long long)duckdb_nparams(op->statement.last));
    op->is_finished = !has_row;
    return has_row ? execute_alone(op, err) : PT_OK;
}

/* With dictionaries. Without any row of parameters nothing was executed. */
static pt_status schema_of(native_operation *op, struct ArrowSchema *out, pt_error *err)
{
    if (op->statement.harvest == NULL && op->has_result)
        return pt__native_result_schema(op->link, &op->result, out, err);
    return pt__native_column_schema(op->link, &op->statement, out, err);
}

/* ---- proof ---- */

/* What runs by itself and within one transaction. A session that has set something may be in one of its own. */
static bool can_be_proven(const native_operation *op)
{
    return op->is_to_be_proven && !op->has_parameters && op->link->is_pooled && op->statement.count == 1 &&
           pt__native_is_transactional(op->statement.last);
}

static pt_status begin_with_proof(native_operation *op, pt_error *err)
{
    op->link->is_clean = false;
    PT_TRY(pt__duckdb_run(op->link->connection, "BEGIN", err));
    op->in_transaction = true;
    return pt__proof_add(op->link->connection, op->head.id, err);
}

static void roll_back(native_operation *op)
{
    drop_result(op);
    op->in_transaction = false;
    pt__duckdb_run(op->link->connection, "ROLLBACK", NULL);
}

/* A transaction writes to one database, where the proof is not when the statement is about another. */
static bool is_elsewhere(const native_operation *op, pt_status status, const pt_error *err)
{
    return op->in_transaction && status != PT_OK && err != NULL &&
           strstr(err->message, "write to a single attached database") != NULL;
}

static pt_status execute_first(native_operation *op, pt_error *err)
{
    if (can_be_proven(op))
        PT_TRY(begin_with_proof(op, err));
    pt_status status = execute_next(op, true, err);
    if (is_elsewhere(op, status, err)) {
        pt_error_clear(err);
        roll_back(op);
        return execute_next(op, true, err);
    }
    return status;
}

static pt_status execute_prepared(native_operation *op, pt_error *err)
{
    if (op->statement.harvest != NULL)
        pt__harvest_begin(op->statement.harvest, op->filler.limits);
    return execute_first(op, err);
}

/* A table may have got other columns since the query was prepared and wrapped: nothing was executed then. */
static pt_status execute_current(native_operation *op, pt_error *err)
{
    pt_status status = execute_prepared(op, err);
    if (status == PT_OK || op->statement.harvest == NULL || !pt__harvest_is_outdated(op->statement.harvest))
        return status;
    pt_error_clear(err);
    drop_result(op);
    pt__native_statement_deinit(&op->statement);
    PT_TRY(prepare_here(op, err));
    if (op->has_parameters)
        op->parameter_row--; /* the row that was bound is bound again */
    return execute_prepared(op, err);
}

/* After the last row; until then an end of the connection ends the transaction, too. */
static pt_status commit(native_operation *op, pt_error *err)
{
    if (!op->in_transaction)
        return PT_OK;
    op->in_transaction = false;
    drop_result(op);
    op->link->is_clean = false;
    PT_TRY(pt__duckdb_run(op->link->connection, "COMMIT", err));
    op->link->is_clean = true;
    return PT_OK;
}

/* Types that a batch does not know leave all columns to DuckDB. */
static pt_status init_filler(native_operation *op, pt_error *err)
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

static pt_status start(native_operation *op, pt_error *err)
{
    op->has_started = true;
    op->head.state = PT_OPERATION_RUNNING;
    PT_TRY(check(op, err));
    PT_TRY(prepare(op, err));
    if (op->is_update != NULL)
        *op->is_update = pt__native_is_update(op->statement.last);
    if (op->has_parameters && op->parameters.get_schema(&op->parameters, &op->parameter_schema) != 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the parameters cannot be read: %s",
                            op->parameters.get_last_error(&op->parameters));
    PT_TRY(execute_current(op, err));
    duckdb_connection_get_arrow_options(op->link->connection, &op->options);
    PT_TRY(schema_of(op, &op->engine_schema, err));
    return init_filler(op, err);
}

/* ---- pulling ---- */

static pt_status fetch(void *context, duckdb_data_chunk *out, pt_error *err)
{
    native_operation *op = context;
    *out = NULL;
    while (!op->is_finished) {
        PT_TRY(check(op, err));
        *out = duckdb_fetch_chunk(op->result);
        if (*out != NULL && duckdb_data_chunk_get_size(*out) > 0)
            return PT_OK;
        if (*out != NULL)
            duckdb_destroy_data_chunk(out);
        PT_TRY(check(op, err));
        if (duckdb_result_error(&op->result) != NULL)
            return engine_error(op, duckdb_result_error(&op->result), err);
        op->link->is_clean = true;
        PT_TRY(execute_next(op, false, err));
    }
    set_running(op, NULL);
    return commit(op, err);
}

static pt_status pull_rows(native_operation *op, struct ArrowArray *out, pt_error *err)
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

static pt_status pull(native_operation *op, struct ArrowArray *out, pt_error *err)
{
    pt__helped_wait(&op->head.helped);
    pt_status status = pull_rows(op, out, err);
    pt__helped_go_on(&op->head.helped);
    return status;
}

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    native_operation *op = stream->private_data;
    out->release = NULL;
    if (op->head.failure.status != PT_OK)
        return EIO;
    pt_status status = op->has_started ? PT_OK : start(op, &op->head.failure);
    if (status == PT_OK)
        status = schema_of(op, out, &op->head.failure);
    if (status == PT_OK)
        status = pt__native_plain_schema(out, &op->head.failure);
    return pt__operation_settle(&op->head, status, false);
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    native_operation *op = stream->private_data;
    out->release = NULL;
    if (op->head.failure.status != PT_OK)
        return EIO;
    pt__helped_wait(&op->head.helped);
    pt_status status = op->has_started ? PT_OK : start(op, &op->head.failure);
    if (status == PT_OK)
        status = pt__open_rows_are(&op->open_rows) ? pt__open_rows_next(&op->open_rows, out, &op->head.failure)
                                                   : pull(op, out, &op->head.failure);
    pt__helped_go_on(&op->head.helped);
    return pt__operation_settle(&op->head, status, out->release == NULL);
}

static void keep_with(native_operation *op, pt__shelf shelf, const char *key)
{
    if (op->link->is_pooled) {
        pt__native_shelve(op->database, shelf, key, op->link, &op->statement);
        op->link = NULL;
        return;
    }
    pt__native_link_lock(op->link);
    pt__native_keep(op->link, key, &op->statement);
    pt__native_link_leave(op->link);
}

/* There may be other values for it, or somebody who sends it again. */
static void keep_prepared(native_operation *op)
{
    if (op->head.state != PT_OPERATION_SUCCEEDED || op->link == NULL || (op->link->is_pooled && !op->link->is_clean))
        return;
    if (op->has_parameters && op->statement_id[0] != '\0')
        keep_with(op, PT_SHELF_HANDLES, op->statement_id);
    else if (!op->has_parameters && pt__native_is_literal_row(op->sql))
        keep_with(op, PT_SHELF_TEXTS, op->sql);
}

static void stop(native_operation *op)
{
    pt__open_rows_end(&op->open_rows);
    set_running(op, NULL);
    pt__helped_end(&op->head.helped);
    if (op->link != NULL && op->link->is_pooled && !op->link->is_clean)
        duckdb_interrupt(op->link->connection); /* what is left of a stream that nobody reads to its end */
    pt__filler_deinit(&op->filler);
    drop_result(op);
    keep_prepared(op);
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

static double operation_progress(pt_operation *base)
{
    native_operation *op = of(base);
    double share = -1;
    pthread_mutex_lock(&op->mutex);
    if (op->running != NULL)
        share = duckdb_query_progress(op->running->connection).percentage / 100;
    pthread_mutex_unlock(&op->mutex);
    return share;
}

static void operation_free(pt_operation *base)
{
    native_operation *op = of(base);
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
    .cancel = operation_cancel,
    .result = pt__operation_result,
    .failure = pt__operation_failure,
    .progress = operation_progress,
    .free = operation_free,
};

pt_status pt__native_operation_new(pt__duckdb *database, pt__native *native, const pt_query *query, pt_operation **out,
                                   pt_error *err)
{
    native_operation *op = calloc(1, sizeof(*op));
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
