/* DoGet: redeems a ticket; the result leaves as it lies in the job's spool. */
#include "front/flight/errors.h"
#include "front/flight/message.h"
#include "front/flight/sender.h"
#include "front/flight_sql/calls.h"
#include "front/flight_sql/job.h"
#include "front/flight_sql/ticket.h"

#include <stdlib.h>

typedef struct get {
    pt_call *call;
    pt__flight_session *session;
    pt_job *job;
    pt__flight_sender *sender; /* NULL: there was nothing to be sent */
} get;

static void on_end(void *context, const pt_error *failure)
{
    const get *g = context;
    if (failure == NULL)
        pt__flight_finish_ok(g->call);
    else
        pt__flight_fail(g->call, failure);
}

/* Metadata tickets are commands; a result's name has another size than any of them. */
static pt_status find_job(pt__flight *mount, get *g, pt_bytes_view ticket, pt_error *err)
{
    if (ticket.size_bytes == PT_FLIGHT_HANDLE_BYTES - 1)
        return pt__flight_ticket_take(mount, ticket, pt_call_principal(g->call)->name, &g->session, &g->job, err);
    PT_TRY(pt__flight_session_of(mount, g->call, &g->session, err));
    return pt__flight_start_metadata(g->session, pt_bytes_copy(ticket), &g->job, err);
}

static pt_status start(pt__flight *mount, get *g, pt_bytes_view request, pt_error *err)
{
    pt_bytes_view ticket;
    PT_TRY(pt__flight_ticket_read(request, &ticket, err));
    PT_TRY(find_job(mount, g, ticket, err));
    PT_TRY(pt__flight_sender_new(g->call, g->job, on_end, g, &g->sender, err));
    pt__flight_sender_forget(g->sender); /* the ticket was good once */
    pt__flight_sender_pump(g->sender);
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
    if (call->state != pt__flight_answered() && g != NULL && g->sender != NULL)
        pt__flight_sender_pump(g->sender);
}

/* What was not read to its end is cancelled. */
void pt__flight_get_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)mount;
    (void)end;
    get *g = call->state;
    if (g == NULL || call->state == pt__flight_answered())
        return;
    pt__flight_sender_free(g->sender);
    if (g->job != NULL)
        pt__flight_drop_job(g->session, g->job);
    pt_job_unref(g->job);
    pt__flight_session_unref(g->session);
    free(g);
}
