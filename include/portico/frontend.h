/**
 * Frontends and routes: a frontend speaks one client protocol and is mounted on routes of a host.
 *
 * Ownership: vtables and methods are constants that outlive the routes. The routes own the mounts.
 * Threads:   the loop thread that keeps the routes, and whose connections alone use them.
 */
#ifndef PORTICO_FRONTEND_H
#define PORTICO_FRONTEND_H

#include <portico/authenticator.h>
#include <portico/call.h>
#include <portico/config.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_host pt_host;
typedef struct pt_routes pt_routes;

/** Why a call is over, told to the handler's `closed`. */
typedef enum pt_call_end {
    PT_CALL_FINISHED,     /* trailers were handed to the peer */
    PT_CALL_RESET,        /* the client reset the stream */
    PT_CALL_DEADLINE,     /* its deadline passed */
    PT_CALL_DISCONNECTED, /* the connection is gone */
    PT_CALL_UNMOUNTED     /* the frontend was unmounted without waiting for its calls */
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
    size_t size_bytes; /* members beyond it are unknown to the plug-in: append only */
    const char *name;  /* "spark_connect" */
    /** `*mount` is what the methods get; `close` ends it. `config` (may be NULL) is borrowed for the call. */
    pt_status (*open)(pt_host *host, const pt_config *config, void **mount, pt_error *err);
    /** Runs after the last call's `closed`. */
    void (*close)(void *mount);
    const pt_method *methods;
    size_t method_count;
    /** Serialized google.protobuf.FileDescriptorSet for reflection; may be empty; valid until `close`. NULL: none. */
    pt_bytes_view (*descriptors)(void *mount);
    /** Housekeeping, about once a second, on the loop thread of the routes. NULL: none. */
    void (*tick)(void *mount, uint64_t now_ms);
    /** sizeof(pt_method) as the plug-in knows it, which later versions may enlarge. 0: that of version 0.1. */
    size_t method_size_bytes;
    /**
     * Whether a call of a path that other mounts serve as well is this one's, told from its first message. Of mounts
     * that share a path all but one claim; that one gets the calls that nobody claims, and those without a message.
     * NULL: it claims none.
     */
    bool (*claims)(void *mount, const char *path, pt_bytes_view first_message);
    /**
     * A connection is gone whose id some call has asked for (pt_call_connection_id); its calls have ended. On the
     * connection's loop thread. NULL: it does not matter.
     */
    void (*connection_closed)(void *mount, const char *connection_id);
} pt_frontend_vtable;

/** No mounts yet; the host must outlive them. `*out` is the caller's to free. Errors: PT_NO_MEMORY. */
pt_status pt_routes_new(pt_host *host, pt_routes **out, pt_error *err);
/** Closes all mounts, last mounted first; no connection may use the routes any more. NULL is allowed. */
void pt_routes_free(pt_routes *routes);

/**
 * Opens the frontend and adds its methods. Besides the frontend's own keys, `config` (may be NULL; read during the call)
 * may have, for all calls of this mount:
 *
 *     mount.principal           who calls when nobody has signed in; counts as authenticated
 *     mount.max-calls           calls that run at once; further ones get RESOURCE_EXHAUSTED; 0, the default: no limit
 *     mount.max-message-bytes   of a request message, where its method has no limit; 0: the connection's limit
 *     mount.call-timeout        how long a call may run, whatever its deadline; 0: no limit
 *
 * A path may be shared by mounts that claim calls (pt_frontend_vtable.claims) and at most one that does not, if none of
 * their methods there has `started`, and all know their callers the same way.
 *
 * Errors: PT_ALREADY_EXISTS when a path is taken; PT_INVALID_ARGUMENT; those of the frontend's open.
 */
pt_status pt_frontend_mount(pt_host *host, const pt_frontend_vtable *frontend, const pt_config *config,
                            pt_routes *routes, pt_error *err);

typedef struct pt_mount_options {
    size_t size_bytes;
    const pt_config *config; /* as above */
    const pt_authenticator
        *authenticator; /* for this mount in place of the connection's; borrowed; NULL: none of its own */
} pt_mount_options;

/** The same with more to choose; `options` may be NULL. */
pt_status pt_frontend_mount_with(pt_host *host, const pt_frontend_vtable *frontend, const pt_mount_options *options,
                                 pt_routes *routes, pt_error *err);

/** What becomes of calls that run when their frontend is unmounted. */
typedef enum pt_unmount {
    PT_UNMOUNT_DRAIN, /* they go on until they end by themselves */
    PT_UNMOUNT_CUT    /* they get UNAVAILABLE; their handlers are told PT_CALL_UNMOUNTED */
} pt_unmount;

/**
 * Takes a frontend off the routes: from now on its methods do not exist here (UNIMPLEMENTED), and may be mounted anew.
 * Its `close` runs once the last of its calls has closed, which may be at once. Cut after drain ends what still runs.
 * Calls of a transport of one's own (pt_routes_enter) are not cut, but waited for.
 *
 * Errors:  PT_NOT_FOUND when the routes do not have it.
 * Threads: the loop thread of the routes; also from inside of a handler.
 */
pt_status pt_frontend_unmount(pt_routes *routes, const pt_frontend_vtable *frontend, pt_unmount how, pt_error *err);

/** Calls of that frontend that run, also when it is unmounted already; 0 once it is closed. */
size_t pt_frontend_call_count(const pt_routes *routes, const pt_frontend_vtable *frontend);

/** Adds grpc.health.v1.Health, which tells of every service on the routes. */
pt_status pt_routes_add_health(pt_routes *routes, pt_error *err);

/** Adds grpc.reflection.v1 (and v1alpha), answered from the descriptors of all mounts. */
pt_status pt_routes_add_reflection(pt_routes *routes, pt_error *err);

/** What health answers; true from the start. Set false before draining, which also ends the health watches. */
void pt_routes_set_serving(pt_routes *routes, bool serving);
bool pt_routes_is_serving(const pt_routes *routes);

/** Passes the time, monotonic, to every mount's `tick`; to be called about once a second. */
void pt_routes_tick(pt_routes *routes, uint64_t now_ms);

/** NULL when no mount has that path; else `*mount` is what to pass to the method, valid until it is unmounted. */
const pt_method *pt_routes_find(const pt_routes *routes, pt_text_view path, void **mount);

/** A frontend that is mounted, as seen by a call. */
typedef struct pt_mount pt_mount;

/**
 * For a transport of one's own, which calls the method's functions: finds the method of a call that begins, and keeps
 * its mount from being closed until pt_routes_leave(*entered), to be called after the method's `closed`.
 *
 * Errors: PT_UNSUPPORTED (no such method: UNIMPLEMENTED), PT_LIMIT (mount.max-calls: RESOURCE_EXHAUSTED).
 */
pt_status pt_routes_enter(pt_routes *routes, pt_text_view path, const pt_method **method, void **mount,
                          pt_mount **entered, pt_error *err);
void pt_routes_leave(pt_mount *entered);

/**
 * To be called with the first message of a call that entered, before its method gets it: when another mount claims the
 * call, leaves the one that was entered for that one, and all three values are its. Nothing changes on failure.
 *
 * Errors: PT_LIMIT (mount.max-calls).
 */
pt_status pt_routes_claim(pt_bytes_view first_message, const pt_method **method, void **mount, pt_mount **entered,
                          pt_error *err);

/** Iteration over mounts; false past the end. */
bool pt_routes_mount_at(const pt_routes *routes, size_t index, const pt_frontend_vtable **frontend, void **mount);

#ifdef __cplusplus
}
#endif

#endif
