#include "backend/duckdb/block.h"
#include "backend/duckdb/command.h"

#include <string.h>

/* The table with the alias that its columns are bound to. */
static pt_status put_target(pt__lower *lower, const pt_plan *target, pt_error *err)
{
    pt__block block;
    PT_TRY(pt__lower_relation(lower, target, &block, err));
    pt__put(lower, block.from);
    return PT_OK;
}

static pt_status put_where(pt__lower *lower, const pt_expr *condition, pt_error *err)
{
    const char *text;
    if (condition == NULL)
        return PT_OK;
    PT_TRY(pt__lower_condition(lower, condition, &text, err));
    pt__putf(lower, " WHERE %s", text);
    return PT_OK;
}

pt_status pt__run_delete(pt__command_run *run, const pt_plan_delete *node, pt_error *err)
{
    pt__lower *lower = pt__lower_new(run->arena, run->database, run->time_zone);
    pt__count_uses(lower, &node->base);
    pt__put(lower, "DELETE FROM ");
    PT_TRY(put_target(lower, node->target, err));
    PT_TRY(put_where(lower, node->condition, err));
    return pt__command_sql(run, pt__cut(lower, 0), err);
}

pt_status pt__run_update(pt__command_run *run, const pt_plan_update *node, pt_error *err)
{
    pt__lower *lower = pt__lower_new(run->arena, run->database, run->time_zone);
    pt__count_uses(lower, &node->base);
    pt__put(lower, "UPDATE ");
    PT_TRY(put_target(lower, node->target, err));
    pt__put(lower, " SET ");
    for (size_t i = 0; i < node->assignment_count; i++) {
        const pt_name *column = &node->assignments[i].column;
        const char *value;
        PT_TRY(pt__lower_expr_text(lower, node->assignments[i].value, &value, err));
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_identifier(lower, column->parts[column->count - 1]);
        pt__putf(lower, " = %s", value);
    }
    PT_TRY(put_where(lower, node->condition, err));
    return pt__command_sql(run, pt__cut(lower, 0), err);
}
