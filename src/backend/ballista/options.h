/**
 * What can be configured of the Ballista backend: the rows of limits.def, and what is no number.
 */
#ifndef PT_BACKEND_BALLISTA_OPTIONS_H
#define PT_BACKEND_BALLISTA_OPTIONS_H

#include <portico/config.h>

#include <stddef.h>

typedef struct pt__ballista_pair {
    const char *key;
    const char *value;
} pt__ballista_pair;

typedef struct pt__ballista_options {
#define PT_LIMIT(field, key, kind, value, reason) uint64_t field;
#include "backend/ballista/limits.def"
#undef PT_LIMIT
    bool push;                    /* "ballista.push": the scheduler tells how a job goes, instead of being asked */
    const char *shared_directory; /* "ballista.shared-directory": that the cluster sees, too; "": there is none */
    char **schedulers;            /* "ballista.schedulers": host:port */
    size_t scheduler_count;
    pt__ballista_pair *settings; /* "ballista.settings": of DataFusion and Ballista, with every query */
    size_t setting_count;
    char *memory; /* what the lists point into */
} pt__ballista_options;

/** Errors: PT_INVALID_ARGUMENT naming the key, PT_NO_MEMORY. Deinit in any case. */
pt_status pt__ballista_options_read(const pt_config *config, pt__ballista_options *out, pt_error *err);
void pt__ballista_options_deinit(pt__ballista_options *options);

#endif
