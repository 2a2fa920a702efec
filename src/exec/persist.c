/*
 * Rows of persisted relations: DataFrame.persist(), CACHE TABLE. The first query that holds an equal relation has the
 * engine keep its rows; later ones read those. Relations are compared after analysis, so that names, views and
 * settings are settled. What reads tables or files is computed anew when a command may have changed them.
 */
#include "exec/persist.h"

#include "base/list.h"
#include "exec/session_catalog.h"
#include "plan/walk.h"

#include <stdlib.h>
#include <string.h>

/** Under the session's lock but for `references`, `memory` and `plan`. */
struct pt__persisted {
    atomic_size_t references;
    pt__shared_arena *memory;
    const pt_plan *plan; /* comparable */
    size_t column_count;
    bool reads_data;
    bool has_failed;  /* the engine could not keep the rows: they are computed each time */
    pt__kept *kept;   /* NULL: nobody has asked yet */
    uint64_t version; /* of the host's data when they were kept */
};

void pt__persisted_unref(pt__persisted *entry)
{
    if (entry == NULL || atomic_fetch_sub(&entry->references, 1) != 1)
        return;
    pt__kept_unref(entry->kept);
    pt__shared_arena_unref(entry->memory);
    free(entry);
}

/* ---- comparable relations: columns are numbered in the order in which the relation makes them ---- */

typedef struct comparison {
    pt__arena *arena;
    pt__list(uint32_t) made; /* ids, in order */
    uint32_t most;
    uint32_t *numbers; /* of ids: position + 1; 0 none */
    bool is_open;      /* refers to columns from outside, or holds rows that cannot be compared */
    bool reads_data;
} comparison;

static void note_id(comparison *c, uint32_t id)
{
    pt__list_push(c->arena, &c->made, id);
    c->most = id > c->most ? id : c->most;
}

static const pt_plan *note_plan(void *context, const pt_plan *plan)
{
    comparison *c = context;
    for (size_t i = 0; i < plan->column_count; i++)
        note_id(c, plan->columns[i].id);
    c->reads_data = c->reads_data || plan->kind == PT_PLAN_SCAN_TABLE || plan->kind == PT_PLAN_SCAN_FILES;
    if (plan->kind == PT_PLAN_LOCAL) {
        const pt_plan_local *local = pt__plan_as_local(plan);
        c->is_open =
            c->is_open || (local->data.size_bytes == 0 && local->cache_hash == NULL && local->chunk_count == 0);
    }
    bool is_other = plan->kind == PT_PLAN_STREAM || plan->kind == PT_PLAN_MAP_PYTHON || plan->kind == PT_PLAN_WITH ||
                    plan->kind == PT_PLAN_REFERENCE;
    c->is_open = c->is_open || is_other;
    return plan;
}

static const pt_expr *note_expr(void *context, const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_LAMBDA_VARIABLE)
        note_id(context, pt__expr_as_lambda_variable(expr)->id);
    return expr;
}

static void number_ids(comparison *c)
{
    c->numbers = pt__arena_array(c->arena, uint32_t, (size_t)c->most + 1);
    uint32_t next = 1;
    for (size_t i = 0; i < c->made.count; i++) {
        if (c->numbers[c->made.items[i]] == 0)
            c->numbers[c->made.items[i]] = next++;
    }
}

static uint32_t number_of(comparison *c, uint32_t id)
{
    uint32_t number = id <= c->most ? c->numbers[id] : 0;
    c->is_open = c->is_open || number == 0;
    return number;
}

/* Without names: an alias changes no value. */
static const pt_expr *renumber(void *context, const pt_expr *expr)
{
    comparison *c = context;
    if (expr->kind == PT_EXPR_ALIAS)
        return pt__expr_as_alias(expr)->child;
    if (expr->kind == PT_EXPR_COLUMN) {
        pt_expr_column *column = pt__expr_make(c->arena, COLUMN, column, NULL);
        *column = *pt__expr_as_column(expr);
        column->name = "";
        column->id = number_of(c, column->id);
        return &column->base;
    }
    if (expr->kind == PT_EXPR_LAMBDA_VARIABLE) {
        pt_expr_lambda_variable *variable = pt__expr_make(c->arena, LAMBDA_VARIABLE, lambda_variable, NULL);
        *variable = *pt__expr_as_lambda_variable(expr);
        variable->name = (pt_name){0};
        variable->id = number_of(c, variable->id);
        return &variable->base;
    }
    return expr;
}

