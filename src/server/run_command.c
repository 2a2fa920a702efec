/*
 * portico decode, portico run: an encoded query of a file ("-": standard input), as the text of its plan or as its
 * rows; in process, without a connection.
 */
#include "analyze/analyze.h"
#include "base/arena_buffer.h"
#include "exec/decode.h"
#include "exec/ipc_reader.h"
#include "exec/statement.h"
#include "front/spark_connect/cell.h"
#include "plan/arrow_schema.h"
#include "plan/text.h"
#include "server/commands.h"
#include "server/local.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { READ_BYTES = 1 << 16 };

typedef struct encoded_run {
    const pt_config *config;
    const char *path;
    bool decode_only;
    pt__local local;
    pt__buffer query;
    pt__buffer text; /* what is printed; written by the worker until the job has ended */
} encoded_run;

/* ---- the query ---- */

static pt_status read_stream(encoded_run *r, FILE *file, pt_error *err)
{
    for (;;) {
        if (!pt__buffer_reserve(&r->query, READ_BYTES))
            return pt_error_set(err, PT_NO_MEMORY, "no memory for %s", r->path);
        size_t got = fread(r->query.data + r->query.size_bytes, 1, READ_BYTES, file);
        r->query.size_bytes += got;
        if (got == 0)
            break;
    }
    return ferror(file) ? pt_error_set(err, PT_IO, "cannot read %s: %s", r->path, strerror(errno)) : PT_OK;
}

static pt_status read_query(encoded_run *r, pt_error *err)
{
    if (strcmp(r->path, "-") == 0)
        return read_stream(r, stdin, err);
    FILE *file = fopen(r->path, "rb");
    if (file == NULL)
        return pt_error_set(err, PT_IO, "cannot read %s: %s", r->path, strerror(errno));
    pt_status status = read_stream(r, file, err);
    fclose(file);
    return status;
}

/* ---- the tables ---- */

static const char *format_of(const char *path)
{
    static const char *const formats[] = {"csv", "json", "orc", "text"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(dot + 1, formats[i]) == 0)
            return formats[i];
    return "parquet";
}

static pt_status add_table(pt_job *job, const char *name, const char *path, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    pt_plan_scan_files *scan = pt__plan_make(arena, SCAN_FILES, scan_files, NULL);
    const char **paths = pt__arena_array(arena, const char *, 1);
    paths[0] = path;
    scan->format = format_of(path);
    scan->paths = paths;
    scan->path_count = 1;
    pt_plan_create_view *view = pt__plan_make(arena, CREATE_VIEW, create_view, NULL);
    view->name = pt__name_one(arena, name);
    view->view_kind = PT_VIEW_TEMPORARY;
    view->query = &scan->base;
    const pt_plan *nothing;
    bool was_command;
    return pt__job_settle(job, &view->base, &nothing, &was_command, err);
}

/* NAME=PATH,NAME=PATH … */
static pt_status add_tables(encoded_run *r, pt_job *job, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    for (const char *rest = pt_config_string(r->config, "tables", ""); *rest != '\0';) {
        size_t size = strcspn(rest, ",");
        const char *item = pt__arena_copy_text(arena, rest, size);
        const char *equals = strchr(item, '=');
        if (equals == NULL)
            return pt_error_set(err, PT_INVALID_ARGUMENT, "--tables: \"%s\" is not of the form NAME=PATH", item);
        PT_TRY(add_table(job, pt__arena_copy_text(arena, item, (size_t)(equals - item)), equals + 1, err));
        rest += rest[size] == ',' ? size + 1 : size;
    }
    return PT_OK;
}

/* ---- the rows ---- */

typedef struct csv {
    pt__buffer *out;
    pt__buffer *cell;
    const pt_type *schema;
    const pt__zone *zone;
} csv;

