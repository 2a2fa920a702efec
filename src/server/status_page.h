/**
 * The page about a running server: version, uptime, memory, sessions, backends, running and recent jobs. Without texts of
 * queries, ids of sessions, or configuration that may hold secrets.
 */
#ifndef PT_SERVER_STATUS_PAGE_H
#define PT_SERVER_STATUS_PAGE_H

#include "base/buffer.h"

#include <portico/config.h>
#include <portico/host.h>

enum { PT_STATUS_JOBS_MAX = 200 }; /* that are told: running ones first, then the youngest */

typedef struct pt__status_source {
    pt_host *host;
    const pt_config *config;
    uint64_t started_ms; /* of pt__host_now_ms */
} pt__status_source;

/** Appends the page. Threads: any but the loop's; waits for the job store. Errors: those of pt_host_jobs. */
pt_status pt__status_html(const pt__status_source *source, pt__buffer *out, pt_error *err);
/** The same as a JSON object. */
pt_status pt__status_json(const pt__status_source *source, pt__buffer *out, pt_error *err);

#endif
