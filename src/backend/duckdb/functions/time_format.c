/* Dates and times to text by a pattern. */
#include "backend/duckdb/functions/time_pattern.h"

#include "backend/duckdb/functions/time_names.h"
#include "base/civil.h"

#include <stdlib.h>
#include <string.h>

typedef struct formatter {
    pt__buffer *out;
    int64_t instant_us;
    const pt__zone *zone;
    pt__civil_time time;
    int64_t days;
} formatter;

static int64_t field_value(const formatter *f, pt__time_field field)
{
    const pt__civil_time *t = &f->time;
    switch (field) {
    case PT__FIELD_ERA: return t->date.year > 0;
    case PT__FIELD_YEAR: return t->date.year;
    case PT__FIELD_YEAR_OF_ERA: return t->date.year > 0 ? t->date.year : 1 - t->date.year;
    case PT__FIELD_QUARTER: return (t->date.month + 2) / 3;
    case PT__FIELD_MONTH: return t->date.month;
    case PT__FIELD_DAY_OF_YEAR: return pt__civil_day_of_year(f->days);
    case PT__FIELD_DAY: return t->date.day;
    case PT__FIELD_WEEK_OF_MONTH: return (t->date.day - 1) % 7 + 1;
    case PT__FIELD_WEEKDAY: return pt__civil_weekday(f->days);
    case PT__FIELD_AMPM: return t->hour / 12;
    case PT__FIELD_CLOCK_HOUR_OF_AMPM: return (t->hour + 11) % 12 + 1;
    case PT__FIELD_HOUR_OF_AMPM: return t->hour % 12;
    case PT__FIELD_CLOCK_HOUR: return t->hour == 0 ? 24 : t->hour;
    case PT__FIELD_HOUR: return t->hour;
    case PT__FIELD_MINUTE: return t->minute;
    case PT__FIELD_SECOND: return t->second;
    case PT__FIELD_NANO: return (int64_t)t->microsecond * 1000;
    case PT__FIELD_COUNT: break;
    }
    return 0;
}

/** At least `width` digits. */
static void append_digits(pt__buffer *out, uint64_t value, int width)
{
    char digits[24];
    size_t at = sizeof(digits);
    for (; value != 0 || width > 0; value /= 10, width--)
        digits[--at] = (char)('0' + value % 10);
    pt__buffer_append(out, digits + at, sizeof(digits) - at);
}

static bool exceeds_pad(uint64_t value, int width)
{
    for (; width > 0; width--)
        value /= 10;
    return value != 0;
}

static void append_number(const formatter *f, const pt__time_item *item)
{
    int64_t value = field_value(f, item->field);
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    if (value < 0)
        pt__buffer_append_byte(f->out, '-');
    else if (item->sign == PT__SIGN_EXCEEDS_PAD && exceeds_pad(magnitude, item->min_width))
        pt__buffer_append_byte(f->out, '+');
    append_digits(f->out, magnitude, item->min_width);
}

static void append_fraction(const formatter *f, const pt__time_item *item)
{
    uint64_t nanos = (uint64_t)field_value(f, PT__FIELD_NANO);
    for (int digits = 9; digits > item->max_width; digits--)
        nanos /= 10;
    append_digits(f->out, nanos, item->max_width);
}

/** X: +HH[MM], XX +HHMM, XXX +HH:MM, XXXX and XXXXX with seconds where there are some. */
static void append_offset(const formatter *f, const pt__time_item *item)
{
    int32_t offset = pt__zone_offset_seconds(f->zone, f->instant_us);
    int letters = abs(item->letters);
    int32_t size = abs(offset);
    if (offset == 0 && item->letters > 0) {
        pt__buffer_append_byte(f->out, 'Z');
        return;
    }
    const char *colon = letters == 3 || letters == 5 ? ":" : "";
    pt__buffer_printf(f->out, "%c%02d", offset < 0 ? '-' : '+', size / 3600);
    if (letters > 1 || size / 60 % 60 != 0)
        pt__buffer_printf(f->out, "%s%02d", colon, size / 60 % 60);
    if (letters > 3 && size % 60 != 0)
        pt__buffer_printf(f->out, "%s%02d", colon, size % 60);
}

static void append_localized_offset(const formatter *f, const pt__time_item *item)
{
    int32_t offset = pt__zone_offset_seconds(f->zone, f->instant_us);
    int32_t size = abs(offset);
    pt__buffer_append_string(f->out, "GMT");
    if (offset == 0)
        return;
    pt__buffer_printf(f->out, item->full ? "%c%02d" : "%c%d", offset < 0 ? '-' : '+', size / 3600);
    if (item->full || size / 60 % 60 != 0 || size % 60 != 0)
        pt__buffer_printf(f->out, ":%02d", size / 60 % 60);
    if (size % 60 != 0)
        pt__buffer_printf(f->out, ":%02d", size % 60);
}

static bool append_zone_name(const formatter *f, const pt__time_item *item)
{
    const char *name = pt__zone_name(f->zone);
    bool offset_only = name[0] == '+' || name[0] == '-' || strcmp(name, "Z") == 0;
    if (item->full)
        name = pt__zone_full_name(f->zone, f->instant_us);
    else if (!offset_only)
        name = pt__zone_abbreviation(f->zone, f->instant_us);
    if (name != NULL)
        pt__buffer_append_string(f->out, name);
    return name != NULL;
}

static bool append_item(const formatter *f, const pt__time_pattern *pattern, const pt__time_item *item)
{
    switch (item->kind) {
    case PT__ITEM_LITERAL: pt__buffer_append(f->out, pattern->text.data + item->literal, item->literal_bytes); break;
    case PT__ITEM_NUMBER: append_number(f, item); break;
    case PT__ITEM_REDUCED_YEAR:
        append_digits(f->out, (uint64_t)abs((int)(field_value(f, item->field) % 100)), 2);
        break;
    case PT__ITEM_FRACTION: append_fraction(f, item); break;
    case PT__ITEM_TEXT:
        pt__buffer_append_string(f->out, pt__time_name(item->field, field_value(f, item->field), item->full));
        break;
    case PT__ITEM_ZONE_ID: pt__buffer_append_string(f->out, pt__zone_name(f->zone)); break;
    case PT__ITEM_ZONE_NAME: return append_zone_name(f, item);
    case PT__ITEM_OFFSET: append_offset(f, item); break;
    case PT__ITEM_LOCALIZED_OFFSET: append_localized_offset(f, item); break;
    case PT__ITEM_OPTIONAL:
    case PT__ITEM_OPTIONAL_END: break;
    }
    return true;
}

bool pt__time_pattern_format(const pt__time_pattern *pattern, int64_t instant_us, const pt__zone *zone, pt__buffer *out)
{
    int64_t local_us = pt__zone_to_local(zone, instant_us);
    const formatter f = {out, instant_us, zone, pt__civil_from_micros(local_us),
                         pt__floor_divide(local_us, PT_MICROS_PER_DAY)};
    for (size_t i = 0; i < pattern->item_count; i++)
        if (!append_item(&f, pattern, &pattern->items[i]))
            return false;
    return true;
}
