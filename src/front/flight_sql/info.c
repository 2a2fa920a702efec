/* GetFlightInfo and PollFlightInfo: starts a statement and answers with a ticket for its rows. */
#include "decode/protobuf.h"
#include "front/flight/errors.h"
#include "front/flight/follower.h"
#include "front/flight/message.h"
#include "front/flight_sql/calls.h"
#include "front/flight_sql/command.h"
#include "front/flight_sql/job.h"
#include "front/flight_sql/metadata.h"
#include "front/flight_sql/ticket.h"

#include <arrow/flight.pb-c.h>
#include <arrow/flight_sql.pb-c.h>
#include <stdlib.h>
#include <string.h>

enum { REQUEST_ARENA_BYTES = 64 << 20 };

/* A statement that has been started, until its rows are there. */
typedef struct pt__flight_info {
    pt__flight *mount; /* lives as long as its calls */
    pt_call *call;
    pt__flight_session *session;
    pt__arena *arena;
    Arrow__Flight__Protocol__FlightDescriptor *descriptor; /* to be echoed */
    pt_job *job;                                           /* NULL: handed on to a ticket, or never started */
    pt__flight_follower *follower;                         /* NULL: none */
    bool is_poll;
    bool is_update;
    bool is_answered;
    struct pt__flight_info *previous; /* of the mount's polls */
    struct pt__flight_info *next;
    bool is_listed;
} info;

static void list_poll(info *i)
{
    i->is_listed = true;
    i->next = i->mount->polls;
    if (i->next != NULL)
        i->next->previous = i;
    i->mount->polls = i;
}

static void unlist_poll(info *i)
{
    if (!i->is_listed)
        return;
    i->is_listed = false;
    if (i->next != NULL)
        i->next->previous = i->previous;
    *(i->previous != NULL ? &i->previous->next : &i->mount->polls) = i->next;
    i->previous = i->next = NULL;
}

static void free_info(info *i)
{
    unlist_poll(i);
    if (i->follower != NULL)
        pt__flight_follower_stop(i->follower);
    if (i->job != NULL) {
        pt__flight_drop_job(i->session, i->job);
        pt_job_unref(i->job);
    }
    pt__flight_session_unref(i->session);
    pt__arena_free(i->arena);
    free(i);
}

/* ---- answering ---- */

static pt_status send(info *i, Arrow__Flight__Protocol__FlightInfo *answer, pt_error *err)
{
    if (!i->is_poll)
        return pt__flight_send(i->call, pt__flight_pack(&answer->base), err);
    Arrow__Flight__Protocol__PollInfo poll = ARROW__FLIGHT__PROTOCOL__POLL_INFO__INIT;
    poll.info = answer;
    poll._progress_case = ARROW__FLIGHT__PROTOCOL__POLL_INFO___PROGRESS_PROGRESS;
    poll.progress = 1;
    return pt__flight_send(i->call, pt__flight_pack(&poll.base), err);
}

static pt_status send_info(info *i, pt_bytes_view schema, pt_bytes_view ticket, pt_error *err)
{
    Arrow__Flight__Protocol__FlightInfo answer = ARROW__FLIGHT__PROTOCOL__FLIGHT_INFO__INIT;
    Arrow__Flight__Protocol__FlightEndpoint endpoint = ARROW__FLIGHT__PROTOCOL__FLIGHT_ENDPOINT__INIT;
    Arrow__Flight__Protocol__FlightEndpoint *endpoints[] = {&endpoint};
    Arrow__Flight__Protocol__Ticket message = ARROW__FLIGHT__PROTOCOL__TICKET__INIT;
    message.ticket = (ProtobufCBinaryData){ticket.size_bytes, pt__arena_copy(i->arena, ticket.data, ticket.size_bytes)};
    endpoint.ticket = &message;
    answer.schema = (ProtobufCBinaryData){schema.size_bytes, pt__arena_copy(i->arena, schema.data, schema.size_bytes)};
    answer.flight_descriptor = i->descriptor;
    answer.n_endpoint = 1;
    answer.endpoint = endpoints;
    answer.total_records = -1;
    answer.total_bytes = -1;
    return send(i, &answer, err);
}

static void finish(info *i, pt_status status, pt_error *err)
{
    i->is_answered = true;
    unlist_poll(i);
    if (status == PT_OK)
        pt__flight_finish_ok(i->call);
    else
        pt__flight_fail(i->call, err);
}

static pt_status send_ticket(info *i, pt_bytes *schema, pt_error *err)
{
    char ticket[PT_FLIGHT_HANDLE_BYTES];
    PT_TRY(pt__flight_ticket_put(i->mount, i->session, i->job, ticket, err));
    pt_job_unref(i->job); /* the ticket has it now */
    i->job = NULL;
    return send_info(i, pt_bytes_get_view(schema), (pt_bytes_view){(const uint8_t *)ticket, PT_FLIGHT_HANDLE_BYTES - 1},
                     err);
}

