/* What a plan does, held against the policy: scans, functions, and what commands change. */
#include "wrap/authorize.h"

#include "analyze/function.h"
#include "base/condition.h"
#include "wrap/tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- one thing ---- */

static const char *object_word(pt__object object)
{
    static const char *const words[] = {
        [PT_POLICY_ANYTHING] = "", [PT_POLICY_TABLE] = "table ",       [PT_POLICY_PATH] = "path ",
        [PT_POLICY_FUNCTION] = "", [PT_POLICY_DATABASE] = "database ", [PT_POLICY_FORMAT] = "query in the format ",
    };
    return words[object];
}

pt_status pt__authorize_denied(const pt__authorization *a, pt__action action, const char *what)
{
    const char *user = *a->user == '\0' ? "an anonymous user" : pt__arena_printf(a->arena, "user %s", a->user);
    return pt__raise(
        a->err, PT_COND_INSUFFICIENT_PERMISSIONS, "report",
        pt__arena_printf(a->arena, "%s has no permission for %s on %s.", user, pt__action_name(action), what), NULL);
}

pt_status pt__authorize_one(const pt__authorization *a, pt__action action, pt__object object, const char *name,
                            const char *column)
{
    const pt__request request = {a->user, action, object, name, column};
    if (pt__policy_allows(a->policy, &request))
        return PT_OK;
    const char *what = pt__arena_printf(a->arena, "%s%s", object_word(object), name);
    if (column != NULL)
        what = pt__arena_printf(a->arena, "column %s of %s", column, what);
    return pt__authorize_denied(a, action, what);
}

const char *pt__table_key(pt__arena *arena, const pt_table *table)
{
    return pt__arena_printf(arena, "%s.%s", table->database, table->name);
}

static const char *name_key(const pt__authorization *a, const pt_name *name)
{
    const char *database = name->count > 1 ? name->parts[name->count - 2] : "default";
    return pt__arena_printf(a->arena, "%s.%s", database, name->parts[name->count - 1]);
}

static pt_status check_table(const pt__authorization *a, pt__action action, const char *key)
{
    return pt__authorize_one(a, action, PT_POLICY_TABLE, key, NULL);
}

/* ---- paths ---- */

/* Parts that do not exist yet are kept as they are written. */
const char *pt__resolved_path(pt__arena *arena, const char *path)
{
    char resolved[PATH_MAX];
    if (realpath(path, resolved) != NULL)
        return pt__arena_copy_string(arena, resolved);
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return path;
    const char *folder = pt__resolved_path(arena, pt__arena_copy_text(arena, path, (size_t)(slash - path)));
    return pt__arena_printf(arena, "%s%s", folder, slash);
}

static bool allows_path(const pt__authorization *a, pt__action action, const char *path, const char *column)
{
    pt__request request = {a->user, action, PT_POLICY_PATH, path, column};
    if (pt__policy_allows(a->policy, &request))
        return true;
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return false;
    request.name = pt__arena_printf(a->arena, "%s/", path);
    return pt__policy_allows(a->policy, &request);
}

static pt_status check_path(const pt__authorization *a, pt__action action, const char *path, const char *column)
{
    if (allows_path(a, action, path, column))
        return PT_OK;
    const char *what = pt__arena_printf(a->arena, "path %s", path);
    if (column != NULL)
        what = pt__arena_printf(a->arena, "column %s of %s", column, what);
    return pt__authorize_denied(a, action, what);
}

/* Files of one folder stand together: the folder is resolved once. */
typedef struct resolver {
    pt__arena *arena;
    const char *folder; /* as written */
    size_t folder_bytes;
    const char *resolved;
} resolver;

static const char *resolve_file(resolver *r, const char *path)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    if (slash == NULL || lstat(path, &status) != 0 || S_ISLNK(status.st_mode))
        return pt__resolved_path(r->arena, path);
    size_t size = (size_t)(slash - path);
    if (r->folder == NULL || size != r->folder_bytes || memcmp(path, r->folder, size) != 0) {
        r->folder = path;
        r->folder_bytes = size;
        r->resolved = size == 0 ? "" : pt__resolved_path(r->arena, pt__arena_copy_text(r->arena, path, size));
    }
    return pt__arena_printf(r->arena, "%s%s", r->resolved, slash);
}

pt_status pt__authorize_paths(const pt__authorization *a, pt__action action, const char *const *paths, size_t count)
{
    resolver r = {.arena = a->arena};
    for (size_t i = 0; i < count; i++)
        PT_TRY(check_path(a, action, resolve_file(&r, paths[i]), NULL));
    return PT_OK;
}

/* ---- what is read ---- */

