/* spark.catalog: each call is a relation with the columns that clients read by position. */
#include "analyze/analyze.h"
#include "analyze/function.h"
#include "exec/command.h"
#include "exec/schema_cache.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- one cell ---- */

static pt_status one_text(pt__command *c, const char *text, const pt_plan **out)
{
    const pt__row_column column = {"value", PT_T(STRING), true};
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    pt__rows_text(rows, text);
    return pt__rows_plan(rows, out, c->err);
}

static pt_status one_boolean(pt__command *c, bool value, const pt_plan **out)
{
    const pt__row_column column = {"value", PT_T(BOOLEAN), false};
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    pt__rows_boolean(rows, value);
    return pt__rows_plan(rows, out, c->err);
}

/* What calls without an answer give: one column, no rows. */
static pt_status nothing(pt__command *c, const pt_plan **out)
{
    const pt__row_column column = {"value", PT_T(STRING), false};
    return pt__rows_plan(pt__rows_new(c->arena, &column, 1), out, c->err);
}

/* ---- names ---- */

/* "t", "db.t", "catalog.db.t", or "t" with `database` beside it. */
static pt_status object_name(pt__command *c, const pt_plan_catalog *node, pt_name *out)
{
    PT_TRY(pt__session_parse_name(c->catalog, node->object, out, c->err));
    if (node->database == NULL)
        return PT_OK;
    const char **parts = pt__arena_array(c->arena, const char *, 2);
    parts[0] = node->database;
    parts[1] = pt__name_last(out);
    *out = (pt_name){parts, 2};
    return PT_OK;
}

static pt_status database_name(pt__command *c, const char *given, const char **out)
{
    pt_name name;
    *out = c->catalog->database;
    if (given == NULL)
        return PT_OK;
    PT_TRY(pt__session_parse_name(c->catalog, given, &name, c->err));
    *out = pt__name_last(&name);
    if (name.count < 2 || strcasecmp(name.parts[0], pt__catalog_name) == 0)
        return PT_OK;
    return pt__raise(c->err, PT_COND_CATALOG_NOT_FOUND, "catalogName",
                     pt__arena_printf(c->arena, "`%s`", name.parts[0]), "config",
                     pt__arena_printf(c->arena, "\"spark.sql.catalog.%s\"", name.parts[0]), NULL);
}

/* ---- databases and catalogs ---- */

static pt__rows *new_databases(pt__command *c)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {
        {"name", text, true}, {"catalog", text, true}, {"description", text, true}, {"locationUri", text, true}};
    return pt__rows_new(c->arena, columns, 4);
}

static void add_database(pt__command *c, pt__rows *rows, const pt_database *database)
{
    const char *location = database->location;
    pt__rows_text(rows, database->name);
    pt__rows_text(rows, pt__catalog_name);
    pt__rows_text(rows, database->comment);
    pt__rows_text(rows, location == NULL ? NULL : pt__arena_printf(c->arena, "file:%s", location));
}

/* `only` NULL: all that fit the pattern. */
static pt_status databases(pt__command *c, const char *pattern, const char *only, const pt_plan **out)
{
    const pt_database *list;
    size_t count;
    PT_TRY(pt__command_databases(c, &list, &count));
    pt__rows *rows = new_databases(c);
    for (size_t i = 0; i < count; i++)
        if (only == NULL ? pt__like(pattern, list[i].name) : strcasecmp(only, list[i].name) == 0)
            add_database(c, rows, &list[i]);
    return pt__rows_plan(rows, out, c->err);
}

static pt_status get_database(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    const char *database;
    PT_TRY(database_name(c, node->object != NULL ? node->object : node->database, &database));
    PT_TRY(pt__command_need_database(c, database));
    return databases(c, NULL, database, out);
}

static pt_status database_exists(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    const char *database;
    bool exists;
    PT_TRY(database_name(c, node->object != NULL ? node->object : node->database, &database));
    PT_TRY(pt__command_has_database(c, database, &exists));
    return one_boolean(c, exists || pt__is_global_temp(database), out);
}

static pt_status set_database(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    const char *database;
    PT_TRY(database_name(c, node->object != NULL ? node->object : node->database, &database));
    PT_TRY(pt__command_need_database(c, database));
    PT_TRY(pt__session_set_database(c->session, database, c->err));
    return nothing(c, out);
}

