/* Frontends that come and go while connections live, and what a mount may be given. */
#include "base/test.h"
#include "wire/routes.h"
#include "wire/test_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A second service; its mount is an int that counts how often it was closed. */
static void say_name(void *mount, pt_call *call, pt_bytes_view message)
{
    (void)mount;
    (void)message;
    const pt_principal *principal = pt_call_principal(call);
    char text[64];
    snprintf(text, sizeof(text), "%s%s", principal->authenticated ? "" : "?", principal->name);
    pt_segment segment = {NULL, {(const uint8_t *)text, strlen(text)}};
    (void)pt_call_send(call, &segment, 1, NULL);
    pt_call_finish(call, &(pt_call_status){PT_GRPC_OK, NULL, {NULL, 0}});
}

static void wait_forever(void *mount, pt_call *call, pt_bytes_view message)
{
    (void)mount;
    (void)call;
    (void)message;
}

typedef struct other_mount {
    int opened;
    int closed;
    int calls_closed;
    pt_call_end last_end;
} other_mount;

static other_mount other; /* of the test that runs */

static pt_status open_other(pt_host *host, const pt_config *config, void **mount, pt_error *err)
{
    (void)host;
    (void)config;
    (void)err;
    other.opened++;
    *mount = &other;
    return PT_OK;
}

static void close_other(void *mount)
{
    ((other_mount *)mount)->closed++;
}

static void note_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)call;
    other_mount *m = mount;
    PT_CHECK_EQ(m->closed, 0); /* close comes after the last call's closed */
    m->calls_closed++;
    m->last_end = end;
}

static const pt_method methods[] = {
    {.path = "/test.Other/Name", .message = say_name, .closed = note_closed},
    {.path = "/test.Other/Wait", .message = wait_forever, .closed = note_closed},
};

static const pt_frontend_vtable other_frontend = {
    .size_bytes = sizeof(pt_frontend_vtable),
    .name = "other",
    .open = open_other,
    .close = close_other,
    .methods = methods,
    .method_count = 2,
    .method_size_bytes = sizeof(pt_method),
};

/* A table as an older header had it: it ends before `tick`, and what follows is not to be read. */
static const pt_frontend_vtable short_frontend = {
    .size_bytes = offsetof(pt_frontend_vtable, tick),
    .name = "short",
    .open = open_other,
    .close = close_other,
    .methods = methods,
    .method_count = 2,
    .tick = (void (*)(void *, uint64_t))1,
    .method_size_bytes = 1,
};

static pt__test_fixture *open_with_other(const char *key, const char *value)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt_config *config;
    other = (other_mount){0};
    PT_CHECK_EQ(pt_config_new(&config, NULL), PT_OK);
    if (key != NULL)
        PT_CHECK_EQ(pt_config_set(config, key, value, NULL), PT_OK);
    PT_CHECK_EQ(pt_frontend_mount(NULL, &other_frontend, config, f->routes, NULL), PT_OK);
    pt_config_free(config);
    return f;
}

static void check_status(pt__test_fixture *f, const char *path, const char *grpc_status)
{
    int32_t id = pt__test_client_unary(&f->client, path, NULL, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, grpc_status);
}

PT_TEST(unmounting_drains_or_is_over_at_once)
{
    pt__test_fixture *f = open_with_other(NULL, NULL);
    check_status(f, "/test.Other/Name", "0");
    int32_t waits = pt__test_client_unary(&f->client, "/test.Other/Wait", NULL, "x");
    PT_CHECK_EQ(pt_frontend_call_count(f->routes, &other_frontend), 1);
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &other_frontend, PT_UNMOUNT_DRAIN, NULL), PT_OK);
    check_status(f, "/test.Other/Name", "12");
    check_status(f, "/test.Echo/Unary", "0");
    PT_CHECK_EQ(pt_frontend_call_count(f->routes, &other_frontend), 1);
    PT_CHECK_EQ(other.closed, 0);
    PT_CHECK(!pt__test_client_reply(&f->client, waits)->closed);
    pt__test_client_reset(&f->client, waits, NGHTTP2_CANCEL);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(other.closed, 1);
    PT_CHECK_EQ(pt_frontend_call_count(f->routes, &other_frontend), 0);

    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &other_frontend, PT_UNMOUNT_DRAIN, NULL), PT_NOT_FOUND);
    other = (other_mount){0};
    PT_CHECK_EQ(pt_frontend_mount(NULL, &other_frontend, NULL, f->routes, NULL), PT_OK);
    check_status(f, "/test.Other/Name", "0");
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &other_frontend, PT_UNMOUNT_DRAIN, NULL), PT_OK);
    PT_CHECK_EQ(other.closed, 1); /* nobody was inside */
    pt__test_fixture_close(f);
}

