/* route: chooses by rules which of several backends runs a query; tables are run where they are. */
#include "base/list.h"
#include "base/map.h"
#include "plan/plan.h"
#include "plan/table.h"
#include "wrap/guarded.h"
#include "wrap/route_rules.h"
#include "wrap/tree.h"
#include "wrap/wrappers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TARGETS_MAX = 16, DETAIL_BYTES = 256 };

typedef struct router {
    pt_wrapper base;
    pt__route_rules rules;
    pt_backend targets[TARGETS_MAX]; /* the first is what is wrapped */
    size_t target_count;
    pthread_mutex_t lock;
    pt__map kept; /* "%p" of a kept result to its target */
} router;

typedef struct routed_session {
    pt_wrapper_session base;
    pthread_mutex_t lock;
    void *sessions[TARGETS_MAX]; /* opened when first needed; the first is base.inner */
} routed_session;

static router *router_of(void *session)
{
    return (router *)((pt_wrapper_session *)session)->wrapper;
}

/* ---- set-up ---- */

static size_t find_target(const router *r, const char *name)
{
    size_t i = 0;
    while (i < r->target_count && strcmp(r->targets[i].name, name) != 0)
        i++;
    return i;
}

static pt_status add_target(router *r, const pt_env *env, const pt__route_rule *rule, pt_error *err)
{
    if (find_target(r, rule->backend) != r->target_count)
        return PT_OK;
    if (r->target_count == TARGETS_MAX)
        return pt_error_set(err, PT_LIMIT, "%s: there are more than %d backends", rule->place, TARGETS_MAX);
    pt_status status = pt_host_backend(env->host, rule->backend, &r->targets[r->target_count], NULL);
    if (status != PT_OK)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "%s: there is no backend named %s", rule->place, rule->backend);
    r->target_count++;
    return PT_OK;
}

static pt_status open_router(void *self, const pt_config *config, pt_env *env, pt_error *err)
{
    router *r = self;
    pt_status status = pt__route_rules_read(pt_config_string(config, "route.rules", NULL), &r->rules, err);
    r->targets[0] = r->base.inner;
    r->target_count = 1;
    for (size_t i = 0; status == PT_OK && i < r->rules.count; i++)
        status = add_target(r, env, &r->rules.items[i], err);
    if (status == PT_OK)
        pthread_mutex_init(&r->lock, NULL);
    else
        pt__route_rules_deinit(&r->rules);
    return status;
}

static void close_router(void *self)
{
    router *r = self;
    pt__route_rules_deinit(&r->rules);
    pt__map_deinit(&r->kept);
    pthread_mutex_destroy(&r->lock);
}

static pt_status open_routed(void *session, const pt_session_request *request, pt_error *err)
{
    routed_session *s = session;
    (void)request;
    (void)err;
    pthread_mutex_init(&s->lock, NULL);
    s->sessions[0] = s->base.inner;
    return PT_OK;
}

static void close_routed(void *session)
{
    routed_session *s = session;
    const router *r = router_of(session);
    for (size_t i = 1; i < r->target_count; i++)
        if (s->sessions[i] != NULL)
            r->targets[i].vtable->close_session(s->sessions[i]);
    pthread_mutex_destroy(&s->lock);
}

