/* The entry of analysis: its state is set up, and what it gives is made fit to be seen. */
#include "analyze/analyzer.h"

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
