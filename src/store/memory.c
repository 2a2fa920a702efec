/* The store in memory: records in a map, for hosts of one process and for tests. */
#include "base/map.h"
#include "base/unconst.h"

#include <portico/job_store.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct memory_store {
    pthread_mutex_t lock;
    pt__map records; /* id to stored */
} memory_store;

typedef struct stored {
    pt_job_record record; /* texts and bytes are its own */
    int64_t lease_until_ms;
    bool is_to_be_cancelled;
} stored;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- records of our own ---- */

static void free_text(const char *text)
{
    free(pt__unconst(text));
}

static void free_stored(stored *s)
{
    if (s == NULL)
        return;
    free_text(s->record.id);
    free_text(s->record.session_id);
    free_text(s->record.user);
    free_text(s->record.owner);
    free(pt__unconst(s->record.request.data));
    free(pt__unconst(s->record.outcome.data));
    free(s);
}

static bool copy_bytes(pt_bytes_view from, pt_bytes_view *out)
{
    uint8_t *data = malloc(from.size_bytes + 1);
    if (data == NULL)
        return false;
    if (from.size_bytes > 0)
        memcpy(data, from.data, from.size_bytes);
    *out = (pt_bytes_view){data, from.size_bytes};
    return true;
}

static stored *copy_record(const pt_job_record *record)
{
    stored *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    s->record = *record;
    s->record.id = strdup(record->id);
    s->record.session_id = strdup(record->session_id);
    s->record.user = strdup(record->user);
    s->record.owner = strdup(record->owner);
    s->record.request = s->record.outcome = (pt_bytes_view){NULL, 0};
    if (s->record.id != NULL && s->record.session_id != NULL && s->record.user != NULL && s->record.owner != NULL &&
        copy_bytes(record->request, &s->record.request) && copy_bytes(record->outcome, &s->record.outcome))
        return s;
    free_stored(s);
    return NULL;
}

/* ---- the table ---- */

static pt_status open_store(const char *location, void **self, pt_error *err)
{
    (void)location;
    memory_store *store = calloc(1, sizeof(*store));
    if (store == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a job store");
    pthread_mutex_init(&store->lock, NULL);
    *self = store;
    return PT_OK;
}

static void close_store(void *self)
{
    memory_store *store = self;
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&store->records, &at, &key, &value);)
        free_stored(value);
    pt__map_deinit(&store->records);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static pt_status insert_locked(memory_store *store, const pt_job_record *record, uint64_t lease_ms, pt_error *err)
{
    if (pt__map_get(&store->records, record->id) != NULL)
        return pt_error_set(err, PT_ALREADY_EXISTS, "there is a job %s already", record->id);
    stored *s = copy_record(record);
    if (s == NULL || !pt__map_set(&store->records, record->id, s, NULL)) {
        free_stored(s);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the record of a job");
    }
    s->record.fence = 1;
    s->lease_until_ms = now_ms() + (int64_t)lease_ms;
    return PT_OK;
}

static pt_status insert(void *self, const pt_job_record *record, uint64_t lease_ms, pt_error *err)
{
    memory_store *store = self;
    pthread_mutex_lock(&store->lock);
    pt_status status = insert_locked(store, record, lease_ms, err);
    pthread_mutex_unlock(&store->lock);
    return status;
}

static pt_status not_held(const char *id, pt_error *err)
{
    return pt_error_set(err, PT_NOT_FOUND, "the job %s is not this node's any more", id);
}

static stored *find_held(memory_store *store, const char *id, const char *owner, int64_t fence)
{
    stored *s = pt__map_get(&store->records, id);
    return s != NULL && s->record.fence == fence && strcmp(s->record.owner, owner) == 0 ? s : NULL;
}

static pt_status update_locked(memory_store *store, const pt_job_record *record, uint64_t lease_ms, pt_error *err)
{
    stored *s = find_held(store, record->id, record->owner, record->fence);
    pt_bytes_view outcome;
    if (s == NULL || (s->record.ended_us != 0 && s->record.ended_us != record->ended_us))
        return not_held(record->id, err);
    if (!copy_bytes(record->outcome, &outcome))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the record of a job");
    free(pt__unconst(s->record.outcome.data));
    s->record.outcome = outcome;
    s->record.state = record->state;
    s->record.kind = record->kind;
    s->record.started_us = record->started_us;
    s->record.ended_us = record->ended_us;
    s->record.rows = record->rows;
    s->record.bytes = record->bytes;
    s->lease_until_ms = now_ms() + (int64_t)lease_ms;
    return PT_OK;
}

static pt_status update(void *self, const pt_job_record *record, uint64_t lease_ms, pt_error *err)
{
    memory_store *store = self;
    pthread_mutex_lock(&store->lock);
    pt_status status = update_locked(store, record, lease_ms, err);
    pthread_mutex_unlock(&store->lock);
    return status;
}