static pt_status session_on(void *session, size_t target, void **out, pt_error *err)
{
    routed_session *s = session;
    const pt_backend *backend = &router_of(session)->targets[target];
    const pt_session_request request = {sizeof(request), s->base.user, s->base.session_id};
    pt_status status = PT_OK;
    pthread_mutex_lock(&s->lock);
    if (s->sessions[target] == NULL)
        status = backend->vtable->open_session(backend->self, &request, &s->sessions[target], err);
    *out = s->sessions[target];
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* ---- the catalog: all of them, the first one first ---- */

static pt_status table_on(void *session, size_t target, const char *database, const char *name, pt__arena *arena,
                          const pt_table **out, pt_error *err)
{
    const pt_backend *backend = &router_of(session)->targets[target];
    void *inner;
    if (!pt_backend_has(backend, get_table))
        return PT_NOT_FOUND;
    PT_TRY(session_on(session, target, &inner, err));
    return backend->vtable->get_table(inner, database, name, arena, out, err);
}

static pt_status find_table(void *session, const char *database, const char *name, pt__arena *arena, size_t *target,
                            const pt_table **out, pt_error *err)
{
    pt_status status = PT_NOT_FOUND;
    for (*target = 0; *target < router_of(session)->target_count; (*target)++) {
        status = table_on(session, *target, database, name, arena, out, err);
        if (status != PT_NOT_FOUND)
            return status;
    }
    return status;
}

static pt_status get_table(void *session, const char *database, const char *name, struct pt__arena *arena,
                           const struct pt_table **out, pt_error *err)
{
    size_t target;
    PT_TRY(find_table(session, database, name, arena, &target, out, err));
    pt_table *table = pt__arena_copy(arena, *out, sizeof(*table));
    table->backend = router_of(session)->targets[target].name;
    *out = table;
    return PT_OK;
}

typedef pt__list(const pt_table *) table_list;

static bool has_table(const table_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcasecmp(list->items[i]->name, name) == 0)
            return true;
    return false;
}

/* A database that only some of them have is no error of the others. */
static pt_status list_on(void *session, size_t target, const char *database, pt__arena *arena, table_list *out,
                         pt_error *err)
{
    const pt_backend *backend = &router_of(session)->targets[target];
    const pt_table *const *found;
    size_t count = 0;
    void *inner;
    if (!pt_backend_has(backend, list_tables))
        return PT_OK;
    PT_TRY(session_on(session, target, &inner, err));
    pt_status status = backend->vtable->list_tables(inner, database, arena, &found, &count, err);
    if (status != PT_OK && target != 0)
        return PT_OK;
    for (size_t i = 0; status == PT_OK && i < count; i++)
        if (!has_table(out, found[i]->name))
            pt__list_push(arena, out, found[i]);
    return status;
}

static pt_status list_tables(void *session, const char *database, struct pt__arena *arena,
                             const struct pt_table *const **out, size_t *count, pt_error *err)
{
    table_list list = {0};
    for (size_t i = 0; i < router_of(session)->target_count; i++)
        PT_TRY(list_on(session, i, database, arena, &list, err));
    *out = list.items;
    *count = list.count;
    return PT_OK;
}

/* ---- the choice ---- */

typedef struct choice {
    void *session;
    const pt_query *query;
    pt__arena *arena;
    pt__list(const char *) tables;
    pt__list(const char *) paths;
    uint64_t bytes;
    size_t home; /* the target of tables that are read or changed; target_count: none yet */
    const char *home_table;
    const char *other_table; /* one that is elsewhere */
    size_t target;
    char why[DETAIL_BYTES];
} choice;

static void bind_to(choice *c, size_t target, const char *table)
{
    if (c->home == router_of(c->session)->target_count) {
        c->home = target;
        c->home_table = table;
    } else if (c->home != target) {
        c->other_table = table;
    }
}

static void see_table(choice *c, const pt_table *table)
{
    const char *key = pt__arena_printf(c->arena, "%s.%s", table->database, table->name);
    pt__list_push(c->arena, &c->tables, key);
    bind_to(c, table->backend == NULL ? 0 : find_target(router_of(c->session), table->backend), key);
}

static void see_files(choice *c, const pt_plan_scan_files *scan)
{
    if (scan->table != NULL) {
        const char *key = pt__arena_printf(c->arena, "%s.%s", scan->table->database, scan->table->name);
        pt__list_push(c->arena, &c->tables, key);
    }
    for (size_t i = 0; scan->files != NULL && i < scan->files->file_count; i++) {
        pt__list_push(c->arena, &c->paths, scan->files->files[i].path);
        c->bytes += scan->files->files[i].size_bytes < 0 ? 0 : (uint64_t)scan->files->files[i].size_bytes;
    }
}

