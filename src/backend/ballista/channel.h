/**
 * A connection to a scheduler or executor: a socket that does not block, and the client of gRPC on it. The thread
 * whose turn it is waits for several by poll(2).
 *
 * Threads: one at a time.
 */
#ifndef PT_BACKEND_BALLISTA_CHANNEL_H
#define PT_BACKEND_BALLISTA_CHANNEL_H

#include "backend/ballista/options.h"
#include "backend/ballista/wake.h"
#include "wire/rpc_client.h"

#include <protobuf-c/protobuf-c.h>

enum { PT_CHANNEL_ADDRESS_BYTES = 300 };

typedef struct pt__channel {
    int fd;
    bool is_connected; /* it was, at least once */
    bool is_lost;
    struct addrinfo *addresses;    /* of the host */
    struct addrinfo *next_address; /* to be tried when this one fails */
    uint64_t connect_by_ms;
    uint64_t heard_ms; /* when bytes last came in */
    pt__rpc_client *rpc;
    pt__rpc_call *forgotten; /* calls whose answer nobody waits for */
    uint8_t *input;
    uint64_t idle_since_ms; /* in the pool */
    struct pt__channel *next;
    char address[PT_CHANNEL_ADDRESS_BYTES];
} pt__channel;

/**
 * Looks the host up and begins to connect; that it fails is told by the calls. `*out` is the caller's.
 * Errors: PT_INVALID_ARGUMENT for an address that is not HOST:PORT, PT_UNAVAILABLE for a host without address.
 */
pt_status pt__channel_open(const pt__ballista_options *options, const char *address, pt__channel **out, pt_error *err);
void pt__channel_free(pt__channel *channel);

/** Reads and writes what can be without waiting; false when it is lost. */
bool pt__channel_refresh(pt__channel *channel);

/** Starts a call and writes it, as far as the socket takes it; see pt__rpc_call_new. */
pt_status pt__channel_call(pt__channel *channel, const char *path, pt_bytes_view message, uint64_t deadline_ms,
                           pt__rpc_call **out, pt_error *err);

/** The same with a message of protobuf-c. */
pt_status pt__channel_call_message(pt__channel *channel, const char *path, const ProtobufCMessage *message,
                                   uint64_t deadline_ms, pt__rpc_call **out, pt_error *err);

/** The call goes on, but nobody waits for it any more; one at a time, an earlier one is cancelled. */
void pt__channel_forget(pt__channel *channel, pt__rpc_call *take_call);

/**
 * Waits for bytes on any of them, a deadline of a call or until then. Errors: PT_CANCELLED when `wake` is raised.
 */
pt_status pt__channels_wait(pt__channel *const *channels, size_t count, pt__wake *wake, uint64_t until_ms,
                            pt_error *err);

/**
 * Makes a call and waits for its one answer, which is the caller's reference.
 * Errors: those of the server; PT_TIMEOUT, PT_UNAVAILABLE; PT_CANCELLED when `wake` is raised.
 */
pt_status pt__channel_unary(pt__channel *channel, const char *path, const ProtobufCMessage *message,
                            uint64_t timeout_ms, pt__wake *wake, pt_bytes **out, pt_error *err);

#endif
