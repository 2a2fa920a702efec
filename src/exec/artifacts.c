/* What clients upload to a session, and DataFrames that they persist. */
#include "exec/state.h"

#include "base/arena_buffer.h"
#include "plan/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- artifacts ---- */

/* Relative, without empty and ".." parts. */
static bool is_plain_path(const char *name)
{
    if (*name == '\0' || *name == '/')
        return false;
    for (const char *at = name;; at++) {
        size_t size = strcspn(at, "/");
        if (size == 0 || (size == 2 && strncmp(at, "..", 2) == 0) || (size == 1 && *at == '.'))
            return false;
        at += size;
        if (*at == '\0')
            return true;
    }
}

static bool same_bytes(const pt_bytes *a, const pt_bytes *b)
{
    pt_bytes_view x = pt_bytes_get_view(a);
    pt_bytes_view y = pt_bytes_get_view(b);
    return x.size_bytes == y.size_bytes && (x.size_bytes == 0 || memcmp(x.data, y.data, x.size_bytes) == 0);
}

/* With the lock held. PT_ALREADY_EXISTS with the error untouched: the same artifact again. */
static pt_status put_locked(pt_session *session, const char *name, pt_bytes *bytes, pt_error *err)
{
    uint64_t size = pt_bytes_get_view(bytes).size_bytes;
    const pt_bytes *old = pt__map_get(&session->artifacts, name);
    if (session->is_closed)
        return pt__session_closed_error(session, err);
    if (old != NULL && same_bytes(old, bytes))
        return PT_ALREADY_EXISTS;
    if (old != NULL)
        return pt__raise(err, PT_COND_ARTIFACT_ALREADY_EXISTS, "normalizedRemoteRelativePath", name, NULL);
    if (session->artifact_bytes + size > session->host->limits.artifact_bytes)
        return pt_error_set(err, PT_LIMIT, "the session's artifacts take more than session.artifacts-limit allows");
    if (!pt__map_set(&session->artifacts, name, bytes, NULL))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an artifact");
    session->artifact_bytes += size;
    return PT_OK;
}

pt_status pt__session_put_artifact(pt_session *session, const char *name, pt_bytes *bytes, pt_error *err)
{
    if (!is_plain_path(name)) {
        pt_bytes_unref(bytes);
        return pt__raise(err, PT_COND_INVALID_ARTIFACT_PATH, "name", name, NULL);
    }
    pt_error refusal = PT_ERROR_INIT;
    pthread_mutex_lock(&session->lock);
    pt_status status = put_locked(session, name, bytes, &refusal);
    pthread_mutex_unlock(&session->lock);
    if (status != PT_OK)
        pt_bytes_unref(bytes);
    bool is_again = status == PT_ALREADY_EXISTS && refusal.status == PT_OK;
    if (!is_again && status != PT_OK && err != NULL)
        pt_error_move(err, &refusal);
    pt_error_clear(&refusal);
    return is_again ? PT_OK : status;
}

bool pt__session_has_artifact(pt_session *session, const char *name)
{
    pthread_mutex_lock(&session->lock);
    bool has = pt__map_get(&session->artifacts, name) != NULL;
    pthread_mutex_unlock(&session->lock);
    return has;
}

pt_bytes *pt__session_get_artifact(pt_session *session, const char *name)
{
    pthread_mutex_lock(&session->lock);
    pt_bytes *bytes = pt__map_get(&session->artifacts, name);
    if (bytes != NULL)
        pt_bytes_ref(bytes);
    pthread_mutex_unlock(&session->lock);
    return bytes;
}

/* ---- DataFrame.persist() ---- */

void pt__session_set_storage(pt_session *session, const char *key, const pt__storage_level *level)
{
    pt__storage_level *copy = level == NULL ? NULL : malloc(sizeof(*copy));
    void *old = NULL;
    if (level != NULL && copy == NULL)
        return; /* only a remark about the plan is lost */
    if (copy != NULL)
        *copy = *level;
    pthread_mutex_lock(&session->lock);
    bool has_room = session->storage.live_count < session->host->limits.view_count;
    bool stored = copy != NULL && has_room && pt__map_set(&session->storage, key, copy, &old);
    if (copy == NULL)
        old = pt__map_remove(&session->storage, key);
    pthread_mutex_unlock(&session->lock);
    free(old);
    if (!stored)
        free(copy);
}

bool pt__session_get_storage(pt_session *session, const char *key, pt__storage_level *level)
{
    *level = (pt__storage_level){.replication = 1};
    pthread_mutex_lock(&session->lock);
    const pt__storage_level *found = pt__map_get(&session->storage, key);
    if (found != NULL)
        *level = *found;
    pthread_mutex_unlock(&session->lock);
    return found != NULL;
}

/* Plan ids stand as " #12" behind nodes and "@12" behind attributes; a like piece of a literal does no harm here. */
static void append_without_ids(pt__buffer *out, const char *text)
{
    while (*text != '\0') {
        size_t mark = strncmp(text, " #", 2) == 0 ? 2 : *text == '@' ? 1 : 0;
        size_t digits = mark == 0 ? 0 : strspn(text + mark, "0123456789");
        if (digits != 0) {
            text += mark + digits;
            continue;
        }
        pt__buffer_append_byte(out, (uint8_t)*text++);
    }
}

const char *pt__plan_key(pt__arena *arena, const pt_plan *plan)
{
    pt__buffer *text = pt__arena_buffer(arena);
    append_without_ids(text, pt__plan_text(arena, plan));
    uint64_t hash = pt__hash_bytes(text->data, text->size_bytes);
    const char *key = pt__arena_printf(arena, "%016llx%zu", (unsigned long long)hash, text->size_bytes);
    return key;
}
