#include "exec/test_sql.h"

#include "base/test.h"
#include "decode/spark_sql/parser.h"
#include "exec/session_catalog.h"
#include "plan/text.h"

#include <string.h>

pt__test_sql pt__test_sql_begin(const pt_backend_vtable *backend, const char *key, const char *value)
{
    pt__test_sql t = {NULL, NULL, pt__arena_new(0)};
    pt_config *config = NULL;
    pt_config_new(&config, NULL);
    if (key != NULL)
        pt_config_set(config, key, value, NULL);
    pt_host_options options = {.size_bytes = sizeof(options), .config = config};
    PT_CHECK_EQ(pt_host_new(&options, &t.host, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_backend(t.host, backend, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_create_session(t.host, NULL, &t.session, NULL), PT_OK);
    pt_config_free(config);
    return t;
}

void pt__test_sql_end(pt__test_sql *t)
{
    pt__arena_free(t->arena);
    pt_session_unref(t->session);
    pt_host_free(t->host);
}

typedef struct statement {
    const char *sql;
    const pt_plan *(*make)(pt__arena *arena, void *context);
    void *context;
    const pt_plan *relation;
    pt__buffer text;
} statement;

static pt_status append_rows(void *context, const struct ArrowSchema *schema, const struct ArrowArray *batch,
                             pt_error *err)
{
    statement *s = context;
    (void)schema;
    (void)err;
    pt__arena *arena = pt__arena_new(0);
    for (int64_t row = 0; row < batch->length; row++) {
        for (size_t i = 0; i < s->relation->column_count; i++) {
            const struct ArrowArray *column = batch->children[i];
            const pt_type *type = s->relation->columns[i].type;
            pt_value value = pt__cell(arena, type, column, column->offset + row);
            pt__buffer_append_string(&s->text, i == 0 ? "" : "|");
            if (!value.is_null && pt__type_is_string(type))
                pt__buffer_append(&s->text, value.as.text.data, value.as.text.size_bytes);
            else
                pt__value_append_text(&s->text, type, &value);
        }
        pt__buffer_append_string(&s->text, "\n");
    }
    pt__arena_free(arena);
    return PT_OK;
}

static void append_header(statement *s, pt__arena *arena)
{
    for (size_t i = 0; i < s->relation->column_count; i++)
        pt__buffer_printf(&s->text, "%s%s:%s%s", i == 0 ? "" : "|", s->relation->columns[i].name,
                          pt__type_simple_string(arena, s->relation->columns[i].type),
                          s->relation->columns[i].nullable ? "?" : "");
    pt__buffer_append_string(&s->text, "\n");
}

static pt_status run(pt_job *job, void *context, pt_error *err)
{
    statement *s = context;
    pt__arena *arena = pt__job_arena(job);
    const pt_plan *plan;
    bool was_command;
    const char *sql = s->sql == NULL ? NULL : pt__arena_copy_string(arena, s->sql);
    if (s->make != NULL)
        plan = s->make(arena, s->context);
    else
        PT_TRY(pt__sql_parse_statement(arena, (pt_text_view){sql, strlen(sql)}, NULL, &plan, err));
    PT_TRY(pt__job_settle(job, plan, &s->relation, &was_command, err));
    append_header(s, arena);
    return pt__job_each_batch(job, s->relation, append_rows, s, err);
}

static const char *run_statement(pt__test_sql *t, statement *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_job *job = NULL;
    pt__job_request request = {.run = run, .context = s, .is_resumable = true};
    PT_CHECK_EQ(pt__job_start(t->session, &request, NULL, &job, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_wait(job, 20000, NULL), PT_OK);
    if (pt_job_failure(job, &err) != PT_OK) {
        pt__buffer_reset(&s->text);
        pt__buffer_printf(&s->text, "! %s", err.condition[0] != '\0' ? err.condition : err.message);
    }
    const char *text = pt__arena_copy_string(t->arena, pt__buffer_string(&s->text));
    pt__buffer_deinit(&s->text);
    pt_error_clear(&err);
    pt_job_unref(job);
    return text;
}

const char *pt__test_sql_run(pt__test_sql *t, const char *sql)
{
    statement s = {.sql = sql, .text = PT_BUFFER_INIT};
    return run_statement(t, &s);
}

const char *pt__test_sql_rows(pt__test_sql *t, const char *sql)
{
    const char *text = pt__test_sql_run(t, sql);
    return *text == '!' ? text : strchr(text, '\n') + 1;
}

const char *pt__test_plan_run(pt__test_sql *t, const pt_plan *(*make)(pt__arena *arena, void *context), void *context)
{
    statement s = {.make = make, .context = context, .text = PT_BUFFER_INIT};
    return run_statement(t, &s);
}