static pt_status list_catalogs(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    const pt__row_column columns[] = {{"name", PT_T(STRING), true}, {"description", PT_T(STRING), true}};
    pt__rows *rows = pt__rows_new(c->arena, columns, 2);
    if (pt__like(node->pattern, pt__catalog_name)) {
        pt__rows_text(rows, pt__catalog_name);
        pt__rows_null(rows);
    }
    return pt__rows_plan(rows, out, c->err);
}

static pt_status set_catalog(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_plan_use *use = pt__plan_make(c->arena, USE, use, NULL);
    const pt_plan *ignored;
    use->name = pt__name_one(c->arena, node->object != NULL ? node->object : "");
    use->is_catalog = true;
    PT_TRY(pt__command_use(c, use, &ignored));
    return nothing(c, out);
}

/* ---- tables ---- */

static pt__rows *new_tables(pt__command *c)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {{"name", text, true},
                                      {"catalog", text, true},
                                      {"namespace", pt__type_array(c->arena, text, true), true},
                                      {"description", text, true},
                                      {"tableType", text, true},
                                      {"isTemporary", PT_T(BOOLEAN), false}};
    return pt__rows_new(c->arena, columns, 6);
}

static void add_table(pt__rows *rows, const pt_table *table)
{
    static const char *const kinds[] = {"MANAGED", "EXTERNAL", "VIEW"};
    pt__rows_text(rows, table->name);
    pt__rows_text(rows, pt__catalog_name);
    pt__rows_texts(rows, &table->database, 1);
    pt__rows_text(rows, table->comment);
    pt__rows_text(rows, kinds[table->kind]);
    pt__rows_boolean(rows, false);
}

static void add_view(pt__rows *rows, const pt__view *view, bool is_global)
{
    const char *database = pt__global_temp;
    pt__rows_text(rows, view->name);
    pt__rows_null(rows);
    pt__rows_texts(rows, &database, is_global);
    pt__rows_text(rows, view->comment);
    pt__rows_text(rows, "TEMPORARY");
    pt__rows_boolean(rows, true);
}

static void add_views(pt__command *c, pt__rows *rows, const char *pattern, bool is_global)
{
    size_t count;
    pt__view **views = pt__session_list_views(c->session, c->arena, is_global, &count);
    for (size_t i = 0; i < count; i++)
        if (pt__like(pattern, views[i]->name))
            add_view(rows, views[i], is_global);
}

static pt_status list_tables(pt__command *c, const pt_plan_catalog *node, bool views_only, const pt_plan **out)
{
    const char *database;
    const pt_table *const *tables;
    size_t count = 0;
    PT_TRY(database_name(c, node->database, &database));
    bool is_global = pt__is_global_temp(database);
    if (!is_global)
        PT_TRY(pt__command_tables(c, database, &tables, &count));
    pt__rows *rows = new_tables(c);
    for (size_t i = 0; i < count; i++)
        if (pt__like(node->pattern, tables[i]->name) && (!views_only || tables[i]->kind == PT_TABLE_VIEW))
            add_table(rows, tables[i]);
    if (is_global)
        add_views(c, rows, node->pattern, true);
    add_views(c, rows, node->pattern, false);
    return pt__rows_plan(rows, out, c->err);
}

static void drop_view(void *view)
{
    pt__view_unref(view);
}

static pt_status get_table(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_name name;
    const pt_table *table;
    PT_TRY(object_name(c, node, &name));
    pt__view *view = pt__session_find_view(c->session, &name);
    pt__rows *rows = NULL;
    if (view != NULL) {
        pt__arena_defer(c->arena, drop_view, view);
        rows = new_tables(c);
        add_view(rows, view, name.count == 2);
        return pt__rows_plan(rows, out, c->err);
    }
    pt_status status = pt__command_find_table(c, &name, &table);
    if (status == PT_NOT_FOUND)
        return pt__command_not_found(c, &name, NULL);
    PT_TRY(status);
    rows = new_tables(c);
    add_table(rows, table);
    return pt__rows_plan(rows, out, c->err);
}

static pt_status table_exists(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_name name;
    const pt_table *table;
    PT_TRY(object_name(c, node, &name));
    pt__view *view = pt__session_find_view(c->session, &name);
    pt__view_unref(view);
    pt_status status = view != NULL ? PT_OK : pt__command_find_table(c, &name, &table);
    if (status != PT_OK && status != PT_NOT_FOUND)
        return status;
    return one_boolean(c, status == PT_OK, out);
}

