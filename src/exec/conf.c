#include "exec/conf.h"

#include "base/buffer.h"
#include "exec/state.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const pt__conf_row rows[] = {
#define PT_CONF(key, value, type, scope, choices, listed)                                                              \
    {key, value, PT_CONF_##type, PT_CONF_##scope, choices, listed},
#include "exec/conf.def"
#undef PT_CONF
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

static const char zone_key[] = "spark.sql.session.timeZone";
static const char warehouse_key[] = "spark.sql.warehouse.dir";

static int compare_key(const void *key, const void *row)
{
    return strcmp(key, ((const pt__conf_row *)row)->key);
}

const pt__conf_row *pt__conf_find(const char *key)
{
    return bsearch(key, rows, ROW_COUNT, sizeof(rows[0]), compare_key);
}

const pt__conf_row *pt__conf_at(size_t index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

/* ---- getting ---- */

/* The default of a key, copied; two of them are the server's own. */
static const char *default_value(pt_session *session, pt__arena *arena, const char *key)
{
    char zone[PT_ZONE_NAME_MAX];
    if (strcmp(key, zone_key) == 0) {
        pt__zones_system_name(zone);
        return pt__arena_copy_string(arena, zone);
    }
    if (strcmp(key, warehouse_key) == 0)
        return pt__arena_printf(arena, "file:%s", session->host->warehouse);
    const pt__conf_row *row = pt__conf_find(key);
    return row == NULL ? NULL : row->value;
}

/* A copy of what was set, made without the lock held, as an arena may jump; NULL when nothing was. */
static const char *set_value(pt_session *session, pt__arena *arena, const char *key)
{
    pthread_mutex_lock(&session->lock);
    const char *value = pt__map_get(&session->conf, key);
    char *copy = value == NULL ? NULL : strdup(value);
    pthread_mutex_unlock(&session->lock);
    if (copy == NULL)
        return NULL;
    pt__arena_defer(arena, free, copy);
    return copy;
}

const char *pt__session_conf_option(pt_session *session, pt__arena *arena, const char *key)
{
    const char *value = set_value(session, arena, key);
    return value != NULL ? value : default_value(session, arena, key);
}

const char *pt__session_conf_or(pt_session *session, pt__arena *arena, const char *key, const char *fallback)
{
    const char *value = set_value(session, arena, key);
    if (value != NULL)
        return value;
    return fallback != NULL ? fallback : default_value(session, arena, key);
}

static pt_status raise_with_key(pt_error *err, pt__condition_id condition, const char *parameter, const char *key)
{
    pt__buffer quoted = PT_BUFFER_INIT;
    pt__buffer_printf(&quoted, "\"%s\"", key);
    pt_status status = pt__raise(err, condition, parameter, pt__buffer_string(&quoted), NULL);
    pt__buffer_deinit(&quoted);
    return status;
}

pt_status pt__session_conf_get(pt_session *session, pt__arena *arena, const char *key, const char **value,
                               pt_error *err)
{
    *value = pt__session_conf_option(session, arena, key);
    if (*value != NULL || pt__conf_find(key) != NULL)
        return PT_OK;
    return raise_with_key(err, PT_COND_SQL_CONF_NOT_FOUND, "sqlConf", key);
}

void pt__session_time_zone(pt_session *session, char out[PT_ZONE_NAME_MAX])
{
    pthread_mutex_lock(&session->lock);
    const char *zone = pt__map_get(&session->conf, zone_key);
    if (zone != NULL) {
        size_t size = strnlen(zone, PT_ZONE_NAME_MAX - 1);
        memcpy(out, zone, size);
        out[size] = '\0';
    }
    pthread_mutex_unlock(&session->lock);
    if (zone == NULL)
        pt__zones_system_name(out);
}

/* ---- listing ---- */

typedef struct pair_list {
    pt__conf_pair *pairs;
    size_t count;
} pair_list;

static void end_pairs(void *object)
{
    pair_list *list = object;
    for (size_t i = 0; i < list->count; i++) {
        free((char *)list->pairs[i].key);
        free((char *)list->pairs[i].value);
    }
    free(list->pairs);
}

/* Without memory the pair is left out. */
static void add_copy(pair_list *list, const char *key, const char *value)
{
    char *key_copy = strdup(key);
    char *value_copy = strdup(value);
    if (key_copy != NULL && value_copy != NULL) {
        list->pairs[list->count++] = (pt__conf_pair){key_copy, value_copy};
        return;
    }
    free(key_copy);
    free(value_copy);
}

/* Copies of what was set; the lock is held, so no arena is touched. */
static void copy_set_pairs(pt_session *session, pair_list *list)
{
    list->pairs = calloc(session->conf.live_count + 1, sizeof(pt__conf_pair));
    const char *key;
    void *value;
    for (size_t at = 0; list->pairs != NULL && pt__map_next(&session->conf, &at, &key, &value);)
        add_copy(list, key, value);
}

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(((const pt__conf_pair *)a)->key, ((const pt__conf_pair *)b)->key);
}

/* Pairs that show although nobody set them: what describes the server. */
static const char *const always_shown[] = {"spark.app.name", "spark.master", "spark.submit.deployMode",
                                           "spark.sql.warehouse.dir"};

void pt__session_conf_all(pt_session *session, pt__arena *arena, const char *prefix, const pt__conf_pair **pairs,
                          size_t *count)
{
    size_t prefix_size = prefix == NULL ? 0 : strlen(prefix);
    pair_list *list = pt__arena_make(arena, pair_list);
    pt__arena_defer(arena, end_pairs, list);
    pthread_mutex_lock(&session->lock);
    copy_set_pairs(session, list);
    pthread_mutex_unlock(&session->lock);
    size_t shown = sizeof(always_shown) / sizeof(always_shown[0]);
    pt__conf_pair *out = pt__arena_array(arena, pt__conf_pair, list->count + shown);
    *count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (prefix == NULL || strncmp(list->pairs[i].key, prefix, prefix_size) == 0)
            out[(*count)++] = (pt__conf_pair){list->pairs[i].key + prefix_size, list->pairs[i].value};
    for (size_t i = 0; prefix == NULL && i < shown; i++) {
        bool is_set = false;
        for (size_t j = 0; j < list->count; j++)
            is_set = is_set || strcmp(list->pairs[j].key, always_shown[i]) == 0;
        if (!is_set)
            out[(*count)++] = (pt__conf_pair){always_shown[i], default_value(session, arena, always_shown[i])};
    }
    qsort(out, *count, sizeof(*out), compare_pairs);
    *pairs = out;
}

/* ---- checking ---- */

static bool is_integer(const char *text, long long low, long long high)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && value >= low && value <= high;
}

