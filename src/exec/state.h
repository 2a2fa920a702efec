/**
 * The structs behind hosts, sessions and jobs; for files of src/exec only.
 *
 * Locks: host->lock, then session->lock, then job->lock, then nothing of ours. backend_lock of a session and
 * operation_lock of a job stand alone. No lock is held across a call of a backend (but cancel under
 * operation_lock), nor where an arena allocates.
 */
#ifndef PT_EXEC_STATE_H
#define PT_EXEC_STATE_H

#include "base/condition.h"
#include "base/timezone.h"
#include "decode/options.h"
#include "exec/limits.h"
#include "exec/past_jobs.h"
#include "exec/recent.h"
#include "exec/session.h"
#include "exec/tokens.h"
#include "exec/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/** An arena shared by counting references; the last unref frees it. */
typedef struct pt__shared_arena {
    atomic_size_t references;
    pt__arena *arena;
} pt__shared_arena;

pt__shared_arena *pt__shared_arena_new(size_t limit_bytes);
pt__shared_arena *pt__host_shared_arena(const pt_host *host, size_t limit_bytes);
pt__shared_arena *pt__shared_arena_ref(pt__shared_arena *shared);
void pt__shared_arena_unref(pt__shared_arena *shared);

/** A backend with its wrappers; the name is the host's. */
typedef pt_backend pt__backend_slot;

enum { PT_RUNNERS_MAX = 8, PT_BACKENDS_MAX = 16, PT_CLOSED_SESSIONS_KEPT = 1000, PT_ENDED_JOBS_KEPT = 10000 };

/** The vtable member of a backend, or NULL when the backend does not know it. */
#define pt__backend_has(slot, member)                                                                                  \
    ((slot)->vtable->size_bytes >= offsetof(pt_backend_vtable, member) + sizeof((slot)->vtable->member) &&             \
     (slot)->vtable->member != NULL)

struct pt_host {
    pthread_mutex_t lock;
    pthread_cond_t housekeeping; /* the end */
    pthread_t housekeeper;
    pt__host_limits limits;
    char *files_allow; /* path prefixes joined by ':'; NULL: everything */
    char *warehouse;   /* spark.sql.warehouse.dir */
    pt_log_sink log;
    void *log_context;
    pt_log_level log_level;
    pt_env env;                    /* lent to backends */
    const pt_allocator *allocator; /* NULL: malloc; else &own_allocator */
    pt_allocator own_allocator;
    uint64_t (*clock)(void *context); /* NULL: the system's */
    void *clock_context;
    uint64_t clock_start_ms; /* of a test's clock, and the wall clock at that time */
    int64_t clock_start_us;
    pt__backend_slot backends[PT_BACKENDS_MAX];
    size_t backend_count;
    pt__map decoders;          /* decode.c: by format */
    pt__map translators;       /* decode.c: by type name */
    pt__extensions extensions; /* the translators as decoders see them */
    pt__decode_options translator_options;
    bool has_wrappers; /* set up before there are sessions */
    pt__map sessions;  /* "session id/user" to pt_session, one reference each */
    pt__past_jobs past_jobs;
    pt__recent closed;    /* keys of sessions that were released */
    pt__map functions;    /* "database.name" to pt__function_entry: persistent ones */
    pt__map schemas;      /* schema_cache.c */
    pt__map global_views; /* lower-case name to pt__view */
    pt__tokens *tokens;
    pt__workers *workers;
    const pt_job_store_vtable *store; /* NULL: jobs do not last */
    void *store_self;
    bool owns_store;
    char *output_folder; /* NULL: output is not kept */
    char node[PT_UUID_TEXT_BYTES];
    pt__job_runner runners[PT_RUNNERS_MAX];
    size_t runner_count;
    uint64_t retention_due_ms;
    struct pt__followed *followed; /* follow.c */
    pt__zones *zones;
    pthread_mutex_t id_lock; /* of job_ids; nothing else is taken under it */
    pt__uuid_sequence job_ids;
    atomic_uint_fast64_t data_version; /* grows with every command: tables and files may have changed */
    atomic_bool closing;
    bool draining;
    uint64_t drain_end_ms;
};

/** A temporary view. Read-only once published; shared by counting references. */
typedef struct pt__view {
    atomic_size_t references;
    pt__shared_arena *memory;        /* of all below */
    const char *name;                /* as the user spelled it */
    const pt_plan *plan;             /* unresolved */
    const char *text;                /* NULL: a DataFrame's */
    const char *database;            /* current one when it was made */
    const char *const *column_names; /* may be empty */
    size_t column_count;
    const char *comment; /* may be NULL */
} pt__view;

pt__view *pt__view_ref(pt__view *view);
void pt__view_unref(pt__view *view);

/** A function that the session registered. Read-only once published. */
typedef struct pt__function_entry {
    atomic_size_t references;
    pt__shared_arena *memory;
    pt__user_function function;
    const char *class_name; /* of a function in Java, which can be named but not called; NULL otherwise */
    const char *comment;
} pt__function_entry;

pt__function_entry *pt__function_entry_ref(pt__function_entry *entry);
void pt__function_entry_unref(pt__function_entry *entry);

