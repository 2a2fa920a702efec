#include "front/flight_sql/job.h"

#include "front/flight_sql/ingest.h"
#include "front/flight_sql/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct flight_job flight_job;

struct flight_job {
    pt_status (*run)(pt_job *job, flight_job *self, pt_error *err);
    pt__flight_session *session;
    const char *format; /* of `query`; static */
    pt_bytes *query;
    char transaction[PT_FLIGHT_HANDLE_BYTES]; /* "" none */
    char statement[PT_FLIGHT_HANDLE_BYTES];   /* the prepared one; "" none */
    pt_bytes *command;
    pt_bytes *data;            /* parameters; NULL: none */
    pt__flight_intake *intake; /* parameters, or rows, that are still coming; NULL: none */
};

static void free_job(void *context)
{
    flight_job *self = context;
    pt__flight_session_unref(self->session);
    pt_bytes_unref(self->command);
    pt_bytes_unref(self->data);
    pt__flight_intake_unref(self->intake);
    pt_bytes_unref(self->query);
    free(self);
}

/* ---- on the worker ---- */

static pt_status write_note(pt_job *job, int note, const void *data, size_t size, pt_error *err)
{
    pt_bytes *bytes = pt_bytes_copy((pt_bytes_view){data, size});
    return bytes == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for a result")
                         : pt__job_write_note(job, note, bytes, err);
}

/* Nobody is woken for it: what counts follows. */
static pt_status write_kind(void *job, bool is_update, pt_error *err)
{
    uint8_t kind = is_update;
    pt_bytes *bytes = pt_bytes_copy((pt_bytes_view){&kind, 1});
    return bytes == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for a result")
                         : pt__job_write_quiet_note(job, PT_FLIGHT_NOTE_KIND, bytes, err);
}

/* What the client has sent or is sending; `out->release` stays NULL when that is nothing. */
static pt_status open_data(flight_job *self, struct ArrowArrayStream *out, pt_error *err)
{
    if (self->intake != NULL)
        return pt__flight_intake_stream(pt__flight_intake_ref(self->intake), out, err);
    return self->data == NULL ? PT_OK : pt__flight_ipc_stream(pt_bytes_ref(self->data), out, err);
}

static pt_status run_statement(pt_job *job, flight_job *self, pt_error *err)
{
    struct ArrowArrayStream parameters = {0};
    const char *id = self->transaction;
    pt__statement_request request = {.query = {.format = self->format, .payload = pt_bytes_get_view(self->query)},
                                     .statement_id = self->statement[0] == '\0' ? NULL : self->statement,
                                     .batch_bytes = self->session->mount->limits.batch_bytes,
                                     .started = write_kind,
                                     .context = job};
    PT_TRY(pt__flight_transaction(self->session, (pt_bytes_view){(const uint8_t *)id, strlen(id)}, &request.transaction,
                                  err));
    PT_TRY(open_data(self, &parameters, err));
    if (parameters.release != NULL)
        request.parameters = &parameters;
    pt_status status = pt__job_run_statement(job, &request, err);
    if (parameters.release != NULL)
        parameters.release(&parameters);
    return status;
}

static pt_status run_ingest(pt_job *job, flight_job *self, pt_error *err)
{
    struct ArrowArrayStream rows;
    int64_t count = 0;
    uint8_t bytes[8];
    PT_TRY(write_kind(job, true, err));
    PT_TRY(open_data(self, &rows, err));
    pt_status status = pt__flight_ingest(self->session, job, pt_bytes_get_view(self->command), &rows, &count, err);
    rows.release(&rows);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)((uint64_t)count >> (8 * i));
    return status == PT_OK ? write_note(job, PT_FLIGHT_NOTE_COUNT, bytes, sizeof(bytes), err) : status;
}

static pt_status run_metadata(pt_job *job, flight_job *self, pt_error *err)
{
    struct ArrowArrayStream rows;
    PT_TRY(write_kind(job, false, err));
    PT_TRY(pt__flight_metadata_rows(self->session, pt__job_arena(job), pt_bytes_get_view(self->command), &rows, err));
    pt_status status = pt__job_write_stream(job, &rows, err);
    rows.release(&rows);
    return status;
}

static pt_status run(pt_job *job, void *context, pt_error *err)
{
    flight_job *self = context;
    return self->run(job, self, err);
}

/* ---- starting ---- */

