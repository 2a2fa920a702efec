/* The public functions over jobs: queries in any format that the backend or a decoder takes. */
#include "exec/decode.h"
#include "exec/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- submit ---- */

typedef struct submission {
    char *format;
    pt_bytes *payload;
    pt_query_option *options;
    size_t option_count;
} submission;

static void free_submission(void *context)
{
    submission *s = context;
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->option_count; i++) {
        free((char *)s->options[i].name);
        free((char *)s->options[i].value);
    }
    free(s->options);
    free(s->format);
    pt_bytes_unref(s->payload);
    free(s);
}

static bool copy_options(submission *s, const pt_encoded_query *query)
{
    s->options = calloc(query->option_count + 1, sizeof(*s->options));
    if (s->options == NULL)
        return false;
    for (size_t i = 0; i < query->option_count; i++) {
        pt_query_option *option = &s->options[s->option_count++];
        option->name = strdup(query->options[i].name);
        option->value = strdup(query->options[i].value);
        if (option->name == NULL || option->value == NULL)
            return false;
    }
    return true;
}

static submission *copy_submission(const pt_encoded_query *query)
{
    submission *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    s->format = strdup(query->format);
    s->payload = pt_bytes_copy(query->payload);
    if (s->format != NULL && s->payload != NULL && copy_options(s, query))
        return s;
    free_submission(s);
    return NULL;
}

/* Whether the session's backend takes the format undecoded. */
static bool backend_accepts(const pt_host *host, const char *format)
{
    const pt__backend_slot *slot = &host->backends[0];
    return slot->vtable->accepts != NULL && slot->vtable->accepts(slot->self, format);
}

static pt_status run_decoded(pt_job *job, const pt_encoded_query *query, pt_error *err)
{
    const pt_plan *plan = NULL;
    const pt_plan *relation = NULL;
    bool was_command;
    PT_TRY(pt__session_decode(pt__job_session(job), pt__job_arena(job), query, &plan, err));
    PT_TRY(pt__job_settle(job, plan, &relation, &was_command, err));
    return pt__job_execute(job, relation, err);
}

static pt_status run_submission(pt_job *job, void *context, pt_error *err)
{
    submission *s = context;
    pt_encoded_query query = {s->format, pt_bytes_get_view(s->payload), s->options, s->option_count};
    if (!backend_accepts(pt__session_host(pt__job_session(job)), s->format))
        return run_decoded(job, &query, err);
    pt__spool_sink rows;
    pt__row_sink sink = pt__spool_sink_init(&rows, job);
    return pt__run_encoded(job, &query, &sink, err);
}

static pt_status check_format(pt_host *host, const pt_encoded_query *query, pt_error *err)
{
    if (query->format == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the query names no format");
    if (host->backend_count == 0)
        return pt_error_set(err, PT_UNAVAILABLE, "the host has no backend");
    if (backend_accepts(host, query->format))
        return PT_OK;
    return pt__host_check_format(host, query->format, err);
}

pt_status pt_host_submit(pt_host *host, const pt_submit_request *request, pt_job **out, pt_error *err)
{
    PT_TRY(check_format(host, &request->query, err));
    pt__job_request job = {
        .id = request->requested_job_id,
        .fingerprint = request->query.payload,
        .tags = request->tags,
        .tag_count = request->tag_count,
        .is_resumable = true,
        .run = run_submission,
        .free_context = free_submission,
        .context = copy_submission(&request->query),
    };
    if (job.context == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the query");
    return pt__job_start(request->session, &job, NULL, out, err);
}

pt_status pt_host_job(pt_host *host, const char *job_id, pt_job **out, pt_error *err)
{
    pt_job *found = NULL;
    const char *key;
    void *value;
    pthread_mutex_lock(&host->lock);
    for (size_t at = 0; found == NULL && pt__map_next(&host->sessions, &at, &key, &value);) {
        pt_session *session = value;
        pthread_mutex_lock(&session->lock);
        found = pt__map_get(&session->jobs, job_id);
        if (found != NULL)
            pt_job_ref(found);
        pthread_mutex_unlock(&session->lock);
    }
    pthread_mutex_unlock(&host->lock);
    if (found == NULL)
        return pt_error_set(err, PT_NOT_FOUND, "there is no job %s", job_id);
    *out = found;
    return PT_OK;
}
