/**
 * What makes two queries have the same answer, as text.
 */
#ifndef PT_WRAP_CACHE_KEY_H
#define PT_WRAP_CACHE_KEY_H

#include "base/arena.h"
#include "plan/plan.h"

#include <portico/query.h>

/** The version of a table, or of all files that queries wrote: whoever keeps them counts writes. */
typedef struct pt__versions {
    uint64_t (*table)(void *context, const char *key);
    uint64_t (*files)(void *context);
    void *context;
} pt__versions;

/**
 * The canonical plan, what the query brings along, `user`, the versions of its tables and the identity of its files
 * (path, size, times, inode). NULL: its answer must not be kept, because it is not determined by these, or because a
 * file was changed so lately that its next change might not show. In the arena.
 */
const char *pt__cache_key(pt__arena *arena, const pt_query *query, const char *user, const pt__versions *versions);

#endif
