/*
 * DoPut: updates, values for prepared statements, and rows for tables. Rows and the values of an update go to the worker
 * while they come (intake.h); those that are bound to a query are kept with it.
 */
#include "base/unconst.h"
#include "exec/ipc_reader.h"
#include "front/flight/errors.h"
#include "front/flight/follower.h"
#include "front/flight/message.h"
#include "front/flight_sql/calls.h"
#include "front/flight_sql/command.h"
#include "front/flight_sql/job.h"

#include <arrow/flight.pb-c.h>
#include <arrow/flight_sql.pb-c.h>
#include <stdlib.h>
#include <string.h>

enum {
    PUT_ARENA_BYTES = 64 << 20,
    EARLY_BYTES = 1 << 20 /* of rows that make a worker begin before all have come */
};

typedef struct put put;

struct put {
    pt__flight *mount;
    pt_call *call;
    pt__flight_session *session;
    pt__arena *arena;          /* of the command */
    pt__flight_intake *intake; /* of what goes on to a worker; NULL: none */
    pt__buffer rows;           /* an IPC stream of values to be bound */
    bool has_header;           /* the first message of Arrow came */
    bool has_columns;          /* and is a schema with fields, or no schema */
    bool is_query;             /* it gave rows, not a count */
    pt__flight_statement *statement;
    pt_bytes *command;                            /* of an ingestion */
    pt_status (*start)(put *self, pt_error *err); /* once enough or everything has come; NULL: nothing, or done */
    pt_job *job;
    pt__flight_follower *follower; /* NULL: none */
    pt__ipc_reader *reader;        /* of the counts that an update gives */
    int64_t count;
    bool is_over;
};

static void free_put(put *p)
{
    if (p->follower != NULL)
        pt__flight_follower_stop(p->follower);
    if (p->intake != NULL)
        pt__flight_intake_cut(p->intake);
    pt__flight_intake_unref(p->intake);
    if (p->job != NULL)
        pt__flight_drop_job(p->session, p->job);
    pt_job_unref(p->job);
    pt__ipc_reader_free(p->reader);
    pt_bytes_unref(p->command);
    pt__flight_statement_unref(p->statement);
    pt__flight_session_unref(p->session);
    pt__buffer_deinit(&p->rows);
    pt__arena_free(p->arena);
    free(p);
}

static void fail(put *p, const pt_error *err)
{
    p->is_over = true;
    if (p->intake != NULL)
        pt__flight_intake_cut(p->intake);
    pt__flight_fail(p->call, err);
}

/* ---- the result of an update ---- */

