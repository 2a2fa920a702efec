/*
 * Bulk ingestion: an Arrow stream into a table, all or nothing. A small one is an INSERT or CREATE TABLE AS, a large one
 * as many as the feed has windows, within a transaction: ours, or the one that the client has begun.
 */
#include "backend/duckdb/native/feed.h"
#include "backend/duckdb/native/native.h"

#include <time.h>

enum { NAP_US = 200 };

typedef struct ingestion {
    pt__native_link *link;
    const pt_ingest *request;
    pt__feed *feed;
    bool is_begun; /* rows that follow are inserted */
    int64_t row_count;
} ingestion;

/* ---- the texts ---- */

void pt__native_put_name(pt__buffer *sql, const char *name)
{
    pt__buffer_append_byte(sql, '"');
    for (; *name != '\0'; name++) {
        if (*name == '"')
            pt__buffer_append_byte(sql, '"');
        pt__buffer_append_byte(sql, (uint8_t)*name);
    }
    pt__buffer_append_byte(sql, '"');
}

static void put_target(pt__buffer *sql, const pt_ingest *request)
{
    const char *catalog = request->is_temporary ? "temp" : request->catalog;
    const char *schema = request->is_temporary ? NULL : request->schema;
    if (catalog != NULL && schema == NULL)
        schema = "main";
    if (catalog != NULL) {
        pt__native_put_name(sql, catalog);
        pt__buffer_append_byte(sql, '.');
    }
    if (schema != NULL) {
        pt__native_put_name(sql, schema);
        pt__buffer_append_byte(sql, '.');
    }
    pt__native_put_name(sql, request->table);
}

static bool exists(duckdb_connection connection, const pt_ingest *request)
{
    duckdb_result result;
    pt__buffer sql = PT_BUFFER_INIT;
    pt__buffer_append_string(&sql, "SELECT 1 FROM ");
    put_target(&sql, request);
    pt__buffer_append_string(&sql, " LIMIT 0");
    bool found = !sql.failed && duckdb_query(connection, pt__buffer_string(&sql), &result) == DuckDBSuccess;
    if (!sql.failed)
        duckdb_destroy_result(&result);
    pt__buffer_deinit(&sql);
    return found;
}

static pt_status check_target(const ingestion *self, bool is_there, pt_error *err)
{
    const pt_ingest *request = self->request;
    if (is_there && !request->append && !request->replace)
        return pt_error_set(err, PT_ALREADY_EXISTS, "the table %s exists already", request->table);
    if (!is_there && !request->create)
        return pt_error_set(err, PT_NOT_FOUND, "there is no table %s", request->table);
    return PT_OK;
}

static void put_insert(const ingestion *self, pt__buffer *sql)
{
    pt__buffer_append_string(sql, "INSERT INTO ");
    put_target(sql, self->request);
    pt__buffer_append_string(sql, " BY NAME ");
}

/* "INSERT INTO …" or "CREATE TABLE … AS". */
static void put_start(const ingestion *self, bool is_there, pt__buffer *sql)
{
    const pt_ingest *request = self->request;
    if (is_there && request->append) {
        put_insert(self, sql);
        return;
    }
    pt__buffer_printf(sql, "CREATE %s%sTABLE ", is_there ? "OR REPLACE " : "", request->is_temporary ? "TEMP " : "");
    put_target(sql, request);
    pt__buffer_append_string(sql, " AS ");
}

/* ---- statements ---- */

/* The count that INSERT and CREATE TABLE AS give. */
static int64_t first_number(duckdb_result result)
{
    int64_t number = 0;
    duckdb_data_chunk chunk = duckdb_fetch_chunk(result);
    if (chunk != NULL && duckdb_data_chunk_get_size(chunk) == 1)
        number = *(int64_t *)duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 0));
    if (chunk != NULL)
        duckdb_destroy_data_chunk(&chunk);
    return number;
}

/*
 * Takes part in the work until the statement has ended. While others do the last of it there is nothing to wait for, and
 * DuckDB's own waiting would be a loop that takes a core from the client.
 */
