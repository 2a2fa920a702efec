/* Health and reflection, over a connection. */
#include "base/test.h"
#include "wire/proto.h"
#include "wire/test_fixture.h"

#include <string.h>

static pt__test_fixture *open_with_services(void)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    PT_CHECK_EQ(pt_routes_add_health(f->routes, NULL), PT_OK);
    PT_CHECK_EQ(pt_routes_add_reflection(f->routes, NULL), PT_OK);
    return f;
}

/* Message `index` of the reply. */
static pt_bytes_view message_of(const pt__test_reply *reply, size_t index)
{
    pt_bytes_view rest = pt__buffer_view(&reply->body);
    while (rest.size_bytes >= 5) {
        size_t size = (size_t)rest.data[2] << 16 | (size_t)rest.data[3] << 8 | rest.data[4];
        if (index-- == 0)
            return (pt_bytes_view){rest.data + 5, size};
        rest.data += 5 + size;
        rest.size_bytes -= 5 + size;
    }
    return (pt_bytes_view){(const uint8_t *)"", 0};
}

static uint64_t status_in(pt_bytes_view message)
{
    pt__proto_field field = {0};
    (void)pt__proto_next(&message, &field);
    return field.integer;
}

static void check_health(pt__test_fixture *f, const char *request, const char *grpc_status, uint64_t status)
{
    int32_t id = pt__test_client_unary(&f->client, "/grpc.health.v1.Health/Check", NULL, request);
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, grpc_status);
    PT_CHECK_EQ(status_in(message_of(reply, 0)), status);
}

PT_TEST(health_tells_of_the_services_on_the_routes)
{
    pt__test_fixture *f = open_with_services();
    check_health(f, "", "0", 1);
    check_health(f, "\x0A\x09test.Echo", "0", 1);
    check_health(f, "\x0A\x04nope", "5", 0);
    check_health(f, "\x0A\xFF", "3", 0);
    pt_routes_set_serving(f->routes, false);
    check_health(f, "", "0", 2);
    pt__test_fixture_close(f);
}

PT_TEST(health_watches_until_the_server_stops_serving)
{
    pt__test_fixture *f = open_with_services();
    int32_t known = pt__test_client_unary(&f->client, "/grpc.health.v1.Health/Watch", NULL, "");
    int32_t unknown = pt__test_client_unary(&f->client, "/grpc.health.v1.Health/Watch", NULL, "\x0A\x04nope");
    PT_CHECK_EQ(status_in(message_of(pt__test_client_reply(&f->client, known), 0)), 1);
    PT_CHECK_EQ(status_in(message_of(pt__test_client_reply(&f->client, unknown), 0)), 3);
    PT_CHECK(!pt__test_client_reply(&f->client, known)->closed);
    int32_t left = pt__test_client_unary(&f->client, "/grpc.health.v1.Health/Watch", NULL, "");
    pt__test_client_reset(&f->client, left, NGHTTP2_CANCEL);
    pt__test_client_run(&f->client);
    pt_routes_set_serving(f->routes, false);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(status_in(message_of(pt__test_client_reply(&f->client, known), 1)), 2);
    PT_CHECK_STR(pt__test_client_reply(&f->client, known)->grpc_status, "14");
    PT_CHECK_STR(pt__test_client_reply(&f->client, unknown)->grpc_status, "14");
    pt__test_fixture_close(f);
}

PT_TEST(health_lists_every_service_once)
{
    pt__test_fixture *f = open_with_services();
    int32_t id = pt__test_client_unary(&f->client, "/grpc.health.v1.Health/List", NULL, "");
    pt_bytes_view rest = message_of(pt__test_client_reply(&f->client, id), 0);
    pt__proto_field entry;
    int count = 0;
    while (pt__proto_next(&rest, &entry) == PT_PROTO_FIELD) {
        pt_bytes_view name = pt__proto_find_bytes(entry.bytes, 1);
        PT_CHECK(name.size_bytes > 0);
        PT_CHECK_EQ(status_in(pt__proto_find_bytes(entry.bytes, 2)), 1);
        count++;
    }
    PT_CHECK_EQ(count, 4); /* echo, health, two versions of reflection */
    pt__test_fixture_close(f);
}

