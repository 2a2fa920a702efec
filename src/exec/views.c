/* Temporary views, functions and the current database of a session. */
#include "exec/session_catalog.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LOWER_NAME_MAX = 512 };

/* Names of views and functions compare without case, whatever spark.sql.caseSensitive says. */
static const char *lower_case(const char *name, char out[LOWER_NAME_MAX])
{
    size_t size = 0;
    for (; name[size] != '\0' && size < LOWER_NAME_MAX - 1; size++)
        out[size] = (char)tolower((unsigned char)name[size]);
    out[size] = '\0';
    return out;
}

bool pt__is_global_temp(const char *database)
{
    return strcasecmp(database, pt__global_temp) == 0;
}

/* ---- views ---- */

static pt__view *find_session_view(pt_session *session, const char *name)
{
    char key[LOWER_NAME_MAX];
    pthread_mutex_lock(&session->lock);
    pt__view *view = pt__map_get(&session->views, lower_case(name, key));
    if (view != NULL)
        pt__view_ref(view);
    pthread_mutex_unlock(&session->lock);
    return view;
}

static pt__view *find_global_view(pt_host *host, const char *name)
{
    char key[LOWER_NAME_MAX];
    pthread_mutex_lock(&host->lock);
    pt__view *view = pt__map_get(&host->global_views, lower_case(name, key));
    if (view != NULL)
        pt__view_ref(view);
    pthread_mutex_unlock(&host->lock);
    return view;
}

pt__view *pt__session_find_view(pt_session *session, const pt_name *name)
{
    if (name->count == 1)
        return find_session_view(session, name->parts[0]);
    if (name->count == 2 && pt__is_global_temp(name->parts[0]))
        return find_global_view(session->host, name->parts[1]);
    if (name->count == 2 && strcasecmp(name->parts[0], "session") == 0)
        return find_session_view(session, name->parts[1]);
    return NULL;
}

/* With the lock of the map's owner held. */
static pt_status put_locked(pt__map *map, const char *key, pt__view *view, bool replace, uint64_t limit, pt__view **old,
                            pt_error *err)
{
    void *found = pt__map_get(map, key);
    if (found != NULL && !replace)
        return PT_ALREADY_EXISTS;
    if (found == NULL && map->live_count >= limit)
        return pt_error_set(err, PT_LIMIT, "there are %zu temporary views already (session.view-limit)",
                            map->live_count);
    if (!pt__map_set(map, key, view, NULL))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a view");
    *old = found;
    return PT_OK;
}

pt_status pt__session_put_view(pt_session *session, pt__view *view, bool is_global, bool replace, pt_error *err)
{
    char key[LOWER_NAME_MAX];
    pt__view *old = NULL;
    pthread_mutex_t *lock = is_global ? &session->host->lock : &session->lock;
    pt__map *map = is_global ? &session->host->global_views : &session->views;
    pthread_mutex_lock(lock);
    bool is_closed = !is_global && session->is_closed;
    pt_status status = is_closed ? PT_CANCELLED
                                 : put_locked(map, lower_case(view->name, key), view, replace,
                                              session->host->limits.view_count, &old, err);
    pthread_mutex_unlock(lock);
    pt__view_unref(status == PT_OK ? old : view);
    return is_closed ? pt__session_closed_error(session, err) : status;
}

bool pt__session_drop_view(pt_session *session, const char *name, bool is_global)
{
    char key[LOWER_NAME_MAX];
    pthread_mutex_t *lock = is_global ? &session->host->lock : &session->lock;
    pt__map *map = is_global ? &session->host->global_views : &session->views;
    pthread_mutex_lock(lock);
    pt__view *old = pt__map_remove(map, lower_case(name, key));
    pthread_mutex_unlock(lock);
    pt__view_unref(old);
    return old != NULL;
}

static void drop_view(void *view)
{
    pt__view_unref(view);
}

static int compare_views(const void *a, const void *b)
{
    return strcasecmp((*(pt__view *const *)a)->name, (*(pt__view *const *)b)->name);
}

pt__view **pt__session_list_views(pt_session *session, pt__arena *arena, bool is_global, size_t *count)
{
    pthread_mutex_t *lock = is_global ? &session->host->lock : &session->lock;
    const pt__map *map = is_global ? &session->host->global_views : &session->views;
    const char *key;
    void *value;
    *count = 0;
    pthread_mutex_lock(lock);
    pt__view **list = calloc(map->live_count + 1, sizeof(pt__view *));
    for (size_t at = 0; list != NULL && pt__map_next(map, &at, &key, &value);)
        list[(*count)++] = pt__view_ref(value);
    pthread_mutex_unlock(lock);
    if (*count > 1)
        qsort(list, *count, sizeof(*list), compare_views);
    pt__arena_defer(arena, free, list);
    for (size_t i = 0; i < *count; i++)
        pt__arena_defer(arena, drop_view, list[i]);
    return list;
}

