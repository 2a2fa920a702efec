/**
 * What the sessions and operations of one Ballista backend share.
 *
 * Threads: any; what changes guards itself.
 */
#ifndef PT_BACKEND_BALLISTA_CLUSTER_H
#define PT_BACKEND_BALLISTA_CLUSTER_H

#include "backend/ballista/pool.h"

#include <portico/backend.h>

#include <stdatomic.h>

#define PT_FORMAT_DATAFUSION_LOGICAL "datafusion.logical_plan.v54"
#define PT_FORMAT_DATAFUSION_PHYSICAL "datafusion.physical_plan.v54"

typedef struct pt__ballista {
    pt__ballista_options options;
    pt__pool pool;
    atomic_size_t scheduler; /* the one that answered last */
    const pt_env *env;
} pt__ballista;

#endif
