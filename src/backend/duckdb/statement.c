#include "backend/duckdb/statement.h"

#include "backend/duckdb/batch.h"
#include "backend/duckdb/error_map.h"
#include "backend/duckdb/lost_error.h"
#include "base/condition.h"

#include <stdlib.h>
#include <string.h>

void pt__statement_init(pt__statement *statement, pt__duckdb *database, const pt_plan *plan)
{
    *statement = (pt__statement){.database = database, .plan = plan};
    pthread_mutex_init(&statement->mutex, NULL);
}

/* Destroying a result that was not read to its end leaves its tasks to the connection: such a one is closed. */
static void give_back(pt__statement *statement)
{
    pthread_mutex_lock(&statement->mutex);
    duckdb_connection connection = statement->connection;
    statement->connection = NULL;
    pthread_mutex_unlock(&statement->mutex);
    if (connection == NULL)
        return;
    if (statement->is_finished)
        pt__duckdb_return(statement->database, connection);
    else
        pt__duckdb_disconnect(&connection);
}

static void destroy_prepared(pt__statement *statement)
{
    if (statement->pending != NULL)
        duckdb_destroy_pending(&statement->pending);
    if (statement->prepared != NULL)
        duckdb_destroy_prepare(&statement->prepared);
}

/* A pending result that is destroyed leaves its tasks running as well, and an interrupt before it was made is lost. */
void pt__statement_close(pt__statement *statement)
{
    if (!statement->is_finished && statement->connection != NULL)
        duckdb_interrupt(statement->connection);
    if (statement->has_result)
        duckdb_destroy_result(&statement->result);
    statement->has_result = false;
    destroy_prepared(statement);
    give_back(statement);
}

void pt__statement_deinit(pt__statement *statement)
{
    pt__statement_close(statement);
    pthread_mutex_destroy(&statement->mutex);
}

static bool is_interrupted(pt__statement *statement)
{
    pthread_mutex_lock(&statement->mutex);
    bool interrupted = statement->interrupted;
    pthread_mutex_unlock(&statement->mutex);
    return interrupted;
}

void pt__statement_interrupt(pt__statement *statement)
{
    pthread_mutex_lock(&statement->mutex);
    statement->interrupted = true;
    if (statement->connection != NULL)
        duckdb_interrupt(statement->connection);
    pthread_mutex_unlock(&statement->mutex);
}

double pt__statement_progress(pt__statement *statement)
{
    double share = -1;
    pthread_mutex_lock(&statement->mutex);
    if (statement->connection != NULL)
        share = duckdb_query_progress(statement->connection).percentage / 100;
    pthread_mutex_unlock(&statement->mutex);
    return share;
}

pt_status pt__statement_check(pt__statement *statement, pt_error *err)
{
    return is_interrupted(statement) ? pt__raise(err, PT_COND_OPERATION_CANCELED, NULL) : PT_OK;
}

pt_status pt__statement_borrow(pt__statement *statement, pt_error *err)
{
    duckdb_connection connection;
    if (statement->connection != NULL)
        return PT_OK;
    PT_TRY(pt__duckdb_borrow(statement->database, &connection, err));
    pthread_mutex_lock(&statement->mutex);
    statement->connection = connection;
    pthread_mutex_unlock(&statement->mutex);
    statement->is_finished = true; /* nothing runs on it yet */
    return PT_OK;
}

static pt_status prepare(pt__statement *statement, const char *sql, pt_error *err)
{
    destroy_prepared(statement);
    if (duckdb_prepare(statement->connection, sql, &statement->prepared) == DuckDBSuccess)
        return PT_OK;
    return pt__error_of_text(duckdb_prepare_error(statement->prepared), statement->plan, err);
}

/* Whether all columns come in the plan's types; `types` is filled in any case. */
static bool read_types(pt__statement *statement, const pt_column *columns, size_t count, duckdb_logical_type *types)
{
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        types[i] = duckdb_prepared_statement_column_logical_type(statement->prepared, i);
        fits = pt__batch_type_fits(columns[i].type, types[i]) && fits;
    }
    return fits;
}

