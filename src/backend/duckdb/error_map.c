#include "backend/duckdb/error_map.h"

#include "backend/duckdb/error_context.h"
#include "backend/duckdb/functions/functions.h"
#include "base/condition.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

#define ANSI_CONF "\"spark.sql.ansi.enabled\""

/* ---- errors that our functions raise ---- */

static pt_status raise_unknown(const char *name, size_t size, const char *text, pt_error *err)
{
    pt_error_set(err, PT_EXECUTION, "[%.*s] %s", (int)size, name, text);
    if (err != NULL)
        snprintf(err->condition, sizeof(err->condition), "%.*s", (int)size, name);
    return PT_EXECUTION;
}

static pt_status raise_parsed(const pt__condition *condition, const pt__json *members, pt_error *err)
{
    pt__parameter parameters[PT_RAISE_PARAMETERS_MAX];
    size_t count = 0;
    for (size_t i = 0; members != NULL && i < members->count && count < PT_RAISE_PARAMETERS_MAX; i++) {
        const pt__json *item = &members->items[i];
        parameters[count++] = (pt__parameter){item->key, item->text == NULL ? "" : item->text};
    }
    return pt__raise_with(err, (pt__condition_id)(condition - pt__condition_get(0)), parameters, count);
}

/* The end of the JSON object at `text`. */
static const char *object_end(const char *text)
{
    int depth = 0;
    bool in_string = false;
    for (const char *c = text; *c != '\0'; c++) {
        if (in_string && *c == '\\' && c[1] != '\0')
            c++;
        else if (*c == '"')
            in_string = !in_string;
        else if (!in_string && *c == '{')
            depth++;
        else if (!in_string && *c == '}' && --depth == 0)
            return c + 1;
    }
    return text + strlen(text);
}

static pt_status raise_marked(const char *open, const char *close, pt_error *err)
{
    char name[96];
    snprintf(name, sizeof(name), "%.*s", (int)(close - open - 1), open + 1);
    const pt__condition *condition = pt__condition_find(name);
    if (condition == NULL)
        return raise_unknown(open + 1, (size_t)(close - open - 1), close + 1, err);
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an error");
    const pt__json *members = NULL;
    if (close[1] == '{' &&
        pt__json_parse(arena, close + 1, (size_t)(object_end(close + 1) - close - 1), &members, NULL) != PT_OK)
        members = NULL;
    pt_status status = raise_parsed(condition, members, err);
    pt__arena_free(arena);
    return status;
}

/* `[NAME]` at the start of the message proper. */
static bool find_mark(const char *text, const char **open, const char **close)
{
    const char *at = strstr(text, "Error: ");
    at = at == NULL ? text : at + strlen("Error: ");
    if (*at != '[')
        return false;
    const char *end = at + 1;
    while ((*end >= 'A' && *end <= 'Z') || (*end >= '0' && *end <= '9') || *end == '_' || *end == '.')
        end++;
    *open = at;
    *close = end;
    return *end == ']' && end > at + 1;
}

/* ---- errors of DuckDB ---- */

typedef pt_status (*raise_rule)(const char *text, pt_error *err);

/* The text between `before` and `after`, cut to the buffer; false when it is not there. */
static bool between(const char *text, const char *before, const char *after, char *out, size_t size)
{
    const char *start = strstr(text, before);
    if (start == NULL)
        return false;
    start += strlen(before);
    const char *end = strstr(start, after);
    if (end == NULL)
        return false;
    snprintf(out, size, "%.*s", (int)(end - start), start);
    return true;
}

static const char *spark_type(const char *engine_type)
{
    static const char *const NAMES[][2] = {
        {"INT8", "TINYINT"}, {"INT16", "SMALLINT"},
        {"INT32", "INT"},    {"INT64", "BIGINT"},
        {"INTEGER", "INT"},  {"VARCHAR", "STRING"},
        {"BLOB", "BINARY"},  {"TIMESTAMP WITH TIME ZONE", "TIMESTAMP"},
        {"BOOL", "BOOLEAN"}, {"TIMESTAMP", "TIMESTAMP_NTZ"},
    };
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        if (strcmp(engine_type, NAMES[i][0]) == 0)
            return NAMES[i][1];
    }
    return engine_type;
}