static void see_kept(choice *c, const pt_plan_cached *cached)
{
    router *r = router_of(c->session);
    char key[32];
    snprintf(key, sizeof(key), "%p", cached->result->handle);
    pthread_mutex_lock(&r->lock);
    const pt_backend *found = pt__map_get(&r->kept, key);
    pthread_mutex_unlock(&r->lock);
    bind_to(c, found == NULL ? 0 : (size_t)(found - r->targets), "a checkpoint");
}

static bool see(void *context, const pt_plan *plan, uint32_t depth)
{
    choice *c = context;
    (void)depth;
    if (plan->kind == PT_PLAN_SCAN_TABLE)
        see_table(c, pt__plan_as_scan_table(plan)->table);
    if (plan->kind == PT_PLAN_SCAN_FILES)
        see_files(c, pt__plan_as_scan_files(plan));
    if (plan->kind == PT_PLAN_CACHED && pt__plan_as_cached(plan)->result != NULL)
        see_kept(c, pt__plan_as_cached(plan));
    return true;
}

/* What a command changes is where it is; what it makes is placed by the rules. */
static pt_status see_name(choice *c, const pt_name *name, pt_error *err)
{
    const char *database = name->count > 1 ? name->parts[name->count - 2] : "default";
    const char *object = name->parts[name->count - 1];
    const pt_table *table;
    size_t target;
    pt__list_push(c->arena, &c->tables, pt__arena_printf(c->arena, "%s.%s", database, object));
    pt_status status = find_table(c->session, database, object, c->arena, &target, &table, err);
    if (status == PT_NOT_FOUND)
        return PT_OK;
    PT_TRY(status);
    bind_to(c, target, c->tables.items[c->tables.count - 1]);
    return PT_OK;
}

/* Views and databases belong to the first one. */
static pt_status see_first(choice *c, const char *what)
{
    bind_to(c, 0, what);
    return PT_OK;
}

static pt_status see_drop(choice *c, const pt_plan_drop *node, pt_error *err)
{
    return node->object_kind == PT_OBJECT_DATABASE ? see_first(c, "the databases") : see_name(c, &node->name, err);
}

static pt_status see_command(choice *c, const pt_plan *plan, pt_error *err)
{
    switch ((int)plan->kind) {
    case PT_PLAN_CREATE_TABLE: return see_name(c, &pt__plan_as_create_table(plan)->name, err);
    case PT_PLAN_INSERT: return see_name(c, &pt__plan_as_insert(plan)->table, err);
    case PT_PLAN_DROP: return see_drop(c, pt__plan_as_drop(plan), err);
    case PT_PLAN_ALTER_TABLE: return see_name(c, &pt__plan_as_alter_table(plan)->name, err);
    case PT_PLAN_DELETE: return see_name(c, &pt__plan_as_delete(plan)->table, err);
    case PT_PLAN_UPDATE: return see_name(c, &pt__plan_as_update(plan)->table, err);
    case PT_PLAN_CREATE_VIEW: return see_first(c, "the views");
    case PT_PLAN_CREATE_DATABASE: return see_first(c, "the databases");
    default: return PT_OK;
    }
}

static bool has_analyzed_query(const pt_plan *plan)
{
    return plan->kind != PT_PLAN_CREATE_VIEW && plan->kind != PT_PLAN_ALTER_TABLE;
}

static pt_status look(choice *c, pt_error *err)
{
    const pt_plan *plan = c->query->plan;
    if (plan == NULL)
        return PT_OK;
    if (pt__plan_is_command(plan))
        PT_TRY(see_command(c, plan, err));
    if (has_analyzed_query(plan))
        pt__tree_walk(plan, &(pt__tree_visitor){see, NULL, c});
    return PT_OK;
}

