#include "backend/duckdb/functions/time_names.h"

#include <string.h>

static const char *const MONTHS[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};
static const char *const SHORT_MONTHS[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char *const WEEKDAYS[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
static const char *const SHORT_WEEKDAYS[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
static const char *const QUARTERS[] = {"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"};
static const char *const SHORT_QUARTERS[] = {"Q1", "Q2", "Q3", "Q4"};
static const char *const ERAS[] = {"Before Christ", "Anno Domini"};
static const char *const SHORT_ERAS[] = {"BC", "AD"};
static const char *const HALVES[] = {"AM", "PM"};

static const struct {
    pt__time_field field;
    int64_t first;
    int64_t count;
    const char *const *full;
    const char *const *brief;
} NAMES[] = {
    {PT__FIELD_MONTH, 1, 12, MONTHS, SHORT_MONTHS},
    {PT__FIELD_WEEKDAY, 1, 7, WEEKDAYS, SHORT_WEEKDAYS},
    {PT__FIELD_QUARTER, 1, 4, QUARTERS, SHORT_QUARTERS},
    {PT__FIELD_ERA, 0, 2, ERAS, SHORT_ERAS},
    {PT__FIELD_AMPM, 0, 2, HALVES, HALVES},
};

const char *pt__time_name(pt__time_field field, int64_t value, bool full)
{
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (NAMES[i].field != field)
            continue;
        int64_t index = value - NAMES[i].first;
        if (index < 0 || index >= NAMES[i].count)
            return NULL;
        return full ? NAMES[i].full[index] : NAMES[i].brief[index];
    }
    return NULL;
}

/* By abbreviation, and the start of the zone's name where abbreviations are shared. */
static const struct {
    const char *abbreviation;
    const char *zones;
    const char *name;
} ZONE_NAMES[] = {
    {"UTC", "", "Coordinated Universal Time"},
    {"GMT", "", "Greenwich Mean Time"},
    {"BST", "Europe/", "British Summer Time"},
    {"IST", "Europe/", "Irish Standard Time"},
    {"WET", "", "Western European Standard Time"},
    {"WEST", "", "Western European Summer Time"},
    {"CET", "", "Central European Standard Time"},
    {"CEST", "", "Central European Summer Time"},
    {"EET", "", "Eastern European Standard Time"},
    {"EEST", "", "Eastern European Summer Time"},
    {"MSK", "", "Moscow Standard Time"},
    {"EST", "America/", "Eastern Standard Time"},
    {"EDT", "America/", "Eastern Daylight Time"},
    {"CST", "America/", "Central Standard Time"},
    {"CDT", "America/", "Central Daylight Time"},
    {"MST", "America/", "Mountain Standard Time"},
    {"MDT", "America/", "Mountain Daylight Time"},
    {"PST", "America/", "Pacific Standard Time"},
    {"PDT", "America/", "Pacific Daylight Time"},
    {"AKST", "America/", "Alaska Standard Time"},
    {"AKDT", "America/", "Alaska Daylight Time"},
    {"HST", "Pacific/", "Hawaii-Aleutian Standard Time"},
    {"IST", "Asia/Kolkata", "India Standard Time"},
    {"IST", "Asia/Calcutta", "India Standard Time"},
    {"CST", "Asia/", "China Standard Time"},
    {"JST", "Asia/", "Japan Standard Time"},
    {"KST", "Asia/", "Korean Standard Time"},
    {"AEST", "Australia/", "Australian Eastern Standard Time"},
    {"AEDT", "Australia/", "Australian Eastern Daylight Time"},
    {"ACST", "Australia/", "Australian Central Standard Time"},
    {"AWST", "Australia/", "Australian Western Standard Time"},
    {"NZST", "Pacific/", "New Zealand Standard Time"},
    {"NZDT", "Pacific/", "New Zealand Daylight Time"},
};

const char *pt__zone_full_name(const pt__zone *zone, int64_t instant_us)
{
    const char *name = pt__zone_name(zone);
    const char *abbreviation = pt__zone_abbreviation(zone, instant_us);
    if (name[0] == '+' || name[0] == '-' || strcmp(name, "Z") == 0)
        return name;
    for (size_t i = 0; i < sizeof(ZONE_NAMES) / sizeof(ZONE_NAMES[0]); i++)
        if (strcmp(ZONE_NAMES[i].abbreviation, abbreviation) == 0 &&
            strncmp(ZONE_NAMES[i].zones, name, strlen(ZONE_NAMES[i].zones)) == 0)
            return ZONE_NAMES[i].name;
    return NULL;
}
