#include "backend/ballista/relay.h"

#include "backend/ballista/companion.h"
#include "backend/ballista/stage.h"
#include "base/condition.h"
#include "exec/folder.h"
#include "plan/members.h"
#include "plan/table.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- whose a command is ---- */

static const pt_plan *query_of(const pt_plan *plan)
{
    if (plan->kind == PT_PLAN_CREATE_TABLE)
        return pt__plan_as_create_table(plan)->query;
    if (plan->kind == PT_PLAN_INSERT)
        return pt__plan_as_insert(plan)->query;
    return plan->kind == PT_PLAN_WRITE_FILES ? pt__plan_as_write_files(plan)->query : NULL;
}

typedef struct sources {
    bool kept;
    bool files;
} sources;

static bool see_plan(void *context, const pt_plan *plan);

static bool see_expr(void *context, const pt_expr *expr)
{
    const pt__visitor visitor = {see_expr, see_plan, context};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
}

static bool see_plan(void *context, const pt_plan *plan)
{
    const pt__visitor visitor = {see_expr, see_plan, context};
    sources *found = context;
    found->kept = found->kept || plan->kind == PT_PLAN_CACHED;
    found->files = found->files || plan->kind == PT_PLAN_SCAN_FILES;
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
}

static sources sources_of(const pt_plan *plan)
{
    sources found = {0};
    see_plan(&found, plan);
    return found;
}

bool pt__ballista_is_companions(const pt_plan *plan)
{
    if (!pt__plan_is_command(plan) || plan->kind == PT_PLAN_WRITE_FILES)
        return false;
    const pt_plan *query = query_of(plan);
    sources found = query == NULL ? (sources){0} : sources_of(query);
    return !found.files && !found.kept;
}

pt_status pt__ballista_check_companions(const pt_plan *plan, pt_error *err)
{
    if (sources_of(plan).kept)
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "commands over kept rows on a Ballista cluster",
                         NULL);
    return PT_OK;
}

/* ---- the query ---- */

pt_status pt__ballista_relay_prepare(pt__arena *arena, const pt__ballista *cluster, const pt_plan *command,
                                     const pt__ballista_lower_options *options, pt__ballista_relay *out, pt_error *err)
{
    const pt_plan *query = query_of(command);
    if (query == NULL)
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "this command on Ballista", NULL);
    if (*cluster->options.shared_directory == '\0')
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                         "tables on Ballista without ballista.shared-directory", NULL);
    const pt_plan *named = pt__ballista_renamed(arena, query);
    const pt_plan_write_files *write = pt__ballista_write_folder(arena, named, pt__ballista_new_folder(cluster, arena));
    *out = (pt__ballista_relay){.arena = arena, .command = command, .query = query};
    return pt__ballista_write_prepare(arena, write, options, &out->write, err);
}

/* ---- the rows, as files that the companion reads ---- */

typedef struct listing {
    pt__arena *arena;
    const char *folder;
    pt__list(pt_data_file) files;
} listing;

static int by_path(const void *a, const void *b)
{
    return strcmp(((const pt_data_file *)a)->path, ((const pt_data_file *)b)->path);
}

static pt_status list_files(listing *l, pt_error *err)
{
    static const char ENDING[] = ".parquet";
    DIR *folder = opendir(l->folder);
    if (folder == NULL)
        return pt_error_set(err, PT_EXECUTION, "%s cannot be listed: %s", l->folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t size = strlen(entry->d_name);
        if (size < sizeof(ENDING) || strcmp(entry->d_name + size + 1 - sizeof(ENDING), ENDING) != 0)
            continue;
        const pt_data_file file = {pt__arena_printf(l->arena, "%s/%s", l->folder, entry->d_name), -1, 0, NULL};
        pt__list_push(l->arena, &l->files, file);
    }
    closedir(folder);
    if (l->files.count > 0)
        qsort(l->files.items, l->files.count, sizeof(pt_data_file), by_path);
    return PT_OK;
}

static const pt_type *schema_of(pt__arena *arena, const pt_column *columns, size_t count)
{
    pt_field *fields = pt__arena_array(arena, pt_field, count + 1);
    for (size_t i = 0; i < count; i++)
        fields[i] = (pt_field){
            .name = pt__arena_printf(arena, "s%zu", i), .type = columns[i].type, .nullable = columns[i].nullable};
    return pt__type_struct(arena, fields, count);
}

static const pt_plan *scan_of(pt__ballista_relay *relay, pt_error *err)
{
    pt__arena *arena = relay->arena;
    listing found = {.arena = arena, .folder = relay->write.target};
    if (list_files(&found, err) != PT_OK)
        return NULL;
    pt_plan_scan_files *scan = pt__plan_make(arena, SCAN_FILES, scan_files, NULL);
    pt_column *columns = pt__arena_array(arena, pt_column, relay->query->column_count + 1);
    for (size_t i = 0; i < relay->query->column_count; i++) {
        if (!relay->query->columns[i].is_hidden)
            columns[scan->base.column_count++] = relay->query->columns[i];
    }
    scan->base.columns = columns;
    scan->format = "parquet";
    pt_file_set *files = pt__arena_make(arena, pt_file_set);
    files->files = found.files.items;
    files->file_count = found.files.count;
    files->data_schema = schema_of(arena, columns, scan->base.column_count);
    scan->files = files;
    return &scan->base;
}

static const pt_plan *with_query(pt__arena *arena, const pt_plan *command, const pt_plan *query)
{
    pt_plan *copy = pt__arena_copy(arena, command, pt__record_of_plan(command->kind)->size_bytes);
    if (command->kind == PT_PLAN_CREATE_TABLE)
        ((pt_plan_create_table *)copy)->query = query;
    else if (command->kind == PT_PLAN_INSERT)
        ((pt_plan_insert *)copy)->query = query;
    else
        ((pt_plan_write_files *)copy)->query = query;
    return copy;
}

/* ---- the command ---- */

pt_status pt__ballista_relay_finish(pt__ballista_relay *relay, pt__ballista_session *session, const pt_query *query,
                                    pt_error *err)
{
    pt_backend companion;
    pt_operation *operation = NULL;
    PT_TRY(pt__companion_open(session, &companion, err));
    const pt_plan *rows = scan_of(relay, err);
    if (rows == NULL)
        return PT_EXECUTION;
    pt_query inner = *query;
    inner.plan = with_query(relay->arena, relay->command, rows);
    PT_TRY(companion.vtable->execute(companion.self, &inner, &operation, err));
    atomic_store(&relay->operation, operation);
    return pt__ballista_drain(operation, err);
}

void pt__ballista_relay_cancel(pt__ballista_relay *relay)
{
    pt_operation *operation = atomic_load(&relay->operation);
    if (operation != NULL)
        operation->vtable->cancel(operation, NULL);
}

void pt__ballista_relay_deinit(pt__ballista_relay *relay)
{
    pt_operation *operation = atomic_load(&relay->operation);
    if (operation != NULL)
        operation->vtable->free(operation);
    if (relay->command != NULL)
        pt__folder_remove(relay->write.target, NULL);
    *relay = (pt__ballista_relay){.command = NULL};
}
