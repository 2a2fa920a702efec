#include "backend/duckdb/lower_collections.h"
#include "backend/duckdb/lower_rules.h"

#include <string.h>
#include <strings.h>

/* Functions with lambdas, and those that make arrays and maps out of several. Rules as in lower_rules.h. */

/* ---- arguments that are written more than once ---- */

enum { NAMED_MAX = 64 };

/** The texts of a call's first arguments, each cheap enough to be written several times. */
typedef struct named {
    const char *texts[NAMED_MAX];
    bool is_open; /* within a lambda that holds them */
} named;

/* Long and volatile arguments are held by the parameter of a lambda over one element. */
static pt_status open_named(pt__lower *lower, const pt_expr_call *call, size_t count, named *out, pt_error *err)
{
    *out = (named){0};
    if (count > NAMED_MAX)
        return pt__lower_unsupported(err, call->base.origin, "a function of more than 64 arrays or maps");
    unsigned seen = lower->seen;
    lower->seen = 0;
    for (size_t i = 0; i < count; i++) {
        PT_TRY(pt__lower_expr_text(lower, call->arguments[i], &out->texts[i], err));
        out->is_open = out->is_open || strlen(out->texts[i]) > PT_LOWER_REPEAT_MAX ||
                       (lower->seen & (PT_TEXT_VOLATILE | PT_TEXT_SUBQUERY | PT_TEXT_AGGREGATE | PT_TEXT_WINDOW)) != 0;
    }
    lower->seen |= seen;
    if (!out->is_open)
        return PT_OK;
    uint32_t name = ++lower->next_alias;
    pt__put(lower, "list_transform([struct_pack(");
    for (size_t i = 0; i < count; i++) {
        pt__putf(lower, "%sa%zu := %s", i == 0 ? "" : ", ", i, out->texts[i]);
        out->texts[i] = pt__arena_printf(lower->arena, "struct_extract(b%u, 'a%zu')", name, i);
    }
    pt__putf(lower, ")], lambda b%u: ", name);
    return PT_OK;
}

static void close_named(pt__lower *lower, const named *held)
{
    if (held->is_open)
        pt__put(lower, ")[1]");
}

/* CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN; END is the caller's. */
static void put_all_present(pt__lower *lower, const named *held, size_t count)
{
    pt__put(lower, "CASE WHEN ");
    for (size_t i = 0; i < count; i++)
        pt__putf(lower, "%s%s IS NOT NULL", i == 0 ? "" : " AND ", held->texts[i]);
    pt__put(lower, " THEN ");
}

static const pt_expr_lambda *lambda_of(const pt_expr_call *call, size_t index)
{
    return pt__expr_as_lambda(call->arguments[index]);
}

__attribute__((format(printf, 4, 5))) static void bind_variable(pt__lower *lower, const pt_expr_lambda *lambda,
                                                                size_t index, const char *format, ...)
{
    if (index >= lambda->parameter_count)
        return;
    va_list arguments;
    va_start(arguments, format);
    const char *text = pt__arena_vprintf(lower->arena, format, arguments);
    va_end(arguments);
    pt__bind_text(lower, lambda->parameters[index]->id, text, 0, 1);
}

static void put_result_type(pt__lower *lower, const pt_expr_call *call)
{
    pt__put(lower, " AS ");
    pt__put_type(lower, call->base.type);
    pt__put(lower, ")");
}

/* ---- arrays ---- */

/* Spark counts positions from 0. */
static void count_from_zero(pt__lower *lower, const pt_expr_call *call)
{
    const pt_expr_lambda *lambda = lambda_of(call, 1);
    if (lambda->parameter_count > 1)
        bind_variable(lower, lambda, 1, "CAST(i%u - 1 AS INTEGER)", lambda->parameters[1]->id);
}

