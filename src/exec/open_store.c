/* Which store a host's jobs go to, and where their output. */
#include "exec/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Those that a configuration may name; "memory" means none, as that of a host alone lasts no longer than its jobs. */
static const pt_job_store_vtable *const stores[] = {&pt_job_store_sqlite, &pt_job_store_postgresql};

static bool is_named(const char *text, const char *name)
{
    size_t size = strlen(name);
    return strncmp(text, name, size) == 0 && text[size] == ':';
}

static pt_status make_folder(pt_host *host, pt_error *err)
{
    if (mkdir(host->output_folder, 0700) == 0 || errno == EEXIST)
        return PT_OK;
    return pt_error_set(err, PT_IO, "jobs.output-directory %s cannot be made: %s", host->output_folder,
                        strerror(errno));
}

static pt_status set_folder(pt_host *host, const char *given, const char *file, pt_error *err)
{
    if (given != NULL)
        host->output_folder = strdup(given);
    else if (file == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT,
                            "jobs.output-directory is not set; it has to name a folder that all nodes of the store "
                            "share");
    else if (asprintf(&host->output_folder, "%s.output", file) < 0)
        host->output_folder = NULL;
    if (host->output_folder == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the host");
    return make_folder(host, err);
}

static pt_status open_named(pt_host *host, const pt_job_store_vtable *store, const char *value, const char *folder,
                            pt_error *err)
{
    bool is_file = store == &pt_job_store_sqlite;
    const char *location = is_file ? strchr(value, ':') + 1 : value;
    if (*location == '\0')
        return pt_error_set(err, PT_INVALID_ARGUMENT, "jobs.store = %s names no file", value);
    PT_TRY(set_folder(host, folder, is_file ? location : NULL, err));
    PT_TRY(store->open(location, &host->store_self, err));
    host->store = store;
    host->owns_store = true;
    return PT_OK;
}

pt_status pt__host_open_store(pt_host *host, const pt_host_options *options, const pt_config *config, pt_error *err)
{
    const char *value = pt_config_string(config, "jobs.store", "memory");
    const char *folder = pt_config_string(config, "jobs.output-directory", NULL);
    pt__uuid_v4_text(host->node);
    if (options != NULL && PT_OPTIONS_HAVE(options, job_store_self) && options->job_store != NULL) {
        host->store = options->job_store;
        host->store_self = options->job_store_self;
        return folder == NULL ? PT_OK : set_folder(host, folder, NULL, err);
    }
    if (strcmp(value, "memory") == 0)
        return PT_OK;
    for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++)
        if (is_named(value, stores[i]->name))
            return open_named(host, stores[i], value, folder, err);
    return pt_error_set(err, PT_INVALID_ARGUMENT,
                        "jobs.store = %s is none of: memory, sqlite:FILE, postgresql://USER@HOST/DATABASE", value);
}

void pt__host_close_store(pt_host *host)
{
    if (host->owns_store)
        host->store->close(host->store_self);
    free(host->output_folder);
}
