#include "front/flight/errors.h"

static pt_grpc_code code_of(pt_status status)
{
    switch (status) {
    case PT_OK: return PT_GRPC_OK;
    case PT_NEED_MORE:
    case PT_INVALID_ARGUMENT:
    case PT_BAD_MESSAGE:
    case PT_BAD_PLAN:
    case PT_BAD_SQL:
    case PT_ANALYSIS: return PT_GRPC_INVALID_ARGUMENT;
    case PT_EXECUTION: return PT_GRPC_FAILED_PRECONDITION;
    case PT_NOT_FOUND: return PT_GRPC_NOT_FOUND;
    case PT_ALREADY_EXISTS: return PT_GRPC_ALREADY_EXISTS;
    case PT_UNSUPPORTED: return PT_GRPC_UNIMPLEMENTED;
    case PT_UNAUTHENTICATED: return PT_GRPC_UNAUTHENTICATED;
    case PT_PERMISSION_DENIED: return PT_GRPC_PERMISSION_DENIED;
    case PT_LIMIT:
    case PT_NO_MEMORY: return PT_GRPC_RESOURCE_EXHAUSTED;
    case PT_CANCELLED: return PT_GRPC_CANCELLED;
    case PT_INTERRUPTED: return PT_GRPC_ABORTED;
    case PT_TIMEOUT: return PT_GRPC_DEADLINE_EXCEEDED;
    case PT_UNAVAILABLE: return PT_GRPC_UNAVAILABLE;
    case PT_IO:
    case PT_INTERNAL:
    case PT_STATUS_COUNT: return PT_GRPC_INTERNAL;
    }
    return PT_GRPC_UNKNOWN;
}

void pt__flight_fail(pt_call *call, const pt_error *err)
{
    pt_call_finish(call, &(pt_call_status){code_of(err->status), pt_error_full_message(err), {NULL, 0}});
}

void pt__flight_finish_ok(pt_call *call)
{
    pt_call_finish(call, &(pt_call_status){PT_GRPC_OK, NULL, {NULL, 0}});
}
