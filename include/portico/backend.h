/**
 * Backends run queries. A wrapper is a backend that holds another.
 *
 * Threads: open, close and the session functions may be called from any thread, for different sessions at the same
 * time; one session may run several operations at once. An operation belongs to the worker that runs it, but for
 * cancel and status, which any thread may call.
 */
#ifndef PORTICO_BACKEND_H
#define PORTICO_BACKEND_H

#include <portico/arrow.h>
#include <portico/config.h>
#include <portico/error.h>
#include <portico/log.h>
#include <portico/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the host lends a backend; lives until the backend is closed. */
typedef struct pt_env {
    size_t size_bytes;
    pt_log_sink log;
    void *log_context;
    uint32_t worker_count;       /* CPUs the host is allowed to use */
    uint64_t worker_stack_bytes; /* of threads that a backend or wrapper starts */
    struct pt_host *host;        /* to find other backends by name */
} pt_env;

typedef struct pt_session_request {
    size_t size_bytes;
    const char *user;       /* "" when anonymous */
    const char *session_id; /* the client's; NULL: made by the host */
} pt_session_request;

typedef enum pt_operation_state {
    PT_OPERATION_PENDING,
    PT_OPERATION_RUNNING,
    PT_OPERATION_SUCCEEDED,
    PT_OPERATION_FAILED,
    PT_OPERATION_CANCELLED
} pt_operation_state;

typedef struct pt_operation pt_operation;

typedef struct pt_operation_vtable {
    size_t size_bytes;
    /** The engine's own name of the operation; constant, valid until `free`. Threads: any. */
    const char *(*id)(pt_operation *operation);
    /** Threads: any. */
    pt_status (*status)(pt_operation *operation, pt_operation_state *out, pt_error *err);
    /** Idempotent; the engine stops within a second. Threads: any. */
    pt_status (*cancel)(pt_operation *operation, pt_error *err);
    /**
     * Hands out the result once; pulling blocks. `*out` is the caller's to release, before `free`. Columns are the plan's, by position, each in the Arrow layout that
     * pt__arrow_schema (src/plan/arrow_schema.h) gives for its type; batches may be reused by reference.
     * The stream's private error is also available through `failure`.
     */
    pt_status (*result)(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err);
    /** Why get_next failed, with condition and parameters; PT_OK when it did not. */
    pt_status (*failure)(pt_operation *operation, pt_error *err);
    /** Share of the work done, 0 to 1, or a negative number when unknown. Threads: any. */
    double (*progress)(pt_operation *operation);
    /** Cancels what still runs. The result stream has been released. */
    void (*free)(pt_operation *operation);
    /**
     * Optional: what a wrapper decided about the operation, as text for people, such as the backend that was chosen;
     * NULL: nothing. Constant, valid until `free`. Threads: any.
     */
    const char *(*detail)(pt_operation *operation);
} pt_operation_vtable;

/** A backend's operation starts with this. */
struct pt_operation {
    const pt_operation_vtable *vtable;
};

/** A table or view of a backend's catalog (src/plan/table.h). */
struct pt_table;
struct pt_database;
struct pt_file_request;
struct pt_type;
struct pt__arena;

/**
 * Something that the session is about to do by itself, without a query that would show it. Borrowed for the call.
 */
typedef struct pt_access {
    size_t size_bytes;
    const char *action;       /* "select", "read-files", "write-files", "create", "drop", "alter" */
    const char *object_kind;  /* "path", "table", "function" */
    const char *database;     /* of a table or function; NULL: none */
    const char *name;         /* likewise */
    const char *const *paths; /* absolute */
    size_t path_count;
    const char *const *columns; /* of a table, that are to be shown */
    size_t column_count;
} pt_access;

