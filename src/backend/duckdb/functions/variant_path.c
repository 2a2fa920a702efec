#include "backend/duckdb/functions/variant_path.h"

/** What is left of a path. */
typedef struct path {
    const char *at;
    const char *end;
} path;

typedef struct step {
    bool is_index;
    uint32_t index;
    pt_text_view name;
} step;

static bool read_index(path *p, step *out)
{
    uint64_t index = 0;
    const char *start = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9' && index <= INT32_MAX)
        index = index * 10 + (uint64_t)(*p->at++ - '0');
    if (p->at == start || index > INT32_MAX || p->at == p->end || *p->at != ']')
        return false;
    p->at++;
    *out = (step){.is_index = true, .index = (uint32_t)index};
    return true;
}

static bool read_quoted(path *p, step *out)
{
    char quote = *p->at++;
    const char *start = p->at;
    while (p->at < p->end && *p->at != quote)
        p->at++;
    if (p->end - p->at < 2 || p->at[1] != ']')
        return false;
    *out = (step){.name = {start, (size_t)(p->at - start)}};
    p->at += 2;
    return true;
}

/* False: the path is malformed. */
static bool read_step(path *p, step *out)
{
    char first = *p->at++;
    if (first == '[' && p->at < p->end)
        return *p->at == '\'' || *p->at == '"' ? read_quoted(p, out) : read_index(p, out);
    if (first != '.')
        return false;
    const char *start = p->at;
    while (p->at < p->end && *p->at != '.' && *p->at != '[')
        p->at++;
    *out = (step){.name = {start, (size_t)(p->at - start)}};
    return p->at > start;
}

static bool take_step(const step *s, const pt__variant *from, pt__variant *out)
{
    pt__variant_value value = pt__variant_read(from);
    if (s->is_index)
        return value.kind == PT__VARIANT_ARRAY && s->index < value.count &&
               pt__variant_child(from, &value, s->index, out, NULL);
    return value.kind == PT__VARIANT_OBJECT && pt__variant_field(from, &value, s->name, out);
}

static bool fail_path(pt__fn_call *call, pt_text_view text)
{
    pt__buffer copy = PT_BUFFER_INIT;
    pt__buffer_append(&copy, text.data, text.size_bytes);
    pt__fn_raise(call, PT_COND_INVALID_VARIANT_GET_PATH, "path", pt__buffer_string(&copy), "functionName",
                 "`variant_get`", NULL);
    pt__buffer_deinit(&copy);
    return false;
}

bool pt__variant_find(pt__fn_call *call, size_t path_column, idx_t row, const pt__variant *variant, pt__variant *out)
{
    pt_text_view text = pt__fn_text(call, path_column, row);
    path p = {text.data, text.data + text.size_bytes};
    bool found = true;
    *out = *variant;
    if (text.size_bytes == 0 || *p.at++ != '$')
        return fail_path(call, text);
    while (p.at < p.end) {
        step s;
        pt__variant next;
        if (!read_step(&p, &s))
            return fail_path(call, text);
        found = found && take_step(&s, out, &next);
        if (found)
            *out = next;
    }
    return found;
}
