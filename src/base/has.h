/**
 * Tables and options of others may be older than ours, and shorter: whether a member is within the size that the other
 * side states, and set.
 */
#ifndef PT_BASE_HAS_H
#define PT_BASE_HAS_H

#include <stddef.h>
#include <string.h>

#define pt__knows(table, member)                                                                                       \
    ((table)->size_bytes >= (size_t)((const char *)&(table)->member - (const char *)(table)) + sizeof((table)->member))

#define pt__has(table, member) (pt__knows(table, member) && (table)->member != NULL)

/** Copies a struct of theirs that begins with size_bytes over ours, as far as both know it; `theirs` may be NULL. */
static inline void pt__copy_known(void *ours, size_t our_bytes, const void *theirs)
{
    size_t their_bytes = 0;
    if (theirs != NULL)
        memcpy(&their_bytes, theirs, sizeof(their_bytes));
    if (their_bytes != 0)
        memcpy(ours, theirs, their_bytes < our_bytes ? their_bytes : our_bytes);
}

#endif
