/* Walking, mapping and comparing nodes by their member tables. */
#include "plan/walk.h"

#include "plan/members.h"

#include <string.h>

/* ---- visiting ---- */

static const void *load_pointer(const void *items, size_t index)
{
    const void *pointer;
    memcpy(&pointer, (const char *)items + index * sizeof(pointer), sizeof(pointer));
    return pointer;
}

static bool visit_member(const pt__member *member, const void *node, const pt__visitor *visitor)
{
    const void *items = pt__member_data(member, node);
    size_t count = pt__member_count(member, node);
    for (size_t i = 0; i < count; i++) {
        if (member->form == PT_FORM_EXPR || member->form == PT_FORM_EXPRS) {
            const pt_expr *expr = load_pointer(items, i);
            if (visitor->expr != NULL && expr != NULL && !visitor->expr(visitor->context, expr))
                return false;
        } else if (member->form == PT_FORM_PLAN || member->form == PT_FORM_PLANS) {
            const pt_plan *plan = load_pointer(items, i);
            if (visitor->plan != NULL && plan != NULL && !visitor->plan(visitor->context, plan))
                return false;
        } else if (member->form == PT_FORM_RECORD || member->form == PT_FORM_RECORDS) {
            const void *item = (const char *)items + i * member->record->size_bytes;
            if (!pt__record_visit(member->record, item, visitor))
                return false;
        } else {
            break;
        }
    }
    return true;
}

bool pt__record_visit(const pt__record *record, const void *node, const pt__visitor *visitor)
{
    for (const pt__member *m = record->members; m->form != PT_FORM_END; m++) {
        if (!visit_member(m, node, visitor))
            return false;
    }
    return true;
}

bool pt__expr_each_child(const pt_expr *expr, bool (*visit)(void *context, const pt_expr *child), void *context)
{
    if (expr->kind == PT_EXPR_LAMBDA)
        return visit(context, pt__expr_as_lambda(expr)->body);
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &(pt__visitor){visit, NULL, context});
}

bool pt__plan_each_child(const pt_plan *plan, bool (*visit)(void *context, const pt_plan *child), void *context)
{
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &(pt__visitor){NULL, visit, context});
}

bool pt__plan_each_expr(const pt_plan *plan, bool (*visit)(void *context, const pt_expr *expr), void *context)
{
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &(pt__visitor){visit, NULL, context});
}

/* ---- mapping ---- */

typedef struct mapping {
    pt__arena *arena;
    const pt__mapper *mapper;
} mapping;

static const void *map_pointer(const mapping *m, bool is_plan, const void *pointer)
{
    if (pointer == NULL)
        return NULL;
    if (is_plan)
        return m->mapper->plan == NULL ? pointer : m->mapper->plan(m->mapper->context, pointer);
    return m->mapper->expr == NULL ? pointer : m->mapper->expr(m->mapper->context, pointer);
}

/* The array with each pointer mapped; `items` itself when none changed. */
static const void *map_pointers(const mapping *m, bool is_plan, const void *items, size_t count)
{
    const void **copy = NULL;
    for (size_t i = 0; i < count; i++) {
        const void *from = load_pointer(items, i);
        const void *to = map_pointer(m, is_plan, from);
        if (to == from)
            continue;
        if (copy == NULL)
            copy = pt__arena_copy(m->arena, items, count * sizeof(*copy));
        copy[i] = to;
    }
    return copy == NULL ? items : copy;
}

static const void *map_records(const mapping *m, const pt__record *record, const void *items, size_t count)
{
    char *copy = NULL;
    for (size_t i = 0; i < count; i++) {
        const void *from = (const char *)items + i * record->size_bytes;
        const void *to = pt__record_map(m->arena, record, from, m->mapper);
        if (to == from)
            continue;
        if (copy == NULL)
            copy = pt__arena_copy(m->arena, items, count * record->size_bytes);
        memcpy(copy + i * record->size_bytes, to, record->size_bytes);
    }
    return copy == NULL ? items : copy;
}

/* What the member's data become, or NULL when the member holds neither plans nor expressions. */
static const void *map_member(const mapping *m, const pt__member *member, const void *items, size_t count)
{
    switch ((int)member->form) {
    case PT_FORM_EXPR:
    case PT_FORM_EXPRS: return map_pointers(m, false, items, count);
    case PT_FORM_PLAN:
    case PT_FORM_PLANS: return map_pointers(m, true, items, count);
    case PT_FORM_RECORD:
    case PT_FORM_RECORDS: return map_records(m, member->record, items, count);
    default: return NULL;
    }
}

static size_t stored_size(const pt__member *member)
{
    return member->form == PT_FORM_RECORD ? member->record->size_bytes : sizeof(void *);
}

