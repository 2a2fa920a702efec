#include "backend/duckdb/test_pairs.h"

#include "base/test.h"

#include <stdlib.h>
#include <string.h>

PT_TEST(results_come_in_every_type)
{
    static const pt__test_pair PAIRS[] = {
        {"SELECT 1Y, 2S, 3, 4L, CAST(1.5 AS FLOAT), 2.5D, true, X'00FF', CAST(NULL AS INT)",
         "1|2|3|4|1.5|2.5|true|00FF|NULL\n"},
        {"SELECT CAST(1.2 AS DECIMAL(4,1)), CAST(-1.23 AS DECIMAL(9,2)), CAST(12345678901.5 AS DECIMAL(18,1)), "
         "CAST(-12345678901234567890123456789.01 AS DECIMAL(38,2))",
         "1.2|-1.23|12345678901.5|-12345678901234567890123456789.01\n"},
        {"SELECT DATE'1970-01-02', TIMESTAMP'1970-01-01 00:00:01', TIMESTAMP_NTZ'1970-01-01 00:00:02', INTERVAL 1 DAY, "
         "INTERVAL '1-2' YEAR TO MONTH",
         "1|1000000|2000000|86400000000|14\n"},
        {"SELECT array(1, NULL, 3), array(), array(array('a'), NULL), map('k', array(1)), named_struct('a', 1, 'b', "
         "NULL)",
         "[1,NULL,3]|[]|[[a],NULL]|[{k,[1]}]|{1,NULL}\n"},
        {"SELECT NULL, array(NULL)", "NULL|[NULL]\n"},
        {"SELECT 1Y, 2S, 3, 4L, 1.5F, 2.5D, true, false, X'00FF', '', 'text', NULL, 1.25, INTERVAL '1' MONTH",
         "1|2|3|4|1.5|2.5|true|false|00FF||text|NULL|1.25|1\n"},
        {"SELECT 'twelve bytes', 'thirteen byte', 'a text that is longer than thirty-two bytes', ''",
         "twelve bytes|thirteen byte|a text that is longer than thirty-two bytes|\n"},
        {"SELECT slice(array(1, 2, 3, 4), 2, 2), reverse(array(1, 2)), sort_array(array(3, 1, 2)), filter(array(1, 2, "
         "3), x -> x <> 2)",
         "[2,3]|[2,1]|[1,2,3]|[1,3]\n"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

/* Rows with NULLs at odd places, delivered in batches that begin and end anywhere. */
PT_TEST(batches_of_any_size_hold_the_same_rows)
{
    static const char QUERY[] =
        "SELECT id, CASE WHEN id % 7 <> 3 THEN id END, id % 3 = 0, CASE WHEN id % 5 <> 1 THEN CAST(id AS STRING) END, "
        "CASE WHEN id % 11 <> 2 THEN array(id, NULL) END, named_struct('a', CASE WHEN id % 13 <> 5 THEN id END) "
        "FROM range(5000)";
    static const uint64_t SIZES[] = {1000000, 1, 3, 64, 65, 1000, 2049};
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    char *first = NULL;
    for (size_t i = 0; i < sizeof(SIZES) / sizeof(*SIZES); i++) {
        engine.batch_rows = SIZES[i];
        const char *rows = pt__test_engine_run(&engine, QUERY);
        if (first == NULL)
            first = strdup(rows);
        PT_CHECK(strcmp(first, rows) == 0);
    }
    PT_CHECK(strstr(first, "2|2|false|2|NULL|{2}\n") != NULL);
    PT_CHECK(strstr(first, "3|NULL|true|3|[3,NULL]|{3}\n") != NULL);
    free(first);
    pt__test_engine_close(&engine);
}
