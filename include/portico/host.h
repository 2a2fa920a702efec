/**
 * Host: owns registries, backends, sessions, jobs and worker threads. A process may hold several.
 */
#ifndef PORTICO_HOST_H
#define PORTICO_HOST_H

#include <portico/allocator.h>
#include <portico/backend.h>
#include <portico/config.h>
#include <portico/error.h>
#include <portico/job_store.h>
#include <portico/log.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_host pt_host;

typedef struct pt_host_options {
    size_t size_bytes;
    const pt_config *config; /* read during the call; copied where it is kept; NULL: defaults */
    pt_log_sink log;         /* NULL: silent */
    void *log_context;
    pt_log_level log_level;               /* records above it are dropped */
    const pt_job_store_vtable *job_store; /* an open store of the embedder's, instead of that of jobs.store; or NULL */
    void *job_store_self;                 /* outlives the host */
    const pt_allocator *allocator;        /* copied; NULL: malloc */
    /** Monotonic; what expires and how old jobs are goes by it. Any thread; NULL: the system's. */
    uint64_t (*clock_ms)(void *context);
    void *clock_context;
} pt_host_options;

/** `options` may be NULL. Errors: PT_INVALID_ARGUMENT naming what is wrong in the configuration; PT_NO_MEMORY. */
pt_status pt_host_new(const pt_host_options *options, pt_host **out, pt_error *err);

/** Cancels what runs, joins the workers, closes sessions and backends. Routes must be gone. */
void pt_host_free(pt_host *host);

/** Opens a backend under its table's name; the first one added is the default. */
pt_status pt_host_add_backend(pt_host *host, const pt_backend_vtable *backend, const pt_config *config, pt_error *err);

/**
 * Opens a backend under a name of its own, so that a host can hold several of one kind.
 * Errors: PT_ALREADY_EXISTS; PT_LIMIT; those of the backend.
 */
pt_status pt_host_add_named_backend(pt_host *host, const char *name, const pt_backend_vtable *backend,
                                    const pt_config *config, pt_error *err);

/** The backend of that name with the wrappers it has by now; PT_NOT_FOUND. Valid as long as the host. */
pt_status pt_host_backend(pt_host *host, const char *name, pt_backend *out, pt_error *err);

/** Refuses new jobs, and cancels running ones once `limit_ms` have passed. Returns at once. Threads: any. */
void pt_host_drain(pt_host *host, uint64_t limit_ms);

#ifdef __cplusplus
}
#endif

#endif
