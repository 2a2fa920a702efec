/* cache: keeps results, and gives them again to queries that must have the same answer. */
#include "base/map.h"
#include "exec/ipc_writer.h"
#include "plan/arrow_schema.h"
#include "plan/plan.h"
#include "plan/table.h"
#include "wrap/cache_key.h"
#include "wrap/cache_store.h"
#include "wrap/guarded.h"
#include "wrap/tree.h"
#include "wrap/wrappers.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cache {
    pt_wrapper base;
    pt__cache_store *store;
    bool with_tables;
    bool by_user; /* what lies below may answer users differently */
    pthread_mutex_t lock;
    pt__map tables;             /* lower-case "database.table" to the number of its writes */
    atomic_uint_fast64_t all;   /* writes that may have changed any table */
    atomic_uint_fast64_t files; /* writes of files */
} cache;

static cache *cache_of(void *session)
{
    return (cache *)((pt_wrapper_session *)session)->wrapper;
}

/* ---- configuration ---- */

/* Below these every user gets the same rows. */
static bool answers_all_alike(const pt_wrapper *wrapper)
{
    static const pt_wrapper_vtable *const alike[] = {&pt_wrapper_validate, &pt_wrapper_trace, &pt_wrapper_cache};
    for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
        if (wrapper->vtable == alike[i])
            return true;
    return false;
}

static bool differs_by_user(const pt_backend *backend)
{
    while (pt_backend_is_wrapper(backend)) {
        const pt_wrapper *wrapper = backend->self;
        if (!answers_all_alike(wrapper))
            return true;
        backend = &wrapper->inner;
    }
    return false;
}