static bool work(duckdb_pending_result pending)
{
    static const struct timespec NAP = {.tv_nsec = NAP_US * 1000};
    for (;;) {
        switch (duckdb_pending_execute_task(pending)) {
        case DUCKDB_PENDING_RESULT_READY: return true;
        case DUCKDB_PENDING_ERROR: return false;
        case DUCKDB_PENDING_NO_TASKS_AVAILABLE: nanosleep(&NAP, NULL); break;
        default: break;
        }
    }
}

static pt_status finish(duckdb_pending_result pending, int64_t *count, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    if (duckdb_execute_pending(pending, &result) == DuckDBSuccess)
        *count = first_number(result);
    else
        status = pt__native_error(duckdb_result_error(&result), err);
    duckdb_destroy_result(&result);
    return status;
}

static pt_status execute(const ingestion *self, duckdb_prepared_statement prepared, int64_t *count, pt_error *err)
{
    duckdb_pending_result pending = NULL;
    pt__helped helped = {0};
    pt_status status;
    pt__helped_begin(&helped, self->link->database->helper);
    if (duckdb_pending_prepared(prepared, &pending) != DuckDBSuccess || !work(pending))
        status = pt__native_error(duckdb_pending_error(pending), err);
    else
        status = finish(pending, count, err);
    pt__helped_end(&helped);
    duckdb_destroy_pending(&pending);
    return status;
}

/* ---- windows ---- */

/* The statement for rows of the window from `first` on; destroy it, also after failure. */
static pt_status prepare(const ingestion *self, const char *start, int64_t first, int64_t *row_count,
                         duckdb_prepared_statement *out, pt_error *err)
{
    pt__buffer sql = PT_BUFFER_INIT;
    pt__buffer_append_string(&sql, start);
    pt_status status = pt__feed_put_query(self->feed, first, &sql, row_count, err);
    if (status == PT_OK && sql.failed)
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for a statement");
    if (status == PT_OK && duckdb_prepare(self->link->connection, pt__buffer_string(&sql), out) != DuckDBSuccess)
        status = pt__native_error(duckdb_prepare_error(*out), err);
    pt__buffer_deinit(&sql);
    return status;
}

static pt_status run_part(ingestion *self, const char *start, int64_t first, int64_t *row_count, pt_error *err)
{
    duckdb_prepared_statement prepared = NULL;
    int64_t count = 0;
    pt_status status = prepare(self, start, first, row_count, &prepared, err);
    if (status != PT_OK && pt__feed_turn_to_stream(self->feed)) {
        pt_error_clear(err);
        duckdb_destroy_prepare(&prepared);
        status = prepare(self, start, first, row_count, &prepared, err);
    }
    if (status == PT_OK)
        status = execute(self, prepared, &count, err);
    duckdb_destroy_prepare(&prepared);
    PT_TRY(status);
    self->row_count += count;
    return count == *row_count ? PT_OK
                               : pt_error_set(err, PT_INTERNAL, "%lld rows of %lld were inserted", (long long)count,
                                              (long long)*row_count);
}

/* The first statement begins with `start`, others insert. */
static pt_status run_window(ingestion *self, const char *start, pt_error *err)
{
    pt__buffer insert = PT_BUFFER_INIT;
    int64_t first = 0, row_count = 0;
    put_insert(self, &insert);
    pt_status status = insert.failed ? pt_error_set(err, PT_NO_MEMORY, "no memory for a statement") : PT_OK;
    while (status == PT_OK && (!self->is_begun || first < pt__feed_row_count(self->feed))) {
        status = run_part(self, self->is_begun ? pt__buffer_string(&insert) : start, first, &row_count, err);
        self->is_begun = true;
        first += row_count;
    }
    pt__buffer_deinit(&insert);
    return status;
}

