/* The store in a file of SQLite. */
#include "store/sql.h"

#include <sqlite3.h>

#include <stdlib.h>

#define PT_NOW "CAST((julianday('now') - 2440587.5) * 86400000.0 AS BIGINT)"

static const char *const statements[] = {
#define PT_STATEMENT(name, text) text,
#include "store/statements.def"
#undef PT_STATEMENT
};

enum { BUSY_MS = 10000 };

typedef struct connection {
    sqlite3 *database;
    sqlite3_stmt *prepared[PT_SQL_COUNT];
} connection;

/* Another process may hold the file for longer than we wait: one that is paused, say. */
static pt_status fail(const connection *c, pt_error *err)
{
    bool is_busy = sqlite3_errcode(c->database) == SQLITE_BUSY;
    return pt_error_set(err, is_busy ? PT_UNAVAILABLE : PT_IO, "the job store: %s", sqlite3_errmsg(c->database));
}

static pt_status execute(void *self, const char *sql, pt_error *err)
{
    connection *c = self;
    return sqlite3_exec(c->database, sql, NULL, NULL, NULL) == SQLITE_OK ? PT_OK : fail(c, err);
}

static void close_connection(void *self)
{
    connection *c = self;
    for (size_t i = 0; i < PT_SQL_COUNT; i++)
        sqlite3_finalize(c->prepared[i]);
    sqlite3_close(c->database);
    free(c);
}

static pt_status open_connection(const char *location, void **out, pt_error *err)
{
    connection *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a job store");
    *out = c;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    if (sqlite3_open_v2(location, &c->database, flags, NULL) != SQLITE_OK)
        return pt_error_set(err, PT_IO, "the job store %s cannot be opened: %s", location,
                            c->database == NULL ? "no memory" : sqlite3_errmsg(c->database));
    sqlite3_busy_timeout(c->database, BUSY_MS);
    /* Full: what was recorded has to outlive the machine's end, too. */
    return execute(c, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", err);
}

static int bind(sqlite3_stmt *s, int index, const pt__sql_value *value)
{
    switch (value->kind) {
    case PT_SQL_INTEGER: return sqlite3_bind_int64(s, index, value->integer);
    case PT_SQL_TEXT: return sqlite3_bind_text(s, index, value->text, -1, SQLITE_STATIC);
    case PT_SQL_BYTES: break;
    }
    if (value->bytes.size_bytes == 0)
        return sqlite3_bind_zeroblob(s, index, 0);
    return sqlite3_bind_blob64(s, index, value->bytes.data, value->bytes.size_bytes, SQLITE_STATIC);
}

static pt__sql_value column(sqlite3_stmt *s, int index, pt__sql_kind kind)
{
    pt__sql_value out = {.kind = kind};
    switch (kind) {
    case PT_SQL_INTEGER: out.integer = sqlite3_column_int64(s, index); break;
    case PT_SQL_TEXT: out.text = (const char *)sqlite3_column_text(s, index); break;
    case PT_SQL_BYTES:
        out.bytes.data = sqlite3_column_blob(s, index);
        out.bytes.size_bytes = (size_t)sqlite3_column_bytes(s, index);
        break;
    }
    return out;
}

static pt_status take_row(sqlite3_stmt *s, const pt__sql_query *query, pt_error *err)
{
    pt__sql_value values[PT_SQL_COLUMNS];
    if (query->row == NULL)
        return PT_OK;
    for (size_t i = 0; i < query->column_count; i++)
        values[i] = column(s, (int)i, query->kinds[i]);
    return query->row(query->context, values, err);
}

static pt_status step_all(connection *c, sqlite3_stmt *s, pt__sql_query *query, pt_error *err)
{
    for (;;) {
        switch (sqlite3_step(s)) {
        case SQLITE_ROW: PT_TRY(take_row(s, query, err)); break;
        case SQLITE_DONE: query->changed = sqlite3_changes(c->database); return PT_OK;
        default: return fail(c, err);
        }
    }
}

static pt_status bind_and_step(connection *c, sqlite3_stmt *s, pt__sql_query *query, pt_error *err)
{
    for (size_t i = 0; i < query->parameter_count; i++)
        if (bind(s, (int)i + 1, &query->parameters[i]) != SQLITE_OK)
            return fail(c, err);
    return step_all(c, s, query, err);
}

static pt_status run(void *self, pt__sql_statement statement, pt__sql_query *query, pt_error *err)
{
    connection *c = self;
    sqlite3_stmt **s = &c->prepared[statement];
    if (*s == NULL &&
        sqlite3_prepare_v3(c->database, statements[statement], -1, SQLITE_PREPARE_PERSISTENT, s, NULL) != SQLITE_OK)
        return fail(c, err);
    pt_status status = bind_and_step(c, *s, query, err);
    sqlite3_reset(*s);
    sqlite3_clear_bindings(*s);
    return status;
}

static int take_version(void *context, int count, char **values, char **names)
{
    (void)names;
    if (count > 0 && values[0] != NULL)
        *(int64_t *)context = strtoll(values[0], NULL, 10);
    return 0;
}

static pt_status read_version(void *self, int64_t *version, pt_error *err)
{
    connection *c = self;
    int code = sqlite3_exec(c->database, "SELECT version FROM portico_job_schema", take_version, version, NULL);
    return code == SQLITE_OK ? PT_OK : fail(c, err);
}

static const pt__sql_driver driver = {
    .open = open_connection,
    .close = close_connection,
    .run = run,
    .execute = execute,
    .read_version = read_version,
    .begin_migration = "BEGIN IMMEDIATE",
    .bytes_type = "BLOB",
};

static pt_status open_store(const char *location, void **self, pt_error *err)
{
    return pt__sql_store_open(&driver, location, self, err);
}

const pt_job_store_vtable pt_job_store_sqlite = {PT_SQL_STORE_MEMBERS, .name = "sqlite", .open = open_store};
