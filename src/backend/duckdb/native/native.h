/**
 * DuckDB's own dialect, passed through undecoded: the format duckdb.sql.
 *
 * A statement that leaves nothing behind on its connection runs on one of the pool. What a client sets for itself (USE,
 * SET, temporary tables, transactions) lives on a connection of the session's own, from then on used for everything of
 * that session, one statement at a time. Results stream from either, but from the session's own only until another
 * statement wants it (open_rows.h), so that a slow reader keeps no other statement of the session waiting.
 *
 * Threads: any; a link guards its connection.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_NATIVE_H
#define PT_BACKEND_DUCKDB_NATIVE_NATIVE_H

#include "backend/duckdb/engine.h"
#include "base/has.h"

#define PT_FORMAT_DUCKDB_SQL "duckdb.sql"

/** A connection with whoever uses it. Shared by counting references. */
typedef struct pt__native_link {
    atomic_size_t references;
    pt__duckdb *database;
    pthread_mutex_t guard; /* guards `is_taken`, `waiting`, and `open_rows` while it changes */
    pthread_cond_t changed;
    bool is_taken;  /* by whoever runs a statement on it or pulls rows from it: pt__native_link_enter */
    size_t waiting; /* who want to enter it */
    duckdb_connection connection;
    pt__duckdb_use use;
    bool is_pooled;                    /* goes back to the pool; used by one operation */
    bool is_clean;                     /* nothing is left running on it */
    bool in_transaction;               /* one that the client began */
    struct pt__open_rows *open_rows;   /* that still come from the connection; its taker's, as `kept` */
    struct pt__shelf_entry *kept;      /* a statement that is prepared on a session's own connection; may be NULL */
    struct pt__native_link *next_open; /* the session's next open transaction */
} pt__native_link;

/** What a session has of this. Zeroed at first. */
typedef struct pt__native {
    pthread_mutex_t lock;  /* guards the others */
    pt__native_link *own;  /* NULL: the session has set nothing yet */
    pt__native_link *open; /* transactions, a reference each */
} pt__native;

void pt__native_init(pt__native *native);
void pt__native_deinit(pt__native *native);

/** The session's own connection, made at first use: a reference. */
pt_status pt__native_own(pt__duckdb *database, pt__native *native, pt__native_link **out, pt_error *err);
bool pt__native_has_own(pt__native *native);
/** The session's own connection if it has one, else one of the pool that suits the text (NULL: any): a reference. */
pt_status pt__native_any(pt__duckdb *database, pt__native *native, const char *sql, pt__native_link **out,
                         pt_error *err);

pt__native_link *pt__native_link_ref(pt__native_link *link);
void pt__native_link_unref(pt__native_link *link);
/** Takes the connection for who pulls rows from it, behind those who want to enter; false once `stop` is true. */
bool pt__native_link_take(pt__native_link *link, const atomic_bool *stop);
/** Takes it if it is free. */
bool pt__native_link_try(pt__native_link *link);
/** Sets `stop`, so that nobody waits in pt__native_link_take for it any more. */
void pt__native_link_stop(pt__native_link *link, atomic_bool *stop);
/** Who has taken the connection says whose rows still come from it; NULL: nobody's. */
void pt__native_link_set_open(pt__native_link *link, struct pt__open_rows *rows);

/** Who enters a connection. Zeroed: somebody who waits for as long as it takes. */
typedef struct pt__native_entrant {
    bool rolls_back; /* after which hardly anybody reads on: only a few rows are kept, and none waited for */
    bool (*is_gone)(void *context); /* whether it does not want the connection any more; NULL: it does */
    void *context;
} pt__native_entrant;

/** Who enters for a pt_query or a pt_ingest. One of an older header cannot tell that it is cancelled. */
#define pt__native_entrant_of(request)                                                                                 \
    (pt__knows((request), cancel_context)                                                                              \
         ? (pt__native_entrant){.is_gone = (request)->is_cancelled, .context = (request)->cancel_context}              \
         : (pt__native_entrant){0})

static inline bool pt__native_has_gone(const pt__native_entrant *entrant)
{
    return entrant->is_gone != NULL && entrant->is_gone(entrant->context);
}

/** PT_CANCELLED: the entrant has gone. */
pt_status pt__native_gave_up(pt_error *err);

