#include "backend/ballista/time_literal.h"

#include "base/test.h"

static int64_t read(pt__arena *arena, const char *text, pt_type_id type, const char *zone)
{
    pt_value value;
    return pt__time_literal(arena, text, pt__type_simple(type), zone, &value) ? value.as.integer : -1;
}

PT_TEST(full_dates_and_times_are_read_and_nothing_else)
{
    pt__arena *arena = pt__arena_new(0);
    PT_CHECK_EQ(read(arena, "1970-01-03", PT_TYPE_DATE, "UTC"), 2);
    PT_CHECK_EQ(read(arena, "1970-02-30", PT_TYPE_DATE, "UTC"), -1);
    PT_CHECK_EQ(read(arena, "1970-1-3", PT_TYPE_DATE, "UTC"), -1);
    PT_CHECK_EQ(read(arena, "1970-01-01 00:00:01.5", PT_TYPE_TIMESTAMP_NTZ, "UTC"), 1500000);
    PT_CHECK_EQ(read(arena, "1970-01-01T01:00:00", PT_TYPE_TIMESTAMP, "Europe/Paris"), 0);
    PT_CHECK_EQ(read(arena, "1970-01-01 00:00:01Z", PT_TYPE_TIMESTAMP, "UTC"), -1);
    PT_CHECK_EQ(read(arena, "1970-01-01 24:00:00", PT_TYPE_TIMESTAMP, "UTC"), -1);
    pt__arena_free(arena);
}