/** What a statement in a backend's own dialect is, found without running it. */
typedef struct pt_statement_info {
    size_t size_bytes;
    bool is_update;                /* its result is a count, not rows */
    struct ArrowSchema result;     /* a struct, the caller's to release; `release` NULL: known only once it has run */
    struct ArrowSchema parameters; /* likewise: one field per parameter, of null type where it is open */
    bool is_constant;              /* whoever executes it whenever, it has this `result`, which may be told before */
} pt_statement_info;

/** Rows for a table. Borrowed. */
typedef struct pt_ingest {
    size_t size_bytes;
    const char *catalog; /* NULL: the current one */
    const char *schema;  /* likewise */
    const char *table;
    bool is_temporary;
    bool create;       /* when there is no table; false: PT_NOT_FOUND */
    bool append;       /* when there is one; neither: PT_ALREADY_EXISTS. Columns are matched by name */
    bool replace;      /* when there is one */
    void *transaction; /* NULL: one of its own, but the one that is open in the session if there is any */
    /** As that of pt_query. Rows fail, too, once the caller has given up, but who waits does not read them yet. */
    bool (*is_cancelled)(void *context);
    void *cancel_context;
} pt_ingest;

/** What is asked about a backend's catalog. */
typedef enum pt_metadata_kind {
    PT_METADATA_CATALOGS,    /* catalog_name */
    PT_METADATA_SCHEMAS,     /* catalog_name, db_schema_name */
    PT_METADATA_TABLES,      /* catalog_name, db_schema_name, table_name, table_type */
    PT_METADATA_TABLE_TYPES, /* table_type */
    /** catalog_name, db_schema_name, table_name, column_name, key_sequence int32, key_name */
    PT_METADATA_PRIMARY_KEYS,
    /**
     * pk_catalog_name, pk_db_schema_name, pk_table_name, pk_column_name, the same with fk_, key_sequence int32,
     * fk_key_name, pk_key_name, update_rule uint8, delete_rule uint8 (JDBC's numbers)
     */
    PT_METADATA_FOREIGN_KEYS,
    PT_METADATA_KEYWORDS, /* word */
    /** class ("numeric", "string", "datetime", "system"), name */
    PT_METADATA_FUNCTIONS
} pt_metadata_kind;

/** NULL: any. Patterns have % and _, and \ before a character that stands for itself; the rest is exact. Borrowed. */
typedef struct pt_metadata_request {
    size_t size_bytes;
    pt_metadata_kind kind;
    const char *catalog;
    const char *schema;         /* KEYS: of the table with the primary key */
    const char *schema_pattern; /* SCHEMAS, TABLES */
    const char *table;          /* PRIMARY_KEYS, FOREIGN_KEYS: with the primary key */
    const char *table_pattern;  /* TABLES */
    const char *const *types;   /* TABLES; none: all */
    size_t type_count;
    const char *foreign_catalog; /* FOREIGN_KEYS: the other side */
    const char *foreign_schema;
    const char *foreign_table;
} pt_metadata_request;

