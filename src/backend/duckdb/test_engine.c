#include "backend/duckdb/test_engine.h"

#include "backend/duckdb/operation.h"
#include "base/format_double.h"
#include "base/test.h"
#include "decode/spark_sql/parser.h"
#include "plan/arrow_schema.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the catalog ---- */

static pt__test_engine *of(pt__catalog *catalog)
{
    return (pt__test_engine *)catalog;
}

static const pt_plan *scan_of_file(pt__arena *arena, const char *format, const char *path)
{
    pt_plan_scan_files *scan = pt__plan_make(arena, SCAN_FILES, scan_files, NULL);
    const char **paths = pt__arena_array(arena, const char *, 1);
    paths[0] = path;
    scan->format = format;
    scan->paths = paths;
    scan->path_count = 1;
    return &scan->base;
}

static pt_status find_relation(pt__catalog *catalog, pt__arena *arena, const pt_name *name, pt__relation *out,
                               pt_error *err)
{
    pt__test_engine *engine = of(catalog);
    const char *last = name->parts[name->count - 1];
    *out = (pt__relation){.name = *name};
    if (engine->local != NULL && strcmp(last, "local") == 0) {
        out->view = &pt__plan_make(arena, LOCAL, local, NULL)->base;
        return PT_OK;
    }
    if (name->count == 2 && last[0] == '/') {
        out->view = scan_of_file(arena, name->parts[0], last);
        return PT_OK;
    }
    if (engine->directory != NULL && name->count == 1) {
        const char *path = pt__arena_printf(arena, "%s/%s.parquet", engine->directory, last);
        if (access(path, R_OK) == 0) {
            out->view = scan_of_file(arena, "parquet", path);
            return PT_OK;
        }
    }
    if (pt_backend_duckdb.get_table == NULL)
        return PT_NOT_FOUND;
    const char *database = name->count > 1 ? name->parts[name->count - 2] : "default";
    const char **parts = pt__arena_array(arena, const char *, 3);
    parts[0] = "spark_catalog";
    parts[1] = database;
    parts[2] = last;
    out->name = (pt_name){parts, 3};
    out->origin = PT_RELATION_TABLE;
    return pt_backend_duckdb.get_table(engine->session, database, last, arena, &out->table, err);
}

static pt_status find_function(pt__catalog *catalog, pt__arena *arena, const pt_name *name,
                               const pt__user_function **out, pt_error *err)
{
    (void)catalog, (void)arena, (void)name, (void)out, (void)err;
    return PT_NOT_FOUND;
}

static pt_status find_files(pt__catalog *catalog, pt__arena *arena, const pt_plan_scan_files *scan,
                            const pt_file_set **out, pt_error *err)
{
    pt_file_set *files = pt__arena_make(arena, pt_file_set);
    pt__list(pt_data_file) items = {0};
    pt__list(const char *) paths = {0};
    for (size_t i = 0; i < scan->path_count; i++) {
        glob_t found;
        glob(scan->paths[i], GLOB_NOCHECK, NULL, &found);
        for (size_t k = 0; k < found.gl_pathc; k++) {
            pt_data_file file = {.path = pt__arena_copy_string(arena, found.gl_pathv[k])};
            pt__list_push(arena, &items, file);
            pt__list_push(arena, &paths, file.path);
        }
        globfree(&found);
    }
    files->files = items.items;
    files->file_count = items.count;
    files->data_schema = scan->schema;
    *out = files;
    if (scan->schema != NULL)
        return PT_OK;
    pt_file_request request = {scan->format, paths.items, paths.count, scan->options};
    if (pt_backend_duckdb.describe_files == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "files cannot be described");
    return pt_backend_duckdb.describe_files(of(catalog)->session, &request, arena, &files->data_schema, err);
}

static pt_status find_local(pt__catalog *catalog, pt__arena *arena, const pt_plan_local *local, const pt_type **schema,
                            const pt_local_data **out, pt_error *err)
{
    (void)arena, (void)local, (void)err;
    *schema = of(catalog)->local_type;
    *out = of(catalog)->local;
    return PT_OK;
}

static const char *conf(pt__catalog *catalog, const char *key)
{
    if (strcmp(key, "spark.sql.session.timeZone") == 0)
        return of(catalog)->time_zone;
    if (strcmp(key, "spark.sql.ansi.enabled") == 0)
        return of(catalog)->ansi;
    return NULL;
}

static const char *spark_catalog(pt__catalog *catalog)
{
    (void)catalog;
    return "spark_catalog";
}

static const char *default_database(pt__catalog *catalog)
{
    (void)catalog;
    return "default";
}

static int64_t now_us(pt__catalog *catalog)
{
    (void)catalog;
    return INT64_C(1600000000000000);
}

static const pt__catalog_vtable CATALOG = {
    .find_relation = find_relation,
    .find_function = find_function,
    .find_files = find_files,
    .find_local = find_local,
    .conf = conf,
    .current_catalog = spark_catalog,
    .current_database = default_database,
    .current_user = spark_catalog,
    .now_us = now_us,
};

