/**
 * Names of types, shared by the text and JSON forms.
 */
#ifndef PT_PLAN_TYPE_NAMES_H
#define PT_PLAN_TYPE_NAMES_H

#include "plan/type.h"

/** "interval day", "interval day to hour": type is a year-month or day-time interval. */
void pt__type_append_interval_name(pt__buffer *out, const pt_type *type);

/** DDL name of an id such as "bigint". */
const char *pt__type_id_name(pt_type_id id);
/** JSON name of an id such as "long". */
const char *pt__type_id_json_name(pt_type_id id);

#endif
