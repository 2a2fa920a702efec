#include "plan/text_parts.h"

#include "base/arena_buffer.h"

#include <string.h>

static void append_columns(pt__buffer *out, const pt_plan *plan)
{
    if (plan->columns == NULL)
        return;
    pt__buffer_append_string(out, " columns=[");
    for (size_t i = 0; i < plan->column_count; i++) {
        const pt_column *column = &plan->columns[i];
        if (i != 0)
            pt__buffer_append_string(out, ", ");
        pt__name_append_text(out, &column->qualifier);
        if (column->qualifier.count != 0)
            pt__buffer_append_byte(out, '.');
        pt__append_quoted_if_needed(out, column->name);
        pt__buffer_printf(out, "#%u:", column->id);
        pt__type_append_sql(out, column->type);
        pt__buffer_append_string(out, column->nullable ? "?" : "");
        pt__buffer_append_string(out, column->is_hidden ? " hidden" : "");
        if (column->metadata != NULL)
            pt__buffer_printf(out, " %s", column->metadata);
    }
    pt__buffer_append_byte(out, ']');
}

static void append_head(pt__buffer *out, const pt_plan *plan)
{
    const pt__record *record = pt__record_of_plan(plan->kind);
    pt__buffer_append_string(out, record->name);
    if (plan->plan_id >= 0)
        pt__buffer_printf(out, " #%lld", (long long)plan->plan_id);
    pt__record_append_members(out, record, plan, false);
    append_columns(out, plan);
}

/* ---- one line ---- */

static bool append_child_inline(void *context, const pt_plan *child)
{
    pt__buffer *out = context;
    pt__buffer_append_byte(out, ' ');
    pt__plan_append_inline(out, child);
    return true;
}

/* Common table expressions come as records: their names are written with their plans. */
static void append_plans_inline(pt__buffer *out, const pt_plan *plan)
{
    const pt__record *record = pt__record_of_plan(plan->kind);
    for (const pt__member *m = record->members; m->form != PT_FORM_END; m++) {
        if (!pt__member_holds_plans(m) || pt__member_count(m, plan) == 0)
            continue;
        const pt__member only[] = {*m, {.form = PT_FORM_END}};
        pt__record part = {NULL, 0, only};
        if (m->form == PT_FORM_RECORDS)
            pt__record_append_members(out, &part, plan, true);
        else
            pt__record_visit(&part, plan, &(pt__visitor){NULL, append_child_inline, out});
    }
}

void pt__plan_append_inline(pt__buffer *out, const pt_plan *plan)
{
    pt__buffer_append_byte(out, '{');
    append_head(out, plan);
    append_plans_inline(out, plan);
    pt__buffer_append_byte(out, '}');
}

/* ---- a line per node ---- */

static void append_tree(pt__buffer *out, const pt_plan *plan, int depth);

static void indent(pt__buffer *out, int depth)
{
    for (int i = 0; i < depth; i++)
        pt__buffer_append_string(out, "  ");
}

typedef struct tree {
    pt__buffer *out;
    int depth;
} tree;

static bool append_child(void *context, const pt_plan *child)
{
    tree *t = context;
    append_tree(t->out, child, t->depth);
    return true;
}

/* A line for each record, its plans below it. */
static void append_records(pt__buffer *out, const pt__member *member, const void *node, int depth)
{
    const char *items = pt__member_data(member, node);
    size_t count = pt__member_count(member, node);
    for (size_t i = 0; i < count; i++) {
        const void *item = items + i * member->record->size_bytes;
        indent(out, depth);
        pt__buffer_append_string(out, member->record->name);
        pt__record_append_members(out, member->record, item, false);
        pt__buffer_append_byte(out, '\n');
        tree t = {out, depth + 1};
        pt__record_visit(member->record, item, &(pt__visitor){NULL, append_child, &t});
    }
}

static void append_plan_member(pt__buffer *out, const pt__member *member, const pt_plan *plan, int depth)
{
    if (member->form == PT_FORM_RECORDS) {
        append_records(out, member, plan, depth);
        return;
    }
    const pt__member only[] = {*member, {.form = PT_FORM_END}};
    pt__record part = {NULL, 0, only};
    tree t = {out, depth};
    pt__record_visit(&part, plan, &(pt__visitor){NULL, append_child, &t});
}

static void append_tree(pt__buffer *out, const pt_plan *plan, int depth)
{
    indent(out, depth);
    append_head(out, plan);
    pt__buffer_append_byte(out, '\n');
    const pt__record *record = pt__record_of_plan(plan->kind);
    for (const pt__member *m = record->members; m->form != PT_FORM_END; m++) {
        if (pt__member_holds_plans(m))
            append_plan_member(out, m, plan, depth + 1);
    }
}

void pt__plan_append_text(pt__buffer *out, const pt_plan *plan)
{
    append_tree(out, plan, 0);
}

const char *pt__plan_text(pt__arena *arena, const pt_plan *plan)
{
    pt__buffer *out = pt__arena_buffer(arena);
    pt__plan_append_text(out, plan);
    return pt__arena_buffer_take(arena, out);
}