/** Takes it for a statement. Rows that still came from it for another one are out of the way then. */
void pt__native_link_enter(pt__native_link *link);
/** The same; false, and it is not taken, when the entrant has gone meanwhile. */
bool pt__native_link_enter_as(pt__native_link *link, const pt__native_entrant *entrant);
void pt__native_link_leave(pt__native_link *link);
/** Runs statements whose rows are not wanted; the caller has entered. */
pt_status pt__native_link_run(pt__native_link *link, const char *sql, pt_error *err);
/** One of the pool, whatever the session has: a reference. */
pt_status pt__native_pooled(pt__duckdb *database, pt__native_link **out, pt_error *err);

/**
 * Whether what runs on it can be committed. DuckDB takes the COMMIT of a transaction in which a statement has failed for a
 * ROLLBACK, and says nothing; a statement may have failed since its client looked at it last. The caller has entered.
 */
pt_status pt__native_link_check(pt__native_link *link, pt_error *err);

/** Begins on the session's own connection, or on another while a transaction is open there. `*out` only names it. */
pt_status pt__native_begin(pt__duckdb *database, pt__native *native, void **out, pt_error *err);
/** The connection of an open transaction: a reference. Errors: PT_NOT_FOUND, when it was ended meanwhile. */
pt_status pt__native_transaction(pt__native *native, const void *transaction, pt__native_link **out, pt_error *err);
/** Errors: PT_NOT_FOUND, or what the engine says. */
pt_status pt__native_end(pt__native *native, const void *transaction, bool commit, pt_error *err);

/** DuckDB's message as it is, with the status that its kind means. */
pt_status pt__native_error(const char *message, pt_error *err);
/** The same for a text that stands on the lines from the second on of the one that was executed. */
pt_status pt__native_wrapped_error(const char *message, pt_error *err);
/** The same for an error object, which is destroyed; PT_OK when it holds none. */
pt_status pt__native_error_data(duckdb_error_data take_error, pt_error *err);

/* ---- statements ---- */

/** A text taken apart; all but the last statement have been run when `is_prepared`. */
typedef struct pt__native_statement {
    duckdb_extracted_statements all;
    idx_t count;
    duckdb_prepared_statement last;
    struct pt__harvest *harvest; /* `last` is wrapped, and gives handles; NULL: it gives its own rows */
} pt__native_statement;

/** The statement's text, to be freed; NULL when memory is exhausted. */
char *pt__native_text(const pt_query *query);

/** Takes the text apart. End it with pt__native_statement_deinit, also after failure. */
pt_status pt__native_statement_init(pt__native_statement *statement, pt__native_link *link, const char *sql,
                                    pt_error *err);
/**
 * Runs all statements but the last and prepares that one. `sql` is the whole text: a query of it may be harvested; NULL:
 * it will not be executed.
 */
pt_status pt__native_statement_prepare(pt__native_statement *statement, pt__native_link *link, const char *sql,
                                       pt_error *err);
void pt__native_statement_deinit(pt__native_statement *statement);

/*
 * threads.c, arrow_settings.c: settings that are not left to clients. DuckDB is given back the thread that helps it
 * (helper.h), without which it can run as few as a client sets.
 */
/** Before `prepared` of the text `sql` is executed: a statement that is refused ends the client's transaction. */
void pt__native_make_way(pt__native_link *link, duckdb_prepared_statement prepared, const char *sql);
/** For those that do not look like it: whether one was refused and is to be executed again. */
bool pt__native_made_way(pt__native_link *link, const pt_error *err);

/** After a statement of the text `sql` on a session's own connection, which is taken: what it set for Arrow is undone. */
void pt__native_reset_arrow(pt__native_link *link, const char *sql);

/**
 * Keeps a prepared statement with its connection of the pool; both are taken. One that has the key already goes, or else
 * the oldest one of a full shelf.
 */
void pt__native_shelve(pt__duckdb *database, pt__shelf shelf, const char *key, pt__native_link *take_link,
                       pt__native_statement *take_statement);
/** Takes it back; false when it is not there. */
bool pt__native_unshelve(pt__duckdb *database, pt__shelf shelf, const char *key, pt__native_link **link,
                         pt__native_statement *statement);
/** The same by the text, if that means the same to all sessions and this one has set nothing for itself. */
bool pt__native_unshelve_text(pt__duckdb *database, pt__native *native, const char *sql, pt__native_link **link,
                              pt__native_statement *statement);
