#include "front/flight_sql/intake.h"

#include "base/monotonic.h"
#include "exec/ipc_feed.h"

#include <errno.h>
#include <nanoarrow/nanoarrow.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
    HIGH_BYTES = 40 << 20, /* waiting messages above which the call is paused */
    LOW_BYTES = 32 << 20   /* and below which it goes on */
};

typedef struct message {
    struct message *next;
    pt_bytes *owner;
    pt_bytes_view header;
    pt_bytes_view body;
} message;

struct pt__flight_intake {
    atomic_size_t references;
    pt_mailbox *mailbox;
    uint64_t timeout_ms;
    pt_call *call; /* loop thread only; NULL once it is over */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    message *first;
    message *last;
    size_t queued_bytes;
    bool is_paused; /* or about to go on */
    bool is_ended;
    bool is_cut;
    /* the worker's */
    pt__ipc_feed *feed;
    pt_error failure;
};

pt__flight_intake *pt__flight_intake_new(pt_call *call, uint64_t timeout_ms)
{
    pt__flight_intake *intake = calloc(1, sizeof(*intake));
    if (intake == NULL || pt__ipc_feed_new(&intake->feed, NULL) != PT_OK) {
        free(intake);
        return NULL;
    }
    atomic_init(&intake->references, 1);
    intake->call = call;
    intake->mailbox = pt_call_mailbox(call);
    intake->timeout_ms = timeout_ms;
    pthread_mutex_init(&intake->lock, NULL);
    pt__monotonic_condition_init(&intake->changed);
    return intake;
}

pt__flight_intake *pt__flight_intake_ref(pt__flight_intake *intake)
{
    atomic_fetch_add(&intake->references, 1);
    return intake;
}

static void free_message(message *m)
{
    pt_bytes_unref(m->owner);
    free(m);
}

static void drop_messages(pt__flight_intake *intake)
{
    while (intake->first != NULL) {
        message *m = intake->first;
        intake->first = m->next;
        free_message(m);
    }
    intake->last = NULL;
    intake->queued_bytes = 0;
}

void pt__flight_intake_unref(pt__flight_intake *intake)
{
    if (intake == NULL || atomic_fetch_sub(&intake->references, 1) != 1)
        return;
    drop_messages(intake);
    pt__ipc_feed_free(intake->feed);
    pt_error_clear(&intake->failure);
    pthread_mutex_destroy(&intake->lock);
    pthread_cond_destroy(&intake->changed);
    free(intake);
}

/* ---- the call's side ---- */

pt_status pt__flight_intake_add(pt__flight_intake *intake, pt_bytes *owner, const pt__flight_data *data, pt_error *err)
{
    message *m = calloc(1, sizeof(*m));
    if (m == NULL) {
        pt_bytes_unref(owner);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the rows that the client sends");
    }
    *m = (message){.owner = owner, .header = data->header, .body = data->body};
    pthread_mutex_lock(&intake->lock);
    if (intake->last != NULL)
        intake->last->next = m;
    else
        intake->first = m;
    intake->last = m;
    intake->queued_bytes += m->header.size_bytes + m->body.size_bytes;
    bool pause = !intake->is_paused && intake->queued_bytes > HIGH_BYTES;
    intake->is_paused = intake->is_paused || pause;
    pthread_cond_signal(&intake->changed);
    pthread_mutex_unlock(&intake->lock);
    if (pause)
        pt_call_pause(intake->call, true);
    return PT_OK;
}

size_t pt__flight_intake_queued_bytes(pt__flight_intake *intake)
{
    pthread_mutex_lock(&intake->lock);
    size_t size = intake->queued_bytes;
    pthread_mutex_unlock(&intake->lock);
    return size;
}

void pt__flight_intake_end(pt__flight_intake *intake)
{
    pthread_mutex_lock(&intake->lock);
    intake->is_ended = true;
    pthread_cond_signal(&intake->changed);
    pthread_mutex_unlock(&intake->lock);
}

void pt__flight_intake_cut(pt__flight_intake *intake)
{
    intake->call = NULL;
    pthread_mutex_lock(&intake->lock);
    intake->is_cut = true;
    drop_messages(intake);
    pthread_cond_signal(&intake->changed);
    pthread_mutex_unlock(&intake->lock);
}

