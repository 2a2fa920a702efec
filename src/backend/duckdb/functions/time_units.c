#include "backend/duckdb/functions/time_units.h"

#include "base/civil.h"

#include <string.h>
#include <strings.h>

typedef struct unit_name {
    const char *name;
    pt__time_unit unit;
} unit_name;

static const unit_name NAMES[] = {
    {"microsecond", PT__UNIT_MICROSECOND},
    {"millisecond", PT__UNIT_MILLISECOND},
    {"second", PT__UNIT_SECOND},
    {"minute", PT__UNIT_MINUTE},
    {"hour", PT__UNIT_HOUR},
    {"day", PT__UNIT_DAY},
    {"dayofyear", PT__UNIT_DAY},
    {"week", PT__UNIT_WEEK},
    {"month", PT__UNIT_MONTH},
    {"quarter", PT__UNIT_QUARTER},
    {"year", PT__UNIT_YEAR},
};

static const unit_name TRUNC_NAMES[] = {
    {"microsecond", PT__UNIT_MICROSECOND},
    {"millisecond", PT__UNIT_MILLISECOND},
    {"second", PT__UNIT_SECOND},
    {"minute", PT__UNIT_MINUTE},
    {"hour", PT__UNIT_HOUR},
    {"day", PT__UNIT_DAY},
    {"dd", PT__UNIT_DAY},
    {"week", PT__UNIT_WEEK},
    {"mon", PT__UNIT_MONTH},
    {"month", PT__UNIT_MONTH},
    {"mm", PT__UNIT_MONTH},
    {"quarter", PT__UNIT_QUARTER},
    {"year", PT__UNIT_YEAR},
    {"yyyy", PT__UNIT_YEAR},
    {"yy", PT__UNIT_YEAR},
};

static pt__time_unit find(const unit_name *names, size_t count, pt_text_view name)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i].name) == name.size_bytes && strncasecmp(names[i].name, name.data, name.size_bytes) == 0)
            return names[i].unit;
    return PT__UNIT_NONE;
}

pt__time_unit pt__time_unit_find(pt_text_view name)
{
    return find(NAMES, sizeof(NAMES) / sizeof(NAMES[0]), name);
}

pt__time_unit pt__trunc_unit_find(pt_text_view name)
{
    return find(TRUNC_NAMES, sizeof(TRUNC_NAMES) / sizeof(TRUNC_NAMES[0]), name);
}

int64_t pt__time_unit_size(pt__time_unit unit)
{
    switch (unit) {
    case PT__UNIT_MICROSECOND: return 1;
    case PT__UNIT_MILLISECOND: return 1000;
    case PT__UNIT_SECOND: return PT_MICROS_PER_SECOND;
    case PT__UNIT_MINUTE: return PT_MICROS_PER_MINUTE;
    case PT__UNIT_HOUR: return PT_MICROS_PER_HOUR;
    case PT__UNIT_DAY: return PT_MICROS_PER_DAY;
    case PT__UNIT_WEEK: return 7 * PT_MICROS_PER_DAY;
    case PT__UNIT_MONTH: return 1;
    case PT__UNIT_QUARTER: return 3;
    case PT__UNIT_YEAR: return 12;
    case PT__UNIT_NONE: break;
    }
    return 0;
}
