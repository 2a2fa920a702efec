/* Answers to pings: they go with what is written anyway, and do not wait for long. */
#include "base/test.h"
#include "wire/test_fixture.h"

#include <string.h>

static void ping(pt__test_client *client, const char *data)
{
    nghttp2_submit_ping(client->session, NGHTTP2_FLAG_NONE, (const uint8_t *)data);
    pt__test_client_run(client);
}

static void check_answered(const pt__test_client *client, int count, const char *data)
{
    PT_CHECK_EQ(client->pings_answered, count);
    PT_CHECK(memcmp(client->last_ping, data, sizeof(client->last_ping)) == 0);
}

static void let_pass(pt__test_client *client, uint64_t ms)
{
    client->now_ms += ms;
    PT_CHECK_EQ(pt_connection_tick(client->connection, client->now_ms, NULL), PT_OK);
    pt__test_client_run(client);
}

PT_TEST(ping_alone_is_answered_before_long)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "x");
    ping(&f->client, "one     ");
    PT_CHECK_EQ(f->client.pings_answered, 0);
    uint64_t due_ms = pt_connection_next_tick_ms(f->client.connection);
    PT_CHECK(due_ms > f->client.now_ms && due_ms <= f->client.now_ms + 16);
    let_pass(&f->client, due_ms - f->client.now_ms);
    check_answered(&f->client, 1, "one     ");
    PT_CHECK(pt_connection_next_tick_ms(f->client.connection) > f->client.now_ms + 16);
    let_pass(&f->client, 1000);
    PT_CHECK_EQ(f->client.pings_answered, 1);
    pt__test_fixture_close(f);
}

PT_TEST(ping_is_answered_with_the_next_answer)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_run(&f->client);
    ping(&f->client, "one     ");
    PT_CHECK_EQ(f->client.pings_answered, 0);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "0");
    check_answered(&f->client, 1, "one     ");
    pt__test_fixture_close(f);
}

PT_TEST(pings_are_answered_in_their_order)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_run(&f->client);
    ping(&f->client, "one     ");
    ping(&f->client, "two     ");
    check_answered(&f->client, 2, "two     ");
    ping(&f->client, "three   ");
    PT_CHECK_EQ(f->client.pings_answered, 2);
    let_pass(&f->client, 16);
    check_answered(&f->client, 3, "three   ");
    pt__test_fixture_close(f);
}