/* NULL: the relation cannot be compared with others. */
static const pt_plan *comparable(comparison *c, const pt_plan *analyzed)
{
    const pt__rewriter notes = {note_plan, note_expr, c};
    const pt__rewriter numbers = {NULL, renumber, c};
    pt__plan_rewrite(c->arena, analyzed, &notes);
    if (c->is_open)
        return NULL;
    number_ids(c);
    const pt_plan *plan = pt__plan_rewrite(c->arena, analyzed, &numbers);
    return c->is_open ? NULL : plan;
}

/* ---- what a session persists ---- */

static pt__persisted *make_entry(pt__arena *arena, const pt_plan *analyzed)
{
    comparison c = {.arena = arena};
    const pt_plan *plan = comparable(&c, analyzed);
    pt__persisted *entry = plan == NULL ? NULL : calloc(1, sizeof(*entry));
    if (entry == NULL)
        return NULL;
    entry->memory = pt__shared_arena_new(0);
    if (entry->memory == NULL) {
        free(entry);
        return NULL;
    }
    atomic_init(&entry->references, 1);
    entry->plan = pt__plan_copy(entry->memory->arena, plan);
    entry->column_count = analyzed->column_count;
    entry->reads_data = c.reads_data;
    return entry;
}

void pt__session_persist(pt_session *session, pt__arena *arena, const char *key, const pt_plan *analyzed)
{
    pt__persisted *entry = make_entry(arena, analyzed);
    void *old = NULL;
    if (entry == NULL)
        return; /* its queries run as if it were not persisted */
    pthread_mutex_lock(&session->lock);
    bool has_room = !session->is_closed && session->persisted.live_count < session->host->limits.view_count;
    const pt__persisted *known = pt__map_get(&session->persisted, key);
    bool is_new = known == NULL || !pt__plan_equal(known->plan, entry->plan);
    bool stored = has_room && is_new && pt__map_set(&session->persisted, key, entry, &old);
    pthread_mutex_unlock(&session->lock);
    pt__persisted_unref(stored ? old : entry);
}

void pt__session_unpersist(pt_session *session, const char *key)
{
    pthread_mutex_lock(&session->lock);
    pt__persisted *old = pt__map_remove(&session->persisted, key);
    pthread_mutex_unlock(&session->lock);
    pt__persisted_unref(old);
}

void pt__session_unpersist_all(pt_session *session)
{
    const char *key;
    void *value;
    pthread_mutex_lock(&session->lock);
    pt__map old = session->persisted;
    session->persisted = (pt__map)PT_MAP_INIT;
    pthread_mutex_unlock(&session->lock);
    for (size_t at = 0; pt__map_next(&old, &at, &key, &value);)
        pt__persisted_unref(value);
    pt__map_deinit(&old);
}

/* ---- using them ---- */

typedef struct substitution {
    pt_session *session;
    pt_job *job;
    pt__arena *arena;
    pt__list(pt__persisted *) entries;
    pt_status status;
    pt_error *err;
} substitution;

static void drop_entry(void *entry)
{
    pt__persisted_unref(entry);
}

static void drop_kept(void *kept)
{
    pt__kept_unref(kept);
}

static void list_entries(substitution *s)
{
    const char *key;
    void *value;
    pthread_mutex_lock(&s->session->lock);
    size_t count = s->session->persisted.live_count;
    pthread_mutex_unlock(&s->session->lock);
    pt__persisted **entries = pt__arena_array(s->arena, pt__persisted *, count + 1); /* it may jump: not locked */
    size_t listed = 0;
    pthread_mutex_lock(&s->session->lock);
    for (size_t at = 0; listed < count && pt__map_next(&s->session->persisted, &at, &key, &value);) {
        entries[listed] = value;
        atomic_fetch_add(&entries[listed++]->references, 1);
    }
    pthread_mutex_unlock(&s->session->lock);
    for (size_t i = 0; i < listed; i++) {
        pt__arena_defer(s->arena, drop_entry, entries[i]);
        pt__list_push(s->arena, &s->entries, entries[i]);
    }
}

/* Types that were inferred from files may have changed with them. */
static bool has_types(const pt__kept *kept, const pt_plan *analyzed)
{
    for (size_t i = 0; i < analyzed->column_count; i++) {
        if (!pt__type_equal(kept->result.columns[i].type, analyzed->columns[i].type))
            return false;
    }
    return kept->result.column_count == analyzed->column_count;
}

