#include "exec/state.h"

#include <stdlib.h>
#include <string.h>

/* The copies of what a cloned session starts with, made under the lock of the original. */
static void *ref_view(void *value)
{
    return pt__view_ref(value);
}

static void *ref_function(void *value)
{
    return pt__function_entry_ref(value);
}

static void *ref_kept(void *value)
{
    return pt__kept_ref(value);
}

static void *copy_text(void *value)
{
    return strdup(value);
}

static bool copy_map(const pt__map *from, pt__map *to, void *(*copy)(void *value))
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(from, &at, &key, &value);) {
        void *copied = copy(value);
        if (copied == NULL || !pt__map_set(to, key, copied, NULL))
            return false; /* one copy leaks into the failing session's end at worst; memory is exhausted */
    }
    return true;
}

/* The only place that holds the locks of two sessions: `to` was made just now and clones nothing yet. */
static pt_status copy_state(pt_session *from, pt_session *to, pt_error *err)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    bool is_closed = from->is_closed;
    bool copied = copy_map(&from->conf, &to->conf, copy_text) && copy_map(&from->views, &to->views, ref_view) &&
                  copy_map(&from->functions, &to->functions, ref_function) &&
                  copy_map(&from->kept, &to->kept, ref_kept);
    to->conf_bytes = from->conf_bytes;
    to->database = from->database == NULL ? NULL : strdup(from->database);
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
    if (is_closed)
        return pt__session_closed_error(from, err);
    return copied ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory to clone the session");
}

pt_status pt__session_clone(pt_session *session, const char *new_id, pt_session **out, pt_error *err)
{
    char made[PT_UUID_TEXT_BYTES];
    pt__uuid_v4_text(made);
    pt_session_request request = {sizeof(request), session->user, new_id == NULL ? made : new_id};
    if (!pt__is_uuid(request.session_id))
        return pt__raise(err, PT_COND_INVALID_CLONE_TARGET_FORMAT, "targetSessionId", new_id, NULL);
    pt_error inner = PT_ERROR_INIT;
    pt_session *clone = NULL;
    pt_status status = pt_host_create_session(session->host, &request, &clone, &inner);
    if (status == PT_ALREADY_EXISTS)
        status = pt__raise(err, PT_COND_INVALID_CLONE_TARGET_EXISTS, "targetSessionId", request.session_id, NULL);
    else if (status != PT_OK && err != NULL)
        pt_error_move(err, &inner);
    pt_error_clear(&inner);
    if (status != PT_OK)
        return status;
    status = copy_state(session, clone, err);
    if (status != PT_OK) {
        pt_session_close(clone);
        pt_session_unref(clone);
        return status;
    }
    *out = clone;
    return PT_OK;
}