static pt_bytes_view ask_reflection(pt__test_fixture *f, const char *request)
{
    static const char path[] = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    int32_t id = pt__test_client_unary(&f->client, path, NULL, request);
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "0");
    return message_of(reply, 0);
}

/* Fields of ServerReflectionResponse. */
enum { FILES = 4, EXTENSIONS = 5, SERVICES = 6, ERROR = 7 };

PT_TEST(reflection_lists_services)
{
    pt__test_fixture *f = open_with_services();
    pt_bytes_view list = pt__proto_find_bytes(ask_reflection(f, "\x3A\x01*"), SERVICES);
    pt__proto_field service;
    PT_CHECK_EQ(pt__proto_next(&list, &service), PT_PROTO_FIELD);
    pt_bytes_view name = pt__proto_find_bytes(service.bytes, 1);
    PT_CHECK(name.size_bytes == 9 && memcmp(name.data, "test.Echo", 9) == 0);
    pt__test_fixture_close(f);
}

static void check_first_file(pt_bytes_view response, const char *want)
{
    pt_bytes_view file = pt__proto_find_bytes(pt__proto_find_bytes(response, FILES), 1);
    pt_bytes_view name = pt__proto_find_bytes(file, 1);
    PT_CHECK(name.size_bytes == strlen(want) && memcmp(name.data, want, name.size_bytes) == 0);
}

PT_TEST(reflection_finds_files_by_name_and_by_symbol)
{
    pt__test_fixture *f = open_with_services();
    check_first_file(ask_reflection(f, "\x1A\x1bgrpc/health/v1/health.proto"), "grpc/health/v1/health.proto");
    check_first_file(ask_reflection(f, "\x22\x1bgrpc.health.v1.Health.Check"), "grpc/health/v1/health.proto");
    PT_CHECK(pt__proto_find_bytes(ask_reflection(f, "\x22\x04nope"), ERROR).size_bytes > 0);
    PT_CHECK(pt__proto_find_bytes(ask_reflection(f, "\x1A\x04nope"), ERROR).size_bytes > 0);
    PT_CHECK(pt__proto_find_bytes(ask_reflection(f, ""), ERROR).size_bytes > 0);
    pt__test_fixture_close(f);
}

/* A FileDescriptorSet: file "own.proto" of package "own" with service "Own". */
static pt_bytes_view own_descriptors(void *mount)
{
    (void)mount;
    static const uint8_t set[] = "\x0A\x17\x0A\x09own.proto\x12\x03own\x32\x05\x0A\x03Own";
    return (pt_bytes_view){set, sizeof(set) - 1};
}

PT_TEST(reflection_knows_the_descriptors_of_mounts)
{
    static const pt_frontend_vtable own = {.size_bytes = sizeof(own), .name = "own", .descriptors = own_descriptors};
    pt__test_fixture *f = open_with_services();
    PT_CHECK_EQ(pt_frontend_mount(NULL, &own, NULL, f->routes, NULL), PT_OK);
    check_first_file(ask_reflection(f, "\x22\x0Bown.Own.Get"), "own.proto");
    check_first_file(ask_reflection(f, "\x1A\x09own.proto"), "own.proto");
    PT_CHECK(pt__proto_find_bytes(ask_reflection(f, "\x22\x08own.None"), ERROR).size_bytes > 0);
    pt__test_fixture_close(f);
}

PT_TEST(routes_refuse_a_path_that_is_taken)
{
    pt__test_fixture *f = open_with_services();
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt_routes_add_health(f->routes, &err), PT_ALREADY_EXISTS);
    PT_CHECK_STR(err.message, "health cannot serve /grpc.health.v1.Health/Check: the path is taken");
    pt_error_clear(&err);
    pt__test_fixture_close(f);
}
