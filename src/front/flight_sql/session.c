#include "front/flight_sql/session.h"

#include "base/uuid.h"
#include "exec/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

/* ---- handles ---- */

void pt__flight_handle_make(char out[PT_FLIGHT_HANDLE_BYTES])
{
    uint8_t bytes[16];
    while (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        ;
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* The text of a handle that a client sent; "" for what none of ours looks like. */
static void handle_text(pt_bytes_view handle, char out[PT_FLIGHT_HANDLE_BYTES])
{
    bool fits = handle.size_bytes == PT_FLIGHT_HANDLE_BYTES - 1 && memchr(handle.data, 0, handle.size_bytes) == NULL;
    snprintf(out, PT_FLIGHT_HANDLE_BYTES, "%.*s", fits ? (int)handle.size_bytes : 0, (const char *)handle.data);
}

/* ---- prepared statements ---- */

void pt__flight_statement_unref(pt__flight_statement *statement)
{
    if (statement == NULL || atomic_fetch_sub(&statement->references, 1) != 1)
        return;
    free(statement->query);
    pt_bytes_unref(statement->plan);
    pt_bytes_unref(statement->dataset_schema);
    pt_bytes_unref(statement->parameter_schema);
    pt_bytes_unref(statement->parameters);
    free(statement);
}

pt_status pt__flight_statement_add(pt__flight_session *session, pt__flight_statement *statement, pt_error *err)
{
    uint64_t limit = session->mount->limits.max_statements;
    pthread_mutex_lock(&session->lock);
    bool has_room = session->statements.live_count < limit;
    bool added = has_room && pt__map_set(&session->statements, statement->handle, statement, NULL);
    pthread_mutex_unlock(&session->lock);
    if (added)
        return PT_OK;
    pt__flight_statement_unref(statement);
    if (has_room)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a prepared statement");
    return pt_error_set(err, PT_LIMIT, "the session has %llu prepared statements open (flight-sql.max-statements)",
                        (unsigned long long)limit);
}

pt_status pt__flight_statement_find(pt__flight_session *session, pt_bytes_view handle, pt__flight_statement **out,
                                    pt_error *err)
{
    char text[PT_FLIGHT_HANDLE_BYTES];
    handle_text(handle, text);
    pthread_mutex_lock(&session->lock);
    pt__flight_statement *found = pt__map_get(&session->statements, text);
    if (found != NULL)
        atomic_fetch_add(&found->references, 1);
    pthread_mutex_unlock(&session->lock);
    *out = found;
    return found != NULL ? PT_OK : pt_error_set(err, PT_NOT_FOUND, "there is no such prepared statement");
}

void pt__flight_statement_drop(pt__flight_session *session, pt_bytes_view handle)
{
    char text[PT_FLIGHT_HANDLE_BYTES];
    handle_text(handle, text);
    pthread_mutex_lock(&session->lock);
    pt__flight_statement *found = pt__map_remove(&session->statements, text);
    pthread_mutex_unlock(&session->lock);
    pt__flight_statement_unref(found);
}

void pt__flight_statement_bind(pt__flight_session *session, pt__flight_statement *statement, pt_bytes *parameters)
{
    pthread_mutex_lock(&session->lock);
    pt_bytes *old = statement->parameters;
    statement->parameters = parameters;
    pthread_mutex_unlock(&session->lock);
    pt_bytes_unref(old);
}

pt_bytes *pt__flight_statement_bound(pt__flight_session *session, pt__flight_statement *statement)
{
    pthread_mutex_lock(&session->lock);
    pt_bytes *bound = statement->parameters == NULL ? NULL : pt_bytes_ref(statement->parameters);
    pthread_mutex_unlock(&session->lock);
    return bound;
}

/* ---- transactions ---- */

pt_status pt__flight_begin(pt__flight_session *session, char id[PT_FLIGHT_HANDLE_BYTES], pt_error *err)
{
    void *transaction = NULL;
    uint64_t limit = session->mount->limits.max_transactions;
    pthread_mutex_lock(&session->lock);
    bool has_room = session->transactions.live_count < limit;
    pthread_mutex_unlock(&session->lock);
    if (!has_room)
        return pt_error_set(err, PT_LIMIT, "the session has %llu transactions open (flight-sql.max-transactions)",
                            (unsigned long long)limit);
    PT_TRY(pt__session_begin(session->session, &transaction, err));
    pt__flight_handle_make(id);
    pthread_mutex_lock(&session->lock);
    bool added = pt__map_set(&session->transactions, id, transaction, NULL);
    pthread_mutex_unlock(&session->lock);
    if (added)
        return PT_OK;
    pt__session_end(session->session, transaction, false, NULL);
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a transaction");
}

static pt_status no_transaction(pt_error *err)
{
    return pt_error_set(err, PT_NOT_FOUND, "there is no such transaction; it may have been idle for too long");
}

pt_status pt__flight_end(pt__flight_session *session, pt_bytes_view id, bool commit, pt_error *err)
{
    char text[PT_FLIGHT_HANDLE_BYTES];
    handle_text(id, text);
    pthread_mutex_lock(&session->lock);
    void *transaction = pt__map_remove(&session->transactions, text);
    pthread_mutex_unlock(&session->lock);
    return transaction == NULL ? no_transaction(err) : pt__session_end(session->session, transaction, commit, err);
}

pt_status pt__flight_transaction(pt__flight_session *session, pt_bytes_view id, void **out, pt_error *err)
{
    char text[PT_FLIGHT_HANDLE_BYTES];
    *out = NULL;
    if (id.size_bytes == 0)
        return PT_OK;
    handle_text(id, text);
    pthread_mutex_lock(&session->lock);
    *out = pt__map_get(&session->transactions, text);
    pthread_mutex_unlock(&session->lock);
    return *out != NULL ? PT_OK : no_transaction(err);
}

void *pt__flight_open_transaction(pt__flight_session *session)
{
    const char *id;
    void *transaction = NULL;
    pthread_mutex_lock(&session->lock);
    size_t at = 0;
    if (session->transactions.live_count == 1)
        pt__map_next(&session->transactions, &at, &id, &transaction);
    pthread_mutex_unlock(&session->lock);
    return transaction;
}

/* ---- sessions ---- */

pt__flight_session *pt__flight_session_ref(pt__flight_session *session)
{
    atomic_fetch_add(&session->references, 1);
    return session;
}

void pt__flight_session_unref(pt__flight_session *session)
{
    if (session == NULL || atomic_fetch_sub(&session->references, 1) != 1)
        return;
    const char *handle;
    void *statement;
    for (size_t at = 0; pt__map_next(&session->statements, &at, &handle, &statement);)
        pt__flight_statement_unref(statement);
    pt__map_deinit(&session->statements);
    pt__map_deinit(&session->transactions);
    pthread_mutex_destroy(&session->lock);
    pt_session_unref(session->session);
    pt__flight_unref(session->mount);
    free(session->catalog);
    free(session->schema);
    free(session->key);
    free(session->token);
    free(session);
}

static void end_transactions(pt__flight_session *session)
{
    for (;;) {
        const char *id = NULL;
        void *transaction = NULL;
        size_t at = 0;
        pthread_mutex_lock(&session->lock);
        bool found = pt__map_next(&session->transactions, &at, &id, &transaction);
        if (found)
            pt__map_remove(&session->transactions, id);
        pthread_mutex_unlock(&session->lock);
        if (!found)
            return;
        pt__session_end(session->session, transaction, false, NULL);
    }
}

/* Takes the session out of the map; false when it is gone already. */
static bool forget(pt__flight_session *session)
{
    pt__flight *mount = session->mount;
    pthread_mutex_lock(&mount->lock);
    bool known = pt__map_get(&mount->sessions, session->key) == session;
    if (known)
        pt__map_remove(&mount->sessions, session->key);
    pthread_mutex_unlock(&mount->lock);
    return known;
}

void pt__flight_session_close(pt__flight_session *session)
{
    if (!forget(session))
        return;
    end_transactions(session);
    pt_session_close(session->session);
    pt__flight_session_unref(session); /* the map's */
}

void pt__flight_session_sign_out(pt__flight_session *session)
{
    const char *token = session->token;
    if (token != NULL)
        pt__host_revoke_token(session->mount->host, (pt_text_view){token, strlen(token)});
    pt__flight_session_close(session);
}

/* A reference to a session that has been idle for too long, or NULL. */
static pt__flight_session *find_idle(pt__flight *mount)
{
    const char *key;
    void *value;
    pt__flight_session *idle = NULL;
    uint64_t now_ms = mount->now_ms;
    pthread_mutex_lock(&mount->lock);
    for (size_t at = 0; idle == NULL && pt__map_next(&mount->sessions, &at, &key, &value);) {
        pt__flight_session *session = value;
        /* The map's own reference is the only one when neither call nor ticket has any. */
        bool is_over = session->is_left && session->references == 1;
        if (is_over || now_ms > session->last_seen_ms + mount->limits.idle_timeout_ms)
            idle = pt__flight_session_ref(session);
    }
    pthread_mutex_unlock(&mount->lock);
    return idle;
}

void pt__flight_sessions_expire(pt__flight *mount)
{
    pt__flight_session *idle;
    while ((idle = find_idle(mount)) != NULL) {
        pt__flight_session_close(idle);
        pt__flight_session_unref(idle);
    }
}

static void drop_statements(pt__flight_session *session)
{
    for (;;) {
        const char *handle = NULL;
        void *statement = NULL;
        size_t at = 0;
        pthread_mutex_lock(&session->lock);
        bool found = pt__map_next(&session->statements, &at, &handle, &statement);
        if (found)
            pt__map_remove(&session->statements, handle);
        pthread_mutex_unlock(&session->lock);
        if (!found)
            return;
        pt__flight_statement_unref(statement);
    }
}

static void end_left(void *state)
{
    pt__flight_session *session = state;
    end_transactions(session);
    drop_statements(session);
    pt__flight_session_unref(session);
}

/* A reference to a session of the connection that is not left yet; NULL: there is none. A user each. */
static pt__flight_session *leave_next(pt__flight *mount, const char *connection_id)
{
    static const char prefix[] = "connection ";
    const char *key;
    void *value;
    pt__flight_session *found = NULL;
    size_t id_bytes = strlen(connection_id);
    pthread_mutex_lock(&mount->lock);
    for (size_t at = 0; found == NULL && pt__map_next(&mount->sessions, &at, &key, &value);) {
        pt__flight_session *session = value;
        bool is_of_it = strncmp(key, prefix, sizeof(prefix) - 1) == 0 &&
                        strncmp(key + sizeof(prefix) - 1, connection_id, id_bytes) == 0;
        if (is_of_it && !atomic_exchange(&session->is_left, true))
            found = pt__flight_session_ref(session);
    }
    pthread_mutex_unlock(&mount->lock);
    return found;
}

void pt__flight_session_leave(pt__flight *mount, const char *connection_id)
{
    pt__flight_session *session;
    while ((session = leave_next(mount, connection_id)) != NULL)
        if (pt__host_run(mount->host, end_left, session, NULL) != PT_OK)
            pt__flight_session_unref(session); /* the next tick ends it with all that it has */
}

const char *pt__flight_format(const pt__flight_session *session)
{
    return session->spark_dialect ? "spark.sql" : "duckdb.sql";
}

pt_encoded_query pt__flight_statement_query(const pt__flight_session *session, const pt__flight_statement *statement)
{
    if (statement->plan != NULL)
        return (pt_encoded_query){.format = PT_FLIGHT_PLAN_FORMAT, .payload = pt_bytes_get_view(statement->plan)};
    const char *query = statement->query;
    return (pt_encoded_query){.format = pt__flight_format(session), .payload = {(const uint8_t *)query, strlen(query)}};
}

/* ---- which session a call belongs to ---- */

/* What a call's session is found by. */
typedef struct origin {
    const char *user;
    pt_text_view token; /* a token of ours, and the user's; empty: the connection counts */
} origin;

static bool has_bearer(pt_call *call, pt_text_view *token)
{
    static const char scheme[] = "Bearer ";
    pt_bytes_view value;
    size_t skip = sizeof(scheme) - 1;
    if (!pt_call_metadata(call, "authorization", &value) || value.size_bytes != skip + PT_TOKEN_BYTES - 1 ||
        strncasecmp((const char *)value.data, scheme, skip) != 0)
        return false;
    *token = (pt_text_view){(const char *)value.data + skip, value.size_bytes - skip};
    return true;
}

static origin origin_of(pt__flight *mount, pt_call *call)
{
    origin o = {pt_call_principal(call)->name, {"", 0}};
    pt_text_view token;
    char *owner = NULL;
    if (has_bearer(call, &token) && pt__host_find_token(mount->host, token, &owner, NULL) == PT_OK &&
        strcmp(owner, o.user) == 0)
        o.token = token;
    free(owner);
    return o;
}

/* The caller's to free; NULL when memory is exhausted. */
static char *key_of(const origin *o, pt_call *call)
{
    char *key = NULL;
    int size = o->token.size_bytes != 0 ? asprintf(&key, "token %.*s", (int)o->token.size_bytes, o->token.data)
                                        : asprintf(&key, "connection %s %s", pt_call_connection_id(call), o->user);
    return size < 0 ? NULL : key;
}

static bool copy_token(const origin *o, pt__flight_session *session)
{
    if (o->token.size_bytes == 0)
        return true;
    session->token = calloc(1, o->token.size_bytes + 1);
    if (session->token != NULL)
        memcpy(session->token, o->token.data, o->token.size_bytes);
    return session->token != NULL;
}

static pt_status make_session(pt__flight *mount, const origin *o, const char *key, pt__flight_session **out,
                              pt_error *err)
{
    char id[PT_UUID_TEXT_BYTES];
    pt__flight_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a session");
    atomic_init(&session->references, 1);
    pthread_mutex_init(&session->lock, NULL);
    session->mount = pt__flight_ref(mount);
    session->spark_dialect = mount->spark_dialect;
    session->key = strdup(key);
    pt__uuid_v4_text(id);
    pt__session_key host_key = {.user = o->user, .session_id = id};
    pt_status status = session->key == NULL || !copy_token(o, session)
                           ? pt_error_set(err, PT_NO_MEMORY, "no memory for a session")
                           : pt__host_session(mount->host, &host_key, true, &session->session, err);
    if (status == PT_OK)
        *out = session;
    else
        pt__flight_session_unref(session);
    return status;
}

static pt__flight_session *find_session(pt__flight *mount, const char *key)
{
    pthread_mutex_lock(&mount->lock);
    pt__flight_session *found = pt__map_get(&mount->sessions, key);
    if (found != NULL)
        pt__flight_session_ref(found);
    pthread_mutex_unlock(&mount->lock);
    return found;
}

/* Keeps the new one, unless another call was quicker. */
static pt_status keep_session(pt__flight *mount, pt__flight_session **session, pt_error *err)
{
    pthread_mutex_lock(&mount->lock);
    pt__flight_session *found = pt__map_get(&mount->sessions, (*session)->key);
    bool kept = found != NULL || pt__map_set(&mount->sessions, (*session)->key, *session, NULL);
    if (kept)
        pt__flight_session_ref(found != NULL ? found : *session);
    pthread_mutex_unlock(&mount->lock);
    if (found != NULL || !kept) {
        pt__flight_session_unref(*session);
        *session = found;
    }
    return kept ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for a session");
}

static pt_status open_session(pt__flight *mount, const origin *o, const char *key, pt__flight_session **out,
                              pt_error *err)
{
    *out = find_session(mount, key);
    if (*out != NULL)
        return PT_OK;
    PT_TRY(make_session(mount, o, key, out, err));
    return keep_session(mount, out, err);
}

pt_status pt__flight_session_of(pt__flight *mount, pt_call *call, pt__flight_session **out, pt_error *err)
{
    origin o = origin_of(mount, call);
    char *key = key_of(&o, call);
    pt__flight_session *session = NULL;
    pt_status status = key != NULL ? open_session(mount, &o, key, &session, err)
                                   : pt_error_set(err, PT_NO_MEMORY, "no memory for a session");
    free(key);
    PT_TRY(status);
    session->last_seen_ms = mount->now_ms;
    pt__session_touch(session->session);
    *out = session;
    return PT_OK;
}