static void destroy_types(duckdb_logical_type *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        duckdb_destroy_logical_type(&types[i]);
}

/* Lowering states every type; where it left one open, DuckDB's choice is cast here. */
static pt_status prepare_with_casts(pt__statement *statement, pt__arena *arena, const char *sql,
                                    const pt_column *columns, size_t count, duckdb_logical_type *types, pt_error *err)
{
    destroy_types(types, count);
    pt__lower *lower = pt__lower_new(arena, statement->database, NULL);
    pt__put(lower, "SELECT ");
    for (size_t i = 0; i < count; i++) {
        pt__putf(lower, "%sCAST(x%zu AS ", i == 0 ? "" : ", ", i);
        pt__put_type(lower, columns[i].type);
        pt__put(lower, ")");
    }
    pt__putf(lower, " FROM (%s) AS x(", sql);
    for (size_t i = 0; i < count; i++)
        pt__putf(lower, "%sx%zu", i == 0 ? "" : ", ", i);
    pt__put(lower, ")");
    PT_TRY(prepare(statement, pt__cut(lower, 0), err));
    if (read_types(statement, columns, count, types))
        return PT_OK;
    destroy_types(types, count);
    return pt__raise(err, PT_COND_INTERNAL_ERROR, "message", "DuckDB gives a column another type than the plan", NULL);
}

static pt_status execute(pt__statement *statement, pt_error *err)
{
    statement->is_finished = false;
    if (duckdb_pending_prepared_streaming(statement->prepared, &statement->pending) != DuckDBSuccess) {
        statement->is_finished = true;
        return pt__error_of_text(duckdb_pending_error(statement->pending), statement->plan, err);
    }
    /* From here on DuckDB keeps an interrupt; an earlier one is known to us. */
    PT_TRY(pt__statement_check(statement, err));
    statement->has_result = true;
    if (duckdb_execute_pending(statement->pending, &statement->result) == DuckDBSuccess)
        return PT_OK;
    statement->is_finished = true;
    return pt__error_of_result(&statement->result, statement->plan, err);
}

pt_status pt__statement_start(pt__statement *statement, pt__arena *arena, const char *sql, const pt_column *columns,
                              size_t column_count, duckdb_logical_type *types, pt_error *err)
{
    PT_TRY(pt__statement_check(statement, err));
    PT_TRY(pt__statement_borrow(statement, err));
    PT_TRY(prepare(statement, sql, err));
    if (!read_types(statement, columns, column_count, types))
        PT_TRY(prepare_with_casts(statement, arena, sql, columns, column_count, types, err));
    pt_status status = execute(statement, err);
    if (status != PT_OK)
        destroy_types(types, column_count);
    return status;
}

static bool is_wanted(void *context)
{
    return !is_interrupted(context);
}

static pt_status fail_for_lost_reason(pt__statement *statement, pt_error *err)
{
    duckdb_destroy_result(&statement->result);
    statement->has_result = false;
    statement->is_finished = false; /* it may be left in the midst again */
    char *message = pt__lost_error_find(
        &(pt__lost_query){.prepared = statement->prepared, .is_wanted = is_wanted, .context = statement});
    pt_status status = pt__statement_check(statement, err);
    if (status == PT_OK)
        status = message == NULL ? pt_error_set(err, PT_EXECUTION, PT_LOST_ERROR)
                                 : pt__error_of_text(message, statement->plan, err);
    free(message);
    return status;
}

pt_status pt__statement_fetch(pt__statement *statement, duckdb_data_chunk *out, pt_error *err)
{
    *out = NULL;
    if (statement->is_finished)
        return PT_OK;
    *out = duckdb_fetch_chunk(statement->result);
    if (*out != NULL && duckdb_data_chunk_get_size(*out) > 0)
        return PT_OK;
    if (*out != NULL)
        duckdb_destroy_data_chunk(out);
    statement->is_finished = true;
    PT_TRY(pt__statement_check(statement, err));
    const char *message = duckdb_result_error(&statement->result);
    if (pt__lost_error_is(message))
        return fail_for_lost_reason(statement, err);
    return message == NULL ? PT_OK : pt__error_of_text(message, statement->plan, err);
}
