#include "exec/session_catalog.h"

#include "analyze/analyze.h"
#include "exec/run.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char pt__catalog_name[] = "spark_catalog";
const char pt__global_temp[] = "global_temp";

static const pt__session_catalog *session_of(pt__catalog *catalog)
{
    return (const pt__session_catalog *)catalog;
}

/* ---- names ---- */

bool pt__strip_catalog(const pt_name *name, const char **database, const char **object)
{
    if (name->count == 0 || name->count > 3 || (name->count == 3 && strcasecmp(name->parts[0], pt__catalog_name) != 0))
        return false;
    *object = name->parts[name->count - 1];
    *database = name->count == 1 ? NULL : name->parts[name->count - 2];
    return true;
}

pt_status pt__session_parse_name(pt__session_catalog *catalog, const char *text, pt_name *out, pt_error *err)
{
    pt__sql_options options = pt__session_sql_options(catalog);
    return pt__sql_parse_name(catalog->arena, (pt_text_view){text, strlen(text)}, &options, out, err);
}

static pt_name full_name(pt__arena *arena, const char *database, const char *table)
{
    const char **parts = pt__arena_array(arena, const char *, 3);
    parts[0] = pt__catalog_name;
    parts[1] = database;
    parts[2] = table;
    return (pt_name){parts, 3};
}

/* ---- configuration ---- */

static int compare_key(const void *key, const void *pair)
{
    return strcmp(key, ((const pt__conf_pair *)pair)->key);
}

static const char *conf(pt__catalog *catalog, const char *key)
{
    const pt__session_catalog *c = session_of(catalog);
    const pt__conf_pair *set =
        c->conf_count == 0 ? NULL : bsearch(key, c->conf, c->conf_count, sizeof(*c->conf), compare_key);
    if (set != NULL)
        return set->value;
    if (strcmp(key, "spark.sql.session.timeZone") == 0)
        return c->time_zone;
    if (strcmp(key, "spark.sql.warehouse.dir") == 0)
        return pt__arena_printf(c->arena, "file:%s", c->session->host->warehouse);
    const pt__conf_row *row = pt__conf_find(key);
    return row == NULL ? NULL : row->value;
}

static bool conf_is_true(const pt__session_catalog *catalog, const char *key)
{
    const char *value = conf((pt__catalog *)&catalog->base, key);
    return value != NULL && strcasecmp(value, "true") == 0;
}

pt__sql_options pt__session_sql_options(const pt__session_catalog *catalog)
{
    const char *timestamp = conf((pt__catalog *)&catalog->base, "spark.sql.timestampType");
    return (pt__sql_options){
        .double_quoted_identifiers = conf_is_true(catalog, "spark.sql.ansi.doubleQuotedIdentifiers"),
        .escaped_string_literals = conf_is_true(catalog, "spark.sql.parser.escapedStringLiterals"),
        .enforce_reserved_keywords = conf_is_true(catalog, "spark.sql.ansi.enforceReservedKeywords"),
        .timestamp_is_ntz = timestamp != NULL && strcasecmp(timestamp, "TIMESTAMP_NTZ") == 0,
    };
}

/* ---- relations ---- */

static void drop_view(void *view)
{
    pt__view_unref(view);
}

/* The arena keeps the view: its plan may become part of the analyzed one. */
static void use_view(pt__session_catalog *c, pt__view *view, bool is_global, pt__relation *out)
{
    pt__arena_defer(c->arena, drop_view, view);
    pt__list_push(c->arena, &c->used_views, view);
    const char **parts = pt__arena_array(c->arena, const char *, 2);
    parts[0] = is_global ? pt__global_temp : view->name;
    parts[1] = view->name;
    *out = (pt__relation){
        .origin = PT_RELATION_VIEW,
        .view = view->plan,
        .view_database = view->database,
        .is_temporary = true,
        .view_column_names = view->column_names,
        .view_column_count = view->column_count,
        .name = {parts, is_global ? 2 : 1},
    };
}

