/* Calls: which overload is meant, and what it gives. */
#include "analyze/analyzer.h"

#include "base/arena_buffer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Builtin functions may be written with the schema they live in. */
static const char *builtin_name(const pt_name *name)
{
    if (name->count == 1)
        return name->parts[0];
    if (name->count == 2 && strcasecmp(name->parts[0], "builtin") == 0)
        return name->parts[1];
    if (name->count == 3 && strcasecmp(name->parts[0], "system") == 0 && strcasecmp(name->parts[1], "builtin") == 0)
        return name->parts[2];
    return NULL;
}

bool pt__arity_fits(const pt__function *row, size_t count)
{
    size_t fewest;
    size_t most;
    pt__signature_arity(row->signature, &fewest, &most);
    return count >= fewest && count <= most;
}

static pt_status choose(pt__analyzer *a, pt__scope *scope, const pt_expr_call *call, const pt__function *rows,
                        size_t count, pt__match *match, pt_error *err)
{
    for (pt__leniency leniency = PT_MATCH_EXACT; leniency < PT_MATCH_COUNT; leniency++) {
        for (size_t i = 0; i < count; i++) {
            if (!pt__arity_fits(&rows[i], call->argument_count))
                continue;
            pt_status status = pt__match_signature(a, scope, &rows[i], call, leniency, match, err);
            if (status != PT_NOT_FOUND)
                return status;
        }
    }
    return pt__fail_overload(a, call, rows, count, err);
}

/* Replaces names of the parameters in a function's body by the arguments. */
typedef struct inlining {
    pt__analyzer *a;
    const pt__user_function *function;
    const pt_expr *const *arguments;
} inlining;

static const pt_expr *inline_parameter(void *context, const pt_expr *expr)
{
    inlining *in = context;
    if (expr->kind == PT_EXPR_ATTRIBUTE) {
        const pt_expr_attribute *attribute = pt__expr_as_attribute(expr);
        const char *last = attribute->name.parts[attribute->name.count - 1];
        for (size_t i = 0; attribute->name.count <= 2 && i < in->function->parameter_count; i++) {
            if (pt__same_name(in->a, in->function->parameters[i].name, last))
                return in->arguments[i];
        }
        return expr;
    }
    return pt__expr_map_children(in->a->arena, expr, inline_parameter, context);
}

static pt_status call_user_function(pt__analyzer *a, pt__scope *scope, const pt_expr_call *call,
                                    const pt__user_function *function, const pt_expr **out, pt_error *err)
{
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, function->parameter_count + 1);
    const char *expected = pt__arena_printf(a->arena, "%zu", function->parameter_count);
    if (call->argument_count > function->parameter_count)
        return pt__wrong_count(a, call, expected, err);
    for (size_t i = 0; i < function->parameter_count; i++) {
        const pt_expr *value = i < call->argument_count     ? call->arguments[i]
                               : function->defaults != NULL ? function->defaults[i]
                                                            : NULL;
        if (value == NULL)
            return pt__wrong_count(a, call, expected, err);
        arguments[i] = pt__expr_cast(a->arena, value, function->parameters[i].type, PT_CAST_DEFAULT);
    }
    inlining in = {a, function, arguments};
    const pt_expr *body = inline_parameter(&in, function->body);
    if (function->return_type != NULL)
        body = pt__expr_cast(a->arena, body, function->return_type, PT_CAST_DEFAULT);
    return pt__analyze_expr(a, scope, pt__expr_alias(a->arena, body, pt__pretty_name(a->arena, &call->base)), out, err);
}

