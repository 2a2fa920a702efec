/* A shared library that few programs need: loaded when it is, so that the others do not pay for it at their start.
   Source: POSIX.1-2017 dlopen. */
#ifndef PT_BASE_LIBRARY_H
#define PT_BASE_LIBRARY_H

#include <portico/error.h>

#include <stddef.h>

/* One function that is wanted: `at` is the function pointer that gets it. */
typedef struct pt__library_symbol {
    const char *name;
    void *at;
} pt__library_symbol;

/* `name` is the library's soname. PT_UNAVAILABLE names the library or the function that is missing. `*handle` is for
   pt__library_close; the code stays loaded until the process ends, as libraries leave destructors in threads. */
pt_status pt__library_open(const char *name, const pt__library_symbol *symbols, size_t count, void **handle,
                           pt_error *err);

/* NULL is nothing. */
void pt__library_close(void *handle);

#endif
