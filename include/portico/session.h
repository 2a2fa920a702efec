/**
 * Session: a client's conversation: who, its configuration, temporary views and current database.
 *
 * Threads: any; a session guards its own state.
 */
#ifndef PORTICO_SESSION_H
#define PORTICO_SESSION_H

#include <portico/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_session pt_session;

/** A new session on the host's default backend; the caller holds a reference. */
pt_status pt_host_create_session(pt_host *host, const pt_session_request *request, pt_session **out, pt_error *err);

pt_session *pt_session_ref(pt_session *session);
void pt_session_unref(pt_session *session);

/** Cancels its jobs and forgets its state; references stay valid. */
void pt_session_close(pt_session *session);

/** UUID text made by the host; constant. */
const char *pt_session_id(const pt_session *session);

#ifdef __cplusplus
}
#endif

#endif