typedef struct check {
    const pt__authorization *a;
    const pt__column_set *needed;
    bool functions;
    pt_status status;
} check;

static pt_status check_columns(const check *c, const pt_plan *scan, const char *key)
{
    bool any = false;
    for (size_t i = 0; i < scan->column_count; i++) {
        if (!pt__column_set_has(c->needed, scan->columns[i].id))
            continue;
        any = true;
        PT_TRY(pt__authorize_one(c->a, PT_ACTION_SELECT, PT_POLICY_TABLE, key, scan->columns[i].name));
    }
    return any ? PT_OK : check_table(c->a, PT_ACTION_SELECT, key);
}

static pt_status check_file_columns(const check *c, const pt_plan *scan, const char *path)
{
    bool any = false;
    for (size_t i = 0; pt__policy_has_columns(c->a->policy, PT_POLICY_PATH) && i < scan->column_count; i++) {
        if (!pt__column_set_has(c->needed, scan->columns[i].id))
            continue;
        any = true;
        PT_TRY(check_path(c->a, PT_ACTION_READ_FILES, path, scan->columns[i].name));
    }
    return any ? PT_OK : check_path(c->a, PT_ACTION_READ_FILES, path, NULL);
}

static pt_status check_files(const check *c, const pt_plan_scan_files *scan)
{
    if (scan->table != NULL)
        return check_columns(c, &scan->base, pt__table_key(c->a->arena, scan->table));
    resolver r = {.arena = c->a->arena};
    for (size_t i = 0; scan->files != NULL && i < scan->files->file_count; i++)
        PT_TRY(check_file_columns(c, &scan->base, resolve_file(&r, scan->files->files[i].path)));
    return PT_OK;
}

static bool check_relation(void *context, const pt_plan *plan, uint32_t depth)
{
    check *c = context;
    (void)depth;
    if (plan->kind == PT_PLAN_SCAN_TABLE)
        c->status = check_columns(c, plan, pt__table_key(c->a->arena, pt__plan_as_scan_table(plan)->table));
    if (plan->kind == PT_PLAN_SCAN_FILES)
        c->status = check_files(c, pt__plan_as_scan_files(plan));
    return c->status == PT_OK;
}

static bool check_function(void *context, const pt_expr *expr, uint32_t depth)
{
    check *c = context;
    (void)depth;
    const char *name = NULL;
    if (expr->kind == PT_EXPR_PYTHON_UDF)
        name = "python_udf";
    if (expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL)
        name = pt__expr_as_call(expr)->function->name;
    if (name != NULL && c->functions)
        c->status = pt__authorize_one(c->a, PT_ACTION_FUNCTION, PT_POLICY_FUNCTION, name, NULL);
    return c->status == PT_OK;
}

static pt_status check_reads(const pt__authorization *a, const pt_plan *plan)
{
    pt__column_set needed = pt__needed_columns(a->arena, plan);
    check c = {a, &needed, pt__policy_denies_functions(a->policy), PT_OK};
    pt__tree_walk(plan, &(pt__tree_visitor){check_relation, check_function, &c});
    return c.status;
}

/* ---- what is changed ---- */

static pt_status check_create_view(const pt__authorization *a, const pt_plan_create_view *node)
{
    const char *key = name_key(a, &node->name);
    PT_TRY(check_table(a, PT_ACTION_CREATE, key));
    return node->replace ? check_table(a, PT_ACTION_DROP, key) : PT_OK;
}

/* Whoever reads a table over files reads the files: the place has to be open to the one who makes it. */
static pt_status check_create_table(const pt__authorization *a, const pt_plan_create_table *node)
{
    const char *key = name_key(a, &node->name);
    PT_TRY(check_table(a, PT_ACTION_CREATE, key));
    if (node->mode != PT_CREATE)
        PT_TRY(check_table(a, PT_ACTION_DROP, key));
    return node->location == NULL ? PT_OK : pt__authorize_paths(a, PT_ACTION_READ_FILES, &node->location, 1);
}

static pt_status check_drop(const pt__authorization *a, const pt_plan_drop *node)
{
    if (node->object_kind != PT_OBJECT_DATABASE)
        return check_table(a, PT_ACTION_DROP, name_key(a, &node->name));
    return pt__authorize_one(a, PT_ACTION_DROP, PT_POLICY_DATABASE, node->name.parts[node->name.count - 1], NULL);
}

static pt_status check_insert(const pt__authorization *a, const pt_plan_insert *node)
{
    const char *key = node->target != NULL ? pt__table_key(a->arena, node->target) : name_key(a, &node->table);
    PT_TRY(check_table(a, PT_ACTION_INSERT, key));
    bool replaces = node->overwrite || node->overwrite_partitions || node->overwrite_condition != NULL;
    return replaces ? check_table(a, PT_ACTION_DELETE, key) : PT_OK;
}

