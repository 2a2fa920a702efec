/**
 * Engine: the one DuckDB database of a backend, and its pool of connections.
 *
 * Sessions own no connection: an operation borrows one for as long as it runs.
 * Threads: any.
 */
#ifndef PT_BACKEND_DUCKDB_ENGINE_H
#define PT_BACKEND_DUCKDB_ENGINE_H

#include "backend/duckdb/helper.h"
#include "backend/duckdb/large_texts.h"
#include "backend/duckdb/lower.h"

#include <portico/backend.h>

#include <duckdb.h>
#include <pthread.h>
#include <stdatomic.h>

#define PT_METADATA_SCHEMA "__portico"
#define PT_KEPT_CATALOG "__portico_kept"
/** Property of tables that other programs made, whose columns have to be cast. */
#define PT_FOREIGN_TABLE_PROPERTY "__portico.foreign"

enum { PT_IDLE_CONNECTIONS_MAX = 32 }; /* kept open, of each use; more are closed when given back */

/** What connections are for: they differ in how much of a result DuckDB makes before its reader wants it, and in plans. */
typedef enum pt__duckdb_use {
    PT_USE_ROWS,    /* results come as rows */
    PT_USE_HANDLES, /* they come as handles of harvested rows, which are far larger than these */
    PT_USE_VALUES,  /* nothing is read: the optimizer, most of the time of such a statement, has nothing to do */
    PT_USE_COUNT
} pt__duckdb_use;

/** What a prepared statement is kept by. */
typedef enum pt__shelf {
    PT_SHELF_HANDLES, /* a client's handle, until it is executed */
    PT_SHELF_TEXTS,   /* its text, for those who keep connections and ask time and again whether they live */
    PT_SHELF_COUNT
} pt__shelf;

/** Open connections that nobody uses. */
typedef struct pt__duckdb_pool {
    duckdb_connection idle[PT_IDLE_CONNECTIONS_MAX];
    size_t idle_count;
} pt__duckdb_pool;

typedef struct pt__duckdb {
    duckdb_database database;
    char catalog_name[256];
    struct pt__rest_space *rests; /* for what is left of results that had to make way */
    bool is_in_memory;
    pt_env env;
    struct pt__functions *functions;
    pt__helper *helper;
    struct pt__batch_memory *harvest_memory; /* buffers of all harvests: fresh pages cost as much as filling them */
    pt__large_texts large_texts;
    pthread_mutex_t mutex; /* guards what follows */
    pt__duckdb_pool pools[PT_USE_COUNT];
    struct pt__local_entry *locals;                  /* client rows that running statements scan */
    struct pt__stream_entry *streams;                /* those that running ingestions scan */
    struct pt__harvest *harvests;                    /* queries whose rows are taken within their pipelines */
    struct pt__shelf_entry *shelves[PT_SHELF_COUNT]; /* prepared statements that wait for their execution */
    uint64_t next_key;
    uint64_t key_mask; /* random: keys cannot be guessed by users who may write SQL of DuckDB */
    uint64_t next_kept;
    bool has_kept_catalog;      /* attached with the first kept result */
    bool has_row_numbers;       /* a table in there, made with the first large ingestion */
    uint32_t *column_functions; /* those of ingestions that are registered (native/feed_function.c) */
    size_t column_function_count;
} pt__duckdb;

/** A client's rows under their key. */
typedef struct pt__local_entry {
    uint64_t key;
    const pt_local_data *data;
    struct pt__local_entry *next;
} pt__local_entry;

/** A new or idle connection. */
pt_status pt__duckdb_borrow_for(pt__duckdb *self, pt__duckdb_use use, duckdb_connection *out, pt_error *err);
/** Takes `connection`, borrowed for this use, back; its transaction has ended. */
void pt__duckdb_return_of(pt__duckdb *self, pt__duckdb_use use, duckdb_connection connection);
/** The same for rows. */
pt_status pt__duckdb_borrow(pt__duckdb *self, duckdb_connection *out, pt_error *err);
void pt__duckdb_return(pt__duckdb *self, duckdb_connection connection);

/** Ends what runs on it, and waits for that, before it closes. */
void pt__duckdb_disconnect(duckdb_connection *connection);
/** Ends a statement whose rows were not read to their end; its result is destroyed already. */
void pt__duckdb_end_statement(duckdb_connection connection);

/** Runs statements that give no rows of interest. */
pt_status pt__duckdb_run(duckdb_connection connection, const char *sql, pt_error *err);
/** The same, and how many rows it changed or wrote. */
pt_status pt__duckdb_run_counting(duckdb_connection connection, const char *sql, int64_t *rows, pt_error *err);

/**
 * Sees to it that our functions which `sql` names are there; NULL: all of them. To be called before the transaction
 * that runs `sql` begins. `self` may be NULL: nothing is done.
 */
pt_status pt__duckdb_need_functions(pt__duckdb *self, const char *sql, pt_error *err);

/** Names "catalog"."schema"."table". */
void pt__put_table_name(pt__lower *lower, const char *database, const char *name);

/* Local rows. */
uint64_t pt__local_key(pt__duckdb *self);
void pt__local_register(pt__duckdb *self, pt__local_entry *entry);
void pt__local_forget(pt__duckdb *self, pt__local_entry *entry);
const pt_local_data *pt__local_find(pt__duckdb *self, uint64_t key);
/** Registers portico_local(). */
pt_status pt__local_register_function(pt__duckdb *self, duckdb_connection connection, pt_error *err);

/** Registers portico_lines(). */
pt_status pt__lines_register_function(duckdb_connection connection, pt_error *err);

/* Kept results: `handle` is what keep() gave out. */
const char *pt__kept_table(const void *handle);

#endif