static bool is_double(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && *end == '\0';
}

/* A number and a unit of those listed (with a space before and after each); a bare number is fine. */
static bool has_unit(const char *text, const char *units)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end;
    strtoll(text, &end, 10);
    if (end == text)
        return false;
    char unit[16] = " ";
    size_t size = 1;
    for (; *end != '\0' && !isspace((unsigned char)*end) && size < sizeof(unit) - 2; end++)
        unit[size++] = (char)tolower((unsigned char)*end);
    while (isspace((unsigned char)*end))
        end++;
    unit[size] = ' ';
    return *end == '\0' && (size == 1 || strstr(units, unit) != NULL);
}

static bool is_choice(const char *value, const char *choices)
{
    size_t size = strlen(value);
    for (const char *word = choices; *word != '\0'; word += strcspn(word, " ")) {
        word += *word == ' ';
        if (strcspn(word, " ") == size && strncasecmp(word, value, size) == 0)
            return true;
    }
    return false;
}

static pt_status type_mismatch(const pt__conf_row *row, const char *value, const char *type, pt_error *err)
{
    return pt__raise(err, PT_COND_INVALID_CONF_VALUE_TYPE, "confName", row->key, "confValue", value, "confType", type,
                     NULL);
}

static pt_status check_choice(const pt__conf_row *row, const char *value, pt_error *err)
{
    if (is_choice(value, row->choices))
        return PT_OK;
    pt__buffer options = PT_BUFFER_INIT;
    for (const char *at = row->choices; *at != '\0'; at++) {
        if (*at == ' ')
            pt__buffer_append_byte(&options, ',');
        pt__buffer_append_byte(&options, (uint8_t)*at);
    }
    pt_status status = pt__raise(err, PT_COND_INVALID_CONF_VALUE_OPTIONS, "confName", row->key, "confValue", value,
                                 "confOptions", pt__buffer_string(&options), NULL);
    pt__buffer_deinit(&options);
    return status;
}

static pt_status check_zone(pt_session *session, const pt__conf_row *row, const char *value, pt_error *err)
{
    if (strlen(value) < PT_ZONE_NAME_MAX && pt__zones_is_valid(session->host->zones, value))
        return PT_OK;
    return pt__raise(err, PT_COND_INVALID_CONF_VALUE_TIME_ZONE, "confName", row->key, "confValue", value, NULL);
}