PT_TEST(unmounting_cuts_what_runs)
{
    pt__test_fixture *f = open_with_other(NULL, NULL);
    int32_t waits = pt__test_client_unary(&f->client, "/test.Other/Wait", NULL, "x");
    int32_t stays = pt__test_client_unary(&f->client, "/test.Echo/Never", NULL, "x");
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &other_frontend, PT_UNMOUNT_DRAIN, NULL), PT_OK);
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &other_frontend, PT_UNMOUNT_CUT, NULL), PT_OK);
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_client_reply(&f->client, waits)->grpc_status, "14");
    PT_CHECK(!pt__test_client_reply(&f->client, stays)->closed);
    PT_CHECK_EQ(other.calls_closed, 1);
    PT_CHECK_EQ(other.last_end, PT_CALL_UNMOUNTED);
    PT_CHECK_EQ(other.closed, 1);
    pt__test_fixture_close(f);
}

PT_TEST(unmounting_cuts_an_answer_that_is_on_its_way)
{
    pt__test_fixture *f = pt__test_fixture_open(&(pt__test_client_options){.no_auto_window = true});
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Download", NULL, "1000");
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &pt__test_echo_frontend, PT_UNMOUNT_CUT, NULL), PT_OK);
    pt__test_client_run(&f->client);
    PT_CHECK(pt__test_client_reply(&f->client, id)->closed);
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_UNMOUNTED);
    check_status(f, "/test.Echo/Unary", "12");
    pt__test_fixture_close(f);
}

PT_TEST(a_mount_may_be_replaced_while_the_old_one_drains)
{
    pt__test_fixture *f = open_with_other(NULL, NULL);
    int32_t waits = pt__test_client_unary(&f->client, "/test.Other/Wait", NULL, "x");
    PT_CHECK_EQ(pt_frontend_mount(NULL, &other_frontend, NULL, f->routes, NULL), PT_ALREADY_EXISTS);
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &other_frontend, PT_UNMOUNT_DRAIN, NULL), PT_OK);
    PT_CHECK_EQ(pt_frontend_mount(NULL, &other_frontend, NULL, f->routes, NULL), PT_OK);
    check_status(f, "/test.Other/Name", "0");
    PT_CHECK_EQ(pt_frontend_call_count(f->routes, &other_frontend), 1);
    pt__test_client_reset(&f->client, waits, NGHTTP2_CANCEL);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(other.closed, 1);
    other.closed = 0;
    check_status(f, "/test.Other/Name", "0");
    pt__test_fixture_close(f);
    PT_CHECK_EQ(other.closed, 1);
}

PT_TEST(a_mount_names_callers_that_nobody_signed_in)
{
    pt__test_fixture *f = open_with_other("mount.principal", "reports");
    int32_t id = pt__test_client_unary(&f->client, "/test.Other/Name", NULL, "x");
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&f->client, id), 0), "reports");
    pt__test_fixture_close(f);
    f = open_with_other(NULL, NULL);
    PT_CHECK_EQ(pt_connection_set_principal(f->client.connection, "certificate", NULL), PT_OK);
    id = pt__test_client_unary(&f->client, "/test.Other/Name", NULL, "x");
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&f->client, id), 0), "certificate");
    pt__test_fixture_close(f);
}

static pt_status only_ada(void *context, pt_call *call, pt_principal *out, pt_error *err)
{
    pt_bytes_view who;
    if (!pt_call_metadata(call, "who", &who) || who.size_bytes != 3 || memcmp(who.data, "ada", 3) != 0)
        return pt_error_set(err, PT_UNAUTHENTICATED, "who are you?");
    *out = (pt_principal){context, true};
    return PT_OK;
}

PT_TEST(a_mount_may_ask_who_calls_itself)
{
    static char ada[] = "Ada";
    const pt_authenticator authenticator = {only_ada, ada};
    const pt_mount_options options = {.size_bytes = sizeof(options), .authenticator = &authenticator};
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    other = (other_mount){0};
    PT_CHECK_EQ(pt_frontend_mount_with(NULL, &other_frontend, &options, f->routes, NULL), PT_OK);
    check_status(f, "/test.Other/Name", "16");
    check_status(f, "/test.Echo/Unary", "0");
    PT_CHECK_EQ(pt_frontend_call_count(f->routes, &other_frontend), 0);
    const pt__test_header header[] = {{"who", "ada"}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Other/Name", header, "x");
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&f->client, id), 0), "Ada");
    pt__test_fixture_close(f);
}