/** Rows that a backend keeps for a session. */
typedef struct pt__kept {
    atomic_size_t references;
    pt__shared_arena *memory; /* of the columns */
    pt__backend_slot *backend;
    pt_cached_result result;
    bool is_dropped; /* by the client; under the session's lock */
} pt__kept;

pt__kept *pt__kept_ref(pt__kept *kept);
void pt__kept_unref(pt__kept *kept);

typedef struct pt__stream pt__stream;

struct pt_session {
    atomic_size_t references;
    pt_host *host;
    char id[PT_UUID_TEXT_BYTES]; /* made by the host */
    char *client_id;
    char *user;
    char *key; /* in host->sessions */
    pthread_mutex_t lock;
    bool is_closed;
    uint64_t last_seen_ms;
    pt__map conf; /* key to char * */
    uint64_t conf_bytes;
    pt__map views;         /* lower-case name to pt__view */
    pt__map functions;     /* lower-case name to pt__function_entry */
    pt__map kept;          /* relation id to pt__kept */
    pt__map storage;       /* plan key to pt__storage_level */
    pt__map persisted;     /* plan key to pt__persisted */
    pt__map cached_tables; /* lower-case full name to anything */
    pt__map artifacts;     /* name to pt_bytes */
    uint64_t artifact_bytes;
    pt__map jobs;        /* id to pt_job, one reference each */
    pt__stream *streams; /* streams.c */
    pt__recent ended;    /* ids of jobs that are gone, to their last state + 1, negative when abandoned */
    pt__recent created;  /* createTable calls that were carried out: plan id and name */
    char *database;      /* current one; NULL: default */
    pthread_mutex_t backend_lock;
    pt__backend_slot *backend;
    void *backend_session; /* opened when first needed */
};

typedef struct pt__durable pt__durable;
typedef struct pt__output pt__output;

/** The events of a job; under its lock. */
typedef struct pt__events {
    pt_job_event *items;
    size_t count;
    size_t capacity; /* one more than `count` at least, for the end */
    double progress; /* of the last one */
    pt_job_subscription *subscriptions;
} pt__events;

/** What wrappers said of an operation. */
typedef struct pt__detail {
    struct pt__detail *earlier;
    char text[];
} pt__detail;

typedef struct pt__slot {
    pt__spool_entry *entry;
    uint64_t start_bytes; /* cost of all entries before it */
} pt__slot;

struct pt_job {
    atomic_size_t references;
    pt_session *session;  /* a reference */
    pt__durable *durable; /* what lasts of it (durable.h); NULL: nothing */
    char id[PT_UUID_TEXT_BYTES];
    uint64_t fingerprint;
    size_t fingerprint_bytes;
    char **tags;
    size_t tag_count;
    bool is_resumable;
    char traceparent[PT_TRACEPARENT_BYTES]; /* "": none */
    bool is_detached;
    bool is_recorded_first;
    bool is_followed; /* another node runs it: what is known here is what is on record (follow.c) */
    bool is_proven;   /* its write was carried out by a node that died: what is left to do is to say so */
    pt_status (*run)(pt_job *job, void *context, pt_error *err);
    void (*free_context)(void *context);
    void *context;
    pt__shared_arena *memory;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* room in the spool, output, end, events */
    pt_job_kind kind;
    const char *backend; /* that runs it; NULL: none yet */
    int32_t attempt;
    int64_t created_us;
    int64_t started_us; /* 0: not yet */
    int64_t ended_us;   /* 0: not yet */
    pt__events events;
    pt__output *output; /* where entries are kept in a file, also those before `base`; NULL: nowhere */
    pt_operation_state state;
    pt_error failure;
    bool is_done;            /* the worker has left it */
    bool is_stopped_by_host; /* which ends, or drains */
    uint64_t started_ms;
    uint64_t ended_ms;
    uint64_t unattended_ms; /* since when it has had no reader */
    size_t waiter_count;    /* threads in pt_job_wait, who attend to it as well */
    bool was_attended;
    int64_t rows_written;
    pt__detail *detail; /* what wrappers said of the operation that ran last; NULL: nothing */
    uint64_t batches_written;
    int64_t bytes_written; /* of the batches */

    pt_bytes *schema_message;
    pt__slot *slots; /* a ring: slots[(first + i) % capacity] is entry base + i */
    size_t slot_capacity;
    size_t slot_first;
    size_t slot_count;
    uint64_t base;        /* index of the first entry that is kept in memory */
    uint64_t base_batch;  /* batches before it */
    uint64_t total_bytes; /* cost of all entries ever */
    uint64_t sent;        /* index after the last entry that any reader got */
    pt__reader *readers;

    pthread_mutex_t operation_lock;
    pt_operation *operation; /* running now; NULL none */
};

struct pt__reader {
    pt__reader *next;
    pt_job *job; /* a reference */
    uint64_t position;
    bool is_waiting;
    bool is_disconnected;
    void (*wake)(void *context);
    void *wake_context;
};

/* host.c */
/** A time-ordered UUID for a job. */
void pt__host_job_id(pt_host *host, char out[PT_UUID_TEXT_BYTES]);
void pt__host_forget_session(pt_host *host, pt_session *session, bool remember);

