/**
 * Time zones: offsets between instants (µs since 1970, UTC) and local times (µs since 1970-01-01T00:00 on the clock).
 *
 * Names are those that Spark takes: regions of the tz database ("Europe/Berlin"), "UTC", "GMT", "Z", offsets ("+05:30",
 * "-8", "+0530", "UTC+1", "GMT-03:00", up to 18 hours) and Java's three-letter names ("PST", "JST"). Names of regions
 * compare with case.
 *
 * Threads: a pt__zones may be used from any thread; zones are immutable and live as long as it.
 * Spec:    RFC 9636 (TZif); java.time.ZoneId for names.
 */
#ifndef PT_BASE_TIMEZONE_H
#define PT_BASE_TIMEZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pt__zones pt__zones;
typedef struct pt__zone pt__zone;

enum { PT_ZONE_NAME_MAX = 64, PT_ZONE_OFFSET_TEXT_MAX = 16 };

/** `directory` of the tz database; NULL: the system's. NULL when memory is exhausted. */
pt__zones *pt__zones_new(const char *directory);
void pt__zones_free(pt__zones *zones);

/** NULL when there is no zone of that name. */
const pt__zone *pt__zones_find(pt__zones *zones, const char *name);

/** Whether Spark would take the name; reads no more than pt__zones_find. */
bool pt__zones_is_valid(pt__zones *zones, const char *name);

/** The IANA name of the machine's own zone, "Etc/UTC" when it cannot be told. */
void pt__zones_system_name(char out[PT_ZONE_NAME_MAX]);

/** As it was looked up. */
const char *pt__zone_name(const pt__zone *zone);

/** Whether every instant has the same offset, which is then that of instant 0. */
bool pt__zone_is_fixed(const pt__zone *zone);

/** Seconds east of UTC that a clock shows at the instant. */
int32_t pt__zone_offset_seconds(const pt__zone *zone, int64_t instant_us);
bool pt__zone_is_daylight_saving(const pt__zone *zone, int64_t instant_us);
/** "CET", "+03" …; lives as long as the zone. */
const char *pt__zone_abbreviation(const pt__zone *zone, int64_t instant_us);

/** What the clock shows. Saturates at the ends of the range. */
int64_t pt__zone_to_local(const pt__zone *zone, int64_t instant_us);

/** The instant of a local time: one that is skipped moves forward by the gap, of one that occurs twice the first. */
int64_t pt__zone_to_instant(const pt__zone *zone, int64_t local_us);

/** "Z" for 0 if `z_for_zero`, "+05:30", "-08:00", with seconds only where there are some. */
size_t pt__zone_format_offset(int32_t offset_seconds, bool z_for_zero, char out[PT_ZONE_OFFSET_TEXT_MAX]);

#endif
