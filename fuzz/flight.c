/*
 * Flight SQL's calls without a transport and without an engine. Input: one byte that chooses the call, then what the
 * client sends: per message two bytes of length and that many bytes. What DoPut collects is read to the last batch.
 */
#include "front/flight/message.h"
#include "front/flight_sql/job.h"
#include "front/test_call.c"

#include "messages.h"

#include <portico/flight_sql.h>
#include <portico/host.h>

#include <stdlib.h>

typedef struct fixture {
    pt_host *host;
    pt_mailbox *mailbox;
    void *mount;
    pt_call_vtable vtable;
} fixture;

static const char *connection_id(pt_call *call)
{
    (void)call;
    return "0190b8a2-5c3e-4d4f-8a6b-1c2d3e4f5a6b";
}

static pt_status add_header(pt_call *call, const char *name, const char *value, pt_error *err)
{
    (void)call;
    (void)name;
    (void)value;
    (void)err;
    return PT_OK;
}

static void setup(fixture *f)
{
    pt_host_options options = {.size_bytes = sizeof(options)};
    f->vtable = TEST_CALL;
    f->vtable.connection_id = connection_id;
    f->vtable.add_header = add_header;
    if (pt_host_new(&options, &f->host, NULL) != PT_OK || pt_mailbox_new(NULL, NULL, &f->mailbox, NULL) != PT_OK ||
        pt_frontend_flight_sql.open(f->host, NULL, &f->mount, NULL) != PT_OK)
        abort();
}

static void teardown(fixture *f)
{
    pt_frontend_flight_sql.close(f->mount);
    pt_host_free(f->host);
    pt_mailbox_free(f->mailbox);
}

static void ask(fixture *f, const pt_method *method, pt_bytes_view input)
{
    pt__test_call call;
    pt_bytes_view message;
    pt__test_call_init(&call, f->mailbox);
    call.base.vtable = &f->vtable;
    if (method->started != NULL)
        method->started(f->mount, &call.base);
    while (next_message(&input, &message))
        method->message(f->mount, &call.base, message);
    if (method->half_closed != NULL)
        method->half_closed(f->mount, &call.base);
    if (!pt__test_call_await(&call))
        abort(); /* a call that is never answered */
    pt__test_call_end(&call, method, f->mount);
}

static void read_rows(pt_bytes *take_stream)
{
    struct ArrowArrayStream rows;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    if (take_stream == NULL || pt__flight_ipc_stream(take_stream, &rows, NULL) != PT_OK)
        return;
    if (rows.get_schema(&rows, &schema) == 0) {
        while (rows.get_next(&rows, &batch) == 0 && batch.release != NULL)
            batch.release(&batch);
        schema.release(&schema);
    }
    rows.release(&rows);
}

/* The messages as a DoPut would collect them. */
static void collect(pt_bytes_view input)
{
    pt_bytes_view message;
    pt__flight_data data;
    pt__buffer rows = PT_BUFFER_INIT;
    while (next_message(&input, &message)) {
        if (pt__flight_data_read(message, &data, NULL) == PT_OK)
            pt__flight_data_append_ipc(&rows, &data);
    }
    read_rows(pt__buffer_take(&rows));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fixture f;
    if (size < 1)
        return 0;
    pt_bytes_view input = {data + 1, size - 1};
    const pt_method *method = &pt_frontend_flight_sql.methods[data[0] % pt_frontend_flight_sql.method_count];
    setup(&f);
    ask(&f, method, input);
    teardown(&f);
    collect(input);
    return 0;
}
