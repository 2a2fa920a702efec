#include "base/tzif.h"

#include "base/civil.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 44, FILE_MAX_BYTES = 256 * 1024, TYPE_BYTES = 6, ABBREVIATION_MAX = 12, SECONDS_PER_DAY = 86400 };

/* When in a year a rule of the footer takes effect. */
typedef enum day_rule { DAY_OF_YEAR_WITHOUT_LEAP, DAY_OF_YEAR, WEEKDAY_OF_MONTH } day_rule;

typedef struct switch_rule {
    day_rule kind;
    int32_t day; /* day of year; weekday, 0 Sunday */
    int32_t month;
    int32_t week;   /* 1 to 5, 5 the last */
    int32_t time_s; /* local seconds after midnight, may be negative or over a day */
} switch_rule;

typedef struct footer {
    bool is_set;
    bool has_daylight_saving;
    char standard_name[ABBREVIATION_MAX];
    char daylight_name[ABBREVIATION_MAX];
    int32_t standard_offset_s;
    int32_t daylight_offset_s;
    switch_rule start;
    switch_rule end;
} footer;

typedef struct transition {
    int64_t at_s;
    uint8_t type;
} transition;

struct pt__tzif {
    transition *transitions; /* without repetitions of the period before */
    size_t transition_count;
    pt__tzif_period *types;
    size_t type_count;
    char *names;
    footer rule;
};

/* ---- reading ---- */

typedef struct counts {
    uint32_t utc_flags;
    uint32_t standard_flags;
    uint32_t leaps;
    uint32_t times;
    uint32_t types;
    uint32_t name_bytes;
} counts;

