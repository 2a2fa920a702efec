/* date_part and date_trunc. */
#include "decode/datafusion/internal.h"

#include <string.h>
#include <strings.h>

static const pt_expr *call1(pt__df *d, const char *name, const pt_expr *x)
{
    return pt__expr_call(d->arena, NULL, name, 1, x);
}

static const pt_expr *call2(pt__df *d, const char *name, const pt_expr *x, const pt_expr *y)
{
    return pt__expr_call(d->arena, NULL, name, 2, x, y);
}

/* The unit's name without quotes and plural. */
static const char *unit_of(pt__df *d, const pt_expr *part)
{
    const char *text = pt__df_literal_text(part);
    if (text == NULL)
        return NULL;
    size_t size = strlen(text);
    if (size > 2 && (text[0] == '\'' || text[0] == '"') && text[size - 1] == text[0])
        return pt__arena_copy_text(d->arena, text + 1, size - 2);
    return text;
}

static pt_status as_local_time(pt__df *d, const char *function, pt__df_value *x)
{
    if (x->type->kind == PT_DF_DATE || x->type->kind == PT_DF_STRING)
        return pt__df_cast_to(d, *x, pt__df_timestamp(d->arena, DATAFUSION_COMMON__TIME_UNIT__Nanosecond, NULL), false,
                              x);
    if (x->type->kind == PT_DF_TIMESTAMP && x->type->zone == NULL)
        return PT_OK;
    return pt__df_refuse(d, "%s of %s", function, pt__df_type_text(d->arena, x->type));
}

/* Spark's function of the field, and what is added to its answer. */
static const struct part {
    const char *name;
    const char *function;
    int offset;
    bool of_date; /* takes a date */
} parts[] = {
    {"year", "year", 0, true},          {"years", "year", 0, true},      {"quarter", "quarter", 0, true},
    {"month", "month", 0, true},        {"months", "month", 0, true},    {"week", "weekofyear", 0, true},
    {"weeks", "weekofyear", 0, true},   {"day", "dayofmonth", 0, true},  {"days", "dayofmonth", 0, true},
    {"doy", "dayofyear", 0, true},      {"dow", "dayofweek", -1, true},  {"isodow", "weekday", 1, true},
    {"isoyear", "yearofweek", 0, true}, {"hour", "hour", 0, false},      {"hours", "hour", 0, false},
    {"minute", "minute", 0, false},     {"minutes", "minute", 0, false}, {"second", "second", 0, false},
    {"seconds", "second", 0, false},
};

pt_status pt__df_date_part(pt__df *d, pt__df_value part, pt__df_value x, pt__df_value *out)
{
    const char *unit = unit_of(d, part.expr);
    if (unit == NULL)
        return pt__df_refuse(d, "date_part of a part that is no literal");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (strcasecmp(parts[i].name, unit) != 0)
            continue;
        if (x.type->kind != PT_DF_DATE || !parts[i].of_date)
            PT_TRY(as_local_time(d, "date_part", &x));
        if (parts[i].of_date)
            PT_TRY(pt__df_cast_to(d, x, PT_DF(DATE), false, &x));
        const pt_expr *field = call1(d, parts[i].function, x.expr);
        if (parts[i].offset != 0)
            field = call2(d, "+", field, pt__expr_int(d->arena, parts[i].offset));
        *out = (pt__df_value){pt__df_cast_expr(d, field, PT_T(INT)), PT_DF(INT32)};
        return PT_OK;
    }
    return pt__df_refuse(d, "date_part of %s", unit);
}

static int64_t micros_of(const char *unit)
{
    static const struct {
        const char *name;
        int64_t micros;
    } units[] = {{"microsecond", 1},
                 {"millisecond", 1000},
                 {"second", 1000000},
                 {"minute", 60000000},
                 {"hour", INT64_C(3600000000)}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcasecmp(units[i].name, unit) == 0)
            return units[i].micros;
    return 0;
}

static bool is_one_of(const char *unit, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++)
        if (strcasecmp(unit, names[i]) == 0)
            return true;
    return false;
}

pt_status pt__df_date_trunc(pt__df *d, pt__df_value part, pt__df_value x, pt__df_value *out)
{
    static const char *const date_units[] = {"year", "quarter", "month", "week", NULL};
    const char *unit = unit_of(d, part.expr);
    if (unit == NULL)
        return pt__df_refuse(d, "date_trunc to a unit that is no literal");
    PT_TRY(as_local_time(d, "date_trunc", &x));
    const pt_expr *day = pt__df_cast_expr(d, x.expr, PT_T(DATE));
    int64_t micros = micros_of(unit);
    *out = x;
    if (micros > 1) {
        const pt_expr *width = pt__expr_literal(d->arena, PT_T(INTERVAL_DAY_TIME), (pt_value){.as.integer = micros});
        out->expr = call2(d, "time_bucket", width, x.expr);
    } else if (strcasecmp(unit, "day") == 0) {
        out->expr = pt__df_cast_expr(d, day, PT_T(TIMESTAMP_NTZ));
    } else if (is_one_of(unit, date_units)) {
        out->expr = pt__df_cast_expr(d, call2(d, "trunc", day, pt__expr_string(d->arena, unit)), PT_T(TIMESTAMP_NTZ));
    } else if (micros != 1) {
        return pt__df_refuse(d, "date_trunc to %s", unit);
    }
    return PT_OK;
}
