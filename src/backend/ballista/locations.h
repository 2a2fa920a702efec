/**
 * Where the partitions of a result are, as the scheduler of a finished job tells it.
 */
#ifndef PT_BACKEND_BALLISTA_LOCATIONS_H
#define PT_BACKEND_BALLISTA_LOCATIONS_H

#include "backend/ballista/remote_job.h"

/**
 * Those that have rows, by partition; the first one alone when none has, for its columns. `scheduler` is the address
 * that answered: it may serve the results itself. Errors: PT_BAD_MESSAGE.
 */
pt_status pt__locations_read(pt__arena *arena, const Ballista__Protobuf__GetJobStatusResult *result,
                             const char *scheduler, const pt__location **out, size_t *count, pt_error *err);

#endif
