/*
 * A whole HTTP/2 connection with the echo frontend of the unit tests. Input: one byte of options, one byte that
 * says how many bytes are fed at once (0: all), then what the client sends.
 */
#include "wire/test_echo.c"

#include <portico/connection.h>

#include <assert.h>

enum {
    WITH_PREFACE = 1, /* the client's preface and SETTINGS are put before the input */
    DEAF = 2,         /* the client reads nothing */
    LIMITED = 4,      /* small limits */
    DRAINED = 8,      /* draining starts in the middle */
    LATE = 16,        /* an hour passes in the middle */
    ANSWERED = 32     /* a worker answers the last call of Never */
};

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";

static pt_config *make_config(void)
{
    static const char *const values[][2] = {
        {"http2.max-header-bytes", "300"},   {"http2.max-message-bytes", "64"},
        {"http2.max-receive-bytes", "100"},  {"http2.max-queued-bytes", "1000"},
        {"http2.max-streams", "3"},          {"http2.max-resets-per-second", "1"},
        {"http2.max-pings-per-second", "1"}, {"http2.response-compression", "gzip"},
    };
    pt_config *config;
    if (pt_config_new(&config, NULL) != PT_OK)
        abort();
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (pt_config_set(config, values[i][0], values[i][1], NULL) != PT_OK)
            abort();
    return config;
}

static void read_all(pt_connection *connection, uint8_t options, uint64_t now_ms)
{
    struct iovec pieces[16];
    for (int turn = 0; turn < 100; turn++) {
        size_t count = pt_connection_pending(connection, pieces, 16);
        size_t size = 0;
        for (size_t i = 0; i < count; i++)
            size += pieces[i].iov_len;
        if (count == 0 || (options & DEAF))
            return;
        pt_connection_sent(connection, size, now_ms);
    }
}

static void feed(pt_connection *connection, const void *data, size_t size, size_t step, uint8_t options)
{
    const uint8_t *at = data;
    while (size > 0) {
        size_t count = step == 0 || step > size ? size : step;
        (void)pt_connection_feed(connection, (pt_bytes_view){at, count}, 1000, NULL);
        read_all(connection, options, 1000);
        at += count;
        size -= count;
    }
}

static void disturb(pt_connection *connection, pt__test_echo *echo, uint8_t options)
{
    if (options & DRAINED)
        pt_connection_drain(connection, 1000);
    if (options & LATE)
        (void)pt_connection_tick(connection, 3601000, NULL);
    if ((options & ANSWERED) && echo->never != NULL) {
        send_text(echo->never, "late");
        finish_ok(echo->never);
    }
    read_all(connection, options, 3601000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    uint8_t options = data[0];
    size_t half = (size - 2) / 2;
    pt__test_echo echo = {0};
    pt_routes *routes = pt__test_echo_routes(&echo);
    pt_config *config = options & LIMITED ? make_config() : NULL;
    pt_connection_info info = {.size_bytes = sizeof(info), .limits = config, .now_ms = 1000};
    pt_connection *connection = NULL;
    if (routes == NULL || pt_routes_add_health(routes, NULL) != PT_OK ||
        pt_routes_add_reflection(routes, NULL) != PT_OK ||
        pt_connection_new(NULL, routes, &info, &connection, NULL) != PT_OK)
        abort();
    if (options & WITH_PREFACE)
        feed(connection, preface, sizeof(preface) - 1, 0, options);
    feed(connection, data + 2, half, data[1], options);
    disturb(connection, &echo, options);
    feed(connection, data + 2 + half, size - 2 - half, data[1], options);
    (void)pt_connection_tick(connection, 3601000, NULL);
    read_all(connection, options, 3601000);
    pt_connection_free(connection);
    assert(echo.started == echo.closed);
    pt_routes_free(routes);
    pt_config_free(config);
    return 0;
}
