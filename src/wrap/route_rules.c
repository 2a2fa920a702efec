#include "wrap/route_rules.h"

#include "base/list.h"
#include "wrap/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 4096 };

typedef pt__list(pt__route_rule) rule_list;

/* "a,b" as patterns, each ended by NUL, and an empty one. */
static const char *patterns(pt__arena *arena, const char *text)
{
    char *out = pt__arena_alloc_text(arena, strlen(text) + 2);
    memcpy(out, text, strlen(text) + 1);
    out[strlen(text) + 1] = '\0';
    for (char *c = out; *c != '\0'; c++)
        if (*c == ',')
            *c = '\0';
    return out;
}

/* As the configuration reads sizes. */
static pt_status read_bytes(const char *key, const char *text, uint64_t *out, pt_error *err)
{
    pt_config *config = NULL;
    PT_TRY(pt_config_new(&config, err));
    pt_status status = pt_config_set(config, key, text, err);
    if (status == PT_OK)
        status = pt_config_size(config, key, 0, out, err);
    pt_config_free(config);
    return status;
}

static pt_status read_setting(pt__arena *arena, const char *text, pt__route_rule *out, pt_error *err)
{
    const char *colon = strchr(text, ':');
    if (colon == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "conf takes NAME:VALUE, not \"%s\"", text);
    out->setting = pt__arena_copy_text(arena, text, (size_t)(colon - text));
    out->setting_value = pt__arena_copy_string(arena, colon + 1);
    return PT_OK;
}

static pt_status read_condition(pt__arena *arena, const char *word, pt__route_rule *out, pt_error *err)
{
    const char *equals = strchr(word, '=');
    if (equals == NULL || equals[1] == '\0')
        return pt_error_set(err, PT_INVALID_ARGUMENT, "expected KEY=VALUE, not \"%s\"", word);
    const char *key = pt__arena_copy_text(arena, word, (size_t)(equals - word));
    const char *value = equals + 1;
    if (strcmp(key, "user") == 0)
        out->users = patterns(arena, value);
    else if (strcmp(key, "table") == 0)
        out->tables = patterns(arena, value);
    else if (strcmp(key, "path") == 0)
        out->paths = patterns(arena, value);
    else if (strcmp(key, "conf") == 0)
        return read_setting(arena, value, out, err);
    else if (strcmp(key, "min-bytes") == 0)
        return read_bytes(key, value, &out->min_bytes, err);
    else if (strcmp(key, "max-bytes") == 0)
        return read_bytes(key, value, &out->max_bytes, err);
    else
        return pt_error_set(err, PT_INVALID_ARGUMENT, "there is no condition \"%s\"", key);
    return PT_OK;
}

static pt_status read_rule(pt__arena *arena, char *text, const char *place, rule_list *list, pt_error *err)
{
    pt__route_rule rule = {.max_bytes = UINT64_MAX, .place = place};
    text[strcspn(text, "#")] = '\0';
    while (text != NULL) {
        const char *word = strsep(&text, " \t\r\n");
        if (*word == '\0')
            continue;
        if (rule.backend != NULL)
            PT_TRY(read_condition(arena, word, &rule, err));
        else
            rule.backend = pt__arena_copy_string(arena, word);
    }
    if (rule.backend != NULL)
        pt__list_push(arena, list, rule);
    return PT_OK;
}

static pt_status read_lines(pt__route_rules *rules, FILE *file, const char *path, pt_error *err)
{
    char text[LINE_BYTES];
    rule_list list = {0};
    for (int number = 1; fgets(text, sizeof(text), file) != NULL; number++) {
        pt_error cause = PT_ERROR_INIT;
        const char *place = pt__arena_printf(rules->arena, "%s:%d", path, number);
        pt_status status = read_rule(rules->arena, text, place, &list, &cause);
        if (status != PT_OK)
            pt_error_set(err, status, "%s: %s", place, cause.message);
        pt_error_clear(&cause);
        PT_TRY(status);
    }
    rules->items = list.items;
    rules->count = list.count;
    return PT_OK;
}

static pt_status read_guarded(pt__route_rules *rules, FILE *file, const char *path, pt_error *err)
{
    if (PT_ARENA_GUARD(rules->arena))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the rules %s", path);
    pt_status status = read_lines(rules, file, path, err);
    pt__arena_unguard(rules->arena);
    return status;
}

pt_status pt__route_rules_read(const char *path, pt__route_rules *out, pt_error *err)
{
    *out = (pt__route_rules){0};
    if (path == NULL)
        return PT_OK;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return pt_error_set(err, PT_IO, "cannot read the rules %s: %s", path, strerror(errno));
    out->arena = pt__arena_new(0);
    pt_status status = out->arena == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for the rules %s", path)
                                          : read_guarded(out, file, path, err);
    fclose(file);
    if (status != PT_OK)
        pt__route_rules_deinit(out);
    return status;
}

void pt__route_rules_deinit(pt__route_rules *rules)
{
    pt__arena_free(rules->arena);
    *rules = (pt__route_rules){0};
}

/* ---- matching ---- */

static bool any_matches(const char *list, const char *const *names, size_t count, bool ignore_case)
{
    for (size_t i = 0; i < count; i++)
        if (pt__patterns_match(list, names[i], ignore_case))
            return true;
    return list == NULL;
}

static bool has_setting(const pt_query *query, const char *name, const char *value)
{
    for (size_t i = 0; i < query->setting_count; i++)
        if (strcmp(query->settings[i].name, name) == 0)
            return query->settings[i].value != NULL && strcmp(query->settings[i].value, value) == 0;
    return false;
}

static bool fits(const pt__route_rule *rule, const pt__route_facts *facts)
{
    return pt__patterns_match(rule->users, facts->user, false) &&
           any_matches(rule->tables, facts->tables, facts->table_count, true) &&
           any_matches(rule->paths, facts->paths, facts->path_count, false) && facts->bytes >= rule->min_bytes &&
           facts->bytes <= rule->max_bytes &&
           (rule->setting == NULL || has_setting(facts->query, rule->setting, rule->setting_value));
}

const pt__route_rule *pt__route_rules_find(const pt__route_rules *rules, const pt__route_facts *facts)
{
    for (size_t i = 0; i < rules->count; i++)
        if (fits(&rules->items[i], facts))
            return &rules->items[i];
    return NULL;
}