static pt_status send_result(info *i, pt_error *err)
{
    pt_bytes *schema = pt__job_schema_message(i->job);
    if (schema == NULL)
        return pt_error_set(err, PT_INTERNAL, "a result has no schema");
    pt_status status = send_ticket(i, schema, err);
    pt_bytes_unref(schema);
    return status;
}

static void respond(info *i)
{
    pt_error err = PT_ERROR_INIT;
    if (i->follower != NULL)
        pt__flight_follower_stop(i->follower);
    i->follower = NULL;
    finish(i, send_result(i, &err), &err);
    pt_error_clear(&err);
}

/* ---- polls ---- */

/* Not there yet: the next poll asks with a handle, under which the job is kept as a result is. */
static pt_status send_progress(info *i, pt_error *err)
{
    Arrow__Flight__Protocol__PollInfo poll = ARROW__FLIGHT__PROTOCOL__POLL_INFO__INIT;
    Arrow__Flight__Protocol__FlightInfo answer = ARROW__FLIGHT__PROTOCOL__FLIGHT_INFO__INIT;
    Arrow__Flight__Protocol__FlightDescriptor again = ARROW__FLIGHT__PROTOCOL__FLIGHT_DESCRIPTOR__INIT;
    char handle[PT_FLIGHT_HANDLE_BYTES];
    double progress = pt__job_progress(i->job);
    PT_TRY(pt__flight_ticket_put(i->mount, i->session, i->job, handle, err));
    pt_job_unref(i->job); /* the ticket has it now */
    i->job = NULL;
    answer.flight_descriptor = i->descriptor;
    answer.total_records = -1;
    answer.total_bytes = -1;
    again.type = ARROW__FLIGHT__PROTOCOL__FLIGHT_DESCRIPTOR__DESCRIPTOR_TYPE__CMD;
    again.cmd = (ProtobufCBinaryData){PT_FLIGHT_HANDLE_BYTES - 1, (uint8_t *)handle};
    poll.info = &answer;
    poll.flight_descriptor = &again;
    if (progress >= 0) {
        poll._progress_case = ARROW__FLIGHT__PROTOCOL__POLL_INFO___PROGRESS_PROGRESS;
        poll.progress = progress;
    }
    return pt__flight_send(i->call, pt__flight_pack(&poll.base), err);
}

void pt__flight_polls_tick(pt__flight *mount)
{
    for (info *i = mount->polls, *next; i != NULL; i = next) {
        pt_error err = PT_ERROR_INIT;
        next = i->next;
        pt__flight_follower_stop(i->follower);
        i->follower = NULL;
        finish(i, send_progress(i, &err), &err);
        pt_error_clear(&err);
    }
}

/* ---- following the job ---- */

static void on_entry(void *context, const pt__spool_entry *entry)
{
    info *i = context;
    if (entry->kind == PT_SPOOL_NOTE)
        i->is_update = pt_bytes_get_view(entry->bytes).data[0] != 0;
    else if (!i->is_update)
        respond(i);
}

static void on_end(void *context, const pt_error *failure)
{
    info *i = context;
    pt_error err = PT_ERROR_INIT;
    i->follower = NULL;
    if (failure == NULL) {
        respond(i);
        return;
    }
    pt_error_copy(&err, failure);
    finish(i, err.status, &err);
    pt_error_clear(&err);
}

static pt_status follow(info *i, pt_error *err)
{
    const pt__flight_follow follow = {.entry = on_entry, .end = on_end, .context = i};
    PT_TRY(pt__flight_follower_new(i->job, 0, pt_call_mailbox(i->call), &follow, &i->follower, err));
    pt__flight_follower_pump(i->follower);
    if (i->is_poll && !i->is_answered && i->follower != NULL)
        list_poll(i);
    return PT_OK;
}

/* ---- commands ---- */

/* What send_progress handed out. */
static pt_status go_on_polling(info *i, pt_bytes_view handle, pt_error *err)
{
    const char *user = pt_call_principal(i->call)->name;
    PT_TRY(pt__flight_ticket_take(i->mount, handle, user, &i->session, &i->job, err));
    return follow(i, err);
}

static pt_status start_query(info *i, const pt__flight_command *command, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandStatementQuery *c;
    PT_TRY(pt__flight_command_unpack(i->arena, command,
                                     &arrow__flight__protocol__sql__command_statement_query__descriptor,
                                     (ProtobufCMessage **)&c, err));
    pt_bytes_view transaction = {c->transaction_id.data, c->_transaction_id_case != 0 ? c->transaction_id.len : 0};
    PT_TRY(pt__flight_start_query(i->session, c->query, transaction, &i->job, err));
    return follow(i, err);
}