PT_TEST(a_mount_has_limits_of_its_own)
{
    pt__test_fixture *f = open_with_other("mount.max-calls", "1");
    int32_t waits = pt__test_client_unary(&f->client, "/test.Other/Wait", NULL, "x");
    check_status(f, "/test.Other/Name", "8");
    check_status(f, "/test.Echo/Unary", "0");
    pt__test_client_reset(&f->client, waits, NGHTTP2_CANCEL);
    check_status(f, "/test.Other/Name", "0");
    pt__test_fixture_close(f);

    f = open_with_other("mount.max-message-bytes", "3");
    int32_t id = pt__test_client_unary(&f->client, "/test.Other/Name", NULL, "four");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "8");
    check_status(f, "/test.Other/Name", "0");
    pt__test_fixture_close(f);

    f = open_with_other("mount.call-timeout", "5s");
    waits = pt__test_client_unary(&f->client, "/test.Other/Wait", NULL, "x");
    f->client.now_ms += 5000;
    PT_CHECK_EQ(pt_connection_tick(f->client.connection, f->client.now_ms, NULL), PT_OK);
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_client_reply(&f->client, waits)->grpc_status, "4");
    pt__test_fixture_close(f);

    pt_config *config;
    PT_CHECK_EQ(pt_config_new(&config, NULL), PT_OK);
    PT_CHECK_EQ(pt_config_set(config, "mount.max-calls", "-1", NULL), PT_OK);
    f = pt__test_fixture_open(NULL);
    other = (other_mount){0};
    PT_CHECK_EQ(pt_frontend_mount(NULL, &other_frontend, config, f->routes, NULL), PT_INVALID_ARGUMENT);
    PT_CHECK_EQ(other.opened, other.closed);
    pt_config_free(config);
    pt__test_fixture_close(f);
}

PT_TEST(a_transport_of_ones_own_holds_the_mount)
{
    pt__test_fixture *f = open_with_other("mount.max-calls", "1");
    const pt_text_view path = {"/test.Other/Name", 16};
    const pt_method *method;
    void *state;
    pt_mount *entered;
    pt_mount *again;
    PT_CHECK_EQ(pt_routes_enter(f->routes, path, &method, &state, &entered, NULL), PT_OK);
    PT_CHECK(method == &methods[0] && state == &other);
    PT_CHECK_EQ(pt_routes_enter(f->routes, path, &method, &state, &again, NULL), PT_LIMIT);
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &other_frontend, PT_UNMOUNT_CUT, NULL), PT_OK);
    PT_CHECK_EQ(pt_routes_enter(f->routes, path, &method, &state, &again, NULL), PT_UNSUPPORTED);
    PT_CHECK_EQ(other.closed, 0);
    pt_routes_leave(entered);
    PT_CHECK_EQ(other.closed, 1);
    pt__test_fixture_close(f);
}

PT_TEST(an_older_shorter_frontend_table_is_not_read_past_its_size)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    other = (other_mount){0};
    PT_CHECK_EQ(pt_frontend_mount(NULL, &short_frontend, NULL, f->routes, NULL), PT_OK);
    pt_routes_tick(f->routes, 1000);
    check_status(f, "/test.Other/Name", "0");
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &short_frontend, PT_UNMOUNT_DRAIN, NULL), PT_OK);
    pt__test_fixture_close(f);
    PT_CHECK_EQ(other.closed, 1);
}

/* ---- a path that two mounts serve ---- */

static bool claims_mine(void *mount, const char *path, pt_bytes_view first_message)
{
    (void)mount;
    return strcmp(path, "/test.Other/Name") == 0 && first_message.size_bytes == 4 &&
           memcmp(first_message.data, "mine", 4) == 0;
}

static void say_claimed(void *mount, pt_call *call, pt_bytes_view message)
{
    (void)mount;
    (void)message;
    pt_segment segment = {NULL, {(const uint8_t *)"claimed", 7}};
    (void)pt_call_send(call, &segment, 1, NULL);
    pt_call_finish(call, &(pt_call_status){PT_GRPC_OK, NULL, {NULL, 0}});
}

static const pt_method claiming_methods[] = {{.path = "/test.Other/Name", .message = say_claimed}};

