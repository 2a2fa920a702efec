/* The public functions over jobs: queries in any format that the backend or a decoder takes. */
#include "exec/decode.h"
#include "exec/durable.h"
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

static pt_status run_submission(pt_job *job, void *context, pt_error *err)
{
    submission *s = context;
    pt__statement_request request = {.query = {s->format, pt_bytes_get_view(s->payload), s->options, s->option_count}};
    return pt__job_run_statement(job, &request, err);
}

static pt_status check_format(pt_host *host, const pt_encoded_query *query, pt_error *err)
{
    if (query->format == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the query names no format");
    if (host->backend_count == 0)
        return pt_error_set(err, PT_UNAVAILABLE, "the host has no backend");
    if (pt__host_backend_accepts(host, query->format))
        return PT_OK;
    return pt__host_check_format(host, query->format, err);
}

pt_status pt__submission_prepare(const pt_encoded_query *query, pt__job_request *out, pt_error *err)
{
    out->run = run_submission;
    out->free_context = free_submission;
    out->context = copy_submission(query);
    return out->context != NULL ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for the query");
}

pt_bytes *pt__request_fingerprint(const pt__job_request_record *request)
{
    pt__buffer bytes = PT_BUFFER_INIT;
    pt__job_request_record record = {.query = request->query, .tags = request->tags, .tag_count = request->tag_count};
    pt__job_request_encode(&bytes, &record);
    pt_bytes *out = pt__buffer_take(&bytes);
    pt__buffer_deinit(&bytes);
    return out;
}

static pt_status taken(const char *id, pt_error *err)
{
    return pt__raise(err, PT_COND_INVALID_HANDLE_OPERATION_ALREADY_EXISTS, "handle", id, NULL);
}

/* The job of that id that is on record already, if it was asked the same. */
static pt_status submit_again(pt_host *host, const pt__job_request *request, pt_job **out, pt_error *err)
{
    pt__stored_job stored;
    PT_TRY(pt__stored_job_read(host, request->id, &stored, err));
    pt__job_request_record wanted = {.query = *request->query, .tags = request->tags, .tag_count = request->tag_count};
    bool is_same = pt__job_request_same(&wanted, &stored.request);
    pt__arena_free(stored.arena);
    return is_same ? pt_host_recover(host, request->id, out, err) : taken(request->id, err);
}

static pt_status start_or_find(pt_host *host, pt_session *session, pt__job_request *request, pt_job **out,
                               pt_error *err)
{
    pt_error inner = PT_ERROR_INIT;
    pt_job *known = request->id == NULL ? NULL : pt__host_find_job(host, request->id);
    if (known != NULL && known->session != session) {
        bool is_same = pt__job_is_repeat(known, request);
        if (is_same)
            *out = known;
        else
            pt_job_unref(known);
        return is_same ? PT_OK : taken(request->id, err);
    }
    pt_job_unref(known);
    PT_TRY(pt__submission_prepare(request->query, request, err));
    pt_status status = pt__job_start(session, request, NULL, out, &inner);
    if (status == PT_ALREADY_EXISTS && inner.condition[0] == '\0') /* in the store, not in the session */
        status = submit_again(host, request, out, err);
    else if (status != PT_OK && err != NULL)
        pt_error_move(err, &inner);
    pt_error_clear(&inner);
    return status;
}

/* UUIDs are the same in either case; records have them in lower case. */
static const char *lower_case(const char *id, char out[PT_UUID_TEXT_BYTES])
{
    pt__uuid uuid;
    if (id == NULL || !pt__uuid_parse(id, strlen(id), &uuid))
        return id;
    pt__uuid_format(&uuid, out);
    return out;
}

pt_status pt_host_submit(pt_host *host, const pt_submit_request *request, pt_job **out, pt_error *err)
{
    char id[PT_UUID_TEXT_BYTES];
    PT_TRY(check_format(host, &request->query, err));
    const pt__job_request_record asked = {
        .query = request->query, .tags = request->tags, .tag_count = request->tag_count};
    pt_bytes *fingerprint = pt__request_fingerprint(&asked);
    if (fingerprint == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the query");
    pt__job_request job = {
        .id = lower_case(request->requested_job_id, id),
        .fingerprint = pt_bytes_get_view(fingerprint),
        .tags = request->tags,
        .tag_count = request->tag_count,
        .is_resumable = true,
        .is_detached = true,
        .query = &request->query,
        .is_recorded_first = true,
    };
    pt_status status = start_or_find(host, request->session, &job, out, err);
    pt_bytes_unref(fingerprint);
    return status;
}
