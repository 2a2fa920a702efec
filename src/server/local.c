#include "server/local.h"

#include "base/buffer.h"
#include "front/spark_connect/errors.h"
#include "server/backends.h"

#include <stdio.h>

pt_status pt__local_open(pt__local *out, const pt_config *config, pt_error *err)
{
    *out = (pt__local){0};
    pt__server_log_init(&out->log, config);
    pt_host_options options = {
        .size_bytes = sizeof(options),
        .config = config,
        .log = pt__server_log_write,
        .log_context = &out->log,
        .log_level = PT_LOG_WARN,
    };
    out->zones = pt__zones_new(NULL);
    if (out->zones == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to start");
    PT_TRY(pt_host_new(&options, &out->host, err));
    PT_TRY(pt__server_add_backends(out->host, config, err));
    PT_TRY(pt__plugins_open(&out->plugins, out->host, config, err));
    return pt_host_create_session(out->host, NULL, &out->session, err);
}

void pt__local_close(pt__local *local)
{
    pt_session_unref(local->session);
    pt_host_free(local->host); /* ends the worker, which uses the rest */
    pt__plugins_close(&local->plugins);
    pt__zones_free(local->zones);
    *local = (pt__local){0};
}

pt_status pt__local_run(pt__local *local, pt_status (*run)(pt_job *job, void *context, pt_error *err), void *context,
                        pt_error *err)
{
    pt_job *job = NULL;
    pt__job_request request = {.is_resumable = true, .run = run, .context = context};
    PT_TRY(pt__job_start(local->session, &request, NULL, &job, err));
    pt_status status = pt_job_wait(job, 0, err);
    if (status == PT_OK)
        status = pt_job_failure(job, err);
    pt_job_unref(job);
    return status;
}

int pt__local_report(const pt_error *err)
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
