/**
 * Joins that pair every row with every other one.
 */
#ifndef PT_WRAP_CROSS_JOIN_H
#define PT_WRAP_CROSS_JOIN_H

#include "plan/plan.h"

/**
 * The first join of the analyzed tree whose sides no condition connects; NULL: none. Conditions are those of the
 * joins themselves and of filters above them, as SQL's FROM a, b WHERE a.x = b.x has them. Semi and anti joins, and
 * sides that give one row by their shape (an aggregate without groups), do not count.
 */
const pt_plan *pt__find_cross_join(const pt_plan *plan);

#endif
