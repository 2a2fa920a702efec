#include <portico/flight_sql.h>

#include "base/limit.h"
#include "base/unconst.h"
#include "front/flight/errors.h"
#include "front/flight_sql/calls.h"
#include "front/flight_sql/note.h"
#include "front/flight_sql/session.h"
#include "front/flight_sql/ticket.h"

#include <stdlib.h>
#include <string.h>

#define PT_FLIGHT_METHOD(rpc, on_started, on_message, on_half_closed, on_writable, on_closed)                          \
    static void take_##rpc(void *mount, pt_call *call, pt_bytes_view message)                                          \
    {                                                                                                                  \
        pt__flight_note(mount, call, #rpc, message);                                                                   \
        on_message(mount, call, message);                                                                              \
    }
#include "front/flight_sql/methods.def"
#undef PT_FLIGHT_METHOD

static const pt_method METHODS[] = {
#define PT_FLIGHT_METHOD(rpc, on_started, on_message, on_half_closed, on_writable, on_closed)                          \
    {.path = "/arrow.flight.protocol.FlightService/" #rpc,                                                             \
     .started = on_started,                                                                                            \
     .message = take_##rpc,                                                                                            \
     .half_closed = on_half_closed,                                                                                    \
     .writable = on_writable,                                                                                          \
     .closed = on_closed},
#include "front/flight_sql/methods.def"
#undef PT_FLIGHT_METHOD
};

pt__flight *pt__flight_ref(pt__flight *mount)
{
    atomic_fetch_add(&mount->references, 1);
    return mount;
}

void pt__flight_unref(pt__flight *mount)
{
    if (mount == NULL || atomic_fetch_sub(&mount->references, 1) != 1)
        return;
    pt__map_deinit(&mount->sessions);
    pt__map_deinit(&mount->tickets);
    pthread_mutex_destroy(&mount->lock);
    free(mount);
}

static pt_status read_config(pt__flight *mount, const pt_config *config, pt_error *err)
{
    const char *dialect = pt_config_string(config, "flight-sql.dialect", "duckdb");
    mount->spark_dialect = strcmp(dialect, "spark") == 0;
    if (!mount->spark_dialect && strcmp(dialect, "duckdb") != 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "flight-sql.dialect is duckdb or spark, not %s", dialect);
#define PT_LIMIT(field, key, kind, value, reason)                                                                      \
    PT_TRY(pt__limit_read(config, key, PT_LIMIT_##kind, value, &mount->limits.field, err));
#include "front/flight_sql/limits.def"
#undef PT_LIMIT
    return PT_OK;
}

static pt_status open_mount(pt_host *host, const pt_config *config, void **out, pt_error *err)
{
    pt__flight *mount = calloc(1, sizeof(*mount));
    if (mount == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the Flight SQL frontend");
    atomic_init(&mount->references, 1);
    pthread_mutex_init(&mount->lock, NULL);
    mount->host = host;
    pt_status status = read_config(mount, config, err);
    if (status == PT_OK)
        *out = mount;
    else
        pt__flight_unref(mount);
    return status;
}

static pt__flight_session *any_session(pt__flight *mount)
{
    const char *key;
    void *session = NULL;
    size_t at = 0;
    pthread_mutex_lock(&mount->lock);
    if (pt__map_next(&mount->sessions, &at, &key, &session))
        pt__flight_session_ref(session);
    pthread_mutex_unlock(&mount->lock);
    return session;
}

static void close_mount(void *state)
{
    pt__flight *mount = state;
    pt__flight_session *session;
    pt__flight_tickets_expire(mount, true);
    while ((session = any_session(mount)) != NULL) {
        pt__flight_session_close(session);
        pt__flight_session_unref(session);
    }
    pt__flight_unref(mount);
}

static void expire(void *state)
{
    pt__flight *mount = state;
    pt__flight_tickets_expire(mount, false);
    pt__flight_sessions_expire(mount);
    pt__flight_unref(mount);
}

/* Ending a transaction may block. */
static void tick(void *state, uint64_t now_ms)
{
    pt__flight *mount = state;
    mount->now_ms = now_ms;
    pt__flight_polls_tick(mount);
    pt__flight_ref(mount);
    if (pt__host_run(mount->host, expire, mount, NULL) != PT_OK)
        pt__flight_unref(mount);
}

static void on_connection_closed(void *mount, const char *connection_id)
{
    pt__flight_session_leave(mount, connection_id);
}

void *pt__flight_answered(void)
{
    static const char answered;
    return pt__unconst(&answered);
}

void pt__flight_half_closed(void *mount, pt_call *call)
{
    (void)mount;
    if (call->state == NULL)
        pt_call_finish(call,
                       &(pt_call_status){PT_GRPC_INVALID_ARGUMENT, "the call ended without a request", {NULL, 0}});
}

void pt__flight_list_flights_message(void *mount, pt_call *call, pt_bytes_view request)
{
    (void)mount;
    (void)request;
    if (call->state != NULL)
        return;
    call->state = pt__flight_answered();
    pt__flight_finish_ok(call); /* there are no flights but those that statements make */
}

void pt__flight_exchange_started(void *mount, pt_call *call)
{
    pt__flight_note(mount, call, "DoExchange", (pt_bytes_view){NULL, 0});
    call->state = pt__flight_answered();
    pt_call_finish(call,
                   &(pt_call_status){PT_GRPC_UNIMPLEMENTED, "DoExchange serves nothing in Flight SQL", {NULL, 0}});
}

const pt_frontend_vtable pt_frontend_flight_sql = {
    .size_bytes = sizeof(pt_frontend_vtable),
    .name = "flight_sql",
    .open = open_mount,
    .close = close_mount,
    .methods = METHODS,
    .method_count = sizeof(METHODS) / sizeof(METHODS[0]),
    .tick = tick,
    .connection_closed = on_connection_closed,
};