static void go_on(void *state)
{
    pt__flight_intake *intake = state;
    if (intake->call != NULL)
        pt_call_pause(intake->call, false);
    pt__flight_intake_unref(intake);
}

/* ---- the worker's side ---- */

/* With the lock held. */
static message *take_first(pt__flight_intake *intake, bool *go)
{
    message *m = intake->first;
    if (m == NULL)
        return NULL;
    intake->first = m->next;
    if (intake->first == NULL)
        intake->last = NULL;
    intake->queued_bytes -= m->header.size_bytes + m->body.size_bytes;
    *go = intake->is_paused && intake->queued_bytes < LOW_BYTES;
    if (*go)
        intake->is_paused = false;
    return m;
}

/* `*out` is NULL at the end. */
static pt_status next_message(pt__flight_intake *intake, message **out, pt_error *err)
{
    struct timespec deadline = pt__monotonic_in_ms(intake->timeout_ms);
    bool go = false;
    int waited = 0;
    pthread_mutex_lock(&intake->lock);
    while (intake->first == NULL && !intake->is_ended && !intake->is_cut && waited == 0)
        waited = pthread_cond_timedwait(&intake->changed, &intake->lock, &deadline);
    bool is_cut = intake->is_cut;
    *out = take_first(intake, &go);
    bool is_late = *out == NULL && !intake->is_ended && !is_cut;
    pthread_mutex_unlock(&intake->lock);
    if (go)
        pt_mailbox_post(intake->mailbox, go_on, pt__flight_intake_ref(intake));
    if (is_cut)
        return pt_error_set(err, PT_CANCELLED, "the client went away before it had sent all rows");
    return is_late ? pt_error_set(err, PT_TIMEOUT, "no rows came for %llu ms (flight-sql.put-timeout)",
                                  (unsigned long long)intake->timeout_ms)
                   : PT_OK;
}

/* Reads on until there are rows, the schema when that is wanted, or the end. */
static pt_status read_on(pt__flight_intake *intake, bool to_schema, struct ArrowArray *out, pt_error *err)
{
    out->release = NULL;
    while (out->release == NULL && !(to_schema && pt__ipc_feed_schema(intake->feed) != NULL)) {
        message *m;
        PT_TRY(next_message(intake, &m, err));
        if (m == NULL)
            return PT_OK;
        pt_status status = pt__ipc_feed_take(intake->feed, m->header, m->owner, m->body, out, err);
        free_message(m);
        PT_TRY(status);
    }
    return PT_OK;
}

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    pt__flight_intake *intake = stream->private_data;
    struct ArrowArray none;
    out->release = NULL;
    if (intake->failure.status != PT_OK || read_on(intake, true, &none, &intake->failure) != PT_OK)
        return intake->failure.status == PT_UNSUPPORTED ? ENOTSUP : EINVAL;
    const struct ArrowSchema *schema = pt__ipc_feed_schema(intake->feed);
    if (schema == NULL) {
        pt_error_set(&intake->failure, PT_INVALID_ARGUMENT, "the rows have no schema");
        return EINVAL;
    }
    return ArrowSchemaDeepCopy(schema, out);
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    pt__flight_intake *intake = stream->private_data;
    out->release = NULL;
    if (intake->failure.status != PT_OK)
        return EINVAL;
    return read_on(intake, false, out, &intake->failure) == PT_OK ? 0 : EINVAL;
}

static const char *stream_error(struct ArrowArrayStream *stream)
{
    const pt__flight_intake *intake = stream->private_data;
    return intake->failure.status == PT_OK ? NULL : pt_error_full_message(&intake->failure);
}

static void stream_release(struct ArrowArrayStream *stream)
{
    pt__flight_intake_unref(stream->private_data);
    stream->release = NULL;
}

pt_status pt__flight_intake_stream(pt__flight_intake *intake, struct ArrowArrayStream *out, pt_error *err)
{
    (void)err;
    *out = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, stream_release, intake};
    return PT_OK;
}