static pt_status send_count(put *p, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__DoPutUpdateResult count = ARROW__FLIGHT__PROTOCOL__SQL__DO_PUT_UPDATE_RESULT__INIT;
    Arrow__Flight__Protocol__PutResult result = ARROW__FLIGHT__PROTOCOL__PUT_RESULT__INIT;
    count.record_count = p->count;
    pt_bytes *packed = pt__flight_pack(&count.base);
    if (packed == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a result");
    pt_bytes_view view = pt_bytes_get_view(packed);
    result.app_metadata = (ProtobufCBinaryData){view.size_bytes, pt__unconst(view.data)};
    pt_bytes *message = pt__flight_pack(&result.base);
    pt_bytes_unref(packed);
    return pt__flight_send(p->call, message, err);
}

static void finish(put *p)
{
    pt_error err = PT_ERROR_INIT;
    if (send_count(p, &err) != PT_OK) {
        fail(p, &err);
    } else {
        p->is_over = true;
        pt__flight_finish_ok(p->call);
    }
    pt_error_clear(&err);
}

static bool counts_are_longs(put *p)
{
    struct ArrowSchema schema;
    if (pt__ipc_reader_schema(p->reader, &schema, NULL) != PT_OK)
        return false;
    bool longs = schema.n_children == 1 && strcmp(schema.children[0]->format, "l") == 0;
    schema.release(&schema);
    return longs;
}

static pt_status open_reader(put *p, pt_error *err)
{
    if (p->reader != NULL)
        return PT_OK;
    pt_bytes *schema = pt__job_schema_message(p->job);
    pt_status status = pt__ipc_reader_new(pt_bytes_get_view(schema), &p->reader, err);
    pt_bytes_unref(schema);
    return status;
}

/* The engine counts in the only column, one row for each row of parameters; SET and the like have no count. */
static pt_status add_counts(put *p, const pt__spool_entry *entry, pt_error *err)
{
    struct ArrowArray batch;
    if (p->is_query || entry->row_count == 0)
        return PT_OK;
    PT_TRY(open_reader(p, err));
    if (!counts_are_longs(p))
        return PT_OK;
    PT_TRY(pt__ipc_reader_entry(p->reader, entry, &batch, err));
    const struct ArrowArray *column = batch.children[0];
    for (int64_t row = 0; row < batch.length; row++)
        p->count += ((const int64_t *)column->buffers[1])[column->offset + row];
    batch.release(&batch);
    return PT_OK;
}

static void read_count_note(put *p, pt_bytes_view note)
{
    uint64_t count = 0;
    for (size_t i = 0; i < note.size_bytes && i < 8; i++)
        count |= (uint64_t)note.data[i] << (8 * i);
    p->count = (int64_t)count;
}

static void on_entry(void *context, const pt__spool_entry *entry)
{
    put *p = context;
    pt_error err = PT_ERROR_INIT;
    pt_status status = PT_OK;
    if (entry->kind == PT_SPOOL_NOTE && entry->note == PT_FLIGHT_NOTE_KIND)
        p->is_query = pt_bytes_get_view(entry->bytes).data[0] == 0;
    else if (entry->kind == PT_SPOOL_NOTE && entry->note == PT_FLIGHT_NOTE_COUNT)
        read_count_note(p, pt_bytes_get_view(entry->bytes));
    else if (entry->kind == PT_SPOOL_BATCH)
        status = add_counts(p, entry, &err);
    if (status != PT_OK) {
        pt__flight_follower_stop(p->follower);
        p->follower = NULL;
        fail(p, &err);
    }
    pt_error_clear(&err);
}

static void on_end(void *context, const pt_error *failure)
{
    put *p = context;
    p->follower = NULL;
    if (failure != NULL) {
        fail(p, failure);
        return;
    }
    if (p->is_query)
        p->count = -1; /* unknown: its rows went nowhere */
    finish(p);
}

static pt_status follow(put *p, pt_error *err)
{
    const pt__flight_follow follow = {.entry = on_entry, .end = on_end, .context = p};
    PT_TRY(pt__flight_follower_new(p->job, 0, pt_call_mailbox(p->call), &follow, &p->follower, err));
    pt__flight_follower_pump(p->follower);
    return PT_OK;
}

/* ---- commands ---- */

static pt_status open_intake(put *p, pt_error *err)
{
    p->intake = pt__flight_intake_new(p->call, p->mount->limits.put_timeout_ms);
    return p->intake != NULL ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for rows");
}

/* Runs at once: some clients wait for the answer before they end their side. */
static pt_status begin_update(put *p, const pt__flight_command *command, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandStatementUpdate *c;
    PT_TRY(pt__flight_command_unpack(p->arena, command,
                                     &arrow__flight__protocol__sql__command_statement_update__descriptor,
                                     (ProtobufCMessage **)&c, err));
    pt_bytes_view transaction = {c->transaction_id.data, c->_transaction_id_case != 0 ? c->transaction_id.len : 0};
    PT_TRY(pt__flight_start_query(p->session, c->query, transaction, &p->job, err));
    return follow(p, err);
}

static pt_status begin_plan(put *p, const pt__flight_command *command, pt_error *err)
{
    pt_bytes_view plan, transaction;
    PT_TRY(pt__flight_command_plan(p->arena, command, &plan, &transaction, err));
    PT_TRY(pt__flight_start_plan(p->session, plan, transaction, &p->job, err));
    return follow(p, err);
}

static pt_status run_prepared(put *p, pt_error *err)
{
    if (p->has_columns) {
        pt__flight_intake *parameters = pt__flight_intake_ref(p->intake);
        PT_TRY(pt__flight_start_batch(p->session, p->statement, parameters, &p->job, err));
    } else {
        pt_bytes *parameters = pt__flight_statement_bound(p->session, p->statement);
        PT_TRY(pt__flight_start_prepared(p->session, p->statement, parameters, &p->job, err));
    }
    return follow(p, err);
}

static pt_status bind_prepared(put *p, pt_error *err)
{
    pt_bytes *parameters = pt__buffer_take(&p->rows);
    if (parameters == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for parameters");
    pt__flight_statement_bind(p->session, p->statement, parameters);
    p->is_over = true;
    pt__flight_finish_ok(p->call); /* without a result: the handle stays what it is */
    return PT_OK;
}

static pt_status run_ingest(put *p, pt_error *err)
{
    pt_bytes *command = pt_bytes_ref(p->command);
    PT_TRY(pt__flight_start_ingest(p->session, command, pt__flight_intake_ref(p->intake), &p->job, err));
    return follow(p, err);
}

/* Both commands over a prepared statement have its handle as field 1. */
static pt_status begin_prepared(put *p, const pt__flight_command *command, pt_status (*start)(put *self, pt_error *err),
                                pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandPreparedStatementQuery *c;
    PT_TRY(pt__flight_command_unpack(p->arena, command,
                                     &arrow__flight__protocol__sql__command_prepared_statement_query__descriptor,
                                     (ProtobufCMessage **)&c, err));
    pt_bytes_view handle = {c->prepared_statement_handle.data, c->prepared_statement_handle.len};
    p->start = start;
    return pt__flight_statement_find(p->session, handle, &p->statement, err);
}

static pt_status begin_ingest(put *p, const pt__flight_command *command, pt_error *err)
{
    p->command = pt_bytes_copy(command->value);
    p->start = run_ingest;
    return p->command != NULL ? open_intake(p, err) : pt_error_set(err, PT_NO_MEMORY, "no memory for a command");
}

static pt_status begin(put *p, pt_bytes_view descriptor, pt_error *err)
{
    pt_bytes_view any;
    pt__flight_command command;
    PT_TRY(pt__flight_descriptor_command(descriptor, &any, err));
    PT_TRY(pt__flight_command_read(p->arena, any, &command, err));
    PT_TRY(pt__flight_session_of(p->mount, p->call, &p->session, err));
    if (pt__flight_command_is(&command, "CommandStatementUpdate"))
        return begin_update(p, &command, err);
    if (pt__flight_command_is(&command, "CommandStatementSubstraitPlan"))
        return begin_plan(p, &command, err);
    if (pt__flight_command_is(&command, "CommandPreparedStatementUpdate")) {
        PT_TRY(open_intake(p, err));
        return begin_prepared(p, &command, run_prepared, err);
    }
    if (pt__flight_command_is(&command, "CommandPreparedStatementQuery"))
        return begin_prepared(p, &command, bind_prepared, err);
    if (pt__flight_command_is(&command, "CommandStatementIngest"))
        return begin_ingest(p, &command, err);
    return pt_error_set(err, PT_UNSUPPORTED, "DoPut does not take the command %s", command.name);
}

static pt_status begin_guarded(put *p, pt_bytes_view descriptor, pt_error *err)
{
    if (PT_ARENA_GUARD(p->arena))
        return pt_error_set(err, PT_LIMIT, "the command needs more than %d bytes to be read", PUT_ARENA_BYTES);
    pt_status status = begin(p, descriptor, err);
    pt__arena_unguard(p->arena);
    return status;
}

/* ---- messages ---- */

static pt_status new_put(pt__flight *mount, pt_call *call, put **out, pt_error *err)
{
    put *p = calloc(1, sizeof(*p));
    pt__arena *arena = pt__arena_new(PUT_ARENA_BYTES);
    if (p == NULL || arena == NULL) {
        free(p);
        pt__arena_free(arena);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a request");
    }
    *p = (put){.mount = mount, .call = call, .arena = arena};
    pt__buffer_init(&p->rows);
    *out = p;
    return PT_OK;
}

static bool schema_has_fields(pt_bytes_view ipc_stream)
{
    pt__ipc_reader *reader;
    struct ArrowSchema schema;
    if (pt__ipc_reader_new(ipc_stream, &reader, NULL) != PT_OK)
        return true; /* what is wrong with it is told when it is read */
    bool has = pt__ipc_reader_schema(reader, &schema, NULL) != PT_OK || schema.n_children != 0;
    if (schema.release != NULL)
        schema.release(&schema);
    pt__ipc_reader_free(reader);
    return has;
}

/* The first message of Arrow tells whether there are columns: some clients send empty values to an update without any. */
static pt_status look_at_first(put *p, const pt__flight_data *data, pt_error *err)
{
    pt__buffer framed = PT_BUFFER_INIT;
    const pt__flight_data header = {.header = data->header};
    if (p->has_header)
        return PT_OK;
    p->has_header = true;
    pt__flight_data_append_ipc(&framed, &header);
    bool failed = framed.failed;
    p->has_columns = !failed && schema_has_fields(pt__buffer_view(&framed));
    pt__buffer_deinit(&framed);
    return failed ? pt_error_set(err, PT_NO_MEMORY, "no memory for a schema") : PT_OK;
}

static pt_status keep(put *p, const pt__flight_data *data, pt_error *err)
{
    pt__flight_data_append_ipc(&p->rows, data);
    if (p->rows.failed)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the values that the client sends");
    if (p->rows.size_bytes > p->mount->limits.max_put_bytes)
        return pt_error_set(err, PT_LIMIT, "one DoPut binds %llu bytes of values (flight-sql.max-put-bytes)",
                            (unsigned long long)p->mount->limits.max_put_bytes);
    return PT_OK;
}

static pt_status start(put *p, pt_error *err)
{
    pt_status (*start_it)(put * self, pt_error * error) = p->start;
    p->start = NULL;
    return start_it == NULL ? PT_OK : start_it(p, err);
}

static pt_status pass_on(put *p, pt_bytes_view message, pt_error *err)
{
    pt__flight_data data;
    pt_bytes *owner = pt_call_keep_message(p->call, &message);
    if (owner == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the rows that the client sends");
    pt_status status = pt__flight_data_read(message, &data, err);
    if (status != PT_OK) {
        pt_bytes_unref(owner);
        return status;
    }
    PT_TRY(pt__flight_intake_add(p->intake, owner, &data, err));
    return pt__flight_intake_queued_bytes(p->intake) < EARLY_BYTES ? PT_OK : start(p, err);
}

static pt_status on_message(put *p, bool is_first, pt_bytes_view message, pt_error *err)
{
    pt__flight_data data;
    PT_TRY(pt__flight_data_read(message, &data, err));
    if (is_first)
        PT_TRY(begin_guarded(p, data.descriptor, err));
    if (data.header.size_bytes == 0 || p->is_over)
        return PT_OK;
    PT_TRY(look_at_first(p, &data, err));
    if (p->intake != NULL)
        return pass_on(p, message, err);
    return p->start == NULL ? PT_OK : keep(p, &data, err);
}

void pt__flight_put_message(void *mount, pt_call *call, pt_bytes_view message)
{
    pt_error err = PT_ERROR_INIT;
    put *p = call->state;
    bool is_first = p == NULL;
    if (call->state == pt__flight_answered() || (p != NULL && p->is_over))
        return;
    pt_status status = is_first ? new_put(mount, call, &p, &err) : PT_OK;
    call->state = p != NULL ? (void *)p : pt__flight_answered();
    if (status == PT_OK)
        status = on_message(p, is_first, message, &err);
    if (status != PT_OK && p == NULL)
        pt__flight_fail(call, &err);
    else if (status != PT_OK && !p->is_over)
        fail(p, &err);
    pt_error_clear(&err);
}

void pt__flight_put_half_closed(void *mount, pt_call *call)
{
    pt_error err = PT_ERROR_INIT;
    put *p = call->state;
    if (p == NULL) {
        pt__flight_half_closed(mount, call);
        return;
    }
    if (call->state == pt__flight_answered() || p->is_over)
        return;
    if (p->intake != NULL)
        pt__flight_intake_end(p->intake);
    if (start(p, &err) != PT_OK && !p->is_over)
        fail(p, &err);
    pt_error_clear(&err);
}

void pt__flight_put_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)mount;
    (void)end;
    if (call->state != NULL && call->state != pt__flight_answered())
        free_put(call->state);
}
