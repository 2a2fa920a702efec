/*
 * window(time, duration[, slide[, start]]): the windows of time that a row falls into become a column `window` of the
 * input, with a row for each of them; the call becomes that column, and names may refer to it.
 *
 * Behaviour: that of Spark's TimeWindow over rows that are all there: rows without a time fall into no window.
 */
#include "analyze/time_window.h"
#include "analyze/build.h"
#include "analyze/constant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- durations ---- */

typedef struct duration_unit {
    const char *name;
    double micros;
} duration_unit;

static const duration_unit UNITS[] = {
    {"microsecond", 1}, {"millisecond", 1e3}, {"second", 1e6},    {"minute", 6e7},
    {"hour", 3.6e9},    {"day", 8.64e10},     {"week", 6.048e11},
};

static const char *skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* "10 minutes 30 seconds"; false when it is something else, or has months. */
static bool read_duration(const char *text, int64_t *micros)
{
    double sum = 0;
    text = skip_blanks(text);
    if (strncasecmp(text, "interval ", 9) == 0)
        text = skip_blanks(text + 9);
    bool any = false;
    while (*text != '\0') {
        char *end;
        double number = strtod(text, &end);
        const char *word = skip_blanks(end);
        size_t size = strcspn(word, " \t");
        size_t singular = size > 0 && tolower((unsigned char)word[size - 1]) == 's' ? size - 1 : size;
        const duration_unit *unit = NULL;
        for (size_t i = 0; i < sizeof(UNITS) / sizeof(*UNITS); i++) {
            if (strlen(UNITS[i].name) == singular && strncasecmp(UNITS[i].name, word, singular) == 0)
                unit = &UNITS[i];
        }
        if (end == text || unit == NULL)
            return false;
        sum += number * unit->micros;
        text = skip_blanks(word + size);
        any = true;
    }
    *micros = (int64_t)sum;
    return any && sum > -9.2e18 && sum < 9.2e18;
}

static pt_status duration(pt__analyzer *a, const pt_expr_call *call, size_t index, int64_t *out, pt_error *err)
{
    pt__scope scope = pt__scope_of(a, NULL, 0);
    const pt_expr *argument;
    PT_TRY(pt__analyze_expr(a, &scope, call->arguments[index], &argument, err));
    argument = pt__strip_alias(argument);
    bool is_literal = argument->kind == PT_EXPR_LITERAL && !pt__expr_as_literal(argument)->value.is_null;
    if (pt__constant_integer(argument, out))
        return PT_OK;
    if (!is_literal || !pt__type_is_string(argument->type))
        return pt__analyzer_fail(
            pt_error_set(err, PT_ANALYSIS, "the durations of a window are literals: whole numbers or text"),
            call->base.origin, err);
    pt_text_view text = pt__expr_as_literal(argument)->value.as.text;
    if (read_duration(pt__arena_copy_text(a->arena, text.data, text.size_bytes), out))
        return PT_OK;
    return pt_error_set(err, PT_INVALID_ARGUMENT, "the duration of a window is an interval without months, not '%.*s'",
                        (int)text.size_bytes, text.data);
}

/* ---- the column of windows ---- */

typedef struct window_spec {
    const pt_expr *time;
    int64_t length_us;
    int64_t slide_us;
    int64_t start_us;
} window_spec;

/* The call as errors show it, with its first argument typed. */
static const pt_expr_call *with_argument(pt__analyzer *a, const pt_expr_call *call, const pt_expr *first)
{
    pt_expr_call *copy = pt__expr_make(a->arena, CALL, call, call->base.origin);
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, call->argument_count);
    *copy = *call;
    for (size_t i = 0; i < call->argument_count; i++)
        arguments[i] = i == 0 ? first : call->arguments[i];
    copy->arguments = arguments;
    return copy;
}

