/* CREATE VIEW: temporary ones live in the session or the host, persistent ones in the backend. */
#include "analyze/analyze.h"
#include "exec/command.h"
#include "exec/run.h"
#include "plan/walk.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- checks ---- */

static const char *column_list(pt__command *c, const char *const *names, size_t count)
{
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        pt_name one = {&names[i], 1};
        text = pt__arena_printf(c->arena, "%s%s%s", text, i == 0 ? "" : ", ", pt__command_quote(c, &one));
    }
    return text;
}

static pt_status check_arity(pt__command *c, const pt_plan_create_view *node, const pt_plan *query)
{
    size_t named = node->column_name_count;
    if (named == 0 || named == query->column_count)
        return PT_OK;
    const char **names = pt__arena_array(c->arena, const char *, query->column_count);
    for (size_t i = 0; i < query->column_count; i++)
        names[i] = query->columns[i].name;
    return pt__raise(
        c->err,
        named > query->column_count ? PT_COND_CREATE_VIEW_TOO_FEW_COLUMNS : PT_COND_CREATE_VIEW_TOO_MANY_COLUMNS,
        "viewName", pt__command_full_name(c, &node->name), "viewColumns", column_list(c, node->column_names, named),
        "dataColumns", column_list(c, names, query->column_count), NULL);
}

static pt_status check_recursion(pt__command *c, const pt_plan_create_view *node)
{
    for (size_t i = 0; i < c->catalog->used_views.count; i++) {
        if (strcasecmp(c->catalog->used_views.items[i]->name, pt__name_last(&node->name)) != 0)
            continue;
        const char *name = pt__command_quote(c, &node->name);
        return pt__raise(c->err, PT_COND_RECURSIVE_VIEW, "viewIdent", name, "newPath",
                         pt__arena_printf(c->arena, "%s -> %s", name, name), NULL);
    }
    return PT_OK;
}

static bool is_session_name(const pt_name *name)
{
    if (name->count == 2)
        return strcasecmp(name->parts[0], "session") == 0;
    return name->count == 3 && strcasecmp(name->parts[0], "system") == 0 && strcasecmp(name->parts[1], "session") == 0;
}

/* SQL allows one part; what DataFrames give is taken by its last part, as Spark does. */
static pt_status check_temporary_name(pt__command *c, const pt_plan_create_view *node)
{
    const pt_name *name = &node->name;
    bool is_global = node->view_kind == PT_VIEW_GLOBAL_TEMPORARY;
    if (name->count == 1 || node->text == NULL || is_session_name(name) ||
        (is_global && name->count == 2 && pt__is_global_temp(name->parts[0])))
        return PT_OK;
    pt_name qualifier = {name->parts, name->count - 1};
    pt_name last = {name->parts + name->count - 1, 1};
    pt_status status = pt__raise(c->err, PT_COND_INVALID_TEMP_OBJ_QUALIFIER, "objectType", "VIEW", "objectName",
                                 pt__command_quote(c, &last), "qualifier", pt__command_quote(c, &qualifier), NULL);
    pt__origin_add_context(node->base.origin, c->err);
    return status;
}

/* ---- temporary views ---- */

/*
 * A DataFrame goes on meaning the views it was built on, also when they are replaced, perhaps by itself: they become
 * references around its plan, named as it names them. A view of SQL text looks its names up anew.
 */
static const pt_plan *capture(pt__command *c, const pt_plan *query)
{
    size_t count = c->catalog->used_views.count;
    if (count == 0)
        return query;
    const pt_plan **references = pt__arena_array(c->arena, const pt_plan *, count);
    for (size_t i = 0; i < count; i++) {
        const pt__view *view = c->catalog->used_views.items[i];
        pt_plan_subquery_alias *alias = pt__plan_make(c->arena, SUBQUERY_ALIAS, subquery_alias, NULL);
        alias->input = view->plan;
        alias->alias = pt__name_one(c->arena, view->name);
        alias->column_names = view->column_names;
        alias->column_name_count = view->column_count;
        references[i] = &alias->base;
    }
    pt_plan_with_references *around = pt__plan_make(c->arena, WITH_REFERENCES, with_references, NULL);
    around->root = query;
    around->references = references;
    around->reference_count = count;
    return &around->base;
}

static bool refers_to_kept(void *context, const pt_plan *plan)
{
    bool *found = context;
    *found = *found || plan->kind == PT_PLAN_CACHED;
    return !*found && pt__plan_each_child(plan, refers_to_kept, context);
}

/*
 * A view has a copy of its plan, so that the request's memory can go. A plan over kept rows stays where it is: its
 * arena holds the references to them.
 */
static pt__shared_arena *view_memory(pt__command *c, const pt_plan *plan)
{
    bool is_bound = false;
    refers_to_kept(&is_bound, plan);
    return is_bound ? pt__shared_arena_ref(c->job->memory) : pt__host_shared_arena(c->job->session->host, 0);
}

static const char *copy_text(pt__arena *arena, const char *text)
{
    return text == NULL ? NULL : pt__arena_copy_string(arena, text);
}