/* The lambda of one element, and of its position where the body wants it. */
static pt_status by_list_function(pt__lower *lower, const pt_expr_call *call, const char *function, pt_error *err)
{
    const pt_expr_lambda *lambda = lambda_of(call, 1);
    count_from_zero(lower, call);
    pt__putf(lower, "%s(", function);
    PT_TRY(pt__lower_expr(lower, call->arguments[0], err));
    pt__putf(lower, ", lambda v%u", lambda->parameters[0]->id);
    if (lambda->parameter_count > 1)
        pt__putf(lower, ", i%u", lambda->parameters[1]->id);
    pt__put(lower, ": ");
    PT_TRY(pt__lower_expr(lower, lambda->body, err));
    pt__put(lower, ")");
    return PT_OK;
}

PT_LOWERING(transform)
{
    (void)form;
    return by_list_function(lower, call, "list_transform", err);
}

PT_LOWERING(filter)
{
    (void)form;
    return by_list_function(lower, call, "list_filter", err);
}

/* The comparator answers for all pairs; a C function sorts by the answers. */
PT_LOWERING(array_sort)
{
    (void)form;
    const pt_expr_lambda *lambda = lambda_of(call, 1);
    named held;
    PT_TRY(open_named(lower, call, 1, &held, err));
    const char *list = held.texts[0];
    pt__putf(lower,
             "list_select(%s, spark_pick_by_answers(list_transform(%s, lambda v%u: list_transform(%s, lambda v%u: ",
             list, list, lambda->parameters[0]->id, list, lambda->parameters[1]->id);
    PT_TRY(pt__lower_expr(lower, lambda->body, err));
    pt__put(lower, "))))");
    close_named(lower, &held);
    return PT_OK;
}

static void put_null(pt__lower *lower, const pt_type *type)
{
    pt__put(lower, "CAST(NULL AS ");
    pt__put_type(lower, type);
    pt__put(lower, ")");
}

static pt_status put_cast(pt__lower *lower, const pt_expr *expr, const pt_type *type, pt_error *err)
{
    pt__put(lower, "CAST(");
    PT_TRY(pt__lower_expr(lower, expr, err));
    pt__put(lower, " AS ");
    pt__put_type(lower, type);
    pt__put(lower, ")");
    return PT_OK;
}

/*
 * list_reduce wants one type for elements and results: both become a struct of what has been gathered (acc) and the
 * next element (x).
 */
static pt_status put_reduction(pt__lower *lower, const pt_expr_call *call, const char *list, pt_error *err)
{
    const pt_type *element = call->arguments[0]->type->element;
    const pt_type *gathered = call->arguments[1]->type;
    const pt_expr_lambda *merge = lambda_of(call, 2);
    uint32_t name = ++lower->next_alias;
    bind_variable(lower, merge, 0, "struct_extract(s%u, 'acc')", name);
    bind_variable(lower, merge, 1, "struct_extract(t%u, 'x')", name);
    pt__putf(lower, "struct_extract(list_reduce(list_transform(%s, lambda e%u: struct_pack(acc := ", list, name);
    put_null(lower, gathered);
    pt__putf(lower, ", x := e%u)), lambda s%u, t%u: struct_pack(acc := ", name, name, name);
    PT_TRY(put_cast(lower, merge->body, gathered, err));
    pt__put(lower, ", x := ");
    put_null(lower, element);
    pt__put(lower, "), struct_pack(acc := ");
    PT_TRY(put_cast(lower, call->arguments[1], gathered, err));
    pt__put(lower, ", x := ");
    put_null(lower, element);
    pt__put(lower, ")), 'acc')");
    return PT_OK;
}

PT_LOWERING(reduce)
{
    (void)form;
    named held;
    PT_TRY(open_named(lower, call, 1, &held, err));
    if (call->argument_count < 4) {
        PT_TRY(put_reduction(lower, call, held.texts[0], err));
        close_named(lower, &held);
        return PT_OK;
    }
    const pt_expr_lambda *finish = lambda_of(call, 3);
    pt__putf(lower, "list_transform(CASE WHEN %s IS NOT NULL THEN [", held.texts[0]);
    PT_TRY(put_reduction(lower, call, held.texts[0], err));
    pt__putf(lower, "] END, lambda v%u: ", finish->parameters[0]->id);
    PT_TRY(pt__lower_expr(lower, finish->body, err));
    pt__put(lower, ")[1]");
    close_named(lower, &held);
    return PT_OK;
}

