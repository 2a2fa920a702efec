#include "analyze/analyzer.h"

#include "base/test.h"
#include "plan/text.h"

#include <string.h>

/* A catalog that knows nothing but the time zone. */
static pt_status no_relation(pt__catalog *c, pt__arena *arena, const pt_name *name, pt__relation *out, pt_error *err)
{
    (void)c, (void)arena, (void)name, (void)out, (void)err;
    return PT_NOT_FOUND;
}

static pt_status no_function(pt__catalog *c, pt__arena *arena, const pt_name *name, const pt__user_function **out,
                             pt_error *err)
{
    (void)c, (void)arena, (void)name, (void)out, (void)err;
    return PT_NOT_FOUND;
}

static const char *conf(pt__catalog *c, const char *key)
{
    (void)c;
    return strcmp(key, "spark.sql.session.timeZone") == 0 ? "UTC" : NULL;
}

static const char *name_of(pt__catalog *c)
{
    (void)c;
    return "default";
}

static const pt__catalog_vtable EMPTY = {
    .find_relation = no_relation,
    .find_function = no_function,
    .conf = conf,
    .current_catalog = name_of,
    .current_database = name_of,
    .current_user = name_of,
};

static const pt_plan *range_of_ten(pt__arena *arena)
{
    pt_plan_range *range = pt__plan_make(arena, RANGE, range, NULL);
    range->end = 10;
    range->step = 1;
    return &range->base;
}

static const pt_plan *select_one(pt__arena *arena, const pt_expr *expr)
{
    pt_plan_project *project = pt__plan_make(arena, PROJECT, project, NULL);
    const pt_expr **list = pt__arena_array(arena, const pt_expr *, 1);
    list[0] = expr;
    project->input = range_of_ten(arena);
    project->expressions = list;
    project->expression_count = 1;
    return &project->base;
}

static pt_status analyze(pt__arena *arena, const pt_plan *plan, const pt_plan **out, pt_error *err)
{
    pt__catalog *catalog = pt__arena_make(arena, pt__catalog);
    catalog->vtable = &EMPTY;
    return pt__analyze(arena, catalog, plan, out, err);
}

static void check_column(const pt_expr *expr, const char *name, const char *type, bool nullable)
{
    pt__arena *arena = pt__arena_new(0);
    pt_error err = PT_ERROR_INIT;
    const pt_plan *out = NULL;
    analyze(arena, select_one(arena, expr), &out, &err);
    PT_CHECK_STR(err.message, "");
    if (out != NULL) {
        PT_CHECK_STR(out->columns[0].name, name);
        PT_CHECK_STR(pt__type_simple_string(arena, out->columns[0].type), type);
        PT_CHECK_EQ(out->columns[0].nullable, nullable);
    }
    pt_error_clear(&err);
    pt__arena_free(arena);
}

PT_TEST(analysis_types_and_names_arithmetic)
{
    pt__arena *a = pt__arena_new(0);
    const pt_expr *id = pt__expr_attribute(a, "id", NULL);
    check_column(pt__expr_call(a, NULL, "+", 2, id, pt__expr_int(a, 1)), "(id + 1)", "bigint", false);
    check_column(pt__expr_call(a, NULL, "/", 2, id, pt__expr_int(a, 2)), "(id / 2)", "double", true);
    check_column(pt__expr_call(a, NULL, "count", 1, pt__expr_int(a, 1)), "count(1)", "bigint", false);
    check_column(pt__expr_call(a, NULL, "sum", 1, id), "sum(id)", "bigint", true);
    check_column(pt__expr_call(a, NULL, "coalesce", 2, pt__expr_null(a, PT_T(VOID)), id), "coalesce(NULL, id)",
                 "bigint", false);
    check_column(pt__expr_call(a, NULL, "array", 2, id, pt__expr_int(a, 1)), "array(id, 1)", "array<bigint>", false);
    pt__arena_free(a);
}

PT_TEST(analysis_types_lambdas_from_their_array)
{
    pt__arena *a = pt__arena_new(0);
    pt_expr_lambda_variable *x = pt__expr_make(a, LAMBDA_VARIABLE, lambda_variable, NULL);
    x->name = pt__name_one(a, "x");
    const pt_expr_lambda_variable *parameters[] = {x};
    pt_expr_lambda *lambda = pt__expr_make(a, LAMBDA, lambda, NULL);
    lambda->parameters = parameters;
    lambda->parameter_count = 1;
    lambda->body = pt__expr_call(a, NULL, "/", 2, pt__expr_attribute(a, "x", NULL), pt__expr_int(a, 2));
    const pt_expr *array = pt__expr_call(a, NULL, "array", 1, pt__expr_attribute(a, "id", NULL));
    check_column(pt__expr_alias(a, pt__expr_call(a, NULL, "transform", 2, array, &lambda->base), "t"), "t",
                 "array<double>", false);
    pt__arena_free(a);
}

