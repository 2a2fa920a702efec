#include "exec/durable.h"
#include "exec/persist.h"
#include "exec/streams.h"

#include <stdlib.h>
#include <string.h>

enum { JOB_STATES_KEPT = 1000, CREATED_KEPT = 64 };

static pt_session *new_session(pt_host *host)
{
    pt_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return NULL;
    atomic_init(&session->references, 1);
    session->host = host;
    pthread_mutex_init(&session->lock, NULL);
    pthread_mutex_init(&session->backend_lock, NULL);
    pt__recent_init(&session->ended, JOB_STATES_KEPT);
    pt__recent_init(&session->created, CREATED_KEPT);
    pt__uuid_v4_text(session->id);
    return session;
}

pt_status pt__session_make(pt_host *host, const pt__session_key *key, const char *map_key, pt_session **out,
                           pt_error *err)
{
    pt_session *session = new_session(host);
    if (session == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the session");
    session->client_id = strdup(key->session_id);
    session->user = strdup(key->user);
    session->key = strdup(map_key);
    if (session->client_id == NULL || session->user == NULL || session->key == NULL) {
        pt_session_unref(session);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the session");
    }
    session->last_seen_ms = pt__host_now_ms(host);
    *out = session;
    return PT_OK;
}

pt_session *pt_session_ref(pt_session *session)
{
    atomic_fetch_add_explicit(&session->references, 1, memory_order_relaxed);
    return session;
}

/* Moves the map out, so that its values can end without the session's lock. */
static pt__map take_map(pt__map *map)
{
    pt__map taken = *map;
    *map = (pt__map)PT_MAP_INIT;
    return taken;
}

static void end_map(pt__map *map, void (*end)(void *value))
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(map, &at, &key, &value);)
        end(value);
    pt__map_deinit(map);
}

static void end_view(void *value)
{
    pt__view_unref(value);
}

static void end_function(void *value)
{
    pt__function_entry_unref(value);
}

static void end_kept(void *value)
{
    pt__kept_unref(value);
}

static void end_persisted(void *value)
{
    pt__persisted_unref(value);
}

static void end_artifact(void *value)
{
    pt_bytes_unref(value);
}

static void end_job(void *value)
{
    pt_job_cancel(value, NULL);
    pt_job_unref(value);
}

static void keep_value(void *value)
{
    (void)value;
}

/* Forgets everything the session holds; the lock must not be held. */
static void empty(pt_session *session)
{
    pthread_mutex_lock(&session->lock);
    session->is_closed = true;
    pt__map jobs = take_map(&session->jobs);
    pt__map views = take_map(&session->views);
    pt__map functions = take_map(&session->functions);
    pt__map kept = take_map(&session->kept);
    pt__map storage = take_map(&session->storage);
    pt__map persisted = take_map(&session->persisted);
    pt__map cached_tables = take_map(&session->cached_tables);
    pt__map artifacts = take_map(&session->artifacts);
    pt__map conf = take_map(&session->conf);
    session->conf_bytes = 0;
    session->artifact_bytes = 0;
    pthread_mutex_unlock(&session->lock);
    pt__streams_end(session);
    end_map(&jobs, end_job);
    end_map(&views, end_view);
    end_map(&functions, end_function);
    end_map(&kept, end_kept);
    end_map(&storage, free);
    end_map(&persisted, end_persisted);
    end_map(&cached_tables, keep_value);
    end_map(&artifacts, end_artifact);
    end_map(&conf, free);
}

void pt_session_close(pt_session *session)
{
    pt__host_forget_session(session->host, session, true);
    empty(session);
}

void pt__session_close_backend(pt_session *session)
{
    pthread_mutex_lock(&session->backend_lock);
    void *opened = session->backend_session;
    pt__backend_slot *slot = session->backend;
    session->backend_session = NULL;
    pthread_mutex_unlock(&session->backend_lock);
    if (opened != NULL)
        slot->vtable->close_session(opened);
}

void pt_session_unref(pt_session *session)
{
    if (session == NULL || atomic_fetch_sub_explicit(&session->references, 1, memory_order_acq_rel) != 1)
        return;
    empty(session);
    pt__session_close_backend(session);
    pt__recent_deinit(&session->ended);
    pt__recent_deinit(&session->created);
    pthread_mutex_destroy(&session->lock);
    pthread_mutex_destroy(&session->backend_lock);
    free(session->database);
    free(session->client_id);
    free(session->user);
    free(session->key);
    free(session);
}