static void append_csv_text(pt__buffer *out, const char *text, size_t size_bytes)
{
    if (size_bytes != 0 && memchr(text, ',', size_bytes) == NULL && memchr(text, '"', size_bytes) == NULL &&
        memchr(text, '\n', size_bytes) == NULL) {
        pt__buffer_append(out, text, size_bytes);
        return;
    }
    pt__buffer_append_byte(out, '"');
    for (size_t i = 0; i < size_bytes; i++) {
        if (text[i] == '"')
            pt__buffer_append_byte(out, '"');
        pt__buffer_append_byte(out, (uint8_t)text[i]);
    }
    pt__buffer_append_byte(out, '"');
}

static bool is_null(const struct ArrowArray *column, int64_t row)
{
    const uint8_t *valid = column->n_buffers == 0 ? NULL : column->buffers[0];
    int64_t at = column->offset + row;
    return valid != NULL && (valid[at / 8] >> (at % 8) & 1) == 0;
}

/* NULL is nothing, an empty text is two quotes. */
static pt_status append_csv_cell(csv *c, size_t index, const struct ArrowArray *column, int64_t row, pt_error *err)
{
    if (index != 0)
        pt__buffer_append_byte(c->out, ',');
    if (c->schema->fields[index].type->id == PT_TYPE_VOID || is_null(column, row))
        return PT_OK;
    pt__buffer_reset(c->cell);
    PT_TRY(pt__cell_append(c->cell, c->schema->fields[index].type, column, row, c->zone, err));
    append_csv_text(c->out, (const char *)c->cell->data, c->cell->size_bytes);
    return PT_OK;
}

static pt_status append_csv_batch(void *context, const struct ArrowSchema *schema, const struct ArrowArray *batch,
                                  pt_error *err)
{
    csv *c = context;
    (void)schema;
    for (int64_t row = 0; row < batch->length; row++) {
        for (size_t i = 0; i < c->schema->field_count; i++)
            PT_TRY(append_csv_cell(c, i, batch->children[i], batch->offset + row, err));
        pt__buffer_append_byte(c->out, '\n');
    }
    return PT_OK;
}

static void append_csv_names(csv *c)
{
    for (size_t i = 0; i < c->schema->field_count; i++) {
        pt__buffer_append_string(c->out, i == 0 ? "" : ",");
        append_csv_text(c->out, c->schema->fields[i].name, strlen(c->schema->fields[i].name));
    }
    pt__buffer_append_byte(c->out, '\n');
}

static pt_status print_csv(encoded_run *r, pt_job *job, const pt_plan *relation, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    csv c = {&r->text, pt__arena_buffer(arena), pt__analyzed_schema(arena, relation), NULL};
    const char *zone = pt__session_conf_option(r->local.session, arena, "spark.sql.session.timeZone");
    c.zone = pt__zones_find(r->local.zones, zone == NULL ? "UTC" : zone);
    append_csv_names(&c);
    return pt__job_each_batch(job, relation, append_csv_batch, &c, err);
}

static pt_status print_arrow(encoded_run *r, pt_job *job, const pt_plan *relation, pt_error *err)
{
    pt_bytes *stream = NULL;
    int64_t row_count;
    PT_TRY(pt__job_collect(job, relation, &stream, &row_count, err));
    pt_bytes_view view = pt_bytes_get_view(stream);
    pt__buffer_append(&r->text, view.data, view.size_bytes);
    pt_bytes_unref(stream);
    return PT_OK;
}

static void unref_bytes(void *bytes)
{
    pt_bytes_unref(bytes);
}

static pt_status read_output_format(const encoded_run *r, bool *is_csv, pt_error *err)
{
    const char *format = pt_config_string(r->config, "output", "csv");
    *is_csv = strcmp(format, "csv") == 0;
    if (*is_csv || strcmp(format, "arrow") == 0)
        return PT_OK;
    return pt_error_set(err, PT_INVALID_ARGUMENT, "--output is csv or arrow, not \"%s\"", format);
}

