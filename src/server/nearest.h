/**
 * Nearest: what a mistyped name was likely meant to be.
 */
#ifndef PT_SERVER_NEAREST_H
#define PT_SERVER_NEAREST_H

#include <stddef.h>

/** The name_at(0), name_at(1)... (NULL at the end) with the fewest edits to `name`; NULL when none is close. */
const char *pt__nearest(const char *name, const char *(*name_at)(size_t index));

#endif
