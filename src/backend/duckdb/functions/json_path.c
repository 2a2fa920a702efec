/* Looking into JSON text: get_json_object, json_tuple, json_array_length, json_object_keys. */
#include "backend/duckdb/functions/json_state.h"
#include "backend/duckdb/functions/kernels.h"
#include "backend/duckdb/functions/list_out.h"

#include <stdlib.h>

static void free_document(void *extra)
{
    pt__loose_json_deinit(extra);
    free(extra);
}

pt__loose_json *pt__json_of_call(pt__fn_call *call)
{
    if (call->state->extra == NULL) {
        call->state->extra = calloc(1, sizeof(pt__loose_json));
        call->state->free_extra = free_document;
    }
    return call->state->extra;
}

bool pt__json_read_row(pt__fn_call *call, size_t column, idx_t row, unsigned allowed, pt__loose_json **json)
{
    *json = pt__json_of_call(call);
    if (*json == NULL)
        return pt__fn_fail_memory(call);
    pt__loose_result result = pt__loose_json_read(*json, pt__fn_text(call, column, row), allowed);
    return result == PT_LOOSE_NO_MEMORY ? pt__fn_fail_memory(call) : result == PT_LOOSE_OK;
}

/* ---- paths ---- */

typedef enum step_kind { STEP_NAME, STEP_ANY_NAME, STEP_INDEX, STEP_ANY_INDEX } step_kind;

typedef struct step {
    step_kind kind;
    pt_text_view name;
    int64_t index;
} step;

typedef struct path {
    size_t count;
    char *text; /* names point into it */
    step steps[];
} path;

static void free_path(void *value)
{
    path *p = value;
    free(p->text);
    free(p);
}

/* .name or .*; the name ends at a dot or a bracket. */
static const char *read_dotted(const char *at, step *out)
{
    size_t size = strcspn(at, ".[");
    if (size == 0)
        return NULL;
    *out = (step){size == 1 && *at == '*' ? STEP_ANY_NAME : STEP_NAME, {at, size}, 0};
    return at + size;
}

/* ['name'], [index] or [*] */
static const char *read_bracketed(const char *at, step *out)
{
    if (*at == '\'') {
        const char *close = strstr(at + 1, "']");
        if (close == NULL || close == at + 1)
            return NULL;
        bool any = close == at + 2 && at[1] == '*';
        *out = (step){any ? STEP_ANY_NAME : STEP_NAME, {at + 1, (size_t)(close - at - 1)}, 0};
        return close + 2;
    }
    if (at[0] == '*' && at[1] == ']') {
        *out = (step){.kind = STEP_ANY_INDEX};
        return at + 2;
    }
    char *end;
    if (*at < '0' || *at > '9')
        return NULL;
    *out = (step){.kind = STEP_INDEX, .index = strtoll(at, &end, 10)};
    return *end == ']' ? end + 1 : NULL;
}

/* False: no path. */
static bool parse_path(path *out, const char *at)
{
    if (*at++ != '$')
        return false;
    while (*at != '\0') {
        step *s = &out->steps[out->count];
        if (*at == '.')
            at = read_dotted(at + 1, s);
        else if (*at == '[')
            at = read_bracketed(at + 1, s);
        else
            return false;
        if (at == NULL)
            return false;
        out->count++;
    }
    return true;
}

/* A bad path is kept, too, as one whose count is SIZE_MAX. */
static path *path_of(pt__fn_call *call, size_t column, idx_t row)
{
    pt_text_view text = pt__fn_text(call, column, row);
    path *known = pt__fn_recall(call->state, 0, text);
    if (known != NULL)
        return known;
    path *made = calloc(1, sizeof(path) + (text.size_bytes + 1) * sizeof(step));
    char *copy = made == NULL ? NULL : strndup(text.data, text.size_bytes);
    if (copy == NULL) {
        free(made);
        pt__fn_fail_memory(call);
        return NULL;
    }
    made->text = copy;
    if (!parse_path(made, copy))
        made->count = SIZE_MAX;
    if (!pt__fn_remember(call->state, 0, text, made, free_path)) {
        pt__fn_fail_memory(call);
        return NULL;
    }
    return made;
}

/* ---- evaluation ---- */

