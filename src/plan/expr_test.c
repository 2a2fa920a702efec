#include "plan/expr.h"

#include "base/test.h"
#include "plan/text.h"

#include <string.h>

/* (a + 1) > 2.5, with a window, a case and a lambda around. */
static const pt_expr *sample(pt__arena *arena)
{
    const pt_expr *a = pt__expr_attribute(arena, "a", NULL);
    const pt_expr *sum = pt__expr_call(arena, NULL, "+", 2, a, pt__expr_int(arena, 1));
    return pt__expr_call(arena, NULL, ">", 2, sum, pt__expr_double(arena, 2.5));
}

PT_TEST(expr_text_of_common_nodes)
{
    pt__arena *arena = pt__arena_new(0);
    PT_CHECK_STR(pt__expr_text(arena, sample(arena)), ">(+(a, 1), 2.5D)");
    PT_CHECK_STR(pt__expr_text(arena, pt__expr_alias(arena, pt__expr_long(arena, -7), "b c")), "-7L as `b c`");
    PT_CHECK_STR(pt__expr_text(arena, pt__expr_cast(arena, pt__expr_string(arena, "it's"), PT_T(DATE), PT_CAST_TRY)),
                 "try_cast('it\\'s' as DATE)");
    PT_CHECK_STR(pt__expr_text(arena, pt__expr_null(arena, PT_T(VOID))), "null");
    pt_expr_ordinal *ordinal = pt__expr_make(arena, ORDINAL, ordinal, NULL);
    ordinal->position = 7;
    PT_CHECK_STR(pt__expr_text(arena, &ordinal->base), "<7>");
    ordinal->outer = 2;
    PT_CHECK_STR(pt__expr_text(arena, &ordinal->base), "<^^7>");
    PT_CHECK_STR(pt__expr_text(arena, pt__expr_null(arena, PT_T(INT))), "null:INT");
    pt_value decimal = {.as.decimal = 120};
    PT_CHECK_STR(pt__expr_text(arena, pt__expr_literal(arena, pt__type_decimal(arena, 10, 2), decimal)),
                 "1.20:DECIMAL(10,2)");
    pt_value items[] = {{.as.integer = 1}, {.is_null = true}};
    pt_value list = {.as.list = {items, 2}};
    PT_CHECK_STR(pt__expr_text(arena, pt__expr_literal(arena, pt__type_array(arena, PT_T(INT), true), list)),
                 "[1, null]:ARRAY<INT>");
    pt__arena_free(arena);
}

static const pt_expr *make_case(pt__arena *arena, int32_t otherwise)
{
    pt_expr_case *node = pt__expr_make(arena, CASE, case, NULL);
    pt_case_branch *branch = pt__arena_make(arena, pt_case_branch);
    branch->condition = sample(arena);
    branch->value = pt__expr_int(arena, 1);
    node->branches = branch;
    node->branch_count = 1;
    node->otherwise = pt__expr_int(arena, otherwise);
    return &node->base;
}

PT_TEST(expr_text_of_generic_nodes)
{
    pt__arena *arena = pt__arena_new(0);
    PT_CHECK_STR(pt__expr_text(arena, make_case(arena, 2)),
                 "case(branches=[(condition=>(+(a, 1), 2.5D) value=1)] otherwise=2)");
    pt_expr_window *window = pt__expr_make(arena, WINDOW, window, NULL);
    window->function = pt__expr_call(arena, NULL, "rank", 0);
    window->unit = PT_FRAME_ROWS;
    window->upper = (pt_frame_bound){PT_BOUND_FOLLOWING, pt__expr_int(arena, 3)};
    PT_CHECK_STR(pt__expr_text(arena, &window->base),
                 "window(function=rank() unit=rows lower=(kind=unbounded_preceding) "
                 "upper=(kind=following offset=3))");
    pt__arena_free(arena);
}

PT_TEST(expr_equality_is_structural)
{
    pt__arena *arena = pt__arena_new(0);
    PT_CHECK(pt__expr_equal(make_case(arena, 2), make_case(arena, 2)));
    PT_CHECK(!pt__expr_equal(make_case(arena, 2), make_case(arena, 3)));
    PT_CHECK(!pt__expr_equal(sample(arena), make_case(arena, 3)));
    PT_CHECK(!pt__expr_equal(pt__expr_int(arena, 1), pt__expr_long(arena, 1)));
    PT_CHECK(!pt__expr_equal(pt__expr_attribute(arena, "a", NULL), pt__expr_attribute(arena, "b", NULL)));
    pt__arena_free(arena);
}

static bool count_child(void *context, const pt_expr *child)
{
    (void)child;
    ++*(int *)context;
    return true;
}

PT_TEST(expr_children_are_visited_in_records_too)
{
    pt__arena *arena = pt__arena_new(0);
    int count = 0;
    PT_CHECK(pt__expr_each_child(make_case(arena, 2), count_child, &count));
    PT_CHECK_EQ(count, 3);
    pt__arena_free(arena);
}

static const pt_expr *replace_ints(void *context, const pt_expr *child)
{
    bool is_int = child->kind == PT_EXPR_LITERAL && child->type == PT_T(INT);
    return is_int ? pt__expr_string(context, "x") : pt__expr_map_children(context, child, replace_ints, context);
}

PT_TEST(expr_mapping_copies_only_what_changes)
{
    pt__arena *arena = pt__arena_new(0);
    const pt_expr *before = make_case(arena, 2);
    const pt_expr *after = replace_ints(arena, before);
    PT_CHECK_STR(pt__expr_text(arena, after),
                 "case(branches=[(condition=>(+(a, 'x'), 2.5D) value='x')] otherwise='x')");
    PT_CHECK(pt__expr_equal(before, make_case(arena, 2)));
    const pt_expr *plain = pt__expr_call(arena, NULL, "f", 1, pt__expr_attribute(arena, "a", NULL));
    PT_CHECK(replace_ints(arena, plain) == plain);
    pt__arena_free(arena);
}

PT_TEST(expr_constants_hold_no_columns)
{
    pt__arena *arena = pt__arena_new(0);
    const pt_expr *one = pt__expr_int(arena, 1);
    PT_CHECK(pt__expr_is_constant(pt__expr_cast(arena, pt__expr_call(arena, NULL, "+", 2, one, one), PT_T(LONG), 0)));
    PT_CHECK(!pt__expr_is_constant(sample(arena)));
    pt__arena_free(arena);
}