static pt_status renew(void *self, const char *id, const char *owner, int64_t fence, uint64_t lease_ms, pt_error *err)
{
    memory_store *store = self;
    pthread_mutex_lock(&store->lock);
    stored *s = find_held(store, id, owner, fence);
    bool is_held = s != NULL && s->record.ended_us == 0;
    if (is_held)
        s->lease_until_ms = now_ms() + (int64_t)lease_ms;
    pthread_mutex_unlock(&store->lock);
    return is_held ? PT_OK : not_held(id, err);
}

static pt_status claim_locked(memory_store *store, const char *id, const char *owner, uint64_t lease_ms, int64_t *fence,
                              pt_error *err)
{
    stored *s = pt__map_get(&store->records, id);
    if (s == NULL || s->record.ended_us != 0 || s->lease_until_ms > now_ms())
        return pt_error_set(err, PT_NOT_FOUND, "the job %s cannot be taken over", id);
    char *copy = strdup(owner);
    if (copy == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the record of a job");
    free_text(s->record.owner);
    s->record.owner = copy;
    s->lease_until_ms = now_ms() + (int64_t)lease_ms;
    *fence = ++s->record.fence;
    return PT_OK;
}

static pt_status claim(void *self, const char *id, const char *owner, uint64_t lease_ms, int64_t *fence, pt_error *err)
{
    memory_store *store = self;
    pthread_mutex_lock(&store->lock);
    pt_status status = claim_locked(store, id, owner, lease_ms, fence, err);
    pthread_mutex_unlock(&store->lock);
    return status;
}

static pt_status show(stored *s, pt_job_record_visitor visit, void *context, pt_error *err)
{
    s->record.size_bytes = sizeof(s->record);
    s->record.lease_left_ms = s->lease_until_ms - now_ms();
    return visit(context, &s->record, err);
}

static pt_status get(void *self, const char *id, pt_job_record_visitor visit, void *context, pt_error *err)
{
    memory_store *store = self;
    pthread_mutex_lock(&store->lock);
    stored *s = pt__map_get(&store->records, id);
    pt_status status =
        s == NULL ? pt_error_set(err, PT_NOT_FOUND, "there is no job %s", id) : show(s, visit, context, err);
    pthread_mutex_unlock(&store->lock);
    return status;
}

static bool fits(const pt_job_record *record, const pt_job_record_filter *filter)
{
    return (filter->session_id == NULL || strcmp(filter->session_id, record->session_id) == 0) &&
           (filter->user == NULL || strcmp(filter->user, record->user) == 0) &&
           (filter->state < 0 || filter->state == (int)record->state);
}

static pt_status list(void *self, const pt_job_record_filter *filter, pt_job_record_visitor visit, void *context,
                      pt_error *err)
{
    memory_store *store = self;
    pt_status status = PT_OK;
    const char *key;
    void *value;
    pthread_mutex_lock(&store->lock);
    for (size_t at = 0; status == PT_OK && pt__map_next(&store->records, &at, &key, &value);)
        if (fits(&((stored *)value)->record, filter))
            status = show(value, visit, context, err);
    pthread_mutex_unlock(&store->lock);
    return status;
}

static pt_status remove_record(void *self, const char *id, pt_error *err)
{
    memory_store *store = self;
    pthread_mutex_lock(&store->lock);
    stored *s = pt__map_get(&store->records, id);
    bool may_go = s != NULL && s->record.ended_us != 0;
    if (may_go)
        pt__map_remove(&store->records, id);
    pthread_mutex_unlock(&store->lock);
    if (may_go)
        free_stored(s);
    return may_go ? PT_OK : pt_error_set(err, PT_NOT_FOUND, "there is no job %s that has ended", id);
}

static pt_status ask_to_cancel(void *self, const char *id, pt_error *err)
{
    memory_store *store = self;
    pthread_mutex_lock(&store->lock);
    stored *s = pt__map_get(&store->records, id);
    bool is_there = s != NULL && s->record.ended_us == 0;
    if (is_there)
        s->is_to_be_cancelled = true;
    pthread_mutex_unlock(&store->lock);
    return is_there ? PT_OK : pt_error_set(err, PT_NOT_FOUND, "there is no job %s that has not ended", id);
}

static pt_status list_to_cancel(void *self, const char *owner, void (*visit)(void *context, const char *id),
                                void *context, pt_error *err)
{
    memory_store *store = self;
    const char *key;
    void *value;
    (void)err;
    pthread_mutex_lock(&store->lock);
    for (size_t at = 0; pt__map_next(&store->records, &at, &key, &value);) {
        const stored *s = value;
        if (s->is_to_be_cancelled && s->record.ended_us == 0 && strcmp(s->record.owner, owner) == 0)
            visit(context, s->record.id);
    }
    pthread_mutex_unlock(&store->lock);
    return PT_OK;
}

const pt_job_store_vtable pt_job_store_memory = {
    .size_bytes = sizeof(pt_job_store_vtable),
    .name = "memory",
    .open = open_store,
    .close = close_store,
    .insert = insert,
    .update = update,
    .renew = renew,
    .claim = claim,
    .get = get,
    .list = list,
    .remove = remove_record,
    .ask_to_cancel = ask_to_cancel,
    .list_to_cancel = list_to_cancel,
};
