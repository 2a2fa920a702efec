#include <portico/spark_connect.h>

#include "front/spark_connect/calls.h"
#include "front/spark_connect/job.h"
#include "front/spark_connect/stream.h"

#include <stdlib.h>

#define PT_CONNECT_METHOD(name, message, half_closed, writable, closed)
#define PT_CONNECT_UNARY(name, handler)                                                                                \
    static void handler##_message(void *mount, pt_call *call, pt_bytes_view request)                                   \
    {                                                                                                                  \
        pt__connect_unary_run(mount, call, request, pt__connect_##handler);                                            \
    }
#include "front/spark_connect/methods.def"
#undef PT_CONNECT_UNARY
#undef PT_CONNECT_METHOD

static const pt_method METHODS[] = {
#define PT_CONNECT_PATH(name) "/spark.connect.SparkConnectService/" #name
#define PT_CONNECT_METHOD(name, on_message, on_half_closed, on_writable, on_closed)                                    \
    {.path = PT_CONNECT_PATH(name),                                                                                    \
     .message = pt__connect_##on_message,                                                                              \
     .half_closed = pt__connect_##on_half_closed,                                                                      \
     .writable = (on_writable),                                                                                        \
     .closed = (on_closed)},
#define PT_CONNECT_UNARY(name, handler)                                                                                \
    {.path = PT_CONNECT_PATH(name), .message = handler##_message, .half_closed = pt__connect_half_closed},
#include "front/spark_connect/methods.def"
#undef PT_CONNECT_UNARY
#undef PT_CONNECT_METHOD
#undef PT_CONNECT_PATH
};

pt__connect *pt__connect_ref(pt__connect *mount)
{
    atomic_fetch_add(&mount->references, 1);
    return mount;
}

void pt__connect_unref(pt__connect *mount)
{
    if (mount == NULL || atomic_fetch_sub(&mount->references, 1) != 1)
        return;
    pt__zones_free(mount->zones);
    pt__connect_errors_free(mount->errors);
    free(mount);
}

static pt_status read_config(pt__connect *mount, const pt_config *config, pt_error *err)
{
    int64_t error_limit;
    PT_TRY(pt_config_integer(config, "spark.error-store", 1000, &error_limit, err));
    PT_TRY(pt_config_duration(config, "spark.progress-interval", 2000, &mount->progress_interval_ms, err));
    PT_TRY(pt_config_size(config, "spark.artifact-limit", UINT64_C(512) << 20, &mount->artifact_limit_bytes, err));
    mount->errors = pt__connect_errors_new(error_limit < 1 ? 1 : (size_t)error_limit);
    mount->zones = pt__zones_new(NULL);
    if (mount->errors == NULL || mount->zones == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the Spark Connect frontend");
    return PT_OK;
}

static pt_status open_mount(pt_host *host, const pt_config *config, void **out, pt_error *err)
{
    pt__connect *mount = calloc(1, sizeof(*mount));
    if (mount == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the Spark Connect frontend");
    atomic_init(&mount->references, 1);
    mount->host = host;
    pt_status status = read_config(mount, config, err);
    const pt__job_runner runner = {PT_CONNECT_FORMAT, mount, pt__connect_job_prepare};
    if (status == PT_OK)
        status = pt__host_add_runner(host, &runner, err);
    if (status != PT_OK) {
        pt__connect_unref(mount);
        return status;
    }
    *out = mount;
    return PT_OK;
}

static void close_mount(void *state)
{
    pt__connect *mount = state;
    pt__host_remove_runner(mount->host, mount);
    pt__connect_unref(mount);
}

static void tick(void *state, uint64_t now_ms)
{
    pt__connect *mount = state;
    mount->now_ms = now_ms;
    pt__connect_streams_tick(mount, now_ms);
}

const pt_frontend_vtable pt_frontend_spark_connect = {
    .size_bytes = sizeof(pt_frontend_vtable),
    .name = "spark_connect",
    .open = open_mount,
    .close = close_mount,
    .methods = METHODS,
    .method_count = sizeof(METHODS) / sizeof(METHODS[0]),
    .tick = tick,
};