/* Opens list_transform over the positions of the longest of `count` lists. */
static uint32_t put_positions(pt__lower *lower, const named *held, size_t count)
{
    uint32_t name = ++lower->next_alias;
    pt__put(lower, "list_transform(");
    put_all_present(lower, held, count);
    pt__put(lower, "range(1, greatest(");
    for (size_t i = 0; i < count; i++)
        pt__putf(lower, "%slen(%s)", i == 0 ? "" : ", ", held->texts[i]);
    pt__putf(lower, ") + 1) END, lambda i%u: ", name);
    return name;
}

PT_LOWERING(zip_with)
{
    (void)form;
    const pt_expr_lambda *lambda = lambda_of(call, 2);
    named held;
    PT_TRY(open_named(lower, call, 2, &held, err));
    uint32_t name = put_positions(lower, &held, 2);
    for (size_t i = 0; i < 2; i++)
        bind_variable(lower, lambda, i, "list_extract(%s, i%u)", held.texts[i], name);
    PT_TRY(pt__lower_expr(lower, lambda->body, err));
    pt__put(lower, ")");
    close_named(lower, &held);
    return PT_OK;
}

PT_LOWERING(arrays_zip)
{
    (void)form;
    size_t count = call->argument_count;
    named held;
    if (count == 0) {
        pt__put(lower, "CAST([]");
        put_result_type(lower, call);
        return PT_OK;
    }
    PT_TRY(open_named(lower, call, count, &held, err));
    uint32_t name = put_positions(lower, &held, count);
    pt__put(lower, "struct_pack(");
    for (size_t i = 0; i < count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_field_name(lower, call->base.type->element, i);
        pt__putf(lower, " := list_extract(%s, i%u)", held.texts[i], name);
    }
    pt__put(lower, "))");
    close_named(lower, &held);
    return PT_OK;
}

/* A step as a calendar interval; whole days of day-time intervals are days of the calendar. */
static const char *step_template(const pt_expr_call *call)
{
    if (call->argument_count < 3)
        return "CASE WHEN {0} <= {1} THEN INTERVAL 1 DAY ELSE INTERVAL (-1) DAY END";
    switch (call->arguments[2]->type->id) {
    case PT_TYPE_INTERVAL_YEAR_MONTH: return "to_months({2})";
    case PT_TYPE_INTERVAL_DAY_TIME:
        return "(to_days(CAST({2} // 86400000000 AS INTEGER)) + to_microseconds({2} % 86400000000))";
    default: return "{2}";
    }
}

PT_LOWERING(sequence)
{
    (void)form;
    const pt_type *element = call->base.type->element;
    if (pt__type_is_integral(element))
        return pt__lower_by_template(lower, "spark_sequence({*})", call, NULL, err);
    const char *zone = element->id == PT_TYPE_TIMESTAMP ? ", {z}" : "";
    return pt__lower_by_template(
        lower, pt__arena_printf(lower->arena, "spark_sequence({0}, {1}, %s%s)", step_template(call), zone), call, NULL,
        err);
}

/* ---- maps ---- */

/* A map out of the list of entries between open_entries and close_entries. */
static void open_entries(pt__lower *lower, const pt_expr_call *call)
{
    pt__put(lower, "CAST(");
    pt__put(lower, call->mode == PT_CAST_LEGACY ? "list_transform([" : "map_from_entries(");
}

