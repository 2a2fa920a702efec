/* Connections of sessions that speak DuckDB's dialect, and their transactions. */
#include "backend/duckdb/native/native.h"
#include "backend/duckdb/native/open_rows.h"
#include "base/monotonic.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void pt__native_init(pt__native *native)
{
    *native = (pt__native){0};
    pthread_mutex_init(&native->lock, NULL);
}

void pt__native_deinit(pt__native *native)
{
    while (native->open != NULL) {
        pt__native_link *link = native->open;
        native->open = link->next_open;
        pt__native_link_unref(link);
    }
    pt__native_link_unref(native->own);
    pthread_mutex_destroy(&native->lock);
}

pt__native_link *pt__native_link_ref(pt__native_link *link)
{
    atomic_fetch_add(&link->references, 1);
    return link;
}

static void close_link(pt__native_link *link)
{
    pt__native_drop_kept(link);
    pt__duckdb_disconnect(&link->connection);
}

void pt__native_link_unref(pt__native_link *link)
{
    if (link == NULL || atomic_fetch_sub(&link->references, 1) != 1)
        return;
    if (link->is_pooled && link->is_clean)
        pt__duckdb_return_of(link->database, link->use, link->connection);
    else
        close_link(link);
    pthread_cond_destroy(&link->changed);
    pthread_mutex_destroy(&link->guard);
    free(link);
}

/* ---- who has the connection ---- */

enum { LOOK_MS = 100 }; /* how often one who may go is asked whether it has */

/* With the guard held, which is let go meanwhile. */
static void wait_for_change(pt__native_link *link, const pt__native_entrant *entrant)
{
    struct timespec at = pt__monotonic_in_ms(LOOK_MS);
    if (entrant->is_gone == NULL)
        pthread_cond_wait(&link->changed, &link->guard);
    else
        pthread_cond_timedwait(&link->changed, &link->guard, &at);
}

/* With the guard held, which is let go meanwhile: who is asked may have locks of its own. */
static bool has_gone(pt__native_link *link, const pt__native_entrant *entrant)
{
    pthread_mutex_unlock(&link->guard);
    bool has = pt__native_has_gone(entrant);
    pthread_mutex_lock(&link->guard);
    return has;
}

/* False when the entrant has gone before the connection was free. */
static bool take_as_entrant(pt__native_link *link, const pt__native_entrant *entrant)
{
    bool is_gone = false;
    pthread_mutex_lock(&link->guard);
    link->waiting++;
    while (link->is_taken && !is_gone) {
        wait_for_change(link, entrant);
        is_gone = link->is_taken && has_gone(link, entrant);
    }
    link->waiting--;
    link->is_taken = link->is_taken || !is_gone;
    if (is_gone)
        pthread_cond_broadcast(&link->changed); /* others may be behind it */
    pthread_mutex_unlock(&link->guard);
    return !is_gone;
}

bool pt__native_link_take(pt__native_link *link, const atomic_bool *stop)
{
    pthread_mutex_lock(&link->guard);
    while (!atomic_load(stop) && (link->is_taken || link->waiting > 0))
        pthread_cond_wait(&link->changed, &link->guard);
    bool is_mine = !atomic_load(stop);
    link->is_taken = link->is_taken || is_mine;
    pthread_mutex_unlock(&link->guard);
    return is_mine;
}

bool pt__native_link_try(pt__native_link *link)
{
    pthread_mutex_lock(&link->guard);
    bool is_free = !link->is_taken && link->waiting == 0;
    link->is_taken = link->is_taken || is_free;
    pthread_mutex_unlock(&link->guard);
    return is_free;
}

void pt__native_link_leave(pt__native_link *link)
{
    pthread_mutex_lock(&link->guard);
    link->is_taken = false;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->guard);
}

void pt__native_link_stop(pt__native_link *link, atomic_bool *stop)
{
    pthread_mutex_lock(&link->guard);
    atomic_store(stop, true);
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->guard);
}

void pt__native_link_set_open(pt__native_link *link, struct pt__open_rows *rows)
{
    pthread_mutex_lock(&link->guard);
    link->open_rows = rows;
    pthread_mutex_unlock(&link->guard);
}

/* Their reader, who has taken the connection, may be waiting for rows. */
static void hurry(pt__native_link *link)
{
    pthread_mutex_lock(&link->guard);
    if (link->open_rows != NULL)
        pt__open_rows_hurry(link->open_rows);
    pthread_mutex_unlock(&link->guard);
}

