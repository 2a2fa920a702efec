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

/**
 * A new session on the host's default backend; the caller holds a reference. `request` is borrowed for the call;
 * NULL: an anonymous one.
 * Errors: PT_ALREADY_EXISTS when the user has a session of that id; PT_LIMIT; PT_UNAVAILABLE while the host drains.
 */
pt_status pt_host_create_session(pt_host *host, const pt_session_request *request, pt_session **out, pt_error *err);

/** One more reference, for the caller; returns `session`. */
pt_session *pt_session_ref(pt_session *session);
/** Gives a reference back; NULL is allowed. The host holds one of its own until the session is closed or idle. */
void pt_session_unref(pt_session *session);

/** Cancels its jobs and forgets its state; references stay valid. */
void pt_session_close(pt_session *session);

/** UUID text made by the host; constant, valid as long as a reference is held. */
const char *pt_session_id(const pt_session *session);

#ifdef __cplusplus
}
#endif

#endif
