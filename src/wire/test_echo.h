/**
 * A frontend for tests of the wire: service test.Echo, whose methods show what a connection does.
 *
 *     Unary      answers the message as it came
 *     Stream     the message is a decimal number n: n answers "0", "1", ...
 *     Collect    answers all messages in one, when the client has sent its last
 *     Fail       ends with INVALID_ARGUMENT, the message as text, and details when metadata has "details-bin"
 *     Never      answers nothing and does not finish
 *     Download   the message is a decimal number n: n answers of test_download_bytes, as fast as they are taken
 */
#ifndef PT_WIRE_TEST_ECHO_H
#define PT_WIRE_TEST_ECHO_H

#include <portico/frontend.h>

enum { PT_TEST_DOWNLOAD_BYTES = 300000 };

typedef struct pt__test_echo {
    int started;
    int messages;
    int half_closed;
    int closed;
    pt_call_end last_end;
    size_t queued_most_bytes; /* by one call of Download */
    pt_call *never;           /* the last call of Never that is not closed */
} pt__test_echo;

/** Its `open` is absent: add it by pt__routes_add with a pt__test_echo, which is the caller's. */
extern const pt_frontend_vtable pt__test_echo_frontend;

/** Routes with the frontend, health and reflection; end them by pt_routes_free. NULL: out of memory. */
pt_routes *pt__test_echo_routes(pt__test_echo *echo);

#endif
