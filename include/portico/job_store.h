/**
 * Job store: where jobs are written down so that they survive their node, and shared by nodes.
 *
 * A node that runs a job holds a lease on its record. The lease comes with a fencing token, one more for each node that
 * takes the job over; a write of a node that does not hold the newest token any more is refused, so that two nodes
 * never both own a job. Time is the store's own.
 *
 * Ownership: records and filters are borrowed for the call, both ways.
 * Threads:   any, several at once; a store guards itself. Calls block.
 */
#ifndef PORTICO_JOB_STORE_H
#define PORTICO_JOB_STORE_H

#include <portico/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What running a job again would mean. */
typedef enum pt_job_kind {
    PT_JOB_UNKNOWN, /* it has not come so far as to touch anything */
    PT_JOB_READ,
    PT_JOB_WRITE /* never run twice */
} pt_job_kind;

typedef struct pt_job_record {
    size_t size_bytes;
    const char *id;         /* UUID text, lower case */
    const char *session_id; /* the client's */
    const char *user;
    pt_operation_state state;
    pt_job_kind kind;
    const char *owner;     /* the node that holds it, or held it last */
    int64_t fence;         /* 1 with the first owner */
    int64_t lease_left_ms; /* given by `get` and `list`; 0 or less: the lease has run out */
    int64_t created_us;    /* since 1970 */
    int64_t started_us;    /* 0: not yet */
    int64_t ended_us;      /* 0: not yet */
    int64_t rows;
    int64_t bytes;
    pt_bytes_view request; /* what was asked, opaque to the store; never changes */
    pt_bytes_view outcome; /* what came of it, opaque to the store */
} pt_job_record;

/** All that is set has to fit. */
typedef struct pt_job_record_filter {
    size_t size_bytes;
    const char *session_id; /* NULL: any */
    const char *user;       /* NULL: any */
    int state;              /* a pt_operation_state; -1: any */
} pt_job_record_filter;

typedef pt_status (*pt_job_record_visitor)(void *context, const pt_job_record *record, pt_error *err);

typedef struct pt_job_store_vtable {
    size_t size_bytes; /* members beyond it are unknown to the plug-in: append only */
    const char *name;
    /** `location`: what follows "name:" in the configuration, or the whole URL. */
    pt_status (*open)(const char *location, void **self, pt_error *err);
    void (*close)(void *self);
    /** Adds a record of fence 1 and a lease. Errors: PT_ALREADY_EXISTS when there is one of that id. */
    pt_status (*insert)(void *self, const pt_job_record *record, uint64_t lease_ms, pt_error *err);
    /**
     * Writes state, kind, times, counts and outcome, and renews the lease, if `owner` and `fence` are those of the
     * stored record and it has not ended; a repeated call with the same end is no error. Errors: PT_NOT_FOUND.
     */
    pt_status (*update)(void *self, const pt_job_record *record, uint64_t lease_ms, pt_error *err);
    /** Errors: PT_NOT_FOUND when owner or fence are other ones by now, or the job has ended. */
    pt_status (*renew)(void *self, const char *id, const char *owner, int64_t fence, uint64_t lease_ms, pt_error *err);
    /**
     * Makes `owner` the holder of a job that has not ended and whose lease has run out; `*fence` is its token.
     * Errors: PT_NOT_FOUND when there is no such job, or when it has ended or is held.
     */
    pt_status (*claim)(void *self, const char *id, const char *owner, uint64_t lease_ms, int64_t *fence, pt_error *err);
    /** Calls `visit` with the record; it must not call the store. Errors: PT_NOT_FOUND; those of `visit`. */
    pt_status (*get)(void *self, const char *id, pt_job_record_visitor visit, void *context, pt_error *err);
    /** Oldest first. `visit` must not call the store; what it returns but PT_OK ends the listing. */
    pt_status (*list)(void *self, const pt_job_record_filter *filter, pt_job_record_visitor visit, void *context,
                      pt_error *err);
    /** Removes a job that has ended. Errors: PT_NOT_FOUND. */
    pt_status (*remove)(void *self, const char *id, pt_error *err);

    /* Optional from here on: NULL means that jobs of other nodes cannot be cancelled. */

    /** Notes that the job's owner, now or later, is to cancel it. Errors: PT_NOT_FOUND; it has ended. */
    pt_status (*ask_to_cancel)(void *self, const char *id, pt_error *err);
    /** Calls `visit` for the jobs of that owner that have not ended and that somebody asked to cancel. */
    pt_status (*list_to_cancel)(void *self, const char *owner, void (*visit)(void *context, const char *id),
                                void *context, pt_error *err);
} pt_job_store_vtable;

/** In this process's memory: nothing lasts, but hosts of one process may share it. The location is not looked at. */
extern const pt_job_store_vtable pt_job_store_memory;

/** A file of SQLite, for the nodes of one machine. */
extern const pt_job_store_vtable pt_job_store_sqlite;

/** A database of PostgreSQL, for nodes anywhere: "postgresql://user@host/database". */
extern const pt_job_store_vtable pt_job_store_postgresql;

#ifdef __cplusplus
}
#endif

#endif