const char *pt_session_id(const pt_session *session)
{
    return session->id;
}

pt_host *pt__session_host(pt_session *session)
{
    return session->host;
}

const char *pt__session_user(const pt_session *session)
{
    return session->user;
}

const char *pt__session_client_id(const pt_session *session)
{
    return session->client_id;
}

void pt__session_touch(pt_session *session)
{
    pthread_mutex_lock(&session->lock);
    session->last_seen_ms = pt__host_now_ms(session->host);
    pthread_mutex_unlock(&session->lock);
}

bool pt__session_is_closed(pt_session *session)
{
    pthread_mutex_lock(&session->lock);
    bool is_closed = session->is_closed;
    pthread_mutex_unlock(&session->lock);
    return is_closed;
}

pt_status pt__session_closed_error(const pt_session *session, pt_error *err)
{
    return pt__raise(err, PT_COND_INVALID_HANDLE_SESSION_CLOSED, "handle", session->client_id, NULL);
}

/* ---- backend ---- */

static pt_status open_backend(pt_session *session, pt_error *err)
{
    if (pt__session_is_closed(session))
        return pt__session_closed_error(session, err);
    if (session->host->backend_count == 0)
        return pt_error_set(err, PT_UNAVAILABLE, "the host has no backend");
    session->backend = &session->host->backends[0];
    pt_session_request request = {sizeof(request), session->user, session->client_id};
    return session->backend->vtable->open_session(session->backend->self, &request, &session->backend_session, err);
}

pt_status pt__session_backend(pt_session *session, pt__backend_slot **slot, void **backend_session, pt_error *err)
{
    pthread_mutex_lock(&session->backend_lock);
    pt_status status = session->backend_session == NULL ? open_backend(session, err) : PT_OK;
    *slot = session->backend;
    *backend_session = session->backend_session;
    pthread_mutex_unlock(&session->backend_lock);
    return status;
}

/* ---- expiry ---- */

/** The session's jobs, a reference each; the array is the caller's to free. */
static pt_job **all_jobs(pt_session *session, size_t *count)
{
    pthread_mutex_lock(&session->lock);
    pt_job **list = calloc(session->jobs.live_count + 1, sizeof(pt_job *));
    const char *key;
    void *value;
    *count = 0;
    for (size_t at = 0; list != NULL && pt__map_next(&session->jobs, &at, &key, &value);)
        list[(*count)++] = pt_job_ref(value);
    pthread_mutex_unlock(&session->lock);
    return list;
}

bool pt__session_tick(pt_session *session, uint64_t now_ms)
{
    size_t count;
    size_t alive = pt__streams_tick(session) ? 1 : 0;
    pt_job **list = all_jobs(session, &count);
    for (size_t i = 0; i < count; i++) {
        if (pt__job_is_abandoned(list[i], now_ms, session->host->limits.abandon_after))
            pt__job_forget(list[i], true);
        else if (!pt__job_has_ended(list[i]))
            alive++;
        pt__events_tick(list[i]);
        pt_job_unref(list[i]);
    }
    free(list);
    pthread_mutex_lock(&session->lock);
    if (alive != 0)
        session->last_seen_ms = now_ms;
    bool is_idle =
        now_ms > session->last_seen_ms && now_ms - session->last_seen_ms >= session->host->limits.session_idle;
    pthread_mutex_unlock(&session->lock);
    return is_idle;
}

void pt__session_renew_leases(pt_session *session)
{
    size_t count;
    pt_job **list = all_jobs(session, &count);
    for (size_t i = 0; i < count; i++) {
        pt__durable_renew(list[i]);
        pt_job_unref(list[i]);
    }
    free(list);
}

static void mark_stopped(pt_job *job)
{
    pthread_mutex_lock(&job->lock);
    job->is_stopped_by_host = true;
    pthread_mutex_unlock(&job->lock);
}

void pt__session_cancel_all(pt_session *session)
{
    size_t count;
    pt_job **list = all_jobs(session, &count);
    for (size_t i = 0; i < count; i++) {
        mark_stopped(list[i]);
        pt_job_cancel(list[i], NULL);
        pt_job_unref(list[i]);
    }
    free(list);
}
