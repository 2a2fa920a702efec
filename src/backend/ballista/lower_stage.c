/* Leaves that a cluster does not read: somebody puts their rows into Parquet files, and those are what it scans. */
#include "backend/ballista/lowering.h"

#include "base/unconst.h"
#include "plan/members.h"

const pt_plan *pt__ballista_renamed(pt__arena *arena, const pt_plan *plan)
{
    pt_plan *copy = pt__arena_copy(arena, plan, pt__record_of_plan(plan->kind)->size_bytes);
    pt_column *columns = pt__arena_array(arena, pt_column, plan->column_count + 1);
    unsigned next = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        columns[i] = plan->columns[i];
        if (!columns[i].is_hidden)
            columns[i].name = pt__arena_printf(arena, "s%u", next++);
    }
    copy->columns = columns;
    return copy;
}

static bool is_interval(const pt_type *type)
{
    return type->id == PT_TYPE_INTERVAL_DAY_TIME || type->id == PT_TYPE_INTERVAL_YEAR_MONTH;
}

/* The folder's columns s<n> under the names of `plan`'s. Those of types that there are not have no name. */
static pt_status read_folder(pt__bl *bl, const char *url, const pt_plan *plan, const pt__bplan **out, pt_error *err)
{
    pt__arena *arena = bl->arena;
    DatafusionCommon__Schema *schema = pt__bl_schema(arena, plan->column_count);
    const pt__bx **items = pt__arena_array(arena, const pt__bx *, plan->column_count + 1);
    pt__bname *names = pt__arena_array(arena, pt__bname, plan->column_count + 1);
    const char *relation = pt__bl_new_name(bl);
    unsigned next = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        const pt_column *column = &plan->columns[i];
        pt__btype *type = pt__btype_of(arena, column->type);
        if (is_interval(column->type))
            return pt__bl_refuse(err, plan->origin, "reading intervals from files");
        const char *name = column->is_hidden ? NULL : pt__arena_printf(arena, "s%u", next++);
        if (type == NULL || name == NULL)
            continue;
        items[schema->n_columns] = pt__bx_qualified(arena, relation, name);
        names[schema->n_columns] = (pt__bname){pt__bl_bind_own(bl, column), column->type};
        pt__bl_add_field(arena, schema, name, type);
    }
    size_t count = schema->n_columns;
    if (count == 0) { /* rows alone */
        items[0] = pt__bx_int32(arena, 0);
        names[count++] = (pt__bname){pt__bl_new_name(bl), PT_T(INT)};
    }
    char **urls = pt__arena_array(arena, char *, 1);
    urls[0] = pt__unconst(url);
    *out = pt__bplan_project(arena, pt__bl_parquet(bl, relation, urls, 1, schema), items, names, count);
    return PT_OK;
}

pt_status pt__bl_stage(pt__bl *bl, const pt_plan *leaf, const char *what, const pt__bplan **out, pt_error *err)
{
    const char *url = NULL;
    if (bl->options->stage == NULL)
        return pt__bl_refuse(err, leaf->origin,
                             pt__arena_printf(bl->arena, "%s without ballista.shared-directory", what));
    PT_TRY(bl->options->stage(bl->options->stage_context, pt__ballista_renamed(bl->arena, leaf), &url, err));
    return read_folder(bl, url, leaf, out, err);
}

pt_status pt__bl_cached(pt__bl *bl, const pt_plan_cached *cached, const pt__bplan **out, pt_error *err)
{
    if (cached->result == NULL)
        return pt_error_set(err, PT_INTERNAL, "the kept rows have not been analyzed");
    const pt__ballista_kept *kept = cached->result->handle;
    return read_folder(bl, kept->url, &cached->base, out, err);
}