static pt_status read_view(pt__session_catalog *c, const pt_table *table, pt__relation *out, pt_error *err)
{
    pt__sql_options options = pt__session_sql_options(c);
    PT_TRY(pt__sql_parse_statement(c->arena, (pt_text_view){table->view_text, strlen(table->view_text)}, &options,
                                   &out->view, err));
    out->origin = PT_RELATION_VIEW;
    out->view_database = table->view_database == NULL ? table->database : table->view_database;
    if (table->schema == NULL)
        return PT_OK;
    const char **names = pt__arena_array(c->arena, const char *, table->schema->field_count);
    for (size_t i = 0; i < table->schema->field_count; i++)
        names[i] = table->schema->fields[i].name;
    out->view_column_names = names;
    out->view_column_count = table->schema->field_count;
    return PT_OK;
}

static pt_status use_table(pt__session_catalog *c, const pt_table *table, pt__relation *out, pt_error *err)
{
    *out = (pt__relation){
        .origin = PT_RELATION_TABLE,
        .name = full_name(c->arena, table->database, table->name),
        .table = table,
    };
    return table->kind == PT_TABLE_VIEW ? read_view(c, table, out, err) : PT_OK;
}

/* FROM parquet.`path`: files without a table. */
static void use_files(pt__session_catalog *c, const char *format, const char *path, pt__relation *out)
{
    pt_plan_scan_files *scan = pt__plan_make(c->arena, SCAN_FILES, scan_files, NULL);
    const char **paths = pt__arena_array(c->arena, const char *, 1);
    const char **parts = pt__arena_array(c->arena, const char *, 2);
    parts[0] = format;
    parts[1] = paths[0] = path;
    scan->format = format;
    scan->paths = paths;
    scan->path_count = 1;
    *out = (pt__relation){.origin = PT_RELATION_VIEW, .view = &scan->base, .name = {parts, 2}};
}

static pt_status find_relation(pt__catalog *catalog, pt__arena *arena, const pt_name *name, pt__relation *out,
                               pt_error *err)
{
    pt__session_catalog *c = (pt__session_catalog *)catalog;
    const char *database = NULL;
    const char *object;
    if (c->job != NULL)
        PT_TRY(pt__job_check(c->job, err));
    pt__view *view = pt__session_find_view(c->session, name);
    if (view != NULL) {
        bool is_global = name->count == 2 && pt__is_global_temp(name->parts[0]);
        if (is_global || view->text == NULL)
            pt__job_needs(c->job, "the temporary view", view->name);
        use_view(c, view, is_global, out);
        return PT_OK;
    }
    if (!pt__strip_catalog(name, &database, &object))
        return PT_NOT_FOUND;
    const pt_table *table;
    pt_status status =
        pt__session_get_table(c->session, database == NULL ? c->database : database, object, arena, &table, err);
    if (status == PT_OK)
        return use_table(c, table, out, err);
    if (status == PT_NOT_FOUND && name->count == 2 && pt__is_file_format(database)) {
        use_files(c, database, object, out);
        return PT_OK;
    }
    return status;
}

pt_status pt__session_get_table(pt_session *session, const char *database, const char *name, pt__arena *arena,
                                const pt_table **out, pt_error *err)
{
    pt__backend_slot *slot;
    void *backend_session;
    PT_TRY(pt__session_backend(session, &slot, &backend_session, err));
    if (!pt__backend_has(slot, get_table))
        return PT_NOT_FOUND;
    pt_error inner = PT_ERROR_INIT;
    pt_status status = slot->vtable->get_table(backend_session, database, name, arena, out, &inner);
    if (status != PT_OK && status != PT_NOT_FOUND && err != NULL)
        pt_error_move(err, &inner);
    pt_error_clear(&inner);
    return status;
}

/* ---- functions ---- */

static void drop_function(void *entry)
{
    pt__function_entry_unref(entry);
}

static pt_status find_function(pt__catalog *catalog, pt__arena *arena, const pt_name *name,
                               const pt__user_function **out, pt_error *err)
{
    const pt__session_catalog *c = session_of(catalog);
    pt__function_entry *entry = pt__session_find_function(c->session, name, c->database);
    if (entry == NULL)
        return PT_NOT_FOUND;
    pt__job_needs(c->job, "the function", entry->function.name);
    pt__arena_defer(arena, drop_function, entry);
    if (entry->class_name != NULL)
        return pt__raise(err, PT_COND_CANNOT_LOAD_FUNCTION_CLASS, "className", entry->class_name, "functionName",
                         pt__arena_printf(arena, "`%s`", entry->function.name), NULL);
    *out = &entry->function;
    return PT_OK;
}

