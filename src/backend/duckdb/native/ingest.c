/* Bulk ingestion: an Arrow stream scanned by one INSERT or CREATE TABLE AS, so that it is all or nothing. */
#include "backend/duckdb/native/feed.h"
#include "backend/duckdb/native/native.h"

/* ---- the ingestion ---- */

static void put_name(pt__buffer *sql, const char *name)
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
        put_name(sql, catalog);
        pt__buffer_append_byte(sql, '.');
    }
    if (schema != NULL) {
        put_name(sql, schema);
        pt__buffer_append_byte(sql, '.');
    }
    put_name(sql, request->table);
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

static pt_status put_statement(pt__buffer *sql, const pt_ingest *request, bool there, pt_error *err)
{
    if (there && request->append) {
        pt__buffer_append_string(sql, "INSERT INTO ");
        put_target(sql, request);
        pt__buffer_append_string(sql, " BY NAME");
        return PT_OK;
    }
    if (there && !request->replace)
        return pt_error_set(err, PT_ALREADY_EXISTS, "the table %s exists already", request->table);
    if (!there && !request->create)
        return pt_error_set(err, PT_NOT_FOUND, "there is no table %s", request->table);
    pt__buffer_printf(sql, "CREATE %s%sTABLE ", there ? "OR REPLACE " : "", request->is_temporary ? "TEMP " : "");
    put_target(sql, request);
    pt__buffer_append_string(sql, " AS");
    return PT_OK;
}

static pt_status run(pt__feed *feed, const pt_ingest *request, bool there, int64_t *count, pt_error *err)
{
    pt__buffer sql = PT_BUFFER_INIT;
    pt_status status = put_statement(&sql, request, there, err);
    pt__buffer_append_string(&sql, " SELECT * FROM ");
    pt__feed_put_source(feed, &sql);
    if (status == PT_OK && sql.failed)
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for a statement");
    if (status == PT_OK)
        status = pt__feed_run(feed, pt__buffer_string(&sql), count, err);
    pt__buffer_deinit(&sql);
    return status;
}

static pt_status find_link(pt__duckdb *database, pt__native *native, const pt_ingest *request, pt__native_link **out,
                           pt_error *err)
{
    if (request->transaction != NULL)
        return pt__native_transaction(native, request->transaction, out, err);
    return request->is_temporary ? pt__native_own(database, native, out, err)
                                 : pt__native_any(database, native, out, err);
}

pt_status pt__native_ingest(pt__duckdb *database, pt__native *native, const pt_ingest *request,
                            struct ArrowArrayStream *rows, int64_t *row_count, pt_error *err)
{
    pt__native_link *link = NULL;
    pt__feed *feed = NULL;
    PT_TRY(find_link(database, native, request, &link, err));
    pthread_mutex_lock(&link->lock);
    pt_status status = pt__feed_new(database, link->connection, rows, &feed, err);
    if (status == PT_OK)
        status = run(feed, request, exists(link->connection, request), row_count, err);
    pt__feed_free(feed);
    pthread_mutex_unlock(&link->lock);
    pt__native_link_unref(link);
    return status;
}
