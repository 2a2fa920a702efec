#include "base/timezone.h"

#include "base/civil.h"
#include "base/map.h"
#include "base/tzif.h"

#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Java's short names, which Spark accepts. */
static const struct {
    const char *name;
    const char *meaning;
} SHORT_NAMES[] = {
    {"ACT", "Australia/Darwin"},
    {"AET", "Australia/Sydney"},
    {"AGT", "America/Argentina/Buenos_Aires"},
    {"ART", "Africa/Cairo"},
    {"AST", "America/Anchorage"},
    {"BET", "America/Sao_Paulo"},
    {"BST", "Asia/Dhaka"},
    {"CAT", "Africa/Harare"},
    {"CNT", "America/St_Johns"},
    {"CST", "America/Chicago"},
    {"CTT", "Asia/Shanghai"},
    {"EAT", "Africa/Addis_Ababa"},
    {"ECT", "Europe/Paris"},
    {"EST", "-05:00"},
    {"HST", "-10:00"},
    {"IET", "America/Indiana/Indianapolis"},
    {"IST", "Asia/Kolkata"},
    {"JST", "Asia/Tokyo"},
    {"MIT", "Pacific/Apia"},
    {"MST", "-07:00"},
    {"NET", "Asia/Yerevan"},
    {"NST", "Pacific/Auckland"},
    {"PLT", "Asia/Karachi"},
    {"PNT", "America/Phoenix"},
    {"PRT", "America/Puerto_Rico"},
    {"PST", "America/Los_Angeles"},
    {"SST", "Pacific/Guadalcanal"},
    {"VST", "Asia/Ho_Chi_Minh"},
};

struct pt__zone {
    char name[PT_ZONE_NAME_MAX];
    int32_t fixed_offset_seconds; /* when `rules` is NULL */
    char fixed_abbreviation[PT_ZONE_OFFSET_TEXT_MAX];
    pt__tzif *rules;
};

struct pt__zones {
    char *directory;
    pthread_mutex_t lock;
    pt__map by_name; /* pt__zone; names that do not exist are not kept */
};

enum { OFFSET_MAX_SECONDS = 18 * 3600 };
static const char SYSTEM_DIRECTORY[] = "/usr/share/zoneinfo";

pt__zones *pt__zones_new(const char *directory)
{
    pt__zones *zones = calloc(1, sizeof(*zones));
    if (zones == NULL)
        return NULL;
    zones->directory = strdup(directory == NULL ? SYSTEM_DIRECTORY : directory);
    if (zones->directory == NULL || pthread_mutex_init(&zones->lock, NULL) != 0) {
        free(zones->directory);
        free(zones);
        return NULL;
    }
    return zones;
}

static void free_zone(pt__zone *zone)
{
    pt__tzif_free(zone->rules);
    free(zone);
}

void pt__zones_free(pt__zones *zones)
{
    if (zones == NULL)
        return;
    size_t position = 0;
    const char *name;
    void *zone;
    while (pt__map_next(&zones->by_name, &position, &name, &zone))
        free_zone(zone);
    pt__map_deinit(&zones->by_name);
    pthread_mutex_destroy(&zones->lock);
    free(zones->directory);
    free(zones);
}

/* ---- names ---- */

/* One or two digits; `digits` says how many must be there, 0: either. */
static bool take_number(const char **text, int digits, int32_t *out)
{
    int count = 0;
    *out = 0;
    while (count < 2 && isdigit((unsigned char)**text)) {
        *out = *out * 10 + (*(*text)++ - '0');
        count++;
    }
    return digits == 0 ? count > 0 : count == digits;
}