/* A reference to the rows when they are there and hold, or NULL. */
static pt__kept *kept_rows(substitution *s, pt__persisted *entry, const pt_plan *analyzed)
{
    uint64_t version = atomic_load(&s->session->host->data_version);
    pthread_mutex_lock(&s->session->lock);
    bool holds =
        entry->kept != NULL && (!entry->reads_data || entry->version == version) && has_types(entry->kept, analyzed);
    pt__kept *kept = holds ? pt__kept_ref(entry->kept) : NULL;
    pthread_mutex_unlock(&s->session->lock);
    return kept;
}

/* Has the engine keep the rows; NULL when it does not. Cancelling the job is the only failure that ends the query. */
static pt__kept *keep_rows(substitution *s, pt__persisted *entry, const pt_plan *analyzed)
{
    pt_error failure = PT_ERROR_INIT;
    pt__kept *kept = NULL;
    uint64_t version = atomic_load(&s->session->host->data_version);
    pt_status status = pt__keep_relation(s->session, s->job, s->arena, analyzed, &kept, &failure);
    pt_error_clear(&failure);
    if (status != PT_OK)
        s->status = pt__job_check(s->job, s->err);
    pthread_mutex_lock(&s->session->lock);
    pt__kept *old = NULL;
    if (status == PT_OK) {
        old = entry->kept;
        entry->kept = pt__kept_ref(kept);
        entry->version = version;
    } else if (s->status == PT_OK) {
        entry->has_failed = true;
    }
    pthread_mutex_unlock(&s->session->lock);
    pt__kept_unref(old);
    return status == PT_OK ? kept : NULL;
}

static const pt_plan *read_kept(substitution *s, pt__kept *kept, const pt_plan *analyzed)
{
    pt_plan_cached *cached = pt__plan_make(s->arena, CACHED, cached, analyzed->origin);
    pt__arena_defer(s->arena, drop_kept, kept);
    cached->base.plan_id = analyzed->plan_id;
    cached->base.columns = analyzed->columns;
    cached->base.column_count = analyzed->column_count;
    cached->relation_id = "persisted";
    cached->result = &kept->result;
    return &cached->base;
}

static pt__persisted *find_equal(substitution *s, const pt_plan *analyzed)
{
    const pt_plan *plan = NULL;
    for (size_t i = 0; i < s->entries.count; i++) {
        pt__persisted *entry = s->entries.items[i];
        if (entry->has_failed || entry->plan->kind != analyzed->kind || entry->column_count != analyzed->column_count)
            continue;
        comparison c = {.arena = s->arena};
        if (plan == NULL)
            plan = comparable(&c, analyzed);
        if (plan == NULL)
            return NULL;
        if (pt__plan_equal(plan, entry->plan))
            return entry;
    }
    return NULL;
}

static const pt_plan *substitute(void *context, const pt_plan *analyzed)
{
    substitution *s = context;
    if (s->status != PT_OK)
        return analyzed;
    pt__persisted *entry = find_equal(s, analyzed);
    if (entry != NULL) {
        pt__kept *kept = kept_rows(s, entry, analyzed);
        if (kept == NULL)
            kept = keep_rows(s, entry, analyzed);
        if (kept != NULL)
            return read_kept(s, kept, analyzed);
    }
    const pt_plan *mapped = pt__plan_map_children(s->arena, analyzed, substitute, NULL, context);
    if (mapped != analyzed) { /* a copy: what analysis found stays */
        ((pt_plan *)mapped)->columns = analyzed->columns;
        ((pt_plan *)mapped)->column_count = analyzed->column_count;
    }
    return mapped;
}

pt_status pt__use_persisted(pt_session *session, pt_job *job, const pt_plan *analyzed, const pt_plan **out,
                            pt_error *err)
{
    *out = analyzed;
    pthread_mutex_lock(&session->lock);
    size_t count = session->persisted.live_count;
    pthread_mutex_unlock(&session->lock);
    if (count == 0 || job == NULL)
        return PT_OK;
    substitution s = {.session = session, .job = job, .arena = pt__job_arena(job), .err = err};
    list_entries(&s);
    *out = substitute(&s, analyzed);
    return s.status;
}
