#include "backend/duckdb/operation.h"

#include "backend/duckdb/command.h"
#include "backend/duckdb/filler.h"
#include "backend/duckdb/literal_row.h"
#include "backend/duckdb/operation_base.h"
#include "backend/duckdb/proof.h"
#include "backend/duckdb/statement.h"
#include "base/condition.h"
#include "plan/arrow_schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct operation {
    pt__operation head;
    pt__duckdb *database;
    pt__arena *arena;
    const pt_plan *plan;
    char *time_zone;
    pt__lowered lowered;
    pt__local_entry *locals;
    pt__statement statement;
    bool has_started;
    bool is_command;
    bool is_literal;
    bool leaves_proof;
    bool has_delivered; /* a batch has left */
    pt__filler filler;
} operation;

static operation *of(pt_operation *base)
{
    return (operation *)base;
}

/* ---- the statement ---- */

static void forget_locals(operation *op)
{
    for (size_t i = 0; i < op->lowered.source_count && op->locals != NULL; i++)
        pt__local_forget(op->database, &op->locals[i]);
    op->locals = NULL;
}

static void register_locals(operation *op)
{
    const pt__lowered *lowered = &op->lowered;
    if (lowered->source_count == 0)
        return;
    op->locals = pt__arena_array(op->arena, pt__local_entry, lowered->source_count);
    for (size_t i = 0; i < lowered->source_count; i++) {
        op->locals[i] = (pt__local_entry){.key = lowered->sources[i].key, .data = lowered->sources[i].data};
        pt__local_register(op->database, &op->locals[i]);
    }
}

static pt_status lower_plan(operation *op, bool may_narrow, pt_error *err)
{
    pt__lower *lower = pt__lower_new(op->arena, op->database, op->time_zone);
    lower->may_narrow = may_narrow;
    return pt__lower_query(lower, op->plan, &op->lowered, err);
}

/* ---- pulling ---- */

static pt_status start(operation *op, pt_error *err)
{
    size_t count = op->lowered.column_count;
    op->has_started = true;
    op->head.state = PT_OPERATION_RUNNING;
    pt__helped_begin(&op->head.helped, op->database->helper);
    duckdb_logical_type *types = pt__arena_array(op->arena, duckdb_logical_type, count + 1);
    PT_TRY(pt__statement_start(&op->statement, op->arena, op->lowered.sql, op->lowered.columns, count, types, err));
    op->filler.has_batch = pt__batch_init(&op->filler.batch, op->lowered.columns, types, count);
    for (size_t i = 0; i < count; i++)
        duckdb_destroy_logical_type(&types[i]);
    pt__helped_stream(&op->head.helped);
    return op->filler.has_batch ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for a batch of the result");
}

static pt_status fetch(void *context, duckdb_data_chunk *out, pt_error *err)
{
    return pt__statement_fetch(context, out, err);
}

static pt_status pull_rows(operation *op, struct ArrowArray *out, pt_error *err)
{
    if (!op->has_started)
        PT_TRY(start(op, err));
    return pt__filler_next(&op->filler, fetch, &op->statement, out, err);
}

/* Products that do not fit into 64 bits: nobody has seen a row yet. */
static bool must_widen(const operation *op, const pt_error *err)
{
    return op->lowered.used_narrow && !op->has_delivered && err->status != PT_OK &&
           strcmp(err->condition, "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION") == 0;
}

static pt_status start_wider(operation *op, pt_error *err)
{
    pt_error_clear(err);
    forget_locals(op);
    pt__statement_close(&op->statement);
    if (op->filler.has_batch)
        pt__batch_deinit(&op->filler.batch);
    op->filler.has_batch = false;
    op->has_started = false;
    PT_TRY(lower_plan(op, false, err));
    register_locals(op);
    return PT_OK;
}

static bool gives_count(const operation *op)
{
    return op->plan->kind == PT_PLAN_WRITE_FILES && pt__plan_as_write_files(op->plan)->gives_count;
}

static pt_status run_command(operation *op, struct ArrowArray *out, pt_error *err)
{
    if (op->has_started)
        return PT_OK;
    op->has_started = true;
    op->head.state = PT_OPERATION_RUNNING;
    pt__helped_begin(&op->head.helped, op->database->helper);
    pt__command_run command = {
        .database = op->database,
        .statement = &op->statement,
        .arena = op->arena,
        .time_zone = op->time_zone,
        .proof = op->leaves_proof ? op->head.id : NULL,
    };
    PT_TRY(pt__command_execute(&command, op->plan, err));
    if (!gives_count(op))
        return PT_OK;
    return pt__count_row_make(command.rows_written, out) ? PT_OK
                                                         : pt_error_set(err, PT_NO_MEMORY, "no memory for a row");
}

