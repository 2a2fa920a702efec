/**
 * Which columns of an analyzed tree its result depends on: those that reach the output, and those that conditions,
 * groups, orders and the like look at. What is selected and then dropped again does not count.
 */
#ifndef PT_WRAP_NEEDED_COLUMNS_H
#define PT_WRAP_NEEDED_COLUMNS_H

#include "base/arena.h"
#include "plan/plan.h"

typedef struct pt__column_set {
    uint8_t *bits;
    uint32_t count; /* ids are below it */
} pt__column_set;

/** Of a relation, or a command. In the arena. */
pt__column_set pt__needed_columns(pt__arena *arena, const pt_plan *plan);

static inline bool pt__column_set_has(const pt__column_set *set, uint32_t id)
{
    return id < set->count && (set->bits[id / 8] & (1U << id % 8)) != 0;
}

/** The lowest number above all ids of columns, common table expressions and lambda variables in the tree. */
uint32_t pt__next_free_id(const pt_plan *plan);

#endif
