#include "backend/duckdb/test_engine.h"

#include "base/test.h"

#include <string.h>

typedef struct pair {
    const char *sql;
    const char *rows;
} pair;

static void check_pairs(const pair *pairs, size_t count)
{
    pt__test_engine engine;
    if (!pt__test_engine_open(&engine, NULL))
        return;
    for (size_t i = 0; i < count; i++) {
        const char *rows = pt__test_engine_run(&engine, pairs[i].sql);
        if (strcmp(rows, pairs[i].rows) != 0) {
            pt__test_check_string(__FILE__, __LINE__, pairs[i].sql, rows, pairs[i].rows);
            pt__test_fail(__FILE__, __LINE__, pt__test_engine_lower(&engine, pairs[i].sql));
        }
    }
    pt__test_engine_close(&engine);
}

#define CHECK_PAIRS(pairs) check_pairs(pairs, sizeof(pairs) / sizeof(*(pairs)))

PT_TEST(lowered_queries_give_rows)
{
    static const pair PAIRS[] = {
        {"SELECT 1", "1\n"},
        {"SELECT 1 AS a, 'x' AS b, NULL AS c, true, 1.50, 2.5D", "1|x|NULL|true|1.50|2.5\n"},
        {"SELECT id FROM range(5) WHERE id > 2", "3\n4\n"},
        {"SELECT id + 1 AS a, id * 2 FROM range(3) WHERE id + 1 > 1 ORDER BY a DESC LIMIT 1", "3|4\n"},
        {"SELECT a % 2, count(*), sum(a) FROM VALUES (1), (2), (3) AS t(a) GROUP BY a % 2 ORDER BY 1", "0|1|2\n1|2|4\n"},
        {"SELECT count(*) FROM range(10)", "10\n"},
        {"SELECT a, b FROM VALUES (1, 'x'), (2, 'y') AS t(a, b) ORDER BY a DESC", "2|y\n1|x\n"},
    };
    CHECK_PAIRS(PAIRS);
}