/* The one row of a plan that needs no engine. */
static pt_status pull_literals(operation *op, struct ArrowArray *out, pt_error *err)
{
    PT_TRY(pt__statement_check(&op->statement, err));
    if (op->has_started)
        return PT_OK;
    op->has_started = true;
    return pt__literal_row_make(op->plan, out) ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for a row");
}

static pt_status pull(operation *op, struct ArrowArray *out, pt_error *err)
{
    if (op->is_literal)
        return pull_literals(op, out, err);
    if (op->is_command)
        return run_command(op, out, err);
    pt_status status = pull_rows(op, out, err);
    if (status != PT_OK && must_widen(op, err)) {
        PT_TRY(start_wider(op, err));
        status = pull_rows(op, out, err);
    }
    op->has_delivered = op->has_delivered || out->release != NULL;
    return status;
}

/* ---- the stream ---- */

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    operation *op = stream->private_data;
    bool is_count = op->is_command && gives_count(op);
    const pt_column *columns = is_count ? op->plan->columns : op->lowered.columns;
    size_t count = is_count ? op->plan->column_count : op->lowered.column_count;
    pt_status status = pt__arrow_schema(columns, count, op->time_zone, out, &op->head.failure);
    return status == PT_OK ? 0 : EINVAL;
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    operation *op = stream->private_data;
    out->release = NULL;
    if (op->head.failure.status != PT_OK)
        return EIO;
    pt_status status;
    if (PT_ARENA_GUARD(op->arena)) {
        status = pt_error_set(&op->head.failure, PT_LIMIT, "the statement needs more memory than a request may have");
    } else {
        pt__helped_wait(&op->head.helped);
        status = pull(op, out, &op->head.failure);
        pt__helped_go_on(&op->head.helped);
        pt__arena_unguard(op->arena);
    }
    return pt__operation_settle(&op->head, status, out->release == NULL);
}

/* Ends the statement, so that the connection is free before the operation is. */
static void stop(operation *op)
{
    pt__helped_end(&op->head.helped);
    pt__filler_deinit(&op->filler);
    if (op->statement.database != NULL)
        pt__statement_close(&op->statement);
    forget_locals(op);
}

static void stream_release(struct ArrowArrayStream *stream)
{
    stop(stream->private_data);
    stream->release = NULL;
}

/* ---- the operation ---- */

static pt_status operation_cancel(pt_operation *base, pt_error *err)
{
    (void)err;
    pt__statement_interrupt(&of(base)->statement);
    return PT_OK;
}

static double operation_progress(pt_operation *base)
{
    return pt__statement_progress(&of(base)->statement);
}

static void operation_free(pt_operation *base)
{
    operation *op = of(base);
    stop(op);
    if (op->statement.database != NULL)
        pt__statement_deinit(&op->statement);
    pt_error_clear(&op->head.failure);
    pt__arena_free(op->arena);
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

/* ---- making one ---- */

static pt_status fill(operation *op, const pt_query *query, pt_error *err)
{
    if (query->plan == NULL)
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                         pt__arena_printf(op->arena, "queries in the format %s", query->encoded.format), NULL);
    op->head.id = pt__arena_copy_string(op->arena, query->operation_id == NULL ? "" : query->operation_id);
    op->time_zone = pt__arena_copy_string(op->arena, query->time_zone == NULL ? "UTC" : query->time_zone);
    pt__filler_init(&op->filler, query->batch_rows, query->batch_bytes);
    op->plan = query->plan;
    op->leaves_proof = pt__proof_is_wanted(op->database, query);
    op->is_command = pt__plan_is_command(query->plan);
    pt__statement_init(&op->statement, op->database, query->plan);
    if (op->is_command)
        return pt__command_check(op->database, op->arena, query->plan, op->time_zone, err);
    op->is_literal = pt__is_literal_row(query->plan);
    if (op->is_literal) {
        op->lowered.columns = query->plan->columns;
        op->lowered.column_count = query->plan->column_count;
        return PT_OK;
    }
    return lower_plan(op, true, err);
}

pt_status pt__operation_new(pt__duckdb_session *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    operation *op = calloc(1, sizeof(*op));
    pt__arena *arena = pt__arena_new(0);
    if (op == NULL || arena == NULL) {
        free(op);
        pt__arena_free(arena);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    }
    op->head.base.vtable = &OPERATION;
    op->head.stream = &STREAM;
    op->database = session->database;
    op->arena = arena;
    pt_status status;
    if (PT_ARENA_GUARD(arena)) {
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for the statement");
    } else {
        status = fill(op, query, err);
        if (status == PT_OK)
            register_locals(op);
        pt__arena_unguard(arena);
    }
    if (status != PT_OK) {
        operation_free(&op->head.base);
        return status;
    }
    *out = &op->head.base;
    return PT_OK;
}
