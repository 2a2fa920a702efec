/* Plans are checked by what they hold: that they give the right rows is shown on clusters, tests/ballista. */
#include "backend/ballista/lower.h"

#include "analyze/analyze.h"
#include "base/test.h"
#include "decode/spark_sql/parser.h"

#include "datafusion/plan.pb-c.h"

#include <stdio.h>
#include <string.h>

/* ---- a catalog that knows nothing but its settings ---- */

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
    if (strcmp(key, "spark.sql.ansi.enabled") == 0)
        return "true";
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

/* ---- running ---- */

typedef struct lowered {
    pt__arena *arena;
    pt_status status;
    pt_error err;
    pt__ballista_lowered out;
    Datafusion__LogicalPlanNode *plan; /* unpacked; NULL when lowering failed */
} lowered;

static lowered lower(const char *sql)
{
    pt__catalog catalog = {&EMPTY};
    lowered l = {.arena = pt__arena_new(0), .err = PT_ERROR_INIT};
    pt__ballista_lower_options options = {.time_zone = "UTC"};
    const pt_plan *plan = NULL;
    l.status = pt__sql_parse_statement(l.arena, (pt_text_view){sql, strlen(sql)}, NULL, &plan, &l.err);
    if (l.status == PT_OK)
        l.status = pt__analyze(l.arena, &catalog, plan, &plan, &l.err);
    if (l.status == PT_OK)
        l.status = pt__ballista_lower(l.arena, plan, &options, &l.out, &l.err);
    if (l.status == PT_OK)
        l.plan = datafusion__logical_plan_node__unpack(NULL, l.out.plan.size_bytes, l.out.plan.data);
    return l;
}

static void done(lowered *l)
{
    if (l->plan != NULL)
        datafusion__logical_plan_node__free_unpacked(l->plan, NULL);
    pt_error_clear(&l->err);
    pt__arena_free(l->arena);
}

static bool holds(const lowered *l, const char *text)
{
    return memmem(l->out.plan.data, l->out.plan.size_bytes, text, strlen(text)) != NULL;
}

PT_TEST(a_row_of_constants_is_a_projection_over_one_row)
{
    lowered l = lower("SELECT 1 AS a, 'x'");
    PT_CHECK_EQ(l.status, PT_OK);
    if (l.plan != NULL) {
        PT_CHECK_EQ(l.plan->logical_plan_type_case, DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_PROJECTION);
        PT_CHECK_EQ(l.plan->projection->n_expr, 2);
        PT_CHECK_STR(l.plan->projection->expr[1]->alias->alias, "o1");
        PT_CHECK_STR(l.out.columns[0].name, "a");
    }
    done(&l);
}

PT_TEST(fetches_that_are_not_there_are_negative)
{
    lowered l = lower("SELECT id FROM range(3) ORDER BY id");
    PT_CHECK_EQ(l.status, PT_OK);
    if (l.plan != NULL) {
        const Datafusion__LogicalPlanNode *sort = l.plan->projection->input;
        PT_CHECK_EQ(sort->logical_plan_type_case, DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_SORT);
        PT_CHECK_EQ(sort->sort->fetch, -1);
        PT_CHECK_EQ(sort->sort->expr[0]->nulls_first, 1);
    }
    done(&l);
}

PT_TEST(chains_are_flat)
{
    lowered l = lower("SELECT id FROM range(9) WHERE id > 1 AND id > 2 AND id > 3 AND (id = 4 OR id = 5 OR id = 6)");
    PT_CHECK_EQ(l.status, PT_OK);
    if (l.plan != NULL) {
        const Datafusion__LogicalExprNode *all = l.plan->projection->input->selection->expr;
        PT_CHECK_EQ(all->binary_expr->n_operands, 4);
        PT_CHECK_STR(all->binary_expr->op, "And");
        PT_CHECK_EQ(all->binary_expr->operands[3]->binary_expr->n_operands, 3);
    }
    done(&l);
}

PT_TEST(what_may_overflow_is_computed_in_a_wider_type)
{
    lowered wide = lower("SELECT a + 1L FROM VALUES (1L) t(a)");
    lowered small = lower("SELECT CAST(a AS BIGINT) + 1L FROM VALUES (1) t(a)");
    PT_CHECK_EQ(wide.status, PT_OK);
    PT_CHECK_EQ(small.status, PT_OK);
    PT_CHECK(wide.out.plan.size_bytes > small.out.plan.size_bytes + 8);
    done(&wide);
    done(&small);
}

PT_TEST(subqueries_become_joins)
{
    lowered semi = lower("SELECT id FROM range(4) a WHERE EXISTS (SELECT 1 FROM range(2) b WHERE b.id = a.id)");
    PT_CHECK_EQ(semi.status, PT_OK);
    if (semi.plan != NULL)
        PT_CHECK_EQ(semi.plan->projection->input->join->join_type, DATAFUSION_COMMON__JOIN_TYPE__LEFTSEMI);
    lowered mark = lower("SELECT id, EXISTS (SELECT 1 FROM range(2) b WHERE b.id = a.id) FROM range(4) a");
    PT_CHECK_EQ(mark.status, PT_OK);
    PT_CHECK(holds(&mark, "mark"));
    done(&semi);
    done(&mark);
}

PT_TEST(errors_of_spark_are_in_the_plan)
{
    lowered l = lower("SELECT 1 / a FROM VALUES (0) t(a)");
    PT_CHECK_EQ(l.status, PT_OK);
    PT_CHECK(holds(&l, PT_BALLISTA_RAISED "DIVIDE_BY_ZERO:"));
    done(&l);
}

static void check_refused(const char *sql, pt_status status, const char *text)
{
    lowered l = lower(sql);
    PT_CHECK_EQ(l.status, status);
    const char *message = pt_error_full_message(&l.err);
    if (strstr(message, text) == NULL)
        pt__test_fail(__FILE__, __LINE__, message);
    done(&l);
}

PT_TEST(what_a_cluster_cannot_do_is_refused_by_name)
{
    check_refused("SELECT array(1, 2)", PT_UNSUPPORTED, "array<int>");
    check_refused("SELECT initcap('a b')", PT_UNSUPPORTED, "the function initcap");
    check_refused("SELECT explode(array(1))", PT_UNSUPPORTED, "");
    check_refused("SELECT s RLIKE '(?<=a)b' FROM VALUES ('ab') t(s)", PT_UNSUPPORTED, "regular expression");
    check_refused("SELECT first_value(a) IGNORE NULLS OVER (ORDER BY a) FROM VALUES (1) t(a)", PT_UNSUPPORTED,
                  "IGNORE NULLS");
    check_refused("SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM VALUES (1D) t(a)",
                  PT_UNSUPPORTED, "moving frame");
}

PT_TEST(plans_that_nest_too_deeply_are_refused)
{
    size_t size = 0;
    char sql[4096];
    size += (size_t)snprintf(sql, sizeof(sql), "SELECT ");
    for (int i = 0; i < 60; i++)
        size += (size_t)snprintf(sql + size, sizeof(sql) - size, "abs(");
    size += (size_t)snprintf(sql + size, sizeof(sql) - size, "a");
    for (int i = 0; i < 60; i++)
        size += (size_t)snprintf(sql + size, sizeof(sql) - size, ")");
    snprintf(sql + size, sizeof(sql) - size, " FROM VALUES (1D) t(a)");
    check_refused(sql, PT_LIMIT, "nests too deeply");
}
