#include "backend/ballista/relayout_value.h"

#include <nanoarrow/nanoarrow.h>

#include <stdio.h>
#include <string.h>

/* One value of the view at that row to the end of the array; its nulls have been seen to. */
typedef struct conversion {
    struct ArrowArrayView *from;
    struct ArrowArray *to;
    int64_t multiply; /* of times, at most one of the two is not 1 */
    int64_t divide;
    int64_t least; /* that fits, of integers */
    int64_t most;
    pt_error *err;
} conversion;

typedef pt_status (*append)(conversion *c, int64_t row);

pt_status pt__relayout_refuse(const struct ArrowSchema *from, const struct ArrowSchema *to, pt_error *err)
{
    char sent[128];
    char wanted[128];
    ArrowSchemaToString(from, sent, sizeof(sent), false);
    ArrowSchemaToString(to, wanted, sizeof(wanted), false);
    return pt_error_set(err, PT_UNSUPPORTED, "the cluster gave the column %s as %s, which is not made %s here",
                        from->name == NULL ? "" : from->name, sent, wanted);
}

static pt_status appended(const conversion *c, ArrowErrorCode code)
{
    return code == NANOARROW_OK ? PT_OK : pt_error_set(c->err, PT_NO_MEMORY, "no memory to convert a result");
}

static pt_status does_not_fit(const conversion *c)
{
    return pt_error_set(c->err, PT_EXECUTION, "a value of the result does not fit its type");
}

/* ---- values ---- */

static pt_status append_integer(conversion *c, int64_t row)
{
    int64_t value = ArrowArrayViewGetIntUnsafe(c->from, row);
    bool is_huge = c->from->storage_type == NANOARROW_TYPE_UINT64 && value < 0;
    if (is_huge || value < c->least || value > c->most)
        return does_not_fit(c);
    return appended(c, ArrowArrayAppendInt(c->to, value));
}

static pt_status append_double(conversion *c, int64_t row)
{
    return appended(c, ArrowArrayAppendDouble(c->to, ArrowArrayViewGetDoubleUnsafe(c->from, row)));
}

static pt_status append_bytes(conversion *c, int64_t row)
{
    return appended(c, ArrowArrayAppendBytes(c->to, ArrowArrayViewGetBytesUnsafe(c->from, row)));
}

/* Times that are counted in other units; towards the past, as Spark does. */
static pt_status append_time(conversion *c, int64_t row)
{
    int64_t value = ArrowArrayViewGetIntUnsafe(c->from, row);
    int64_t out;
    if (__builtin_mul_overflow(value, c->multiply, &out))
        return does_not_fit(c);
    int64_t rest = out % c->divide;
    out = out / c->divide - (rest < 0);
    if (out < c->least || out > c->most)
        return does_not_fit(c);
    return appended(c, ArrowArrayAppendInt(c->to, out));
}

/* month_day_nano as the months of a year-month interval, or as the microseconds of a day-time one. */
static pt_status append_months(conversion *c, int64_t row)
{
    struct ArrowInterval value;
    ArrowIntervalInit(&value, NANOARROW_TYPE_INTERVAL_MONTH_DAY_NANO);
    ArrowArrayViewGetIntervalUnsafe(c->from, row, &value);
    struct ArrowInterval months;
    ArrowIntervalInit(&months, NANOARROW_TYPE_INTERVAL_MONTHS);
    months.months = value.months;
    if (value.days != 0 || value.ns != 0)
        return does_not_fit(c);
    return appended(c, ArrowArrayAppendInterval(c->to, &months));
}

static pt_status append_days_and_time(conversion *c, int64_t row)
{
    enum { US_PER_NS = 1000 };
    static const int64_t us_per_day = 86400000000;
    struct ArrowInterval value;
    ArrowIntervalInit(&value, NANOARROW_TYPE_INTERVAL_MONTH_DAY_NANO);
    ArrowArrayViewGetIntervalUnsafe(c->from, row, &value);
    int64_t days_us = (int64_t)value.days * us_per_day;
    int64_t out;
    if (value.months != 0 || __builtin_add_overflow(days_us, value.ns / US_PER_NS, &out))
        return does_not_fit(c);
    return appended(c, ArrowArrayAppendInt(c->to, out));
}

/* ---- choosing ---- */

static bool is_integer(char c)
{
    return c != '\0' && strchr("cCsSiIlL", c) != NULL;
}

static bool is_float(char c)
{
    return c != '\0' && strchr("efg", c) != NULL;
}

static bool is_bytes(const char *format)
{
    static const char *const all[] = {"u", "z", "U", "Z", "vu", "vz"};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(format, all[i]) == 0)
            return true;
    return format[0] == 'w';
}

static void set_range(conversion *c, int bits)
{
    c->most = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
    c->least = -c->most - 1;
}

static int bits_of(char integer)
{
    switch (integer) {
    case 'c': return 8;
    case 's': return 16;
    case 'i': return 32;
    default: return 64;
    }
}

