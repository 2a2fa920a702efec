#include "base/timezone.h"

#include "base/civil.h"
#include "base/test.h"
#include "base/tzif.h"

#include <string.h>

static int64_t local(int64_t year, int month, int day, int hour, int minute, int second)
{
    pt__civil_time time = {{year, month, day}, hour, minute, second, 0};
    int64_t micros = 0;
    PT_CHECK(pt__civil_to_micros(&time, &micros));
    return micros;
}

static int64_t seconds_in(const pt__zone *zone, int64_t local_us)
{
    return pt__zone_to_instant(zone, local_us) / 1000000;
}

PT_TEST(timezone_gaps_move_forward_and_overlaps_take_the_first)
{
    pt__zones *zones = pt__zones_new(NULL);
    const pt__zone *zone = pt__zones_find(zones, "America/New_York");
    PT_REQUIRE(zone != NULL);
    PT_CHECK_EQ(seconds_in(zone, local(2024, 3, 10, 1, 59, 59)), 1710053999);
    PT_CHECK_EQ(seconds_in(zone, local(2024, 3, 10, 3, 0, 0)), 1710054000);
    PT_CHECK_EQ(seconds_in(zone, local(2024, 3, 10, 2, 30, 0)), 1710055800);
    PT_CHECK_EQ(seconds_in(zone, local(2024, 11, 3, 1, 30, 0)), 1730611800);
    PT_CHECK_EQ(pt__zone_offset_seconds(zone, INT64_C(1719849600000000)), -4 * 3600);
    PT_CHECK(pt__zone_is_daylight_saving(zone, INT64_C(1719849600000000)));
    PT_CHECK_STR(pt__zone_abbreviation(zone, INT64_C(1719849600000000)), "EDT");
    pt__zones_free(zones);
}

PT_TEST(timezone_rules_reach_beyond_the_table)
{
    pt__zones *zones = pt__zones_new(NULL);
    const pt__zone *zone = pt__zones_find(zones, "Europe/Berlin");
    PT_REQUIRE(zone != NULL);
    PT_CHECK_EQ(pt__zone_offset_seconds(zone, local(2100, 7, 1, 0, 0, 0)), 7200);
    PT_CHECK_EQ(pt__zone_offset_seconds(zone, local(2100, 1, 1, 0, 0, 0)), 3600);
    PT_CHECK_EQ(local(2100, 3, 28, 2, 30, 0) - pt__zone_to_instant(zone, local(2100, 3, 28, 2, 30, 0)), 3600000000);
    PT_CHECK_EQ(pt__zone_offset_seconds(zone, local(1800, 1, 1, 0, 0, 0)), 3208);
    const pt__zone *south = pt__zones_find(zones, "Australia/Sydney");
    PT_REQUIRE(south != NULL);
    PT_CHECK_EQ(pt__zone_offset_seconds(south, local(2100, 1, 15, 0, 0, 0)), 11 * 3600);
    PT_CHECK_EQ(pt__zone_offset_seconds(south, local(2100, 7, 15, 0, 0, 0)), 10 * 3600);
    pt__zones_free(zones);
}

PT_TEST(timezone_local_and_instant_are_inverse)
{
    pt__zones *zones = pt__zones_new(NULL);
    const char *const names[] = {"America/New_York", "Europe/Dublin", "Asia/Kolkata", "Australia/Lord_Howe",
                                 "Africa/Casablanca"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const pt__zone *zone = pt__zones_find(zones, names[i]);
        PT_REQUIRE(zone != NULL);
        for (int64_t t = INT64_C(-4000000000); t < INT64_C(6000000000); t += 7654321) {
            int64_t clock = pt__zone_to_local(zone, t * 1000000);
            PT_REQUIRE(pt__zone_to_local(zone, pt__zone_to_instant(zone, clock)) == clock);
        }
    }
    pt__zones_free(zones);
}

PT_TEST(timezone_takes_the_names_of_spark)
{
    static const struct {
        const char *name;
        int32_t offset;
    } GOOD[] = {{"UTC", 0},
                {"Z", 0},
                {"GMT+1", 3600},
                {"+05:30", 19800},
                {"-8", -28800},
                {"+0530", 19800},
                {"UTC-03:00", -10800},
                {"+1:5", 3900},
                {"-18:00", -64800},
                {"JST", 32400},
                {"+01:02:03", 3723},
                {"EST", -18000},
                {"Etc/UTC", 0},
                {"Asia/Tokyo", 32400}};
    static const char *const BAD[] = {
        "",          "Mars/Base", "+18:01", "+5:",  "utc",    "../etc/passwd",  "/etc/localtime",
        "posix/UTC", "+",         "Europe", "UTC+", "+05:60", "Europe/Berlin ", "tzdata.zi"};
    pt__zones *zones = pt__zones_new(NULL);
    for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
        const pt__zone *zone = pt__zones_find(zones, GOOD[i].name);
        PT_REQUIRE(zone != NULL);
        PT_CHECK_EQ(pt__zone_offset_seconds(zone, 0), GOOD[i].offset);
        PT_CHECK(zone == pt__zones_find(zones, GOOD[i].name));
    }
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
        PT_CHECK(pt__zones_find(zones, BAD[i]) == NULL);
    pt__zones_free(zones);
}

PT_TEST(timezone_offsets_as_text)
{
    char text[PT_ZONE_OFFSET_TEXT_MAX];
    pt__zone_format_offset(0, true, text);
    PT_CHECK_STR(text, "Z");
    pt__zone_format_offset(-12600, true, text);
    PT_CHECK_STR(text, "-03:30");
    pt__zone_format_offset(3208, true, text);
    PT_CHECK_STR(text, "+00:53:28");
}

PT_TEST(tzif_refuses_malformed_files)
{
    PT_CHECK(pt__tzif_parse((pt_bytes_view){(const uint8_t *)"TZif2", 5}) == NULL);
    uint8_t data[88] = "TZif2";
    memcpy(data + 44, "TZif2", 5);
    memset(data + 44 + 20, 0xFF, 24);
    PT_CHECK(pt__tzif_parse((pt_bytes_view){data, sizeof(data)}) == NULL);
}