/* [+-]h, hh, h:mm, hh:m, hh:mm, hhmm, hh:mm:ss, hhmmss; Spark fills up single digits before a colon and after one. */
static bool parse_offset(const char *text, int32_t *offset_seconds)
{
    if (*text != '+' && *text != '-')
        return false;
    bool negative = *text++ == '-';
    int32_t hours = 0;
    int32_t minutes = 0;
    int32_t seconds = 0;
    if (!take_number(&text, 0, &hours))
        return false;
    if (*text == ':') {
        text++;
        if (!take_number(&text, 0, &minutes) || (*text == ':' && (text++, !take_number(&text, 2, &seconds))))
            return false;
    } else if (*text != '\0') {
        if (!take_number(&text, 2, &minutes) || (*text != '\0' && !take_number(&text, 2, &seconds)))
            return false;
    }
    int32_t total = hours * 3600 + minutes * 60 + seconds;
    if (*text != '\0' || minutes > 59 || seconds > 59 || total > OFFSET_MAX_SECONDS)
        return false;
    *offset_seconds = negative ? -total : total;
    return true;
}

/* "UTC", "GMT+1", "Z", "+05:30": true when the name is an offset. */
static bool is_fixed_name(const char *name, int32_t *offset_seconds)
{
    *offset_seconds = 0;
    if (strcmp(name, "Z") == 0 || strcmp(name, "UTC") == 0 || strcmp(name, "GMT") == 0 || strcmp(name, "UT") == 0)
        return true;
    if (strncmp(name, "UTC", 3) == 0 || strncmp(name, "GMT", 3) == 0)
        return parse_offset(name + 3, offset_seconds);
    return parse_offset(strncmp(name, "UT", 2) == 0 ? name + 2 : name, offset_seconds);
}

/* Whether the name may be used as a path below the database: no way out of it, and none of its private folders. */
static bool is_region_name(const char *name)
{
    if (!isalpha((unsigned char)*name) || strncmp(name, "posix", 5) == 0 || strncmp(name, "right/", 6) == 0 ||
        strcmp(name, "localtime") == 0 || strcmp(name, "Factory") == 0 || strcmp(name, "leapseconds") == 0)
        return false;
    for (const char *c = name; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && strchr("_+-/", *c) == NULL)
            return false;
    }
    return true;
}

static pt__tzif *load_region(const char *directory, const char *name)
{
    char path[PATH_MAX];
    if (!is_region_name(name) || snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
        return NULL;
    return pt__tzif_load(path);
}

static const char *expand_short_name(const char *name)
{
    for (size_t i = 0; i < sizeof(SHORT_NAMES) / sizeof(SHORT_NAMES[0]); i++) {
        if (strcmp(SHORT_NAMES[i].name, name) == 0)
            return SHORT_NAMES[i].meaning;
    }
    return name;
}

static pt__zone *load_zone(const char *directory, const char *name)
{
    pt__zone *zone = calloc(1, sizeof(*zone));
    if (zone == NULL)
        return NULL;
    snprintf(zone->name, sizeof(zone->name), "%s", name);
    const char *meaning = expand_short_name(name);
    if (is_fixed_name(meaning, &zone->fixed_offset_seconds)) {
        if (zone->fixed_offset_seconds == 0)
            snprintf(zone->fixed_abbreviation, sizeof(zone->fixed_abbreviation), "UTC");
        else
            pt__zone_format_offset(zone->fixed_offset_seconds, false, zone->fixed_abbreviation);
        return zone;
    }
    zone->rules = load_region(directory, meaning);
    if (zone->rules == NULL) {
        free(zone);
        return NULL;
    }
    return zone;
}

const pt__zone *pt__zones_find(pt__zones *zones, const char *name)
{
    if (strlen(name) >= PT_ZONE_NAME_MAX)
        return NULL;
    pthread_mutex_lock(&zones->lock);
    pt__zone *zone = pt__map_get(&zones->by_name, name);
    if (zone == NULL) {
        zone = load_zone(zones->directory, name);
        if (zone != NULL && !pt__map_set(&zones->by_name, name, zone, NULL)) {
            free_zone(zone);
            zone = NULL;
        }
    }
    pthread_mutex_unlock(&zones->lock);
    return zone;
}

bool pt__zones_is_valid(pt__zones *zones, const char *name)
{
    return pt__zones_find(zones, name) != NULL;
}

static bool read_first_word(const char *path, char out[PT_ZONE_NAME_MAX])
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool found = fscanf(file, "%63s", out) == 1;
    fclose(file);
    return found;
}

