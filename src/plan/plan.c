#include "plan/plan.h"

#include "plan/members.h"

#include <strings.h>

pt_plan *pt__plan_new(pt__arena *arena, pt_plan_kind kind, size_t size_bytes, const pt_origin *origin)
{
    pt_plan *plan = pt__arena_alloc(arena, size_bytes);
    plan->kind = kind;
    plan->plan_id = -1;
    plan->origin = origin;
    return plan;
}

const char *pt__plan_kind_name(pt_plan_kind kind)
{
    return pt__record_of_plan(kind)->name;
}

bool pt__plan_is_command(const pt_plan *plan)
{
    if (plan->kind == PT_PLAN_WITH_REFERENCES)
        return pt__plan_is_command(pt__plan_as_with_references(plan)->root);
    return plan->kind >= PT_PLAN_CREATE_VIEW;
}

const char *pt__options_get(const pt_options *options, const char *key)
{
    for (size_t i = options->count; i > 0; i--) {
        if (strcasecmp(options->items[i - 1].key, key) == 0)
            return options->items[i - 1].value;
    }
    return NULL;
}