static bool is_partition(const pt_table *table, const char *column)
{
    for (size_t i = 0; table != NULL && i < table->partition_count; i++)
        if (strcasecmp(table->partition_columns[i], column) == 0)
            return true;
    return false;
}

static pt_status list_columns(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    const pt_type *text = PT_T(STRING);
    const pt_type *flag = PT_T(BOOLEAN);
    const pt__row_column columns[] = {
        {"name", text, true},         {"description", text, true}, {"dataType", text, true},  {"nullable", flag, false},
        {"isPartition", flag, false}, {"isBucket", flag, false},   {"isCluster", flag, false}};
    pt_name name;
    const pt_plan *plan;
    const pt_table *table = NULL;
    PT_TRY(object_name(c, node, &name));
    PT_TRY(pt__command_columns(c, &name, NULL, &plan));
    if (pt__command_find_table(c, &name, &table) == PT_NOT_FOUND)
        table = NULL;
    pt__rows *rows = pt__rows_new(c->arena, columns, 7);
    for (size_t i = 0; i < plan->column_count; i++) {
        const pt_column *column = &plan->columns[i];
        pt__rows_text(rows, column->name);
        pt__rows_text(rows, pt__column_comment(c->arena, column->metadata));
        pt__rows_text(rows, pt__column_type_name(c->arena, column->type, column->metadata));
        pt__rows_boolean(rows, column->nullable);
        pt__rows_boolean(rows, is_partition(table, column->name));
        pt__rows_boolean(rows, false);
        pt__rows_boolean(rows, false);
    }
    return pt__rows_plan(rows, out, c->err);
}

/* ---- createTable ---- */

/* The client runs the same call once to create and once more to fetch: the second only looks. */
static bool is_repeated(pt__command *c, const pt_plan_catalog *node)
{
    char key[64];
    if (node->base.plan_id < 0)
        return false;
    snprintf(key, sizeof(key), "%lld/%016llx", (long long)node->base.plan_id,
             (unsigned long long)pt__hash_bytes(node->object, strlen(node->object)));
    pthread_mutex_lock(&c->session->lock);
    bool seen = pt__recent_find(&c->session->created, key) != 0;
    pt__recent_add(&c->session->created, key, 1);
    pthread_mutex_unlock(&c->session->lock);
    return seen;
}

static pt_status empty_frame(pt__command *c, const pt_name *name, const pt_plan **out)
{
    const pt_plan *table;
    PT_TRY(pt__command_columns(c, name, NULL, &table));
    pt__row_column *columns = pt__arena_array(c->arena, pt__row_column, table->column_count + 1);
    for (size_t i = 0; i < table->column_count; i++)
        columns[i] = (pt__row_column){table->columns[i].name, table->columns[i].type, true};
    return pt__rows_plan(pt__rows_new(c->arena, columns, table->column_count), out, c->err);
}

static pt_status create_table(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_plan_create_table *create = pt__plan_make(c->arena, CREATE_TABLE, create_table, node->base.origin);
    const pt_plan *ignored;
    PT_TRY(object_name(c, node, &create->name));
    if (is_repeated(c, node))
        return empty_frame(c, &create->name, out);
    create->schema = node->schema;
    create->provider = node->source;
    create->options = node->options;
    create->location = node->path;
    create->comment = node->description;
    PT_TRY(pt__command_create_table(c, create, &ignored));
    return empty_frame(c, &create->name, out);
}

/* ---- functions ---- */

static pt__rows *new_functions(pt__command *c)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {{"name", text, true},
                                      {"catalog", text, true},
                                      {"namespace", pt__type_array(c->arena, text, true), true},
                                      {"description", text, true},
                                      {"className", text, true},
                                      {"isTemporary", PT_T(BOOLEAN), false}};
    return pt__rows_new(c->arena, columns, 6);
}

/* `database` NULL: built in, or temporary. */
static void add_function(pt__rows *rows, const char *name, const char *database, const char *description,
                         const char *class_name)
{
    pt__rows_text(rows, name);
    pt__rows_text(rows, database == NULL ? NULL : pt__catalog_name);
    if (database == NULL)
        pt__rows_null(rows);
    else
        pt__rows_texts(rows, &database, 1);
    pt__rows_text(rows, description);
    pt__rows_text(rows, class_name == NULL ? "" : class_name);
    pt__rows_boolean(rows, database == NULL);
}

