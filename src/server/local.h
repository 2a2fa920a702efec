/**
 * A host in the program itself, without a server: for commands that run one thing and end.
 */
#ifndef PT_SERVER_LOCAL_H
#define PT_SERVER_LOCAL_H

#include "base/timezone.h"
#include "exec/job.h"
#include "server/log.h"
#include "server/plugins.h"

typedef struct pt__local {
    pt__server_log log;
    pt__zones *zones;
    pt_host *host;
    pt__plugins plugins;
    pt_session *session;
} pt__local;

/** A host with the program's backends, and a session of it. End `*out` with pt__local_close, also after failure. */
pt_status pt__local_open(pt__local *out, const pt_config *config, pt_error *err);
void pt__local_close(pt__local *local);

/** Runs `run` as a job and waits for it. Errors: those of `run`. */
pt_status pt__local_run(pt__local *local, pt_status (*run)(pt_job *job, void *context, pt_error *err), void *context,
                        pt_error *err);

/** Tells a failure of a query as Spark does: condition, message, SQLSTATE and place; the exit status of the command. */
int pt__local_report(const pt_error *err);

#endif
