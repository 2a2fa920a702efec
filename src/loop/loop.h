/**
 * Loop: the server's event loop. Carries connections over TCP, by libuv.
 *
 * Threads: all but the mailbox belongs to the thread that runs the loop.
 */
#ifndef PT_LOOP_LOOP_H
#define PT_LOOP_LOOP_H

#include "loop/tls.h"

#include <portico/connection.h>
#include <portico/log.h>

typedef struct pt__loop pt__loop;

/** All borrowed until pt__loop_free. */
typedef struct pt__loop_options {
    pt_host *host;
    pt_routes *routes;
    const pt_config *limits;
    const pt_authenticator *authenticator; /* NULL: everyone is anonymous */
    uint64_t stall_timeout_ms;             /* how long a peer may take no bytes of what is being written */
    size_t max_connections;                /* further ones are closed at once */
    pt__tls_context *tls;                  /* NULL: plain text */
    uint64_t drain_timeout_ms;             /* how long running calls may go on once the loop drains */
    void (*draining)(void *context);       /* told once when draining starts; NULL: nobody */
    void *draining_context;
    void (*reload)(void *context); /* at SIGHUP; NULL: the signal is left alone */
    void *reload_context;
    pt_log_sink log;
    void *log_context;
} pt__loop_options;

/** With a mailbox and handlers for SIGTERM and SIGINT, of which the first drains and the second stops, and SIGHUP. */
pt_status pt__loop_new(const pt__loop_options *options, pt__loop **out, pt_error *err);

/** Runs what is left in the mailbox, to which nothing may post any more: end the workers first. */
void pt__loop_free(pt__loop *loop);

enum { PT_ADDRESS_BYTES = 80 };

/**
 * Accepts connections at `address`: "127.0.0.1:15002", "[::1]:15002", "localhost:0"; port 0 takes a free one.
 * `bound` gets the address with its port. Errors: PT_INVALID_ARGUMENT, PT_IO naming the address.
 */
pt_status pt__loop_listen(pt__loop *loop, const char *address, char bound[PT_ADDRESS_BYTES], pt_error *err);

/** Returns when the loop has drained or was stopped; all calls are closed then. */
void pt__loop_run(pt__loop *loop);

/** Closes the listeners, refuses new calls, and ends the loop when the running ones are over. */
void pt__loop_drain(pt__loop *loop);

#endif
