/* DROP, CREATE DATABASE and ALTER. */
#include "analyze/analyze.h"
#include "analyze/function.h"
#include "exec/command.h"
#include "exec/run.h"
#include "exec/schema_cache.h"

#include <string.h>
#include <strings.h>

/* ---- DROP ---- */

static bool drop_temporary(pt__command *c, const pt_name *name)
{
    if (name->count == 1)
        return pt__session_drop_view(c->session, name->parts[0], false);
    if (name->count == 2 && strcasecmp(name->parts[0], "session") == 0)
        return pt__session_drop_view(c->session, name->parts[1], false);
    return name->count == 2 && pt__is_global_temp(name->parts[0]) &&
           pt__session_drop_view(c->session, name->parts[1], true);
}

static pt_status wrong_kind(pt__command *c, const pt_table *table)
{
    return pt__raise(
        c->err, PT_COND_WRONG_COMMAND_FOR_OBJECT_TYPE, "operation", "DROP VIEW", "requiredType", "VIEW", "objectName",
        pt__arena_printf(c->arena, "%s.%s.%s", pt__catalog_name, table->database, table->name), "foundType",
        table->kind == PT_TABLE_MANAGED ? "MANAGED" : "EXTERNAL", "alternative", "DROP TABLE", NULL);
}

static pt_status drop_missing(pt__command *c, const pt_plan_drop *node, const pt_plan **out)
{
    if (node->if_exists)
        return pt__rows_none(c->arena, out, c->err);
    pt_name full;
    PT_TRY(pt__command_resolve(c, &node->name, &full));
    return pt__command_not_found(c, &full, node->base.origin);
}

static pt_status drop_relation(pt__command *c, const pt_plan_drop *node, const pt_plan **out)
{
    const pt_table *table;
    if (drop_temporary(c, &node->name))
        return pt__rows_none(c->arena, out, c->err);
    pt_status status = pt__command_find_table(c, &node->name, &table);
    if (status == PT_NOT_FOUND)
        return drop_missing(c, node, out);
    PT_TRY(status);
    if (node->object_kind == PT_OBJECT_VIEW && table->kind != PT_TABLE_VIEW)
        return wrong_kind(c, table);
    pt_plan_drop *drop = pt__arena_copy(c->arena, node, sizeof(*node));
    drop->object_kind = table->kind == PT_TABLE_VIEW ? PT_OBJECT_VIEW : PT_OBJECT_TABLE;
    PT_TRY(pt__command_resolve(c, &node->name, &drop->name));
    return pt__command_pass_on(c, &drop->base, out);
}

static pt_status check_empty(pt__command *c, const char *database)
{
    const pt_table *const *tables;
    size_t count;
    PT_TRY(pt__command_tables(c, database, &tables, &count));
    if (count == 0)
        return PT_OK;
    pt_name name = {&database, 1};
    return pt__raise(c->err, PT_COND_SCHEMA_NOT_EMPTY, "schemaName", pt__command_quote(c, &name), NULL);
}

static pt_status drop_database(pt__command *c, const pt_plan_drop *node, const pt_plan **out)
{
    bool exists;
    const char *database = pt__name_last(&node->name);
    const char *parts[] = {pt__catalog_name, database};
    pt_name full = {parts, 2};
    if (strcasecmp(database, "default") == 0)
        return pt__raise(c->err, PT_COND_DROP_DEFAULT_DATABASE, "database", pt__command_quote(c, &full), NULL);
    PT_TRY(pt__command_has_database(c, database, &exists));
    if (!exists && node->if_exists)
        return pt__rows_none(c->arena, out, c->err);
    PT_TRY(pt__command_need_database(c, database));
    if (!node->cascade)
        PT_TRY(check_empty(c, database));
    pt_plan_drop *drop = pt__arena_copy(c->arena, node, sizeof(*node));
    drop->name = pt__name_one(c->arena, database);
    return pt__command_pass_on(c, &drop->base, out);
}

static pt_status drop_function(pt__command *c, const pt_plan_drop *node, const pt_plan **out)
{
    const char *database = NULL;
    const char *name = pt__name_last(&node->name);
    if (!node->is_temporary)
        PT_TRY(pt__command_split(c, &node->name, &database, &name));
    if (database != NULL)
        PT_TRY(pt__command_permit(c, "drop", "function", &node->name));
    if (pt__session_drop_function(c->session, database, name) || node->if_exists)
        return pt__rows_none(c->arena, out, c->err);
    if (pt__function_is_public(name))
        return pt__raise(c->err, PT_COND_FORBIDDEN_OPERATION, "statement", "DROP", "objectType", "FUNCTION",
                         "objectName", pt__command_quote(c, &node->name), NULL);
    const char *parts[] = {database, name};
    pt_name full = {parts + (database == NULL), database == NULL ? 1 : 2};
    return pt__raise(c->err, PT_COND_ROUTINE_NOT_FOUND, "routineName", pt__command_quote(c, &full), NULL);
}

PT_COMMAND(drop)
{
    if (node->object_kind == PT_OBJECT_DATABASE)
        return drop_database(c, node, out);
    if (node->object_kind == PT_OBJECT_FUNCTION)
        return drop_function(c, node, out);
    return drop_relation(c, node, out);
}

/* ---- CREATE DATABASE ---- */

PT_COMMAND(create_database)
{
    bool exists;
    const char *database = pt__name_last(&node->name);
    PT_TRY(pt__command_has_database(c, database, &exists));
    if (exists && node->if_not_exists)
        return pt__rows_none(c->arena, out, c->err);
    if (exists) {
        pt_name name = {&database, 1};
        return pt__raise(c->err, PT_COND_SCHEMA_ALREADY_EXISTS, "schemaName", pt__command_quote(c, &name), NULL);
    }
    pt_plan_create_database *create = pt__arena_copy(c->arena, node, sizeof(*node));
    create->name = pt__name_one(c->arena, database);
    return pt__command_pass_on(c, &create->base, out);
}

