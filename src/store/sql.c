#include "store/sql.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct sql_store {
    const pt__sql_driver *driver;
    void *connection;
    pthread_mutex_t lock;
} sql_store;

/* ---- the schema ---- */

/* A step leads from its index to the next version; %s is the type of bytes. Steps are never changed, only added. */
static const char *const migrations[PT_SQL_VERSION] = {
    "CREATE TABLE portico_job (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, user_name TEXT NOT NULL, "
    "state BIGINT NOT NULL, kind BIGINT NOT NULL, owner TEXT NOT NULL, fence BIGINT NOT NULL, "
    "lease_until_ms BIGINT NOT NULL, created_us BIGINT NOT NULL, started_us BIGINT NOT NULL, "
    "ended_us BIGINT NOT NULL, row_total BIGINT NOT NULL, byte_total BIGINT NOT NULL, request %s, outcome %s)",
    "CREATE INDEX portico_job_by_age ON portico_job (created_us, id)",
    "ALTER TABLE portico_job ADD COLUMN cancel_asked BIGINT NOT NULL DEFAULT 0",
    "CREATE INDEX portico_job_to_cancel ON portico_job (owner) WHERE cancel_asked <> 0",
};

static pt_status migrate_from(sql_store *store, int64_t version, pt_error *err)
{
    char sql[1024];
    for (; version < PT_SQL_VERSION; version++) {
        const char *bytes = store->driver->bytes_type;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
        snprintf(sql, sizeof(sql), migrations[version], bytes, bytes);
#pragma GCC diagnostic pop
        PT_TRY(store->driver->execute(store->connection, sql, err));
    }
    snprintf(sql, sizeof(sql), "DELETE FROM portico_job_schema; INSERT INTO portico_job_schema VALUES (%d)",
             PT_SQL_VERSION);
    return store->driver->execute(store->connection, sql, err);
}

static pt_status migrate_locked(sql_store *store, pt_error *err)
{
    int64_t version = 0;
    PT_TRY(store->driver->execute(store->connection,
                                  "CREATE TABLE IF NOT EXISTS portico_job_schema (version BIGINT NOT NULL)", err));
    PT_TRY(store->driver->read_version(store->connection, &version, err));
    if (version < 0 || version > PT_SQL_VERSION)
        return pt_error_set(err, PT_UNSUPPORTED,
                            "the job store has a schema of version %lld; this program knows up to version %d",
                            (long long)version, PT_SQL_VERSION);
    return version == PT_SQL_VERSION ? PT_OK : migrate_from(store, version, err);
}

static pt_status migrate(sql_store *store, pt_error *err)
{
    PT_TRY(store->driver->execute(store->connection, store->driver->begin_migration, err));
    pt_status status = migrate_locked(store, err);
    if (status != PT_OK) {
        store->driver->execute(store->connection, "ROLLBACK", NULL);
        return status;
    }
    return store->driver->execute(store->connection, "COMMIT", err);
}