static pt_status open_cache(void *self, const pt_config *config, pt_env *env, pt_error *err)
{
    cache *c = self;
    pt__cache_limits limits;
    (void)env;
    PT_TRY(pt_config_size(config, "cache.memory", 64 << 20, &limits.memory_bytes, err));
    PT_TRY(pt_config_size(config, "cache.entry-limit", 4 << 20, &limits.entry_bytes, err));
    PT_TRY(pt_config_duration(config, "cache.max-age", 300000, &limits.max_age_ms, err));
    PT_TRY(pt_config_boolean(config, "cache.tables", true, &c->with_tables, err));
    c->by_user = differs_by_user(&c->base.inner);
    c->store = pt__cache_store_new(&limits);
    if (c->store == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the wrapper cache");
    pthread_mutex_init(&c->lock, NULL);
    return PT_OK;
}

static void close_cache(void *self)
{
    cache *c = self;
    const char *key;
    void *count;
    for (size_t at = 0; pt__map_next(&c->tables, &at, &key, &count);)
        free(count);
    pt__cache_store_free(c->store);
    pt__map_deinit(&c->tables);
    pthread_mutex_destroy(&c->lock);
}

/* ---- versions ---- */

static char *lower_case(char *text)
{
    for (char *c = text; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return text;
}

static uint64_t table_version(void *context, const char *key)
{
    cache *c = context;
    char *name = strdup(key);
    uint64_t version = atomic_load(&c->all);
    if (name == NULL)
        return version;
    pthread_mutex_lock(&c->lock);
    const uint64_t *count = pt__map_get(&c->tables, lower_case(name));
    version += count == NULL ? 0 : *count;
    pthread_mutex_unlock(&c->lock);
    free(name);
    return version;
}

static uint64_t files_version(void *context)
{
    return atomic_load(&((cache *)context)->files);
}

/* With the lock held. */
static bool count_write(cache *c, const char *key)
{
    uint64_t *count = pt__map_get(&c->tables, key);
    if (count == NULL) {
        count = calloc(1, sizeof(*count));
        if (count == NULL || !pt__map_set(&c->tables, key, count, NULL)) {
            free(count);
            return false;
        }
    }
    ++*count;
    return true;
}

/* Without memory all tables count as changed. */
static void table_was_written(cache *c, const char *database, const char *table)
{
    size_t size = strlen(database) + strlen(table) + 2;
    char *key = malloc(size);
    bool counted = false;
    if (key != NULL) {
        snprintf(key, size, "%s.%s", database, table);
        lower_case(key);
        pthread_mutex_lock(&c->lock);
        counted = count_write(c, key);
        pthread_mutex_unlock(&c->lock);
    }
    if (!counted)
        atomic_fetch_add(&c->all, 1);
    free(key);
}

static void named_table_was_written(cache *c, const pt_name *name)
{
    const char *database = name->count > 1 ? name->parts[name->count - 2] : "default";
    table_was_written(c, database, name->parts[name->count - 1]);
}

/* What a command changes: one table, files, or who knows what. */
static void was_written(cache *c, const pt_plan *plan)
{
    if (plan != NULL && plan->kind == PT_PLAN_INSERT)
        named_table_was_written(c, &pt__plan_as_insert(plan)->table);
    else if (plan != NULL && plan->kind == PT_PLAN_DELETE)
        named_table_was_written(c, &pt__plan_as_delete(plan)->table);
    else if (plan != NULL && plan->kind == PT_PLAN_UPDATE)
        named_table_was_written(c, &pt__plan_as_update(plan)->table);
    else
        atomic_fetch_add(&c->all, 1);
    atomic_fetch_add(&c->files, 1);
}

/* ---- writes: counted when they start, and when they have ended, before the client hears of it ---- */

typedef struct writing {
    pt_wrapper_operation base;
    cache *cache;
    const pt_plan *plan; /* NULL: a query in a format that is not read here */
} writing;

static void free_writing(pt_operation *operation)
{
    writing *w = (writing *)operation;
    pt_operation *inner = w->base.inner;
    inner->vtable->free(inner);
    was_written(w->cache, w->plan);
    free(w);
}

static const pt_operation_vtable writing_vtable = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = pt_forward_operation_id,
    .status = pt_forward_operation_status,
    .cancel = pt_forward_operation_cancel,
    .result = pt_forward_operation_result,
    .failure = pt_forward_operation_failure,
    .progress = pt_forward_operation_progress,
    .free = free_writing,
    .detail = pt_forward_operation_detail,
};

static pt_status execute_write(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    cache *c = cache_of(session);
    writing *w = calloc(1, sizeof(*w));
    if (w == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    *w = (writing){.cache = c, .plan = query->plan};
    w->base.base.vtable = &writing_vtable;
    was_written(c, query->plan);
    pt_status status = pt_forward_execute(session, query, &w->base.inner, err);
    was_written(c, query->plan);
    if (status == PT_OK)
        *out = &w->base.base;
    else
        free(w);
    return status;
}

/* ---- reads that are kept: batches pass through, and are put together until there are too many ---- */

typedef struct reading {
    pt_wrapper_operation base;
    cache *cache;
    char *key;
    pt__cache_entry *entry; /* NULL: given up */
    struct ArrowSchema schema;
    struct ArrowArrayStream inner;
    uint64_t limit_bytes;
} reading;

static void give_up(reading *r)
{
    pt__cache_entry_unref(r->entry);
    r->entry = NULL;
}

/* Buffers may be larger than what is in them. */
static uint64_t cost(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    return 2 * pt__ipc_body_bytes(schema, array) + 1024 * (uint64_t)(array->n_children + 1);
}

static int keep_batch(reading *r, struct ArrowArray *out)
{
    uint64_t bytes = cost(&r->schema, out);
    if (r->entry->bytes + bytes > r->limit_bytes) {
        give_up(r);
        return 0;
    }
    pt__shared_batch *batch = pt__shared_batch_new(out);
    if (batch == NULL)
        return ENOMEM;
    bool fits = pt__shared_batch_export(batch, out);
    if (fits && !pt__cache_entry_add(r->entry, batch, bytes))
        give_up(r);
    pt__shared_batch_unref(batch);
    return fits ? 0 : ENOMEM;
}

static int next_kept(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    reading *r = stream->private_data;
    int code = r->inner.get_next(&r->inner, out);
    if (r->entry == NULL)
        return code;
    if (code != 0) {
        give_up(r);
    } else if (out->release == NULL) {
        pt__cache_store_put(r->cache->store, r->key, r->entry);
        r->entry = NULL;
    } else {
        code = keep_batch(r, out);
    }
    return code;
}

static int inner_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    reading *r = stream->private_data;
    return r->inner.get_schema(&r->inner, out);
}

static const char *inner_error(struct ArrowArrayStream *stream)
{
    reading *r = stream->private_data;
    const char *text = r->inner.get_last_error(&r->inner);
    return text != NULL ? text : "no memory for a batch";
}

static void release_reading(struct ArrowArrayStream *stream)
{
    reading *r = stream->private_data;
    r->inner.release(&r->inner);
    stream->release = NULL;
}

static pt_status result_of_reading(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err)
{
    reading *r = (reading *)operation;
    PT_TRY(pt_forward_operation_result(operation, &r->inner, err));
    *out = (struct ArrowArrayStream){inner_schema, next_kept, inner_error, release_reading, r};
    return PT_OK;
}

static void free_reading(pt_operation *operation)
{
    reading *r = (reading *)operation;
    give_up(r);
    if (r->schema.release != NULL)
        r->schema.release(&r->schema);
    free(r->key);
    pt_forward_operation_free(operation);
}

static const pt_operation_vtable reading_vtable = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = pt_forward_operation_id,
    .status = pt_forward_operation_status,
    .cancel = pt_forward_operation_cancel,
    .result = result_of_reading,
    .failure = pt_forward_operation_failure,
    .progress = pt_forward_operation_progress,
    .free = free_reading,
    .detail = pt_forward_operation_detail,
};

