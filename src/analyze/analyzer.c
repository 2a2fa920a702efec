/* What every file of analysis uses: names that are the same, levels of nesting, failures and what they quote. */
#include "analyze/analyzer.h"

#include "base/arena_buffer.h"

#include <string.h>
#include <strings.h>

bool pt__same_name(const pt__analyzer *a, const char *x, const char *y)
{
    return a->case_sensitive ? strcmp(x, y) == 0 : strcasecmp(x, y) == 0;
}

bool pt__conf_is(const pt__analyzer *a, const char *key, const char *value)
{
    const char *set = a->catalog->vtable->conf(a->catalog, key);
    return set != NULL && strcasecmp(set, value) == 0;
}

pt_status pt__analyzer_enter(pt__analyzer *a, pt_error *err)
{
    if (a->depth >= PT_ANALYZE_DEPTH_MAX)
        return pt_error_set(err, PT_LIMIT, "the plan is nested more than %d levels deep", PT_ANALYZE_DEPTH_MAX);
    a->depth++;
    return PT_OK;
}

pt_status pt__analyzer_fail(pt_status status, const pt_origin *origin, pt_error *err)
{
    if (status != PT_OK && err != NULL && pt_error_context_count(err) == 0)
        pt__origin_add_context(origin, err);
    return status;
}

const char *pt__quote_one(pt__arena *arena, const char *name)
{
    pt__buffer *text = pt__arena_buffer(arena);
    pt__buffer_append_byte(text, '`');
    for (; *name != '\0'; name++) {
        if (*name == '`')
            pt__buffer_append_byte(text, '`');
        pt__buffer_append_byte(text, (uint8_t)*name);
    }
    pt__buffer_append_byte(text, '`');
    return pt__arena_buffer_take(arena, text);
}

const char *pt__quote_name(pt__arena *arena, const pt_name *name)
{
    const char *text = "";
    for (size_t i = 0; i < name->count; i++)
        text = pt__arena_printf(arena, "%s%s%s", text, i == 0 ? "" : ".", pt__quote_one(arena, name->parts[i]));
    return text;
}

const char *pt__quote_type(pt__arena *arena, const pt_type *type)
{
    return pt__arena_printf(arena, "\"%s\"", pt__type_sql(arena, type));
}

const char *pt__quote_expr(pt__arena *arena, const pt_expr *expr)
{
    return pt__arena_printf(arena, "\"%s\"", pt__pretty_name(arena, expr));
}