static void decide_by_rules(choice *c)
{
    const router *r = router_of(c->session);
    const pt__route_facts facts = {
        .user = ((const pt_wrapper_session *)c->session)->user,
        .query = c->query,
        .tables = c->tables.items,
        .table_count = c->tables.count,
        .paths = c->paths.items,
        .path_count = c->paths.count,
        .bytes = c->bytes,
    };
    const pt__route_rule *rule = pt__route_rules_find(&r->rules, &facts);
    c->target = rule == NULL ? 0 : find_target(r, rule->backend);
    snprintf(c->why, sizeof(c->why), "route: %s (%s)", r->targets[c->target].name,
             rule == NULL ? "no rule fits" : rule->place);
}

static pt_status choose(void *context, pt__arena *arena, pt_error *err)
{
    choice *c = context;
    const router *r = router_of(c->session);
    c->arena = arena;
    c->home = r->target_count;
    PT_TRY(look(c, err));
    if (c->other_table != NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "no backend has all of it: %s is in %s, %s is not", c->home_table,
                            r->targets[c->home].name, c->other_table);
    if (c->home == r->target_count) {
        decide_by_rules(c);
        return PT_OK;
    }
    c->target = c->home;
    snprintf(c->why, sizeof(c->why), "route: %s (%s is there)", r->targets[c->home].name, c->home_table);
    return PT_OK;
}

static pt_status choose_for(void *session, const pt_query *query, choice *out, pt_error *err)
{
    *out = (choice){.session = session, .query = query};
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to choose a backend");
    pt_status status = pt__guarded(arena, choose, out, err);
    pt__arena_free(arena);
    return status;
}

/* ---- queries ---- */

typedef struct routed {
    pt_wrapper_operation base;
    char detail[DETAIL_BYTES];
} routed;

static const char *detail(pt_operation *operation)
{
    return ((routed *)operation)->detail;
}

static const pt_operation_vtable routed_vtable = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = pt_forward_operation_id,
    .status = pt_forward_operation_status,
    .cancel = pt_forward_operation_cancel,
    .result = pt_forward_operation_result,
    .failure = pt_forward_operation_failure,
    .progress = pt_forward_operation_progress,
    .free = pt_forward_operation_free,
    .detail = detail,
};

/* Runs a command to its end; it gives no rows of interest. */
static pt_status run_on(void *session, size_t target, const pt_query *query, pt_error *err)
{
    const pt_backend *backend = &router_of(session)->targets[target];
    pt_operation *operation;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    void *inner;
    PT_TRY(session_on(session, target, &inner, err));
    PT_TRY(backend->vtable->execute(inner, query, &operation, err));
    pt_status status = operation->vtable->result(operation, &stream, err);
    while (status == PT_OK) {
        if (stream.get_next(&stream, &batch) != 0)
            status = pt_error_set(err, PT_EXECUTION, "%s", stream.get_last_error(&stream));
        else if (batch.release == NULL)
            break;
        else
            batch.release(&batch);
    }
    if (stream.release != NULL)
        stream.release(&stream);
    operation->vtable->free(operation);
    return status;
}

/* Every backend has the same databases. */
static void run_on_others(void *session, const pt_query *query)
{
    if (query->plan == NULL)
        return;
    bool is_drop =
        query->plan->kind == PT_PLAN_DROP && pt__plan_as_drop(query->plan)->object_kind == PT_OBJECT_DATABASE;
    if (!is_drop && query->plan->kind != PT_PLAN_CREATE_DATABASE)
        return;
    for (size_t i = 1; i < router_of(session)->target_count; i++)
        run_on(session, i, query, NULL); /* it may be there, or gone, already */
}

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    choice c;
    void *inner;
    PT_TRY(choose_for(session, query, &c, err));
    PT_TRY(session_on(session, c.target, &inner, err));
    routed *operation = calloc(1, sizeof(*operation));
    if (operation == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    run_on_others(session, query);
    const pt_backend *backend = &router_of(session)->targets[c.target];
    pt_status status = backend->vtable->execute(inner, query, &operation->base.inner, err);
    if (status != PT_OK) {
        free(operation);
        return status;
    }
    operation->base.base.vtable = &routed_vtable;
    memcpy(operation->detail, c.why, sizeof(operation->detail));
    *out = &operation->base.base;
    return PT_OK;
}

