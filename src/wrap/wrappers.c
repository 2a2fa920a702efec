#include "wrap/wrappers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const pt_wrapper_vtable *const wrappers[] = {
    &pt_wrapper_authorize, &pt_wrapper_cache, &pt_wrapper_route, &pt_wrapper_trace, &pt_wrapper_validate,
};

const pt_wrapper_vtable *pt_wrapper_find(const char *name)
{
    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
        if (strcmp(wrappers[i]->name, name) == 0)
            return wrappers[i];
    return NULL;
}

/* The next word of a list separated by commas, without blanks around it; false at the end. */
static bool next_word(const char **list, const char **word, size_t *size)
{
    const char *at = *list + strspn(*list, ", ");
    *size = strcspn(at, ",");
    *list = at + *size;
    *word = at;
    while (*size > 0 && at[*size - 1] == ' ')
        (*size)--;
    return *size != 0;
}

bool pt__wrap_list_has(const char *list, const char *word)
{
    const char *item;
    size_t size;
    while (next_word(&list, &item, &size))
        if (strlen(word) == size && strncasecmp(item, word, size) == 0)
            return true;
    return false;
}

static pt_status add_one(pt_host *host, const char *backend, const char *name, const pt_config *config, pt_error *err)
{
    const pt_wrapper_vtable *wrapper = pt_wrapper_find(name);
    if (wrapper != NULL)
        return pt_host_add_wrapper(host, backend, wrapper, config, err);
    char known[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]) && used < sizeof(known); i++)
        used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i == 0 ? "" : ", ", wrappers[i]->name);
    return pt_error_set(err, PT_INVALID_ARGUMENT, "there is no wrapper \"%s\"; there are %s", name, known);
}

/* The last of the list first: it is the innermost. */
static pt_status add_rest(pt_host *host, const char *backend, const char *names, const pt_config *config, pt_error *err)
{
    const char *word;
    size_t size;
    if (!next_word(&names, &word, &size))
        return PT_OK;
    PT_TRY(add_rest(host, backend, names, config, err));
    char *name = strndup(word, size);
    if (name == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for wrappers");
    pt_status status = add_one(host, backend, name, config, err);
    free(name);
    return status;
}

pt_status pt_host_add_wrappers(pt_host *host, const char *backend, const char *names, const pt_config *config,
                               pt_error *err)
{
    return names == NULL ? PT_OK : add_rest(host, backend, names, config, err);
}
