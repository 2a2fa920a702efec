#include "front/ballista/session.h"

#include "exec/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS_ARENA_BYTES = 16 << 20, SETTINGS_BYTES_MAX = 1 << 20 };

typedef struct client_session {
    char *id; /* the client's */
    pt_session *session;
    pt__map settings; /* that are not Spark's: key to char * */
    size_t settings_bytes;
} client_session;

/* ---- settings ---- */

const char *pt__ballista_setting(const pt__ballista_settings *settings, const char *key)
{
    const char *value = NULL;
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i]->key, key) == 0 && settings->items[i]->presence_case != 0)
            value = settings->items[i]->value;
    return value;
}

/* The key of Spark's configuration; NULL: it means nothing here. */
static const char *conf_key(const char *key)
{
#define PT_BALLISTA_SETTING(theirs, ours)                                                                              \
    if (strcmp(key, theirs) == 0)                                                                                      \
        return ours;
#include "front/ballista/settings.def"
#undef PT_BALLISTA_SETTING
    return strncmp(key, "spark.", 6) == 0 ? key : NULL;
}

/* NULL: unset. */
static const char *value_of(const Ballista__Protobuf__KeyValuePair *pair)
{
    return pair->presence_case != 0 && pair->value[0] != '\0' ? pair->value : NULL;
}

static pt_status apply_one(pt_session *session, const Ballista__Protobuf__KeyValuePair *pair, pt_error *err)
{
    const char *key = conf_key(pair->key);
    const char *value = value_of(pair);
    if (key == NULL)
        return PT_OK;
    return value == NULL ? pt__session_conf_unset(session, key, err) : pt__session_conf_set(session, key, value, err);
}

static pt_status apply(pt_session *session, const pt__ballista_settings *settings, pt_error *err)
{
    for (size_t i = 0; i < settings->count; i++)
        PT_TRY(apply_one(session, settings->items[i], err));
    return PT_OK;
}

/* A setting without value asks for nothing in a query. */
static bool differs(pt_session *session, pt__arena *arena, const Ballista__Protobuf__KeyValuePair *pair)
{
    const char *key = conf_key(pair->key);
    const char *value = value_of(pair);
    if (key == NULL || value == NULL)
        return false;
    const char *present = pt__session_conf_option(session, arena, key);
    return present == NULL || strcmp(present, value) != 0;
}

static bool any_differs(pt_session *session, pt__arena *arena, const pt__ballista_settings *settings)
{
    if (PT_ARENA_GUARD(arena))
        return true;
    bool found = false;
    for (size_t i = 0; i < settings->count && !found; i++)
        found = differs(session, arena, settings->items[i]);
    pt__arena_unguard(arena);
    return found;
}

/* ---- sessions ---- */

/* Users' names may hold anything, so their size goes before. NULL: no memory. */
static char *key_of(const char *user, const char *id)
{
    size_t size = strlen(user) + strlen(id) + 32;
    char *key = malloc(size);
    if (key != NULL)
        snprintf(key, size, "%zu %s %s", strlen(user), user, id);
    return key;
}

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a session");
}

/* As a scheduler's: its time zone is UTC unless it is set. */
static pt_status make_session(pt__ballista *mount, const char *user, pt_session **out, pt_error *err)
{
    pt_session_request request = {.size_bytes = sizeof(request), .user = user};
    pt_session *made = NULL;
    PT_TRY(pt_host_create_session(mount->host, &request, &made, err));
    pt_status status = pt__session_conf_set(made, "spark.sql.session.timeZone", "UTC", err);
    if (status == PT_OK)
        *out = made;
    else
        pt__ballista_session_end(mount, made);
    return status;
}

static void free_client_session(pt__ballista *mount, client_session *s)
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&s->settings, &at, &key, &value);)
        free(value);
    pt__map_deinit(&s->settings);
    pt__ballista_session_end(mount, s->session);
    free(s->id);
    free(s);
}

/* NULL: there is none, or it was idle for so long that the host closed it. */
static client_session *find(pt__ballista *mount, const char *key)
{
    client_session *found = pt__map_get(&mount->sessions, key);
    if (found == NULL || !pt__session_is_closed(found->session))
        return found;
    free_client_session(mount, pt__map_remove(&mount->sessions, key));
    return NULL;
}

static pt_status add(pt__ballista *mount, const char *key, const char *id, pt_session *take_session,
                     client_session **out, pt_error *err)
{
    client_session *s = calloc(1, sizeof(*s));
    char *copy = strdup(id);
    if (s != NULL && copy != NULL) {
        *s = (client_session){.id = copy, .session = take_session};
        if (pt__map_set(&mount->sessions, key, s, NULL)) {
            *out = s;
            return PT_OK;
        }
    }
    free(s);
    free(copy);
    pt__ballista_session_end(mount, take_session);
    return no_memory(err);
}

static void forget_setting(client_session *s, const char *key)
{
    char *old = pt__map_remove(&s->settings, key);
    if (old != NULL)
        s->settings_bytes -= strlen(key) + strlen(old);
    free(old);
}