static pt_status describe(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    choice c;
    void *inner;
    PT_TRY(choose_for(session, query, &c, err));
    PT_TRY(session_on(session, c.target, &inner, err));
    return router_of(session)->targets[c.target].vtable->describe(inner, query, out, err);
}

static pt_status explain(void *session, const pt_query *query, struct pt__arena *arena, const char **out, pt_error *err)
{
    choice c;
    void *inner;
    const char *text = "";
    PT_TRY(choose_for(session, query, &c, err));
    const pt_backend *backend = &router_of(session)->targets[c.target];
    if (pt_backend_has(backend, explain)) {
        PT_TRY(session_on(session, c.target, &inner, err));
        PT_TRY(backend->vtable->explain(inner, query, arena, &text, err));
    }
    *out = pt__arena_printf(arena, "%s\n%s", c.why, text);
    return PT_OK;
}

/* ---- proofs of writes: whoever has one ---- */

static pt_status was_committed(void *session, const char *operation_id, bool *out, pt_error *err)
{
    *out = false;
    for (size_t i = 0; !*out && i < router_of(session)->target_count; i++) {
        const pt_backend *backend = &router_of(session)->targets[i];
        void *inner;
        if (!pt_backend_has(backend, was_committed))
            continue;
        PT_TRY(session_on(session, i, &inner, err));
        PT_TRY(backend->vtable->was_committed(inner, operation_id, out, err));
    }
    return PT_OK;
}

/* ---- kept results ---- */

static void remember_kept(router *r, const void *kept, size_t target)
{
    char key[32];
    snprintf(key, sizeof(key), "%p", kept);
    pthread_mutex_lock(&r->lock);
    pt__map_set(&r->kept, key, &r->targets[target], NULL);
    pthread_mutex_unlock(&r->lock);
}

static pt_status keep(void *session, const pt_query *query, void **kept, pt_error *err)
{
    choice c;
    void *inner;
    PT_TRY(choose_for(session, query, &c, err));
    const pt_backend *backend = &router_of(session)->targets[c.target];
    if (!pt_backend_has(backend, keep))
        return pt_error_set(err, PT_UNSUPPORTED, "the backend %s keeps no results", backend->name);
    PT_TRY(session_on(session, c.target, &inner, err));
    PT_TRY(backend->vtable->keep(inner, query, kept, err));
    remember_kept(router_of(session), *kept, c.target);
    return PT_OK;
}

static void release_kept(void *self, void *kept)
{
    router *r = self;
    char key[32];
    snprintf(key, sizeof(key), "%p", kept);
    pthread_mutex_lock(&r->lock);
    const pt_backend *found = pt__map_remove(&r->kept, key);
    pthread_mutex_unlock(&r->lock);
    const pt_backend *backend = found == NULL ? &r->targets[0] : found;
    backend->vtable->release_kept(backend->self, kept);
}

static const pt_backend_vtable changes = {
    .size_bytes = sizeof(changes),
    .describe = describe,
    .execute = execute,
    .get_table = get_table,
    .list_tables = list_tables,
    .explain = explain,
    .keep = keep,
    .release_kept = release_kept,
    .was_committed = was_committed,
};

const pt_wrapper_vtable pt_wrapper_route = {
    .size_bytes = sizeof(pt_wrapper_vtable),
    .name = "route",
    .self_bytes = sizeof(router),
    .session_bytes = sizeof(routed_session),
    .open = open_router,
    .close = close_router,
    .open_session = open_routed,
    .close_session = close_routed,
    .changes = &changes,
};