/* Units in a second of "tsu:", "tDn" and the like; 0: another format. */
static int64_t units_of(const char *format)
{
    if (format[0] != 't' || (format[1] != 's' && format[1] != 'D' && format[1] != 't'))
        return 0;
    switch (format[2]) {
    case 's': return 1;
    case 'm': return 1000;
    case 'u': return 1000000;
    case 'n': return 1000000000;
    default: return 0;
    }
}

static append choose_time(conversion *c, const char *from, const char *to)
{
    static const int64_t ms_per_day = 86400000;
    set_range(c, 64);
    if (strcmp(from, "tdm") == 0 && strcmp(to, "tdD") == 0) {
        c->divide = ms_per_day;
        set_range(c, 32);
        return append_time;
    }
    if (strcmp(from, "tin") == 0)
        return strcmp(to, "tiM") == 0 ? append_months : strcmp(to, "tDu") == 0 ? append_days_and_time : NULL;
    int64_t from_units = units_of(from);
    int64_t to_units = units_of(to);
    if (from_units == 0 || to_units == 0 || from[1] != to[1])
        return NULL;
    c->multiply = to_units > from_units ? to_units / from_units : 1;
    c->divide = from_units > to_units ? from_units / to_units : 1;
    return append_time;
}

static append choose(conversion *c, const char *from, const char *to)
{
    if (is_integer(from[0]) && is_integer(to[0])) {
        set_range(c, bits_of(to[0]));
        return append_integer;
    }
    if ((is_float(from[0]) || is_integer(from[0])) && is_float(to[0]))
        return append_double;
    if (is_bytes(from) && (strcmp(to, "u") == 0 || strcmp(to, "z") == 0))
        return append_bytes;
    return from[0] == 't' ? choose_time(c, from, to) : NULL;
}

/* ---- arrays ---- */

static pt_status append_all(conversion *c, append one, const struct ArrowArrayView *nulls, int64_t length,
                            const struct ArrowArrayView *indices)
{
    for (int64_t row = 0; row < length; row++) {
        int64_t at = indices == NULL ? row : ArrowArrayViewGetIntUnsafe(indices, row);
        bool is_null = ArrowArrayViewIsNull(nulls, row);
        if (!is_null && indices != NULL)
            is_null = ArrowArrayViewIsNull(c->from, at);
        PT_TRY(is_null ? appended(c, ArrowArrayAppendNull(c->to, 1)) : one(c, at));
    }
    return PT_OK;
}

static pt_status convert(conversion *c, append one, const struct ArrowArrayView *view, int64_t length)
{
    bool is_dictionary = view->dictionary != NULL;
    if (is_dictionary)
        c->from = view->dictionary;
    return append_all(c, one, view, length, is_dictionary ? view : NULL);
}

/* All null, of any type. */
static pt_status append_nulls(conversion *c, int64_t length)
{
    return appended(c, ArrowArrayAppendNull(c->to, length));
}

static pt_status fill(const struct ArrowSchema *from, const struct ArrowArray *array, const struct ArrowSchema *to,
                      struct ArrowArrayView *view, struct ArrowArray *out, pt_error *err)
{
    struct ArrowError reason;
    conversion c = {.from = view, .to = out, .multiply = 1, .divide = 1, .err = err};
    const struct ArrowSchema *values = from->dictionary == NULL ? from : from->dictionary;
    bool is_void = strcmp(values->format, "n") == 0;
    append one = is_void ? NULL : choose(&c, values->format, to->format);
    if (one == NULL && !is_void)
        return pt__relayout_refuse(from, to, err);
    if (ArrowArrayViewInitFromSchema(view, from, &reason) != NANOARROW_OK ||
        ArrowArrayViewSetArray(view, array, &reason) != NANOARROW_OK)
        return pt_error_set(err, PT_BAD_MESSAGE, "a column of the result is malformed: %s", reason.message);
    if (ArrowArrayInitFromSchema(out, to, &reason) != NANOARROW_OK || ArrowArrayStartAppending(out) != NANOARROW_OK ||
        ArrowArrayReserve(out, array->length) != NANOARROW_OK)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to convert a result");
    PT_TRY(is_void ? append_nulls(&c, array->length) : convert(&c, one, view, array->length));
    if (ArrowArrayFinishBuildingDefault(out, &reason) != NANOARROW_OK)
        return pt_error_set(err, PT_NO_MEMORY, "a converted column cannot be finished: %s", reason.message);
    return PT_OK;
}

pt_status pt__relayout_values(const struct ArrowSchema *from, struct ArrowArray *array, const struct ArrowSchema *to,
                              pt_error *err)
{
    struct ArrowArrayView view;
    struct ArrowArray out = {.release = NULL};
    ArrowArrayViewInitFromType(&view, NANOARROW_TYPE_UNINITIALIZED);
    pt_status status = fill(from, array, to, &view, &out, err);
    ArrowArrayViewReset(&view);
    if (status == PT_OK) {
        array->release(array);
        ArrowArrayMove(&out, array);
    } else if (out.release != NULL) {
        out.release(&out);
    }
    return status;
}
