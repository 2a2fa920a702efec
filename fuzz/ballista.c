/*
 * The Ballista frontend's calls without a transport and without an engine. Input: one byte that chooses the call, then
 * what the client sends: per message two bytes of length and that many bytes. The bytes of the first message are also
 * asked whether they claim a call of DoGet, as a Ticket and as the bytes of one.
 */
#include "front/ballista/calls.h"
#include "front/test_call.c"
#include "wire/proto.h"

#include "messages.h"

#include <portico/ballista.h>
#include <portico/host.h>

#include <stdlib.h>

typedef struct fixture {
    pt_host *host;
    pt_mailbox *mailbox;
    void *mount;
} fixture;

static void setup(fixture *f)
{
    pt_host_options options = {.size_bytes = sizeof(options)};
    if (pt_host_new(&options, &f->host, NULL) != PT_OK || pt_mailbox_new(NULL, NULL, &f->mailbox, NULL) != PT_OK ||
        pt_frontend_ballista.open(f->host, NULL, &f->mount, NULL) != PT_OK)
        abort();
}

static void teardown(fixture *f)
{
    pt_frontend_ballista.close(f->mount);
    pt_host_free(f->host);
    pt_mailbox_free(f->mailbox);
}

static void claim(const fixture *f, const char *path, pt_bytes_view message)
{
    pt__buffer ticket = PT_BUFFER_INIT;
    pt_frontend_ballista.claims(f->mount, path, message);
    pt__proto_append_bytes(&ticket, 1, message);
    pt_frontend_ballista.claims(f->mount, path, (pt_bytes_view){ticket.data, ticket.size_bytes});
    pt__buffer_deinit(&ticket);
}

static void ask(fixture *f, const pt_method *method, pt_bytes_view input)
{
    pt__test_call call;
    pt_bytes_view message;
    pt__test_call_init(&call, f->mailbox);
    while (next_message(&input, &message)) {
        claim(f, method->path, message);
        method->message(f->mount, &call.base, message);
    }
    method->half_closed(f->mount, &call.base);
    if (!pt__test_call_await(&call))
        abort(); /* a call that is never answered */
    pt__test_call_end(&call, method, f->mount);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fixture f;
    if (size < 1)
        return 0;
    setup(&f);
    ask(&f, &pt_frontend_ballista.methods[data[0] % pt_frontend_ballista.method_count],
        (pt_bytes_view){data + 1, size - 1});
    teardown(&f);
    return 0;
}
