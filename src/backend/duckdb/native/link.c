/* Connections of sessions that speak DuckDB's dialect, and their transactions. */
#include "backend/duckdb/native/native.h"

#include <stdlib.h>

void pt__native_init(pt__native *native)
{
    *native = (pt__native){0};
    pthread_mutex_init(&native->lock, NULL);
}

void pt__native_deinit(pt__native *native)
{
    pt__native_link_unref(native->own);
    pthread_mutex_destroy(&native->lock);
}

pt__native_link *pt__native_link_ref(pt__native_link *link)
{
    atomic_fetch_add(&link->references, 1);
    return link;
}

void pt__native_link_unref(pt__native_link *link)
{
    if (link == NULL || atomic_fetch_sub(&link->references, 1) != 1)
        return;
    if (link->is_pooled && link->is_clean)
        pt__duckdb_return(link->database, link->connection);
    else
        duckdb_disconnect(&link->connection);
    pthread_mutex_destroy(&link->lock);
    free(link);
}

static pt_status new_link(pt__duckdb *database, bool is_pooled, pt__native_link **out, pt_error *err)
{
    pt__native_link *link = calloc(1, sizeof(*link));
    if (link == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a connection");
    pt_status status = pt__duckdb_borrow(database, &link->connection, err);
    if (status != PT_OK) {
        free(link);
        return status;
    }
    atomic_init(&link->references, 1);
    pthread_mutex_init(&link->lock, NULL);
    link->database = database;
    link->is_pooled = is_pooled;
    link->is_clean = true;
    *out = link;
    return PT_OK;
}

/* With the session's lock held. */
static pt_status own_link(pt__duckdb *database, pt__native *native, pt__native_link **out, pt_error *err)
{
    if (native->own == NULL)
        PT_TRY(new_link(database, false, &native->own, err));
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

pt_status pt__native_any(pt__duckdb *database, pt__native *native, pt__native_link **out, pt_error *err)
{
    pthread_mutex_lock(&native->lock);
    pt__native_link *own = native->own == NULL ? NULL : pt__native_link_ref(native->own);
    pthread_mutex_unlock(&native->lock);
    *out = own;
    return own != NULL ? PT_OK : new_link(database, true, out, err);
}

/* ---- transactions ---- */

static pt_status run(pt__native_link *link, const char *sql, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    if (duckdb_query(link->connection, sql, &result) != DuckDBSuccess)
        status = pt__native_error(duckdb_result_error(&result), err);
    duckdb_destroy_result(&result);
    return status;
}

/* Whether the link was free for a transaction, which it then has. */
static bool take_for_transaction(pt__native_link *link)
{
    pthread_mutex_lock(&link->lock);
    bool is_free = !link->in_transaction;
    link->in_transaction = true;
    pthread_mutex_unlock(&link->lock);
    return is_free;
}

pt_status pt__native_begin(pt__duckdb *database, pt__native *native, pt__native_link **out, pt_error *err)
{
    pt__native_link *link = NULL;
    PT_TRY(pt__native_own(database, native, &link, err));
    if (!take_for_transaction(link)) {
        pt__native_link_unref(link);
        PT_TRY(new_link(database, false, &link, err));
        link->in_transaction = true;
    }
    pthread_mutex_lock(&link->lock);
    pt_status status = run(link, "BEGIN TRANSACTION", err);
    if (status != PT_OK)
        link->in_transaction = false;
    pthread_mutex_unlock(&link->lock);
    if (status != PT_OK)
        pt__native_link_unref(link);
    else
        *out = link;
    return status;
}

pt_status pt__native_end(pt__native_link *link, bool commit, pt_error *err)
{
    pthread_mutex_lock(&link->lock);
    pt_status status = run(link, commit ? "COMMIT" : "ROLLBACK", err);
    link->in_transaction = false;
    pthread_mutex_unlock(&link->lock);
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
