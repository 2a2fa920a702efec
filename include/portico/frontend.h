/**
 * Frontends and routes: a frontend speaks one client protocol and is mounted on routes of a host.
 */
#ifndef PORTICO_FRONTEND_H
#define PORTICO_FRONTEND_H

#include <portico/call.h>
#include <portico/config.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_host pt_host;
typedef struct pt_routes pt_routes;

/** Why a call is over, told to the handler's `closed`. */
typedef enum pt_call_end {
    PT_CALL_FINISHED,    /* trailers were handed to the peer */
    PT_CALL_RESET,       /* the client reset the stream */
    PT_CALL_DEADLINE,    /* its deadline passed */
    PT_CALL_DISCONNECTED /* the connection is gone */
} pt_call_end;

/**
 * One RPC of a frontend. Calls of one pt_call come in the order started, message*, half_closed, closed, with
 * writable in between; all on the loop thread. `mount` is what the frontend's mount function made.
 */
typedef struct pt_method {
    const char *path; /* "/package.Service/Method" */
    /** The headers arrived. May finish at once. NULL: nothing to do. */
    void (*started)(void *mount, pt_call *call);
    /** One whole, inflated request message; borrowed for the call. */
    void (*message)(void *mount, pt_call *call, pt_bytes_view message);
    /** The client sends no more. NULL: nothing to do. */
    void (*half_closed)(void *mount, pt_call *call);
    /** Queued bytes fell below the connection's low mark (1 MiB), or to nothing: send more. NULL: nothing to do. */
    void (*writable)(void *mount, pt_call *call);
    /** The last call, always: release call->state. `call` is invalid afterwards. NULL: nothing to do. */
    void (*closed)(void *mount, pt_call *call, pt_call_end end);
    size_t message_limit_bytes; /* 0: the connection's limit */
    bool open_to_all;           /* also for callers who are not signed in (health checks) */
} pt_method;

typedef struct pt_frontend_vtable {
    size_t size_bytes;
    const char *name; /* "spark_connect" */
    pt_status (*open)(pt_host *host, const pt_config *config, void **mount, pt_error *err);
    /** Runs after the last call's `closed`. */
    void (*close)(void *mount);
    const pt_method *methods;
    size_t method_count;
    /** Serialized google.protobuf.FileDescriptorSet for reflection; may be empty. */
    pt_bytes_view (*descriptors)(void *mount);
    /** Housekeeping, about once a second, on the loop thread of the routes. NULL: none. */
    void (*tick)(void *mount, uint64_t now_ms);
} pt_frontend_vtable;

pt_status pt_routes_new(pt_host *host, pt_routes **out, pt_error *err);
/** Closes all mounts; no connection may use the routes any more. */
void pt_routes_free(pt_routes *routes);

/** Opens the frontend and adds its methods. Errors: PT_ALREADY_EXISTS when a path is taken. */
pt_status pt_frontend_mount(pt_host *host, const pt_frontend_vtable *frontend, const pt_config *config,
                            pt_routes *routes, pt_error *err);

/** Adds grpc.health.v1.Health, which tells of every service on the routes. */
pt_status pt_routes_add_health(pt_routes *routes, pt_error *err);

/** Adds grpc.reflection.v1 (and v1alpha), answered from the descriptors of all mounts. */
pt_status pt_routes_add_reflection(pt_routes *routes, pt_error *err);

/** What health answers; true from the start. Set false before draining, which also ends the health watches. */
void pt_routes_set_serving(pt_routes *routes, bool serving);
bool pt_routes_is_serving(const pt_routes *routes);

void pt_routes_tick(pt_routes *routes, uint64_t now_ms);

/** NULL when no mount has that path; else `*mount` is what to pass to the method. */
const pt_method *pt_routes_find(const pt_routes *routes, pt_text_view path, void **mount);

/** Iteration over mounts; false past the end. */
bool pt_routes_mount_at(const pt_routes *routes, size_t index, const pt_frontend_vtable **frontend, void **mount);

#ifdef __cplusplus
}
#endif

#endif