static uint32_t read_u32(const uint8_t *data)
{
    return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

static int64_t read_i64(const uint8_t *data)
{
    return (int64_t)((uint64_t)read_u32(data) << 32 | read_u32(data + 4));
}

static bool read_header(pt_bytes_view file, counts *out)
{
    if (file.size_bytes < HEADER_BYTES || memcmp(file.data, "TZif", 4) != 0 || file.data[4] < '2')
        return false;
    const uint8_t *c = file.data + 20;
    *out =
        (counts){read_u32(c), read_u32(c + 4), read_u32(c + 8), read_u32(c + 12), read_u32(c + 16), read_u32(c + 20)};
    return out->times < FILE_MAX_BYTES && out->types < FILE_MAX_BYTES && out->name_bytes < FILE_MAX_BYTES &&
           out->leaps < FILE_MAX_BYTES && out->utc_flags < FILE_MAX_BYTES && out->standard_flags < FILE_MAX_BYTES;
}

static size_t block_bytes(const counts *c, size_t time_bytes)
{
    return c->times * (time_bytes + 1) + c->types * (size_t)TYPE_BYTES + c->name_bytes + c->leaps * (time_bytes + 4) +
           c->standard_flags + c->utc_flags;
}

static bool read_types(pt__tzif *tzif, const counts *c, const uint8_t *data, const uint8_t *names)
{
    tzif->types = calloc(c->types, sizeof(*tzif->types));
    tzif->names = calloc(c->name_bytes + 1, 1);
    if (tzif->types == NULL || tzif->names == NULL)
        return false;
    memcpy(tzif->names, names, c->name_bytes);
    tzif->type_count = c->types;
    for (uint32_t i = 0; i < c->types; i++, data += TYPE_BYTES) {
        if (data[5] >= c->name_bytes)
            return false;
        tzif->types[i] = (pt__tzif_period){(int32_t)read_u32(data), data[4] != 0, tzif->names + data[5]};
        if (abs(tzif->types[i].offset_seconds) > 2 * SECONDS_PER_DAY)
            return false;
    }
    return true;
}

static bool read_transitions(pt__tzif *tzif, const counts *c, const uint8_t *times, const uint8_t *types)
{
    tzif->transitions = calloc(c->times + 1, sizeof(*tzif->transitions));
    if (tzif->transitions == NULL)
        return false;
    int64_t previous = INT64_MIN;
    for (uint32_t i = 0; i < c->times; i++) {
        int64_t at = read_i64(times + i * 8);
        if (at < previous || types[i] >= c->types)
            return false;
        previous = at;
        tzif->transitions[tzif->transition_count++] = (transition){at, types[i]};
    }
    return true;
}

/* ---- the footer: a POSIX TZ string ---- */

static bool take_name(const char **text, char out[ABBREVIATION_MAX])
{
    const char *start = *text;
    bool quoted = *start == '<';
    if (quoted)
        start++;
    const char *end = start;
    while (*end != '\0' && (quoted ? *end != '>' : isalpha((unsigned char)*end)))
        end++;
    size_t length = (size_t)(end - start);
    if (length < 1 || length >= ABBREVIATION_MAX || (quoted && *end != '>'))
        return false;
    memcpy(out, start, length);
    out[length] = '\0';
    *text = quoted ? end + 1 : end;
    return true;
}

static bool take_integer(const char **text, int32_t max, int32_t *out)
{
    if (!isdigit((unsigned char)**text))
        return false;
    *out = 0;
    while (isdigit((unsigned char)**text)) {
        *out = *out * 10 + (*(*text)++ - '0');
        if (*out > max)
            return false;
    }
    return true;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool take_time(const char **text, int32_t *out)
{
    int32_t sign = **text == '-' ? -1 : 1;
    if (**text == '-' || **text == '+')
        (*text)++;
    int32_t hours;
    int32_t minutes = 0;
    int32_t seconds = 0;
    if (!take_integer(text, 167, &hours))
        return false;
    if (**text == ':' && ((*text)++, !take_integer(text, 59, &minutes)))
        return false;
    if (**text == ':' && ((*text)++, !take_integer(text, 59, &seconds)))
        return false;
    *out = sign * (hours * 3600 + minutes * 60 + seconds);
    return true;
}

static bool take_month_rule(const char **text, switch_rule *out)
{
    out->kind = WEEKDAY_OF_MONTH;
    return take_integer(text, 12, &out->month) && out->month >= 1 && *(*text)++ == '.' &&
           take_integer(text, 5, &out->week) && out->week >= 1 && *(*text)++ == '.' && take_integer(text, 6, &out->day);
}

static bool take_switch(const char **text, switch_rule *out)
{
    bool taken;
    if (**text == 'M') {
        (*text)++;
        taken = take_month_rule(text, out);
    } else {
        out->kind = **text == 'J' ? DAY_OF_YEAR_WITHOUT_LEAP : DAY_OF_YEAR;
        if (**text == 'J')
            (*text)++;
        taken = take_integer(text, 365, &out->day);
    }
    out->time_s = 2 * 3600;
    if (taken && **text == '/')
        taken = ((*text)++, take_time(text, &out->time_s));
    return taken;
}

static bool parse_footer(const char *text, footer *out)
{
    if (!take_name(&text, out->standard_name) || !take_time(&text, &out->standard_offset_s))
        return false;
    out->standard_offset_s = -out->standard_offset_s; /* POSIX counts west of Greenwich */
    out->is_set = true;
    if (*text == '\0')
        return true;
    out->has_daylight_saving = true;
    out->daylight_offset_s = out->standard_offset_s + 3600;
    if (!take_name(&text, out->daylight_name))
        return false;
    if (*text != ',' && *text != '\0') {
        if (!take_time(&text, &out->daylight_offset_s))
            return false;
        out->daylight_offset_s = -out->daylight_offset_s;
    }
    return *text++ == ',' && take_switch(&text, &out->start) && *text++ == ',' && take_switch(&text, &out->end) &&
           *text == '\0';
}

static bool read_footer(pt__tzif *tzif, pt_bytes_view rest)
{
    char text[128];
    if (rest.size_bytes < 2 || rest.data[0] != '\n')
        return false;
    const uint8_t *end = memchr(rest.data + 1, '\n', rest.size_bytes - 1);
    if (end == NULL || (size_t)(end - rest.data) > sizeof(text))
        return false;
    size_t length = (size_t)(end - rest.data) - 1;
    memcpy(text, rest.data + 1, length);
    text[length] = '\0';
    return length == 0 || parse_footer(text, &tzif->rule);
}

static bool read_file(pt__tzif *tzif, pt_bytes_view file)
{
    counts c;
    if (!read_header(file, &c) || file.size_bytes - HEADER_BYTES < block_bytes(&c, 4))
        return false;
    size_t skipped = HEADER_BYTES + block_bytes(&c, 4); /* the block of 32-bit times */
    file = (pt_bytes_view){file.data + skipped, file.size_bytes - skipped};
    if (!read_header(file, &c) || c.types == 0 || file.size_bytes - HEADER_BYTES < block_bytes(&c, 8))
        return false;
    const uint8_t *times = file.data + HEADER_BYTES;
    const uint8_t *type_indexes = times + c.times * 8;
    const uint8_t *types = type_indexes + c.times;
    size_t used = HEADER_BYTES + block_bytes(&c, 8);
    return read_types(tzif, &c, types, types + c.types * (size_t)TYPE_BYTES) &&
           read_transitions(tzif, &c, times, type_indexes) &&
           read_footer(tzif, (pt_bytes_view){file.data + used, file.size_bytes - used});
}

pt__tzif *pt__tzif_parse(pt_bytes_view file)
{
    pt__tzif *tzif = calloc(1, sizeof(*tzif));
    if (tzif != NULL && !read_file(tzif, file)) {
        pt__tzif_free(tzif);
        return NULL;
    }
    return tzif;
}

pt__tzif *pt__tzif_load(const char *path)
{
    FILE *file = fopen(path, "rbe");
    uint8_t *data = file == NULL ? NULL : malloc(FILE_MAX_BYTES);
    if (data == NULL) {
        if (file != NULL)
            fclose(file);
        return NULL;
    }
    size_t size = fread(data, 1, FILE_MAX_BYTES, file);
    fclose(file);
    pt__tzif *tzif = pt__tzif_parse((pt_bytes_view){data, size});
    free(data);
    return tzif;
}

void pt__tzif_free(pt__tzif *tzif)
{
    if (tzif == NULL)
        return;
    free(tzif->transitions);
    free(tzif->types);
    free(tzif->names);
    free(tzif);
}

/* ---- lookup ---- */

static pt__tzif_period standard_period(const footer *rule)
{
    return (pt__tzif_period){rule->standard_offset_s, false, rule->standard_name};
}

static pt__tzif_period daylight_period(const footer *rule)
{
    return (pt__tzif_period){rule->daylight_offset_s, true, rule->daylight_name};
}

/* Local seconds since 1970 at which the rule takes effect in a year. */
static int64_t switch_local_s(const switch_rule *rule, int64_t year)
{
    int64_t day = 0;
    switch (rule->kind) {
    case DAY_OF_YEAR_WITHOUT_LEAP:
        day = pt__civil_to_days(year, 1, 1) + rule->day - 1 + (rule->day > 59 && pt__civil_is_leap_year(year) ? 1 : 0);
        break;
    case DAY_OF_YEAR: day = pt__civil_to_days(year, 1, 1) + rule->day; break;
    case WEEKDAY_OF_MONTH: {
        int64_t first = pt__civil_to_days(year, rule->month, 1);
        int32_t first_weekday = pt__civil_weekday(first) % 7;
        int32_t in_month = (rule->day - first_weekday + 7) % 7 + (rule->week - 1) * 7;
        if (in_month >= pt__civil_days_in_month(year, rule->month))
            in_month -= 7;
        day = first + in_month;
        break;
    }
    }
    return day * SECONDS_PER_DAY + rule->time_s;
}

typedef struct year_switches {
    int64_t start_s; /* daylight saving begins, UTC */
    int64_t end_s;
} year_switches;

static year_switches switches_of(const footer *rule, int64_t year)
{
    return (year_switches){switch_local_s(&rule->start, year) - rule->standard_offset_s,
                           switch_local_s(&rule->end, year) - rule->daylight_offset_s};
}

static pt__tzif_period footer_at(const footer *rule, int64_t instant_s)
{
    if (!rule->has_daylight_saving)
        return standard_period(rule);
    int64_t local = instant_s + rule->standard_offset_s;
    year_switches s = switches_of(rule, pt__civil_from_days(pt__floor_divide(local, SECONDS_PER_DAY)).year);
    bool daylight = s.start_s < s.end_s ? instant_s >= s.start_s && instant_s < s.end_s
                                        : instant_s >= s.start_s || instant_s < s.end_s;
    return daylight ? daylight_period(rule) : standard_period(rule);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The first local time that certainly belongs to what follows a transition. */
static int64_t local_cutoff(int64_t at_s, int32_t before_s, int32_t after_s)
{
    return at_s + larger(before_s, after_s);
}

static pt__tzif_period footer_at_local(const footer *rule, int64_t local_s)
{
    if (!rule->has_daylight_saving)
        return standard_period(rule);
    year_switches s = switches_of(rule, pt__civil_from_days(pt__floor_divide(local_s, SECONDS_PER_DAY)).year);
    int64_t start = local_cutoff(s.start_s, rule->standard_offset_s, rule->daylight_offset_s);
    int64_t end = local_cutoff(s.end_s, rule->daylight_offset_s, rule->standard_offset_s);
    bool daylight = start < end ? local_s >= start && local_s < end : local_s >= start || local_s < end;
    return daylight ? daylight_period(rule) : standard_period(rule);
}

static const pt__tzif_period *period_before(const pt__tzif *tzif, size_t index)
{
    return &tzif->types[index == 0 ? 0 : tzif->transitions[index - 1].type];
}

pt__tzif_period pt__tzif_at(const pt__tzif *tzif, int64_t instant_s)
{
    size_t low = 0;
    size_t high = tzif->transition_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tzif->transitions[middle].at_s <= instant_s)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tzif->transition_count && tzif->rule.is_set)
        return footer_at(&tzif->rule, instant_s);
    return *period_before(tzif, low);
}

pt__tzif_period pt__tzif_at_local(const pt__tzif *tzif, int64_t local_s)
{
    size_t low = 0;
    size_t high = tzif->transition_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const transition *t = &tzif->transitions[middle];
        int64_t cutoff =
            local_cutoff(t->at_s, period_before(tzif, middle)->offset_seconds, tzif->types[t->type].offset_seconds);
        if (cutoff <= local_s)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == tzif->transition_count && tzif->rule.is_set)
        return footer_at_local(&tzif->rule, local_s);
    return *period_before(tzif, low);
}