/** How a match is written: alone, within an array, or with its own arrays dissolved. */
typedef enum style { STYLE_RAW, STYLE_QUOTED, STYLE_FLAT } style;

typedef struct search {
    const pt__loose_json *json;
    const step *steps;
    size_t count;
    pt__buffer *out;
} search;

/* Values are separated by commas where several may follow each other: within an array that has begun. */
static void separate(pt__buffer *out)
{
    if (out->size_bytes > 0 && out->data[out->size_bytes - 1] != '[' && out->data[out->size_bytes - 1] != ',')
        pt__buffer_append_byte(out, ',');
}

static bool find(const search *s, uint32_t node, size_t at, style how);

static bool write_match(const search *s, uint32_t node, style how)
{
    const pt__loose_node *value = &s->json->nodes[node];
    if (value->kind == PT_LOOSE_STRING && how == STYLE_RAW) {
        pt__loose_append_text(s->out, value->text, value->text_escaped);
        return true;
    }
    if (value->kind == PT_LOOSE_ARRAY && how == STYLE_FLAT) {
        bool any = false;
        PT_LOOSE_EACH(s->json, node, child)
        any = find(s, child, s->count, how) || any;
        return any;
    }
    if (how != STYLE_RAW)
        separate(s->out);
    pt__loose_append_value(s->out, s->json, node);
    return true;
}

static bool find_member(const search *s, uint32_t node, size_t at, style how)
{
    PT_LOOSE_EACH(s->json, node, child)
    {
        const pt__loose_node *member = &s->json->nodes[child];
        if (pt__loose_key_is(member, s->steps[at].name) && member->kind != PT_LOOSE_NULL && find(s, child, at + 1, how))
            return true;
    }
    return false;
}

/* All elements in an array of their own; returns how many matched. */
static size_t find_all(const search *s, uint32_t node, size_t next, style how)
{
    size_t matches = 0;
    if (how != STYLE_RAW)
        separate(s->out);
    pt__buffer_append_byte(s->out, '[');
    PT_LOOSE_EACH(s->json, node, child)
    matches += find(s, child, next, how == STYLE_RAW ? STYLE_QUOTED : how);
    pt__buffer_append_byte(s->out, ']');
    return matches;
}

/* A single match stands alone, without the array. */
static bool find_any(const search *s, uint32_t node, size_t at, style how)
{
    size_t mark = s->out->size_bytes;
    bool twice = at + 1 < s->count && s->steps[at + 1].kind == STEP_ANY_INDEX;
    if (twice) {
        size_t matches = find_all(s, node, at + 2, STYLE_FLAT);
        return matches > 0;
    }
    if (how == STYLE_QUOTED)
        return find_all(s, node, at + 1, how) > 0;
    size_t matches = find_all(s, node, at + 1, how);
    if (matches > 1)
        return true;
    size_t size = s->out->size_bytes - mark;
    size_t head = size > 0 && s->out->data[mark] == ',' ? 1 : 0;
    if (matches == 1) {
        memmove(s->out->data + mark + head, s->out->data + mark + head + 1, size - head - 2);
        s->out->size_bytes = mark + size - 2;
    } else {
        s->out->size_bytes = mark;
    }
    return matches == 1;
}

static bool find_index(const search *s, uint32_t node, size_t at, style how)
{
    int64_t index = s->steps[at].index;
    bool before_any = at + 1 < s->count && s->steps[at + 1].kind == STEP_ANY_INDEX;
    PT_LOOSE_EACH(s->json, node, child)
    {
        if (index-- == 0)
            return find(s, child, at + 1, before_any ? STYLE_QUOTED : how);
    }
    return false;
}

static bool find(const search *s, uint32_t node, size_t at, style how)
{
    if (at == s->count)
        return write_match(s, node, how);
    pt__loose_kind kind = s->json->nodes[node].kind;
    switch (s->steps[at].kind) {
    case STEP_NAME: return kind == PT_LOOSE_OBJECT && find_member(s, node, at, how);
    case STEP_INDEX: return kind == PT_LOOSE_ARRAY && find_index(s, node, at, how);
    case STEP_ANY_INDEX: return kind == PT_LOOSE_ARRAY && find_any(s, node, at, how);
    case STEP_ANY_NAME: return false; /* Spark finds nothing by it either */
    }
    return false;
}

