/* Each allocation of a connection fails in turn: calls or the connection end, nothing is leaked or touched again. */
#include "base/test_memory.h"

#include "base/test.h"
#include "wire/test_fixture.h"

static const char reflection[] = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

typedef struct scenario {
    const char *path;
    const char *message;
    const char *compression;
    size_t step_bytes;
} scenario;

/* One run; whether there was an allocation of that index. */
static bool run_failing(const scenario *s, long index)
{
    static const pt__test_header headers[] = {
        {"details-bin", "CAMSAQ"}, {"grpc-accept-encoding", "gzip"}, {NULL, NULL}};
    pt__test_fixture *f = pt__test_fixture_open_with("http2.response-compression", s->compression);
    PT_CHECK_EQ(pt_routes_add_health(f->routes, NULL), PT_OK);
    PT_CHECK_EQ(pt_routes_add_reflection(f->routes, NULL), PT_OK);
    f->client.step_bytes = s->step_bytes;
    pt__test_memory_fail(index);
    pt__test_client_unary(&f->client, s->path, headers, s->message);
    bool failed = pt__test_memory_has_failed();
    pt__test_memory_fail(-1);
    pt__test_fixture_close(f);
    return failed;
}

PT_TEST(connection_survives_each_failing_allocation)
{
    static const scenario scenarios[] = {
        {"/test.Echo/Unary", "hello", "identity", 0},
        {"/test.Echo/Unary", "hello", "identity", 1},
        {"/test.Echo/Stream", "5", "identity", 0},
        {"/test.Echo/Collect", "text", "identity", 0},
        {"/test.Echo/Fail", "broken", "identity", 0},
        {"/test.Echo/Never", "", "identity", 0},
        {"/test.Echo/Download", "20", "identity", 0},
        {"/test.Echo/Download", "20", "gzip", 0},
        {"/grpc.health.v1.Health/List", "", "identity", 0},
        {"/grpc.health.v1.Health/Watch", "", "identity", 0},
        {reflection, "\x22\x1bgrpc.health.v1.Health.Check", "identity", 0},
        {reflection, "\x3A\x01*", "identity", 0},
    };
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        long index = 0;
        while (run_failing(&scenarios[i], index))
            index++;
        PT_CHECK(index > 5);
    }
}
