/* GROUP BY: expressions, ALL, ROLLUP, CUBE, GROUPING SETS and their mixtures. */
#include "decode/spark_sql/internal.h"

enum {
    GROUPING_SETS_MAX = 65536,      /* sets of one GROUP BY after expansion */
    GROUPING_MEMBERS_MAX = 1 << 22, /* of all those sets together */
    GROUPING_EXPRESSIONS_MAX = 64   /* of ROLLUP and CUBE; what Spark's grouping id can hold */
};

typedef struct set_list {
    pt_grouping_set *items;
    size_t count;
    size_t capacity;
} set_list;

typedef struct group_clause {
    pt__sql_expr_list expressions;
    pt__list(uint32_t) plain; /* elements that are just expressions: members of every set */
    set_list sets;            /* the product of the other elements; empty: there are none */
    size_t element_count;
    pt_group_kind only_kind; /* of the one element, if it is ROLLUP or CUBE of single expressions */
} group_clause;

/* Comparing recurses as deep as an expression is; long ones are not compared. */
static bool is_short(const pt_expr *expr)
{
    enum { COMPARED_UNITS_MAX = 4096 };
    return expr->origin == NULL || expr->origin->stop - expr->origin->start < COMPARED_UNITS_MAX;
}

/* The position of an expression among the grouping expressions; equal ones share one. */
static uint32_t add_expression(pt__sql_parser *p, group_clause *group, const pt_expr *expr)
{
    enum { COMPARED_MAX = 256 };
    size_t compared = group->expressions.count < COMPARED_MAX ? group->expressions.count : COMPARED_MAX;
    for (size_t i = 0; i < compared && is_short(expr); i++) {
        if (is_short(group->expressions.items[i]) && pt__expr_equal(group->expressions.items[i], expr))
            return (uint32_t)i;
    }
    pt__list_push(p->arena, &group->expressions, expr);
    return (uint32_t)(group->expressions.count - 1);
}

static pt_grouping_set join_sets(pt__sql_parser *p, const group_clause *group, pt_grouping_set a, pt_grouping_set b)
{
    uint32_t *members = pt__arena_array(p->arena, uint32_t, a.count + b.count + 1);
    bool *seen = pt__arena_array(p->arena, bool, group->expressions.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < a.count + b.count; i++) {
        uint32_t member = i < a.count ? a.members[i] : b.members[i - a.count];
        if (!seen[member])
            members[count++] = member;
        seen[member] = true;
    }
    return (pt_grouping_set){members, count};
}

static pt_status too_many_sets(pt__sql_parser *p)
{
    return pt_error_set(p->err, PT_LIMIT, "GROUP BY stands for more than %d grouping sets", (int)GROUPING_SETS_MAX);
}

/* Every set so far with every set of the new element. */
static pt_status multiply(pt__sql_parser *p, group_clause *group, const set_list *element)
{
    set_list next = {0};
    if (group->sets.count == 0) {
        group->sets = *element;
        return PT_OK;
    }
    size_t count = group->sets.count * element->count;
    if (count > GROUPING_SETS_MAX || count * group->expressions.count > GROUPING_MEMBERS_MAX)
        return too_many_sets(p);
    for (size_t i = 0; i < group->sets.count; i++) {
        for (size_t j = 0; j < element->count; j++)
            pt__list_push(p->arena, &next, join_sets(p, group, group->sets.items[i], element->items[j]));
    }
    group->sets = next;
    return PT_OK;
}

/* Plain expressions are in every set. */
static pt_status add_plain(pt__sql_parser *p, group_clause *group)
{
    set_list whole = {0};
    pt_grouping_set plain = {group->plain.items, group->plain.count};
    if (group->sets.count == 0 || plain.count == 0)
        return PT_OK;
    pt__list_push(p->arena, &whole, plain);
    set_list sets = group->sets;
    group->sets = whole;
    return multiply(p, group, &sets);
}

