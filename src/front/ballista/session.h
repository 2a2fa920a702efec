/**
 * Sessions of clients, which count: what CreateUpdateSession sets holds for the queries that name the session, until
 * RemoveSession. A query that names none of them runs in a session of its own.
 *
 * Settings: those of settings.def become Spark's, keys that begin with "spark." are Spark's own, all others have no
 * meaning here and are passed over, as schedulers pass over what they do not know.
 *
 * Threads: the loop thread of the routes.
 */
#ifndef PT_FRONT_BALLISTA_SESSION_H
#define PT_FRONT_BALLISTA_SESSION_H

#include "front/ballista/mount.h"

#include <ballista/ballista.pb-c.h>

/** Borrowed. */
typedef struct pt__ballista_settings {
    Ballista__Protobuf__KeyValuePair *const *items;
    size_t count;
} pt__ballista_settings;

/** The value of a setting; NULL: it is not there. */
const char *pt__ballista_setting(const pt__ballista_settings *settings, const char *key);

/**
 * Makes the session of that id, or changes it; an empty id: a new one is made up. `*out_id` lives until the session is
 * removed.
 * Errors: PT_INVALID_ARGUMENT and Spark's for values that a setting cannot have; PT_LIMIT; PT_UNAVAILABLE.
 */
pt_status pt__ballista_session_update(pt__ballista *mount, const char *user, const char *id,
                                      const pt__ballista_settings *settings, const char **out_id, pt_error *err);

/**
 * What the client set in the session of that id besides what is Spark's, by key, as text; NULL: there is no such
 * session. For backends that take plans as they are.
 */
const pt__map *pt__ballista_session_settings(pt__ballista *mount, const char *user, const char *id);

/** False when there is none. Its jobs are cancelled. */
bool pt__ballista_session_remove(pt__ballista *mount, const char *user, const char *id);

/**
 * The session for one query: a reference; NULL on failure. `*is_own`: it is the query's alone, to be closed with its job, because the
 * client made none of that id or the query has settings that differ.
 */
pt_status pt__ballista_session_for(pt__ballista *mount, const char *user, const char *id,
                                   const pt__ballista_settings *settings, pt_session **out, bool *is_own,
                                   pt_error *err);

/** Closes a session and gives the reference back, on a worker, because that may block. */
void pt__ballista_session_end(pt__ballista *mount, pt_session *take_session);

/** Forgets those that the host has closed because they were idle; `all`: closes them all. */
void pt__ballista_sessions_expire(pt__ballista *mount, bool all);

#endif
