/**
 * Spark's configuration of a session: known keys with their defaults (conf.def) and what the session changed.
 *
 * Values are text. Every function copies what it hands out into the arena, so that another thread may change the
 * session meanwhile.
 * Threads: any.
 * Source:  keys, defaults and errors of Apache Spark 4.2's RuntimeConfig.
 */
#ifndef PT_EXEC_CONF_H
#define PT_EXEC_CONF_H

#include "base/arena.h"

#include <portico/session.h>

typedef enum pt__conf_type {
    PT_CONF_TEXT,
    PT_CONF_BOOLEAN,
    PT_CONF_INT,
    PT_CONF_LONG,
    PT_CONF_DOUBLE,
    PT_CONF_BYTES,  /* "10485760b", "10m", "64MB" */
    PT_CONF_MILLIS, /* time with unit */
    PT_CONF_SECONDS,
    PT_CONF_TIME_ZONE,
    PT_CONF_CHOICE /* one of the row's words, without case */
} pt__conf_type;

typedef enum pt__conf_scope {
    PT_CONF_SESSION, /* may be set at run time */
    PT_CONF_STATIC,  /* SQL key fixed when the server starts */
    PT_CONF_CORE     /* spark.* key outside of SQL */
} pt__conf_scope;

typedef struct pt__conf_row {
    const char *key;
    const char *value; /* default; NULL: none */
    pt__conf_type type;
    pt__conf_scope scope;
    const char *choices; /* CHOICE: words separated by spaces; NULL otherwise */
    bool is_listed;      /* by SET -v */
} pt__conf_row;

/** NULL when the key is not known. */
const pt__conf_row *pt__conf_find(const char *key);

/** Row by position for listings, in the order of keys; NULL past the end. */
const pt__conf_row *pt__conf_at(size_t index);

typedef struct pt__conf_pair {
    const char *key;
    const char *value; /* NULL: unset */
} pt__conf_pair;

/** The effective value, NULL for a known key without one; SQL_CONF_NOT_FOUND when the key is neither known nor set. */
pt_status pt__session_conf_get(pt_session *session, pt__arena *arena, const char *key, const char **value,
                               pt_error *err);

/** The effective value, or NULL; never fails. */
const char *pt__session_conf_option(pt_session *session, pt__arena *arena, const char *key);

/** The value that was set, the row's default when `fallback` is NULL, else `fallback`. */
const char *pt__session_conf_or(pt_session *session, pt__arena *arena, const char *key, const char *fallback);

/**
 * All effective pairs whose key starts with `prefix` (NULL: all), sorted; the prefix is stripped from the keys.
 */
void pt__session_conf_all(pt_session *session, pt__arena *arena, const char *prefix, const pt__conf_pair **pairs,
                          size_t *count);

/**
 * Sets a value.
 * Errors: CANNOT_MODIFY_STATIC_CONFIG, CANNOT_MODIFY_CONFIG, INVALID_CONF_VALUE.TYPE_MISMATCH, .TIME_ZONE,
 *         .OUT_OF_RANGE_OF_OPTIONS; PT_LIMIT when the session's values take more than session.conf-limit.
 */
pt_status pt__session_conf_set(pt_session *session, const char *key, const char *value, pt_error *err);

/**
 * As pt__session_conf_set, for keys that come with a new session: core and static keys are passed over with a text
 * in `*warning` (NULL otherwise).
 */
pt_status pt__session_conf_set_silently(pt_session *session, pt__arena *arena, const char *key, const char *value,
                                        const char **warning);

/** Back to the default. Errors as for set, but those of values. */
pt_status pt__session_conf_unset(pt_session *session, const char *key, pt_error *err);

/** RESET: every key that may be changed. */
void pt__session_conf_reset(pt_session *session);

bool pt__session_conf_is_modifiable(pt_session *session, const char *key);

#endif