static pt_status raise_overflow(const char *text, pt_error *err)
{
    char type[64] = "";
    char values[256] = "";
    if (between(text, " of INT", " ", type, sizeof(type)) || between(text, " of INT", "!", type, sizeof(type))) {
        bool is_small = strncmp(type, "8", 1) == 0 || strncmp(type, "16", 2) == 0;
        between(text, "(", ")", values, sizeof(values));
        const char *symbol = strstr(text, "addition") ? "+" : strstr(text, "subtraction") ? "-" : "*";
        const char *space = strchr(values, ' ');
        if (is_small && space != NULL) {
            char left[128];
            snprintf(left, sizeof(left), "%.*s", (int)(space - values), values);
            const char *right = strrchr(values, ' ') + 1;
            return pt__raise(err, PT_COND_BINARY_ARITHMETIC_OVERFLOW, "value1", left, "symbol", symbol, "value2", right,
                             "functionName", symbol, NULL);
        }
    }
    const char *name = strncmp(type, "32", 2) == 0 ? "integer overflow" : "long overflow";
    return pt__raise(err, PT_COND_ARITHMETIC_OVERFLOW, "message", name, "alternative", "", "config", ANSI_CONF, NULL);
}

static pt_status raise_sum_overflow(const char *text, pt_error *err)
{
    (void)text;
    return pt__raise(err, PT_COND_ARITHMETIC_OVERFLOW, "message", "long overflow", "alternative",
                     " Use 'try_sum' to tolerate overflow and return NULL instead.", "config", ANSI_CONF, NULL);
}

static pt_status raise_cast_overflow(const char *text, pt_error *err)
{
    char source[64] = "";
    char value[128] = "";
    char target[64] = "";
    char quoted_source[72];
    char quoted_target[72];
    between(text, "Type ", " with value ", source, sizeof(source));
    between(text, " with value ", " can't be cast", value, sizeof(value));
    if (!between(text, "destination type ", "\n", target, sizeof(target))) {
        const char *at = strstr(text, "destination type ");
        snprintf(target, sizeof(target), "%s", at == NULL ? "" : at + strlen("destination type "));
    }
    snprintf(quoted_source, sizeof(quoted_source), "\"%s\"", spark_type(source));
    snprintf(quoted_target, sizeof(quoted_target), "\"%s\"", spark_type(target));
    return pt__raise(err, PT_COND_CAST_OVERFLOW, "value", value, "sourceType", quoted_source, "targetType",
                     quoted_target, "ansiConfig", ANSI_CONF, NULL);
}

static pt_status raise_invalid_cast(const char *text, pt_error *err)
{
    char value[200] = "";
    char target[64] = "";
    char quoted_value[208];
    char quoted_target[72];
    if (!between(text, "string '", "' to", value, sizeof(value)) && !between(text, ": \"", "\"", value, sizeof(value)))
        between(text, "'", "'", value, sizeof(value));
    if (!between(text, "' to ", "\n", target, sizeof(target))) {
        const char *at = strstr(text, "' to ");
        const char *fallback = strstr(text, "date field") != NULL ? "DATE" : "TIMESTAMP";
        snprintf(target, sizeof(target), "%s", at == NULL ? fallback : at + strlen("' to "));
    }
    snprintf(quoted_value, sizeof(quoted_value), "'%s'", value);
    snprintf(quoted_target, sizeof(quoted_target), "\"%s\"", spark_type(target));
    return pt__raise(err, PT_COND_CAST_INVALID_INPUT, "expression", quoted_value, "sourceType", "\"STRING\"",
                     "targetType", quoted_target, "ansiConfig", ANSI_CONF, NULL);
}

static pt_status raise_decimal_range(const char *text, pt_error *err)
{
    char value[128] = "";
    char type[64] = "";
    between(text, "value ", " ", value, sizeof(value));
    between(text, "DECIMAL(", ")", type, sizeof(type));
    const char *comma = strchr(type, ',');
    char precision[16];
    snprintf(precision, sizeof(precision), "%.*s", comma == NULL ? 8 : (int)(comma - type), type);
    return pt__raise(err, PT_COND_NUMERIC_VALUE_OUT_OF_RANGE_WITH_SUGGESTION, "value", value, "precision", precision,
                     "scale", comma == NULL ? "" : comma + 1, "config", ANSI_CONF, NULL);
}

static pt_status raise_date_field(const char *text, pt_error *err)
{
    const char *at = strstr(text, "Error: ");
    return pt__raise(err, PT_COND_DATETIME_FIELD_OUT_OF_BOUNDS, "rangeMessage", at == NULL ? text : at + 7,
                     "ansiConfig", ANSI_CONF, NULL);
}

static pt_status raise_timestamp_pattern(const char *text, pt_error *err)
{
    char value[200] = "";
    char message[256];
    between(text, "string \"", "\"", value, sizeof(value));
    snprintf(message, sizeof(message), "Text '%s' could not be parsed", value);
    return pt__raise(err, PT_COND_CANNOT_PARSE_TIMESTAMP, "message", message, "func", "`try_to_timestamp`", NULL);
}

static pt_status raise_many_rows(const char *text, pt_error *err)
{
    (void)text;
    return pt__raise(err, PT_COND_SCALAR_SUBQUERY_TOO_MANY_ROWS, NULL);
}

