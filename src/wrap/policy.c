#include "wrap/policy.h"

#include "base/arena.h"
#include "base/list.h"
#include "decode/spark_sql/parser.h"
#include "wrap/pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_BYTES = 16384 };

typedef enum effect { ALLOW, DENY, FILTER, MASK, EFFECT_COUNT } effect;

static const char *const effect_names[EFFECT_COUNT] = {"allow", "deny", "filter", "mask"};

typedef struct rule {
    effect effect;
    uint32_t actions; /* a bit each */
    pt__object object;
    const char *users;   /* lists of patterns; NULL: everything */
    const char *names;   /* of the object */
    const char *columns; /* NULL: the rule is not about columns */
    pt__policy_text text;
} rule;

struct pt__policy {
    pt__arena *arena;
    pt__list(rule) rules;
};

static const char *const action_names[PT_ACTION_COUNT] = {
#define ACTION(id, name) [PT_ACTION_##id] = name,
    PT_POLICY_ACTIONS(ACTION)
#undef ACTION
};

static const char *const object_names[PT_POLICY_OBJECT_COUNT] = {
#define OBJECT(id, name) [PT_POLICY_##id] = name,
    PT_POLICY_OBJECTS(OBJECT)
#undef OBJECT
};

const char *pt__action_name(pt__action action)
{
    return action_names[action];
}

pt__action pt__action_find(const char *name)
{
    pt__action action = 0;
    while (action < PT_ACTION_COUNT && strcmp(action_names[action], name) != 0)
        action++;
    return action;
}

/* ---- reading ---- */

typedef struct line {
    pt__policy *policy;
    const char *at; /* the rest */
    const char *place;
    pt_error *err;
} line;

static pt_status malformed(const line *l, const char *what, const char *word)
{
    return pt_error_set(l->err, PT_INVALID_ARGUMENT, "%s: %s \"%s\"", l->place, what, word);
}

static void skip_blanks(line *l)
{
    while (isspace((unsigned char)*l->at))
        l->at++;
}

