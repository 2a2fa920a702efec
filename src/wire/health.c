/* The service grpc.health.v1.Health, answered from the routes. Spec: grpc.io, "Health Checking". */
#include "base/unconst.h"
#include "wire/reply.h"
#include "wire/routes.h"

#include "grpc/health/v1/health.pb-c.h"

#include <stdlib.h>
#include <string.h>

typedef Grpc__Health__V1__HealthCheckResponse check_response;
typedef Grpc__Health__V1__HealthCheckResponse__ServingStatus serving_status;
typedef Grpc__Health__V1__HealthListResponse__StatusesEntry list_entry;

#define SERVING GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING
#define NOT_SERVING GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING
#define SERVICE_UNKNOWN GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN

typedef struct health {
    pt_routes *routes;
    struct watch *watches;
} health;

/* One call of Watch. */
typedef struct watch {
    pt_call *call;
    char *service;       /* "" is the whole server */
    serving_status sent; /* last */
    struct watch *next;
} watch;

static serving_status current(const health *h)
{
    return pt_routes_is_serving(h->routes) ? SERVING : NOT_SERVING;
}

static void send_status(pt_call *call, serving_status status)
{
    check_response response = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    response.status = status;
    pt__reply_message(call, &response.base);
}

static serving_status status_of(const health *h, const char *service)
{
    bool known = service[0] == '\0' || pt__routes_has_service(h->routes, service);
    return known ? current(h) : SERVICE_UNKNOWN;
}

/* The service that the message names; to be freed. NULL: malformed, and the call was told so. */
static char *read_request(pt_call *call, pt_bytes_view message)
{
    Grpc__Health__V1__HealthCheckRequest *request =
        grpc__health__v1__health_check_request__unpack(NULL, message.size_bytes, message.data);
    if (request == NULL) {
        pt__reply_finish(call, PT_GRPC_INVALID_ARGUMENT, "the health check request is malformed");
        return NULL;
    }
    char *service = strdup(request->service);
    grpc__health__v1__health_check_request__free_unpacked(request, NULL);
    if (service == NULL)
        pt__reply_finish(call, PT_GRPC_RESOURCE_EXHAUSTED, "no memory for a health check");
    return service;
}

static void check_message(void *mount, pt_call *call, pt_bytes_view message)
{
    health *h = mount;
    char *service = read_request(call, message);
    if (service == NULL)
        return;
    serving_status status = status_of(h, service);
    free(service);
    if (status == SERVICE_UNKNOWN) {
        pt__reply_finish(call, PT_GRPC_NOT_FOUND, "there is no such service here");
        return;
    }
    send_status(call, status);
    pt__reply_finish(call, PT_GRPC_OK, NULL);
}

static void watch_message(void *mount, pt_call *call, pt_bytes_view message)
{
    health *h = mount;
    char *service = call->state != NULL ? NULL : read_request(call, message);
    watch *added = service == NULL ? NULL : malloc(sizeof(*added));
    if (added == NULL) {
        if (service != NULL)
            pt__reply_finish(call, PT_GRPC_RESOURCE_EXHAUSTED, "no memory for a watch");
        free(service);
        return;
    }
    *added = (watch){call, service, status_of(h, service), h->watches};
    h->watches = added;
    call->state = added;
    send_status(call, added->sent);
}

static void watch_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)end;
    health *h = mount;
    watch *closed = call->state;
    watch **at = &h->watches;
    while (*at != NULL && *at != closed)
        at = &(*at)->next;
    if (*at == NULL)
        return;
    *at = closed->next;
    free(closed->service);
    free(closed);
}

/* A server that stops serving is about to end, so watches end too and do not hold up its draining. */
static void serving_changed(void *context)
{
    health *h = context;
    for (watch *each = h->watches; each != NULL; each = each->next) {
        serving_status status = status_of(h, each->service);
        if (status != each->sent)
            send_status(each->call, status);
        each->sent = status;
        if (!pt_routes_is_serving(h->routes))
            pt__reply_finish(each->call, PT_GRPC_UNAVAILABLE, "the server is shutting down");
    }
}

static void list_message(void *mount, pt_call *call, pt_bytes_view message)
{
    (void)message;
    health *h = mount;
    size_t count = 0;
    while (pt__routes_service_at(h->routes, count) != NULL)
        count++;
    list_entry *entries = calloc(count + 1, sizeof(*entries));
    list_entry **pointers = calloc(count + 1, sizeof(list_entry *));
    Grpc__Health__V1__HealthListResponse response = GRPC__HEALTH__V1__HEALTH_LIST_RESPONSE__INIT;
    check_response status = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    status.status = current(h);
    for (size_t i = 0; i < count && entries != NULL && pointers != NULL; i++) {
        entries[i] = (list_entry)GRPC__HEALTH__V1__HEALTH_LIST_RESPONSE__STATUSES_ENTRY__INIT;
        entries[i].key = pt__unconst(pt__routes_service_at(h->routes, i));
        entries[i].value = &status;
        pointers[i] = &entries[i];
        response.n_statuses = i + 1;
    }
    response.statuses = pointers;
    pt__reply_message(call, &response.base);
    pt__reply_finish(call, PT_GRPC_OK, NULL);
    free(pointers);
    free(entries);
}

static const pt_method methods[] = {
    {.path = "/grpc.health.v1.Health/Check", .message = check_message, .open_to_all = true},
    {.path = "/grpc.health.v1.Health/List", .message = list_message, .open_to_all = true},
    {.path = "/grpc.health.v1.Health/Watch", .message = watch_message, .closed = watch_closed, .open_to_all = true},
};

static const pt_frontend_vtable health_frontend = {
    .size_bytes = sizeof(pt_frontend_vtable),
    .name = "health",
    .close = free,
    .methods = methods,
    .method_count = sizeof(methods) / sizeof(methods[0]),
};

pt_status pt_routes_add_health(pt_routes *routes, pt_error *err)
{
    health *h = calloc(1, sizeof(*h));
    if (h == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the health service");
    h->routes = routes;
    PT_TRY(pt__routes_add(routes, &health_frontend, h, err));
    pt__routes_on_serving(routes, serving_changed, h);
    return PT_OK;
}