static void add_registered(pt__command *c, pt__rows *rows, const char *pattern, bool is_temporary)
{
    size_t count;
    pt__function_entry **list = pt__session_list_functions(c->session, c->arena, is_temporary, &count);
    for (size_t i = 0; i < count; i++)
        if (pt__like(pattern, list[i]->function.name))
            add_function(rows, list[i]->function.name, is_temporary ? NULL : c->catalog->database,
                         list[i]->comment == NULL ? "N/A." : list[i]->comment, list[i]->class_name);
}

static pt_status list_functions(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    const char *database;
    size_t count;
    PT_TRY(database_name(c, node->database, &database));
    PT_TRY(pt__command_need_database(c, database));
    const pt__function *table = pt__function_table(&count);
    pt__rows *rows = new_functions(c);
    for (size_t i = 0; i < count; i++) {
        bool is_again = i > 0 && strcmp(table[i].name, table[i - 1].name) == 0;
        if (!is_again && pt__like(node->pattern, table[i].name) && pt__function_is_public(table[i].name))
            add_function(rows, table[i].name, NULL, table[i].name, NULL);
    }
    add_registered(c, rows, node->pattern, true);
    add_registered(c, rows, node->pattern, false);
    return pt__rows_plan(rows, out, c->err);
}

typedef struct routine {
    bool exists;
    bool is_builtin;
    const char *name;
    const char *database;
    const char *description;
    const char *class_name;
} routine;

static pt_status find_routine(pt__command *c, const pt_plan_catalog *node, pt_name *name, routine *out)
{
    PT_TRY(object_name(c, node, name));
    *out = (routine){.name = pt__name_last(name)};
    pt__function_entry *entry = pt__session_find_function(c->session, name, c->catalog->database);
    if (entry != NULL) {
        size_t count;
        pt__function_entry **temporary = pt__session_list_functions(c->session, c->arena, true, &count);
        out->exists = true;
        out->database = name->count > 1 ? name->parts[name->count - 2] : c->catalog->database;
        out->description = pt__arena_copy_string(c->arena, entry->comment == NULL ? "N/A." : entry->comment);
        if (entry->class_name != NULL)
            out->class_name = pt__arena_copy_string(c->arena, entry->class_name);
        for (size_t i = 0; i < count; i++)
            if (temporary[i] == entry)
                out->database = NULL;
        pt__function_entry_unref(entry);
        return PT_OK;
    }
    out->is_builtin = out->exists = name->count == 1 && pt__function_is_public(out->name);
    out->description = out->name;
    return PT_OK;
}

static pt_status get_function(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_name name;
    routine found;
    PT_TRY(find_routine(c, node, &name, &found));
    if (!found.exists)
        return pt__raise(c->err, PT_COND_UNRESOLVED_ROUTINE, "routineName", pt__command_quote(c, &name), "searchPath",
                         pt__arena_printf(c->arena, "[`system`.`builtin`, `system`.`session`, `%s`.`%s`]",
                                          pt__catalog_name, c->catalog->database),
                         NULL);
    pt__rows *rows = new_functions(c);
    add_function(rows, found.name, found.database, found.description, found.class_name);
    return pt__rows_plan(rows, out, c->err);
}

static pt_status function_exists(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_name name;
    routine found;
    PT_TRY(find_routine(c, node, &name, &found));
    return one_boolean(c, found.exists, out);
}

/* ---- caches ---- */

static pt_status need_relation(pt__command *c, const pt_plan_catalog *node, pt_name *name)
{
    const pt_plan *ignored;
    PT_TRY(object_name(c, node, name));
    return pt__command_columns(c, name, NULL, &ignored);
}

static pt_status is_cached(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_name name;
    PT_TRY(need_relation(c, node, &name));
    return one_boolean(c, pt__command_is_cached(c, &name), out);
}

static pt_status set_cached(pt__command *c, const pt_plan_catalog *node, bool value, const pt_plan **out)
{
    pt_name name;
    PT_TRY(need_relation(c, node, &name));
    PT_TRY(pt__command_set_cached(c, &name, value));
    return nothing(c, out);
}

static pt_status clear_cache(pt__command *c, const pt_plan **out)
{
    pt__command_clear_cache(c);
    return nothing(c, out);
}

static pt_status refresh_table(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_name name;
    pt__schema_cache_clear(c->session->host);
    atomic_fetch_add(&c->session->host->data_version, 1);
    PT_TRY(need_relation(c, node, &name));
    return nothing(c, out);
}

