#include "backend/duckdb/lower_datetime.h"

#include <string.h>

#define DAY_US "86400000000"

static const pt_type *type_of(const pt_expr_call *call, size_t index)
{
    return call->arguments[index]->type;
}

/* The part of a function's name that tells the kind of interval. */
static const char *interval_word(const pt_type *type)
{
    if (type->id == PT_TYPE_INTERVAL_YEAR_MONTH)
        return "ym";
    return type->id == PT_TYPE_INTERVAL_DAY_TIME ? "dt" : "interval";
}

/* A date plus or minus an interval: a date, but for an interval that has a time of day. */
static const char *move_date(pt__lower *lower, const pt_expr_call *call, const char *verb, const char *date,
                             const char *interval, const pt_type *kind)
{
    const char *sign = strcmp(verb, "add") == 0 ? "+" : "-";
    if (kind->id == PT_TYPE_INTERVAL_YEAR_MONTH)
        return pt__arena_printf(lower->arena, "spark_%s_months(%s, %s)", verb, date, interval);
    if (kind->id == PT_TYPE_INTERVAL_CALENDAR)
        return pt__arena_printf(lower->arena, "spark_date_%s_interval_{m}(%s, %s)", verb, date, interval);
    if (call->base.type->id == PT_TYPE_DATE)
        return pt__arena_printf(lower->arena, "(%s %s (%s // " DAY_US ")::INTEGER)", date, sign, interval);
    return pt__arena_printf(lower->arena, "spark_timestamp_%s_dt((%s::TIMESTAMP AT TIME ZONE {z}), %s, {z})", verb,
                            date, interval);
}

static const char *move(pt__lower *lower, const pt_expr_call *call, const char *verb, size_t at)
{
    const char *moved = at == 0 ? "{0}" : "{1}";
    const char *interval = at == 0 ? "{1}" : "{0}";
    const pt_type *kind = type_of(call, 1 - at);
    if (type_of(call, at)->id == PT_TYPE_DATE)
        return move_date(lower, call, verb, moved, interval, kind);
    const char *zone = type_of(call, at)->id == PT_TYPE_TIMESTAMP ? ", {z}" : "";
    return pt__arena_printf(lower->arena, "spark_timestamp_%s_%s(%s, %s%s)", verb, interval_word(kind), moved, interval,
                            zone);
}

static const char *difference(const pt_expr_call *call)
{
    switch (type_of(call, 0)->id) {
    case PT_TYPE_DATE: return "(({0} - {1}) * " DAY_US "::BIGINT)";
    case PT_TYPE_TIMESTAMP: return "spark_timestamp_minus_timestamp({0}, {1}, {z})";
    default: return "spark_timestamp_minus_timestamp({0}, {1})";
    }
}

/* An interval times or divided by a number, rounded half up as Spark does. */
static const char *scale(pt__lower *lower, const pt_expr_call *call, const char *op)
{
    size_t at = pt__type_is_interval(type_of(call, 0)) ? 0 : 1;
    const char *interval = at == 0 ? "{0}" : "{1}";
    const char *number = at == 0 ? "{1}" : "{0}";
    if (type_of(call, at)->id == PT_TYPE_INTERVAL_CALENDAR)
        return pt__arena_printf(lower->arena, "(%s %s %s)", interval, op, number);
    bool whole = strcmp(op, "*") == 0 && pt__type_is_integral(type_of(call, 1 - at));
    if (whole)
        return pt__arena_printf(lower->arena, "(%s * %s)::{r}", interval, number);
    if (strcmp(op, "/") == 0)
        return pt__arena_printf(lower->arena, "round(spark_divide_{m}(%s::DOUBLE, %s::DOUBLE))::{r}", interval, number);
    return pt__arena_printf(lower->arena, "round(%s::DOUBLE * %s::DOUBLE)::{r}", interval, number);
}

const char *pt__datetime_template(pt__lower *lower, const pt_expr_call *call, const char *op)
{
    const pt_type *x = type_of(call, 0);
    const pt_type *y = type_of(call, 1);
    bool adds = strcmp(op, "+") == 0;
    const char *verb = adds ? "add" : "subtract";
    if (strcmp(op, "*") == 0 || strcmp(op, "/") == 0)
        return pt__type_is_interval(x) || pt__type_is_interval(y) ? scale(lower, call, op) : NULL;
    if (pt__type_is_datetime(x) && pt__type_is_interval(y))
        return move(lower, call, verb, 0);
    if (pt__type_is_interval(x) && pt__type_is_datetime(y))
        return move(lower, call, verb, 1);
    if (pt__type_is_datetime(x) && pt__type_is_datetime(y))
        return difference(call);
    if (pt__type_is_datetime(x) || pt__type_is_datetime(y) || pt__type_is_interval(x))
        return pt__arena_printf(lower->arena, "({0} %s {1})", op);
    return NULL;
}
