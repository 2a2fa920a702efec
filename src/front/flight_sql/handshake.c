/* Handshake: who has signed in is given a token, by which later calls sign in and find their session. */
#include "exec/tokens.h"
#include "front/flight/errors.h"
#include "front/flight/message.h"
#include "front/flight_sql/calls.h"
#include "front/flight_sql/note.h"

#include <arrow/flight.pb-c.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HEADER_BYTES_MAX = 20480 }; /* web tokens among them */

/* A bearer token stays what it is: the authenticator has accepted it. */
static bool has_bearer(pt_call *call, char *out, size_t size)
{
    pt_bytes_view value;
    if (!pt_call_metadata(call, "authorization", &value) || value.size_bytes < 7 || value.size_bytes >= size ||
        strncasecmp((const char *)value.data, "Bearer ", 7) != 0)
        return false;
    snprintf(out, size, "%.*s", (int)value.size_bytes, (const char *)value.data);
    return true;
}

/* The message goes out first, so that the token is among the headers and not among the trailers. */
static void answer(pt__flight *mount, pt_call *call)
{
    char header[HEADER_BYTES_MAX];
    char token[PT_TOKEN_BYTES];
    pt_error err = PT_ERROR_INIT;
    Arrow__Flight__Protocol__HandshakeResponse response = ARROW__FLIGHT__PROTOCOL__HANDSHAKE_RESPONSE__INIT;
    pt_status status = PT_OK;
    call->state = pt__flight_answered();
    if (!has_bearer(call, header, sizeof(header))) {
        status = pt__host_issue_token(mount->host, pt_call_principal(call)->name, token, &err);
        if (status == PT_OK)
            snprintf(header, sizeof(header), "Bearer %s", token);
    }
    if (status == PT_OK)
        status = pt_call_add_header(call, "authorization", header, &err);
    if (status == PT_OK)
        status = pt__flight_send(call, pt__flight_pack(&response.base), &err);
    if (status == PT_OK)
        pt__flight_finish_ok(call);
    else
        pt__flight_fail(call, &err);
    pt_error_clear(&err);
}

void pt__flight_handshake_message(void *mount, pt_call *call, pt_bytes_view request)
{
    (void)request;
    if (call->state == NULL)
        answer(mount, call);
}

void pt__flight_handshake_half_closed(void *mount, pt_call *call)
{
    if (call->state != NULL)
        return;
    pt__flight_note(mount, call, "Handshake", (pt_bytes_view){NULL, 0}); /* most clients send no message */
    answer(mount, call);
}
