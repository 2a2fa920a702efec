/* The store in a database of PostgreSQL. */
#include "base/library.h"
#include "store/sql.h"

#include <libpq-fe.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PT_NOW "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"

static const char *const statements[] = {
#define PT_STATEMENT(name, text) text,
#include "store/statements.def"
#undef PT_STATEMENT
};

enum { INTEGER_TEXT_BYTES = 24 };

/* libpq is loaded with a connection: it brings two dozen libraries, and most servers keep their jobs elsewhere. */
typedef struct connection {
    PGconn *session;
    void *library;
#define PT_FUNCTION(name) __typeof__(&(name)) name;
#include "store/libpq.def"
#undef PT_FUNCTION
} connection;

static pt_status load(connection *c, pt_error *err)
{
    const pt__library_symbol symbols[] = {
#define PT_FUNCTION(name) {#name, &c->name},
#include "store/libpq.def"
#undef PT_FUNCTION
    };
    return pt__library_open("libpq.so.5", symbols, sizeof(symbols) / sizeof(*symbols), &c->library, err);
}

/* The server's messages end in a newline. */
static pt_status fail(const connection *c, PGresult *result, pt_error *err)
{
    const char *message = result == NULL ? c->PQerrorMessage(c->session) : c->PQresultErrorMessage(result);
    int size = (int)strcspn(message, "\n");
    pt_error_set(err, c->PQstatus(c->session) == CONNECTION_OK ? PT_IO : PT_UNAVAILABLE, "the job store: %.*s", size,
                 message);
    c->PQclear(result);
    return c->PQstatus(c->session) == CONNECTION_OK ? PT_IO : PT_UNAVAILABLE;
}

static pt_status execute(void *self, const char *sql, pt_error *err)
{
    connection *c = self;
    PGresult *result = c->PQexec(c->session, sql);
    ExecStatusType status = c->PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        return fail(c, result, err);
    c->PQclear(result);
    return PT_OK;
}

static void close_connection(void *self)
{
    connection *c = self;
    if (c->session != NULL)
        c->PQfinish(c->session);
    pt__library_close(c->library);
    free(c);
}

static void drop_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

static pt_status open_connection(const char *location, void **out, pt_error *err)
{
    connection *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a job store");
    *out = c;
    PT_TRY(load(c, err));
    c->session = c->PQconnectdb(location);
    if (c->PQstatus(c->session) != CONNECTION_OK)
        return fail(c, NULL, err);
    c->PQsetNoticeReceiver(c->session, drop_notice, NULL);
    return PT_OK;
}

/* Integers and texts go as text, bytes in binary. */
typedef struct parameters {
    const char *values[PT_SQL_PARAMETERS_MAX];
    int lengths[PT_SQL_PARAMETERS_MAX];
    int formats[PT_SQL_PARAMETERS_MAX];
    char integers[PT_SQL_PARAMETERS_MAX][INTEGER_TEXT_BYTES];
} parameters;

static void set_parameter(parameters *p, size_t i, const pt__sql_value *value)
{
    p->lengths[i] = 0;
    p->formats[i] = value->kind == PT_SQL_BYTES;
    switch (value->kind) {
    case PT_SQL_INTEGER:
        snprintf(p->integers[i], INTEGER_TEXT_BYTES, "%" PRId64, value->integer);
        p->values[i] = p->integers[i];
        break;
    case PT_SQL_TEXT: p->values[i] = value->text; break;
    case PT_SQL_BYTES:
        p->values[i] = value->bytes.size_bytes == 0 ? "" : (const char *)value->bytes.data;
        p->lengths[i] = (int)value->bytes.size_bytes;
        break;
    }
}

static PGresult *send(connection *c, pt__sql_statement statement, const pt__sql_query *query)
{
    parameters p;
    for (size_t i = 0; i < query->parameter_count; i++)
        set_parameter(&p, i, &query->parameters[i]);
    return c->PQexecParams(c->session, statements[statement], (int)query->parameter_count, NULL, p.values, p.lengths,
                           p.formats, 0);
}

/* `*unescaped` has to be freed by PQfreemem once the value was used. */
static pt__sql_value cell(const connection *c, const PGresult *result, int row, int column, pt__sql_kind kind,
                          unsigned char **unescaped)
{
    pt__sql_value out = {.kind = kind};
    const char *text = c->PQgetvalue(result, row, column);
    size_t size;
    switch (kind) {
    case PT_SQL_INTEGER: out.integer = strtoll(text, NULL, 10); break;
    case PT_SQL_TEXT: out.text = text; break;
    case PT_SQL_BYTES:
        *unescaped = c->PQunescapeBytea((const unsigned char *)text, &size);
        out.bytes = (pt_bytes_view){*unescaped, *unescaped == NULL ? 0 : size};
        break;
    }
    return out;
}

static pt_status take_row(const connection *c, const PGresult *result, int row, const pt__sql_query *query,
                          pt_error *err)
{
    pt__sql_value values[PT_SQL_COLUMNS];
    unsigned char *unescaped[PT_SQL_COLUMNS] = {NULL};
    for (size_t i = 0; i < query->column_count; i++)
        values[i] = cell(c, result, row, (int)i, query->kinds[i], &unescaped[i]);
    pt_status status = query->row(query->context, values, err);
    for (size_t i = 0; i < query->column_count; i++)
        c->PQfreemem(unescaped[i]);
    return status;
}

static pt_status take_result(connection *c, PGresult *result, pt__sql_query *query, pt_error *err)
{
    ExecStatusType state = c->PQresultStatus(result);
    if (state != PGRES_COMMAND_OK && state != PGRES_TUPLES_OK)
        return fail(c, result, err);
    query->changed = strtoll(c->PQcmdTuples(result), NULL, 10);
    pt_status status = PT_OK;
    for (int row = 0; query->row != NULL && status == PT_OK && row < c->PQntuples(result); row++)
        status = take_row(c, result, row, query, err);
    c->PQclear(result);
    return status;
}

/* A connection that was lost is made anew once: every statement may be sent twice, as each looks at the fence. */
static pt_status run(void *self, pt__sql_statement statement, pt__sql_query *query, pt_error *err)
{
    connection *c = self;
    PGresult *result = send(c, statement, query);
    if (c->PQstatus(c->session) != CONNECTION_OK) {
        c->PQclear(result);
        c->PQreset(c->session);
        result = send(c, statement, query);
    }
    return take_result(c, result, query, err);
}

static pt_status read_version(void *self, int64_t *version, pt_error *err)
{
    connection *c = self;
    PGresult *result = c->PQexec(c->session, "SELECT version FROM portico_job_schema");
    if (c->PQresultStatus(result) != PGRES_TUPLES_OK)
        return fail(c, result, err);
    if (c->PQntuples(result) > 0)
        *version = strtoll(c->PQgetvalue(result, 0, 0), NULL, 10);
    c->PQclear(result);
    return PT_OK;
}

static const pt__sql_driver driver = {
    .open = open_connection,
    .close = close_connection,
    .run = run,
    .execute = execute,
    .read_version = read_version,
    .begin_migration = "BEGIN; SELECT pg_advisory_xact_lock(8071953)",
    .bytes_type = "BYTEA",
};

static pt_status open_store(const char *location, void **self, pt_error *err)
{
    return pt__sql_store_open(&driver, location, self, err);
}

const pt_job_store_vtable pt_job_store_postgresql = {PT_SQL_STORE_MEMBERS, .name = "postgresql", .open = open_store};