/* `a`, `(a, b)` or `()`. */
static pt_status parse_set(pt__sql_parser *p, group_clause *group, pt_grouping_set *out)
{
    pt__list(uint32_t) members = {0};
    const pt_expr *expr = NULL;
    *out = (pt_grouping_set){NULL, 0};
    if (pt__sql_at_two(p, '(', ')')) {
        pt__sql_skip(p, 2);
        return PT_OK;
    }
    PT_TRY(pt__sql_expression(p, &expr));
    if (expr == p->last_row) {
        pt__sql_expr_list items = p->last_row_items;
        for (size_t i = 0; i < items.count; i++)
            pt__list_push(p->arena, &members, add_expression(p, group, items.items[i]));
    } else {
        pt__list_push(p->arena, &members, add_expression(p, group, expr));
    }
    *out = (pt_grouping_set){members.items, members.count};
    return PT_OK;
}

static pt_status parse_sets(pt__sql_parser *p, group_clause *group, set_list *out)
{
    PT_TRY(pt__sql_expect(p, '('));
    do {
        pt_grouping_set set;
        PT_TRY(parse_set(p, group, &set));
        pt__list_push(p->arena, out, set);
    } while (pt__sql_accept(p, ','));
    return pt__sql_expect(p, ')');
}

/* (a, b, c) to {a, b, c}, {a, b}, {a}, {} */
static void roll_up(pt__sql_parser *p, const group_clause *group, const set_list *parts, set_list *out)
{
    for (size_t size = parts->count + 1; size > 0; size--) {
        pt_grouping_set set = {NULL, 0};
        for (size_t i = 0; i + 1 < size; i++)
            set = join_sets(p, group, set, parts->items[i]);
        pt__list_push(p->arena, out, set);
    }
}

/* (a, b) to {a, b}, {a}, {b}, {} */
static pt_status cube(pt__sql_parser *p, const group_clause *group, const set_list *parts, set_list *out)
{
    if (parts->count > 16)
        return too_many_sets(p);
    for (uint32_t mask = UINT32_C(1) << parts->count; mask > 0; mask--) {
        pt_grouping_set set = {NULL, 0};
        for (size_t i = 0; i < parts->count; i++) {
            if ((mask - 1) >> (parts->count - 1 - i) & 1)
                set = join_sets(p, group, set, parts->items[i]);
        }
        pt__list_push(p->arena, out, set);
    }
    return PT_OK;
}

static bool all_single(const set_list *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->items[i].count != 1)
            return false;
    }
    return true;
}

static pt_status expand(pt__sql_parser *p, const group_clause *group, bool is_cube, const set_list *parts,
                        set_list *out)
{
    if (parts->count > GROUPING_EXPRESSIONS_MAX)
        return pt__raise(p->err, PT_COND_GROUPING_SIZE_LIMIT_EXCEEDED, "maxSize", "64", NULL);
    if (is_cube)
        return cube(p, group, parts, out);
    roll_up(p, group, parts, out);
    return PT_OK;
}

static pt_status parse_rollup_or_cube(pt__sql_parser *p, group_clause *group, set_list *out)
{
    bool is_cube = pt__sql_at(p, PT_KW_CUBE);
    set_list parts = {0};
    pt__sql_skip(p, 1);
    PT_TRY(parse_sets(p, group, &parts));
    if (group->element_count == 1 && all_single(&parts) && group->expressions.count == parts.count)
        group->only_kind = is_cube ? PT_GROUP_CUBE : PT_GROUP_ROLLUP;
    return expand(p, group, is_cube, &parts, out);
}

static bool at_rollup_or_cube(const pt__sql_parser *p)
{
    return pt__sql_at_two(p, PT_KW_ROLLUP, '(') || pt__sql_at_two(p, PT_KW_CUBE, '(');
}

