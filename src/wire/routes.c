#include "wire/routes.h"

#include "base/has.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_BYTES = 1024 };

pt_status pt_routes_new(pt_host *host, pt_routes **out, pt_error *err)
{
    pt_routes *routes = calloc(1, sizeof(*routes));
    if (routes != NULL)
        routes->spare = pt__spare_new();
    if (routes == NULL || routes->spare == NULL) {
        free(routes);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for routes");
    }
    routes->host = host;
    routes->serving = true;
    *out = routes;
    return PT_OK;
}

/* The last one mounted is the first one closed. */
static void close_all(pt_mount *mounts)
{
    pt_mount *reversed = NULL;
    while (mounts != NULL) {
        pt_mount *mount = mounts;
        mounts = mount->next;
        mount->next = reversed;
        reversed = mount;
    }
    while (reversed != NULL) {
        pt_mount *mount = reversed;
        reversed = mount->next;
        pt__mount_close(mount);
    }
}

void pt_routes_free(pt_routes *routes)
{
    if (routes == NULL)
        return;
    assert(routes->connections == NULL);
    close_all(routes->leaving);
    close_all(routes->mounts);
    size_t position = 0;
    const char *path;
    void *value;
    while (pt__map_next(&routes->by_path, &position, &path, &value)) {
        for (pt__route *next, *route = value; route != NULL; route = next) {
            next = route->next;
            free(route);
        }
    }
    pt__map_deinit(&routes->by_path);
    pt__map_deinit(&routes->services);
    pt__spare_close(routes->spare);
    free(routes);
}

void pt__routes_connection_closed(const pt_routes *routes, const char *connection_id)
{
    for (pt_mount *mount = routes->mounts; mount != NULL; mount = mount->next)
        if (pt__has(mount->frontend, connection_closed))
            mount->frontend->connection_closed(mount->state, connection_id);
}

void pt_routes_tick(pt_routes *routes, uint64_t now_ms)
{
    for (pt_mount *mount = routes->mounts; mount != NULL; mount = mount->next)
        if (pt__has(mount->frontend, tick))
            mount->frontend->tick(mount->state, now_ms);
}

static const pt__route *find(const pt_routes *routes, pt_text_view path)
{
    char key[PATH_MAX_BYTES + 1];
    if (path.size_bytes > PATH_MAX_BYTES || memchr(path.data, '\0', path.size_bytes) != NULL)
        return NULL;
    memcpy(key, path.data, path.size_bytes);
    key[path.size_bytes] = '\0';
    return pt__map_get(&routes->by_path, key);
}

const pt_method *pt_routes_find(const pt_routes *routes, pt_text_view path, void **mount)
{
    const pt__route *found = find(routes, path);
    if (found == NULL)
        return NULL;
    *mount = found->mount->state;
    return found->method;
}

static pt_status enter(const pt__route *route, const pt_method **method, void **mount, pt_mount **entered,
                       pt_error *err)
{
    pt_mount *into = route->mount;
    if (into->max_calls != 0 && into->call_count >= into->max_calls)
        return pt_error_set(err, PT_LIMIT, "%zu calls of %s run already (mount.max-calls)", into->call_count,
                            into->frontend->name);
    into->call_count++;
    *method = route->method;
    *mount = into->state;
    *entered = into;
    return PT_OK;
}

pt_status pt_routes_enter(pt_routes *routes, pt_text_view path, const pt_method **method, void **mount,
                          pt_mount **entered, pt_error *err)
{
    const pt__route *found = find(routes, path);
    if (found == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "there is no method %.*s here", (int)path.size_bytes, path.data);
    return enter(found, method, mount, entered, err);
}

static const pt__route *find_claimant(const pt__route *routes, const char *path, pt_bytes_view first_message)
{
    for (const pt__route *route = routes; route != NULL; route = route->next) {
        const pt_frontend_vtable *frontend = route->mount->frontend;
        if (pt__has(frontend, claims) && frontend->claims(route->mount->state, path, first_message))
            return route;
    }
    return NULL;
}

pt_status pt_routes_claim(pt_bytes_view first_message, const pt_method **method, void **mount, pt_mount **entered,
                          pt_error *err)
{
    const char *path = (*method)->path;
    pt_mount *former = *entered;
    const pt__route *routes = pt__map_get(&former->routes->by_path, path);
    if (routes == NULL || (routes->mount == former && routes->next == NULL))
        return PT_OK; /* nobody shares it */
    const pt__route *claimant = find_claimant(routes, path, first_message);
    if (claimant == NULL || claimant->mount == former)
        return PT_OK;
    PT_TRY(enter(claimant, method, mount, entered, err));
    pt_routes_leave(former);
    return PT_OK;
}

void pt_routes_leave(pt_mount *entered)
{
    if (--entered->call_count != 0 || !entered->leaving)
        return;
    pt_mount **at = &entered->routes->leaving;
    while (*at != entered)
        at = &(*at)->next;
    *at = entered->next;
    pt__mount_close(entered);
}

bool pt_routes_mount_at(const pt_routes *routes, size_t index, const pt_frontend_vtable **frontend, void **mount)
{
    const pt_mount *found = routes->mounts;
    while (found != NULL && index-- > 0)
        found = found->next;
    if (found == NULL)
        return false;
    *frontend = found->frontend;
    *mount = found->state;
    return true;
}

bool pt_routes_is_serving(const pt_routes *routes)
{
    return routes->serving;
}

void pt__routes_serving_changed(pt_routes *routes)
{
    if (routes->serving_changed != NULL)
        routes->serving_changed(routes->serving_context);
}

void pt_routes_set_serving(pt_routes *routes, bool serving)
{
    if (routes->serving == serving)
        return;
    routes->serving = serving;
    pt__routes_serving_changed(routes);
}

void pt__routes_on_serving(pt_routes *routes, void (*changed)(void *context), void *context)
{
    routes->serving_changed = changed;
    routes->serving_context = context;
}

const char *pt__routes_service_at(const pt_routes *routes, size_t index)
{
    return index < routes->services.entry_count ? routes->services.entries[index].key : NULL;
}

bool pt__routes_has_service(const pt_routes *routes, const char *service)
{
    return pt__map_get(&routes->services, service) != NULL;
}
