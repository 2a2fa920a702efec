/*
 * What a cluster sends: an executor's FlightData, a scheduler's answers, the bytes of their connections, and the plans
 * that pass to it undecoded. Input: one byte that chooses which, then messages: two bytes of length and that many bytes.
 */
#include "backend/ballista/flight_reader.h"
#include "backend/ballista/locations.h"
#include "backend/ballista/plan_guard.h"
#include "backend/ballista/reads_only.h"
#include "backend/ballista/relayout.h"
#include "backend/ballista/scheduler.h"
#include "wire/rpc_client.h"

#include "messages.h"

#include <stdlib.h>

enum { ROWS, STATUS, CONNECTION, PLAN, KIND_COUNT };

static pt_bytes *copy_of(pt_bytes_view view)
{
    pt_bytes *bytes = pt_bytes_copy(view);
    if (bytes == NULL)
        abort();
    return bytes;
}

/* ---- an executor's rows ---- */

static void lay_out(const struct ArrowSchema *engine, struct ArrowArray *rows)
{
    struct ArrowSchema schema;
    if (engine != NULL && pt__relayout_schema(engine, &schema, NULL) == PT_OK) {
        pt__relayout(engine, rows, &schema, NULL);
        schema.release(&schema);
    }
    if (rows->release != NULL)
        rows->release(rows);
}

static void read_rows(pt_bytes_view input)
{
    pt_bytes_view message;
    pt__flight_reader *reader;
    if (pt__flight_reader_new(&reader, NULL) != PT_OK)
        abort();
    while (next_message(&input, &message)) {
        struct ArrowArray rows = {.release = NULL};
        if (pt__flight_reader_feed(reader, copy_of(message), &rows, NULL) != PT_OK)
            break;
        if (rows.release != NULL)
            lay_out(pt__flight_reader_schema(reader), &rows);
    }
    pt__flight_reader_free(reader);
}

/* ---- a scheduler's answers ---- */

static void read_locations(const Ballista__Protobuf__GetJobStatusResult *result)
{
    const pt__location *list;
    size_t count;
    pt__arena *arena = pt__arena_new(1 << 20);
    if (arena == NULL)
        abort();
    bool is_there =
        result->status != NULL && result->status->status_case == BALLISTA__PROTOBUF__JOB_STATUS__STATUS_SUCCESSFUL;
    if (is_there && !PT_ARENA_GUARD(arena)) {
        pt__locations_read(arena, result, "scheduler:1", &list, &count, NULL);
        pt__arena_unguard(arena);
    }
    pt__arena_free(arena);
}

static void read_status(pt_bytes_view input)
{
    pt_bytes_view message;
    while (next_message(&input, &message)) {
        Ballista__Protobuf__GetJobStatusResult *result = NULL;
        pt_bytes *bytes = copy_of(message);
        if (pt__scheduler_read_status(bytes, &result, NULL) == PT_OK) {
            read_locations(result);
            ballista__protobuf__get_job_status_result__free_unpacked(result, NULL);
        }
        pt_bytes_unref(bytes);
    }
}

/* ---- a connection ---- */

static void take_events(pt__rpc_call *call)
{
    pt_bytes *message = NULL;
    while (pt__rpc_call_next(call, &message) == PT_RPC_MESSAGE)
        pt_bytes_unref(message);
}

static void read_connection(pt_bytes_view input)
{
    const pt__rpc_client_options options = {"scheduler:1", 1 << 20, 65535};
    const pt__rpc_request request = {"/a.B/C", {(const uint8_t *)"x", 1}, 1, 0};
    pt__rpc_client *client;
    pt__rpc_call *call;
    pt_bytes_view part;
    if (pt__rpc_client_new(&options, &client, NULL) != PT_OK ||
        pt__rpc_call_new(client, &request, &call, NULL) != PT_OK)
        abort();
    for (uint64_t now_ms = 1; next_message(&input, &part); now_ms++) {
        struct iovec pieces[8];
        size_t count = pt__rpc_client_pending(client, pieces, 8);
        for (size_t i = 0; i < count; i++)
            pt__rpc_client_sent(client, pieces[i].iov_len);
        if (pt__rpc_client_feed(client, part, now_ms, NULL) != PT_OK)
            break;
        take_events(call);
    }
    pt__rpc_call_free(call);
    pt__rpc_client_free(client);
}

/* ---- plans ---- */

static void check_plan(pt_bytes_view input)
{
    pt__datafusion_check_plan(input, NULL);
    pt__datafusion_reads_only(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    pt_bytes_view input = {data + 1, size - 1};
    switch (data[0] % KIND_COUNT) {
    case ROWS: read_rows(input); break;
    case STATUS: read_status(input); break;
    case CONNECTION: read_connection(input); break;
    case PLAN: check_plan(input); break;
    default: break;
    }
    return 0;
}
