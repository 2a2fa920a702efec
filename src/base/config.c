#include <portico/config.h>

#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pt_config {
    pt__map values;
};

typedef struct unit {
    const char *suffix;
    uint64_t factor;
} unit;

pt_status pt_config_new(pt_config **out, pt_error *err)
{
    pt_config *config = calloc(1, sizeof(*config));
    if (config == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a configuration");
    *out = config;
    return PT_OK;
}

void pt_config_free(pt_config *config)
{
    if (config == NULL)
        return;
    size_t position = 0;
    const char *name;
    void *value;
    while (pt__map_next(&config->values, &position, &name, &value))
        free(value);
    pt__map_deinit(&config->values);
    free(config);
}

pt_status pt_config_set(pt_config *config, const char *name, const char *value, pt_error *err)
{
    char *copy = strdup(value);
    void *old = NULL;
    if (copy == NULL || !pt__map_set(&config->values, name, copy, &old)) {
        free(copy);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the value of %s", name);
    }
    free(old);
    return PT_OK;
}

const char *pt_config_string(const pt_config *config, const char *name, const char *fallback)
{
    const char *value = config == NULL ? NULL : pt__map_get(&config->values, name);
    return value == NULL ? fallback : value;
}

pt_status pt_config_integer(const pt_config *config, const char *name, int64_t fallback, int64_t *out, pt_error *err)
{
    const char *text = pt_config_string(config, name, NULL);
    if (text == NULL) {
        *out = fallback;
        return PT_OK;
    }
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "%s = \"%s\" is not a whole number", name, text);
    *out = value;
    return PT_OK;
}

pt_status pt_config_boolean(const pt_config *config, const char *name, bool fallback, bool *out, pt_error *err)
{
    const char *text = pt_config_string(config, name, NULL);
    if (text == NULL)
        *out = fallback;
    else if (strcmp(text, "true") == 0)
        *out = true;
    else if (strcmp(text, "false") == 0)
        *out = false;
    else
        return pt_error_set(err, PT_INVALID_ARGUMENT, "%s = \"%s\" is neither true nor false", name, text);
    return PT_OK;
}

/* Digits and an optional unit, "" being the first; false when it has another form or does not fit. */
static bool parse_quantity(const char *text, const unit *units, size_t unit_count, uint64_t *out)
{
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < unit_count; i++)
        if (strcmp(end, units[i].suffix) == 0)
            return !__builtin_mul_overflow((uint64_t)number, units[i].factor, out);
    return false;
}

pt_status pt_config_size(const pt_config *config, const char *name, uint64_t fallback_bytes, uint64_t *out,
                         pt_error *err)
{
    static const unit units[] = {{"", 1},           {"B", 1},          {"KiB", 1u << 10},
                                 {"MiB", 1u << 20}, {"GiB", 1u << 30}, {"TiB", 1ull << 40}};
    const char *text = pt_config_string(config, name, NULL);
    if (text == NULL)
        *out = fallback_bytes;
    else if (!parse_quantity(text, units, sizeof(units) / sizeof(units[0]), out))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "%s = \"%s\" is not a size such as 4096, 64KiB, 512MiB or 2GiB",
                            name, text);
    return PT_OK;
}

pt_status pt_config_duration(const pt_config *config, const char *name, uint64_t fallback_ms, uint64_t *out,
                             pt_error *err)
{
    static const unit units[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}};
    const char *text = pt_config_string(config, name, NULL);
    if (text == NULL)
        *out = fallback_ms;
    else if (!parse_quantity(text, units, sizeof(units) / sizeof(units[0]), out))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "%s = \"%s\" is not a time such as 250ms, 30s, 10min or 1h", name,
                            text);
    return PT_OK;
}
