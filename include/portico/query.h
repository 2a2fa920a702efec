/**
 * Query: what a backend is asked to run; an analyzed plan, or text and bytes in a format that it takes as it is.
 */
#ifndef PORTICO_QUERY_H
#define PORTICO_QUERY_H

#include <portico/bytes.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ArrowArrayStream;

/** An analyzed, read-only plan. */
typedef struct pt_plan pt_plan;

typedef struct pt_query_option {
    const char *name;
    const char *value;
} pt_query_option;

/** Bytes of a format such as "substrait.plan.v1" or "duckdb.sql"; borrowed. */
typedef struct pt_encoded_query {
    const char *format;
    pt_bytes_view payload;
    const pt_query_option *options;
    size_t option_count;
} pt_encoded_query;

/**
 * Borrowed for the call it is passed to; the plan lives as long as the operation made from it, which the host
 * sees to.
 */
typedef struct pt_query {
    size_t size_bytes;
    const pt_plan *plan; /* NULL: `encoded` counts */
    pt_encoded_query encoded;
    const char *time_zone;    /* session time zone, as the client set it */
    const char *operation_id; /* UUID text of the job */
    uint64_t batch_rows;      /* rows of a result batch at most; 0: the backend's choice */
    uint64_t batch_bytes;     /* aim for the size of a batch; 0: the backend's choice */
    /* What follows is for wrappers, and may be absent: NULL, 0. */
    const char *traceparent;         /* W3C trace context of the call that asked */
    const pt_query_option *settings; /* Spark's configuration as the session has it set, sorted by name */
    size_t setting_count;
    /* Of statements in a backend's own dialect; NULL: none. */
    struct ArrowArrayStream *parameters; /* rows of values, by position; moved out of by the operation */
    void *transaction;                   /* what pt_backend_vtable.begin made */
    /* Of a job on record; NULL: it is not, or the backend's operations end with their node. */
    const char *resume; /* what `announce` was told of this query on a node that has died since */
    /**
     * Tells under which handle another node may go on with the operation, in place of running the query again. Called
     * by the thread that pulls, and best not for what ends at once: it is written down.
     */
    void (*announce)(void *context, const char *handle);
    void *announce_context;
    /** A write whose operation_id pt_backend_vtable.was_committed is to find, once it has taken effect. */
    bool leaves_proof;
    const char *statement_id; /* unique; the engine may keep what it prepared of the text under it until it executes */
    bool *is_update; /* set before the operation's stream gives its schema, and lives as long as the operation */
    /**
     * The plan that `encoded` says, which wrappers could look at; NULL: none. As long as `plan` is this very one, a
     * backend that accepts the format may run `encoded` instead; its result has the plan's columns all the same.
     */
    const pt_plan *encoded_plan;
    /**
     * Of what is prepared: whether the caller has given up, so that nothing should be waited for. Asked by the thread that
     * prepares; NULL: it never does.
     */
    bool (*is_cancelled)(void *context);
    void *cancel_context;
} pt_query;

#ifdef __cplusplus
}
#endif

#endif