static pt_status raise_map_keys(const char *text, pt_error *err)
{
    if (strstr(text, "unique") == NULL)
        return pt__raise(err, PT_COND_NULL_MAP_KEY, NULL);
    return pt__raise(err, PT_COND_DUPLICATED_MAP_KEY, "key", "", "mapKeyDedupPolicy", "\"spark.sql.mapKeyDedupPolicy\"",
                     NULL);
}

static pt_status raise_no_files(const char *text, pt_error *err)
{
    char path[512] = "";
    if (!between(text, "pattern \"", "\"", path, sizeof(path)))
        between(text, "\"", "\"", path, sizeof(path));
    return pt__raise(err, PT_COND_PATH_NOT_FOUND, "path", path, NULL);
}

static pt_status raise_no_memory(const char *text, pt_error *err)
{
    const char *at = strstr(text, "Error: ");
    return pt_error_set(err, PT_NO_MEMORY, "[UNABLE_TO_ACQUIRE_MEMORY] %s SQLSTATE: 53200", at == NULL ? text : at + 7);
}

static pt_status raise_cancelled(const char *text, pt_error *err)
{
    (void)text;
    return pt__raise(err, PT_COND_OPERATION_CANCELED, NULL);
}

static pt_status raise_permission(const char *text, pt_error *err)
{
    const char *at = strstr(text, "Error: ");
    return pt_error_set(err, PT_PERMISSION_DENIED, "%s", at == NULL ? text : at + 7);
}

static pt_status raise_io(const char *text, pt_error *err)
{
    return pt_error_set(err, PT_IO, "%s", text);
}

static pt_status raise_timestamp_range(const char *text, pt_error *err)
{
    const char *at = strstr(text, "Error: ");
    return pt__raise(err, PT_COND_DATETIME_OVERFLOW, "operation", at == NULL ? text : at + strlen("Error: "), NULL);
}

/* What Java's formatter says: no condition of Spark's. */
static pt_status raise_format(const char *text, pt_error *err)
{
    return pt_error_set(err, PT_EXECUTION, "%s", strstr(text, PT__ILLEGAL_FORMAT) + strlen(PT__ILLEGAL_FORMAT));
}

/* In order: the first whose piece lies in the text counts. */
static const struct rule {
    const char *piece;
    raise_rule raise;
} RULES[] = {
    {"INTERRUPT Error", raise_cancelled},
    {"Out of Memory Error", raise_no_memory},
    {"Permission Error", raise_permission},
    {"Invalid Input Error: out of memory", raise_no_memory},
    {PT__ILLEGAL_FORMAT, raise_format},
    {"No files found that match the pattern", raise_no_files},
    {"No such file or directory", raise_no_files},
    {"Overflow in addition of DECIMAL", raise_decimal_range},
    {"Overflow in subtract of DECIMAL", raise_decimal_range},
    {"Overflow in multiplication of DECIMAL", raise_decimal_range},
    {"Casting value", raise_decimal_range},
    {"to DECIMAL(", raise_decimal_range},
    {"Overflow in ", raise_overflow},
    {"Overflow on abs", raise_overflow},
    {"Type INT128 with value", raise_sum_overflow},
    {"can't be cast because the value is out of range", raise_cast_overflow},
    {"Could not convert string", raise_invalid_cast},
    {"invalid date field format", raise_invalid_cast},
    {"invalid timestamp field format", raise_invalid_cast},
    {"date field value out of range", raise_invalid_cast},
    {"timestamp field value out of range", raise_invalid_cast},
    {"Date out of range", raise_date_field},
    {"Date and time not in timestamp range", raise_date_field},
    {"Timestamp microseconds out of range", raise_timestamp_range},
    {"Could not parse string", raise_timestamp_pattern},
    {"More than one row returned by a subquery", raise_many_rows},
    {"Map keys must be unique", raise_map_keys},
    {"Map keys can not be NULL", raise_map_keys},
    {"IO Error", raise_io},
};

static pt_status raise_other(const char *text, pt_error *err)
{
    for (size_t i = 0; i < sizeof(RULES) / sizeof(*RULES); i++) {
        if (strstr(text, RULES[i].piece) != NULL)
            return RULES[i].raise(text, err);
    }
    return pt__raise(err, PT_COND_INTERNAL_ERROR, "message", text, NULL);
}

pt_status pt__error_of_text(const char *text, const pt_plan *plan, pt_error *err)
{
    if (text == NULL)
        return pt_error_set(err, PT_INTERNAL, "DuckDB failed without a message");
    const char *open;
    const char *close;
    pt_status status = find_mark(text, &open, &close) ? raise_marked(open, close, err) : raise_other(text, err);
    pt__error_find_context(plan, err);
    return status;
}

pt_status pt__error_of_result(duckdb_result *result, const pt_plan *plan, pt_error *err)
{
    return pt__error_of_text(duckdb_result_error(result), plan, err);
}
