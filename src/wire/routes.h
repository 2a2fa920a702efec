/**
 * Routes: which method of which mount serves a path.
 *
 * routes.c finds and iterates; mount.c mounts and unmounts.
 */
#ifndef PT_WIRE_ROUTES_H
#define PT_WIRE_ROUTES_H

#include "base/map.h"
#include "wire/spare.h"

#include <portico/connection.h>
#include <portico/frontend.h>

struct pt_mount {
    pt_routes *routes;
    const pt_frontend_vtable *frontend;
    void *state;                           /* what its open made */
    const pt_authenticator *authenticator; /* NULL: the connection's */
    char *principal;                       /* who calls when nobody has signed in; "": nobody */
    uint64_t max_calls;                    /* 0: any number */
    uint64_t max_message_bytes;            /* 0: the connection's limit */
    uint64_t call_timeout_ms;              /* 0: none */
    size_t call_count;
    bool leaving; /* unmounted, and closed with its last call */
    pt_mount *next;
};

struct pt_routes {
    pt_host *host;
    pt_mount *mounts;           /* in the order they were mounted */
    pt_mount *leaving;          /* unmounted, with calls that run */
    pt__map by_path;            /* pt__route, owned */
    pt__map services;           /* of the mounts; the names count, not the values */
    pt_connection *connections; /* those that use the routes */
    pt__spare *spare;           /* for their messages */
    bool serving;
    void (*serving_changed)(void *context);
    void *serving_context;
};

typedef struct pt__route {
    const pt_method *method;
    pt_mount *mount;
    struct pt__route *next; /* of the same path; the first one gets what nobody claims */
} pt__route;

/**
 * Adds a mount that is open already; `take_mount` is closed by pt_routes_free, or here on failure.
 * Errors: PT_ALREADY_EXISTS naming the path, PT_NO_MEMORY.
 */
pt_status pt__routes_add(pt_routes *routes, const pt_frontend_vtable *frontend, void *take_mount, pt_error *err);

/** Closes the frontend and frees the mount, which is in no list any more. */
void pt__mount_close(pt_mount *mount);

/** "package.Service" of the methods' paths, each once; NULL past the end. */
const char *pt__routes_service_at(const pt_routes *routes, size_t index);
bool pt__routes_has_service(const pt_routes *routes, const char *service);

/**
 * Runs changed(context) when pt_routes_set_serving changes the answer, or the services have changed. One only: the
 * health service.
 */
void pt__routes_on_serving(pt_routes *routes, void (*changed)(void *context), void *context);
void pt__routes_serving_changed(pt_routes *routes);

/** Tells every mount that the connection is gone. */
void pt__routes_connection_closed(const pt_routes *routes, const char *connection_id);

/** connection.c: ends the calls of a mount that run on the connection. */
void pt__connection_cut(pt_connection *connection, const pt_mount *mount);
pt_connection *pt__connection_next(const pt_connection *connection);

#endif
