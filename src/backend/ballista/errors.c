#include "backend/ballista/errors.h"

#include "backend/ballista/lower.h"
#include "base/arena.h"
#include "base/condition.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSI_CONF "\"spark.sql.ansi.enabled\""

/* ---- errors that lowered plans raise: PT_BALLISTA_RAISED, condition, ":", JSON of its parameters, "]" ---- */

static pt_status raise_with_json(const pt__condition *condition, const pt__json *members, pt_error *err)
{
    pt__parameter parameters[PT_RAISE_PARAMETERS_MAX];
    size_t count = 0;
    for (size_t i = 0; members != NULL && i < members->count && count < PT_RAISE_PARAMETERS_MAX; i++) {
        const pt__json *item = &members->items[i];
        parameters[count++] = (pt__parameter){item->key, item->text == NULL ? "" : item->text};
    }
    return pt__raise_with(err, (pt__condition_id)(condition - pt__condition_get(0)), parameters, count);
}

/* The text went through as many layers of quoting as it has errors around it: each doubles the backslashes. */
static size_t quoting_of(const char *json)
{
    size_t count = 0;
    while (json[1 + count] == '\\')
        count++;
    return count + 1;
}

/* The JSON object at `text` with `quoting` - 1 backslashes before each of its quotes; NULL when it does not end. */
static const char *unquote_json(pt__arena *arena, const char *text)
{
    size_t step = quoting_of(text);
    size_t size = 0;
    char *out = pt__arena_copy_text(arena, text, strlen(text));
    int depth = 0;
    bool in_string = false;
    for (const char *c = text; *c != '\0'; c++) {
        size_t slashes = strspn(c, "\\");
        c += slashes;
        for (size_t i = 0; i < slashes / step; i++)
            out[size++] = '\\';
        bool is_escaped = slashes / step % 2 == 1;
        out[size++] = *c;
        if (*c == '"' && !is_escaped)
            in_string = !in_string;
        depth += in_string ? 0 : (*c == '{') - (*c == '}');
        if (*c == '\0' || depth == 0)
            break;
    }
    out[size] = '\0';
    return depth == 0 ? out : NULL;
}

static pt_status raise_marked(pt__arena *arena, const char *mark, pt_error *err)
{
    const char *name = mark + strlen(PT_BALLISTA_RAISED);
    size_t size = strcspn(name, ":]");
    const pt__condition *condition = pt__condition_find(pt__arena_copy_text(arena, name, size));
    const pt__json *members = NULL;
    if (condition == NULL)
        return PT_NOT_FOUND;
    if (name[size] == ':' && name[size + 1] == '{') {
        const char *json = unquote_json(arena, name + size + 1);
        if (json == NULL || pt__json_parse(arena, json, strlen(json), &members, NULL) != PT_OK)
            members = NULL;
    }
    return raise_with_json(condition, members, err);
}

/* ---- errors of DataFusion ---- */

static pt_status raise_known(pt__condition_id id, pt_error *err)
{
    if (id == PT_COND_DIVIDE_BY_ZERO)
        return pt__raise(err, id, "config", ANSI_CONF, NULL);
    if (id == PT_COND_ARITHMETIC_OVERFLOW)
        return pt__raise(err, id, "message", "A result is too large for its type", "alternative", "", "config",
                         ANSI_CONF, NULL);
    return pt__raise(err, id, NULL);
}

static bool find_known(const char *text, pt__condition_id *out)
{
    static const struct {
        const char *part;
        pt__condition_id id;
    } rows[] = {
#define PT_BALLISTA_ERROR(part, condition) {part, PT_COND_##condition},
#include "backend/ballista/errors.def"
#undef PT_BALLISTA_ERROR
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strstr(text, rows[i].part) != NULL) {
            *out = rows[i].id;
            return true;
        }
    }
    return false;
}

/* The types of DataFusion that a text may be cast to, as Spark calls them. */
static const char *spark_type(const char *name, size_t size)
{
    static const char *const names[][2] = {
        {"Int8", "\"TINYINT\""},  {"Int16", "\"SMALLINT\""}, {"Int32", "\"INT\""},       {"Int64", "\"BIGINT\""},
        {"Float32", "\"FLOAT\""}, {"Float64", "\"DOUBLE\""}, {"Boolean", "\"BOOLEAN\""}, {"Date32", "\"DATE\""}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i][0]) == size && strncmp(names[i][0], name, size) == 0)
            return names[i][1];
    return NULL;
}

/* "Cannot cast string 'x' to value of Int32 type"; PT_NOT_FOUND when the text says something else. */
static pt_status raise_cast(pt__arena *arena, const char *text, pt_error *err)
{
    static const char begin[] = "Cannot cast string '";
    static const char middle[] = "' to value of ";
    const char *value = strstr(text, begin);
    const char *end = value == NULL ? NULL : strstr(value, middle);
    if (end == NULL)
        return PT_NOT_FOUND;
    value += strlen(begin);
    const char *name = end + strlen(middle);
    const char *type = spark_type(name, strcspn(name, " "));
    if (type == NULL)
        return PT_NOT_FOUND;
    return pt__raise(err, PT_COND_CAST_INVALID_INPUT, "expression",
                     pt__arena_printf(arena, "'%.*s'", (int)(end - value), value), "sourceType", "\"STRING\"",
                     "targetType", type, NULL);
}

static pt_status classify(pt__arena *arena, const char *text, pt_error *err)
{
    pt__condition_id id;
    const char *mark = strstr(text, PT_BALLISTA_RAISED);
    if (mark != NULL) {
        pt_status status = raise_marked(arena, mark, err);
        if (status != PT_NOT_FOUND)
            return status;
    }
    pt_status cast = raise_cast(arena, text, err);
    if (cast != PT_NOT_FOUND)
        return cast;
    if (find_known(text, &id))
        return raise_known(id, err);
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' '))
        size--;
    if (size == strlen("Cancelled") && strncmp(text, "Cancelled", size) == 0)
        return pt_error_set(err, PT_CANCELLED, "the query was cancelled on the cluster");
    return pt_error_set(err, PT_EXECUTION, "Ballista: %.*s", (int)size, text);
}

pt_status pt__ballista_job_failed(const char *text, pt_error *err)
{
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_EXECUTION, "Ballista: %s", text);
    pt_status status = classify(arena, text, err);
    pt__arena_free(arena);
    return status;
}