typedef struct pt_backend_vtable {
    size_t size_bytes; /* members beyond it are unknown to the plug-in: append only */
    const char *name;
    /** `*self` is what the others get; `close` ends it. `config` is borrowed for the call, `env` until close. */
    pt_status (*open)(const pt_config *config, pt_env *env, void **self, pt_error *err);
    /** Runs once, after the last session was closed. */
    void (*close)(void *self);
    /** Whether queries of the format come undecoded, as query->encoded. NULL: plans alone. */
    bool (*accepts)(void *self, const char *format);
    /** `request` is borrowed for the call; `close_session` ends `*session`, after its last operation was freed. */
    pt_status (*open_session)(void *self, const pt_session_request *request, void **session, pt_error *err);
    void (*close_session)(void *session);
    /**
     * The columns of the result; refuses what execute could not run, before anything runs. `*out` is the caller's to
     * release. Errors: PT_UNSUPPORTED naming what the engine lacks.
     */
    pt_status (*describe)(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err);
    /**
     * Starts the query. `*out` is the caller's, to be ended by its `free`; it is untouched on failure. The operation
     * may outlive the call of execute, not the session. Errors: PT_UNSUPPORTED, PT_EXECUTION, PT_CANCELLED and others
     * that the engine gives cause for, each with Spark's condition where there is one.
     */
    pt_status (*execute)(void *session, const pt_query *query, pt_operation **out, pt_error *err);

    /* Optional from here on: NULL means not supported. What they find lives in the arena that is passed. */

    /** PT_NOT_FOUND when there is none. Names compare without case. */
    pt_status (*get_table)(void *session, const char *database, const char *name, struct pt__arena *arena,
                           const struct pt_table **out, pt_error *err);
    pt_status (*list_tables)(void *session, const char *database, struct pt__arena *arena,
                             const struct pt_table *const **out, size_t *count, pt_error *err);
    pt_status (*list_databases)(void *session, struct pt__arena *arena, const struct pt_database **out, size_t *count,
                                pt_error *err);
    /** The columns of files of one format, as a struct type; `request` names them and the reader's options. */
    pt_status (*describe_files)(void *session, const struct pt_file_request *request, struct pt__arena *arena,
                                const struct pt_type **out, pt_error *err);
    /** Text about how the engine would run the query. */
    pt_status (*explain)(void *session, const pt_query *query, struct pt__arena *arena, const char **out,
                         pt_error *err);
    /**
     * Keeps the rows of the query as long as `*kept` is not released, for checkpoints and caches; a plan refers to
     * them through pt_cached_result.handle.
     */
    pt_status (*keep)(void *session, const pt_query *query, void **kept, pt_error *err);
    void (*release_kept)(void *self, void *kept);
    /**
     * Whether the session may do that; asked before anything is looked up, listed or changed. NULL: it may.
     * Errors: PT_PERMISSION_DENIED.
     */
    pt_status (*permit)(void *session, const pt_access *access, pt_error *err);
    /** Takes a statement of a format that it accepts apart, within query->transaction if that is set. */
    pt_status (*prepare)(void *session, const pt_query *query, pt_statement_info *out, pt_error *err);
    /** A transaction for queries of accepted formats, until `end`; a session may have several. */
    pt_status (*begin)(void *session, void **transaction, pt_error *err);
    /** Ends it in any case; an error tells that a commit has failed. */
    pt_status (*end)(void *session, void *transaction, bool commit, pt_error *err);
    /** Whether an encoded query only reads, so that it may be run again after a crash; NULL: none is known to. */
    bool (*reads_only)(void *session, const pt_query *query);
    /**
     * Whether the write of that operation (pt_query.leaves_proof) is proven to have been carried out, asked after the
     * node that ran it has died: what it finds half done that cannot be undone, it may complete. NULL: that can never be
     * proven.
     */
    pt_status (*was_committed)(void *session, const char *operation_id, bool *out, pt_error *err);
    /** Reads `rows` to their end (they are the caller's to release) and writes them, all or nothing. */
    pt_status (*ingest)(void *session, const pt_ingest *request, struct ArrowArrayStream *rows, int64_t *row_count,
                        pt_error *err);
    /** Rows in the columns that the kind names, text unless said otherwise, ordered by them. */
    pt_status (*metadata)(void *session, const pt_metadata_request *request, struct ArrowArrayStream *out,
                          pt_error *err);
    /** Nobody will ask was_committed for that operation any more. */
    void (*forget_committed)(void *self, const char *operation_id);
} pt_backend_vtable;

/** A backend that is open, under the name that the host knows it by. */
typedef struct pt_backend {
    const pt_backend_vtable *vtable;
    void *self;
    const char *name;
} pt_backend;

/** The embedded default. */
extern const pt_backend_vtable pt_backend_duckdb;

/** A cluster of Apache DataFusion Ballista; see docs/ballista.md. */
extern const pt_backend_vtable pt_backend_ballista;

#ifdef __cplusplus
}
#endif

#endif
