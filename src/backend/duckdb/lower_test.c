#include "backend/duckdb/test_pairs.h"

#include "base/test.h"

#include <stdlib.h>
#include <string.h>

PT_TEST(lowered_queries_give_rows)
{
    static const pt__test_pair PAIRS[] = {
        {"SELECT 1", "1\n"},
        {"SELECT 1 AS a, 'x' AS b, NULL AS c, true, 1.50, 2.5D", "1|x|NULL|true|1.50|2.5\n"},
        {"SELECT id FROM range(5) WHERE id > 2", "3\n4\n"},
        {"SELECT id + 1 AS a, id * 2 FROM range(3) WHERE id + 1 > 1 ORDER BY a DESC LIMIT 1", "3|4\n"},
        {"SELECT a % 2, count(*), sum(a) FROM VALUES (1), (2), (3) AS t(a) GROUP BY a % 2 ORDER BY 1",
         "0|1|2\n1|2|4\n"},
        {"SELECT count(*) FROM range(10)", "10\n"},
        {"SELECT 1 FROM range(0) HAVING count(*) = 0", "1\n"},
        {"SELECT a, b FROM VALUES (1, 'x'), (2, 'y') AS t(a, b) ORDER BY a DESC", "2|y\n1|x\n"},
        {"SELECT * FROM range(3) LIMIT 0", ""},
        {"SELECT * FROM (SELECT id FROM range(10) LIMIT 5) WHERE id > 2", "3\n4\n"},
        {"SELECT * FROM (SELECT id FROM range(10) LIMIT 5 OFFSET 2) LIMIT 2", "2\n3\n"},
        {"SELECT DISTINCT id % 2 AS x FROM range(5) ORDER BY x", "0\n1\n"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

PT_TEST(lowered_joins_give_rows)
{
    static const pt__test_pair PAIRS[] = {
        {"SELECT * FROM VALUES (1), (2) a(x) JOIN VALUES (2), (3) b(y) ON x = y", "2|2\n"},
        {"SELECT x, y FROM VALUES (1), (2) a(x) LEFT JOIN (SELECT y FROM VALUES (2), (3) b(y) WHERE y > 2) c ON x = y "
         "ORDER BY x",
         "1|NULL\n2|NULL\n"},
        {"SELECT x, k FROM VALUES (1), (2) a(x) LEFT JOIN (SELECT y, 7 AS k FROM VALUES (2) b(y)) c ON x = y ORDER BY "
         "x",
         "1|NULL\n2|7\n"},
        {"SELECT x, y FROM VALUES (1), (2) a(x) FULL JOIN VALUES (2), (3) b(y) ON x = y ORDER BY x, y",
         "NULL|3\n1|NULL\n2|2\n"},
        {"SELECT * FROM VALUES (1), (2) a(x) LEFT SEMI JOIN VALUES (2), (3) b(y) ON x = y", "2\n"},
        {"SELECT * FROM VALUES (1), (NULL), (2) a(x) LEFT ANTI JOIN VALUES (2), (NULL) b(y) ON x = y ORDER BY x",
         "NULL\n1\n"},
        {"SELECT * FROM VALUES (1, 'l') a(k, v) JOIN VALUES (1, 'r') b(k, w) USING (k)", "1|l|r\n"},
        {"SELECT a.x, c.z FROM VALUES (1), (3) a(x), LATERAL (SELECT a.x * 10 AS z) c ORDER BY a.x", "1|10\n3|30\n"},
        {"SELECT count(*) FROM range(3) CROSS JOIN range(4)", "12\n"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

PT_TEST(lowered_subqueries_give_rows)
{
    static const pt__test_pair PAIRS[] = {
        {"SELECT (SELECT max(id) FROM range(4))", "3\n"},
        {"SELECT 3 IN (SELECT 3), 3 NOT IN (SELECT 4), 3 IN (SELECT id FROM range(2))", "true|true|false\n"},
        {"SELECT 3 IN (SELECT CAST(NULL AS INT))", "false\n"},
        {"SELECT id FROM range(4) a WHERE EXISTS (SELECT 1 FROM range(2) b WHERE b.id = a.id)", "0\n1\n"},
        {"SELECT id FROM range(4) a WHERE NOT EXISTS (SELECT 1 FROM range(2) b WHERE b.id = a.id)", "2\n3\n"},
        {"SELECT id, (SELECT count(*) FROM range(3) b WHERE b.id < a.id) FROM range(3) a ORDER BY id",
         "0|0\n1|1\n2|2\n"},
        {"SELECT count(*) WHERE EXISTS (SELECT 1 WHERE false)", "0\n"},
        {"SELECT x LATERAL VIEW explode(array(1, 2)) t AS x WHERE x > 1", "2\n"},
        {"SELECT (SELECT id FROM range(2))", "!SCALAR_SUBQUERY_TOO_MANY_ROWS"},
        {"WITH t AS (SELECT 1 a UNION ALL SELECT 2) SELECT x.a, y.a FROM t x, t y WHERE x.a < y.a", "1|2\n"},
        {"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 4) SELECT * FROM t", "1\n2\n3\n4\n"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

PT_TEST(lowered_set_operations_and_groups_give_rows)
{
    static const pt__test_pair PAIRS[] = {
        {"SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 1", "1\n2\n1\n"},
        {"SELECT * FROM (SELECT 1 AS a UNION SELECT 1 UNION SELECT 2) ORDER BY a", "1\n2\n"},
        {"SELECT id FROM range(3) EXCEPT SELECT id FROM range(2)", "2\n"},
        {"SELECT id FROM range(3) INTERSECT SELECT id FROM range(1)", "0\n"},
        {"SELECT a, b, sum(c) FROM VALUES (1, 2, 3), (1, 3, 4) t(a, b, c) GROUP BY ROLLUP (a, b) ORDER BY a, b",
         "NULL|NULL|7\n1|NULL|7\n1|2|3\n1|3|4\n"},
        {"SELECT a, grouping(a), count(*) FROM VALUES (1), (2) t(a) GROUP BY GROUPING SETS ((a), ()) ORDER BY a",
         "NULL|1|2\n1|0|1\n2|0|1\n"},
        {"SELECT count(DISTINCT a), count(DISTINCT a, b), sum(a) FILTER (WHERE b > 1) FROM VALUES (1, 1), (1, 2), "
         "(NULL, 3) t(a, b)",
         "1|2|1\n"},
        {"SELECT collect_list(a) FROM VALUES (1), (NULL), (2) t(a)", "[1,2]\n"},
        {"SELECT avg(a), sum(a) FROM VALUES (1.5), (2.0) t(a)", "1.75000|3.5\n"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

PT_TEST(lowered_windows_and_generators_give_rows)
{
    static const pt__test_pair PAIRS[] = {
        {"SELECT a, row_number() OVER (ORDER BY a DESC), sum(a) OVER (ORDER BY a) FROM VALUES (1), (2), (3) t(a) ORDER "
         "BY a",
         "1|3|1\n2|2|3\n3|1|6\n"},
        {"SELECT a, lag(a, 1, 0) OVER (ORDER BY a) FROM VALUES (1), (2) t(a) ORDER BY a", "1|0\n2|1\n"},
        {"SELECT count(s), max(s) FROM (SELECT corr(nullif(id, 7), id) OVER () AS s FROM range(5000))", "5000|1\n"},
        {"SELECT count(s), max(s) FROM (SELECT median(id) OVER (PARTITION BY 1) AS s FROM range(601))", "601|300\n"},
        /* Two hundred thousand rows in partitions of all sizes: a frame of the partition is computed once for it. */
        {"SELECT sum(m), sum(f), count(DISTINCT m) FROM (SELECT median(id) OVER (PARTITION BY p) AS m, "
         "percentile(id, 0.5) FILTER (WHERE id % 2 = 0) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED "
         "PRECEDING AND UNBOUNDED FOLLOWING) AS f FROM (SELECT id, floor(sqrt(id)) AS p FROM range(200000)))",
         "19999900000|19999900000|448\n"},
        {"SELECT sum(a) OVER (ORDER BY d RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND CURRENT ROW) FROM VALUES "
         "(1, date'2020-01-31'), (2, date'2020-02-29'), (4, date'2020-03-31') t(a, d) ORDER BY d",
         "1\n3\n6\n"},
        {"SELECT sum(a) OVER (ORDER BY d RANGE BETWEEN CURRENT ROW AND INTERVAL '36' HOUR FOLLOWING) FROM VALUES "
         "(1, timestamp_ntz'2020-01-01'), (2, timestamp_ntz'2020-01-02'), (4, timestamp_ntz'2020-01-03') t(a, d) "
         "ORDER BY d",
         "3\n6\n4\n"},
        {"SELECT * FROM (SELECT a, rank() OVER (ORDER BY a) AS r FROM VALUES (5), (5), (7) t(a)) WHERE r > 1", "7|3\n"},
        {"SELECT a, sum(b) AS s, rank() OVER (ORDER BY sum(b)) FROM VALUES (1, 5), (2, 3) t(a, b) GROUP BY a ORDER BY "
         "a",
         "1|5|2\n2|3|1\n"},
        {"SELECT explode(array(1, 2, 3))", "1\n2\n3\n"},
        {"SELECT x, y FROM (SELECT array(1, 2) AS x) LATERAL VIEW explode(x) AS y", "[1,2]|1\n[1,2]|2\n"},
        {"SELECT p, c FROM VALUES (array('a', 'b')) t(x) LATERAL VIEW posexplode(x) AS p, c", "0|a\n1|b\n"},
        {"SELECT k, v FROM VALUES (map('a', 1)) t(m) LATERAL VIEW explode(m) AS k, v", "a|1\n"},
        {"SELECT id, y FROM range(2) LATERAL VIEW OUTER explode(CASE WHEN id = 1 THEN array(7) END) AS y ORDER BY id",
         "0|NULL\n1|7\n"},
        {"SELECT stack(2, 1, 'a', 2, 'b')", "1|a\n2|b\n"},
        {"SELECT inline(array(struct(1, 'x'), struct(2, 'y')))", "1|x\n2|y\n"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

PT_TEST(lowered_expressions_give_values)
{
    static const pt__test_pair PAIRS[] = {
        {"SELECT 1 / 2, 7 DIV 2, 7 % 3, -7 % 3, 10.0 / 3", "0.5|3|1|-1|3.333333\n"},
        {"SELECT CAST('12' AS INT), CAST(1.9D AS INT), CAST(' true ' AS BOOLEAN), try_cast('x' AS INT)",
         "12|1|true|NULL\n"},
        {"SELECT CAST(1.005D AS DECIMAL(5, 2)), CAST(1e7D AS STRING), CAST(array(1, NULL) AS STRING)",
         "1.01|1.0E7|[1, null]\n"},
        {"SELECT transform(array(1, 2), (x, i) -> x * 10 + i), exists(array(1, NULL), x -> x > 1)", "[10,21]|NULL\n"},
        {"SELECT CASE WHEN id = 0 THEN 'a' ELSE 'b' END FROM range(2)", "a\nb\n"},
        {"SELECT named_struct('p', 1, 'q', 'x').q, map('a', 1)['a'], array(1, 2)[1]", "x|1|2\n"},
        {"SELECT concat('a', NULL), 'a' || 'b', substring('hello', 0, 2), substring('hello', -3)", "NULL|ab|he|llo\n"},
        {"SELECT 'a\\'b', 'x' LIKE '_', 'a_b' LIKE 'a\\\\_b'", "a'b|true|true\n"},
        {"SELECT DATE'2020-01-31' + INTERVAL 1 MONTH, DATE'2020-03-01' - DATE'2020-02-01'", "18321|2505600000000\n"},
        {"SELECT CAST(9999999999999.99 AS DECIMAL(15,2)) * CAST(99999999.99 AS DECIMAL(15,2))",
         "999999999899999000000.0001\n"},
        {"SELECT sum(a * b) FROM VALUES (CAST(9999999999999.99 AS DECIMAL(15,2)), CAST(99999999.99 AS DECIMAL(15,2))) "
         "t(a, b)",
         "999999999899999000000.0001\n"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

PT_TEST(engine_errors_are_conditions_of_spark)
{
    static const pt__test_pair PAIRS[] = {
        {"SELECT 1 / 0", "!DIVIDE_BY_ZERO"},
        {"SELECT 1 % 0", "!REMAINDER_BY_ZERO"},
        {"SELECT 2147483647 + 1", "!ARITHMETIC_OVERFLOW"},
        {"SELECT 100Y + 100Y", "!BINARY_ARITHMETIC_OVERFLOW"},
        {"SELECT CAST('abc' AS INT)", "!CAST_INVALID_INPUT"},
        {"SELECT CAST(3000000000 AS INT)", "!CAST_OVERFLOW"},
        {"SELECT CAST(123.45 AS DECIMAL(3, 1))", "!NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
        {"SELECT array(1, 2)[5]", "!INVALID_ARRAY_INDEX"},
        {"SELECT map(1, 2, 1, 3)", "!DUPLICATED_MAP_KEY"},
        {"SELECT sum(a) FROM VALUES (9223372036854775807), (1) t(a)", "!ARITHMETIC_OVERFLOW"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

static size_t count_words(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        count++;
    return count;
}

/* SELECT *, <expression of the level below> FROM (…), `levels` deep. */
static char *nested_selects(int levels, const char *select)
{
    pt__buffer text = PT_BUFFER_INIT;
    for (int i = 0; i < levels; i++)
        pt__buffer_printf(&text, "SELECT %s FROM (", select);
    pt__buffer_append_string(&text, "SELECT id, id AS x FROM range(3)");
    for (int i = 0; i < levels; i++)
        pt__buffer_append_string(&text, ")");
    char *copy = strdup(pt__buffer_string(&text));
    pt__buffer_deinit(&text);
    return copy;
}

PT_TEST(chained_projections_become_few_selects)
{
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    char *cheap = nested_selects(400, "id, x");
    PT_CHECK_EQ(count_words(pt__test_engine_lower(&engine, cheap), "SELECT"), 1);
    char *once = nested_selects(400, "id, x + 1 AS x");
    size_t selects = count_words(pt__test_engine_lower(&engine, once), "SELECT");
    PT_CHECK(selects > 1 && selects < 20);
    PT_CHECK_STR(pt__test_engine_run(&engine, once), "0|400\n1|401\n2|402\n");
    char *twice = nested_selects(30, "id, x * x % 7 AS x"); /* written out this would be 2^30 terms */
    PT_CHECK(strlen(pt__test_engine_lower(&engine, twice)) < 20000);
    free(cheap);
    free(once);
    free(twice);
    pt__test_engine_close(&engine);
}

PT_TEST(long_arguments_that_a_template_names_twice_are_bound_once)
{
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    pt__buffer text = PT_BUFFER_INIT;
    pt__buffer_append_string(&text, "id");
    for (int i = 0; i < 20; i++) { /* element_at names both of its arguments more than once */
        char *inner = strdup(pt__buffer_string(&text));
        pt__buffer_reset(&text);
        pt__buffer_printf(&text, "element_at(array(%s, 5L), 1)", inner);
        free(inner);
    }
    const char *sql = pt__buffer_string(&text);
    pt__buffer query = PT_BUFFER_INIT;
    pt__buffer_printf(&query, "SELECT %s FROM range(2)", sql);
    PT_CHECK(strlen(pt__test_engine_lower(&engine, pt__buffer_string(&query))) < 40000);
    PT_CHECK_STR(pt__test_engine_run(&engine, pt__buffer_string(&query)), "0\n1\n");
    pt__buffer_deinit(&text);
    pt__buffer_deinit(&query);
    pt__test_engine_close(&engine);
}

PT_TEST(what_cannot_be_lowered_is_refused_by_name)
{
    static const pt__test_pair PAIRS[] = {
        {"SELECT * FROM orc.`/nowhere/x.orc`", "!UNSUPPORTED_FEATURE"},
    };
    PT_CHECK_PAIRS(PAIRS);
}