static pt_status execute_reading(void *session, const pt_query *query, const char *key, pt_operation **out,
                                 pt_error *err)
{
    reading *r = calloc(1, sizeof(*r));
    if (r == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    r->base.base.vtable = &reading_vtable;
    r->cache = cache_of(session);
    r->limit_bytes = pt__cache_store_entry_limit(r->cache->store);
    r->key = strdup(key);
    r->entry = pt__cache_entry_new();
    pt_status status =
        pt__arrow_schema(query->plan->columns, query->plan->column_count, query->time_zone, &r->schema, err);
    if (status == PT_OK && (r->key == NULL || r->entry == NULL))
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    if (status == PT_OK)
        status = pt_forward_execute(session, query, &r->base.inner, err);
    if (status == PT_OK) {
        *out = &r->base.base;
        return PT_OK;
    }
    give_up(r);
    if (r->schema.release != NULL)
        r->schema.release(&r->schema);
    free(r->key);
    free(r);
    return status;
}

/* ---- hits ---- */

typedef struct hit {
    pt_operation base;
    pt__cache_entry *entry;
    size_t next;
    atomic_bool cancelled;
    const pt_plan *plan;
    char time_zone[64];
    char id[40];
} hit;

static const char *hit_id(pt_operation *operation)
{
    return ((hit *)operation)->id;
}

static pt_status hit_status(pt_operation *operation, pt_operation_state *out, pt_error *err)
{
    const hit *h = (const hit *)operation;
    (void)err;
    *out = atomic_load(&h->cancelled) ? PT_OPERATION_CANCELLED : PT_OPERATION_SUCCEEDED;
    return PT_OK;
}

static pt_status hit_cancel(pt_operation *operation, pt_error *err)
{
    (void)err;
    atomic_store(&((hit *)operation)->cancelled, true);
    return PT_OK;
}

static int hit_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const hit *h = stream->private_data;
    return pt__arrow_schema(h->plan->columns, h->plan->column_count, h->time_zone, out, NULL) == PT_OK ? 0 : ENOMEM;
}

static int hit_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    hit *h = stream->private_data;
    out->release = NULL;
    if (atomic_load(&h->cancelled))
        return ECANCELED;
    if (h->next == h->entry->batch_count)
        return 0;
    return pt__shared_batch_export(h->entry->batches[h->next++], out) ? 0 : ENOMEM;
}