const void *pt__record_map(pt__arena *arena, const pt__record *record, const void *node, const pt__mapper *mapper)
{
    mapping m = {arena, mapper};
    char *copy = NULL;
    for (const pt__member *member = record->members; member->form != PT_FORM_END; member++) {
        const void *items = pt__member_data(member, node);
        const void *mapped = map_member(&m, member, items, pt__member_count(member, node));
        if (mapped == NULL || mapped == items)
            continue;
        if (copy == NULL)
            copy = pt__arena_copy(arena, node, record->size_bytes);
        if (pt__member_is_array(member))
            memcpy(copy + member->offset, &mapped, sizeof(mapped));
        else
            memcpy(copy + member->offset, mapped, stored_size(member));
    }
    return copy == NULL ? node : copy;
}

static const pt_expr *map_lambda(pt__arena *arena, const pt_expr *expr, const pt__mapper *mapper)
{
    const pt_expr_lambda *lambda = pt__expr_as_lambda(expr);
    const pt_expr *body = mapper->expr(mapper->context, lambda->body);
    if (body == lambda->body)
        return expr;
    pt_expr_lambda *copy = pt__arena_copy(arena, lambda, sizeof(*lambda));
    copy->body = body;
    return &copy->base;
}

const pt_expr *pt__expr_map_children(pt__arena *arena, const pt_expr *expr,
                                     const pt_expr *(*map)(void *context, const pt_expr *child), void *context)
{
    pt__mapper mapper = {map, NULL, context};
    if (expr->kind == PT_EXPR_LAMBDA)
        return map_lambda(arena, expr, &mapper);
    return pt__record_map(arena, pt__record_of_expr(expr->kind), expr, &mapper);
}

const pt_plan *pt__plan_map_children(pt__arena *arena, const pt_plan *plan,
                                     const pt_plan *(*map_plan)(void *context, const pt_plan *child),
                                     const pt_expr *(*map_expr)(void *context, const pt_expr *expr), void *context)
{
    pt__mapper mapper = {map_expr, map_plan, context};
    return pt__record_map(arena, pt__record_of_plan(plan->kind), plan, &mapper);
}

/* ---- rewriting ---- */

typedef struct rewriting {
    pt__arena *arena;
    const pt__rewriter *rewriter;
} rewriting;

static const pt_plan *rewrite_plan(void *context, const pt_plan *plan);

static const pt_expr *rewrite_expr(void *context, const pt_expr *expr)
{
    const rewriting *r = context;
    pt__mapper mapper = {rewrite_expr, rewrite_plan, context};
    const pt_expr *mapped = pt__record_map(r->arena, pt__record_of_expr(expr->kind), expr, &mapper);
    return r->rewriter->expr == NULL ? mapped : r->rewriter->expr(r->rewriter->context, mapped);
}

static const pt_plan *rewrite_plan(void *context, const pt_plan *plan)
{
    const rewriting *r = context;
    pt__mapper mapper = {rewrite_expr, rewrite_plan, context};
    const pt_plan *mapped = pt__record_map(r->arena, pt__record_of_plan(plan->kind), plan, &mapper);
    return r->rewriter->plan == NULL ? mapped : r->rewriter->plan(r->rewriter->context, mapped);
}

const pt_plan *pt__plan_rewrite(pt__arena *arena, const pt_plan *plan, const pt__rewriter *rewriter)
{
    return rewrite_plan(&(rewriting){arena, rewriter}, plan);
}

const pt_expr *pt__expr_rewrite(pt__arena *arena, const pt_expr *expr, const pt__rewriter *rewriter)
{
    return rewrite_expr(&(rewriting){arena, rewriter}, expr);
}

/* ---- equality ---- */

static bool equal_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool equal_name(const pt_name *a, const pt_name *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (strcmp(a->parts[i], b->parts[i]) != 0)
            return false;
    }
    return true;
}

static bool equal_bytes(const pt_bytes_view *a, const pt_bytes_view *b)
{
    return a->size_bytes == b->size_bytes && (a->size_bytes == 0 || memcmp(a->data, b->data, a->size_bytes) == 0);
}

bool pt__same_bits(double a, double b)
{
    uint64_t a_bits;
    uint64_t b_bits;
    memcpy(&a_bits, &a, sizeof(a_bits));
    memcpy(&b_bits, &b, sizeof(b_bits));
    return a_bits == b_bits;
}

static bool equal_type(const pt_type *a, const pt_type *b)
{
    return a == b || (a != NULL && b != NULL && pt__type_equal(a, b));
}

