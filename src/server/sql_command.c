/* portico sql: one statement in process, without a connection; its rows as DataFrame.show() prints them. */
#include "base/arena_buffer.h"
#include "front/spark_connect/errors.h"
#include "front/spark_connect/show.h"
#include "front/spark_connect/sql_options.h"
#include "server/backends.h"
#include "server/commands.h"
#include "server/log.h"

#include <stdio.h>
#include <string.h>

typedef struct sql_run {
    const pt_config *config;
    const char *sql;
    pt__server_log log;
    pt__zones *zones;
    pt_host *host;
    pt_session *session;
    pt__buffer text; /* the table; written by the worker until the job has ended */
} sql_run;

static pt_status open_host(sql_run *r, pt_error *err)
{
    pt_host_options options = {
        .size_bytes = sizeof(options),
        .config = r->config,
        .log = pt__server_log_write,
        .log_context = &r->log,
        .log_level = PT_LOG_WARN,
    };
    r->zones = pt__zones_new(NULL);
    if (r->zones == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to start");
    PT_TRY(pt_host_new(&options, &r->host, err));
    for (size_t i = 0; pt__server_backends[i] != NULL; i++)
        PT_TRY(pt_host_add_backend(r->host, pt__server_backends[i], r->config, err));
    return pt_host_create_session(r->host, NULL, &r->session, err);
}

/* On a worker. */
static pt_status run_statement(pt_job *job, void *context, pt_error *err)
{
    sql_run *r = context;
    pt__arena *arena = pt__job_arena(job);
    pt__sql_options options = pt__connect_sql_options(r->session, arena);
    const pt_plan *plan = NULL;
    const pt_plan *relation = NULL;
    bool was_command;
    PT_TRY(pt__sql_parse_statement(arena, (pt_text_view){r->sql, strlen(r->sql)}, &options, &plan, err));
    PT_TRY(pt__job_settle(job, plan, &relation, &was_command, err));
    if (was_command && relation->column_count == 0)
        return PT_OK; /* a statement without a result prints nothing */
    return pt__connect_show_all(job, r->zones, relation, &r->text, err);
}

static pt_status run_job(sql_run *r, pt_error *err)
{
    pt_job *job = NULL;
    pt__job_request request = {.is_resumable = true, .run = run_statement, .context = r};
    PT_TRY(pt__job_start(r->session, &request, NULL, &job, err));
    pt_status status = pt_job_wait(job, 0, err);
    if (status == PT_OK)
        status = pt_job_failure(job, err);
    pt_job_unref(job);
    return status;
}

static pt_status print_text(sql_run *r, pt_error *err)
{
    if (r->text.size_bytes == 0)
        return PT_OK;
    fwrite(r->text.data, 1, r->text.size_bytes, stdout);
    if (r->text.data[r->text.size_bytes - 1] != '\n') /* a table without rows */
        putchar('\n');
    if (fflush(stdout) != 0)
        return pt_error_set(err, PT_IO, "the result cannot be written to standard output");
    return PT_OK;
}

static pt_status run_all(sql_run *r, pt_error *err)
{
    PT_TRY(open_host(r, err));
    PT_TRY(run_job(r, err));
    return print_text(r, err);
}

/* As Spark tells it: condition, message, SQLSTATE, and the place in the statement. */
static int report_statement(const pt_error *err)
{
    if (err->status == PT_OK)
        return 0;
    pt__buffer message = PT_BUFFER_INIT;
    pt__connect_append_message(&message, err);
    const char *text = pt__buffer_string(&message);
    fprintf(stderr, "portico: %s\n", *text == '\n' ? text + 1 : text); /* messages of the parser begin a line */
    pt__buffer_deinit(&message);
    return 1;
}

int pt__sql_command(const pt__arguments *arguments)
{
    pt_error err = PT_ERROR_INIT;
    if (arguments->word_count != 2) {
        pt_error_set(&err, PT_INVALID_ARGUMENT, "portico sql takes one statement: portico sql \"select 1\"");
        return pt__report(&err);
    }
    sql_run r = {.config = arguments->config, .sql = arguments->words[1], .text = PT_BUFFER_INIT};
    pt__server_log_init(&r.log, r.config);
    run_all(&r, &err);
    pt_session_unref(r.session);
    pt_host_free(r.host); /* ends the worker, which uses the rest */
    pt__zones_free(r.zones);
    pt__buffer_deinit(&r.text);
    int exit_status = report_statement(&err);
    pt_error_clear(&err);
    return exit_status;
}