static pt_status keep_setting(client_session *s, const Ballista__Protobuf__KeyValuePair *pair, pt_error *err)
{
    const char *value = value_of(pair);
    forget_setting(s, pair->key);
    if (value == NULL)
        return PT_OK;
    size_t size = strlen(pair->key) + strlen(value);
    if (s->settings_bytes + size > SETTINGS_BYTES_MAX)
        return pt_error_set(err, PT_LIMIT, "the settings of a session take more than %d bytes", SETTINGS_BYTES_MAX);
    char *copy = strdup(value);
    if (copy == NULL || !pt__map_set(&s->settings, pair->key, copy, NULL)) {
        free(copy);
        return no_memory(err);
    }
    s->settings_bytes += size;
    return PT_OK;
}

static pt_status keep_settings(client_session *s, const pt__ballista_settings *settings, pt_error *err)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strncmp(settings->items[i]->key, "spark.", 6) != 0)
            PT_TRY(keep_setting(s, settings->items[i], err));
    return PT_OK;
}

static pt_status update(pt__ballista *mount, const char *user, const char *id, const char *key,
                        const pt__ballista_settings *settings, const char **out_id, pt_error *err)
{
    client_session *found = find(mount, key);
    bool is_new = found == NULL;
    if (is_new) {
        pt_session *made = NULL;
        PT_TRY(make_session(mount, user, &made, err));
        PT_TRY(add(mount, key, id, made, &found, err));
    }
    pt__session_touch(found->session);
    pt_status status = apply(found->session, settings, err);
    if (status == PT_OK)
        status = keep_settings(found, settings, err);
    if (status == PT_OK)
        *out_id = found->id;
    else if (is_new)
        free_client_session(mount, pt__map_remove(&mount->sessions, key));
    return status;
}

pt_status pt__ballista_session_update(pt__ballista *mount, const char *user, const char *id,
                                      const pt__ballista_settings *settings, const char **out_id, pt_error *err)
{
    char made[PT_UUID_TEXT_BYTES];
    if (id[0] == '\0') {
        pt__uuid_v4_text(made);
        id = made;
    }
    char *key = key_of(user, id);
    if (key == NULL)
        return no_memory(err);
    pt_status status = update(mount, user, id, key, settings, out_id, err);
    free(key);
    return status;
}

const pt__map *pt__ballista_session_settings(pt__ballista *mount, const char *user, const char *id)
{
    char *key = key_of(user, id);
    client_session *found = key == NULL ? NULL : find(mount, key);
    free(key);
    return found == NULL ? NULL : &found->settings;
}

bool pt__ballista_session_remove(pt__ballista *mount, const char *user, const char *id)
{
    char *key = key_of(user, id);
    client_session *found = key == NULL ? NULL : find(mount, key);
    if (found != NULL)
        free_client_session(mount, pt__map_remove(&mount->sessions, key));
    free(key);
    return found != NULL;
}

/* The one of that id, or a copy of it where the query's settings differ. */
static pt_status use_session(pt_session *session, const pt__ballista_settings *settings, pt_session **out, bool *is_own,
                             pt_error *err)
{
    pt__arena *arena = pt__arena_new(SETTINGS_ARENA_BYTES);
    if (arena == NULL)
        return no_memory(err);
    *is_own = any_differs(session, arena, settings);
    pt__arena_free(arena);
    pt__session_touch(session);
    if (!*is_own) {
        *out = pt_session_ref(session);
        return PT_OK;
    }
    return pt__session_clone(session, NULL, out, err);
}

pt_status pt__ballista_session_for(pt__ballista *mount, const char *user, const char *id,
                                   const pt__ballista_settings *settings, pt_session **out, bool *is_own, pt_error *err)
{
    char *key = key_of(user, id);
    if (key == NULL)
        return no_memory(err);
    const client_session *found = find(mount, key);
    free(key);
    *is_own = true;
    if (found != NULL)
        PT_TRY(use_session(found->session, settings, out, is_own, err));
    else
        PT_TRY(make_session(mount, user, out, err));
    if (!*is_own)
        return PT_OK;
    pt_status status = apply(*out, settings, err);
    if (status != PT_OK) {
        pt__ballista_session_end(mount, *out);
        *out = NULL;
    }
    return status;
}

/* ---- ending ---- */

static void close_session(void *context)
{
    pt_session_close(context);
    pt_session_unref(context);
}

void pt__ballista_session_end(pt__ballista *mount, pt_session *session)
{
    if (pt__host_run(mount->host, close_session, session, NULL) != PT_OK)
        close_session(session);
}

void pt__ballista_sessions_expire(pt__ballista *mount, bool all)
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&mount->sessions, &at, &key, &value);) {
        client_session *s = value;
        if (!all && !pt__session_is_closed(s->session))
            continue;
        pt__map_remove(&mount->sessions, key);
        free_client_session(mount, s);
    }
}
