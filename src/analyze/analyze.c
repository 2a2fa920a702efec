/* The entry of analysis, its state, and small helpers that every file of it uses. */
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

const pt_type *pt__analyzed_schema(pt__arena *arena, const pt_plan *analyzed)
{
    pt_field *fields = pt__arena_array(arena, pt_field, analyzed->column_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < analyzed->column_count; i++) {
        const pt_column *c = &analyzed->columns[i];
        if (!c->is_hidden)
            fields[count++] = (pt_field){c->name, c->type, c->nullable, c->metadata};
    }
    return pt__type_struct(arena, fields, count);
}

/* The result shows no hidden columns. */
static const pt_plan *without_hidden(pt__analyzer *a, const pt_plan *plan)
{
    if (plan->columns == NULL || pt__visible_count(plan) == plan->column_count)
        return plan;
    size_t count;
    const pt_expr *const *refs = pt__visible_refs(a, plan, &count);
    return pt__project(a, plan, refs, count, plan);
}

pt_status pt__analyze_part(pt__arena *arena, pt__catalog *catalog, const pt_plan *plan, uint32_t *next_id,
                           const pt_plan **out, pt_error *err)
{
    pt__analyzer a = {.arena = arena, .catalog = catalog, .next_id = *next_id};
    a.ansi = !pt__conf_is(&a, "spark.sql.ansi.enabled", "false");
    a.case_sensitive = pt__conf_is(&a, "spark.sql.caseSensitive", "true");
    a.time_zone = catalog->vtable->conf(catalog, "spark.sql.session.timeZone");
    PT_TRY(pt__analyze_plan(&a, plan, out, err));
    *out = without_hidden(&a, *out);
    for (size_t i = 0; i < (*out)->column_count; i++)
        PT_TRY(pt__type_check_nesting((*out)->columns[i].type, err));
    *next_id = a.next_id;
    return PT_OK;
}

pt_status pt__analyze(pt__arena *arena, pt__catalog *catalog, const pt_plan *plan, const pt_plan **out, pt_error *err)
{
    uint32_t next_id = 1;
    return pt__analyze_part(arena, catalog, plan, &next_id, out, err);
}
