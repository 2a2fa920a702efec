/* DoGet with the ticket of a partition: a job's result, as it lies in the spool. */
#include "decode/protobuf.h"
#include "front/ballista/calls.h"
#include "front/ballista/status.h"
#include "front/flight/message.h"
#include "front/flight/sender.h"
#include "wire/proto.h"

#include <arrow/flight.pb-c.h>
#include <stdlib.h>

enum { FETCH_PARTITION = 3, JOB_ID = 1 /* fields of Action and of FetchPartition */ };

typedef struct fetch {
    pt_call *call;
    pt__ballista_job *job; /* a reference */
    pt__flight_sender *sender;
    bool is_whole; /* all was sent */
} fetch;

/* ---- whose ticket it is ---- */

/* The only field of the message, if it has that number and is bytes; empty: it is something else. */
static pt_bytes_view only_field(pt_bytes_view message, uint32_t number)
{
    pt__proto_field field;
    pt_bytes_view none = {NULL, 0};
    if (pt__proto_next(&message, &field) != PT_PROTO_FIELD || message.size_bytes != 0 || field.number != number ||
        field.wire_type != PT_PROTO_BYTES)
        return none;
    return field.bytes;
}

/* Flight SQL's tickets begin otherwise: as hexadecimal digits, or as field 1 of Any. */
bool pt__ballista_claims(void *mount, const char *path, pt_bytes_view first_message)
{
    (void)mount;
    (void)path;
    pt_bytes_view ticket;
    if (pt__flight_ticket_read(first_message, &ticket, NULL) != PT_OK)
        return false;
    return pt__proto_find_bytes(only_field(ticket, FETCH_PARTITION), JOB_ID).size_bytes != 0;
}

/* ---- fetching ---- */

static void on_end(void *context, const pt_error *failure)
{
    fetch *f = context;
    f->is_whole = failure == NULL;
    if (failure != NULL) {
        pt__flight_fail(f->call, failure);
        return;
    }
    pt__flight_finish_ok(f->call);
    pt__ballista_job_fetched(f->job);
}

static pt_status check_partition(const Ballista__Protobuf__FetchPartition *m, pt_error *err)
{
    if (m->partition_id == 0)
        return PT_OK;
    return pt_error_set(err, PT_NOT_FOUND, "job %s has no partition %u: results have one, number 0", m->job_id,
                        m->partition_id);
}

static pt_status find(pt__ballista *mount, pt_call *call, const Ballista__Protobuf__FetchPartition *m,
                      pt__ballista_job **out, pt_error *err)
{
    *out = pt__ballista_job_find(mount, pt_call_principal(call)->name, m->job_id);
    if (*out == NULL)
        return pt_error_set(err, PT_NOT_FOUND, "there is no job %s", m->job_id);
    if ((*out)->is_released)
        return pt_error_set(err, PT_NOT_FOUND, "the result of job %s is not kept any more", m->job_id);
    return check_partition(m, err);
}

static pt_status start(pt__ballista *mount, pt_call *call, pt__arena *arena, pt_bytes_view ticket, pt_error *err)
{
    ProtobufCMessage *message;
    pt__ballista_job *job = NULL;
    PT_TRY(pt__protobuf_unpack(arena, &ballista__protobuf__action__descriptor, ticket, &message, err));
    const Ballista__Protobuf__Action *action = (const Ballista__Protobuf__Action *)message;
    if (action->action_type_case != BALLISTA__PROTOBUF__ACTION__ACTION_TYPE_FETCH_PARTITION)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the ticket is not that of a partition");
    PT_TRY(find(mount, call, action->fetch_partition, &job, err));
    fetch *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a result");
    *f = (fetch){.call = call, .job = pt__ballista_job_ref(job)};
    job->watchers++;
    call->state = f; /* ended by `closed` from here on */
    PT_TRY(pt__flight_sender_new(call, job->job, on_end, f, &f->sender, err));
    pt__flight_sender_pump(f->sender);
    return PT_OK;
}

static pt_status start_ticket(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err)
{
    const Arrow__Flight__Protocol__Ticket *m = message;
    if (m->ticket.len == 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the ticket is empty");
    return start(mount, call, arena, (pt_bytes_view){m->ticket.data, m->ticket.len}, err);
}

void pt__ballista_fetch_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__ballista_work(mount, call, request, &arrow__flight__protocol__ticket__descriptor, start_ticket);
}

void pt__ballista_fetch_writable(void *mount, pt_call *call)
{
    (void)mount;
    fetch *f = call->state;
    if (f != NULL && call->state != pt__ballista_answered() && f->sender != NULL)
        pt__flight_sender_pump(f->sender);
}

/* A job that runs for a client that is gone is cancelled; a result that is whole may be fetched again. */
void pt__ballista_fetch_closed(void *mount, pt_call *call, pt_call_end end)
{
    fetch *f = call->state;
    pt__ballista *m = mount;
    (void)end;
    if (f == NULL || call->state == pt__ballista_answered())
        return;
    pt__flight_sender_free(f->sender);
    f->job->watchers -= f->job->watchers != 0;
    f->job->last_seen_ms = pt__host_now_ms(m->host);
    if (!f->is_whole && f->job->watchers == 0 && pt__ballista_job_state(f->job) != PT_BALLISTA_FAILED)
        pt__ballista_job_abandon(f->job);
    pt__ballista_job_unref(f->job);
    free(f);
}
