#include "front/test_call.h"

#include <portico/spark_connect.h>

#include <string.h>
#include <time.h>

static pt__test_call *own(pt_call *call)
{
    return (pt__test_call *)(void *)call;
}

static bool no_metadata(pt_call *call, const char *key, pt_bytes_view *value)
{
    (void)call;
    (void)key;
    (void)value;
    return false;
}

static const pt_principal *nobody(pt_call *call)
{
    static const pt_principal NOBODY = {"", false};
    (void)call;
    return &NOBODY;
}

static pt_mailbox *mailbox_of(pt_call *call)
{
    return own(call)->mailbox;
}

static pt_status keep_message(pt_call *call, const pt_segment *segments, size_t count, pt_error *err)
{
    pt__test_call *own_call = own(call);
    bool fits = own_call->message_count < PT_TEST_MESSAGES_MAX;
    for (size_t i = 0; i < count; i++) {
        if (fits)
            pt__buffer_append(&own_call->messages[own_call->message_count], segments[i].view.data,
                              segments[i].view.size_bytes);
        pt_bytes_unref(segments[i].owner);
    }
    own_call->message_count += fits ? 1 : 0;
    return fits ? PT_OK : pt_error_set(err, PT_LIMIT, "too many messages for the test");
}

static size_t nothing_queued(pt_call *call)
{
    (void)call;
    return 0;
}

static void keep_status(pt_call *call, const pt_call_status *status)
{
    pt__test_call *own_call = own(call);
    own_call->is_finished = true;
    own_call->code = status->code;
    pt__buffer_append_string(&own_call->status_message, status->message == NULL ? "" : status->message);
    pt__buffer_append(&own_call->details, status->details.data, status->details.size_bytes);
}

static uint64_t no_deadline(pt_call *call)
{
    (void)call;
    return 0;
}

static const pt_call_vtable TEST_CALL = {
    .size_bytes = sizeof(pt_call_vtable),
    .metadata = no_metadata,
    .principal = nobody,
    .mailbox = mailbox_of,
    .send = keep_message,
    .queued_bytes = nothing_queued,
    .finish = keep_status,
    .deadline_ms = no_deadline,
};

void pt__test_call_init(pt__test_call *call, pt_mailbox *mailbox)
{
    memset(call, 0, sizeof(*call));
    call->base.vtable = &TEST_CALL;
    call->mailbox = mailbox;
}

void pt__test_call_end(pt__test_call *call, const pt_method *method, void *mount)
{
    if (method->closed != NULL)
        method->closed(mount, &call->base, PT_CALL_FINISHED);
    for (size_t i = 0; i < call->message_count; i++)
        pt__buffer_deinit(&call->messages[i]);
    pt__buffer_deinit(&call->status_message);
    pt__buffer_deinit(&call->details);
}

bool pt__test_call_await(pt__test_call *call)
{
    for (int i = 0; i < 10000 && !call->is_finished; i++) {
        pt_mailbox_run(call->mailbox);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return call->is_finished;
}

const pt_method *pt__test_method(const char *name)
{
    for (size_t i = 0; i < pt_frontend_spark_connect.method_count; i++) {
        const pt_method *method = &pt_frontend_spark_connect.methods[i];
        if (strcmp(strrchr(method->path, '/') + 1, name) == 0)
            return method;
    }
    return NULL;
}