PT_TEST(analysis_proposes_names_for_an_unknown_column)
{
    pt__arena *a = pt__arena_new(0);
    pt_error err = PT_ERROR_INIT;
    const pt_plan *out = NULL;
    PT_CHECK_EQ(analyze(a, select_one(a, pt__expr_attribute(a, "ix", NULL)), &out, &err), PT_ANALYSIS);
    PT_CHECK_STR(err.condition, "UNRESOLVED_COLUMN.WITH_SUGGESTION");
    const char *name;
    const char *value;
    PT_REQUIRE(pt_error_parameter(&err, 1, &name, &value));
    PT_CHECK_STR(value, "`id`");
    pt_error_clear(&err);
    pt__arena_free(a);
}

PT_TEST(analysis_refuses_a_column_beside_an_aggregate)
{
    pt__arena *a = pt__arena_new(0);
    pt_error err = PT_ERROR_INIT;
    const pt_plan *out = NULL;
    const pt_expr *id = pt__expr_attribute(a, "id", NULL);
    const pt_expr *mixed = pt__expr_call(a, NULL, "+", 2, id, pt__expr_call(a, NULL, "sum", 1, id));
    PT_CHECK_EQ(analyze(a, select_one(a, mixed), &out, &err), PT_ANALYSIS);
    PT_CHECK_STR(err.condition, "MISSING_GROUP_BY");
    pt_error_clear(&err);
    pt__arena_free(a);
}

PT_TEST(analysis_calls_some_functions_without_parentheses)
{
    pt__arena *arena = pt__arena_new(0);
    check_column(pt__expr_attribute(arena, "USER", NULL), "current_user()", "string", false);
    check_column(pt__expr_attribute(arena, "session_user", NULL), "current_user()", "string", false);
    pt__arena_free(arena);
}

static const pt_expr *column_at(pt__arena *arena, uint32_t position, uint32_t outer)
{
    pt_expr_ordinal *ordinal = pt__expr_make(arena, ORDINAL, ordinal, NULL);
    ordinal->position = position;
    ordinal->outer = outer;
    return &ordinal->base;
}

PT_TEST(analysis_takes_columns_by_position)
{
    pt__arena *a = pt__arena_new(0);
    check_column(column_at(a, 0, 0), "id", "bigint", false);
    pt_error err = PT_ERROR_INIT;
    const pt_plan *out = NULL;
    PT_CHECK_EQ(analyze(a, select_one(a, column_at(a, 1, 0)), &out, &err), PT_BAD_PLAN);
    PT_CHECK_STR(err.message, "there is no column 1 in the input");
    PT_CHECK_EQ(analyze(a, select_one(a, column_at(a, 0, 1)), &out, &err), PT_BAD_PLAN);
    pt_error_clear(&err);
    pt__arena_free(a);
}

PT_TEST(analysis_takes_columns_of_the_query_around_by_position)
{
    pt__arena *a = pt__arena_new(0);
    pt_plan_filter *filter = pt__plan_make(a, FILTER, filter, NULL);
    filter->input = range_of_ten(a);
    filter->condition = pt__expr_call(a, NULL, "=", 2, column_at(a, 0, 0), column_at(a, 0, 1));
    pt_expr_subquery *exists = pt__expr_make(a, SUBQUERY, subquery, NULL);
    exists->subquery_kind = PT_SUBQUERY_EXISTS;
    exists->plan = &filter->base;
    pt_error err = PT_ERROR_INIT;
    const pt_plan *out = NULL;
    analyze(a, select_one(a, pt__expr_alias(a, &exists->base, "e")), &out, &err);
    PT_CHECK_STR(err.message, "");
    if (out != NULL)
        PT_CHECK(strstr(pt__plan_text(a, out), "outer id#") != NULL);
    pt_error_clear(&err);
    pt__arena_free(a);
}

PT_TEST(analysis_takes_fields_by_position)
{
    pt__arena *a = pt__arena_new(0);
    pt_expr_field *field = pt__expr_make(a, FIELD, field, NULL);
    field->child = pt__expr_call(a, NULL, "struct", 2, column_at(a, 0, 0), pt__expr_int(a, 1));
    field->ordinal = 1;
    check_column(&field->base, "col2", "int", false);
    pt_error err = PT_ERROR_INIT;
    const pt_plan *out = NULL;
    field->ordinal = 2;
    PT_CHECK_EQ(analyze(a, select_one(a, &field->base), &out, &err), PT_BAD_PLAN);
    pt_error_clear(&err);
    pt__arena_free(a);
}

PT_TEST(analysis_leaves_out_a_declared_cast_to_the_same_type)
{
    pt__arena *a = pt__arena_new(0);
    pt_expr_cast *cast = (pt_expr_cast *)pt__expr_cast(a, column_at(a, 0, 0), PT_T(LONG), PT_CAST_DEFAULT);
    cast->is_implicit = true;
    pt_error err = PT_ERROR_INIT;
    const pt_plan *out = NULL;
    analyze(a, select_one(a, &cast->base), &out, &err);
    PT_REQUIRE(out != NULL);
    PT_CHECK_EQ(pt__plan_as_project(out)->expressions[0]->kind, PT_EXPR_COLUMN);
    pt_error_clear(&err);
    pt__arena_free(a);
}
