/* DoGet: redeems a ticket; the result leaves as it lies in the job's spool. */
#include "front/flight_sql/calls.h"
#include "front/flight_sql/errors.h"
#include "front/flight_sql/follower.h"
#include "front/flight_sql/job.h"
#include "front/flight_sql/message.h"
#include "front/flight_sql/ticket.h"
#include "wire/proto.h"

#include <stdlib.h>

enum {
    QUEUE_HIGH_BYTES = 8 << 20, /* unsent bytes above which reading of the spool pauses */
    TICKET = 1                  /* field of Ticket */
};

typedef struct get {
    pt_call *call;
    pt__flight_session *session;
    pt_job *job;
    pt__flight_follower *follower; /* NULL: all was read */
    bool sent_schema;
} get;

static void finish_failed(get *g, const pt_error *err)
{
    if (g->follower != NULL)
        pt__flight_follower_stop(g->follower);
    g->follower = NULL;
    pt__flight_fail(g->call, err);
}

static pt_status send_schema(get *g, pt_error *err)
{
    if (g->sent_schema)
        return PT_OK;
    pt_bytes *schema = pt__job_schema_message(g->job);
    if (schema == NULL)
        return pt_error_set(err, PT_INTERNAL, "a result has no schema");
    g->sent_schema = true;
    pt_status status = pt__flight_send_schema(g->call, schema, err);
    pt_bytes_unref(schema);
    return status;
}

static bool wants(void *context)
{
    const get *g = context;
    return pt_call_queued_bytes(g->call) < QUEUE_HIGH_BYTES;
}

static void on_entry(void *context, const pt__spool_entry *entry)
{
    get *g = context;
    pt_error err = PT_ERROR_INIT;
    if (entry->kind != PT_SPOOL_BATCH)
        return;
    pt_status status = send_schema(g, &err);
    if (status == PT_OK)
        status = pt__flight_send_batch(g->call, entry, &err);
    if (status != PT_OK)
        finish_failed(g, &err);
    pt_error_clear(&err);
}

static void on_end(void *context, const pt_error *failure)
{
    get *g = context;
    pt_error err = PT_ERROR_INIT;
    g->follower = NULL;
    pt_status status = PT_OK;
    if (failure != NULL)
        pt_error_copy(&err, failure);
    else
        status = send_schema(g, &err);
    if (failure == NULL && status == PT_OK)
        pt__flight_finish_ok(g->call);
    else
        pt__flight_fail(g->call, &err);
    pt_error_clear(&err);
}

static pt_status read_ticket(pt_bytes_view request, pt_bytes_view *out, pt_error *err)
{
    pt__proto_field field;
    pt__proto_state state;
    *out = (pt_bytes_view){NULL, 0};
    while ((state = pt__proto_next(&request, &field)) == PT_PROTO_FIELD) {
        if (field.number == TICKET && field.wire_type == PT_PROTO_BYTES)
            *out = field.bytes;
    }
    return state == PT_PROTO_END ? PT_OK : pt_error_set(err, PT_BAD_MESSAGE, "malformed Ticket");
}

/* Metadata tickets are commands; a result's name has another size than any of them. */
static pt_status find_job(pt__flight *mount, get *g, pt_bytes_view ticket, pt_error *err)
{
    if (ticket.size_bytes == PT_FLIGHT_HANDLE_BYTES - 1)
        return pt__flight_ticket_take(mount, ticket, &g->session, &g->job, err);
    PT_TRY(pt__flight_session_of(mount, g->call, &g->session, err));
    return pt__flight_start_metadata(g->session, pt_bytes_copy(ticket), &g->job, err);
}

static pt_status start(pt__flight *mount, get *g, pt_bytes_view request, pt_error *err)
{
    pt_bytes_view ticket;
    const pt__flight_follow follow = {.entry = on_entry, .end = on_end, .wants = wants, .context = g};
    PT_TRY(read_ticket(request, &ticket, err));
    PT_TRY(find_job(mount, g, ticket, err));
    PT_TRY(pt__flight_follower_new(g->job, 0, pt_call_mailbox(g->call), &follow, &g->follower, err));
    pt__flight_follower_pump(g->follower);
    return PT_OK;
}

void pt__flight_get_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt_error err = PT_ERROR_INIT;
    if (call->state != NULL)
        return;
    get *g = calloc(1, sizeof(*g));
    call->state = g != NULL ? (void *)g : pt__flight_answered();
    pt_status status = PT_OK;
    if (g == NULL) {
        status = pt_error_set(&err, PT_NO_MEMORY, "no memory for a result");
    } else {
        g->call = call;
        status = start(mount, g, request, &err);
    }
    if (status != PT_OK)
        pt__flight_fail(call, &err);
    pt_error_clear(&err);
}

void pt__flight_get_writable(void *mount, pt_call *call)
{
    (void)mount;
    get *g = call->state;
    if (call->state != pt__flight_answered() && g != NULL && g->follower != NULL)
        pt__flight_follower_pump(g->follower);
}

/* What was not read to its end is cancelled. */
void pt__flight_get_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)mount;
    (void)end;
    get *g = call->state;
    if (g == NULL || call->state == pt__flight_answered())
        return;
    if (g->follower != NULL)
        pt__flight_follower_stop(g->follower);
    if (g->job != NULL)
        pt__flight_drop_job(g->session, g->job);
    pt_job_unref(g->job);
    pt__flight_session_unref(g->session);
    free(g);
}