/**
 * Keeps the last prepared statement of a session's own connection, which the caller has taken, here and below; the
 * statement is moved, and the one that was kept before goes.
 */
void pt__native_keep(pt__native_link *link, const char *key, pt__native_statement *take_statement);
/** Before a statement is executed there: one that leaves state behind changes what others mean. */
void pt__native_outdate_kept(pt__native_link *link, duckdb_prepared_statement executed, const char *sql);
/** Takes it back; false when it is not there. */
bool pt__native_take_kept(pt__native_link *link, const char *key, pt__native_statement *statement);
/** Before the connection closes. */
void pt__native_drop_kept(pt__native_link *link);
/** Before the database closes. */
void pt__native_clear_shelves(pt__duckdb *database);

/** Whether the text is SELECT and integers, booleans or NULLs, whose columns are the same at any time. */
bool pt__native_is_literal_row(const char *sql);

/** Whether it is a SELECT without any table or function, which is done before another thread could help. */
bool pt__native_reads_nothing(const char *sql);
/** Whether it changes what later statements on the connection see. */
bool pt__native_leaves_state(duckdb_prepared_statement prepared, const char *sql);
/** Whether it says ROLLBACK, or ABORT. */
bool pt__native_is_rollback(const char *sql);
/** Before `prepared` of the text `sql` is executed: whether it is no COMMIT, or there is nothing that speaks against it. */
pt_status pt__native_check_commit(pt__native_link *link, duckdb_prepared_statement prepared, const char *sql,
                                  pt_error *err);
/** Whether it can run within a transaction with other statements, and changes something. */
bool pt__native_is_transactional(duckdb_prepared_statement prepared);
/** Whether its result is no rows but a count, or nothing. */
bool pt__native_is_update(duckdb_prepared_statement prepared);

/** Binds the values of a row of `batch` by position. Errors: PT_INVALID_ARGUMENT. */
pt_status pt__native_bind_row(duckdb_prepared_statement prepared, const struct ArrowSchema *schema,
                              const struct ArrowArray *batch, int64_t row, pt_error *err);

/** The members of pt_backend_vtable. */
pt_status pt__native_prepare(pt__duckdb *database, pt__native *native, const pt_query *query, pt_statement_info *out,
                             pt_error *err);
/** One SELECT, outside of a transaction, in a session that has set nothing for itself. */
bool pt__native_reads_only(pt__duckdb *database, pt__native *native, const pt_query *query);
pt_status pt__native_operation_new(pt__duckdb *database, pt__native *native, const pt_query *query, pt_operation **out,
                                   pt_error *err);

pt_status pt__native_ingest(pt__duckdb *database, pt__native *native, const pt_ingest *request,
                            struct ArrowArrayStream *rows, int64_t *row_count, pt_error *err);
pt_status pt__native_metadata(pt__duckdb *database, pt__native *native, const pt_metadata_request *request,
                              struct ArrowArrayStream *out, pt_error *err);

/** Appends it in quotation marks. */
void pt__native_put_name(pt__buffer *sql, const char *name);

/** Registers portico_stream(). */
pt_status pt__native_register_stream(pt__duckdb *database, duckdb_connection connection, pt_error *err);
/** Streams that ingestions have open, by key. */
bool pt__native_stream_add(pt__duckdb *database, uint64_t key, void *stream);
void *pt__native_stream_find(pt__duckdb *database, uint64_t key);
void pt__native_stream_remove(pt__duckdb *database, uint64_t key);

/* ---- types towards clients ---- */

/** The schema of a prepared statement's columns, with dictionaries; what values have yet to decide is null. */
pt_status pt__native_column_schema(pt__native_link *link, const pt__native_statement *statement,
                                   struct ArrowSchema *out, pt_error *err);
/** The same of a result, where all is known. */
pt_status pt__native_result_schema(pt__native_link *link, duckdb_result *result, struct ArrowSchema *out,
                                   pt_error *err);
/**
 * Makes plain utf8 columns of the dictionaries that enumerations are, in place; `schema` is the one before.
 * Errors: PT_NO_MEMORY.
 */
pt_status pt__native_plain_schema(struct ArrowSchema *schema, pt_error *err);
pt_status pt__native_plain_array(const struct ArrowSchema *schema, struct ArrowArray *array, pt_error *err);

#endif
