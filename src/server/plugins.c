#include "server/plugins.h"

#include <portico/plugin.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* POSIX has dlsym give functions as object pointers; ISO C has no cast for that. */
static pt_plugin_open_function *find_open(void *library)
{
    union {
        void *object;
        pt_plugin_open_function *function;
    } found = {dlsym(library, PT_PLUGIN_OPEN_NAME)};
    return found.function;
}

static pt_status open_one(pt__plugins *plugins, const char *path, pt_host *host, const pt_config *config, pt_error *err)
{
    if (plugins->count == PT_PLUGINS_MAX)
        return pt_error_set(err, PT_LIMIT, "plugins: at most %d may be loaded", PT_PLUGINS_MAX);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return pt_error_set(err, PT_IO, "plugins: %s", dlerror());
    plugins->libraries[plugins->count++] = library;
    pt_plugin_open_function *open = find_open(library);
    if (open == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "plugins: %s exports no function " PT_PLUGIN_OPEN_NAME, path);
    return open(host, config, err);
}

/* A bare file name would be looked for among the system's libraries. */
static int path_of(const char *text, size_t size, char *out, size_t out_bytes)
{
    const char *folder = memchr(text, '/', size) == NULL ? "./" : "";
    return snprintf(out, out_bytes, "%s%.*s", folder, (int)size, text);
}

pt_status pt__plugins_open(pt__plugins *out, pt_host *host, const pt_config *config, pt_error *err)
{
    char path[4096];
    *out = (pt__plugins){0};
    for (const char *rest = pt_config_string(config, "plugins", ""); *rest != '\0';) {
        size_t size = strcspn(rest, ",");
        if ((size_t)path_of(rest, size, path, sizeof(path)) >= sizeof(path))
            return pt_error_set(err, PT_INVALID_ARGUMENT, "plugins: a path has more than %zu bytes", sizeof(path));
        if (size != 0)
            PT_TRY(open_one(out, path, host, config, err));
        rest += rest[size] == ',' ? size + 1 : size;
    }
    return PT_OK;
}

void pt__plugins_close(pt__plugins *plugins)
{
    while (plugins->count != 0)
        dlclose(plugins->libraries[--plugins->count]);
}