static pt_status print_rows(encoded_run *r, pt_job *job, const pt_plan *plan, pt_error *err)
{
    const pt_plan *relation = NULL;
    bool was_command;
    bool is_csv;
    PT_TRY(pt__job_settle(job, plan, &relation, &was_command, err));
    if (was_command && relation->column_count == 0)
        return PT_OK;
    PT_TRY(read_output_format(r, &is_csv, err));
    return is_csv ? print_csv(r, job, relation, err) : print_arrow(r, job, relation, err);
}

/* ---- a format that the backend takes as it is ---- */

static pt_status append_csv_stream(encoded_run *r, pt__arena *arena, pt_bytes_view stream, pt_error *err)
{
    const pt_local_data *rows = NULL;
    csv c = {&r->text, pt__arena_buffer(arena), NULL, pt__zones_find(r->local.zones, "UTC")};
    PT_TRY(pt__ipc_read_streams(arena, &stream, 1, &rows, err));
    PT_TRY(pt__arrow_type(arena, rows->schema, &c.schema, err));
    append_csv_names(&c);
    for (size_t i = 0; i < rows->batch_count; i++)
        PT_TRY(append_csv_batch(&c, rows->schema, rows->batches[i], err));
    return PT_OK;
}

static pt_status print_undecoded(encoded_run *r, pt_job *job, const pt_encoded_query *query, pt_error *err)
{
    pt_bytes *stream = NULL;
    const pt__statement_request request = {.query = *query};
    bool is_csv;
    PT_TRY(read_output_format(r, &is_csv, err));
    PT_TRY(pt__job_collect_statement(job, &request, &stream, err));
    pt_bytes_view view = pt_bytes_get_view(stream);
    pt__arena_defer(pt__job_arena(job), unref_bytes, stream);
    if (is_csv)
        return append_csv_stream(r, pt__job_arena(job), view, err);
    pt__buffer_append(&r->text, view.data, view.size_bytes);
    return PT_OK;
}

/* On a worker. */
static pt_status run_encoded(pt_job *job, void *context, pt_error *err)
{
    encoded_run *r = context;
    const pt_plan *plan = NULL;
    const char *format = pt_config_string(r->config, "format", "spark.sql");
    pt_encoded_query query = {.format = format, .payload = pt__buffer_view(&r->query)};
    if (!r->decode_only && pt__job_backend_accepts(job, format))
        return print_undecoded(r, job, &query, err);
    PT_TRY(pt__session_decode(r->local.session, pt__job_arena(job), &query, &plan, err));
    if (r->decode_only) {
        pt__plan_append_text(&r->text, plan);
        return PT_OK;
    }
    PT_TRY(add_tables(r, job, err));
    return print_rows(r, job, plan, err);
}

static pt_status run_all(encoded_run *r, pt_error *err)
{
    PT_TRY(read_query(r, err));
    PT_TRY(pt__local_open(&r->local, r->config, err));
    PT_TRY(pt__local_run(&r->local, run_encoded, r, err));
    if (r->text.failed)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the result");
    fwrite(r->text.data, 1, r->text.size_bytes, stdout);
    return fflush(stdout) == 0 ? PT_OK : pt_error_set(err, PT_IO, "the result cannot be written to standard output");
}

static int run_file(const pt__arguments *arguments, bool decode_only)
{
    pt_error err = PT_ERROR_INIT;
    if (arguments->word_count != 2) {
        pt_error_set(&err, PT_INVALID_ARGUMENT, "portico %s takes one file: portico %s --format FORMAT FILE",
                     arguments->words[0], arguments->words[0]);
        return pt__report(&err);
    }
    encoded_run r = {.config = arguments->config, .path = arguments->words[1], .decode_only = decode_only};
    run_all(&r, &err);
    pt__local_close(&r.local);
    pt__buffer_deinit(&r.query);
    pt__buffer_deinit(&r.text);
    int exit_status = pt__local_report(&err);
    pt_error_clear(&err);
    return exit_status;
}

int pt__decode_command(const pt__arguments *arguments)
{
    return run_file(arguments, true);
}

int pt__run_file_command(const pt__arguments *arguments)
{
    return run_file(arguments, false);
}