/* Letters and dashes, in lower case. */
static const char *take_word(line *l)
{
    skip_blanks(l);
    size_t size = 0;
    while (isalpha((unsigned char)l->at[size]) || l->at[size] == '-')
        size++;
    char *word = pt__arena_copy_text(l->policy->arena, l->at, size);
    for (char *c = word; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    l->at += size;
    return word;
}

/* A list up to the next blank outside of quotes, as patterns ended by NUL each; NULL when a quote is not closed. */
static const char *take_patterns(line *l)
{
    char *out = pt__arena_alloc_text(l->policy->arena, strlen(l->at) + 3);
    size_t used = 0;
    bool quoted = false;
    for (; *l->at != '\0' && (quoted || !isspace((unsigned char)*l->at)); l->at++) {
        if (*l->at == '"')
            quoted = !quoted;
        else if (*l->at == ',' && !quoted)
            out[used++] = '\0';
        else
            out[used++] = *l->at;
    }
    out[used++] = '\0';
    out[used] = '\0';
    return quoted || *out == '\0' ? NULL : out;
}

static pt_status read_effect(line *l, rule *out)
{
    const char *word = take_word(l);
    for (out->effect = 0; out->effect < EFFECT_COUNT; out->effect++)
        if (strcmp(word, effect_names[out->effect]) == 0)
            return PT_OK;
    return malformed(l, "a rule starts with allow, deny, filter or mask, not", word);
}

static pt_status read_actions(line *l, rule *out)
{
    do {
        skip_blanks(l);
        if (*l->at == '*') {
            l->at++;
            out->actions = UINT32_MAX;
        } else {
            const char *word = take_word(l);
            pt__action action = pt__action_find(word);
            if (action == PT_ACTION_COUNT)
                return malformed(l, "there is no action", word);
            out->actions |= 1U << action;
        }
    } while (*l->at == ',' && *l->at++ != '\0');
    return PT_OK;
}

static pt_status read_key(line *l, rule *out, const char *key)
{
    const char *patterns = take_patterns(l);
    if (patterns == NULL)
        return malformed(l, "there is no name, or no end of its quotes, after", key);
    if (strcmp(key, "user") == 0) {
        out->users = patterns;
        return PT_OK;
    }
    if (strcmp(key, "column") == 0) {
        out->columns = patterns;
        return PT_OK;
    }
    for (pt__object object = PT_POLICY_TABLE; object < PT_POLICY_OBJECT_COUNT; object++) {
        if (strcmp(key, object_names[object]) != 0)
            continue;
        if (out->object != PT_POLICY_ANYTHING)
            return malformed(l, "the rule is about two things; the second is", key);
        out->object = object;
        out->names = patterns;
        return PT_OK;
    }
    return malformed(l, "there is no key", key);
}

/* "where EXPRESSION" or "as EXPRESSION": the rest of the line. */
static pt_status read_text(line *l, rule *out)
{
    const pt_expr *parsed;
    skip_blanks(l);
    out->text.sql = pt__arena_copy_string(l->policy->arena, l->at);
    out->text.place = l->place;
    pt_text_view sql = {out->text.sql, strlen(out->text.sql)};
    pt_error cause = PT_ERROR_INIT;
    pt_status status = pt__sql_parse_expression(l->policy->arena, sql, NULL, &parsed, &cause);
    if (status != PT_OK)
        pt_error_set(l->err, PT_INVALID_ARGUMENT, "%s: %s", l->place, cause.message);
    pt_error_clear(&cause);
    return status;
}

static pt_status read_keys(line *l, rule *out)
{
    for (;;) {
        skip_blanks(l);
        if (*l->at == '\0')
            return PT_OK;
        const char *word = take_word(l);
        bool begins_text =
            (out->effect == FILTER && strcmp(word, "where") == 0) || (out->effect == MASK && strcmp(word, "as") == 0);
        if (begins_text)
            return read_text(l, out);
        if (*l->at != '=')
            return malformed(l, "expected KEY=NAMES, not", *word == '\0' ? l->at : word);
        l->at++;
        PT_TRY(read_key(l, out, word));
    }
}

static pt_status check_rule(const line *l, const rule *r)
{
    bool is_text = r->effect == FILTER || r->effect == MASK;
    if (is_text && r->text.sql == NULL)
        return malformed(l, "there is no expression for this", effect_names[r->effect]);
    if (is_text && r->object != PT_POLICY_TABLE && r->object != PT_POLICY_PATH)
        return malformed(l, "a table or a path is needed for a", effect_names[r->effect]);
    if ((r->effect == MASK) != (r->columns != NULL) && is_text)
        return malformed(l, "columns are for masks, and masks for columns, unlike in this", effect_names[r->effect]);
    if (r->columns != NULL && r->object != PT_POLICY_TABLE && r->object != PT_POLICY_PATH)
        return malformed(l, "columns need a table or a path in this", effect_names[r->effect]);
    return PT_OK;
}

static pt_status read_line(line *l)
{
    rule r = {.effect = EFFECT_COUNT};
    skip_blanks(l);
    if (*l->at == '\0' || *l->at == '#')
        return PT_OK;
    PT_TRY(read_effect(l, &r));
    if (r.effect == ALLOW || r.effect == DENY)
        PT_TRY(read_actions(l, &r));
    PT_TRY(read_keys(l, &r));
    PT_TRY(check_rule(l, &r));
    pt__list_push(l->policy->arena, &l->policy->rules, r);
    return PT_OK;
}

static pt_status read_lines(pt__policy *policy, FILE *file, const char *path, pt_error *err)
{
    char text[LINE_BYTES];
    for (int number = 1; fgets(text, sizeof(text), file) != NULL; number++) {
        line l = {policy, text, pt__arena_printf(policy->arena, "%s:%d", path, number), err};
        size_t size = strlen(text);
        if (size == sizeof(text) - 1 && text[size - 1] != '\n')
            return malformed(&l, "the line is too long:", path);
        while (size > 0 && isspace((unsigned char)text[size - 1]))
            text[--size] = '\0';
        PT_TRY(read_line(&l));
    }
    return PT_OK;
}

static pt_status read_guarded(pt__policy *policy, FILE *file, const char *path, pt_error *err)
{
    if (PT_ARENA_GUARD(policy->arena))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the policy %s", path);
    pt_status status = read_lines(policy, file, path, err);
    pt__arena_unguard(policy->arena);
    return status;
}

pt_status pt__policy_read(const char *path, pt__policy **out, pt_error *err)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return pt_error_set(err, PT_IO, "cannot read the policy %s: %s", path, strerror(errno));
    pt__policy *policy = calloc(1, sizeof(*policy));
    pt_status status = PT_NO_MEMORY;
    if (policy != NULL && (policy->arena = pt__arena_new(0)) != NULL)
        status = read_guarded(policy, file, path, err);
    else
        pt_error_set(err, PT_NO_MEMORY, "no memory for the policy %s", path);
    fclose(file);
    if (status == PT_OK)
        *out = policy;
    else
        pt__policy_free(policy);
    return status;
}