static pt_status check_value(pt_session *session, const pt__conf_row *row, const char *value, pt_error *err)
{
    static const char bytes[] = " b k kb kib m mb mib g gb gib t tb tib p pb pib ";
    static const char times[] = " us ms s m min h d ";
    switch (row->type) {
    case PT_CONF_TEXT: return PT_OK;
    case PT_CONF_BOOLEAN: return is_choice(value, "true false") ? PT_OK : type_mismatch(row, value, "boolean", err);
    case PT_CONF_INT: return is_integer(value, INT32_MIN, INT32_MAX) ? PT_OK : type_mismatch(row, value, "int", err);
    case PT_CONF_LONG: return is_integer(value, INT64_MIN, INT64_MAX) ? PT_OK : type_mismatch(row, value, "long", err);
    case PT_CONF_DOUBLE: return is_double(value) ? PT_OK : type_mismatch(row, value, "double", err);
    case PT_CONF_BYTES: return has_unit(value, bytes) ? PT_OK : type_mismatch(row, value, "bytes in BYTE", err);
    case PT_CONF_MILLIS: return has_unit(value, times) ? PT_OK : type_mismatch(row, value, "time in MILLISECONDS", err);
    case PT_CONF_SECONDS: return has_unit(value, times) ? PT_OK : type_mismatch(row, value, "time in SECONDS", err);
    case PT_CONF_TIME_ZONE: return check_zone(session, row, value, err);
    case PT_CONF_CHOICE: return check_choice(row, value, err);
    }
    return PT_INTERNAL;
}

static pt_status check_scope(const pt__conf_row *row, pt_error *err)
{
    if (row == NULL || row->scope == PT_CONF_SESSION)
        return PT_OK;
    if (row->scope == PT_CONF_STATIC)
        return raise_with_key(err, PT_COND_CANNOT_MODIFY_STATIC_CONFIG, "key", row->key);
    pt__buffer quoted = PT_BUFFER_INIT;
    pt__buffer_printf(&quoted, "\"%s\"", row->key);
    pt_status status = pt__raise(err, PT_COND_CANNOT_MODIFY_CONFIG, "key", pt__buffer_string(&quoted), "docroot",
                                 "https://spark.apache.org/docs/latest", NULL);
    pt__buffer_deinit(&quoted);
    return status;
}

bool pt__session_conf_is_modifiable(pt_session *session, const char *key)
{
    (void)session;
    const pt__conf_row *row = pt__conf_find(key);
    return row != NULL && row->scope == PT_CONF_SESSION;
}

/* ---- setting ---- */

/* With the lock held. */
static pt_status store_locked(pt_session *session, const char *key, char *copy, char **old, pt_error *err)
{
    *old = pt__map_get(&session->conf, key);
    uint64_t removed = *old == NULL ? 0 : strlen(key) + strlen(*old);
    uint64_t added = strlen(key) + strlen(copy);
    if (session->conf_bytes - removed + added > session->host->limits.conf_bytes)
        return pt_error_set(err, PT_LIMIT, "the session's configuration takes more than session.conf-limit allows");
    if (!pt__map_set(&session->conf, key, copy, NULL))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a configuration value");
    session->conf_bytes += added - removed;
    return PT_OK;
}

static pt_status store(pt_session *session, const char *key, const char *value, pt_error *err)
{
    char *copy = strdup(value);
    char *old = NULL;
    if (copy == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a configuration value");
    pthread_mutex_lock(&session->lock);
    pt_status status = store_locked(session, key, copy, &old, err);
    pthread_mutex_unlock(&session->lock);
    free(status == PT_OK ? old : copy);
    return status;
}

pt_status pt__session_conf_set(pt_session *session, const char *key, const char *value, pt_error *err)
{
    const pt__conf_row *row = pt__conf_find(key);
    PT_TRY(check_scope(row, err));
    if (row != NULL)
        PT_TRY(check_value(session, row, value, err));
    return store(session, key, value, err);
}

pt_status pt__session_conf_set_silently(pt_session *session, pt__arena *arena, const char *key, const char *value,
                                        const char **warning)
{
    pt_error err = PT_ERROR_INIT;
    *warning = NULL;
    if (pt__session_conf_set(session, key, value, &err) != PT_OK)
        *warning = pt__arena_copy_string(arena, err.message);
    pt_error_clear(&err);
    return PT_OK;
}

static void forget(pt_session *session, const char *key)
{
    pthread_mutex_lock(&session->lock);
    char *old = pt__map_remove(&session->conf, key);
    if (old != NULL)
        session->conf_bytes -= strlen(key) + strlen(old);
    pthread_mutex_unlock(&session->lock);
    free(old);
}

pt_status pt__session_conf_unset(pt_session *session, const char *key, pt_error *err)
{
    PT_TRY(check_scope(pt__conf_find(key), err));
    forget(session, key);
    return PT_OK;
}

void pt__session_conf_reset(pt_session *session)
{
    pthread_mutex_lock(&session->lock);
    pt__map old = session->conf;
    session->conf = (pt__map)PT_MAP_INIT;
    session->conf_bytes = 0;
    pthread_mutex_unlock(&session->lock);
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&old, &at, &key, &value);)
        free(value);
    pt__map_deinit(&old);
}