/** The member of a struct of the caller's that its size covers. */
#define PT_OPTIONS_HAVE(options, member)                                                                               \
    ((options)->size_bytes >= offsetof(__typeof__(*(options)), member) + sizeof((options)->member))

/* open_store.c */
/** The store of the configuration, or the embedder's; jobs.output-directory is made. */
pt_status pt__host_open_store(pt_host *host, const pt_host_options *options, const pt_config *config, pt_error *err);
void pt__host_close_store(pt_host *host);

/* decode.c */
void pt__host_init_decoders(pt_host *host);
/** Registers those that are built in. */
pt_status pt__host_add_decoders(pt_host *host, pt_error *err);
void pt__host_close_decoders(pt_host *host);
/** NULL name: the default one. NULL: there is none. */
pt__backend_slot *pt__host_find_backend(pt_host *host, const char *name);

/* session.c */
pt_status pt__session_make(pt_host *host, const pt__session_key *key, const char *map_key, pt_session **out,
                           pt_error *err);
/** The backend's session, opened at the first call. Blocks. */
pt_status pt__session_backend(pt_session *session, pt__backend_slot **slot, void **backend_session, pt_error *err);
/** The session's time zone as the client set it, or the server's own. */
void pt__session_time_zone(pt_session *session, char out[PT_ZONE_NAME_MAX]);
void pt__session_close_backend(pt_session *session);
pt_status pt__session_closed_error(const pt_session *session, pt_error *err);
/** Jobs without readers, and the session itself when idle: true when it should be closed. */
bool pt__session_tick(pt_session *session, uint64_t now_ms);
/** Cancels its jobs because the host ends or drains. */
void pt__session_cancel_all(pt_session *session);
void pt__session_renew_leases(pt_session *session);

/* job.c */
/** Removes the job from its session, remembering its last state. */
void pt__job_forget(pt_job *job, bool abandoned);
/** Ends the job with this outcome, unless it has ended. Takes the error's content. */
void pt__job_end(pt_job *job, pt_operation_state state, pt_error *failure);
/** Ends the job, if it has not ended, and the operation that it runs. */
pt_status pt__job_stop(pt_job *job, pt_operation_state state, pt_error *failure);
/** A job of the session that does not run yet; takes `durable` (may be NULL). The context is not ended on failure. */
pt_status pt__job_make(pt_session *session, const pt__job_request *request, pt__durable *take_durable, pt_job **out,
                       pt_error *err);
/** Whether the request is that of the job. */
bool pt__job_is_repeat(const pt_job *job, const pt__job_request *request);
/** A job that the session does not list and that nobody will run here. As pt__job_make otherwise. */
pt_status pt__job_make_apart(pt_session *session, const pt__job_request *request, pt__durable *take_durable,
                             pt_job **out, pt_error *err);
/** Hands a job that was made to the workers; on failure it is gone, but for the caller's reference. */
pt_status pt__job_post(pt_job *job, pt_error *err);
/** What a worker does when it is through with a job that has ended. */
void pt__job_leave(pt_job *job);
/** Notes that the job uses what is lost with its session ("the temporary view", "v"). `job` may be NULL. */
void pt__job_needs(pt_job *job, const char *what, const char *name);
/** Whether it has been without reader for `limit_ms`. */
bool pt__job_is_abandoned(pt_job *job, uint64_t now_ms, uint64_t limit_ms);
bool pt__job_has_ended(pt_job *job);
/** Makes `operation` the one that cancel reaches (NULL: none); PT_CANCELLED when the job is already cancelled. */
pt_status pt__job_set_operation(pt_job *job, pt_operation *operation, pt_error *err);

/** Its state in the order of things: an event, subscribers told, waiters woken. */
void pt__job_mark_running(pt_job *job);

/* events.c; the names with _locked want job->lock held, the others want no lock held */
bool pt__events_init(pt_job *job);
void pt__events_deinit(pt_job *job);
/** Adds an event; without memory it is left out, but for those of the end. */
void pt__event_add_locked(pt_job *job, pt_job_event_kind kind, uint64_t batch, int64_t rows, double progress);
/** The events of a job that is read from its record: all but the end. */
void pt__events_load_locked(pt_job *job);
/** Tells subscribers what they have not been told. */
void pt__events_deliver(pt_job *job);
/** A PROGRESS event when there is more than at the last one. */
void pt__events_tick(pt_job *job);

/* spool.c; the names with _locked want job->lock held */
/** An empty entry with one reference; NULL without memory. */
pt__spool_entry *pt__spool_entry_new(void);
/** Takes `entry`. Waits for room. */
pt_status pt__spool_append(pt_job *job, pt__spool_entry *take_entry, pt_error *err);
/** The position of the entry that is the batch-th batch; false when it is not kept. */
bool pt__spool_find_batch_locked(pt_job *job, uint64_t batch, uint64_t *position);
void pt__spool_wake_locked(pt_job *job);
void pt__spool_clear_locked(pt_job *job);
void pt__spool_deinit(pt_job *job);

#endif