/* ---- opening ---- */

bool pt__test_engine_open(pt__test_engine *engine, const char *database)
{
    pt_error err = PT_ERROR_INIT;
    pt_config *config = NULL;
    pt_env env = {.size_bytes = sizeof(env), .worker_count = 2};
    *engine = (pt__test_engine){.catalog = {&CATALOG}, .time_zone = "UTC", .ansi = "true"};
    pt_config_new(&config, &err);
    if (database != NULL)
        pt_config_set(config, "database", database, &err);
    pt_status status = pt_backend_duckdb.open(config, &env, &engine->backend, &err);
    pt_config_free(config);
    if (status == PT_OK)
        status = pt_backend_duckdb.open_session(engine->backend, NULL, &engine->session, &err);
    if (status != PT_OK)
        pt__test_fail(__FILE__, __LINE__, pt_error_full_message(&err));
    pt_error_clear(&err);
    return status == PT_OK;
}

void pt__test_engine_close(pt__test_engine *engine)
{
    if (engine->session != NULL)
        pt_backend_duckdb.close_session(engine->session);
    if (engine->backend != NULL)
        pt_backend_duckdb.close(engine->backend);
    pt__arena_free(engine->arena);
}

/* ---- cells as text ---- */

static bool is_null(const struct ArrowArray *array, int64_t row)
{
    if (array->n_buffers == 0)
        return true;
    const uint8_t *bits = array->buffers[0];
    row += array->offset;
    return bits != NULL && (bits[row / 8] >> (row % 8) & 1) == 0;
}

static void put_decimal(pt__buffer *out, const struct ArrowSchema *schema, const pt_int128 *value)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    const char *comma = strchr(schema->format, ','); /* d:precision,scale */
    pt__decimal_format(*value, comma == NULL ? 0 : (int32_t)strtol(comma + 1, NULL, 10), text);
    pt__buffer_append_string(out, text);
}

static void put_cell(pt__buffer *out, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row);

static void put_list(pt__buffer *out, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row)
{
    const int32_t *offsets = array->buffers[1];
    pt__buffer_append_string(out, "[");
    for (int32_t i = offsets[row]; i < offsets[row + 1]; i++) {
        pt__buffer_append_string(out, i == offsets[row] ? "" : ",");
        put_cell(out, schema->children[0], array->children[0], i);
    }
    pt__buffer_append_string(out, "]");
}

static void put_struct(pt__buffer *out, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row)
{
    pt__buffer_append_string(out, "{");
    for (int64_t i = 0; i < array->n_children; i++) {
        pt__buffer_append_string(out, i == 0 ? "" : ",");
        put_cell(out, schema->children[i], array->children[i], row);
    }
    pt__buffer_append_string(out, "}");
}

static void put_bytes(pt__buffer *out, const struct ArrowArray *array, int64_t row, bool as_hex)
{
    const int32_t *offsets = array->buffers[1];
    const uint8_t *bytes = array->buffers[2];
    for (int32_t i = offsets[row]; i < offsets[row + 1]; i++) {
        if (as_hex)
            pt__buffer_printf(out, "%02X", bytes[i]);
        else
            pt__buffer_append_byte(out, bytes[i]);
    }
}

static void put_interval(pt__buffer *out, const void *values, int64_t row)
{
    const int32_t *parts = (const int32_t *)values + 4 * row;
    int64_t nanoseconds;
    memcpy(&nanoseconds, parts + 2, 8);
    pt__buffer_printf(out, "%dm %dd %lldns", parts[0], parts[1], (long long)nanoseconds);
}

static void put_double(pt__buffer *out, double value)
{
    pt__buffer_printf(out, "%.15g", value);
}

static void put_cell(pt__buffer *out, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row)
{
    if (is_null(array, row)) {
        pt__buffer_append_string(out, "NULL");
        return;
    }
    row += array->offset;
    const void *values = array->n_buffers > 1 ? array->buffers[1] : NULL;
    const char *format = schema->format;
    switch (format[0]) {
    case 'b':
        pt__buffer_append_string(out, ((const uint8_t *)values)[row / 8] >> (row % 8) & 1 ? "true" : "false");
        return;
    case 'c': pt__buffer_printf(out, "%d", ((const int8_t *)values)[row]); return;
    case 's': pt__buffer_printf(out, "%d", ((const int16_t *)values)[row]); return;
    case 'i': pt__buffer_printf(out, "%d", ((const int32_t *)values)[row]); return;
    case 'l': pt__buffer_printf(out, "%lld", (long long)((const int64_t *)values)[row]); return;
    case 'f': put_double(out, (double)((const float *)values)[row]); return;
    case 'g': put_double(out, ((const double *)values)[row]); return;
    case 'd': put_decimal(out, schema, (const pt_int128 *)values + row); return;
    case 'u': put_bytes(out, array, row, false); return;
    case 'z': put_bytes(out, array, row, true); return;
    case 't': break;
    default: format[1] == 's' ? put_struct(out, schema, array, row) : put_list(out, schema, array, row); return;
    }
    if (strcmp(format, "tin") == 0)
        put_interval(out, values, row);
    else if (strcmp(format, "tdD") == 0 || strcmp(format, "tiM") == 0)
        pt__buffer_printf(out, "%d", ((const int32_t *)values)[row]);
    else
        pt__buffer_printf(out, "%lld", (long long)((const int64_t *)values)[row]);
}