static pt_status check_write(const pt__authorization *a, const pt_plan_write_files *node)
{
    if (node->target == NULL)
        return pt__authorize_paths(a, PT_ACTION_WRITE_FILES, &node->path, 1);
    const char *key = pt__table_key(a->arena, node->target);
    PT_TRY(check_table(a, PT_ACTION_INSERT, key));
    return node->mode == PT_SAVE_OVERWRITE ? check_table(a, PT_ACTION_DELETE, key) : PT_OK;
}

static pt_status check_create_database(const pt__authorization *a, const pt_plan_create_database *node)
{
    return pt__authorize_one(a, PT_ACTION_CREATE, PT_POLICY_DATABASE, node->name.parts[node->name.count - 1], NULL);
}

static pt_status check_alter(const pt__authorization *a, const pt_plan_alter_table *node)
{
    if (node->object_kind == PT_OBJECT_DATABASE)
        return pt__authorize_one(a, PT_ACTION_ALTER, PT_POLICY_DATABASE, node->name.parts[node->name.count - 1], NULL);
    const char *key = name_key(a, &node->name);
    PT_TRY(check_table(a, node->alter_kind == PT_ALTER_TRUNCATE ? PT_ACTION_DELETE : PT_ACTION_ALTER, key));
    return node->alter_kind == PT_ALTER_RENAME ? check_table(a, PT_ACTION_CREATE, name_key(a, &node->new_name)) : PT_OK;
}

/* Rows that are hidden or masked would show by which of them a condition hits. */
static pt_status check_target(const pt__authorization *a, pt__action action, const char *key, const pt_plan *target)
{
    if (target == NULL || !pt__has_row_policy(a, PT_POLICY_TABLE, key, target->columns, target->column_count))
        return PT_OK;
    return pt__authorize_denied(a, action,
                                pt__arena_printf(a->arena, "table %s, whose rows it sees filtered or masked", key));
}

static pt_status check_delete(const pt__authorization *a, const pt_plan_delete *node)
{
    const char *key = name_key(a, &node->table);
    PT_TRY(check_table(a, PT_ACTION_DELETE, key));
    return check_target(a, PT_ACTION_DELETE, key, node->target);
}

static pt_status check_update(const pt__authorization *a, const pt_plan_update *node)
{
    const char *key = name_key(a, &node->table);
    for (size_t i = 0; i < node->assignment_count; i++) {
        const pt_name *column = &node->assignments[i].column;
        PT_TRY(pt__authorize_one(a, PT_ACTION_UPDATE, PT_POLICY_TABLE, key, column->parts[column->count - 1]));
    }
    return check_target(a, PT_ACTION_UPDATE, key, node->target);
}

static pt_status check_command(const pt__authorization *a, const pt_plan *plan)
{
    switch ((int)plan->kind) {
    case PT_PLAN_CREATE_VIEW: return check_create_view(a, pt__plan_as_create_view(plan));
    case PT_PLAN_CREATE_TABLE: return check_create_table(a, pt__plan_as_create_table(plan));
    case PT_PLAN_DROP: return check_drop(a, pt__plan_as_drop(plan));
    case PT_PLAN_INSERT: return check_insert(a, pt__plan_as_insert(plan));
    case PT_PLAN_WRITE_FILES: return check_write(a, pt__plan_as_write_files(plan));
    case PT_PLAN_CREATE_DATABASE: return check_create_database(a, pt__plan_as_create_database(plan));
    case PT_PLAN_ALTER_TABLE: return check_alter(a, pt__plan_as_alter_table(plan));
    case PT_PLAN_DELETE: return check_delete(a, pt__plan_as_delete(plan));
    case PT_PLAN_UPDATE: return check_update(a, pt__plan_as_update(plan));
    default:
        return pt__authorize_denied(a, PT_ACTION_ALTER,
                                    pt__arena_printf(a->arena, "the command %s", pt__plan_kind_name(plan->kind)));
    }
}

/* The query of a view, which is kept as it was written, is checked when the view is read. */
static bool has_analyzed_query(const pt_plan *plan)
{
    return plan->kind != PT_PLAN_CREATE_VIEW && plan->kind != PT_PLAN_ALTER_TABLE;
}

pt_status pt__authorize_plan(const pt__authorization *a, const pt_plan *plan)
{
    if (pt__plan_is_command(plan))
        PT_TRY(check_command(a, plan));
    return has_analyzed_query(plan) ? check_reads(a, plan) : PT_OK;
}
