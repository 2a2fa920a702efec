/**
 * Running code that allocates from an arena of its own: exhausted memory becomes a status.
 */
#ifndef PT_WRAP_GUARDED_H
#define PT_WRAP_GUARDED_H

#include "base/arena.h"

#include <portico/error.h>

/** run(context, arena, err) with the arena's guard set; PT_NO_MEMORY when it is exhausted. */
static inline pt_status pt__guarded(pt__arena *arena, pt_status (*run)(void *context, pt__arena *arena, pt_error *err),
                                    void *context, pt_error *err)
{
    if (PT_ARENA_GUARD(arena))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for what surrounds a query");
    pt_status status = run(context, arena, err);
    pt__arena_unguard(arena);
    return status;
}

#endif
