/**
 * ExecuteQueryParams as a query of a format: the members of `query` are names of formats.
 */
#ifndef PT_FRONT_BALLISTA_REQUEST_H
#define PT_FRONT_BALLISTA_REQUEST_H

#include "base/arena.h"
#include "front/ballista/job.h"

#include <portico/call.h>

/** `*out` lives as long as `message`, the call and `arena`. Errors: PT_INVALID_ARGUMENT without a query. */
pt_status pt__ballista_request_read(pt_call *call, pt__arena *arena,
                                    const Ballista__Protobuf__ExecuteQueryParams *message, pt__ballista_request *out,
                                    pt_error *err);

#endif