static pt_status run_windows(ingestion *self, const char *start, pt_error *err)
{
    PT_TRY(run_window(self, start, err));
    while (!pt__feed_is_ended(self->feed)) {
        PT_TRY(pt__feed_fill(self->feed, err));
        PT_TRY(run_window(self, start, err));
    }
    return PT_OK;
}

/* ---- transactions ---- */

static pt_status transaction_number(const ingestion *self, int64_t *out, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    if (duckdb_query(self->link->connection, "SELECT txid_current()::BIGINT", &result) == DuckDBSuccess)
        *out = first_number(result);
    else
        status = pt__native_error(duckdb_result_error(&result), err);
    duckdb_destroy_result(&result);
    return status;
}

/* One that came as SQL is known to DuckDB only: without any, each statement has its own. */
static pt_status find_transaction(const ingestion *self, bool *is_open, pt_error *err)
{
    int64_t first = 0, second = 0;
    *is_open = self->link->in_transaction;
    if (*is_open || self->link->is_pooled)
        return PT_OK;
    PT_TRY(transaction_number(self, &first, err));
    PT_TRY(transaction_number(self, &second, err));
    *is_open = first == second;
    return PT_OK;
}

/* What some statements have inserted must not stay: a transaction of the client is made one that can only be rolled back. */
static void undo(const ingestion *self, bool is_ours)
{
    pt__native_link_run(self->link, is_ours ? "ROLLBACK" : "SELECT error('an ingestion has failed')", NULL);
}

static pt_status run_in_transaction(ingestion *self, const char *start, pt_error *err)
{
    bool is_open = false;
    PT_TRY(find_transaction(self, &is_open, err));
    if (!is_open)
        PT_TRY(pt__native_link_run(self->link, "BEGIN TRANSACTION", err));
    pt_status status = run_windows(self, start, err);
    if (status == PT_OK && !is_open)
        status = pt__native_link_run(self->link, "COMMIT", err);
    if (status != PT_OK)
        undo(self, !is_open);
    return status;
}

static pt_status ingest(ingestion *self, pt_error *err)
{
    pt__buffer start = PT_BUFFER_INIT;
    bool is_there = exists(self->link->connection, self->request);
    PT_TRY(check_target(self, is_there, err));
    PT_TRY(pt__feed_fill(self->feed, err));
    put_start(self, is_there, &start);
    pt_status status = start.failed ? pt_error_set(err, PT_NO_MEMORY, "no memory for a statement") : PT_OK;
    if (status == PT_OK)
        status = pt__feed_is_one_statement(self->feed) ? run_window(self, pt__buffer_string(&start), err)
                                                       : run_in_transaction(self, pt__buffer_string(&start), err);
    pt__buffer_deinit(&start);
    return status;
}

static pt_status find_link(pt__duckdb *database, pt__native *native, const pt_ingest *request, pt__native_link **out,
                           pt_error *err)
{
    if (request->transaction != NULL)
        return pt__native_transaction(native, request->transaction, out, err);
    return request->is_temporary ? pt__native_own(database, native, out, err)
                                 : pt__native_any(database, native, NULL, out, err);
}

static pt_status enter_and_ingest(ingestion *self, struct ArrowArrayStream *rows, pt_error *err)
{
    pt__native_entrant entrant = pt__native_entrant_of(self->request);
    if (!pt__native_link_enter_as(self->link, &entrant))
        return pt__native_gave_up(err);
    pt_status status = pt__feed_new(self->link->database, self->link->connection, rows, &self->feed, err);
    if (status == PT_OK)
        status = ingest(self, err);
    pt__feed_free(self->feed);
    pt__native_link_leave(self->link);
    return status;
}

pt_status pt__native_ingest(pt__duckdb *database, pt__native *native, const pt_ingest *request,
                            struct ArrowArrayStream *rows, int64_t *row_count, pt_error *err)
{
    ingestion self = {.request = request};
    PT_TRY(find_link(database, native, request, &self.link, err));
    pt_status status = enter_and_ingest(&self, rows, err);
    pt__native_link_unref(self.link);
    *row_count = self.row_count;
    return status;
}
