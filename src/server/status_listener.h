/**
 * The status page's listener: a thread of its own, so that the page also comes while the loop has much to do.
 *
 * Bounded: a few connections at once, a few seconds for each, one request on each.
 */
#ifndef PT_SERVER_STATUS_LISTENER_H
#define PT_SERVER_STATUS_LISTENER_H

#include <portico/config.h>
#include <portico/host.h>

typedef struct pt__status_listener pt__status_listener;

/**
 * Listens at the address of status-listen and prints a line that says so; `*out` is NULL when it is not set.
 * Errors: PT_INVALID_ARGUMENT for an address that other machines reach, unless status-public is on; PT_IO.
 */
pt_status pt__status_listener_new(pt_host *host, const pt_config *config, pt__status_listener **out, pt_error *err);
/** Ends the thread. The host must still be there. */
void pt__status_listener_free(pt__status_listener *listener);

#endif
