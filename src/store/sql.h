/**
 * What the stores in SQL share: the statements of statements.def, how records become parameters and rows records, and
 * the migrations of the schema. A driver runs texts on its database.
 *
 * Threads: a driver's connection is used by one thread at a time; the store's lock sees to it.
 */
#ifndef PT_STORE_SQL_H
#define PT_STORE_SQL_H

#include <portico/job_store.h>

typedef enum pt__sql_statement {
#define PT_STATEMENT(name, text) PT_SQL_##name,
#include "store/statements.def"
#undef PT_STATEMENT
    PT_SQL_COUNT
} pt__sql_statement;

/** The columns of GET and LIST. */
#define PT_COLUMNS                                                                                                     \
    "id, session_id, user_name, state, kind, owner, created_us, started_us, ended_us, row_total, byte_total, "         \
    "request, outcome, fence, lease_until_ms - " PT_NOW

enum { PT_SQL_PARAMETERS_MAX = 14, PT_SQL_COLUMNS = 15, PT_SQL_VERSION = 4 };

typedef enum pt__sql_kind { PT_SQL_INTEGER, PT_SQL_TEXT, PT_SQL_BYTES } pt__sql_kind;

typedef struct pt__sql_value {
    pt__sql_kind kind;
    int64_t integer;
    const char *text; /* NULL: null */
    pt_bytes_view bytes;
} pt__sql_value;

/** A row's values, by column, of the kinds that `kinds` asked for. */
typedef pt_status (*pt__sql_row)(void *context, const pt__sql_value *values, pt_error *err);

typedef struct pt__sql_query {
    const pt__sql_value *parameters;
    size_t parameter_count;
    const pt__sql_kind *kinds; /* of the columns of its rows; NULL: no rows */
    size_t column_count;
    pt__sql_row row; /* NULL: no rows */
    void *context;
    int64_t changed; /* out: rows inserted, updated or removed */
} pt__sql_query;

typedef struct pt__sql_driver {
    pt_status (*open)(const char *location, void **connection, pt_error *err);
    void (*close)(void *connection);
    pt_status (*run)(void *connection, pt__sql_statement statement, pt__sql_query *query, pt_error *err);
    /** Statements without parameters and rows, separated by semicolons. */
    pt_status (*execute)(void *connection, const char *sql, pt_error *err);
    pt_status (*read_version)(void *connection, int64_t *version, pt_error *err);
    const char *begin_migration; /* begins a transaction in which nobody else migrates */
    const char *bytes_type;
} pt__sql_driver;

pt_status pt__sql_store_open(const pt__sql_driver *driver, const char *location, void **self, pt_error *err);
void pt__sql_store_close(void *self);
pt_status pt__sql_store_insert(void *self, const pt_job_record *record, uint64_t lease_ms, pt_error *err);
pt_status pt__sql_store_update(void *self, const pt_job_record *record, uint64_t lease_ms, pt_error *err);
pt_status pt__sql_store_renew(void *self, const char *id, const char *owner, int64_t fence, uint64_t lease_ms,
                              pt_error *err);
pt_status pt__sql_store_claim(void *self, const char *id, const char *owner, uint64_t lease_ms, int64_t *fence,
                              pt_error *err);
pt_status pt__sql_store_get(void *self, const char *id, pt_job_record_visitor visit, void *context, pt_error *err);
pt_status pt__sql_store_list(void *self, const pt_job_record_filter *filter, pt_job_record_visitor visit, void *context,
                             pt_error *err);
pt_status pt__sql_store_remove(void *self, const char *id, pt_error *err);
pt_status pt__sql_store_ask_to_cancel(void *self, const char *id, pt_error *err);
pt_status pt__sql_store_list_to_cancel(void *self, const char *owner, void (*visit)(void *context, const char *id),
                                       void *context, pt_error *err);

/** The members of a store of SQL but name and open. */
#define PT_SQL_STORE_MEMBERS                                                                                           \
    .size_bytes = sizeof(pt_job_store_vtable), .close = pt__sql_store_close, .insert = pt__sql_store_insert,           \
    .update = pt__sql_store_update, .renew = pt__sql_store_renew, .claim = pt__sql_store_claim,                        \
    .get = pt__sql_store_get, .list = pt__sql_store_list, .remove = pt__sql_store_remove,                              \
    .ask_to_cancel = pt__sql_store_ask_to_cancel, .list_to_cancel = pt__sql_store_list_to_cancel

#endif
