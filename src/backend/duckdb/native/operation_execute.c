/* A statement that is prepared is executed: once, or for each row of its parameters. */
#include "backend/duckdb/native/operation_inside.h"

#include "backend/duckdb/harvest.h"
#include "backend/duckdb/proof.h"

#include <string.h>

void pt__native_operation_drop_result(pt__native_operation *op)
{
    if (op->has_result)
        duckdb_destroy_result(&op->result);
    op->has_result = false;
}

pt_status pt__native_operation_error(const pt__native_operation *op, const char *message, pt_error *err)
{
    return op->statement.harvest != NULL ? pt__native_wrapped_error(message, err) : pt__native_error(message, err);
}

/* What reads nothing is done by the time that another thread is awake. */
static void begin_help(pt__native_operation *op)
{
    if (!pt__native_reads_nothing(op->sql))
        pt__helped_begin(&op->head.helped, op->database->helper);
}

/* On the session's own connection what is no harvest is taken at once: it cannot make way. */
static bool streams(const pt__native_operation *op)
{
    return op->link->is_pooled || op->statement.harvest != NULL;
}

duckdb_state pt__native_operation_plan(pt__native_operation *op, duckdb_pending_result *out)
{
    pt__harvest *harvest = op->statement.harvest;
    if (!streams(op))
        return duckdb_pending_prepared(op->statement.last, out);
    if (harvest != NULL)
        pt__harvest_begin_binding(harvest);
    duckdb_state state = duckdb_pending_prepared_streaming(op->statement.last, out);
    if (harvest != NULL)
        pt__harvest_end_binding(harvest);
    return state;
}

static pt_status make_pending(pt__native_operation *op, pt_error *err)
{
    duckdb_state state = pt__native_operation_plan(op, &op->pending);
    return state == DuckDBSuccess ? PT_OK : pt__native_operation_error(op, duckdb_pending_error(op->pending), err);
}

/* An interrupt that came before there was something to interrupt is known to us only, hence the check. */
static pt_status execute_pending(pt__native_operation *op, pt_error *err)
{
    PT_TRY(make_pending(op, err));
    pt_status status = pt__native_operation_check(op, err);
    if (status != PT_OK) {
        duckdb_interrupt(op->link->connection);
        return status;
    }
    op->has_result = true;
    if (duckdb_execute_pending(op->pending, &op->result) == DuckDBSuccess)
        return PT_OK;
    PT_TRY(pt__native_operation_check(op, err));
    return pt__native_operation_error(op, duckdb_result_error(&op->result), err);
}

static void end_pending(pt__native_operation *op)
{
    if (op->pending != NULL)
        duckdb_destroy_pending(&op->pending);
}

static pt_status execute_making_way(pt__native_operation *op, pt_error *err)
{
    PT_TRY(pt__native_check_commit(op->link, op->statement.last, op->sql, err));
    pt__native_outdate_kept(op->link, op->statement.last, op->sql);
    pt__native_make_way(op->link, op->statement.last, op->sql);
    pt_status status = execute_pending(op, err);
    if (status == PT_OK || !pt__native_made_way(op->link, err))
        return status;
    pt_error_clear(err);
    end_pending(op);
    pt__native_operation_drop_result(op);
    return execute_pending(op, err);
}

static pt_status execute_one(pt__native_operation *op, pt_error *err)
{
    pt_status status = execute_making_way(op, err);
    end_pending(op);
    if (status == PT_OK && !streams(op))
        pt__native_reset_arrow(op->link, op->sql);
    return status;
}

void pt__native_operation_end_running(pt__native_operation *op)
{
    pt__native_operation_set_running(op, NULL);
    pt__helped_end(&op->head.helped);
}

static pt_status execute(pt__native_operation *op, pt_error *err)
{
    pt__native_operation_drop_result(op);
    if (op->link->is_pooled)
        op->link->is_clean = false;
    pt__native_operation_set_running(op, op->link);
    begin_help(op);
    pt_status status = execute_one(op, err);
    if (streams(op) && status == PT_OK)
        pt__helped_stream(&op->head.helped);
    else if (!pt__open_rows_are(&op->open_rows)) /* which end by themselves */
        pt__native_operation_end_running(op);
    return status;
}

/* With dictionaries. Without any row of parameters nothing was executed. */
pt_status pt__native_operation_describe(pt__native_operation *op, pt_error *err)
{
    duckdb_connection_get_arrow_options(op->link->connection, &op->options);
    if (op->statement.harvest == NULL && op->has_result)
        return pt__native_result_schema(op->link, &op->result, &op->engine_schema, err);
    return pt__native_column_schema(op->link, &op->statement, &op->engine_schema, err);
}