/* Where the last wins: each key where it stands first, with the value that stands last. */
static void close_entries(pt__lower *lower, const pt_expr_call *call)
{
    if (call->mode == PT_CAST_LEGACY) {
        uint32_t n = ++lower->next_alias;
        const char *keys =
            pt__arena_printf(lower->arena, "list_transform(b%u, lambda e%u: struct_extract(e%u, 'key'))", n, n, n);
        pt__putf(
            lower,
            "], lambda b%u: map(list_select(%s, spark_pick_distinct(%s)), list_select(list_transform(b%u, lambda e%u: "
            "struct_extract(e%u, 'value')), spark_pick_last(%s))))[1]",
            n, keys, keys, n, n, n, keys);
    } else {
        pt__put(lower, ")");
    }
    pt__put(lower, " AS ");
    pt__put_type(lower, call->base.type);
    pt__put(lower, ")");
}

pt_status pt__lower_map_last_wins(pt__lower *lower, const pt_expr_call *call, pt_error *err)
{
    open_entries(lower, call);
    for (size_t i = 0; i + 1 < call->argument_count; i += 2) {
        pt__put(lower, i == 0 ? "[struct_pack(key := " : "), struct_pack(key := ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i], err));
        pt__put(lower, ", value := ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i + 1], err));
    }
    pt__put(lower, ")]");
    close_entries(lower, call);
    return PT_OK;
}

PT_LOWERING(map_from_arrays)
{
    (void)form;
    return pt__lower_by_template(
        lower,
        call->mode == PT_CAST_LEGACY
            ? "map(list_select({0}, spark_pick_distinct({0})), list_select({1}, spark_pick_last({0})))"
            : "CASE WHEN spark_check_keys({0}, {1}) THEN map({0}, {1}) END",
        call, NULL, err);
}

PT_LOWERING(map_from_entries)
{
    (void)form;
    if (call->mode != PT_CAST_LEGACY)
        return pt__lower_by_template(lower, "CASE WHEN spark_check_entries({0}) THEN map_from_entries({0}) END", call,
                                     NULL, err);
    pt__put(lower, "CASE WHEN NOT spark_has_null(");
    PT_TRY(pt__lower_expr(lower, call->arguments[0], err));
    pt__put(lower, ") THEN ");
    open_entries(lower, call);
    pt__put(lower, "list_transform(");
    PT_TRY(pt__lower_expr(lower, call->arguments[0], err));
    pt__put(lower, ", lambda p: struct_pack(key := struct_extract_at(p, 1), value := struct_extract_at(p, 2)))");
    close_entries(lower, call);
    pt__put(lower, " END");
    return PT_OK;
}

/* Binds key and value of the lambda to the fields of an entry; returns the number in the entry's name. */
static uint32_t bind_entry(pt__lower *lower, const pt_expr_lambda *lambda)
{
    uint32_t name = ++lower->next_alias;
    bind_variable(lower, lambda, 0, "struct_extract(e%u, 'key')", name);
    bind_variable(lower, lambda, 1, "struct_extract(e%u, 'value')", name);
    return name;
}

PT_LOWERING(map_filter)
{
    (void)form;
    const pt_expr_lambda *lambda = lambda_of(call, 1);
    uint32_t name = bind_entry(lower, lambda);
    pt__put(lower, "CAST(map_from_entries(list_filter(map_entries(");
    PT_TRY(pt__lower_expr(lower, call->arguments[0], err));
    pt__putf(lower, "), lambda e%u: ", name);
    PT_TRY(pt__lower_expr(lower, lambda->body, err));
    pt__put(lower, "))");
    put_result_type(lower, call);
    return PT_OK;
}

static pt_status transform_entries(pt__lower *lower, const pt_expr_call *call, bool keys, pt_error *err)
{
    const pt_expr_lambda *lambda = lambda_of(call, 1);
    uint32_t name = bind_entry(lower, lambda);
    open_entries(lower, call);
    pt__put(lower, "list_transform(map_entries(");
    PT_TRY(pt__lower_expr(lower, call->arguments[0], err));
    pt__putf(lower, "), lambda e%u: struct_pack(key := ", name);
    if (keys)
        PT_TRY(pt__lower_expr(lower, lambda->body, err));
    else
        pt__putf(lower, "struct_extract(e%u, 'key')", name);
    pt__put(lower, ", value := ");
    if (keys)
        pt__putf(lower, "struct_extract(e%u, 'value')", name);
    else
        PT_TRY(pt__lower_expr(lower, lambda->body, err));
    pt__put(lower, "))");
    close_entries(lower, call);
    return PT_OK;
}

PT_LOWERING(transform_keys)
{
    (void)form;
    return transform_entries(lower, call, true, err);
}

PT_LOWERING(transform_values)
{
    (void)form;
    return transform_entries(lower, call, false, err);
}

PT_LOWERING(map_zip_with)
{
    (void)form;
    const pt_expr_lambda *lambda = lambda_of(call, 2);
    named held;
    PT_TRY(open_named(lower, call, 2, &held, err));
    uint32_t name = ++lower->next_alias;
    const char *keys =
        pt__arena_printf(lower->arena, "list_concat(map_keys(%s), map_keys(%s))", held.texts[0], held.texts[1]);
    bind_variable(lower, lambda, 0, "k%u", name);
    for (size_t i = 0; i < 2; i++)
        bind_variable(lower, lambda, i + 1, "map_extract_value(%s, k%u)", held.texts[i], name);
    put_all_present(lower, &held, 2);
    pt__putf(lower,
             "CAST(map_from_entries(list_transform(list_select(%s, spark_pick_distinct(%s)), lambda k%u: "
             "struct_pack(key := k%u, value := ",
             keys, keys, name, name);
    PT_TRY(pt__lower_expr(lower, lambda->body, err));
    pt__put(lower, ")))");
    put_result_type(lower, call);
    pt__put(lower, " END");
    close_named(lower, &held);
    return PT_OK;
}

PT_LOWERING(map_concat)
{
    (void)form;
    size_t count = call->argument_count;
    named held;
    if (count == 0) {
        pt__put(lower, "CAST(MAP {}");
        put_result_type(lower, call);
        return PT_OK;
    }
    PT_TRY(open_named(lower, call, count, &held, err));
    put_all_present(lower, &held, count);
    open_entries(lower, call);
    pt__put(lower, "flatten([");
    for (size_t i = 0; i < count; i++)
        pt__putf(lower, "%smap_entries(%s)", i == 0 ? "" : ", ", held.texts[i]);
    pt__put(lower, "])");
    close_entries(lower, call);
    pt__put(lower, " END");
    close_named(lower, &held);
    return PT_OK;
}

/* ---- the largest and the smallest ---- */

/* greatest and least of nested values go by Spark's order. */
PT_LOWERING(greatest)
{
    (void)form;
    bool greatest = pt__is_function(call, "greatest");
    const char *plain = greatest ? "greatest({*})" : "least({*})";
    const char *nested =
        greatest ? "list_extract([{*}], spark_max_position([{*}]))" : "list_extract([{*}], spark_min_position([{*}]))";
    return pt__lower_by_template(lower, pt__orders_by_key(call->base.type) ? nested : plain, call, NULL, err);
}

PT_LOWERING(max)
{
    bool max = pt__is_function(call, "max");
    const char *plain = max ? "max({0})" : "min({0})";
    const char *nested = max ? "arg_max({0}, spark_sort_key({0}))" : "arg_min({0}, spark_sort_key({0}))";
    return pt__lower_by_template(lower, pt__orders_by_key(call->base.type) ? nested : plain, call, form, err);
}

/* The value where the other is largest; a NULL there counts for nothing. */
PT_LOWERING(max_by)
{
    bool max = pt__is_function(call, "max_by");
    const char *order = pt__orders_by_key(call->arguments[1]->type) ? "spark_sort_key({1})" : "{1}";
    const char *name = call->argument_count > 2 ? (max ? "arg_max" : "arg_min") : max ? "arg_max_null" : "arg_min_null";
    const char *count = call->argument_count > 2 ? ", {2}::BIGINT" : "";
    return pt__lower_by_template(lower, pt__arena_printf(lower->arena, "%s({0}, %s%s)", name, order, count), call, form,
                                 err);
}
