/* The jobs of a session: finding, interrupting, releasing and listing them. */
#include "base/list.h"
#include "exec/durable.h"

#include <stdlib.h>
#include <string.h>

pt_status pt__session_job(pt_session *session, const char *id, pt_job **out, pt_error *err)
{
    if (!pt__is_uuid(id))
        return pt__raise(err, PT_COND_INVALID_HANDLE_FORMAT, "handle", id == NULL ? "" : id, NULL);
    pthread_mutex_lock(&session->lock);
    pt_job *job = pt__map_get(&session->jobs, id);
    if (job != NULL)
        pt_job_ref(job);
    intptr_t last_state = (intptr_t)pt__recent_find(&session->ended, id);
    pthread_mutex_unlock(&session->lock);
    if (job == NULL)
        return pt__raise(err,
                         last_state < 0 ? PT_COND_INVALID_HANDLE_OPERATION_ABANDONED
                                        : PT_COND_INVALID_HANDLE_OPERATION_NOT_FOUND,
                         "handle", id, NULL);
    pt__session_touch(session);
    *out = job;
    return PT_OK;
}

bool pt__session_release_job(pt_session *session, const char *id)
{
    pthread_mutex_lock(&session->lock);
    pt_job *job = pt__map_get(&session->jobs, id);
    if (job != NULL)
        pt_job_ref(job);
    pthread_mutex_unlock(&session->lock);
    if (job == NULL)
        return false;
    pt__job_forget(job, false);
    pt__durable_discard(job);
    pt_job_unref(job);
    return true;
}

bool pt__session_job_state(pt_session *session, const char *id, pt_operation_state *state)
{
    pthread_mutex_lock(&session->lock);
    pt_job *job = pt__map_get(&session->jobs, id);
    if (job != NULL)
        pt_job_ref(job);
    intptr_t last_state = (intptr_t)pt__recent_find(&session->ended, id);
    pthread_mutex_unlock(&session->lock);
    if (job != NULL) {
        *state = pt_job_state(job);
        pt_job_unref(job);
        return true;
    }
    *state = (pt_operation_state)((last_state < 0 ? -last_state : last_state) - 1);
    return last_state != 0;
}

static bool has_tag(const pt_job *job, const char *tag)
{
    for (size_t i = 0; i < job->tag_count; i++)
        if (strcmp(job->tags[i], tag) == 0)
            return true;
    return false;
}

static bool is_meant(const pt_job *job, pt__interrupt_kind kind, const char *value)
{
    switch (kind) {
    case PT_INTERRUPT_ALL: return true;
    case PT_INTERRUPT_TAG: return has_tag(job, value);
    case PT_INTERRUPT_ID: return strcmp(job->id, value) == 0;
    }
    return false;
}

/* Jobs that are meant and have not ended, a reference each; the array is the caller's to free. */
static pt_job **jobs_to_interrupt(pt_session *session, pt__interrupt_kind kind, const char *value, size_t *count)
{
    *count = 0;
    pthread_mutex_lock(&session->lock);
    pt_job **list = calloc(session->jobs.live_count + 1, sizeof(pt_job *));
    const char *key;
    void *item;
    for (size_t at = 0; list != NULL && pt__map_next(&session->jobs, &at, &key, &item);)
        if (is_meant(item, kind, value) && !pt__job_has_ended(item))
            list[(*count)++] = pt_job_ref(item);
    pthread_mutex_unlock(&session->lock);
    return list;
}

void pt__session_interrupt(pt_session *session, pt__interrupt_kind kind, const char *value, pt__arena *arena,
                           const char *const **ids, size_t *count)
{
    pt_job **list = jobs_to_interrupt(session, kind, value, count);
    pt__arena_defer(arena, free, list);
    char **texts = pt__arena_array(arena, char *, *count);
    for (size_t i = 0; i < *count; i++) {
        pt_job_cancel(list[i], NULL);
        texts[i] = pt__arena_copy_string(arena, list[i]->id);
        pt_job_unref(list[i]);
    }
    *ids = (const char *const *)texts;
}

void pt__session_jobs(pt_session *session, pt__arena *arena, const pt__job_info **out, size_t *count)
{
    pthread_mutex_lock(&session->lock);
    size_t room = session->jobs.live_count;
    pthread_mutex_unlock(&session->lock);
    pt__job_info *infos = pt__arena_array(arena, pt__job_info, room);
    char *ids = pt__arena_alloc(arena, room * PT_UUID_TEXT_BYTES);
    *count = 0;
    pthread_mutex_lock(&session->lock);
    const char *key;
    void *item;
    for (size_t at = 0; *count < room && pt__map_next(&session->jobs, &at, &key, &item);) {
        pt_job *job = item;
        char *id = memcpy(ids + *count * PT_UUID_TEXT_BYTES, job->id, PT_UUID_TEXT_BYTES);
        infos[(*count)++] = (pt__job_info){id, pt_job_state(job)};
    }
    pthread_mutex_unlock(&session->lock);
    *out = infos;
}
