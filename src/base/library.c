#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

/* POSIX has dlsym answer an object pointer for a function; a copy of the bytes is the cast that C lacks. */
static pt_status find(void *library, const char *name, const pt__library_symbol *symbol, pt_error *err)
{
    void *found = dlsym(library, symbol->name);
    if (found == NULL)
        return pt_error_set(err, PT_UNAVAILABLE, "%s has no %s: install the version that Portico was built with", name,
                            symbol->name);
    memcpy(symbol->at, &found, sizeof(found));
    return PT_OK;
}

pt_status pt__library_open(const char *name, const pt__library_symbol *symbols, size_t count, void **handle,
                           pt_error *err)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL)
        return pt_error_set(err, PT_UNAVAILABLE, "cannot load a library, install it: %s", dlerror());
    for (size_t i = 0; i < count; i++) {
        pt_status status = find(library, name, &symbols[i], err);
        if (status != PT_OK) {
            dlclose(library);
            return status;
        }
    }
    *handle = library;
    return PT_OK;
}

void pt__library_close(void *handle)
{
    if (handle != NULL)
        dlclose(handle);
}
