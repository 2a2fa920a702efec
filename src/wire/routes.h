/**
 * Routes: which method of which mount serves a path.
 */
#ifndef PT_WIRE_ROUTES_H
#define PT_WIRE_ROUTES_H

#include <portico/frontend.h>

/**
 * Adds a mount that is open already; `take_mount` is closed by pt_routes_free, or here on failure.
 * Errors: PT_ALREADY_EXISTS naming the path, PT_NO_MEMORY.
 */
pt_status pt__routes_add(pt_routes *routes, const pt_frontend_vtable *frontend, void *take_mount, pt_error *err);

/** "package.Service" of the methods' paths, each once; NULL past the end. */
const char *pt__routes_service_at(const pt_routes *routes, size_t index);
bool pt__routes_has_service(const pt_routes *routes, const char *service);

/** Runs changed(context) when pt_routes_set_serving changes the answer. One only: the health service. */
void pt__routes_on_serving(pt_routes *routes, void (*changed)(void *context), void *context);

#endif