static void put_rows(pt__buffer *out, const struct ArrowSchema *schema, const struct ArrowArray *batch)
{
    for (int64_t row = 0; row < batch->length; row++) {
        for (int64_t i = 0; i < batch->n_children; i++) {
            pt__buffer_append_string(out, i == 0 ? "" : "|");
            put_cell(out, schema->children[i], batch->children[i], row);
        }
        pt__buffer_append_string(out, "\n");
    }
}

/* ---- running ---- */

pt_status pt__test_engine_analyze(pt__test_engine *engine, const char *sql, const pt_plan **out, pt_error *err)
{
    const pt_plan *plan;
    pt__arena_free(engine->arena);
    engine->arena = pt__arena_new(0);
    PT_TRY(pt__sql_parse_statement(engine->arena, (pt_text_view){sql, strlen(sql)}, NULL, &plan, err));
    return pt__analyze(engine->arena, &engine->catalog, plan, out, err);
}

static pt_status collect(pt_operation *operation, pt__buffer *out, pt_error *err)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    PT_TRY(operation->vtable->result(operation, &stream, err));
    int code = stream.get_schema(&stream, &schema);
    while (code == 0) {
        code = stream.get_next(&stream, &batch);
        if (code != 0 || batch.release == NULL)
            break;
        put_rows(out, &schema, &batch);
        batch.release(&batch);
    }
    pt_status status = code == 0 ? PT_OK : operation->vtable->failure(operation, err);
    if (schema.release != NULL)
        schema.release(&schema);
    stream.release(&stream);
    return status;
}

static pt_status run_plan(pt__test_engine *engine, const pt_plan *plan, pt__buffer *out, pt_error *err)
{
    pt_operation *operation;
    pt_query query = {.size_bytes = sizeof(query),
                      .plan = plan,
                      .time_zone = engine->time_zone,
                      .operation_id = "test",
                      .batch_rows = engine->batch_rows};
    PT_TRY(pt_backend_duckdb.execute(engine->session, &query, &operation, err));
    pt_status status = collect(operation, out, err);
    operation->vtable->free(operation);
    return status;
}

static pt_status run(pt__test_engine *engine, const char *sql, pt__buffer *out, pt_error *err)
{
    const pt_plan *plan;
    PT_TRY(pt__test_engine_analyze(engine, sql, &plan, err));
    return run_plan(engine, plan, out, err);
}

const pt_type *pt__test_engine_struct_of(pt__arena *arena, const struct ArrowSchema *schema)
{
    const pt_type *type = NULL;
    pt__arrow_type(arena, schema, &type, NULL);
    return type;
}

static const char *answer(pt__test_engine *engine, pt_status status, pt__buffer *text, pt_error *err)
{
    if (status != PT_OK) {
        pt__buffer_reset(text);
        pt__buffer_printf(text, "!%s %s", err->condition, pt_error_full_message(err));
    }
    const char *kept = pt__arena_copy_string(engine->arena, pt__buffer_string(text));
    pt__buffer_deinit(text);
    pt_error_clear(err);
    return kept;
}

const char *pt__test_engine_run(pt__test_engine *engine, const char *sql)
{
    pt_error err = PT_ERROR_INIT;
    pt__buffer text = PT_BUFFER_INIT;
    pt_status status = run(engine, sql, &text, &err);
    return answer(engine, status, &text, &err);
}

const char *pt__test_engine_run_plan(pt__test_engine *engine, const pt_plan *plan)
{
    pt_error err = PT_ERROR_INIT;
    pt__buffer text = PT_BUFFER_INIT;
    pt_status status = run_plan(engine, plan, &text, &err);
    return answer(engine, status, &text, &err);
}

static pt_status lower(pt__test_engine *engine, const char *sql, pt__buffer *out, pt_error *err)
{
    const pt_plan *plan;
    pt__lowered lowered;
    PT_TRY(pt__test_engine_analyze(engine, sql, &plan, err));
    pt__lower *lowering = pt__lower_new(engine->arena, engine->backend, engine->time_zone);
    lowering->may_narrow = true;
    PT_TRY(pt__lower_query(lowering, plan, &lowered, err));
    pt__buffer_append_string(out, lowered.sql);
    return PT_OK;
}

const char *pt__test_engine_lower(pt__test_engine *engine, const char *sql)
{
    pt_error err = PT_ERROR_INIT;
    pt__buffer text = PT_BUFFER_INIT;
    pt_status status = lower(engine, sql, &text, &err);
    return answer(engine, status, &text, &err);
}
