/* Deep copies by the member tables. */
#include "plan/members.h"
#include "plan/walk.h"

#include <string.h>

/* All nodes of a statement share its text: it is copied once. */
typedef struct copier {
    pt__arena *arena;
    const char *sql;
    const char *sql_copy;
} copier;

static void copy_record(copier *c, const pt__record *record, void *node);
static const pt_plan *copy_plan(copier *c, const pt_plan *plan);
static const pt_expr *copy_expr(copier *c, const pt_expr *expr);

static const void *load_pointer(const void *at)
{
    const void *pointer;
    memcpy(&pointer, at, sizeof(pointer));
    return pointer;
}

static void store_pointer(void *at, const void *pointer)
{
    memcpy(at, &pointer, sizeof(pointer));
}

static const pt_origin *copy_origin(copier *c, const pt_origin *origin)
{
    if (origin == NULL)
        return NULL;
    pt_origin *copy = pt__arena_copy(c->arena, origin, sizeof(*origin));
    if (origin->sql != c->sql) {
        c->sql = origin->sql;
        c->sql_copy = pt__arena_copy_string(c->arena, origin->sql);
    }
    copy->sql = c->sql_copy;
    copy->fragment = pt__arena_copy_string(c->arena, origin->fragment);
    copy->call_site = pt__arena_copy_string(c->arena, origin->call_site);
    return copy;
}

static void copy_name(copier *c, pt_name *name)
{
    const char **parts = pt__arena_array(c->arena, const char *, name->count);
    for (size_t i = 0; i < name->count; i++)
        parts[i] = pt__arena_copy_string(c->arena, name->parts[i]);
    name->parts = parts;
}

static void copy_bytes(copier *c, pt_bytes_view *bytes)
{
    if (bytes->size_bytes != 0)
        bytes->data = pt__arena_copy(c->arena, bytes->data, bytes->size_bytes);
}

/* ---- values ---- */

static void copy_value(copier *c, const pt_type *type, pt_value *value);

static void copy_list(copier *c, const pt_type *type, pt_value *value)
{
    size_t count = value->as.list.count;
    pt_value *items = pt__arena_copy(c->arena, value->as.list.items, count * sizeof(*items));
    for (size_t i = 0; i < count; i++) {
        const pt_type *item = type->element;
        if (type->id == PT_TYPE_STRUCT)
            item = type->fields[i].type;
        else if (type->id == PT_TYPE_MAP && i % 2 == 0)
            item = type->key;
        copy_value(c, item, &items[i]);
    }
    value->as.list.items = items;
}

static void copy_value(copier *c, const pt_type *type, pt_value *value)
{
    if (value->is_null)
        return;
    switch ((int)type->id) {
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
    case PT_TYPE_VARIANT:
    case PT_TYPE_BINARY:
        value->as.text.data = pt__arena_copy_text(c->arena, value->as.text.data, value->as.text.size_bytes);
        return;
    case PT_TYPE_ARRAY:
    case PT_TYPE_MAP:
    case PT_TYPE_STRUCT: copy_list(c, type, value); return;
    case PT_TYPE_UDT: copy_value(c, type->element, value); return;
    default: return; /* held in the value itself */
    }
}

/* ---- members ---- */

static size_t item_size(const pt__member *member)
{
    switch ((int)member->form) {
    case PT_FORM_NAMES: return sizeof(pt_name);
    case PT_FORM_UINT32S: return sizeof(uint32_t);
    case PT_FORM_DOUBLES: return sizeof(double);
    case PT_FORM_RECORDS: return member->record->size_bytes;
    default: return sizeof(void *);
    }
}

/* `at` lies in the copy and still points to the original. */
static void copy_item(copier *c, const pt__member *member, void *at)
{
    switch ((int)member->form) {
    case PT_FORM_PLAN:
    case PT_FORM_PLANS: store_pointer(at, copy_plan(c, load_pointer(at))); return;
    case PT_FORM_EXPR:
    case PT_FORM_EXPRS: store_pointer(at, copy_expr(c, load_pointer(at))); return;
    case PT_FORM_TEXT:
    case PT_FORM_TEXTS: store_pointer(at, pt__arena_copy_string(c->arena, load_pointer(at))); return;
    case PT_FORM_NAME:
    case PT_FORM_NAMES: copy_name(c, at); return;
    case PT_FORM_TYPE:
        if (load_pointer(at) != NULL)
            store_pointer(at, pt__type_copy(c->arena, load_pointer(at)));
        return;
    case PT_FORM_BYTES: copy_bytes(c, at); return;
    case PT_FORM_RECORD:
    case PT_FORM_RECORDS: copy_record(c, member->record, at); return;
    default: return; /* plain numbers */
    }
}

static void copy_member(copier *c, const pt__member *member, void *node)
{
    char *at = (char *)node + member->offset;
    size_t count = pt__member_count(member, node);
    if (pt__member_is_array(member)) {
        size_t size = item_size(member);
        char *items = pt__arena_copy(c->arena, pt__member_data(member, node), count * size);
        for (size_t i = 0; i < count; i++)
            copy_item(c, member, items + i * size);
        store_pointer(at, pt__member_data(member, node) == NULL ? NULL : items);
        return;
    }
    copy_item(c, member, at);
}

static void copy_record(copier *c, const pt__record *record, void *node)
{
    for (const pt__member *m = record->members; m->form != PT_FORM_END; m++)
        copy_member(c, m, node);
}

/* ---- nodes ---- */

static const pt_expr *copy_expr(copier *c, const pt_expr *expr)
{
    if (expr == NULL)
        return NULL;
    const pt__record *record = pt__record_of_expr(expr->kind);
    pt_expr *copy = pt__arena_copy(c->arena, expr, record->size_bytes);
    copy->origin = copy_origin(c, expr->origin);
    copy->type = expr->type == NULL ? NULL : pt__type_copy(c->arena, expr->type);
    copy_record(c, record, copy);
    if (copy->kind == PT_EXPR_LITERAL)
        copy_value(c, copy->type, &((pt_expr_literal *)copy)->value);
    return copy;
}

static const pt_plan *copy_plan(copier *c, const pt_plan *plan)
{
    if (plan == NULL)
        return NULL;
    const pt__record *record = pt__record_of_plan(plan->kind);
    pt_plan *copy = pt__arena_copy(c->arena, plan, record->size_bytes);
    copy->origin = copy_origin(c, plan->origin);
    copy->columns = NULL;
    copy->column_count = 0;
    copy_record(c, record, copy);
    return copy;
}

const pt_expr *pt__expr_copy(pt__arena *arena, const pt_expr *expr)
{
    return copy_expr(&(copier){arena, NULL, NULL}, expr);
}

const pt_plan *pt__plan_copy(pt__arena *arena, const pt_plan *plan)
{
    return copy_plan(&(copier){arena, NULL, NULL}, plan);
}
