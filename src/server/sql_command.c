/* portico sql: one statement in process, without a connection; its rows as DataFrame.show() prints them. */
#include "exec/decode.h"
#include "front/spark_connect/show.h"
#include "server/commands.h"
#include "server/local.h"

#include <stdio.h>
#include <string.h>

typedef struct sql_run {
    const char *sql;
    pt__local local;
    pt__buffer text; /* the table; written by the worker until the job has ended */
} sql_run;

/* On a worker. */
static pt_status run_statement(pt_job *job, void *context, pt_error *err)
{
    sql_run *r = context;
    pt__arena *arena = pt__job_arena(job);
    pt__decode_options options = pt__session_decode_options(r->local.session, arena);
    const pt_plan *plan = NULL;
    const pt_plan *relation = NULL;
    bool was_command;
    PT_TRY(pt__sql_parse_statement(arena, (pt_text_view){r->sql, strlen(r->sql)}, &options.sql, &plan, err));
    PT_TRY(pt__job_settle(job, plan, &relation, &was_command, err));
    if (was_command && relation->column_count == 0)
        return PT_OK; /* a statement without a result prints nothing */
    return pt__connect_show_all(job, r->local.zones, relation, &r->text, err);
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

static pt_status run_all(sql_run *r, const pt_config *config, pt_error *err)
{
    PT_TRY(pt__local_open(&r->local, config, err));
    PT_TRY(pt__local_run(&r->local, run_statement, r, err));
    return print_text(r, err);
}

int pt__sql_command(const pt__arguments *arguments)
{
    pt_error err = PT_ERROR_INIT;
    if (arguments->word_count != 2) {
        pt_error_set(&err, PT_INVALID_ARGUMENT, "portico sql takes one statement: portico sql \"select 1\"");
        return pt__report(&err);
    }
    sql_run r = {.sql = arguments->words[1], .text = PT_BUFFER_INIT};
    run_all(&r, arguments->config, &err);
    pt__local_close(&r.local);
    pt__buffer_deinit(&r.text);
    int exit_status = pt__local_report(&err);
    pt_error_clear(&err);
    return exit_status;
}