/* GROUPING SETS (…), whose elements may be ROLLUP, CUBE and GROUPING SETS again. */
static pt_status parse_grouping_sets(pt__sql_parser *p, group_clause *group, set_list *out)
{
    PT_TRY(pt__sql_enter(p));
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expect(p, '('));
    do {
        pt_grouping_set set;
        if (at_rollup_or_cube(p)) {
            PT_TRY(parse_rollup_or_cube(p, group, out));
        } else if (pt__sql_at_two(p, PT_KW_GROUPING, PT_KW_SETS)) {
            PT_TRY(parse_grouping_sets(p, group, out));
        } else {
            PT_TRY(parse_set(p, group, &set));
            pt__list_push(p->arena, out, set);
        }
    } while (pt__sql_accept(p, ','));
    p->depth--;
    return pt__sql_expect(p, ')');
}

static pt_status parse_element(pt__sql_parser *p, group_clause *group)
{
    set_list sets = {0};
    group->element_count++;
    if (at_rollup_or_cube(p)) {
        PT_TRY(parse_rollup_or_cube(p, group, &sets));
        return multiply(p, group, &sets);
    }
    if (pt__sql_at_two(p, PT_KW_GROUPING, PT_KW_SETS)) {
        PT_TRY(parse_grouping_sets(p, group, &sets));
        group->only_kind = PT_GROUP_SETS;
        return multiply(p, group, &sets);
    }
    const pt_expr *expr = NULL;
    PT_TRY(pt__sql_expression(p, &expr));
    pt__list_push(p->arena, &group->plain, add_expression(p, group, expr));
    return PT_OK;
}

/* GROUP BY a, b WITH ROLLUP, and GROUP BY a, b GROUPING SETS (…). */
static pt_status parse_suffix(pt__sql_parser *p, group_clause *group, pt_group_kind *kind)
{
    if (pt__sql_at_two(p, PT_KW_WITH, PT_KW_ROLLUP) || pt__sql_at_two(p, PT_KW_WITH, PT_KW_CUBE)) {
        set_list parts = {0};
        bool is_cube = pt__sql_peek(p, 1) == PT_KW_CUBE;
        for (size_t i = 0; i < group->expressions.count; i++) {
            uint32_t *member = pt__arena_array(p->arena, uint32_t, 1);
            *member = (uint32_t)i;
            pt_grouping_set set = {member, 1};
            pt__list_push(p->arena, &parts, set);
        }
        pt__sql_skip(p, 2);
        *kind = is_cube ? PT_GROUP_CUBE : PT_GROUP_ROLLUP;
        group->sets = (set_list){0};
        return expand(p, group, is_cube, &parts, &group->sets);
    }
    if (pt__sql_at_two(p, PT_KW_GROUPING, PT_KW_SETS)) {
        *kind = PT_GROUP_SETS;
        group->sets = (set_list){0};
        return parse_grouping_sets(p, group, &group->sets);
    }
    return PT_OK;
}

static bool at_group_all(const pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    return pt__sql_at(p, PT_KW_ALL) &&
           (next == PT_TOKEN_END || next == ')' || next == ';' || pt__sql_is_name(next) || next == PT_TOKEN_PIPE);
}

pt_status pt__sql_group_by(pt__sql_parser *p, pt_plan_aggregate *aggregate)
{
    group_clause group = {0};
    if (at_group_all(p)) {
        pt__sql_skip(p, 1);
        aggregate->group_kind = PT_GROUP_ALL;
        return PT_OK;
    }
    do {
        PT_TRY(parse_element(p, &group));
    } while (pt__sql_accept(p, ','));
    PT_TRY(add_plain(p, &group));
    pt_group_kind kind = group.sets.count == 0 ? PT_GROUP_BY : PT_GROUP_SETS;
    if (group.element_count == 1 && group.only_kind != PT_GROUP_BY)
        kind = group.only_kind;
    PT_TRY(parse_suffix(p, &group, &kind));
    aggregate->group_kind = kind;
    aggregate->grouping = group.expressions.items;
    aggregate->grouping_count = group.expressions.count;
    if (kind == PT_GROUP_SETS) {
        aggregate->sets = group.sets.items;
        aggregate->set_count = group.sets.count;
    }
    return PT_OK;
}