static bool makes_map(const char *name)
{
    static const char *const NAMES[] = {"map",        "map_concat",    "map_from_arrays", "map_from_entries",
                                        "str_to_map", "transform_keys"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (strcasecmp(NAMES[i], name) == 0)
            return true;
    return false;
}

static bool starts_with_try(const char *name)
{
    return strncasecmp(name, "try_", 4) == 0;
}

/* ---- values of the session ---- */

static const pt_expr *text_or_empty(pt__analyzer *a, const char *text)
{
    return pt__expr_string(a->arena, text == NULL ? "" : text);
}

static const pt_expr *now(pt__analyzer *a)
{
    pt_value value = {.as.integer = a->catalog->vtable->now_us(a->catalog)};
    return pt__expr_literal(a->arena, PT_T(TIMESTAMP), value);
}

static const pt_expr *today(pt__analyzer *a)
{
    return pt__make_cast(a, now(a), PT_T(DATE), PT_CAST_ANSI, true);
}

static const pt_expr *local_now(pt__analyzer *a)
{
    return pt__make_cast(a, now(a), PT_T(TIMESTAMP_NTZ), PT_CAST_ANSI, true);
}

static const pt_expr *catalog_name(pt__analyzer *a)
{
    return text_or_empty(a, a->catalog->vtable->current_catalog(a->catalog));
}

static const pt_expr *database_name(pt__analyzer *a)
{
    return text_or_empty(a, a->catalog->vtable->current_database(a->catalog));
}

static const pt_expr *user_name(pt__analyzer *a)
{
    return text_or_empty(a, a->catalog->vtable->current_user(a->catalog));
}

static const pt_expr *unix_now(pt__analyzer *a)
{
    return pt__expr_long(a->arena, a->catalog->vtable->now_us(a->catalog) / 1000000);
}

static const pt_expr *zone_name(pt__analyzer *a)
{
    return text_or_empty(a, a->time_zone);
}

static const pt_expr *spark_version(pt__analyzer *a)
{
    return pt__expr_string(a->arena, "4.2.0 portico");
}

/* What a function without arguments stands for during this query; NULL: it is computed row by row. */
static const pt_expr *session_value(pt__analyzer *a, const pt__function *row)
{
    static const struct {
        const char *name;
        const pt_expr *(*value)(pt__analyzer *a);
    } VALUES[] = {
        {"curdate", today},
        {"current_catalog", catalog_name},
        {"current_database", database_name},
        {"current_date", today},
        {"current_schema", database_name},
        {"current_timestamp", now},
        {"current_timezone", zone_name},
        {"current_user", user_name},
        {"localtimestamp", local_now},
        {"now", now},
        {"session_user", user_name},
        {"user", user_name},
        {"unix_timestamp", unix_now},
        {"version", spark_version},
    };
    for (size_t i = 0; i < sizeof(VALUES) / sizeof(VALUES[0]); i++) {
        if (strcmp(VALUES[i].name, row->name) == 0)
            return VALUES[i].value(a);
    }
    return NULL;
}

static void fill_match(pt_expr_call *resolved, const pt__match *match)
{
    resolved->function = match->function;
    resolved->folded = match->folded;
    resolved->arguments = match->arguments;
    resolved->argument_count = match->argument_count;
    resolved->base.type = match->type;
    resolved->base.nullable = match->nullable;
}

/* Function names are printed and compared in lower case. */
static pt_name lower_name(pt__arena *arena, const char *name)
{
    char *lower = pt__arena_copy_string(arena, name);
    for (char *c = lower; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return pt__name_one(arena, lower);
}

static void fold_call(pt__analyzer *a, pt_expr_call *call)
{
    if (strcmp(call->function->lowering, "@session_value") == 0)
        call->folded = session_value(a, call->function);
}

static pt_status check_modifiers(pt__analyzer *a, const pt_expr_call *call, const pt__function *row, pt_error *err)
{
    bool is_aggregate = row->kind == PT_FUNCTION_AGGREGATE;
    bool is_window = row->kind == PT_FUNCTION_WINDOW;
    const char *clause = NULL;
    if (call->is_distinct && !is_aggregate)
        clause = "DISTINCT";
    else if (call->filter != NULL && !is_aggregate)
        clause = "FILTER clause";
    else if (call->ignore_nulls && !is_aggregate && !is_window)
        clause = "IGNORE NULLS";
    if (clause == NULL)
        return PT_OK;
    pt_status status = pt__raise(err, PT_COND_INVALID_SQL_SYNTAX_FUNCTION_CLAUSE, "funcName",
                                 pt__quote_name(a->arena, &call->name), "syntax", clause, NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

/* Types whose names are functions of one argument too: int('5') is a cast that does not show in the column's name. */
static const pt_type *cast_function(pt__analyzer *a, const char *name)
{
    static const struct {
        const char *name;
        pt_type_id id;
    } TYPES[] = {
        {"bigint", PT_TYPE_LONG},     {"binary", PT_TYPE_BINARY},
        {"boolean", PT_TYPE_BOOLEAN}, {"date", PT_TYPE_DATE},
        {"double", PT_TYPE_DOUBLE},   {"float", PT_TYPE_FLOAT},
        {"int", PT_TYPE_INT},         {"smallint", PT_TYPE_SHORT},
        {"string", PT_TYPE_STRING},   {"timestamp", PT_TYPE_TIMESTAMP},
        {"tinyint", PT_TYPE_BYTE},
    };
    for (size_t i = 0; name != NULL && i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
        if (strcasecmp(TYPES[i].name, name) == 0)
            return pt__type_simple(TYPES[i].id);
    }
    return name != NULL && strcasecmp(name, "decimal") == 0 ? pt__type_decimal(a->arena, 10, 0) : NULL;
}

static pt_status call_cast_function(pt__analyzer *a, pt__scope *scope, const pt_expr_call *call, const pt_type *type,
                                    const pt_expr **out, pt_error *err)
{
    if (call->argument_count != 1)
        return pt__wrong_count(a, call, "1", err);
    pt_expr_cast *cast = pt__expr_make(a->arena, CAST, cast, call->base.origin);
    cast->child = call->arguments[0];
    cast->target = type;
    cast->mode = PT_CAST_DEFAULT;
    cast->is_implicit = true;
    return pt__analyze_expr(a, scope, &cast->base, out, err);
}

static bool is_visible(const pt__function *row, const pt_expr_call *call)
{
    return row->audience == PT_FOR_EVERYONE || call->reach == PT_REACH_ALL ||
           (row->audience == PT_FOR_CONNECT && call->reach == PT_REACH_CONNECT);
}

/* The rows of a name that the call may mean; NULL when there are none. */
static const pt__function *find_rows(pt__analyzer *a, const char *name, const pt_expr_call *call, size_t *count)
{
    size_t total = 0;
    const pt__function *rows = name == NULL ? NULL : pt__function_find(name, &total);
    *count = 0;
    for (size_t i = 0; i < total; i++)
        *count += is_visible(&rows[i], call);
    if (*count == total)
        return rows;
    pt__function *visible = pt__arena_array(a->arena, pt__function, *count + 1);
    size_t made = 0;
    for (size_t i = 0; i < total; i++) {
        if (is_visible(&rows[i], call))
            visible[made++] = rows[i];
    }
    return made == 0 ? NULL : visible;
}

pt_status pt__resolve_call(pt__analyzer *a, pt__scope *scope, pt_expr_call *call, const pt_expr **out, pt_error *err)
{
    const pt__user_function *user = NULL;
    pt_status found = call->is_internal
                          ? PT_NOT_FOUND
                          : a->catalog->vtable->find_function(a->catalog, a->arena, &call->name, &user, err);
    if (found == PT_OK && user->body != NULL)
        return call_user_function(a, scope, call, user, out, err);
    if (found != PT_OK && found != PT_NOT_FOUND)
        return found;
    const char *name = builtin_name(&call->name);
    size_t count = 0;
    const pt__function *rows = find_rows(a, name, call, &count);
    const pt_type *cast_to = rows == NULL ? cast_function(a, name) : NULL;
    if (cast_to != NULL)
        return call_cast_function(a, scope, call, cast_to, out, err);
    if (rows == NULL)
        return pt__fail_unknown_function(a, call, err);
    PT_TRY(check_modifiers(a, call, rows, err));
    PT_TRY(pt__check_lambdas(call, rows, count, err));
    call->mode = starts_with_try(name) ? PT_CAST_TRY : a->ansi ? PT_CAST_ANSI : PT_CAST_LEGACY;
    if (makes_map(name)) /* legacy: the last of equal keys wins */
        call->mode = pt__conf_is(a, "spark.sql.mapKeyDedupPolicy", "LAST_WIN") ? PT_CAST_LEGACY : PT_CAST_ANSI;
    pt__match match = {0};
    PT_TRY(pt__check_untyped_arguments(a, rows[0].name, call, err));
    PT_TRY(choose(a, scope, call, rows, count, &match, err));
    PT_TRY(pt__check_typed_arguments(a, call, &match, err));
    fill_match(call, &match);
    call->name = lower_name(a->arena, name);
    fold_call(a, call);
    *out = &call->base;
    return PT_OK;
}

pt_status pt__call(pt__analyzer *a, const char *name, const pt_expr *const *arguments, size_t count,
                   const pt_expr **out, pt_error *err)
{
    pt_expr_call *call = pt__expr_make(a->arena, CALL, call, count == 0 ? NULL : arguments[0]->origin);
    call->name = pt__name_one(a->arena, name);
    call->arguments = arguments;
    call->argument_count = count;
    call->is_internal = true;
    pt__scope scope = pt__scope_of(a, NULL, 0);
    return pt__resolve_call(a, &scope, call, out, err);
}