pt_status pt__sql_store_open(const pt__sql_driver *driver, const char *location, void **self, pt_error *err)
{
    sql_store *store = calloc(1, sizeof(*store));
    if (store == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a job store");
    store->driver = driver;
    pthread_mutex_init(&store->lock, NULL);
    pt_status status = driver->open(location, &store->connection, err);
    if (status == PT_OK)
        status = migrate(store, err);
    if (status == PT_OK)
        *self = store;
    else
        pt__sql_store_close(store);
    return status;
}

void pt__sql_store_close(void *self)
{
    sql_store *store = self;
    if (store->connection != NULL)
        store->driver->close(store->connection);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

/* ---- records ---- */

static pt__sql_value integer(int64_t value)
{
    return (pt__sql_value){.kind = PT_SQL_INTEGER, .integer = value};
}

static pt__sql_value text(const char *value)
{
    return (pt__sql_value){.kind = PT_SQL_TEXT, .text = value};
}

static pt__sql_value bytes(pt_bytes_view value)
{
    return (pt__sql_value){.kind = PT_SQL_BYTES, .bytes = value};
}

static pt_status run(void *self, pt__sql_statement statement, pt__sql_query *query, pt_error *err)
{
    sql_store *store = self;
    pthread_mutex_lock(&store->lock);
    pt_status status = store->driver->run(store->connection, statement, query, err);
    pthread_mutex_unlock(&store->lock);
    return status;
}

/* A statement that changes one record, or none. */
static pt_status change(void *self, pt__sql_statement statement, const pt__sql_value *parameters, size_t count,
                        int64_t *changed, pt_error *err)
{
    pt__sql_query query = {.parameters = parameters, .parameter_count = count};
    pt_status status = run(self, statement, &query, err);
    *changed = query.changed;
    return status;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

pt_status pt__sql_store_insert(void *self, const pt_job_record *r, uint64_t lease_ms, pt_error *err)
{
    const pt__sql_value parameters[] = {
        text(r->id),       text(r->session_id),    text(r->user),          integer(r->state),         integer(r->kind),
        text(r->owner),    integer(r->created_us), integer(r->started_us), integer(r->ended_us),      integer(r->rows),
        integer(r->bytes), bytes(r->request),      bytes(r->outcome),      integer((int64_t)lease_ms)};
    int64_t changed;
    PT_TRY(change(self, PT_SQL_INSERT, parameters, COUNT_OF(parameters), &changed, err));
    return changed == 1 ? PT_OK : pt_error_set(err, PT_ALREADY_EXISTS, "there is a job %s already", r->id);
}

static pt_status not_held(const char *id, pt_error *err)
{
    return pt_error_set(err, PT_NOT_FOUND, "the job %s is not this node's any more", id);
}

pt_status pt__sql_store_update(void *self, const pt_job_record *r, uint64_t lease_ms, pt_error *err)
{
    const pt__sql_value parameters[] = {integer(r->state),    integer(r->kind),           integer(r->started_us),
                                        integer(r->ended_us), integer(r->rows),           integer(r->bytes),
                                        bytes(r->outcome),    integer((int64_t)lease_ms), text(r->id),
                                        text(r->owner),       integer(r->fence)};
    int64_t changed;
    PT_TRY(change(self, PT_SQL_UPDATE, parameters, COUNT_OF(parameters), &changed, err));
    return changed == 1 ? PT_OK : not_held(r->id, err);
}

pt_status pt__sql_store_renew(void *self, const char *id, const char *owner, int64_t fence, uint64_t lease_ms,
                              pt_error *err)
{
    const pt__sql_value parameters[] = {integer((int64_t)lease_ms), text(id), text(owner), integer(fence)};
    int64_t changed;
    PT_TRY(change(self, PT_SQL_RENEW, parameters, COUNT_OF(parameters), &changed, err));
    return changed == 1 ? PT_OK : not_held(id, err);
}

typedef struct number_out {
    int64_t value;
    bool is_set;
} number_out;

static pt_status take_number(void *context, const pt__sql_value *values, pt_error *err)
{
    (void)err;
    *(number_out *)context = (number_out){values[0].integer, true};
    return PT_OK;
}

pt_status pt__sql_store_claim(void *self, const char *id, const char *owner, uint64_t lease_ms, int64_t *fence,
                              pt_error *err)
{
    static const pt__sql_kind kinds[] = {PT_SQL_INTEGER};
    const pt__sql_value parameters[] = {text(owner), integer((int64_t)lease_ms), text(id)};
    number_out out = {0, false};
    pt__sql_query query = {parameters, COUNT_OF(parameters), kinds, 1, take_number, &out, 0};
    PT_TRY(run(self, PT_SQL_CLAIM, &query, err));
    if (!out.is_set)
        return pt_error_set(err, PT_NOT_FOUND, "the job %s cannot be taken over", id);
    *fence = out.value;
    return PT_OK;
}

/* ---- reading ---- */

static const pt__sql_kind column_kinds[PT_SQL_COLUMNS] = {
    PT_SQL_TEXT,    PT_SQL_TEXT,    PT_SQL_TEXT,    PT_SQL_INTEGER, PT_SQL_INTEGER,
    PT_SQL_TEXT,    PT_SQL_INTEGER, PT_SQL_INTEGER, PT_SQL_INTEGER, PT_SQL_INTEGER,
    PT_SQL_INTEGER, PT_SQL_BYTES,   PT_SQL_BYTES,   PT_SQL_INTEGER, PT_SQL_INTEGER,
};

typedef struct visit {
    pt_job_record_visitor visitor;
    void *context;
    bool found;
} visit;

static bool is_known(int64_t value, int64_t last)
{
    return value >= 0 && value <= last;
}

static pt_status visit_row(void *context, const pt__sql_value *v, pt_error *err)
{
    visit *to = context;
    pt_job_record record = {
        .size_bytes = sizeof(record),
        .id = v[0].text,
        .session_id = v[1].text,
        .user = v[2].text,
        .state = (pt_operation_state)v[3].integer,
        .kind = (pt_job_kind)v[4].integer,
        .owner = v[5].text,
        .created_us = v[6].integer,
        .started_us = v[7].integer,
        .ended_us = v[8].integer,
        .rows = v[9].integer,
        .bytes = v[10].integer,
        .request = v[11].bytes,
        .outcome = v[12].bytes,
        .fence = v[13].integer,
        .lease_left_ms = v[14].integer,
    };
    to->found = true;
    if (record.id == NULL || record.session_id == NULL || record.user == NULL || record.owner == NULL ||
        !is_known(v[3].integer, PT_OPERATION_CANCELLED) || !is_known(v[4].integer, PT_JOB_WRITE))
        return pt_error_set(err, PT_INTERNAL, "the job store has a record that is malformed");
    return to->visitor(to->context, &record, err);
}

pt_status pt__sql_store_get(void *self, const char *id, pt_job_record_visitor visitor, void *context, pt_error *err)
{
    const pt__sql_value parameters[] = {text(id)};
    visit to = {visitor, context, false};
    pt__sql_query query = {parameters, COUNT_OF(parameters), column_kinds, PT_SQL_COLUMNS, visit_row, &to, 0};
    PT_TRY(run(self, PT_SQL_GET, &query, err));
    return to.found ? PT_OK : pt_error_set(err, PT_NOT_FOUND, "there is no job %s", id);
}

pt_status pt__sql_store_list(void *self, const pt_job_record_filter *filter, pt_job_record_visitor visitor,
                             void *context, pt_error *err)
{
    const pt__sql_value parameters[] = {text(filter->session_id), text(filter->user), integer(filter->state)};
    visit to = {visitor, context, false};
    pt__sql_query query = {parameters, COUNT_OF(parameters), column_kinds, PT_SQL_COLUMNS, visit_row, &to, 0};
    return run(self, PT_SQL_LIST, &query, err);
}

pt_status pt__sql_store_remove(void *self, const char *id, pt_error *err)
{
    const pt__sql_value parameters[] = {text(id)};
    int64_t changed;
    PT_TRY(change(self, PT_SQL_REMOVE, parameters, COUNT_OF(parameters), &changed, err));
    return changed == 1 ? PT_OK : pt_error_set(err, PT_NOT_FOUND, "there is no job %s that has ended", id);
}

/* ---- cancelling ---- */

pt_status pt__sql_store_ask_to_cancel(void *self, const char *id, pt_error *err)
{
    const pt__sql_value parameters[] = {text(id)};
    int64_t changed;
    PT_TRY(change(self, PT_SQL_ASK_TO_CANCEL, parameters, COUNT_OF(parameters), &changed, err));
    return changed == 1 ? PT_OK : pt_error_set(err, PT_NOT_FOUND, "there is no job %s that has not ended", id);
}

typedef struct id_visit {
    void (*visitor)(void *context, const char *id);
    void *context;
} id_visit;

static pt_status visit_id(void *context, const pt__sql_value *values, pt_error *err)
{
    const id_visit *to = context;
    (void)err;
    if (values[0].text != NULL)
        to->visitor(to->context, values[0].text);
    return PT_OK;
}

pt_status pt__sql_store_list_to_cancel(void *self, const char *owner, void (*visitor)(void *context, const char *id),
                                       void *context, pt_error *err)
{
    static const pt__sql_kind kinds[] = {PT_SQL_TEXT};
    const pt__sql_value parameters[] = {text(owner)};
    id_visit to = {visitor, context};
    pt__sql_query query = {parameters, COUNT_OF(parameters), kinds, 1, visit_id, &to, 0};
    return run(self, PT_SQL_LIST_TO_CANCEL, &query, err);
}
