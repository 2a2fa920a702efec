/**
 * Inferred schemas of files, kept as long as path, size and time of change stay the same.
 *
 * Threads: any.
 */
#ifndef PT_EXEC_SCHEMA_CACHE_H
#define PT_EXEC_SCHEMA_CACHE_H

#include "exec/host.h"
#include "plan/table.h"

typedef struct pt__schema_key {
    const pt_file_request *request;
    const pt_data_file *files; /* as many as the request has paths */
} pt__schema_key;

/** A copy in the arena. */
bool pt__schema_cache_find(pt_host *host, pt__arena *arena, const pt__schema_key *key, const pt_type **out);
/** Drops everything when full; without memory nothing is kept. */
void pt__schema_cache_store(pt_host *host, const pt__schema_key *key, const pt_type *schema);
/** REFRESH TABLE and the like. */
void pt__schema_cache_clear(pt_host *host);

#endif