bool pt__native_link_enter_as(pt__native_link *link, const pt__native_entrant *entrant)
{
    if (entrant->rolls_back)
        hurry(link);
    if (!take_as_entrant(link, entrant))
        return false;
    if (entrant->rolls_back) /* they may have been opened meanwhile */
        hurry(link);
    if (!pt__native_has_gone(entrant) && (link->open_rows == NULL || pt__open_rows_make_way(link->open_rows, entrant)))
        return true;
    pt__native_link_leave(link);
    return false;
}

pt_status pt__native_gave_up(pt_error *err)
{
    return pt_error_set(err, PT_CANCELLED, "the call was given up while it waited for its session's connection");
}

void pt__native_link_enter(pt__native_link *link)
{
    (void)pt__native_link_enter_as(link, &(pt__native_entrant){0});
}

static pt_status new_link(pt__duckdb *database, pt__duckdb_use use, bool is_pooled, pt__native_link **out,
                          pt_error *err)
{
    pt__native_link *link = calloc(1, sizeof(*link));
    if (link == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a connection");
    pt_status status = pt__duckdb_borrow_for(database, use, &link->connection, err);
    if (status != PT_OK) {
        free(link);
        return status;
    }
    atomic_init(&link->references, 1);
    pthread_mutex_init(&link->guard, NULL);
    pt__monotonic_condition_init(&link->changed);
    link->database = database;
    link->use = use;
    link->is_pooled = is_pooled;
    link->is_clean = true;
    *out = link;
    return PT_OK;
}

pt_status pt__native_pooled(pt__duckdb *database, pt__native_link **out, pt_error *err)
{
    return new_link(database, PT_USE_HANDLES, true, out, err);
}

/* With the session's lock held. */
static pt_status own_link(pt__duckdb *database, pt__native *native, pt__native_link **out, pt_error *err)
{
    if (native->own == NULL)
        PT_TRY(new_link(database, PT_USE_HANDLES, false, &native->own, err));
    *out = pt__native_link_ref(native->own);
    return PT_OK;
}

pt_status pt__native_own(pt__duckdb *database, pt__native *native, pt__native_link **out, pt_error *err)
{
    pthread_mutex_lock(&native->lock);
    pt_status status = own_link(database, native, out, err);
    pthread_mutex_unlock(&native->lock);
    return status;
}

bool pt__native_has_own(pt__native *native)
{
    pthread_mutex_lock(&native->lock);
    bool has = native->own != NULL;
    pthread_mutex_unlock(&native->lock);
    return has;
}

/* A SELECT of constants, as those who keep connections send them. A function might be a macro that reads tables. */
bool pt__native_reads_nothing(const char *sql)
{
    return sql != NULL && strncasecmp(sql, "select", 6) == 0 && strcasestr(sql, "from") == NULL &&
           strpbrk(sql, "(;") == NULL;
}

pt_status pt__native_any(pt__duckdb *database, pt__native *native, const char *sql, pt__native_link **out,
                         pt_error *err)
{
    pthread_mutex_lock(&native->lock);
    pt__native_link *own = native->own == NULL ? NULL : pt__native_link_ref(native->own);
    pthread_mutex_unlock(&native->lock);
    *out = own;
    return own != NULL
               ? PT_OK
               : new_link(database, pt__native_reads_nothing(sql) ? PT_USE_VALUES : PT_USE_HANDLES, true, out, err);
}

/* ---- transactions ---- */

static pt_status run_alone(pt__native_link *link, const char *sql, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    if (duckdb_query(link->connection, sql, &result) != DuckDBSuccess)
        status = pt__native_error(duckdb_result_error(&result), err);
    duckdb_destroy_result(&result);
    return status;
}

pt_status pt__native_link_run(pt__native_link *link, const char *sql, pt_error *err)
{
    pt__helped helped = {0};
    pt__helped_begin(&helped, link->database->helper); /* what a transaction wrote may be much */
    pt_status status = run_alone(link, sql, err);
    pt__helped_end(&helped);
    return status;
}

/* Whether the link was free for a transaction, which it then has. */
static bool take_for_transaction(pt__native_link *link)
{
    (void)take_as_entrant(link, &(pt__native_entrant){0});
    bool is_free = !link->in_transaction;
    link->in_transaction = true;
    pt__native_link_leave(link);
    return is_free;
}

static void add_open(pt__native *native, pt__native_link *link)
{
    pthread_mutex_lock(&native->lock);
    link->next_open = native->open;
    native->open = link;
    pthread_mutex_unlock(&native->lock);
}

/* Takes it out of the list, and its reference; NULL when it is not in there. */
static pt__native_link *remove_open(pt__native *native, const void *transaction)
{
    pthread_mutex_lock(&native->lock);
    pt__native_link **at = &native->open;
    while (*at != NULL && *at != transaction)
        at = &(*at)->next_open;
    pt__native_link *link = *at;
    if (link != NULL)
        *at = link->next_open;
    pthread_mutex_unlock(&native->lock);
    return link;
}

static pt_status not_open(pt_error *err)
{
    return pt_error_set(err, PT_NOT_FOUND, "the transaction has ended");
}

pt_status pt__native_transaction(pt__native *native, const void *transaction, pt__native_link **out, pt_error *err)
{
    pthread_mutex_lock(&native->lock);
    pt__native_link *link = native->open;
    while (link != NULL && link != transaction)
        link = link->next_open;
    if (link != NULL)
        *out = pt__native_link_ref(link);
    pthread_mutex_unlock(&native->lock);
    return link != NULL ? PT_OK : not_open(err);
}

pt_status pt__native_begin(pt__duckdb *database, pt__native *native, void **out, pt_error *err)
{
    pt__native_link *link = NULL;
    PT_TRY(pt__native_own(database, native, &link, err));
    if (!take_for_transaction(link)) {
        pt__native_link_unref(link);
        PT_TRY(new_link(database, PT_USE_HANDLES, false, &link, err));
        link->in_transaction = true;
    }
    pt__native_link_enter(link);
    pt_status status = pt__native_link_run(link, "BEGIN TRANSACTION", err);
    if (status != PT_OK)
        link->in_transaction = false;
    pt__native_link_leave(link);
    if (status != PT_OK) {
        pt__native_link_unref(link);
        return status;
    }
    add_open(native, link);
    *out = link;
    return PT_OK;
}

pt_status pt__native_link_check(pt__native_link *link, pt_error *err)
{
    return run_alone(link, "SELECT 1", err);
}

static pt_status commit_on(pt__native_link *link, pt_error *err)
{
    pt_status status = pt__native_link_check(link, NULL);
    if (status == PT_OK)
        return pt__native_link_run(link, "COMMIT", err);
    (void)pt__native_link_run(link, "ROLLBACK", NULL);
    return pt_error_set(
        err, status,
        "the transaction was rolled back instead, because a statement in it had failed, or was cancelled "
        "before it had given its rows");
}

pt_status pt__native_end(pt__native *native, const void *transaction, bool commit, pt_error *err)
{
    pt__native_link *link = remove_open(native, transaction);
    if (link == NULL)
        return not_open(err);
    (void)pt__native_link_enter_as(link, &(pt__native_entrant){.rolls_back = !commit});
    pt_status status = commit ? commit_on(link, err) : pt__native_link_run(link, "ROLLBACK", err);
    link->in_transaction = false;
    pt__native_link_leave(link);
    pt__native_link_unref(link);
    return status;
}

/* ---- streams of ingestions ---- */

struct pt__stream_entry {
    struct pt__stream_entry *next;
    uint64_t key;
    void *stream;
};

bool pt__native_stream_add(pt__duckdb *database, uint64_t key, void *stream)
{
    struct pt__stream_entry *entry = malloc(sizeof(*entry));
    if (entry == NULL)
        return false;
    pthread_mutex_lock(&database->mutex);
    *entry = (struct pt__stream_entry){database->streams, key, stream};
    database->streams = entry;
    pthread_mutex_unlock(&database->mutex);
    return true;
}

void *pt__native_stream_find(pt__duckdb *database, uint64_t key)
{
    void *stream = NULL;
    pthread_mutex_lock(&database->mutex);
    for (const struct pt__stream_entry *entry = database->streams; entry != NULL && stream == NULL; entry = entry->next)
        stream = entry->key == key ? entry->stream : NULL;
    pthread_mutex_unlock(&database->mutex);
    return stream;
}

void pt__native_stream_remove(pt__duckdb *database, uint64_t key)
{
    pthread_mutex_lock(&database->mutex);
    struct pt__stream_entry **at = &database->streams;
    while (*at != NULL && (*at)->key != key)
        at = &(*at)->next;
    struct pt__stream_entry *entry = *at;
    if (entry != NULL)
        *at = entry->next;
    pthread_mutex_unlock(&database->mutex);
    free(entry);
}
