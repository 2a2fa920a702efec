#include "server/wrapping.h"

#include "server/backends.h"
#include "server/options.h"

#include <portico/wrappers.h>

#include <stdlib.h>
#include <string.h>

/* NAME=FILE */
static pt_status add_backend(pt_host *host, char *text, pt_error *err)
{
    char *equals = strchr(text, '=');
    pt_config *config = NULL;
    if (equals == NULL || equals == text)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "backends = \"%s\" is not of the form NAME=FILE", text);
    *equals = '\0';
    PT_TRY(pt__options_read_file(equals + 1, &config, err));
    const pt_backend_vtable *backend = NULL;
    pt_status status = pt__server_find_backend(pt_config_string(config, "backend", "duckdb"), &backend, err);
    if (status == PT_OK)
        status = pt_host_add_named_backend(host, text, backend, config, err);
    pt_config_free(config);
    return status;
}

static pt_status add_backends(pt_host *host, const char *names, pt_error *err)
{
    char *list = names == NULL ? NULL : strdup(names);
    char *rest = list;
    pt_status status = PT_OK;
    if (names != NULL && list == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for backends");
    while (status == PT_OK && rest != NULL && *rest != '\0')
        status = add_backend(host, strsep(&rest, ","), err);
    free(list);
    return status;
}

pt_status pt__server_wrap(pt_host *host, const pt_config *config, pt_error *err)
{
    PT_TRY(add_backends(host, pt_config_string(config, "backends", NULL), err));
    return pt_host_add_wrappers(host, NULL, pt_config_string(config, "wrappers", NULL), config, err);
}