/* With the schema, which is the same for all rows of parameters. */
static pt_status execute_and_describe(pt__native_operation *op, pt_error *err)
{
    PT_TRY(execute(op, err));
    return op->engine_schema.release == NULL ? pt__native_operation_describe(op, err) : PT_OK;
}

static pt_status execute_on_own(pt__native_operation *op, pt_error *err)
{
    pt_status status = execute_and_describe(op, err);
    if (!streams(op))
        return status;
    if (status != PT_OK) {
        pt__native_operation_end_running(op);
        pt__native_operation_drop_result(op);
        pt__duckdb_end_statement(op->link->connection);
        return status;
    }
    pt__open_rows_begin(&op->open_rows, &pt__native_operation_rows, op, op->link);
    pt__native_operation_set_running(op, op->link);
    return PT_OK;
}

/* The session's own connection runs one statement at a time; who pulls rows from it has entered already. */
static pt_status execute_alone(pt__native_operation *op, pt_error *err)
{
    if (op->link->is_pooled || pt__open_rows_are(&op->open_rows))
        return execute_and_describe(op, err);
    PT_TRY(pt__native_operation_enter(op, err));
    pt_status status = execute_on_own(op, err);
    pt__native_link_leave(op->link);
    return status;
}

/* ---- rows of parameters ---- */

/* `*has_row` tells whether there is another row of parameters, which is then bound. */
static pt_status bind_next(pt__native_operation *op, bool *has_row, pt_error *err)
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
static pt_status execute_next(pt__native_operation *op, bool is_first, pt_error *err)
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

pt_status pt__native_operation_execute_next(pt__native_operation *op, pt_error *err)
{
    return execute_next(op, false, err);
}

/* ---- proof ---- */

/* What runs by itself and within one transaction. A session that has set something may be in one of its own. */
static bool can_be_proven(const pt__native_operation *op)
{
    return op->is_to_be_proven && !op->has_parameters && op->link->is_pooled && op->statement.count == 1 &&
           pt__native_is_transactional(op->statement.last);
}

static pt_status begin_with_proof(pt__native_operation *op, pt_error *err)
{
    op->link->is_clean = false;
    PT_TRY(pt__duckdb_run(op->link->connection, "BEGIN", err));
    op->in_transaction = true;
    return pt__proof_add(op->link->connection, op->head.id, err);
}

static void roll_back(pt__native_operation *op)
{
    pt__native_operation_drop_result(op);
    op->in_transaction = false;
    pt__duckdb_run(op->link->connection, "ROLLBACK", NULL);
}

/* A transaction writes to one database, where the proof is not when the statement is about another. */
static bool is_elsewhere(const pt__native_operation *op, pt_status status, const pt_error *err)
{
    return op->in_transaction && status != PT_OK && err != NULL &&
           strstr(err->message, "write to a single attached database") != NULL;
}

static pt_status execute_first(pt__native_operation *op, pt_error *err)
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

static pt_status execute_prepared(pt__native_operation *op, pt_error *err)
{
    if (op->statement.harvest != NULL)
        pt__harvest_begin(op->statement.harvest, op->filler.limits);
    return execute_first(op, err);
}

/* A column that has got another name, or none, is one that our own words no longer find. */
static bool is_outdated(const pt__native_operation *op, pt_status status)
{
    pt__harvest *harvest = op->statement.harvest;
    if (status == PT_OK || harvest == NULL)
        return false;
    return pt__harvest_is_outdated(harvest) || (status == PT_ANALYSIS && pt__harvest_is_for_many_rows(harvest));
}

static pt_status execute_anew(pt__native_operation *op, pt_error *err)
{
    pt_error_clear(err);
    pt__native_operation_drop_result(op);
    pt__native_statement_deinit(&op->statement);
    PT_TRY(pt__native_operation_prepare_on_link(op, err));
    if (op->has_parameters)
        op->parameter_row--; /* the row that was bound is bound again */
    return execute_prepared(op, err);
}

/*
 * A table may have got other columns since the query was prepared and wrapped: nothing was executed then. If columns come to
 * have other types with the values of parameters, they do so each time.
 */
pt_status pt__native_operation_execute(pt__native_operation *op, pt_error *err)
{
    pt_status status = execute_prepared(op, err);
    if (is_outdated(op, status))
        status = execute_anew(op, err);
    if (!is_outdated(op, status))
        return status;
    op->is_plain = true;
    return execute_anew(op, err);
}

pt_status pt__native_operation_commit(pt__native_operation *op, pt_error *err)
{
    if (!op->in_transaction)
        return PT_OK;
    op->in_transaction = false;
    pt__native_operation_drop_result(op);
    op->link->is_clean = false;
    PT_TRY(pt__duckdb_run(op->link->connection, "COMMIT", err));
    op->link->is_clean = true;
    return PT_OK;
}