/* ---- the rest ---- */

static pt_status find_files(pt__catalog *catalog, pt__arena *arena, const pt_plan_scan_files *scan,
                            const pt_file_set **out, pt_error *err)
{
    pt__session_catalog *c = (pt__session_catalog *)catalog;
    if (c->job != NULL)
        PT_TRY(pt__job_check(c->job, err));
    return pt__session_find_files(c, arena, scan, out, err);
}

static pt_status find_local(pt__catalog *catalog, pt__arena *arena, const pt_plan_local *local, const pt_type **schema,
                            const pt_local_data **out, pt_error *err)
{
    return pt__session_find_local((pt__session_catalog *)catalog, arena, local, schema, out, err);
}

static void drop_kept(void *kept)
{
    pt__kept_unref(kept);
}

static pt_status find_cached(pt__catalog *catalog, pt__arena *arena, const char *relation_id,
                             const pt_cached_result **out, pt_error *err)
{
    pt_session *session = session_of(catalog)->session;
    pthread_mutex_lock(&session->lock);
    pt__kept *kept = pt__map_get(&session->kept, relation_id);
    if (kept != NULL)
        pt__kept_ref(kept);
    pthread_mutex_unlock(&session->lock);
    if (kept == NULL)
        return pt__raise(err, PT_COND_DATAFRAME_NOT_FOUND, "dfId", relation_id, "sessionId", session->client_id, NULL);
    pt__job_needs(session_of(catalog)->job, "the kept rows", relation_id);
    pt__arena_defer(arena, drop_kept, kept);
    *out = &kept->result;
    return PT_OK;
}

/* spark.sql.pivotMaxValues is checked by analysis; this only bounds memory. */
enum { COLLECTED_ROWS_MAX = 100000 };

static pt_status collect(pt__catalog *catalog, pt__arena *arena, const pt_plan *analyzed, const pt_value **cells,
                         size_t *row_count, pt_error *err)
{
    const pt__session_catalog *c = session_of(catalog);
    return pt__collect_cells(c->session, c->job, arena, analyzed, COLLECTED_ROWS_MAX, cells, row_count, err);
}

static pt_status each_text(pt__catalog *catalog, const pt_plan *analyzed,
                           pt_status (*take)(void *context, pt_text_view text, pt_error *err), void *context,
                           pt_error *err)
{
    const pt__session_catalog *c = session_of(catalog);
    return pt__each_text(c->session, c->job, analyzed, take, context, err);
}

static const char *current_catalog(pt__catalog *catalog)
{
    (void)catalog;
    return pt__catalog_name;
}

static const char *current_database(pt__catalog *catalog)
{
    return session_of(catalog)->database;
}

static const char *current_user(pt__catalog *catalog)
{
    return session_of(catalog)->session->user;
}

static int64_t now_us(pt__catalog *catalog)
{
    return session_of(catalog)->now_us;
}

static const pt__catalog_vtable vtable = {
    .find_relation = find_relation,
    .find_function = find_function,
    .find_files = find_files,
    .find_local = find_local,
    .find_cached = find_cached,
    .collect = collect,
    .each_text = each_text,
    .conf = conf,
    .current_catalog = current_catalog,
    .current_database = current_database,
    .current_user = current_user,
    .now_us = now_us,
};

pt__session_catalog *pt__session_catalog_new(pt_session *session, pt_job *job, pt__arena *arena)
{
    char zone[PT_ZONE_NAME_MAX];
    pt__session_catalog *c = pt__arena_make(arena, pt__session_catalog);
    c->base.vtable = &vtable;
    c->session = session;
    c->job = job;
    c->arena = arena;
    c->now_us = pt__host_now_us(session->host);
    c->database = pt__session_database(session, arena);
    pt__session_conf_all(session, arena, "", &c->conf, &c->conf_count);
    pt__zones_system_name(zone);
    c->time_zone = pt__arena_copy_string(arena, zone);
    return c;
}

pt_status pt__analyze_for(pt_session *session, pt_job *job, pt__arena *arena, const pt_plan *plan, const pt_plan **out,
                          pt_error *err)
{
    pt__session_catalog *catalog = pt__session_catalog_new(session, job, arena);
    return pt__analyze(arena, &catalog->base, plan, out, err);
}