static const pt_frontend_vtable claiming_frontend = {
    .size_bytes = sizeof(pt_frontend_vtable),
    .name = "claiming",
    .methods = claiming_methods,
    .method_count = 1,
    .claims = claims_mine,
};

static const pt_frontend_vtable rival_frontend = {
    .size_bytes = offsetof(pt_frontend_vtable, claims),
    .name = "rival",
    .methods = claiming_methods,
    .method_count = 1,
    .claims = claims_mine,
};

static const char *answer(pt__test_fixture *f, const char *message)
{
    int32_t id = pt__test_client_unary(&f->client, "/test.Other/Name", NULL, message);
    return pt__test_reply_text(pt__test_client_reply(&f->client, id), 0);
}

PT_TEST(a_shared_path_goes_to_the_mount_that_claims_the_first_message)
{
    pt__test_fixture *f = open_with_other("mount.principal", "");
    PT_CHECK_EQ(pt_frontend_mount(NULL, &claiming_frontend, NULL, f->routes, NULL), PT_OK);
    PT_CHECK_STR(answer(f, "mine"), "claimed");
    PT_CHECK_STR(answer(f, "theirs"), "?");
    PT_CHECK_EQ(pt_frontend_call_count(f->routes, &claiming_frontend), 0);
    PT_CHECK_EQ(pt_frontend_call_count(f->routes, &other_frontend), 0);
    /* Either may leave, and the other serves alone. */
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &other_frontend, PT_UNMOUNT_DRAIN, NULL), PT_OK);
    PT_CHECK_STR(answer(f, "mine"), "claimed");
    PT_CHECK_STR(answer(f, "theirs"), "claimed");
    other = (other_mount){0};
    PT_CHECK_EQ(pt_frontend_mount(NULL, &other_frontend, NULL, f->routes, NULL), PT_OK);
    PT_CHECK_STR(answer(f, "theirs"), "?");
    PT_CHECK_EQ(pt_frontend_unmount(f->routes, &claiming_frontend, PT_UNMOUNT_DRAIN, NULL), PT_OK);
    PT_CHECK_STR(answer(f, "mine"), "?");
    pt__test_fixture_close(f);
}

PT_TEST(a_path_is_shared_by_claimants_and_one_more_with_the_same_callers)
{
    pt__test_fixture *f = open_with_other("mount.principal", "Ada");
    PT_CHECK_EQ(pt_frontend_mount(NULL, &rival_frontend, NULL, f->routes, NULL), PT_ALREADY_EXISTS);
    PT_CHECK_EQ(pt_frontend_mount(NULL, &claiming_frontend, NULL, f->routes, NULL), PT_ALREADY_EXISTS);
    PT_CHECK_STR(answer(f, "mine"), "Ada");
    pt__test_fixture_close(f);
}

PT_TEST(a_claim_is_refused_when_the_claimant_is_full)
{
    pt__test_fixture *f = open_with_other("mount.principal", "");
    pt_config *config;
    const pt_method *method;
    void *state;
    pt_mount *entered;
    pt_mount *held;
    PT_CHECK_EQ(pt_config_new(&config, NULL), PT_OK);
    PT_CHECK_EQ(pt_config_set(config, "mount.max-calls", "1", NULL), PT_OK);
    PT_CHECK_EQ(pt_frontend_mount(NULL, &claiming_frontend, config, f->routes, NULL), PT_OK);
    pt_config_free(config);
    const pt_text_view path = {"/test.Other/Name", 16};
    const pt_bytes_view mine = {(const uint8_t *)"mine", 4};
    PT_CHECK_EQ(pt_routes_enter(f->routes, path, &method, &state, &held, NULL), PT_OK);
    PT_CHECK_EQ(pt_routes_claim(mine, &method, &state, &held, NULL), PT_OK);
    PT_CHECK(method == &claiming_methods[0]);
    PT_CHECK_EQ(pt_routes_enter(f->routes, path, &method, &state, &entered, NULL), PT_OK);
    PT_CHECK_EQ(pt_routes_claim(mine, &method, &state, &entered, NULL), PT_LIMIT);
    PT_CHECK(method == &methods[0]);
    int32_t id = pt__test_client_unary(&f->client, "/test.Other/Name", NULL, "mine");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "8");
    pt_routes_leave(entered);
    pt_routes_leave(held);
    PT_CHECK_STR(answer(f, "mine"), "claimed");
    pt__test_fixture_close(f);
}
