#include "base/has.h"
#include "base/monotonic.h"
#include "base/unconst.h"
#include "exec/durable.h"
#include "exec/schema_cache.h"
#include "exec/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 1000 };

static void *keep_house(void *argument);

static int64_t system_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

uint64_t pt__host_now_ms(pt_host *host)
{
    return host->clock == NULL ? pt__monotonic_ms() : host->clock(host->clock_context);
}

int64_t pt__host_now_us(pt_host *host)
{
    if (host->clock == NULL)
        return system_us();
    return host->clock_start_us + (int64_t)(pt__host_now_ms(host) - host->clock_start_ms) * 1000;
}

void pt__host_set_clock(pt_host *host, uint64_t (*now_ms)(void *context), void *context)
{
    pthread_mutex_lock(&host->lock);
    host->clock_start_us = system_us();
    host->clock_start_ms = now_ms(context);
    host->clock_context = context;
    host->clock = now_ms;
    pthread_mutex_unlock(&host->lock);
}

bool pt__host_logs(const pt_host *host, pt_log_level level)
{
    return host->log != NULL && level <= host->log_level;
}

void pt__host_log(pt_host *host, pt_log_level level, const char *component, const char *format, ...)
{
    if (!pt__host_logs(host, level))
        return;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    host->log(host->log_context, level, component, line);
}

static char *copy_or_null(const char *text)
{
    return text == NULL ? NULL : strdup(text);
}

/* Below the folder the process is in now; as given when that cannot be told. */
static char *absolute_path(const char *path)
{
    char *here = *path == '/' ? NULL : getcwd(NULL, 0);
    char *out = NULL;
    if (here == NULL || asprintf(&out, "%s/%s", here, path) < 0)
        out = strdup(path);
    free(here);
    return out;
}

static pt_status start_threads(pt_host *host, pt_error *err)
{
    pt__workers_options options = {
        .max_threads = host->limits.max_workers,
        .max_queued = host->limits.max_queued,
        .stack_bytes = host->limits.worker_stack,
        .idle_ms = host->limits.worker_idle,
    };
    PT_TRY(pt__workers_new(&options, &host->workers, err));
    if (pthread_create(&host->housekeeper, NULL, keep_house, host) == 0)
        return PT_OK;
    pt__workers_free(host->workers);
    return pt_error_set(err, PT_UNAVAILABLE, "the housekeeping thread could not be made");
}

static void init_locks(pt_host *host)
{
    pt__past_jobs_init(&host->past_jobs);
    pthread_mutex_init(&host->lock, NULL);
    pthread_mutex_init(&host->id_lock, NULL);
    pt__monotonic_condition_init(&host->housekeeping);
}

static void free_memory(pt_host *host)
{
    pt__map_deinit(&host->sessions);
    pt__map_deinit(&host->global_views);
    pt__map_deinit(&host->functions);
    pt__host_close_decoders(host);
    pt__host_close_store(host);
    pt__schema_cache_clear(host);
    pt__recent_deinit(&host->closed);
    pt__past_jobs_deinit(&host->past_jobs);
    pt__tokens_free(host->tokens);
    pt__zones_free(host->zones);
    pthread_cond_destroy(&host->housekeeping);
    pthread_mutex_destroy(&host->lock);
    pthread_mutex_destroy(&host->id_lock);
    free(host->files_allow);
    free(host->warehouse);
    free(host);
}

static void take_options(pt_host *host, const pt_host_options *options)
{
    host->log = options->log;
    host->log_context = options->log_context;
    host->log_level = options->log_level;
    if (options->allocator != NULL) {
        host->own_allocator = *options->allocator;
        host->allocator = &host->own_allocator;
    }
    if (options->clock_ms != NULL)
        pt__host_set_clock(host, options->clock_ms, options->clock_context);
}

