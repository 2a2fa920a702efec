#include "backend/duckdb/lower.h"

#include "base/condition.h"

#include <stdio.h>
#include <string.h>

static void free_text(void *buffer)
{
    pt__buffer_deinit(buffer);
}

pt__lower *pt__lower_new(pt__arena *arena, struct pt__duckdb *database, const char *time_zone)
{
    pt__lower *lower = pt__arena_make(arena, pt__lower);
    lower->arena = arena;
    lower->database = database;
    lower->time_zone = time_zone != NULL && time_zone[0] != '\0' ? time_zone : "UTC";
    pt__arena_defer(arena, free_text, &lower->text);
    return lower;
}

/* ---- appending ---- */

void pt__put(pt__lower *lower, const char *text)
{
    pt__buffer_append_string(&lower->text, text);
}

void pt__putf(pt__lower *lower, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pt__buffer_vprintf(&lower->text, format, arguments);
    va_end(arguments);
}

void pt__put_identifier(pt__lower *lower, const char *name)
{
    pt__buffer_append_byte(&lower->text, '"');
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '"')
            pt__buffer_append_byte(&lower->text, '"');
        pt__buffer_append_byte(&lower->text, (uint8_t)*c);
    }
    pt__buffer_append_byte(&lower->text, '"');
}

static void put_quoted(pt__lower *lower, const char *data, size_t size_bytes)
{
    pt__buffer_append_byte(&lower->text, '\'');
    size_t start = 0;
    for (size_t i = 0; i < size_bytes; i++) {
        if (data[i] != '\'')
            continue;
        pt__buffer_append(&lower->text, data + start, i + 1 - start);
        start = i; /* the quote once more */
    }
    pt__buffer_append(&lower->text, data + start, size_bytes - start);
    pt__buffer_append_byte(&lower->text, '\'');
}

void pt__put_string(pt__lower *lower, const char *data, size_t size_bytes)
{
    const char *nul = size_bytes == 0 ? NULL : memchr(data, '\0', size_bytes);
    if (nul == NULL) {
        put_quoted(lower, data, size_bytes);
        return;
    }
    /* A statement cannot hold NUL bytes. */
    pt__put(lower, "(");
    while (nul != NULL) {
        put_quoted(lower, data, (size_t)(nul - data));
        pt__put(lower, " || chr(0) || ");
        size_bytes -= (size_t)(nul + 1 - data);
        data = nul + 1;
        nul = size_bytes == 0 ? NULL : memchr(data, '\0', size_bytes);
    }
    put_quoted(lower, data, size_bytes);
    pt__put(lower, ")");
}

const char *pt__cut(pt__lower *lower, size_t mark)
{
    pt__buffer *text = &lower->text;
    if (text->failed)
        return "";
    const char *cut = pt__arena_copy_text(lower->arena, (const char *)text->data + mark, text->size_bytes - mark);
    text->size_bytes = mark;
    return cut;
}

/* ---- bindings ---- */

pt__binding *pt__bind(pt__lower *lower, uint32_t id)
{
    if (id > lower->last_id)
        lower->last_id = id;
    if (id >= lower->binding_count) {
        size_t count = lower->binding_count * 2 > (size_t)id + 1 ? lower->binding_count * 2 : (size_t)id + 64;
        pt__binding *grown = pt__arena_array(lower->arena, pt__binding, count);
        if (lower->binding_count > 0)
            memcpy(grown, lower->bindings, lower->binding_count * sizeof(*grown));
        lower->bindings = grown;
        lower->binding_count = count;
    }
    return &lower->bindings[id];
}

void pt__bind_text(pt__lower *lower, uint32_t id, const char *text, unsigned flags, uint32_t depth)
{
    pt__binding *binding = pt__bind(lower, id);
    binding->text = text;
    binding->flags = flags;
    binding->depth = depth;
    binding->narrow_text = NULL;
}

/* ---- errors and limits ---- */

pt_status pt__lower_unsupported(pt_error *err, const pt_origin *origin, const char *what)
{
    pt_status status = pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", what, NULL);
    pt__origin_add_context(origin, err);
    return status;
}

pt_status pt__lower_enter(pt__lower *lower, pt_error *err)
{
    if (++lower->depth > PT_LOWER_DEPTH_MAX)
        return pt_error_set(err, PT_LIMIT, "the plan nests more than %d levels", PT_LOWER_DEPTH_MAX);
    return PT_OK;
}