/* Where the link that names the machine's zone points to, below the database. */
static bool read_zone_link(const char *path, char out[PT_ZONE_NAME_MAX])
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length <= 0)
        return false;
    target[length] = '\0';
    const char *name = strstr(target, "zoneinfo/");
    if (name == NULL || strlen(name + 9) >= PT_ZONE_NAME_MAX)
        return false;
    snprintf(out, PT_ZONE_NAME_MAX, "%.63s", name + 9);
    return true;
}

void pt__zones_system_name(char out[PT_ZONE_NAME_MAX])
{
    const char *variable = getenv("TZ");
    if (variable != NULL && *variable == ':')
        variable++;
    if (variable != NULL && *variable != '\0' && *variable != '/' && strlen(variable) < PT_ZONE_NAME_MAX) {
        snprintf(out, PT_ZONE_NAME_MAX, "%s", variable);
        return;
    }
    if (!read_zone_link("/etc/localtime", out) && !read_first_word("/etc/timezone", out))
        snprintf(out, PT_ZONE_NAME_MAX, "Etc/UTC");
}

/* ---- offsets ---- */

const char *pt__zone_name(const pt__zone *zone)
{
    return zone->name;
}

bool pt__zone_is_fixed(const pt__zone *zone)
{
    return zone->rules == NULL;
}

int32_t pt__zone_offset_seconds(const pt__zone *zone, int64_t instant_us)
{
    if (zone->rules == NULL)
        return zone->fixed_offset_seconds;
    return pt__tzif_at(zone->rules, pt__floor_divide(instant_us, PT_MICROS_PER_SECOND)).offset_seconds;
}

bool pt__zone_is_daylight_saving(const pt__zone *zone, int64_t instant_us)
{
    return zone->rules != NULL &&
           pt__tzif_at(zone->rules, pt__floor_divide(instant_us, PT_MICROS_PER_SECOND)).is_daylight_saving;
}

const char *pt__zone_abbreviation(const pt__zone *zone, int64_t instant_us)
{
    if (zone->rules == NULL)
        return zone->fixed_abbreviation;
    return pt__tzif_at(zone->rules, pt__floor_divide(instant_us, PT_MICROS_PER_SECOND)).abbreviation;
}

static int64_t add_saturated(int64_t micros, int32_t seconds)
{
    int64_t sum;
    if (__builtin_add_overflow(micros, seconds * PT_MICROS_PER_SECOND, &sum))
        return seconds > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

int64_t pt__zone_to_local(const pt__zone *zone, int64_t instant_us)
{
    return add_saturated(instant_us, pt__zone_offset_seconds(zone, instant_us));
}

int64_t pt__zone_to_instant(const pt__zone *zone, int64_t local_us)
{
    int32_t offset = zone->fixed_offset_seconds;
    if (zone->rules != NULL)
        offset = pt__tzif_at_local(zone->rules, pt__floor_divide(local_us, PT_MICROS_PER_SECOND)).offset_seconds;
    return add_saturated(local_us, -offset);
}

size_t pt__zone_format_offset(int32_t offset_seconds, bool z_for_zero, char out[PT_ZONE_OFFSET_TEXT_MAX])
{
    if (offset_seconds == 0 && z_for_zero)
        return (size_t)snprintf(out, PT_ZONE_OFFSET_TEXT_MAX, "Z");
    unsigned total = (unsigned)abs(offset_seconds) % 360000;
    char sign = offset_seconds < 0 ? '-' : '+';
    if (total % 60 == 0)
        return (size_t)snprintf(out, PT_ZONE_OFFSET_TEXT_MAX, "%c%02u:%02u", sign, total / 3600, total / 60 % 60);
    return (size_t)snprintf(out, PT_ZONE_OFFSET_TEXT_MAX, "%c%02u:%02u:%02u", sign, total / 3600, total / 60 % 60,
                            total % 60);
}
