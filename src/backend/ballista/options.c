#include "backend/ballista/options.h"

#include "base/limit.h"

#include <stdlib.h>
#include <string.h>

static size_t count_items(const char *list)
{
    size_t count = 1;
    for (; *list != '\0'; list++)
        count += *list == ',';
    return count;
}

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for the configuration of Ballista");
}

static pt_status check_address(const char *address, pt_error *err)
{
    const char *colon = strrchr(address, ':');
    char *end;
    long port = colon == NULL || colon == address ? 0 : strtol(colon + 1, &end, 10);
    if (port < 1 || port > 65535 || *end != '\0')
        return pt_error_set(err, PT_INVALID_ARGUMENT, "ballista.schedulers: \"%s\" is not of the form HOST:PORT",
                            address);
    return PT_OK;
}

static pt_status read_schedulers(pt__ballista_options *out, char *list, pt_error *err)
{
    out->schedulers = calloc(count_items(list), sizeof(*out->schedulers));
    if (out->schedulers == NULL)
        return no_memory(err);
    for (char *rest = list; rest != NULL;) {
        char *item = strsep(&rest, ",");
        item += strspn(item, " ");
        item[strcspn(item, " ")] = '\0';
        PT_TRY(check_address(item, err));
        out->schedulers[out->scheduler_count++] = item;
    }
    return PT_OK;
}

static pt_status read_settings(pt__ballista_options *out, char *list, pt_error *err)
{
    out->settings = calloc(count_items(list), sizeof(*out->settings));
    if (out->settings == NULL)
        return no_memory(err);
    for (char *rest = *list == '\0' ? NULL : list; rest != NULL;) {
        char *item = strsep(&rest, ",");
        char *equals = strchr(item, '=');
        if (equals == NULL || equals == item)
            return pt_error_set(err, PT_INVALID_ARGUMENT, "ballista.settings: \"%s\" is not of the form NAME=VALUE",
                                item);
        *equals = '\0';
        out->settings[out->setting_count++] = (pt__ballista_pair){item, equals + 1};
    }
    return PT_OK;
}

static pt_status read_lists(const pt_config *config, pt__ballista_options *out, pt_error *err)
{
    const char *schedulers = pt_config_string(config, "ballista.schedulers", "127.0.0.1:50050");
    const char *settings = pt_config_string(config, "ballista.settings", "");
    const char *directory = pt_config_string(config, "ballista.shared-directory", "");
    size_t size = strlen(schedulers) + 1;
    size_t directory_at = size + strlen(settings) + 1;
    out->memory = malloc(directory_at + strlen(directory) + 1);
    if (out->memory == NULL)
        return no_memory(err);
    memcpy(out->memory, schedulers, size);
    memcpy(out->memory + size, settings, strlen(settings) + 1);
    memcpy(out->memory + directory_at, directory, strlen(directory) + 1);
    out->shared_directory = out->memory + directory_at;
    if (*directory != '\0' && *directory != '/')
        return pt_error_set(err, PT_INVALID_ARGUMENT, "ballista.shared-directory: \"%s\" is no absolute path",
                            directory);
    PT_TRY(read_schedulers(out, out->memory, err));
    return read_settings(out, out->memory + size, err);
}

pt_status pt__ballista_options_read(const pt_config *config, pt__ballista_options *out, pt_error *err)
{
    memset(out, 0, sizeof(*out));
#define PT_LIMIT(field, key, kind, value, reason)                                                                      \
    PT_TRY(pt__limit_read(config, key, PT_LIMIT_##kind, value, &out->field, err));
#include "backend/ballista/limits.def"
#undef PT_LIMIT
    PT_TRY(pt_config_boolean(config, "ballista.push", false, &out->push, err));
    return read_lists(config, out, err);
}

void pt__ballista_options_deinit(pt__ballista_options *options)
{
    free(options->schedulers);
    free(options->settings);
    free(options->memory);
    memset(options, 0, sizeof(*options));
}
