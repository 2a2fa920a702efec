/* Mounting frontends on routes, and taking them off. */
#include "wire/routes.h"

#include "base/has.h"

#include <stdlib.h>
#include <string.h>

/* Methods of a plug-in that was built against an older header are closer together. */
static const pt_method *method_at(const pt_frontend_vtable *frontend, size_t index)
{
    enum { FIRST_BYTES = offsetof(pt_method, open_to_all) + sizeof(void *) }; /* with padding, as of version 0.1 */
    size_t size = pt__knows(frontend, method_size_bytes) ? frontend->method_size_bytes : 0;
    return (const pt_method *)(const void *)((const char *)frontend->methods +
                                             index * (size != 0 ? size : FIRST_BYTES));
}

_Static_assert(sizeof(pt_method) == offsetof(pt_method, open_to_all) + sizeof(void *),
               "pt_method has grown: check the size of methods before a new member is read");

void pt__mount_close(pt_mount *mount)
{
    if (mount->frontend->close != NULL)
        mount->frontend->close(mount->state);
    free(mount->principal);
    free(mount);
}

static bool may_share(const pt__route *routes, const pt_method *method, const pt_frontend_vtable *frontend)
{
    bool takes_rest = !pt__has(frontend, claims);
    for (const pt__route *route = routes; route != NULL; route = route->next)
        if (route->method->started != NULL || (takes_rest && !pt__has(route->mount->frontend, claims)))
            return false;
    return routes == NULL || method->started == NULL;
}

static pt_status path_is_taken(const pt_frontend_vtable *frontend, const char *path, pt_error *err)
{
    return pt_error_set(err, PT_ALREADY_EXISTS, "%s cannot serve %s: the path is taken", frontend->name, path);
}

static pt_status check_paths_free(const pt_routes *routes, const pt_frontend_vtable *frontend, pt_error *err)
{
    for (size_t i = 0; i < frontend->method_count; i++) {
        const pt_method *method = method_at(frontend, i);
        if (!may_share(pt__map_get(&routes->by_path, method->path), method, frontend))
            return path_is_taken(frontend, method->path, err);
    }
    return PT_OK;
}

/* Callers are told before the call is claimed. */
static pt_status check_same_callers(const pt_routes *routes, const pt_mount *mount, pt_error *err)
{
    for (size_t i = 0; i < mount->frontend->method_count; i++) {
        const char *path = method_at(mount->frontend, i)->path;
        const pt__route *other = pt__map_get(&routes->by_path, path);
        if (other != NULL && (other->mount->authenticator != mount->authenticator ||
                              strcmp(other->mount->principal, mount->principal) != 0))
            return path_is_taken(mount->frontend, path, err);
    }
    return PT_OK;
}

/* The one that claims nothing goes before those that do. */
static bool add_path(pt_routes *routes, const pt_method *method, pt_mount *mount)
{
    pt__route *first = pt__map_get(&routes->by_path, method->path);
    pt__route *added = malloc(sizeof(*added));
    if (added == NULL)
        return false;
    *added = (pt__route){method, mount, NULL};
    if (first != NULL && pt__has(mount->frontend, claims)) {
        added->next = first->next;
        first->next = added;
        return true;
    }
    added->next = first;
    if (pt__map_set(&routes->by_path, method->path, added, NULL))
        return true;
    free(added);
    return false;
}

/* Without the mount's; NULL: there is none left. */
static pt__route *without(pt__route *routes, const pt_mount *mount)
{
    for (pt__route **at = &routes; *at != NULL;) {
        pt__route *route = *at;
        if (route->mount != mount) {
            at = &route->next;
            continue;
        }
        *at = route->next;
        free(route);
    }
    return routes;
}

static void remove_paths(pt_routes *routes, const pt_mount *mount)
{
    for (size_t i = 0; i < mount->frontend->method_count; i++) {
        const char *path = method_at(mount->frontend, i)->path;
        pt__route *left = without(pt__map_get(&routes->by_path, path), mount);
        if (left == NULL)
            pt__map_remove(&routes->by_path, path);
        else
            (void)pt__map_set(&routes->by_path, path, left, NULL); /* it is there: needs no memory */
    }
}

/* Without memory a service is not listed, but served. */
static void list_services(pt_routes *routes, const pt_frontend_vtable *frontend)
{
    for (size_t i = 0; i < frontend->method_count; i++) {
        const char *path = method_at(frontend, i)->path;
        const char *slash = strchr(path + 1, '/');
        char *service = slash == NULL ? NULL : strndup(path + 1, (size_t)(slash - path) - 1);
        if (service != NULL && pt__map_get(&routes->services, service) == NULL)
            (void)pt__map_set(&routes->services, service, routes, NULL);
        free(service);
    }
}

static void list_all_services(pt_routes *routes)
{
    pt__map_deinit(&routes->services);
    routes->services = (pt__map)PT_MAP_INIT;
    for (const pt_mount *mount = routes->mounts; mount != NULL; mount = mount->next)
        list_services(routes, mount->frontend);
    pt__routes_serving_changed(routes);
}

