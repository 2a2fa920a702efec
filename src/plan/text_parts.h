/**
 * Pieces of the text form that plans and expressions share. Internal to plan/.
 */
#ifndef PT_PLAN_TEXT_PARTS_H
#define PT_PLAN_TEXT_PARTS_H

#include "plan/members.h"
#include "plan/text.h"

/** `a.b`, parts quoted where needed; nothing for an empty name. */
void pt__name_append_text(pt__buffer *out, const pt_name *name);

/** `'it\'s'`. NULL gives `null`. */
void pt__append_string_literal(pt__buffer *out, const char *text, size_t size_bytes);

/** ` name=value` for every member that is not at its default, but for plans when `with_plans` is false. */
void pt__record_append_members(pt__buffer *out, const pt__record *record, const void *node, bool with_plans);

/** Whether a member holds plans, itself or within records. */
bool pt__member_holds_plans(const pt__member *member);

/** A plan in one line: `{filter condition=a {scan_table name=t}}`. */
void pt__plan_append_inline(pt__buffer *out, const pt_plan *plan);

#endif