static pt_status read_spec(pt__analyzer *a, const pt_plan *input, const pt_expr_call *call, window_spec *out,
                           pt_error *err)
{
    pt__scope scope = pt__scope_of(a, &input, 1);
    PT_TRY(pt__analyze_expr(a, &scope, call->arguments[0], &out->time, err));
    out->time = pt__strip_alias(out->time);
    bool is_time = out->time->type->id == PT_TYPE_TIMESTAMP || out->time->type->id == PT_TYPE_TIMESTAMP_NTZ;
    if (!is_time && !pt__can_cast_implicitly(a, out->time->type, PT_T(TIMESTAMP)))
        return pt__mismatch(a, with_argument(a, call, out->time), 0,
                            "(\"TIMESTAMP\" or \"TIMESTAMP WITHOUT TIME ZONE\")", err);
    if (!is_time)
        out->time = pt__implicit_cast(a, out->time, PT_T(TIMESTAMP));
    PT_TRY(duration(a, call, 1, &out->length_us, err));
    out->slide_us = out->length_us;
    if (call->argument_count > 2)
        PT_TRY(duration(a, call, 2, &out->slide_us, err));
    if (call->argument_count > 3)
        PT_TRY(duration(a, call, 3, &out->start_us, err));
    int64_t start = out->start_us < 0 ? -out->start_us : out->start_us;
    if (out->length_us <= 0 || out->slide_us <= 0 || out->slide_us > out->length_us || start >= out->slide_us)
        return pt__analyzer_fail(
            pt_error_set(err, PT_ANALYSIS,
                         "a window has a positive duration, a slide up to it and a start below the slide"),
            call->base.origin, err);
    return PT_OK;
}

static const pt_type *window_type(pt__analyzer *a, const pt_type *time)
{
    pt_field *fields = pt__arena_array(a->arena, pt_field, 2);
    fields[0] = (pt_field){"start", time, true, NULL};
    fields[1] = (pt_field){"end", time, true, NULL};
    return pt__type_struct(a->arena, fields, 2);
}

/* One window for each row, or a list of those that overlap. */
static const pt_expr *windows_of(pt__analyzer *a, const window_spec *spec, const pt_origin *origin)
{
    size_t overloads;
    bool slides = spec->slide_us != spec->length_us;
    bool is_local = spec->time->type->id == PT_TYPE_TIMESTAMP_NTZ;
    const char *row = slides ? (is_local ? "window sliding ntz" : "window sliding")
                             : (is_local ? "window tumbling ntz" : "window tumbling");
    pt_expr_call *call = pt__expr_make(a->arena, CALL, call, origin);
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, 5);
    arguments[0] = spec->time;
    arguments[1] = pt__expr_long(a->arena, spec->length_us);
    arguments[2] = pt__expr_long(a->arena, spec->slide_us);
    arguments[3] = pt__expr_long(a->arena, spec->start_us);
    arguments[4] = pt__expr_long(a->arena, (spec->length_us + spec->slide_us - 1) / spec->slide_us);
    const pt_type *type = window_type(a, spec->time->type);
    call->base.type = slides ? pt__type_array(a->arena, type, false) : type;
    call->name = pt__name_one(a->arena, "window");
    call->function = pt__function_find(row, &overloads);
    call->arguments = arguments;
    call->argument_count = 5;
    call->mode = PT_CAST_ANSI;
    return &call->base;
}

static pt_status add_windows(pt__analyzer *a, const window_spec *spec, const pt_origin *origin, const pt_plan **input,
                             pt_error *err)
{
    pt__build b = {a, PT_OK, err};
    size_t count;
    const pt_expr *const *refs = pt__visible_refs(a, *input, &count);
    const pt_expr **items = pt__arena_array(a->arena, const pt_expr *, count + 1);
    if (count != 0)
        memcpy(items, refs, count * sizeof(*items));
    const pt_expr *windows = windows_of(a, spec, origin);
    if (windows->type->id == PT_TYPE_ARRAY)
        windows = pt__build_call(&b, "explode", 1, windows);
    items[count] = pt__build_alias(&b, windows, "window");
    const pt_expr *condition = pt__build_call(&b, "isnotnull", 1, spec->time);
    PT_TRY(b.status);
    const pt_plan *plan = *input;
    return pt__select(a, pt__filter(a, plan, condition, NULL), items, count + 1, plan, input, err);
}

