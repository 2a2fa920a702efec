/**
 * Errors as clients of Flight SQL and of Ballista read them: a gRPC code and a message.
 *
 * This is the one place where a pt_status becomes a code for them.
 */
#ifndef PT_FRONT_FLIGHT_ERRORS_H
#define PT_FRONT_FLIGHT_ERRORS_H

#include <portico/call.h>

void pt__flight_fail(pt_call *call, const pt_error *err);
void pt__flight_finish_ok(pt_call *call);

#endif
