/**
 * Patterns for dates and times, as to_timestamp and date_format take them: yyyy-MM-dd HH:mm:ss.
 *
 * Source: java.time.format.DateTimeFormatterBuilder.appendPattern with strict resolution, and Spark's restrictions:
 * week-based letters, A B n N p, in parsing also E F q Q, and narrow text are refused.
 * Threads: a compiled pattern is immutable.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_TIME_PATTERN_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_TIME_PATTERN_H

#include "base/buffer.h"
#include "base/condition.h"
#include "base/timezone.h"

typedef enum pt__time_field {
    PT__FIELD_ERA,
    PT__FIELD_YEAR, /* proleptic: 0 is 1 BC */
    PT__FIELD_YEAR_OF_ERA,
    PT__FIELD_QUARTER,
    PT__FIELD_MONTH,
    PT__FIELD_DAY_OF_YEAR,
    PT__FIELD_DAY,
    PT__FIELD_WEEK_OF_MONTH, /* F: 1 to 5, counted from the first of the month */
    PT__FIELD_WEEKDAY,
    PT__FIELD_AMPM,
    PT__FIELD_CLOCK_HOUR_OF_AMPM, /* h: 1 to 12 */
    PT__FIELD_HOUR_OF_AMPM,       /* K: 0 to 11 */
    PT__FIELD_CLOCK_HOUR,         /* k: 1 to 24 */
    PT__FIELD_HOUR,
    PT__FIELD_MINUTE,
    PT__FIELD_SECOND,
    PT__FIELD_NANO,
    PT__FIELD_COUNT
} pt__time_field;

typedef enum pt__time_item_kind {
    PT__ITEM_LITERAL,
    PT__ITEM_NUMBER,
    PT__ITEM_REDUCED_YEAR, /* two digits, 2000 to 2099 */
    PT__ITEM_FRACTION,     /* of a second */
    PT__ITEM_TEXT,
    PT__ITEM_ZONE_ID,
    PT__ITEM_ZONE_NAME,
    PT__ITEM_OFFSET,
    PT__ITEM_LOCALIZED_OFFSET, /* GMT+1 */
    PT__ITEM_OPTIONAL,         /* up to its PT__ITEM_OPTIONAL_END */
    PT__ITEM_OPTIONAL_END
} pt__time_item_kind;

typedef enum pt__sign_style { PT__SIGN_NEVER, PT__SIGN_NORMAL, PT__SIGN_EXCEEDS_PAD } pt__sign_style;

typedef struct pt__time_item {
    pt__time_item_kind kind;
    pt__time_field field;
    int min_width;
    int max_width;
    pt__sign_style sign;
    int subsequent_width; /* digits that adjacent numbers after this one take */
    bool full;            /* text, zone names, localized offsets: the long form */
    int letters;          /* offsets: their number; negative: small letters x, which have no Z */
    size_t end;           /* optional: index of its end */
    size_t literal;       /* literal: offset and size in the pattern's text */
    size_t literal_bytes;
} pt__time_item;

typedef struct pt__time_pattern {
    pt__time_item *items;
    size_t item_count;
    size_t item_capacity;
    pt__buffer text;
} pt__time_pattern;

/** Why a pattern was refused. */
typedef struct pt__time_pattern_error {
    pt__condition_id condition;
    char letter;
} pt__time_pattern_error;

/** NULL when refused, or without memory: then the condition is PT_COND_COUNT. */
pt__time_pattern *pt__time_pattern_new(const char *pattern, bool parsing, pt__time_pattern_error *error);
void pt__time_pattern_free(void *pattern);

/** Appends an instant as clocks of the zone show it. False when a zone's long name is not known here. */
bool pt__time_pattern_format(const pt__time_pattern *pattern, int64_t instant_us, const pt__zone *zone,
                             pt__buffer *out);

enum { PT__TIME_PROBLEM_MAX = 192 };

typedef struct pt__time_parsed {
    int64_t local_us;
    const pt__zone *zone;   /* NULL: the text named none */
    int32_t offset_seconds; /* of the text, when has_offset */
    bool has_offset;
    char problem[PT__TIME_PROBLEM_MAX]; /* Java's words about a text that does not fit */
} pt__time_parsed;

bool pt__time_pattern_parse(const pt__time_pattern *pattern, pt__zones *zones, const char *text, size_t size_bytes,
                            pt__time_parsed *out);

#endif
