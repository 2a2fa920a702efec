#include "front/flight/sender.h"

#include "front/flight/follower.h"
#include "front/flight/message.h"

#include <stdlib.h>

enum { QUEUE_HIGH_BYTES = 8 << 20 }; /* unsent bytes above which reading of the spool pauses */

struct pt__flight_sender {
    pt_call *call;
    pt_job *job;                   /* a reference */
    pt__flight_follower *follower; /* NULL: the end was reached */
    void (*end)(void *context, const pt_error *failure);
    void *context;
    bool sent_schema;
    bool forgets;
};

static void stop(pt__flight_sender *s)
{
    if (s->follower != NULL)
        pt__flight_follower_stop(s->follower);
    s->follower = NULL;
}

static pt_status send_schema(pt__flight_sender *s, pt_error *err)
{
    if (s->sent_schema)
        return PT_OK;
    pt_bytes *schema = pt__job_schema_message(s->job);
    if (schema == NULL)
        return pt_error_set(err, PT_INTERNAL, "a result has no schema");
    s->sent_schema = true;
    pt_status status = pt__flight_send_schema(s->call, schema, err);
    pt_bytes_unref(schema);
    return status;
}

static bool wants(void *context)
{
    const pt__flight_sender *s = context;
    return pt_call_queued_bytes(s->call) < QUEUE_HIGH_BYTES;
}

static void on_entry(void *context, const pt__spool_entry *entry)
{
    pt__flight_sender *s = context;
    pt_error err = PT_ERROR_INIT;
    if (entry->kind != PT_SPOOL_BATCH)
        return;
    pt_status status = send_schema(s, &err);
    if (status == PT_OK)
        status = pt__flight_send_batch(s->call, entry, &err);
    if (s->forgets)
        pt__job_release_until(s->job, entry->index);
    if (status != PT_OK) {
        stop(s);
        s->end(s->context, &err);
    }
    pt_error_clear(&err);
}

static void on_end(void *context, const pt_error *failure)
{
    pt__flight_sender *s = context;
    pt_error err = PT_ERROR_INIT;
    s->follower = NULL;
    if (failure != NULL)
        s->end(s->context, failure);
    else
        s->end(s->context, send_schema(s, &err) == PT_OK ? NULL : &err);
    pt_error_clear(&err);
}

pt_status pt__flight_sender_new(pt_call *call, pt_job *job, void (*end)(void *context, const pt_error *failure),
                                void *context, pt__flight_sender **out, pt_error *err)
{
    pt__flight_sender *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a result");
    *s = (pt__flight_sender){.call = call, .end = end, .context = context};
    const pt__flight_follow follow = {.entry = on_entry, .end = on_end, .wants = wants, .context = s};
    pt_status status = pt__flight_follower_new(job, 0, pt_call_mailbox(call), &follow, &s->follower, err);
    if (status != PT_OK) {
        free(s);
        return status;
    }
    s->job = pt_job_ref(job);
    *out = s;
    return PT_OK;
}

void pt__flight_sender_forget(pt__flight_sender *s)
{
    s->forgets = true;
}

void pt__flight_sender_pump(pt__flight_sender *s)
{
    if (s->follower != NULL)
        pt__flight_follower_pump(s->follower);
}

bool pt__flight_sender_has_ended(const pt__flight_sender *s)
{
    return s->follower == NULL;
}

void pt__flight_sender_free(pt__flight_sender *s)
{
    if (s == NULL)
        return;
    stop(s);
    pt_job_unref(s->job);
    free(s);
}
