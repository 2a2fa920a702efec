#include "wrap/policy_catalog.h"

#include "base/condition.h"
#include "exec/conf.h"

#include <string.h>
#include <time.h>

const char pt__policy_input[] = "__policy_input";

static const pt__policy_catalog *self_of(pt__catalog *catalog)
{
    return (const pt__policy_catalog *)catalog;
}

static pt_name full_name(pt__arena *arena, const char *database, const char *name)
{
    const char **parts = pt__arena_array(arena, const char *, 3);
    parts[0] = "spark_catalog";
    parts[1] = database;
    parts[2] = name;
    return (pt_name){parts, 3};
}

/* Files come as a view over their own scan, so that they are called as a table would be. */
static pt_status find_input(const pt__policy_catalog *c, pt__arena *arena, pt__relation *out)
{
    if (c->scan->kind == PT_PLAN_SCAN_TABLE) {
        const pt_table *table = pt__plan_as_scan_table(c->scan)->table;
        *out = (pt__relation){
            .origin = PT_RELATION_TABLE, .name = full_name(arena, table->database, table->name), .table = table};
        return PT_OK;
    }
    pt_plan_scan_files *scan = pt__arena_copy(arena, c->scan, sizeof(*scan));
    scan->base.columns = NULL;
    scan->base.column_count = 0;
    const char **parts = pt__arena_array(arena, const char *, 1);
    parts[0] = scan->table == NULL ? "files" : scan->table->name;
    *out = (pt__relation){.origin = PT_RELATION_VIEW, .view = &scan->base, .name = {parts, 1}};
    return PT_OK;
}

static pt_status find_relation(pt__catalog *catalog, pt__arena *arena, const pt_name *name, pt__relation *out,
                               pt_error *err)
{
    const pt__policy_catalog *c = self_of(catalog);
    if (name->count == 1 && strcmp(name->parts[0], pt__policy_input) == 0)
        return find_input(c, arena, out);
    const char *database = name->count > 1 ? name->parts[name->count - 2] : "default";
    const pt_table *table;
    PT_TRY(pt_forward_get_table(c->session, database, name->parts[name->count - 1], arena, &table, err));
    if (table->kind != PT_TABLE_MANAGED)
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                         "views and tables of files in row filters and column masks", NULL);
    *out = (pt__relation){
        .origin = PT_RELATION_TABLE, .name = full_name(arena, table->database, table->name), .table = table};
    return PT_OK;
}

static pt_status find_function(pt__catalog *catalog, pt__arena *arena, const pt_name *name,
                               const pt__user_function **out, pt_error *err)
{
    (void)catalog;
    (void)arena;
    (void)name;
    (void)out;
    (void)err;
    return PT_NOT_FOUND; /* what sessions register is not trusted */
}

static pt_status find_files(pt__catalog *catalog, pt__arena *arena, const pt_plan_scan_files *scan,
                            const pt_file_set **out, pt_error *err)
{
    (void)catalog;
    (void)arena;
    if (scan->files == NULL)
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "files in row filters and column masks", NULL);
    *out = scan->files;
    return PT_OK;
}

static pt_status find_local(pt__catalog *catalog, pt__arena *arena, const pt_plan_local *local, const pt_type **schema,
                            const pt_local_data **out, pt_error *err)
{
    (void)catalog;
    (void)arena;
    (void)local;
    (void)schema;
    (void)out;
    return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "local rows in row filters", NULL);
}

static pt_status find_cached(pt__catalog *catalog, pt__arena *arena, const char *relation_id,
                             const pt_cached_result **out, pt_error *err)
{
    (void)catalog;
    (void)arena;
    (void)relation_id;
    (void)out;
    return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "checkpoints in row filters", NULL);
}

static pt_status collect(pt__catalog *catalog, pt__arena *arena, const pt_plan *analyzed, const pt_value **cells,
                         size_t *row_count, pt_error *err)
{
    (void)catalog;
    (void)arena;
    (void)analyzed;
    (void)cells;
    (void)row_count;
    return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "PIVOT in row filters", NULL);
}

static const char *conf(pt__catalog *catalog, const char *key)
{
    (void)catalog;
    if (strcmp(key, "spark.sql.session.timeZone") == 0)
        return "UTC";
    const pt__conf_row *row = pt__conf_find(key);
    return row == NULL ? NULL : row->value;
}

static const char *current_catalog(pt__catalog *catalog)
{
    (void)catalog;
    return "spark_catalog";
}

static const char *current_database(pt__catalog *catalog)
{
    (void)catalog;
    return "default";
}

static const char *current_user(pt__catalog *catalog)
{
    return self_of(catalog)->user;
}

static int64_t now_us(pt__catalog *catalog)
{
    return self_of(catalog)->now_us;
}

static const pt__catalog_vtable vtable = {
    .find_relation = find_relation,
    .find_function = find_function,
    .find_files = find_files,
    .find_local = find_local,
    .find_cached = find_cached,
    .collect = collect,
    .conf = conf,
    .current_catalog = current_catalog,
    .current_database = current_database,
    .current_user = current_user,
    .now_us = now_us,
};

void pt__policy_catalog_init(pt__policy_catalog *catalog, pt_wrapper_session *session, const pt_plan *scan)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *catalog = (pt__policy_catalog){
        .base = {&vtable},
        .session = session,
        .scan = scan,
        .user = session->user,
        .now_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000,
    };
}
