#include "wire/routes.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_BYTES = 1024 };

typedef struct mount_entry {
    const pt_frontend_vtable *frontend;
    void *mount;
} mount_entry;

typedef struct route {
    const pt_method *method;
    void *mount;
} route;

struct pt_routes {
    pt_host *host;
    mount_entry *mounts;
    size_t mount_count;
    pt__map by_path;  /* route, owned */
    pt__map services; /* the names count, not the values; nothing is removed */
    bool serving;
    void (*serving_changed)(void *context);
    void *serving_context;
};

pt_status pt_routes_new(pt_host *host, pt_routes **out, pt_error *err)
{
    pt_routes *routes = calloc(1, sizeof(*routes));
    if (routes == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for routes");
    routes->host = host;
    routes->serving = true;
    *out = routes;
    return PT_OK;
}

static void close_mount(const pt_frontend_vtable *frontend, void *mount)
{
    if (frontend->close != NULL)
        frontend->close(mount);
}

void pt_routes_free(pt_routes *routes)
{
    if (routes == NULL)
        return;
    for (size_t i = routes->mount_count; i-- > 0;)
        close_mount(routes->mounts[i].frontend, routes->mounts[i].mount);
    size_t position = 0;
    const char *path;
    void *value;
    while (pt__map_next(&routes->by_path, &position, &path, &value))
        free(value);
    pt__map_deinit(&routes->by_path);
    pt__map_deinit(&routes->services);
    free(routes->mounts);
    free(routes);
}

static pt_status check_paths_free(const pt_routes *routes, const pt_frontend_vtable *frontend, pt_error *err)
{
    for (size_t i = 0; i < frontend->method_count; i++)
        if (pt__map_get(&routes->by_path, frontend->methods[i].path) != NULL)
            return pt_error_set(err, PT_ALREADY_EXISTS, "%s cannot serve %s: the path is taken", frontend->name,
                                frontend->methods[i].path);
    return PT_OK;
}

static bool add_path(pt_routes *routes, const pt_method *method, void *mount)
{
    route *added = malloc(sizeof(*added));
    if (added == NULL)
        return false;
    *added = (route){method, mount};
    if (pt__map_set(&routes->by_path, method->path, added, NULL))
        return true;
    free(added);
    return false;
}

static void remove_paths(pt_routes *routes, const pt_frontend_vtable *frontend)
{
    for (size_t i = 0; i < frontend->method_count; i++)
        free(pt__map_remove(&routes->by_path, frontend->methods[i].path));
}

/* Without memory a service is not listed, but served. */
static void list_services(pt_routes *routes, const pt_frontend_vtable *frontend)
{
    for (size_t i = 0; i < frontend->method_count; i++) {
        const char *path = frontend->methods[i].path;
        const char *slash = strchr(path + 1, '/');
        char *service = slash == NULL ? NULL : strndup(path + 1, (size_t)(slash - path) - 1);
        if (service != NULL && pt__map_get(&routes->services, service) == NULL)
            (void)pt__map_set(&routes->services, service, routes, NULL);
        free(service);
    }
}

static pt_status add_mount(pt_routes *routes, const pt_frontend_vtable *frontend, void *mount, pt_error *err)
{
    mount_entry *grown = realloc(routes->mounts, (routes->mount_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to mount %s", frontend->name);
    routes->mounts = grown;
    for (size_t i = 0; i < frontend->method_count; i++) {
        if (add_path(routes, &frontend->methods[i], mount))
            continue;
        remove_paths(routes, frontend);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to mount %s", frontend->name);
    }
    routes->mounts[routes->mount_count++] = (mount_entry){frontend, mount};
    list_services(routes, frontend);
    return PT_OK;
}

pt_status pt__routes_add(pt_routes *routes, const pt_frontend_vtable *frontend, void *take_mount, pt_error *err)
{
    pt_status status = check_paths_free(routes, frontend, err);
    if (status == PT_OK)
        status = add_mount(routes, frontend, take_mount, err);
    if (status != PT_OK)
        close_mount(frontend, take_mount);
    return status;
}

pt_status pt_frontend_mount(pt_host *host, const pt_frontend_vtable *frontend, const pt_config *config,
                            pt_routes *routes, pt_error *err)
{
    PT_TRY(check_paths_free(routes, frontend, err));
    void *mount = NULL;
    if (frontend->open != NULL)
        PT_TRY(frontend->open(host, config, &mount, err));
    return pt__routes_add(routes, frontend, mount, err);
}

void pt_routes_tick(pt_routes *routes, uint64_t now_ms)
{
    for (size_t i = 0; i < routes->mount_count; i++)
        if (routes->mounts[i].frontend->tick != NULL)
            routes->mounts[i].frontend->tick(routes->mounts[i].mount, now_ms);
}

const pt_method *pt_routes_find(const pt_routes *routes, pt_text_view path, void **mount)
{
    char key[PATH_MAX_BYTES + 1];
    if (path.size_bytes > PATH_MAX_BYTES || memchr(path.data, '\0', path.size_bytes) != NULL)
        return NULL;
    memcpy(key, path.data, path.size_bytes);
    key[path.size_bytes] = '\0';
    const route *found = pt__map_get(&routes->by_path, key);
    if (found == NULL)
        return NULL;
    *mount = found->mount;
    return found->method;
}

bool pt_routes_mount_at(const pt_routes *routes, size_t index, const pt_frontend_vtable **frontend, void **mount)
{
    if (index >= routes->mount_count)
        return false;
    *frontend = routes->mounts[index].frontend;
    *mount = routes->mounts[index].mount;
    return true;
}

bool pt_routes_is_serving(const pt_routes *routes)
{
    return routes->serving;
}

void pt_routes_set_serving(pt_routes *routes, bool serving)
{
    if (routes->serving == serving)
        return;
    routes->serving = serving;
    if (routes->serving_changed != NULL)
        routes->serving_changed(routes->serving_context);
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