static const char *hit_error(struct ArrowArrayStream *stream)
{
    const hit *h = stream->private_data;
    return atomic_load(&h->cancelled) ? "the operation was cancelled" : "no memory for a batch";
}

static void release_hit(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static pt_status hit_result(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err)
{
    (void)err;
    *out = (struct ArrowArrayStream){hit_schema, hit_next, hit_error, release_hit, operation};
    return PT_OK;
}

static double hit_progress(pt_operation *operation)
{
    (void)operation;
    return 1;
}

static void free_hit(pt_operation *operation)
{
    hit *h = (hit *)operation;
    pt__cache_entry_unref(h->entry);
    free(h);
}

static const char *hit_detail(pt_operation *operation)
{
    (void)operation;
    return "cache: kept result";
}

static const pt_operation_vtable hit_vtable = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = hit_id,
    .status = hit_status,
    .cancel = hit_cancel,
    .result = hit_result,
    .progress = hit_progress,
    .free = free_hit,
    .detail = hit_detail,
};

/* Takes the entry's reference. */
static pt_status execute_hit(const pt_query *query, pt__cache_entry *entry, pt_operation **out, pt_error *err)
{
    hit *h = calloc(1, sizeof(*h));
    if (h == NULL) {
        pt__cache_entry_unref(entry);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    }
    h->base.vtable = &hit_vtable;
    h->entry = entry;
    h->plan = query->plan;
    snprintf(h->time_zone, sizeof(h->time_zone), "%s", query->time_zone == NULL ? "UTC" : query->time_zone);
    snprintf(h->id, sizeof(h->id), "%s", query->operation_id == NULL ? "" : query->operation_id);
    *out = &h->base;
    return PT_OK;
}

/* ---- queries ---- */

typedef struct lookup {
    const pt_wrapper_session *session;
    const pt_query *query;
    const char *key; /* NULL: not to be kept */
} lookup;

static pt_status make_key(void *context, pt__arena *arena, pt_error *err)
{
    lookup *l = context;
    cache *c = (cache *)l->session->wrapper;
    const pt__versions versions = {table_version, files_version, c};
    (void)err;
    l->key = pt__cache_key(arena, l->query, c->by_user ? l->session->user : "", &versions);
    return PT_OK;
}

static bool is_no_table(void *context, const pt_plan *plan, uint32_t depth)
{
    (void)context;
    (void)depth;
    return plan->kind != PT_PLAN_SCAN_TABLE;
}

static bool reads_tables(const pt_query *query)
{
    return !pt__tree_walk(query->plan, &(pt__tree_visitor){is_no_table, NULL, NULL});
}

static pt_status execute_with_key(void *session, const pt_query *query, const char *key, pt_operation **out,
                                  pt_error *err)
{
    pt__cache_entry *entry = pt__cache_store_find(cache_of(session)->store, key);
    if (entry != NULL)
        return execute_hit(query, entry, out, err);
    return execute_reading(session, query, key, out, err);
}

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    if (query->plan == NULL || pt__plan_is_command(query->plan))
        return execute_write(session, query, out, err);
    if (!cache_of(session)->with_tables && reads_tables(query))
        return pt_forward_execute(session, query, out, err);
    lookup l = {.session = session, .query = query};
    pt__arena *arena = pt__arena_new(0);
    pt_status status = arena == NULL ? PT_OK : pt__guarded(arena, make_key, &l, NULL);
    if (status == PT_OK && l.key != NULL)
        status = execute_with_key(session, query, l.key, out, err);
    else
        status = pt_forward_execute(session, query, out, err);
    pt__arena_free(arena);
    return status;
}

static const pt_backend_vtable changes = {.size_bytes = sizeof(changes), .execute = execute};

const pt_wrapper_vtable pt_wrapper_cache = {
    .size_bytes = sizeof(pt_wrapper_vtable),
    .name = "cache",
    .self_bytes = sizeof(cache),
    .session_bytes = sizeof(pt_wrapper_session),
    .open = open_cache,
    .close = close_cache,
    .changes = &changes,
};