static bool get_json_object(pt__fn_call *call, idx_t row)
{
    pt__loose_json *json;
    const path *p = path_of(call, 1, row);
    if (p == NULL || p->count == SIZE_MAX || !pt__json_read_row(call, 0, row, PT__JSON_LENIENT, &json))
        return false;
    search s = {json, p->steps, p->count, &call->state->scratch};
    pt__buffer_reset(s.out);
    return find(&s, 0, 0, STYLE_RAW) && pt__fn_put_buffer(call, row, s.out);
}

void pt__fn_get_json_object(pt__fn_call *call)
{
    PT__FN_EACH(call, r, get_json_object(call, r));
}

/* ---- json_tuple ---- */

/* The value of a field: text as it is, NULL for null, else JSON. */
static bool append_field(pt__buffer *out, const pt__loose_json *json, pt_text_view name)
{
    uint32_t found = 0;
    PT_LOOSE_EACH(json, 0, child)
    found = pt__loose_key_is(&json->nodes[child], name) ? child : found;
    const pt__loose_node *value = &json->nodes[found];
    if (found == 0 || value->kind == PT_LOOSE_NULL)
        return false;
    if (value->kind == PT_LOOSE_STRING)
        pt__loose_append_text(out, value->text, value->text_escaped);
    else
        pt__loose_append_value(out, json, found);
    return true;
}

/* (json, name, name ...): one text per name. NULL arguments come here, too. */
static bool json_tuple(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    pt__loose_json *json = NULL;
    bool readable = pt__fn_bit(call->columns[0].validity, row) &&
                    pt__json_read_row(call, 0, row, PT__JSON_LENIENT, &json) && json->nodes[0].kind == PT_LOOSE_OBJECT;
    pt__list_out_begin(out);
    for (size_t i = 1; i < call->column_count && !call->failed; i++) {
        pt__buffer *text = &call->state->scratch;
        pt__buffer_reset(text);
        bool found = readable && pt__fn_bit(call->columns[i].validity, row) &&
                     append_field(text, json, pt__fn_text(call, i, row));
        pt_text_view view = {text->size_bytes == 0 ? "" : (const char *)text->data, text->size_bytes};
        if (!(found ? pt__list_out_push_text(out, view) : pt__list_out_push_null(out)))
            return false;
    }
    return !call->failed && pt__list_out_end(out, row);
}

void pt__fn_json_tuple(pt__fn_call *call)
{
    pt__list_out out;
    pt__list_out_open(&out, call);
    PT__FN_EACH(call, r, json_tuple(call, &out, r));
    pt__list_out_close(&out);
}

/* ---- sizes and keys ---- */

static bool array_length(pt__fn_call *call, idx_t row)
{
    pt__loose_json *json;
    int32_t length = 0;
    if (!pt__json_read_row(call, 0, row, PT__JSON_LENIENT, &json) || json->nodes[0].kind != PT_LOOSE_ARRAY)
        return false;
    PT_LOOSE_EACH(json, 0, child)
    length++;
    PT__FN_OUT(call, int32_t)[row] = length;
    return true;
}

void pt__fn_json_array_length(pt__fn_call *call)
{
    PT__FN_EACH(call, r, array_length(call, r));
}

static bool object_keys(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    pt__loose_json *json;
    pt__buffer *key = &call->state->scratch;
    if (!pt__json_read_row(call, 0, row, PT__JSON_LENIENT, &json) || json->nodes[0].kind != PT_LOOSE_OBJECT)
        return false;
    pt__list_out_begin(out);
    PT_LOOSE_EACH(json, 0, child)
    {
        pt__buffer_reset(key);
        pt__loose_append_text(key, json->nodes[child].key, json->nodes[child].key_escaped);
        pt_text_view view = {key->size_bytes == 0 ? "" : (const char *)key->data, key->size_bytes};
        if (!pt__list_out_push_text(out, view))
            return false;
    }
    return pt__list_out_end(out, row);
}

void pt__fn_json_object_keys(pt__fn_call *call)
{
    pt__list_out out;
    pt__list_out_open(&out, call);
    PT__FN_EACH(call, r, object_keys(call, &out, r));
    pt__list_out_close(&out);
}