static bool equal_item(const pt__member *member, const void *a, const void *b, size_t i)
{
    switch (member->form) {
    case PT_FORM_END: return true;
    case PT_FORM_PLAN:
    case PT_FORM_PLANS: return pt__plan_equal(load_pointer(a, i), load_pointer(b, i));
    case PT_FORM_EXPR:
    case PT_FORM_EXPRS: return pt__expr_equal(load_pointer(a, i), load_pointer(b, i));
    case PT_FORM_TEXT:
    case PT_FORM_TEXTS: return equal_text(load_pointer(a, i), load_pointer(b, i));
    case PT_FORM_TYPE: return equal_type(load_pointer(a, i), load_pointer(b, i));
    case PT_FORM_NAME:
    case PT_FORM_NAMES: return equal_name((const pt_name *)a + i, (const pt_name *)b + i);
    case PT_FORM_BOOL: return *(const bool *)a == *(const bool *)b;
    case PT_FORM_INT32:
    case PT_FORM_ENUM:
    case PT_FORM_UINT32:
    case PT_FORM_UINT32S: return ((const uint32_t *)a)[i] == ((const uint32_t *)b)[i];
    case PT_FORM_SIZE:
    case PT_FORM_ID:
    case PT_FORM_INT64: return *(const uint64_t *)a == *(const uint64_t *)b;
    case PT_FORM_DOUBLE:
    case PT_FORM_DOUBLES: return pt__same_bits(((const double *)a)[i], ((const double *)b)[i]);
    case PT_FORM_BYTES: return equal_bytes(a, b);
    case PT_FORM_VALUE: return true; /* compared with its type by pt__expr_equal */
    case PT_FORM_RECORD:
    case PT_FORM_RECORDS: break;
    }
    size_t offset = i * member->record->size_bytes;
    return pt__record_equal(member->record, (const char *)a + offset, (const char *)b + offset);
}

bool pt__record_equal(const pt__record *record, const void *a, const void *b)
{
    for (const pt__member *m = record->members; m->form != PT_FORM_END; m++) {
        size_t count = pt__member_count(m, a);
        if (count != pt__member_count(m, b))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (!equal_item(m, pt__member_data(m, a), pt__member_data(m, b), i))
                return false;
        }
    }
    return true;
}

static bool equal_list(const pt_type *type, const pt_value *a, const pt_value *b)
{
    if (a->as.list.count != b->as.list.count)
        return false;
    for (size_t i = 0; i < a->as.list.count; i++) {
        const pt_type *item = type->element;
        if (type->id == PT_TYPE_STRUCT)
            item = type->fields[i].type;
        else if (type->id == PT_TYPE_MAP && i % 2 == 0)
            item = type->key;
        if (!pt__value_equal(item, &a->as.list.items[i], &b->as.list.items[i]))
            return false;
    }
    return true;
}

static bool equal_text_view(pt_text_view a, pt_text_view b)
{
    return a.size_bytes == b.size_bytes && (a.size_bytes == 0 || memcmp(a.data, b.data, a.size_bytes) == 0);
}

static bool equal_interval(const pt_interval *a, const pt_interval *b)
{
    return a->months == b->months && a->days == b->days && a->microseconds == b->microseconds;
}

bool pt__value_equal(const pt_type *type, const pt_value *a, const pt_value *b)
{
    if (a->is_null || b->is_null)
        return a->is_null == b->is_null;
    switch ((int)type->id) {
    case PT_TYPE_BOOLEAN: return a->as.boolean == b->as.boolean;
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: return pt__same_bits(a->as.real, b->as.real);
    case PT_TYPE_DECIMAL: return a->as.decimal == b->as.decimal;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
    case PT_TYPE_VARIANT:
    case PT_TYPE_BINARY: return equal_text_view(a->as.text, b->as.text);
    case PT_TYPE_INTERVAL_CALENDAR: return equal_interval(&a->as.interval, &b->as.interval);
    case PT_TYPE_ARRAY:
    case PT_TYPE_MAP:
    case PT_TYPE_STRUCT: return equal_list(type, a, b);
    case PT_TYPE_UDT: return pt__value_equal(type->element, a, b);
    default: return a->as.integer == b->as.integer;
    }
}

bool pt__expr_equal(const pt_expr *a, const pt_expr *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || a->kind != b->kind || !equal_type(a->type, b->type))
        return false;
    /* How the user spelled an analyzed name does not matter. */
    if (a->kind == PT_EXPR_COLUMN)
        return pt__expr_as_column(a)->id == pt__expr_as_column(b)->id;
    if (a->kind == PT_EXPR_FIELD)
        return pt__expr_as_field(a)->ordinal == pt__expr_as_field(b)->ordinal &&
               pt__expr_equal(pt__expr_as_field(a)->child, pt__expr_as_field(b)->child);
    if (a->kind == PT_EXPR_LITERAL)
        return pt__value_equal(a->type, &pt__expr_as_literal(a)->value, &pt__expr_as_literal(b)->value);
    return pt__record_equal(pt__record_of_expr(a->kind), a, b);
}

bool pt__plan_equal(const pt_plan *a, const pt_plan *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || a->kind != b->kind)
        return false;
    return pt__record_equal(pt__record_of_plan(a->kind), a, b);
}