static pt_status start_plan(info *i, const pt__flight_command *command, pt_error *err)
{
    pt_bytes_view plan, transaction;
    PT_TRY(pt__flight_command_plan(i->arena, command, &plan, &transaction, err));
    PT_TRY(pt__flight_start_plan(i->session, plan, transaction, &i->job, err));
    return follow(i, err);
}

/* While it runs, the client comes for its rows; what goes wrong is told then. */
static pt_status answer_ahead(info *i, pt_bytes *schema, pt_error *err)
{
    PT_TRY(send_ticket(i, schema, err));
    finish(i, PT_OK, NULL);
    return PT_OK;
}

static pt_status run_prepared(info *i, pt__flight_statement *statement, pt_error *err)
{
    pt_bytes *parameters = pt__flight_statement_bound(i->session, statement);
    PT_TRY(pt__flight_start_prepared(i->session, statement, parameters, &i->job, err));
    return statement->is_constant && !i->is_poll ? answer_ahead(i, statement->dataset_schema, err) : follow(i, err);
}

static pt_status start_prepared(info *i, const pt__flight_command *command, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandPreparedStatementQuery *c;
    pt__flight_statement *statement;
    PT_TRY(pt__flight_command_unpack(i->arena, command,
                                     &arrow__flight__protocol__sql__command_prepared_statement_query__descriptor,
                                     (ProtobufCMessage **)&c, err));
    pt_bytes_view handle = {c->prepared_statement_handle.data, c->prepared_statement_handle.len};
    PT_TRY(pt__flight_statement_find(i->session, handle, &statement, err));
    pt_status status = run_prepared(i, statement, err);
    pt__flight_statement_unref(statement);
    return status;
}

/* The ticket is the command: it runs when it is redeemed. */
static pt_status answer_metadata(info *i, const pt__flight_command *command, pt_bytes_view any, pt_error *err)
{
    pt_bytes *schema;
    PT_TRY(pt__flight_metadata_schema(i->arena, command, &schema, err));
    pt_status status = send_info(i, pt_bytes_get_view(schema), any, err);
    pt_bytes_unref(schema);
    if (status == PT_OK)
        finish(i, PT_OK, NULL);
    return status;
}

static pt_status start(info *i, pt_bytes_view request, pt_error *err)
{
    pt_bytes_view any;
    pt__flight_command command;
    PT_TRY(pt__flight_unpack(i->arena, &arrow__flight__protocol__flight_descriptor__descriptor, request,
                             (ProtobufCMessage **)&i->descriptor, err));
    PT_TRY(pt__flight_descriptor_command(request, &any, err));
    if (i->is_poll && any.size_bytes == PT_FLIGHT_HANDLE_BYTES - 1)
        return go_on_polling(i, any, err);
    PT_TRY(pt__flight_command_read(i->arena, any, &command, err));
    PT_TRY(pt__flight_session_of(i->mount, i->call, &i->session, err));
    if (pt__flight_command_is(&command, "CommandStatementQuery"))
        return start_query(i, &command, err);
    if (pt__flight_command_is(&command, "CommandPreparedStatementQuery"))
        return start_prepared(i, &command, err);
    if (pt__flight_command_is(&command, "CommandStatementSubstraitPlan"))
        return start_plan(i, &command, err);
    return answer_metadata(i, &command, any, err);
}

static pt_status start_guarded(info *i, pt_bytes_view request, pt_error *err)
{
    if (PT_ARENA_GUARD(i->arena))
        return pt_error_set(err, PT_LIMIT, "the request needs more than %d bytes to be read", REQUEST_ARENA_BYTES);
    pt_status status = start(i, request, err);
    pt__arena_unguard(i->arena);
    return status;
}

static void begin(pt__flight *mount, pt_call *call, pt_bytes_view request, bool is_poll)
{
    pt_error err = PT_ERROR_INIT;
    if (call->state != NULL)
        return; /* a second request of a unary call */
    info *i = calloc(1, sizeof(*i));
    pt__arena *arena = pt__arena_new(REQUEST_ARENA_BYTES);
    if (i == NULL || arena == NULL) {
        free(i);
        pt__arena_free(arena);
        call->state = pt__flight_answered();
        pt_error_set(&err, PT_NO_MEMORY, "no memory for a request");
        pt__flight_fail(call, &err);
        pt_error_clear(&err);
        return;
    }
    *i = (info){.mount = mount, .call = call, .arena = arena, .is_poll = is_poll};
    call->state = i;
    pt_status status = start_guarded(i, request, &err);
    if (status != PT_OK && !i->is_answered)
        finish(i, status, &err);
    pt_error_clear(&err);
}

void pt__flight_info_message(void *mount, pt_call *call, pt_bytes_view request)
{
    begin(mount, call, request, false);
}

void pt__flight_poll_message(void *mount, pt_call *call, pt_bytes_view request)
{
    begin(mount, call, request, true);
}

void pt__flight_info_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)mount;
    (void)end;
    if (call->state != NULL && call->state != pt__flight_answered())
        free_info(call->state);
}