static pt_status read_options(pt_mount *mount, const pt_mount_options *given, pt_error *err)
{
    pt_mount_options options = {0};
    int64_t max_calls;
    pt__copy_known(&options, sizeof(options), given);
    mount->authenticator = options.authenticator;
    PT_TRY(pt_config_integer(options.config, "mount.max-calls", 0, &max_calls, err));
    if (max_calls < 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "mount.max-calls = %lld is less than 0", (long long)max_calls);
    mount->max_calls = (uint64_t)max_calls;
    PT_TRY(pt_config_size(options.config, "mount.max-message-bytes", 0, &mount->max_message_bytes, err));
    PT_TRY(pt_config_duration(options.config, "mount.call-timeout", 0, &mount->call_timeout_ms, err));
    mount->principal = strdup(pt_config_string(options.config, "mount.principal", ""));
    return mount->principal != NULL ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory to mount a frontend");
}

static pt_status add_paths(pt_routes *routes, pt_mount *mount, pt_error *err)
{
    for (size_t i = 0; i < mount->frontend->method_count; i++) {
        if (add_path(routes, method_at(mount->frontend, i), mount))
            continue;
        remove_paths(routes, mount);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to mount %s", mount->frontend->name);
    }
    return PT_OK;
}

static void append(pt_mount **list, pt_mount *mount)
{
    while (*list != NULL)
        list = &(*list)->next;
    mount->next = NULL;
    *list = mount;
}

/* Takes `state`, which is open already. */
static pt_status add_mount(pt_routes *routes, const pt_frontend_vtable *frontend, const pt_mount_options *options,
                           void *state, pt_error *err)
{
    pt_mount *mount = calloc(1, sizeof(*mount));
    if (mount == NULL) {
        if (frontend->close != NULL)
            frontend->close(state);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to mount %s", frontend->name);
    }
    *mount = (pt_mount){.routes = routes, .frontend = frontend, .state = state};
    pt_status status = read_options(mount, options, err);
    if (status == PT_OK)
        status = check_same_callers(routes, mount, err);
    if (status == PT_OK)
        status = add_paths(routes, mount, err);
    if (status != PT_OK) {
        pt__mount_close(mount);
        return status;
    }
    append(&routes->mounts, mount);
    list_services(routes, frontend);
    pt__routes_serving_changed(routes);
    return PT_OK;
}

pt_status pt__routes_add(pt_routes *routes, const pt_frontend_vtable *frontend, void *take_mount, pt_error *err)
{
    pt_status status = check_paths_free(routes, frontend, err);
    if (status == PT_OK)
        return add_mount(routes, frontend, NULL, take_mount, err);
    if (frontend->close != NULL)
        frontend->close(take_mount);
    return status;
}

pt_status pt_frontend_mount_with(pt_host *host, const pt_frontend_vtable *frontend, const pt_mount_options *options,
                                 pt_routes *routes, pt_error *err)
{
    void *state = NULL;
    PT_TRY(check_paths_free(routes, frontend, err));
    if (frontend->open != NULL)
        PT_TRY(frontend->open(host, options == NULL ? NULL : options->config, &state, err));
    return add_mount(routes, frontend, options, state, err);
}

pt_status pt_frontend_mount(pt_host *host, const pt_frontend_vtable *frontend, const pt_config *config,
                            pt_routes *routes, pt_error *err)
{
    pt_mount_options options = {.size_bytes = sizeof(options), .config = config};
    return pt_frontend_mount_with(host, frontend, &options, routes, err);
}

/* From the list of mounts to that of leaving ones. False: it is not mounted. */
static bool start_leaving(pt_routes *routes, const pt_frontend_vtable *frontend)
{
    pt_mount **at = &routes->mounts;
    while (*at != NULL && (*at)->frontend != frontend)
        at = &(*at)->next;
    pt_mount *found = *at;
    if (found == NULL)
        return false;
    *at = found->next;
    found->leaving = true;
    remove_paths(routes, found);
    append(&routes->leaving, found);
    list_all_services(routes);
    return true;
}

static void cut_calls(pt_routes *routes, const pt_mount *mount)
{
    for (pt_connection *each = routes->connections; each != NULL; each = pt__connection_next(each))
        pt__connection_cut(each, mount);
}

/* Of that frontend, in the list from *from on. */
static pt_mount *next_leaving(pt_mount *from, const pt_frontend_vtable *frontend)
{
    while (from != NULL && from->frontend != frontend)
        from = from->next;
    return from;
}

pt_status pt_frontend_unmount(pt_routes *routes, const pt_frontend_vtable *frontend, pt_unmount how, pt_error *err)
{
    bool was_mounted = start_leaving(routes, frontend);
    pt_mount *mount = next_leaving(routes->leaving, frontend);
    if (!was_mounted && mount == NULL)
        return pt_error_set(err, PT_NOT_FOUND, "%s is not mounted here", frontend->name);
    while (mount != NULL) {
        pt_mount *next = next_leaving(mount->next, frontend);
        if (how == PT_UNMOUNT_CUT)
            cut_calls(routes, mount);
        mount->call_count++; /* entered and left, it is closed when nobody else is inside */
        pt_routes_leave(mount);
        mount = next;
    }
    return PT_OK;
}

static size_t count_calls(const pt_mount *mounts, const pt_frontend_vtable *frontend)
{
    size_t count = 0;
    for (const pt_mount *mount = mounts; mount != NULL; mount = mount->next)
        count += mount->frontend == frontend ? mount->call_count : 0;
    return count;
}

size_t pt_frontend_call_count(const pt_routes *routes, const pt_frontend_vtable *frontend)
{
    return count_calls(routes->mounts, frontend) + count_calls(routes->leaving, frontend);
}
