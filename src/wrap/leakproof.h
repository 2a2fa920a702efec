/**
 * Conditions that could tell about rows which a filter below them hides, if the engine evaluated them first.
 */
#ifndef PT_WRAP_LEAKPROOF_H
#define PT_WRAP_LEAKPROOF_H

#include "plan/plan.h"

/** Whether a condition of a filter or join anywhere in the tree may fail, and so tell what it was given. */
bool pt__has_leaky_condition(const pt_plan *plan);

#endif