/* ---- ALTER ---- */

static pt_status alter_query(pt__command *c, const pt_plan_alter_table *node, bool is_temporary, const pt_plan **out)
{
    pt_plan_create_view *view = pt__plan_make(c->arena, CREATE_VIEW, create_view, node->base.origin);
    view->name = node->name;
    view->view_kind = !is_temporary                                                      ? PT_VIEW_PERSISTENT
                      : node->name.count == 2 && pt__is_global_temp(node->name.parts[0]) ? PT_VIEW_GLOBAL_TEMPORARY
                                                                                         : PT_VIEW_TEMPORARY;
    view->replace = true;
    view->query = node->query;
    view->text = node->text;
    return pt__command_create_view(c, view, out);
}

/* A view under a new name: the same view, as its name is only its key in the session. */
static pt_status rename_temporary(pt__command *c, const pt_plan_alter_table *node, pt__view *old, const pt_plan **out)
{
    pt_plan_create_view *view = pt__plan_make(c->arena, CREATE_VIEW, create_view, node->base.origin);
    bool is_global = node->name.count == 2 && pt__is_global_temp(node->name.parts[0]);
    view->name = node->new_name;
    view->view_kind = is_global ? PT_VIEW_GLOBAL_TEMPORARY : PT_VIEW_TEMPORARY;
    view->query = old->plan;
    view->column_names = old->column_names;
    view->column_name_count = old->column_count;
    PT_TRY(pt__command_create_view(c, view, out));
    pt__session_drop_view(c->session, pt__name_last(&node->name), is_global);
    return PT_OK;
}

static void drop_view(void *view)
{
    pt__view_unref(view);
}

static pt_status alter_temporary(pt__command *c, const pt_plan_alter_table *node, pt__view *view, const pt_plan **out)
{
    pt__arena_defer(c->arena, drop_view, view); /* the new view's plan may be in the old one's memory */
    switch (node->alter_kind) {
    case PT_ALTER_VIEW_QUERY: return alter_query(c, node, true, out);
    case PT_ALTER_RENAME: return rename_temporary(c, node, view, out);
    default: break;
    }
    return pt__raise(c->err, PT_COND_EXPECT_PERMANENT_VIEW_NOT_TEMP, "operation", "ALTER", "viewName",
                     pt__command_quote(c, &node->name), NULL);
}

static pt_status alter_database(pt__command *c, const pt_plan_alter_table *node, const pt_plan **out)
{
    const char *database = node->name.count == 0 ? c->catalog->database : pt__name_last(&node->name);
    PT_TRY(pt__command_need_database(c, database));
    if (node->alter_kind == PT_ALTER_ANALYZE)
        return pt__rows_none(c->arena, out, c->err);
    pt_plan_alter_table *alter = pt__arena_copy(c->arena, node, sizeof(*node));
    alter->name = pt__name_one(c->arena, database);
    return pt__command_pass_on(c, &alter->base, out);
}

static pt_status repair(pt__command *c, const pt_plan_alter_table *node, const pt_table *table, const pt_plan **out)
{
    if (table->partition_count == 0)
        return pt__raise(c->err, PT_COND_NOT_A_PARTITIONED_TABLE, "operation", "MSCK REPAIR TABLE", "tableIdentWithDB",
                         pt__command_full_name(c, &node->name), NULL);
    pt__schema_cache_clear(c->session->host);
    return pt__rows_none(c->arena, out, c->err);
}

static pt_status alter_persistent(pt__command *c, const pt_plan_alter_table *node, const pt_plan **out)
{
    const pt_table *table;
    pt_status status = pt__command_find_table(c, &node->name, &table);
    if (status == PT_NOT_FOUND && node->if_exists)
        return pt__rows_none(c->arena, out, c->err);
    if (status == PT_NOT_FOUND)
        return pt__command_not_found(c, &node->name, node->base.origin);
    PT_TRY(status);
    if (node->object_kind == PT_OBJECT_VIEW && table->kind != PT_TABLE_VIEW)
        return pt__raise(c->err, PT_COND_EXPECT_VIEW_NOT_TABLE, "tableName", pt__command_full_name(c, &node->name),
                         "operation", "ALTER VIEW", NULL);
    if (node->alter_kind == PT_ALTER_VIEW_QUERY)
        return alter_query(c, node, false, out);
    if (node->alter_kind == PT_ALTER_REPAIR)
        return repair(c, node, table, out);
    if (node->alter_kind == PT_ALTER_ANALYZE) /* the engine keeps its own statistics */
        return pt__rows_none(c->arena, out, c->err);
    pt_plan_alter_table *alter = pt__arena_copy(c->arena, node, sizeof(*node));
    alter->object_kind = table->kind == PT_TABLE_VIEW ? PT_OBJECT_VIEW : PT_OBJECT_TABLE;
    PT_TRY(pt__command_resolve(c, &node->name, &alter->name));
    if (node->alter_kind == PT_ALTER_RENAME)
        PT_TRY(pt__command_resolve(c, &node->new_name, &alter->new_name));
    return pt__command_pass_on(c, &alter->base, out);
}

PT_COMMAND(alter_table)
{
    if (node->object_kind == PT_OBJECT_DATABASE)
        return alter_database(c, node, out);
    pt__view *view = pt__session_find_view(c->session, &node->name);
    return view != NULL ? alter_temporary(c, node, view, out) : alter_persistent(c, node, out);
}
