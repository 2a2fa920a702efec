/* CACHE, UNCACHE and REFRESH TABLE. */
#include "exec/command.h"
#include "exec/schema_cache.h"
#include "exec/session_catalog.h"

#include <ctype.h>
#include <string.h>

/* "db.t" or "v" in lower case. */
static const char *cache_key(pt__command *c, const pt_name *name)
{
    pt__view *view = pt__session_find_view(c->session, name);
    pt__view_unref(view);
    char *key = view != NULL ? pt__arena_copy_string(c->arena, pt__command_quote(c, name))
                             : pt__arena_copy_string(c->arena, pt__command_full_name(c, name));
    for (char *at = key; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return key;
}

/* What a query of the table is analyzed to is persisted. */
static pt_status persist(pt__command *c, const char *key, const pt_name *name)
{
    pt_plan_scan_table *scan = pt__plan_make(c->arena, SCAN_TABLE, scan_table, NULL);
    const pt_plan *analyzed;
    scan->name = *name;
    PT_TRY(pt__analyze_for(c->session, c->job, c->arena, &scan->base, &analyzed, c->err));
    pt__session_persist(c->session, c->arena, key, analyzed);
    return PT_OK;
}

pt_status pt__command_set_cached(pt__command *c, const pt_name *name, bool is_cached)
{
    const char *key = cache_key(c, name);
    if (is_cached)
        PT_TRY(persist(c, key, name));
    else
        pt__session_unpersist(c->session, key);
    pthread_mutex_lock(&c->session->lock);
    bool stored = true;
    if (is_cached)
        stored = pt__map_set(&c->session->cached_tables, key, c->session, NULL);
    else
        pt__map_remove(&c->session->cached_tables, key);
    pthread_mutex_unlock(&c->session->lock);
    return stored ? PT_OK : pt_error_set(c->err, PT_NO_MEMORY, "no memory to remember a cached table");
}

bool pt__command_is_cached(pt__command *c, const pt_name *name)
{
    const char *key = cache_key(c, name);
    pthread_mutex_lock(&c->session->lock);
    bool is_cached = pt__map_get(&c->session->cached_tables, key) != NULL;
    pthread_mutex_unlock(&c->session->lock);
    return is_cached;
}

void pt__command_clear_cache(pt__command *c)
{
    pthread_mutex_lock(&c->session->lock);
    pt__map old = c->session->cached_tables;
    c->session->cached_tables = (pt__map)PT_MAP_INIT;
    pthread_mutex_unlock(&c->session->lock);
    pt__map_deinit(&old);
    pt__session_unpersist_all(c->session);
}

static pt_status cache_query(pt__command *c, const pt_plan_cache_table *node)
{
    pt_plan_create_view *view = pt__plan_make(c->arena, CREATE_VIEW, create_view, node->base.origin);
    const pt_plan *ignored;
    view->name = node->name;
    view->view_kind = PT_VIEW_TEMPORARY;
    view->query = node->query;
    return pt__command_create_view(c, view, &ignored);
}

PT_COMMAND(cache_table)
{
    const pt_plan *columns;
    if (node->is_refresh) {
        pt__schema_cache_clear(c->session->host);
        atomic_fetch_add(&c->session->host->data_version, 1);
    }
    if (node->name.count == 0) {
        if (!node->is_refresh)
            pt__command_clear_cache(c);
        return pt__rows_none(c->arena, out, c->err);
    }
    if (node->query != NULL)
        PT_TRY(cache_query(c, node));
    pt_status status = pt__command_columns(c, &node->name, node->base.origin, &columns);
    if (status != PT_OK && node->if_exists) {
        pt_error_clear(c->err);
        return pt__rows_none(c->arena, out, c->err);
    }
    PT_TRY(status);
    if (!node->is_refresh)
        PT_TRY(pt__command_set_cached(c, &node->name, !node->is_uncache));
    return pt__rows_none(c->arena, out, c->err);
}
