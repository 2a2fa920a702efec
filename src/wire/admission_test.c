/* Calls that wait for their authenticator. */
#include "base/test.h"
#include "wire/test_fixture.h"

#include <string.h>

typedef struct waiting {
    pt__test_fixture *f;
    pt_mailbox *mailbox;
    pt_authenticator authenticator;
    pt_admission *admission; /* of the last call; NULL: it was ended */
    int asked;
} waiting;

static pt_status put_off(void *context, pt_call *call, pt_principal *out, pt_error *err)
{
    waiting *w = context;
    (void)out;
    w->asked++;
    PT_TRY(pt_call_put_off(call, &w->admission, err));
    return PT_NEED_MORE;
}

static void open_waiting(waiting *w)
{
    *w = (waiting){.authenticator = {put_off, w}};
    PT_REQUIRE(pt_mailbox_new(NULL, NULL, &w->mailbox, NULL) == PT_OK);
    w->f = pt__test_fixture_open(&(pt__test_client_options){.authenticator = &w->authenticator, .mailbox = w->mailbox});
}

static void close_waiting(waiting *w)
{
    pt__test_fixture_close(w->f);
    pt_mailbox_free(w->mailbox);
}

static void answer(waiting *w, const char *name)
{
    pt_error err = PT_ERROR_INIT;
    pt_error_set(&err, PT_UNAUTHENTICATED, "who are you?");
    if (name != NULL)
        pt_admission_allow(w->admission, name);
    else
        pt_admission_refuse(w->admission, &err);
    w->admission = NULL;
    pt_mailbox_run(w->mailbox);
    pt__test_client_run(&w->f->client);
    pt_error_clear(&err);
}

PT_TEST(admission_lets_a_whole_call_in_that_came_meanwhile)
{
    waiting w;
    open_waiting(&w);
    int32_t id = pt__test_client_unary(&w.f->client, "/test.Echo/Unary", NULL, "hello");
    PT_CHECK_EQ(w.f->echo.started, 0);
    PT_CHECK_STR(pt__test_client_reply(&w.f->client, id)->grpc_status, "");
    answer(&w, "ann");
    PT_CHECK_STR(pt__test_client_reply(&w.f->client, id)->grpc_status, "0");
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&w.f->client, id), 0), "hello");
    PT_CHECK_EQ(w.asked, 1);
    close_waiting(&w);
}

PT_TEST(admission_names_who_calls)
{
    waiting w;
    open_waiting(&w);
    pt__test_client_unary(&w.f->client, "/test.Echo/Never", NULL, "x");
    answer(&w, "ann");
    PT_REQUIRE(w.f->echo.never != NULL);
    PT_CHECK(pt_call_principal(w.f->echo.never)->authenticated);
    PT_CHECK_STR(pt_call_principal(w.f->echo.never)->name, "ann");
    PT_CHECK_STR(pt_call_peer(w.f->echo.never), "test");
    close_waiting(&w);
}

PT_TEST(admission_takes_messages_before_and_after_in_their_order)
{
    waiting w;
    open_waiting(&w);
    int32_t id = pt__test_client_open(&w.f->client, "/test.Echo/Collect", NULL);
    pt__test_client_message(&w.f->client, id, "a", false);
    pt__test_client_message(&w.f->client, id, "b", false);
    pt__test_client_run(&w.f->client);
    answer(&w, "ann");
    pt__test_client_message(&w.f->client, id, "c", true);
    pt__test_client_run(&w.f->client);
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&w.f->client, id), 0), "abc");
    close_waiting(&w);
}

PT_TEST(admission_that_is_refused_ends_the_call)
{
    waiting w;
    open_waiting(&w);
    int32_t id = pt__test_client_unary(&w.f->client, "/test.Echo/Unary", NULL, "x");
    answer(&w, NULL);
    PT_CHECK_STR(pt__test_client_reply(&w.f->client, id)->grpc_status, "16");
    PT_CHECK_EQ(w.f->echo.started, 0);
    close_waiting(&w);
}

PT_TEST(admission_of_a_call_that_was_reset_is_not_wanted)
{
    waiting w;
    open_waiting(&w);
    int32_t id = pt__test_client_unary(&w.f->client, "/test.Echo/Unary", NULL, "x");
    PT_CHECK(pt_admission_is_wanted(w.admission));
    pt__test_client_reset(&w.f->client, id, NGHTTP2_CANCEL);
    pt__test_client_run(&w.f->client);
    PT_CHECK(!pt_admission_is_wanted(w.admission));
    answer(&w, "ann");
    PT_CHECK_EQ(w.f->echo.started, 0);
    close_waiting(&w);
}

PT_TEST(admission_outlives_its_connection)
{
    waiting w;
    open_waiting(&w);
    pt__test_client_unary(&w.f->client, "/test.Echo/Unary", NULL, "x");
    pt_admission *admission = w.admission;
    pt__test_fixture_close(w.f);
    PT_CHECK(!pt_admission_is_wanted(admission));
    pt_admission_allow(admission, "ann");
    pt_mailbox_free(w.mailbox); /* runs what was posted */
}

PT_TEST(admission_ends_with_the_deadline_of_its_call)
{
    static const pt__test_header limited[] = {{"grpc-timeout", "1S"}, {NULL, NULL}};
    waiting w;
    open_waiting(&w);
    int32_t id = pt__test_client_unary(&w.f->client, "/test.Echo/Unary", limited, "x");
    PT_CHECK_EQ(pt_connection_tick(w.f->client.connection, w.f->client.now_ms += 1000, NULL), PT_OK);
    pt__test_client_run(&w.f->client);
    PT_CHECK_STR(pt__test_client_reply(&w.f->client, id)->grpc_status, "4");
    answer(&w, "ann");
    PT_CHECK_EQ(w.f->echo.started, 0);
    close_waiting(&w);
}

PT_TEST(admission_holds_little_of_who_is_not_known)
{
    enum { PIECE_BYTES = 1 << 20, PIECES = 6 };
    static const uint8_t piece[PIECE_BYTES];
    waiting w;
    open_waiting(&w);
    int32_t id = pt__test_client_open(&w.f->client, "/test.Echo/Collect", NULL);
    for (int i = 0; i < PIECES; i++) {
        pt__test_client_body(&w.f->client, id, (pt_bytes_view){piece, PIECE_BYTES}, false);
        pt__test_client_run(&w.f->client);
    }
    PT_CHECK_STR(pt__test_client_reply(&w.f->client, id)->grpc_status, "8");
    PT_CHECK(!pt_admission_is_wanted(w.admission));
    answer(&w, "ann");
    close_waiting(&w);
}
