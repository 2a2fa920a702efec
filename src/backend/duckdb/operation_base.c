#include "backend/duckdb/operation_base.h"

#include <errno.h>

static pt__operation *of(pt_operation *operation)
{
    return (pt__operation *)operation;
}

const char *pt__operation_id(pt_operation *operation)
{
    return of(operation)->id;
}

pt_status pt__operation_status(pt_operation *operation, pt_operation_state *out, pt_error *err)
{
    (void)err;
    *out = (pt_operation_state)of(operation)->state;
    return PT_OK;
}

pt_status pt__operation_result(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err)
{
    (void)err;
    *out = *of(operation)->stream;
    out->private_data = operation;
    return PT_OK;
}

pt_status pt__operation_failure(pt_operation *operation, pt_error *err)
{
    const pt_error *failure = &of(operation)->failure;
    if (failure->status != PT_OK && err != NULL)
        pt_error_copy(err, failure);
    return failure->status;
}

const char *pt__operation_stream_error(struct ArrowArrayStream *stream)
{
    const pt__operation *operation = stream->private_data;
    return operation->failure.status == PT_OK ? NULL : pt_error_full_message(&operation->failure);
}

int pt__operation_settle(pt__operation *operation, pt_status status, bool is_end)
{
    if (status == PT_CANCELLED)
        operation->state = PT_OPERATION_CANCELLED;
    else if (status != PT_OK)
        operation->state = PT_OPERATION_FAILED;
    else if (is_end)
        operation->state = PT_OPERATION_SUCCEEDED;
    if (operation->state != PT_OPERATION_RUNNING)
        pt__helped_end(&operation->helped);
    return status == PT_OK ? 0 : status == PT_CANCELLED ? ECANCELED : EIO;
}