void pt__policy_free(pt__policy *policy)
{
    if (policy == NULL)
        return;
    pt__arena_free(policy->arena);
    free(policy);
}

/* ---- matching ---- */

static bool ignores_case(pt__object object)
{
    return object != PT_POLICY_PATH;
}

static bool is_about(const rule *r, const char *user, pt__object object, const char *name)
{
    return pt__patterns_match(r->users, user, false) &&
           (r->object == PT_POLICY_ANYTHING ||
            (r->object == object && pt__patterns_match(r->names, name, ignores_case(object))));
}

bool pt__policy_allows(const pt__policy *policy, const pt__request *q)
{
    for (size_t i = 0; i < policy->rules.count; i++) {
        const rule *r = &policy->rules.items[i];
        if (r->effect > DENY || (r->actions & (1U << q->action)) == 0)
            continue;
        if (r->columns != NULL && (q->column == NULL || !pt__patterns_match(r->columns, q->column, true)))
            continue;
        if (is_about(r, q->user, q->object, q->name))
            return r->effect == ALLOW;
    }
    return q->action == PT_ACTION_FUNCTION; /* these are denied by name only */
}

/* By table as a whole, or by an allowed column of it. */
static bool may(const pt__policy *policy, const char *user, pt__action action, const char *table)
{
    for (size_t i = 0; i < policy->rules.count; i++) {
        const rule *r = &policy->rules.items[i];
        if (r->effect > DENY || (r->actions & (1U << action)) == 0 || !is_about(r, user, PT_POLICY_TABLE, table))
            continue;
        if (r->effect == ALLOW)
            return true;
        if (r->columns == NULL)
            return false;
    }
    return false;
}

bool pt__policy_shows(const pt__policy *policy, const char *user, const char *table)
{
    for (pt__action action = PT_ACTION_SELECT; action <= PT_ACTION_ALTER; action++)
        if (may(policy, user, action, table))
            return true;
    return false;
}

bool pt__policy_filter(const pt__policy *policy, const char *user, pt__object object, const char *name,
                       pt__policy_text *out)
{
    for (size_t i = 0; i < policy->rules.count; i++) {
        const rule *r = &policy->rules.items[i];
        if (r->effect != FILTER || !is_about(r, user, object, name))
            continue;
        *out = r->text;
        return true;
    }
    return false;
}

bool pt__policy_mask(const pt__policy *policy, const char *user, pt__object object, const char *name,
                     const char *column, pt__policy_text *out)
{
    for (size_t i = 0; i < policy->rules.count; i++) {
        const rule *r = &policy->rules.items[i];
        if (r->effect != MASK || !is_about(r, user, object, name) || !pt__patterns_match(r->columns, column, true))
            continue;
        *out = r->text;
        return true;
    }
    return false;
}

bool pt__policy_has_columns(const pt__policy *policy, pt__object object)
{
    for (size_t i = 0; i < policy->rules.count; i++)
        if (policy->rules.items[i].effect <= DENY && policy->rules.items[i].columns != NULL &&
            policy->rules.items[i].object == object)
            return true;
    return false;
}

bool pt__policy_denies_functions(const pt__policy *policy)
{
    for (size_t i = 0; i < policy->rules.count; i++)
        if (policy->rules.items[i].effect == DENY && (policy->rules.items[i].actions & (1U << PT_ACTION_FUNCTION)) != 0)
            return true;
    return false;
}
