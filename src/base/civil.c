#include "base/civil.h"

enum { DAYS_PER_ERA = 146097, YEARS_PER_ERA = 400, DAYS_TO_EPOCH = 719468, SHIFTED_DAYS_32_BITS = 1 << 30 };

int64_t pt__floor_divide(int64_t value, int64_t divisor)
{
    int64_t quotient = value / divisor;
    return value % divisor < 0 ? quotient - 1 : quotient;
}

int64_t pt__floor_modulo(int64_t value, int64_t divisor)
{
    int64_t remainder = value % divisor;
    return remainder < 0 ? remainder + divisor : remainder;
}

bool pt__civil_is_leap_year(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int32_t pt__civil_days_in_month(int64_t year, int32_t month)
{
    static const int8_t DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && pt__civil_is_leap_year(year) ? 29 : DAYS[month - 1];
}

bool pt__civil_is_date(int64_t year, int64_t month, int64_t day)
{
    return month >= 1 && month <= 12 && day >= 1 && day <= pt__civil_days_in_month(year, (int32_t)month);
}

/* Years are counted from March, so that the leap day is the last one. */
int64_t pt__civil_to_days(int64_t year, int32_t month, int32_t day)
{
    int64_t march_year = month <= 2 ? year - 1 : year;
    int64_t era = pt__floor_divide(march_year, YEARS_PER_ERA);
    int64_t year_of_era = march_year - era * YEARS_PER_ERA;
    int64_t march_month = month > 2 ? month - 3 : month + 9;
    int64_t day_of_year = (153 * march_month + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - DAYS_TO_EPOCH;
}

/*
 * Days that a date column can hold, in 32 bits: divisions by the length of a century, a year and a month become
 * multiplications. Source: Cassio Neri and Lorenz Schneider, Euclidean affine functions and their application to
 * calendar algorithms.
 */
static pt__civil_date from_shifted_days(uint32_t shifted)
{
    uint32_t quarter_days = 4 * shifted + 3;
    uint32_t century = quarter_days / DAYS_PER_ERA;
    uint32_t of_century = quarter_days % DAYS_PER_ERA | 3;
    uint64_t product = UINT64_C(2939745) * of_century;
    uint32_t year_of_century = (uint32_t)(product >> 32);
    uint32_t day_of_year = (uint32_t)product / 2939745 / 4;
    uint32_t month_and_day = 2141 * day_of_year + 197913;
    bool is_next_year = day_of_year >= 306;
    pt__civil_date date;
    date.year = (int64_t)century * 100 + year_of_century + is_next_year;
    date.month = (int32_t)(month_and_day >> 16) - (is_next_year ? 12 : 0);
    date.day = (int32_t)((month_and_day & 0xffff) / 2141) + 1;
    return date;
}

pt__civil_date pt__civil_from_days(int64_t days)
{
    int64_t shifted = days + DAYS_TO_EPOCH;
    if (shifted >= 0 && shifted < SHIFTED_DAYS_32_BITS)
        return from_shifted_days((uint32_t)shifted);
    int64_t era = pt__floor_divide(shifted, DAYS_PER_ERA);
    int64_t day_of_era = shifted - era * DAYS_PER_ERA;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * day_of_year + 2) / 153;
    pt__civil_date date;
    date.day = (int32_t)(day_of_year - (153 * march_month + 2) / 5 + 1);
    date.month = (int32_t)(march_month < 10 ? march_month + 3 : march_month - 9);
    date.year = year_of_era + era * YEARS_PER_ERA + (date.month <= 2 ? 1 : 0);
    return date;
}

int32_t pt__civil_weekday(int64_t days)
{
    return (int32_t)pt__floor_modulo(days + 3, 7) + 1; /* 1970-01-01 was a Thursday */
}

int32_t pt__civil_day_of_year(int64_t days)
{
    pt__civil_date date = pt__civil_from_days(days);
    return (int32_t)(days - pt__civil_to_days(date.year, 1, 1)) + 1;
}

int32_t pt__civil_iso_week(int64_t days, int64_t *week_year)
{
    int64_t thursday = days - pt__civil_weekday(days) + 4; /* a week belongs to the year of its Thursday */
    int64_t year = pt__civil_from_days(thursday).year;
    if (week_year != 0)
        *week_year = year;
    return (int32_t)((thursday - pt__civil_to_days(year, 1, 1)) / 7) + 1;
}

int64_t pt__civil_add_months(int64_t days, int64_t months)
{
    pt__civil_date date = pt__civil_from_days(days);
    int64_t total = date.year * 12 + date.month - 1 + months;
    int64_t year = pt__floor_divide(total, 12);
    int32_t month = (int32_t)pt__floor_modulo(total, 12) + 1;
    int32_t last = pt__civil_days_in_month(year, month);
    return pt__civil_to_days(year, month, date.day < last ? date.day : last);
}

pt__civil_time pt__civil_from_micros(int64_t micros)
{
    int64_t of_day = pt__floor_modulo(micros, PT_MICROS_PER_DAY);
    pt__civil_time time;
    time.date = pt__civil_from_days(pt__floor_divide(micros, PT_MICROS_PER_DAY));
    time.hour = (int32_t)(of_day / PT_MICROS_PER_HOUR);
    time.minute = (int32_t)(of_day / PT_MICROS_PER_MINUTE % 60);
    time.second = (int32_t)(of_day / PT_MICROS_PER_SECOND % 60);
    time.microsecond = (int32_t)(of_day % PT_MICROS_PER_SECOND);
    return time;
}

bool pt__civil_to_micros(const pt__civil_time *time, int64_t *micros)
{
    __int128 days = pt__civil_to_days(time->date.year, time->date.month, time->date.day);
    __int128 total = days * PT_MICROS_PER_DAY + time->hour * PT_MICROS_PER_HOUR + time->minute * PT_MICROS_PER_MINUTE +
                     time->second * PT_MICROS_PER_SECOND + time->microsecond;
    if (total < INT64_MIN || total > INT64_MAX)
        return false;
    *micros = (int64_t)total;
    return true;
}