/* ---- calls ---- */

typedef struct replacement {
    pt__analyzer *a;
    const pt_expr_call *found; /* the call, unresolved; NULL: none */
    bool has_several;          /* different ones */
    const pt_expr *column;     /* NULL while calls are looked for */
} replacement;

static const pt_expr_call *window_call(const pt_expr *expr)
{
    if (expr->kind != PT_EXPR_CALL || expr->type != NULL)
        return NULL;
    const pt_expr_call *call = pt__expr_as_call(expr);
    bool is_window = call->name.count == 1 && strcasecmp(call->name.parts[0], "window") == 0;
    return is_window && call->argument_count >= 2 && call->argument_count <= 4 ? call : NULL;
}

static const pt_expr *replace(void *context, const pt_expr *expr)
{
    replacement *r = context;
    const pt_expr_call *call = window_call(expr);
    if (call == NULL)
        return expr->kind == PT_EXPR_SUBQUERY || expr->type != NULL
                   ? expr
                   : pt__expr_map_children(r->a->arena, expr, replace, context);
    if (r->found != NULL && !pt__expr_equal(&r->found->base, expr))
        r->has_several = true;
    r->found = call;
    return r->column == NULL ? expr : r->column;
}

static const pt_expr *const *replace_all(replacement *r, const pt_expr *const *expressions, size_t count)
{
    const pt_expr **replaced = pt__arena_array(r->a->arena, const pt_expr *, count + 1);
    for (size_t i = 0; i < count; i++)
        replaced[i] = replace(r, expressions[i]);
    return replaced;
}

/* Stars mean the columns without the windows. */
static pt_status expand_stars(pt__analyzer *a, const pt_plan *input, pt__expr_list *list, pt_error *err)
{
    pt__scope scope = pt__scope_of(a, &input, 1);
    pt__list(const pt_expr *) all = {0};
    for (size_t i = 0; i < list->count; i++) {
        const pt_expr *item = list->items[i];
        if (item->kind != PT_EXPR_STAR) {
            pt__list_push(a->arena, &all, item);
            continue;
        }
        const pt_expr *const *expanded;
        size_t count;
        PT_TRY(pt__expand_star(a, &scope, pt__expr_as_star(item), &expanded, &count, err));
        for (size_t k = 0; k < count; k++)
            pt__list_push(a->arena, &all, expanded[k]);
    }
    list->items = all.items;
    list->count = all.count;
    return PT_OK;
}

pt_status pt__take_time_windows(pt__analyzer *a, const pt_plan **input, pt__expr_list *lists, size_t list_count,
                                pt_error *err)
{
    replacement r = {.a = a};
    window_spec spec = {0};
    for (size_t i = 0; i < list_count; i++)
        replace_all(&r, lists[i].items, lists[i].count);
    if (r.found == NULL)
        return PT_OK;
    const pt_expr_call *call = r.found;
    if (r.has_several)
        return pt__analyzer_fail(
            pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "several windows of time in one select list", NULL),
            call->base.origin, err);
    if (*input == NULL) /* no FROM: one row */
        *input = pt__project(a, NULL, NULL, 0, NULL);
    PT_TRY(read_spec(a, *input, call, &spec, err));
    for (size_t i = 0; i < list_count; i++)
        PT_TRY(expand_stars(a, *input, &lists[i], err));
    PT_TRY(add_windows(a, &spec, call->base.origin, input, err));
    r.column = pt__column_ref(a, &(*input)->columns[(*input)->column_count - 1]);
    for (size_t i = 0; i < list_count; i++)
        lists[i].items = replace_all(&r, lists[i].items, lists[i].count);
    return PT_OK;
}
