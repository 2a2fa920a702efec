#include "backend/ballista/fetch.h"

#include <string.h>

#define DO_GET "/arrow.flight.protocol.FlightService/DoGet"

void pt__fetch_init(pt__fetch *fetch, pt__ballista *cluster, pt__wake *wake, const pt__location *locations,
                    size_t location_count)
{
    *fetch = (pt__fetch){.cluster = cluster, .wake = wake, .locations = locations, .location_count = location_count};
}

static void end_slot(pt__fetch *fetch, pt__fetch_slot *slot)
{
    pt__rpc_call_free(slot->call);
    pt__pool_give(&fetch->cluster->pool, slot->channel);
    *slot = (pt__fetch_slot){0};
}

void pt__fetch_deinit(pt__fetch *fetch)
{
    for (size_t i = 0; i < fetch->slot_count; i++)
        end_slot(fetch, &fetch->slots[i]);
    fetch->slot_count = 0;
    pt__flight_reader_free(fetch->reader);
    fetch->reader = NULL;
}

/* ---- asking ---- */

static pt_status ask_for(pt__fetch *fetch, const pt__location *location, pt_error *err)
{
    pt__fetch_slot *slot = &fetch->slots[fetch->slot_count];
    PT_TRY(pt__pool_take(&fetch->cluster->pool, location->address, &slot->channel, err));
    fetch->slot_count++;
    slot->location = location;
    return pt__channel_call(slot->channel, DO_GET, location->ticket, UINT64_MAX, &slot->call, err);
}

static size_t connections_of(const pt__fetch *fetch)
{
    uint64_t wanted = fetch->cluster->options.fetch_connections;
    return wanted < PT_FETCH_CONNECTIONS_MAX ? (size_t)wanted : PT_FETCH_CONNECTIONS_MAX;
}

static pt_status ask_ahead(pt__fetch *fetch, pt_error *err)
{
    while (fetch->slot_count < connections_of(fetch) && fetch->next < fetch->location_count)
        PT_TRY(ask_for(fetch, &fetch->locations[fetch->next++], err));
    return PT_OK;
}

static void drop_first(pt__fetch *fetch)
{
    end_slot(fetch, &fetch->slots[0]);
    memmove(&fetch->slots[0], &fetch->slots[1], (fetch->slot_count - 1) * sizeof(fetch->slots[0]));
    fetch->slot_count--;
    pt__flight_reader_free(fetch->reader);
    fetch->reader = NULL;
    fetch->waiting_since_ms = 0;
}

/* ---- waiting ---- */

static pt_status silent(const pt__fetch *fetch, pt_error *err)
{
    return pt_error_set(err, PT_TIMEOUT, "the executor %s sends nothing of the partition %u (ballista.silence-timeout)",
                        fetch->slots[0].location->address, fetch->slots[0].location->partition);
}

static pt_status await_bytes(pt__fetch *fetch, pt_error *err)
{
    pt__channel *channels[PT_FETCH_CONNECTIONS_MAX];
    uint64_t limit_ms = fetch->cluster->options.silence_timeout_ms;
    for (size_t i = 0; i < fetch->slot_count; i++)
        channels[i] = fetch->slots[i].channel;
    if (fetch->waiting_since_ms == 0)
        fetch->waiting_since_ms = pt__monotonic_ms();
    uint64_t since_ms =
        channels[0]->heard_ms > fetch->waiting_since_ms ? channels[0]->heard_ms : fetch->waiting_since_ms;
    if (pt__monotonic_ms() - since_ms >= limit_ms)
        return silent(fetch, err);
    return pt__channels_wait(channels, fetch->slot_count, fetch->wake, since_ms + limit_ms, err);
}

/* ---- reading ---- */

static pt_status read_message(pt__fetch *fetch, pt_bytes *take_message, struct ArrowArray *out, pt_error *err)
{
    fetch->waiting_since_ms = 0;
    if (fetch->reader == NULL) {
        pt_status status = pt__flight_reader_new(&fetch->reader, err);
        if (status != PT_OK) {
            pt_bytes_unref(take_message);
            return status;
        }
    }
    return pt__flight_reader_feed(fetch->reader, take_message, out, err);
}

static pt_status failed(const pt__fetch *fetch, pt_error *err)
{
    pt_error why = PT_ERROR_INIT;
    const pt__fetch_slot *slot = &fetch->slots[0];
    pt_status status = pt__rpc_call_failure(slot->call, &why);
    if (status != PT_OK)
        pt_error_set(err, status == PT_CANCELLED ? PT_UNAVAILABLE : status,
                     "the partition %u of the result cannot be fetched from %s: %s", slot->location->partition,
                     slot->location->address, pt_error_full_message(&why));
    pt_error_clear(&why);
    return status == PT_CANCELLED ? PT_UNAVAILABLE : status;
}

/* The first slot's next rows; `*at_end` when it has no more. */
static pt_status read_first(pt__fetch *fetch, struct ArrowArray *out, bool *at_end, pt_error *err)
{
    pt_bytes *message = NULL;
    *at_end = false;
    while (out->release == NULL && !*at_end) {
        switch (pt__rpc_call_next(fetch->slots[0].call, &message)) {
        case PT_RPC_WAIT: PT_TRY(await_bytes(fetch, err)); break;
        case PT_RPC_MESSAGE: PT_TRY(read_message(fetch, message, out, err)); break;
        case PT_RPC_END:
            PT_TRY(failed(fetch, err));
            *at_end = true;
            break;
        }
    }
    return PT_OK;
}

/* The schema of a result without rows stays until the end. */
static bool is_last(const pt__fetch *fetch)
{
    return fetch->slot_count == 1 && fetch->next == fetch->location_count;
}

pt_status pt__fetch_next(pt__fetch *fetch, struct ArrowArray *out, const struct ArrowSchema **schema, pt_error *err)
{
    out->release = NULL;
    *schema = NULL;
    if (pt__wake_is_raised(fetch->wake))
        return pt_error_set(err, PT_CANCELLED, "the query was cancelled");
    PT_TRY(ask_ahead(fetch, err));
    while (fetch->slot_count > 0) {
        bool at_end = false;
        PT_TRY(read_first(fetch, out, &at_end, err));
        *schema = fetch->reader == NULL ? NULL : pt__flight_reader_schema(fetch->reader);
        if (!at_end || is_last(fetch))
            return PT_OK;
        drop_first(fetch);
        PT_TRY(ask_ahead(fetch, err));
    }
    return PT_OK;
}