static void fill_view(pt__command *c, const pt_plan_create_view *node, const pt_plan *plan, pt__view *view)
{
    pt__arena *arena = view->memory->arena;
    const char **names = pt__arena_array(arena, const char *, node->column_name_count + 1);
    for (size_t i = 0; i < node->column_name_count; i++)
        names[i] = pt__arena_copy_string(arena, node->column_names[i]);
    view->name = pt__arena_copy_string(arena, pt__name_last(&node->name));
    view->plan = view->memory == c->job->memory ? plan : pt__plan_copy(arena, plan);
    view->text = copy_text(arena, node->text);
    view->database = pt__arena_copy_string(arena, c->catalog->database);
    view->column_names = names;
    view->column_count = node->column_name_count;
    view->comment = copy_text(arena, node->comment);
}

static pt__view *make_view(pt__command *c, const pt_plan_create_view *node, const pt_plan *plan)
{
    pt__view *view = calloc(1, sizeof(*view));
    if (view == NULL)
        return NULL;
    atomic_init(&view->references, 1);
    view->memory = view_memory(c, plan);
    if (view->memory == NULL) {
        free(view);
        return NULL;
    }
    fill_view(c, node, plan, view);
    return view;
}

static pt_status create_temporary(pt__command *c, const pt_plan_create_view *node, const pt_plan **out)
{
    bool is_global = node->view_kind == PT_VIEW_GLOBAL_TEMPORARY;
    if (node->text != NULL)
        PT_TRY(check_recursion(c, node));
    const pt_plan *plan = node->text == NULL ? capture(c, node->query) : node->query;
    pt__view *view = make_view(c, node, plan);
    if (view == NULL)
        return pt_error_set(c->err, PT_NO_MEMORY, "no memory for a view");
    pt_status status = pt__session_put_view(c->session, view, is_global, node->replace, c->err);
    if (status == PT_ALREADY_EXISTS && node->if_not_exists)
        status = PT_OK;
    if (status == PT_ALREADY_EXISTS) {
        const char *parts[] = {pt__global_temp, pt__name_last(&node->name)};
        pt_name name = {parts + !is_global, is_global ? 2 : 1};
        return pt__raise(c->err, PT_COND_TEMP_TABLE_OR_VIEW_ALREADY_EXISTS, "relationName", pt__command_quote(c, &name),
                         NULL);
    }
    PT_TRY(status);
    return pt__rows_none(c->arena, out, c->err);
}

/* ---- persistent views ---- */

static pt_status check_persistent(pt__command *c, const pt_plan_create_view *node, bool *exists)
{
    const pt_table *table;
    pt_status status = pt__command_find_table(c, &node->name, &table);
    *exists = status == PT_OK;
    if (status == PT_NOT_FOUND)
        return PT_OK;
    PT_TRY(status);
    if (table->kind != PT_TABLE_VIEW && !node->if_not_exists)
        return pt__raise(c->err, PT_COND_EXPECT_VIEW_NOT_TABLE, "tableName", pt__command_full_name(c, &node->name),
                         "operation", "CREATE VIEW", NULL);
    if (!node->replace && !node->if_not_exists)
        return pt__raise(c->err, PT_COND_TABLE_OR_VIEW_ALREADY_EXISTS, "relationName",
                         pt__command_full_name(c, &node->name), NULL);
    return PT_OK;
}

static pt_status create_persistent(pt__command *c, const pt_plan_create_view *node, const pt_plan *query,
                                   const pt_plan **out)
{
    bool exists;
    const char *database;
    const char *object;
    PT_TRY(pt__command_split(c, &node->name, &database, &object));
    PT_TRY(pt__command_need_database(c, database));
    if (c->catalog->used_views.count > 0) {
        pt_name used = {&c->catalog->used_views.items[0]->name, 1};
        return pt__raise(c->err, PT_COND_INVALID_TEMP_OBJ_REFERENCE, "obj", "VIEW", "objName",
                         pt__command_full_name(c, &node->name), "tempObj", "VIEW", "tempObjName",
                         pt__command_quote(c, &used), NULL);
    }
    PT_TRY(check_persistent(c, node, &exists));
    if (exists && node->if_not_exists)
        return pt__rows_none(c->arena, out, c->err);
    pt_plan_create_view *view = pt__arena_copy(c->arena, node, sizeof(*node));
    PT_TRY(pt__command_resolve(c, &node->name, &view->name));
    view->base.columns = query->columns;
    view->base.column_count = query->column_count;
    view->database = c->catalog->database;
    PT_TRY(pt__run_command(c->job, &view->base, c->err));
    return pt__rows_none(c->arena, out, c->err);
}

PT_COMMAND(create_view)
{
    const pt_plan *query;
    if (node->view_kind != PT_VIEW_PERSISTENT)
        PT_TRY(check_temporary_name(c, node));
    PT_TRY(pt__analyze(c->arena, &c->catalog->base, node->query, &query, c->err));
    PT_TRY(check_arity(c, node, query));
    if (node->view_kind == PT_VIEW_PERSISTENT)
        return create_persistent(c, node, query, out);
    return create_temporary(c, node, out);
}