static flight_job *new_job(pt__flight_session *session, pt_status (*run_it)(pt_job *, flight_job *, pt_error *))
{
    flight_job *self = calloc(1, sizeof(*self));
    if (self == NULL)
        return NULL;
    self->run = run_it;
    self->session = pt__flight_session_ref(session);
    return self;
}

static pt_status start(flight_job *self, pt_job **out, pt_error *err)
{
    pt__job_request request = {.is_resumable = true, .run = run, .free_context = free_job, .context = self};
    pt_session *session = self->session->session;
    return pt__job_start(session, &request, NULL, out, err);
}

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a statement");
}

static pt_status start_text(pt__flight_session *session, const pt_encoded_query *query, const char *statement,
                            pt_bytes_view transaction, pt_bytes *parameters, pt__flight_intake *intake, pt_job **out,
                            pt_error *err)
{
    flight_job *self = new_job(session, run_statement);
    pt_bytes *copy = pt_bytes_copy(query->payload);
    if (self == NULL || copy == NULL) {
        if (self != NULL)
            free_job(self);
        pt_bytes_unref(copy);
        pt_bytes_unref(parameters);
        pt__flight_intake_unref(intake);
        return no_memory(err);
    }
    self->format = query->format;
    self->query = copy;
    self->data = parameters;
    self->intake = intake;
    snprintf(self->statement, sizeof(self->statement), "%s", statement);
    if (transaction.size_bytes < sizeof(self->transaction) && transaction.size_bytes != 0)
        memcpy(self->transaction, transaction.data, transaction.size_bytes);
    else if (transaction.size_bytes != 0)
        self->transaction[0] = '?'; /* none of ours: it will not be found */
    return start(self, out, err);
}

pt_status pt__flight_start_query(pt__flight_session *session, const char *query, pt_bytes_view transaction,
                                 pt_job **out, pt_error *err)
{
    const pt_encoded_query text = {.format = pt__flight_format(session),
                                   .payload = {(const uint8_t *)query, strlen(query)}};
    return start_text(session, &text, "", transaction, NULL, NULL, out, err);
}

pt_status pt__flight_start_plan(pt__flight_session *session, pt_bytes_view plan, pt_bytes_view transaction,
                                pt_job **out, pt_error *err)
{
    const pt_encoded_query query = {.format = PT_FLIGHT_PLAN_FORMAT, .payload = plan};
    return start_text(session, &query, "", transaction, NULL, NULL, out, err);
}

static pt_status start_statement(pt__flight_session *session, const pt__flight_statement *statement,
                                 pt_bytes *parameters, pt__flight_intake *intake, pt_job **out, pt_error *err)
{
    const pt_encoded_query query = pt__flight_statement_query(session, statement);
    pt_bytes_view transaction = {(const uint8_t *)statement->transaction, strlen(statement->transaction)};
    return start_text(session, &query, statement->handle, transaction, parameters, intake, out, err);
}

pt_status pt__flight_start_prepared(pt__flight_session *session, pt__flight_statement *statement, pt_bytes *parameters,
                                    pt_job **out, pt_error *err)
{
    return start_statement(session, statement, parameters, NULL, out, err);
}

pt_status pt__flight_start_batch(pt__flight_session *session, pt__flight_statement *statement,
                                 pt__flight_intake *parameters, pt_job **out, pt_error *err)
{
    return start_statement(session, statement, NULL, parameters, out, err);
}

static pt_status start_command(pt__flight_session *session, pt_status (*run_it)(pt_job *, flight_job *, pt_error *),
                               pt_bytes *command, pt__flight_intake *intake, pt_job **out, pt_error *err)
{
    flight_job *self = command == NULL ? NULL : new_job(session, run_it);
    if (self == NULL) {
        pt_bytes_unref(command);
        pt__flight_intake_unref(intake);
        return no_memory(err);
    }
    self->command = command;
    self->intake = intake;
    return start(self, out, err);
}

pt_status pt__flight_start_ingest(pt__flight_session *session, pt_bytes *command, pt__flight_intake *rows, pt_job **out,
                                  pt_error *err)
{
    return start_command(session, run_ingest, command, rows, out, err);
}

pt_status pt__flight_start_metadata(pt__flight_session *session, pt_bytes *command, pt_job **out, pt_error *err)
{
    return start_command(session, run_metadata, command, NULL, out, err);
}

void pt__flight_drop_job(pt__flight_session *session, pt_job *job)
{
    pt__session_release_job(session->session, pt_job_id(job));
}