static pt_status refresh_path(pt__command *c, const pt_plan **out)
{
    pt__schema_cache_clear(c->session->host);
    atomic_fetch_add(&c->session->host->data_version, 1);
    return nothing(c, out);
}

static pt_status recover_partitions(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_plan_alter_table *alter = pt__plan_make(c->arena, ALTER_TABLE, alter_table, NULL);
    const pt_plan *ignored;
    alter->alter_kind = PT_ALTER_REPAIR;
    PT_TRY(object_name(c, node, &alter->name));
    PT_TRY(pt__command_alter_table(c, alter, &ignored));
    return nothing(c, out);
}

static pt_status drop_temporary(pt__command *c, const pt_plan_catalog *node, bool is_global, const pt_plan **out)
{
    return one_boolean(c, pt__session_drop_view(c->session, node->object, is_global), out);
}

PT_COMMAND(catalog)
{
    switch (node->operation) {
    case PT_CATALOG_CURRENT_DATABASE: return one_text(c, c->catalog->database, out);
    case PT_CATALOG_SET_CURRENT_DATABASE: return set_database(c, node, out);
    case PT_CATALOG_LIST_DATABASES: return databases(c, node->pattern, NULL, out);
    case PT_CATALOG_LIST_TABLES: return list_tables(c, node, false, out);
    case PT_CATALOG_LIST_FUNCTIONS: return list_functions(c, node, out);
    case PT_CATALOG_LIST_COLUMNS: return list_columns(c, node, out);
    case PT_CATALOG_LIST_VIEWS: return list_tables(c, node, true, out);
    case PT_CATALOG_GET_DATABASE: return get_database(c, node, out);
    case PT_CATALOG_GET_TABLE: return get_table(c, node, out);
    case PT_CATALOG_GET_FUNCTION: return get_function(c, node, out);
    case PT_CATALOG_DATABASE_EXISTS: return database_exists(c, node, out);
    case PT_CATALOG_TABLE_EXISTS: return table_exists(c, node, out);
    case PT_CATALOG_FUNCTION_EXISTS: return function_exists(c, node, out);
    case PT_CATALOG_CREATE_TABLE: return create_table(c, node, out);
    case PT_CATALOG_DROP_TEMP_VIEW: return drop_temporary(c, node, false, out);
    case PT_CATALOG_DROP_GLOBAL_TEMP_VIEW: return drop_temporary(c, node, true, out);
    case PT_CATALOG_RECOVER_PARTITIONS: return recover_partitions(c, node, out);
    case PT_CATALOG_IS_CACHED: return is_cached(c, node, out);
    case PT_CATALOG_CACHE_TABLE: return set_cached(c, node, true, out);
    case PT_CATALOG_UNCACHE_TABLE: return set_cached(c, node, false, out);
    case PT_CATALOG_CLEAR_CACHE: return clear_cache(c, out);
    case PT_CATALOG_REFRESH_TABLE: return refresh_table(c, node, out);
    case PT_CATALOG_REFRESH_BY_PATH: return refresh_path(c, out);
    case PT_CATALOG_CURRENT_CATALOG: return one_text(c, pt__catalog_name, out);
    case PT_CATALOG_SET_CURRENT_CATALOG: return set_catalog(c, node, out);
    case PT_CATALOG_LIST_CATALOGS: return list_catalogs(c, node, out);
    }
    return PT_INTERNAL;
}

static pt_status created_columns(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    pt_name name;
    PT_TRY(object_name(c, node, &name));
    return empty_frame(c, &name, out);
}

pt_status pt__command_catalog_columns(pt__command *c, const pt_plan_catalog *node, const pt_plan **out)
{
    switch (node->operation) {
    case PT_CATALOG_SET_CURRENT_DATABASE:
    case PT_CATALOG_SET_CURRENT_CATALOG:
    case PT_CATALOG_RECOVER_PARTITIONS:
    case PT_CATALOG_CACHE_TABLE:
    case PT_CATALOG_UNCACHE_TABLE:
    case PT_CATALOG_CLEAR_CACHE:
    case PT_CATALOG_REFRESH_TABLE:
    case PT_CATALOG_REFRESH_BY_PATH: return nothing(c, out);
    case PT_CATALOG_DROP_TEMP_VIEW:
    case PT_CATALOG_DROP_GLOBAL_TEMP_VIEW: return one_boolean(c, false, out);
    case PT_CATALOG_CREATE_TABLE: return created_columns(c, node, out);
    default: return pt__command_catalog(c, node, out); /* the others only look */
    }
}
