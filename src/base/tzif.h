/**
 * Zone rules from a file of the tz database: a table of transitions, then a rule that repeats every year.
 *
 * Threads: immutable once loaded.
 * Spec:    RFC 9636 (TZif) and POSIX TZ strings, which its footer uses.
 */
#ifndef PT_BASE_TZIF_H
#define PT_BASE_TZIF_H

#include <portico/bytes.h>

#include <stdbool.h>

typedef struct pt__tzif pt__tzif;

/** What clocks show in one stretch of time; strings live as long as the pt__tzif. */
typedef struct pt__tzif_period {
    int32_t offset_seconds; /* east of UTC */
    bool is_daylight_saving;
    const char *abbreviation;
} pt__tzif_period;

/** NULL when the file cannot be read, is no TZif file of version 2 or later, or is malformed. */
pt__tzif *pt__tzif_load(const char *path);
pt__tzif *pt__tzif_parse(pt_bytes_view file);
void pt__tzif_free(pt__tzif *tzif);

/** Seconds since 1970, UTC. */
pt__tzif_period pt__tzif_at(const pt__tzif *tzif, int64_t instant_s);

/** For a local time: in a gap and for the first of two occurrences what holds before the transition. */
pt__tzif_period pt__tzif_at_local(const pt__tzif *tzif, int64_t local_s);

#endif
