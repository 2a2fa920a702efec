/**
 * How a thread that waits for sockets is told to stop, and the clock it waits by.
 *
 * Threads: raise and is_raised from any; the rest from the one that waits.
 */
#ifndef PT_BACKEND_BALLISTA_WAKE_H
#define PT_BACKEND_BALLISTA_WAKE_H

#include "base/monotonic.h"

#include <portico/error.h>

#include <stdatomic.h>

typedef struct pt__wake {
    int fd; /* readable once it was raised; -1: none */
    atomic_bool is_raised;
} pt__wake;

/** Errors: PT_UNAVAILABLE when the process has no descriptor left. */
pt_status pt__wake_init(pt__wake *wake, pt_error *err);
void pt__wake_deinit(pt__wake *wake);

void pt__wake_raise(pt__wake *wake);
bool pt__wake_is_raised(const pt__wake *wake);

/** Waits until then (base/monotonic.h), or until it is raised. */
void pt__wake_sleep(pt__wake *wake, uint64_t until_ms);

/** `ms` from now; UINT64_MAX when that is beyond it. */
uint64_t pt__ms_from_now(uint64_t ms);

#endif