/* ---- functions ---- */

/* Persistent functions carry their database in the key; temporary ones have none. */
static const char *function_key(const char *database, const char *name, char out[LOWER_NAME_MAX])
{
    char parts[LOWER_NAME_MAX];
    if (database == NULL)
        return lower_case(name, out);
    size_t size = strnlen(database, LOWER_NAME_MAX / 2 - 1);
    memcpy(parts, database, size);
    parts[size] = '.';
    size_t rest = strnlen(name, LOWER_NAME_MAX / 2 - 1);
    memcpy(parts + size + 1, name, rest);
    parts[size + 1 + rest] = '\0';
    return lower_case(parts, out);
}

static pt__function_entry *find_locked(pthread_mutex_t *lock, const pt__map *map, const char *key)
{
    pthread_mutex_lock(lock);
    pt__function_entry *entry = pt__map_get(map, key);
    if (entry != NULL)
        pt__function_entry_ref(entry);
    pthread_mutex_unlock(lock);
    return entry;
}

pt__function_entry *pt__session_find_function(pt_session *session, const pt_name *name, const char *database)
{
    char key[LOWER_NAME_MAX];
    const char *given;
    const char *object;
    if (!pt__strip_catalog(name, &given, &object))
        return NULL;
    pt__function_entry *entry = NULL;
    if (given == NULL || strcasecmp(given, "session") == 0)
        entry = find_locked(&session->lock, &session->functions, function_key(NULL, object, key));
    if (entry != NULL)
        return entry;
    return find_locked(&session->host->lock, &session->host->functions,
                       function_key(given == NULL ? database : given, object, key));
}

bool pt__session_put_function(pt_session *session, const char *database, pt__function_entry *entry)
{
    char key[LOWER_NAME_MAX];
    bool is_temporary = database == NULL;
    pthread_mutex_t *lock = is_temporary ? &session->lock : &session->host->lock;
    pt__map *map = is_temporary ? &session->functions : &session->host->functions;
    void *old = NULL;
    pthread_mutex_lock(lock);
    bool stored = map->live_count < session->host->limits.view_count &&
                  pt__map_set(map, function_key(database, entry->function.name, key), entry, &old);
    pthread_mutex_unlock(lock);
    pt__function_entry_unref(stored ? old : entry);
    return stored;
}

bool pt__session_drop_function(pt_session *session, const char *database, const char *name)
{
    char key[LOWER_NAME_MAX];
    bool is_temporary = database == NULL;
    pthread_mutex_t *lock = is_temporary ? &session->lock : &session->host->lock;
    pt__map *map = is_temporary ? &session->functions : &session->host->functions;
    pthread_mutex_lock(lock);
    pt__function_entry *old = pt__map_remove(map, function_key(database, name, key));
    pthread_mutex_unlock(lock);
    pt__function_entry_unref(old);
    return old != NULL;
}

static void drop_function(void *entry)
{
    pt__function_entry_unref(entry);
}

pt__function_entry **pt__session_list_functions(pt_session *session, pt__arena *arena, bool is_temporary, size_t *count)
{
    pthread_mutex_t *lock = is_temporary ? &session->lock : &session->host->lock;
    const pt__map *map = is_temporary ? &session->functions : &session->host->functions;
    const char *key;
    void *value;
    *count = 0;
    pthread_mutex_lock(lock);
    pt__function_entry **list = calloc(map->live_count + 1, sizeof(pt__function_entry *));
    for (size_t at = 0; list != NULL && pt__map_next(map, &at, &key, &value);)
        list[(*count)++] = pt__function_entry_ref(value);
    pthread_mutex_unlock(lock);
    pt__arena_defer(arena, free, list);
    for (size_t i = 0; i < *count; i++)
        pt__arena_defer(arena, drop_function, list[i]);
    return list;
}

/* ---- current database ---- */

const char *pt__session_database(pt_session *session, pt__arena *arena)
{
    char name[LOWER_NAME_MAX] = "default";
    pthread_mutex_lock(&session->lock);
    if (session->database != NULL) {
        size_t size = strnlen(session->database, LOWER_NAME_MAX - 1);
        memcpy(name, session->database, size);
        name[size] = '\0';
    }
    pthread_mutex_unlock(&session->lock);
    return pt__arena_copy_string(arena, name);
}

pt_status pt__session_set_database(pt_session *session, const char *database, pt_error *err)
{
    char *copy = strdup(database);
    if (copy == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a name");
    pthread_mutex_lock(&session->lock);
    char *old = session->database;
    session->database = copy;
    pthread_mutex_unlock(&session->lock);
    free(old);
    return PT_OK;
}