pt_status pt_host_new(const pt_host_options *given, pt_host **out, pt_error *err)
{
    pt_host_options options = {.size_bytes = sizeof(options)};
    if (given != NULL && given->size_bytes == 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "size_bytes of the host's options is not set");
    pt__copy_known(&options, sizeof(options), given);
    pt_host *host = calloc(1, sizeof(*host));
    if (host == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the host");
    init_locks(host);
    pt__host_init_decoders(host);
    pt__recent_init(&host->closed, PT_CLOSED_SESSIONS_KEPT);
    const pt_config *config = options.config;
    take_options(host, &options);
    host->files_allow = copy_or_null(pt_config_string(config, "files.allow", NULL));
    host->warehouse = absolute_path(pt_config_string(config, "warehouse", "spark-warehouse"));
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    pt_status status = pt__host_limits_read(config, &host->limits, err);
    host->env = (pt_env){
        .size_bytes = sizeof(pt_env),
        .log = host->log,
        .log_context = host->log_context,
        .worker_count = cpus < 1 ? 1 : (uint32_t)cpus,
        .worker_stack_bytes = host->limits.worker_stack,
        .host = host,
    };
    host->zones = pt__zones_new(NULL);
    host->tokens = pt__tokens_new();
    if (status == PT_OK && (host->zones == NULL || host->tokens == NULL))
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for the host");
    if (status == PT_OK)
        status = pt__host_add_decoders(host, err);
    if (status == PT_OK)
        status = pt__host_open_store(host, &options, config, err);
    if (status == PT_OK)
        status = start_threads(host, err);
    if (status != PT_OK) {
        free_memory(host);
        return status;
    }
    *out = host;
    return PT_OK;
}

size_t pt__host_plan_limit_bytes(const pt_host *host)
{
    return (size_t)host->limits.plan_bytes;
}

bool pt__host_is_closing(pt_host *host)
{
    return atomic_load(&host->closing);
}

pt__backend_slot *pt__host_find_backend(pt_host *host, const char *name)
{
    for (size_t i = 0; i < host->backend_count; i++)
        if (name == NULL || strcmp(host->backends[i].name, name) == 0)
            return &host->backends[i];
    return NULL;
}

pt_status pt_host_backend(pt_host *host, const char *name, pt_backend *out, pt_error *err)
{
    const pt__backend_slot *slot = pt__host_find_backend(host, name);
    if (slot == NULL)
        return pt_error_set(err, PT_NOT_FOUND, "there is no backend named %s", name);
    *out = *slot;
    return PT_OK;
}

pt_status pt_host_add_named_backend(pt_host *host, const char *name, const pt_backend_vtable *backend,
                                    const pt_config *config, pt_error *err)
{
    if (host->backend_count == PT_BACKENDS_MAX)
        return pt_error_set(err, PT_LIMIT, "a host takes %d backends", PT_BACKENDS_MAX);
    if (host->backend_count != 0 && pt__host_find_backend(host, name) != NULL)
        return pt_error_set(err, PT_ALREADY_EXISTS, "there is a backend named %s already", name);
    pt__backend_slot *slot = &host->backends[host->backend_count];
    slot->name = strdup(name);
    if (slot->name == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a backend");
    pt_status status = backend->open(config, &host->env, &slot->self, err);
    if (status != PT_OK) {
        free(pt__unconst(slot->name));
        return status;
    }
    slot->vtable = backend;
    host->backend_count++;
    return PT_OK;
}

pt_status pt_host_add_backend(pt_host *host, const pt_backend_vtable *backend, const pt_config *config, pt_error *err)
{
    return pt_host_add_named_backend(host, backend->name, backend, config, err);
}

/* ---- sessions by key ---- */

bool pt__is_uuid(const char *text)
{
    return text != NULL && pt__uuid_parse(text, strlen(text), NULL);
}

static char *map_key(const pt__session_key *key)
{
    size_t size = strlen(key->session_id) + strlen(key->user) + 2;
    char *text = malloc(size);
    if (text != NULL)
        snprintf(text, size, "%s/%s", key->session_id, key->user);
    return text;
}

static pt_status check_format(const pt__session_key *key, pt_error *err)
{
    if (pt__is_uuid(key->session_id))
        return PT_OK;
    return pt__raise(err, PT_COND_INVALID_HANDLE_FORMAT, "handle", key->session_id == NULL ? "" : key->session_id,
                     NULL);
}

static pt_status check_observed(const pt__session_key *key, pt_session *session, pt_error *err)
{
    if (key->observed_id == NULL || strcmp(key->observed_id, session->id) == 0)
        return PT_OK;
    return pt__raise(err, PT_COND_INVALID_HANDLE_SESSION_CHANGED, "handle", key->session_id, NULL);
}

/** With the host's lock held. */
static pt_status may_create(pt_host *host, const pt__session_key *key, const char *text_key, bool create, pt_error *err)
{
    if (pt__recent_find(&host->closed, text_key) != 0)
        return pt__raise(err, PT_COND_INVALID_HANDLE_SESSION_CLOSED, "handle", key->session_id, NULL);
    if (key->observed_id != NULL)
        return pt__raise(err, PT_COND_INVALID_HANDLE_SESSION_CHANGED, "handle", key->session_id, NULL);
    if (!create)
        return pt__raise(err, PT_COND_INVALID_HANDLE_SESSION_NOT_FOUND, "handle", key->session_id, NULL);
    if (host->draining || pt__host_is_closing(host))
        return pt_error_set(err, PT_UNAVAILABLE, "the server is shutting down");
    if (host->sessions.live_count >= host->limits.max_sessions)
        return pt_error_set(err, PT_LIMIT, "the server holds %zu sessions already (session.limit)",
                            host->sessions.live_count);
    return PT_OK;
}

/** With the host's lock held: a reference of the caller's. */
static pt_status find_or_make(pt_host *host, const pt__session_key *key, const char *text_key, bool create,
                              pt_session **out, pt_error *err)
{
    pt_session *session = pt__map_get(&host->sessions, text_key);
    if (session != NULL) {
        PT_TRY(check_observed(key, session, err));
        *out = pt_session_ref(session);
        return PT_OK;
    }
    PT_TRY(may_create(host, key, text_key, create, err));
    PT_TRY(pt__session_make(host, key, text_key, &session, err));
    if (!pt__map_set(&host->sessions, text_key, session, NULL)) {
        pt_session_unref(session);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the session");
    }
    *out = pt_session_ref(session);
    return PT_OK;
}

pt_status pt__host_session(pt_host *host, const pt__session_key *key, bool create, pt_session **out, pt_error *err)
{
    PT_TRY(check_format(key, err));
    char *text_key = map_key(key);
    if (text_key == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the session");
    pthread_mutex_lock(&host->lock);
    pt_status status = find_or_make(host, key, text_key, create, out, err);
    pthread_mutex_unlock(&host->lock);
    free(text_key);
    if (status == PT_OK)
        pt__session_touch(*out);
    return status;
}

pt_status pt_host_create_session(pt_host *host, const pt_session_request *request, pt_session **out, pt_error *err)
{
    char made[PT_UUID_TEXT_BYTES];
    pt__uuid_v4_text(made);
    pt__session_key key = {
        .user = request == NULL || request->user == NULL ? "" : request->user,
        .session_id = request == NULL || request->session_id == NULL ? made : request->session_id,
    };
    pt_session *old = NULL;
    if (pt__host_session(host, &key, false, &old, NULL) == PT_OK) {
        pt_session_unref(old);
        return pt_error_set(err, PT_ALREADY_EXISTS, "there is a session %s already", key.session_id);
    }
    return pt__host_session(host, &key, true, out, err);
}

/* Takes the session out of the map; the map's reference is the caller's then. */
static pt_session *unlist(pt_host *host, const char *text_key, bool remember)
{
    pthread_mutex_lock(&host->lock);
    pt_session *session = pt__map_remove(&host->sessions, text_key);
    if (remember)
        pt__recent_add(&host->closed, text_key, 1);
    pthread_mutex_unlock(&host->lock);
    return session;
}

void pt__host_forget_session(pt_host *host, pt_session *session, bool remember)
{
    pthread_mutex_lock(&host->lock);
    bool is_listed = pt__map_get(&host->sessions, session->key) == session;
    if (is_listed) {
        pt__map_remove(&host->sessions, session->key);
        if (remember)
            pt__recent_add(&host->closed, session->key, 1);
    }
    pthread_mutex_unlock(&host->lock);
    if (is_listed)
        pt_session_unref(session);
}

pt_status pt__host_release_session(pt_host *host, const pt__session_key *key, bool allow_reconnect, pt_error *err)
{
    PT_TRY(check_format(key, err));
    char *text_key = map_key(key);
    if (text_key == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to release a session");
    pt_session *session = unlist(host, text_key, !allow_reconnect);
    free(text_key);
    if (session != NULL) {
        pt_session_close(session);
        pt_session_unref(session);
    }
    return PT_OK;
}

/* ---- jobs and tasks ---- */

void pt__host_job_id(pt_host *host, char out[PT_UUID_TEXT_BYTES])
{
    pt__uuid id;
    uint64_t unix_ms = (uint64_t)(pt__host_now_us(host) / 1000);
    pthread_mutex_lock(&host->id_lock);
    pt__uuid_v7(&host->job_ids, unix_ms, &id);
    pthread_mutex_unlock(&host->id_lock);
    pt__uuid_format(&id, out);
}

pt_status pt__host_run(pt_host *host, void (*run)(void *context), void *context, pt_error *err)
{
    pthread_mutex_lock(&host->lock);
    bool refuse = host->draining || pt__host_is_closing(host);
    pthread_mutex_unlock(&host->lock);
    if (refuse)
        return pt_error_set(err, PT_UNAVAILABLE, "the server is shutting down");
    return pt__workers_post(host->workers, run, context, err);
}

void pt__host_past_jobs(pt_host *host, void (*visit)(void *context, const pt_job_report *report), void *context)
{
    pt__past_jobs_each(&host->past_jobs, visit, context);
}

size_t pt__host_session_count(pt_host *host)
{
    pthread_mutex_lock(&host->lock);
    size_t count = host->sessions.live_count;
    pthread_mutex_unlock(&host->lock);
    return count;
}

/* ---- housekeeping ---- */

/** All sessions, a reference each; the array is the caller's to free. */
static pt_session **all_sessions(pt_host *host, size_t *count)
{
    pthread_mutex_lock(&host->lock);
    pt_session **list = calloc(host->sessions.live_count + 1, sizeof(pt_session *));
    const char *key;
    void *value;
    *count = 0;
    for (size_t at = 0; list != NULL && pt__map_next(&host->sessions, &at, &key, &value);)
        list[(*count)++] = pt_session_ref(value);
    pthread_mutex_unlock(&host->lock);
    return list;
}

static void each_session(pt_host *host, void (*visit)(pt_host *host, pt_session *session))
{
    size_t count;
    pt_session **list = all_sessions(host, &count);
    for (size_t i = 0; i < count; i++) {
        visit(host, list[i]);
        pt_session_unref(list[i]);
    }
    free(list);
}

static void expire(pt_host *host, pt_session *session)
{
    if (!pt__session_tick(session, pt__host_now_ms(host)))
        return;
    pt__host_log(host, PT_LOG_INFO, "session", "%s was idle and is closed", session->client_id);
    pt__host_forget_session(host, session, false); /* who comes back gets a new one, or is told that it changed */
    pt_session_close(session);
}

static void cancel_jobs(pt_host *host, pt_session *session)
{
    (void)host;
    pt__session_cancel_all(session);
}

static void renew_leases(pt_host *host, pt_session *session)
{
    (void)host;
    pt__session_renew_leases(session);
}

void pt__host_tick(pt_host *host)
{
    if (host->store != NULL) {
        each_session(host, renew_leases);
        pt__host_follow_all(host);
        pt__host_retain(host);
    }
    each_session(host, expire);
    pthread_mutex_lock(&host->lock);
    bool is_over = host->draining && pt__host_now_ms(host) >= host->drain_end_ms;
    pthread_mutex_unlock(&host->lock);
    if (is_over)
        each_session(host, cancel_jobs);
}

/* Leases are renewed well before they run out. */
static uint64_t tick_ms(const pt_host *host)
{
    uint64_t third = host->limits.lease / 3 + 1;
    return host->store != NULL && third < TICK_MS ? third : TICK_MS;
}

static void *keep_house(void *argument)
{
    pt_host *host = argument;
    pthread_mutex_lock(&host->lock);
    while (!pt__host_is_closing(host)) {
        struct timespec at = pt__monotonic_in_ms(tick_ms(host));
        pthread_cond_timedwait(&host->housekeeping, &host->lock, &at);
        if (pt__host_is_closing(host))
            break;
        pthread_mutex_unlock(&host->lock);
        pt__host_tick(host);
        pthread_mutex_lock(&host->lock);
    }
    pthread_mutex_unlock(&host->lock);
    return NULL;
}

void pt_host_drain(pt_host *host, uint64_t limit_ms)
{
    pthread_mutex_lock(&host->lock);
    host->draining = true;
    host->drain_end_ms = pt__host_now_ms(host) + limit_ms;
    pthread_mutex_unlock(&host->lock);
    if (limit_ms == 0)
        each_session(host, cancel_jobs);
}

/* ---- end ---- */

static void close_one(pt_host *host, pt_session *session)
{
    pt__host_forget_session(host, session, false);
    pt_session_close(session);
    pt__session_close_backend(session); /* whoever still holds a reference */
}

static void drop_shared_objects(pt_host *host)
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&host->global_views, &at, &key, &value);)
        pt__view_unref(value);
    for (size_t at = 0; pt__map_next(&host->functions, &at, &key, &value);)
        pt__function_entry_unref(value);
}

void pt_host_free(pt_host *host)
{
    if (host == NULL)
        return;
    pthread_mutex_lock(&host->lock);
    atomic_store(&host->closing, true);
    pthread_cond_broadcast(&host->housekeeping);
    pthread_mutex_unlock(&host->lock);
    pthread_join(host->housekeeper, NULL);
    each_session(host, cancel_jobs);
    pt__workers_free(host->workers);
    each_session(host, close_one);
    drop_shared_objects(host);
    pt__host_forget_followed(host);
    for (size_t i = host->backend_count; i > 0; i--) {
        host->backends[i - 1].vtable->close(host->backends[i - 1].self);
        free(pt__unconst(host->backends[i - 1].name));
    }
    free_memory(host);
}
