#include "backend/duckdb/functions/test_functions.h"
#include "base/test.h"

static const pt__fn_case SETS[] = {
    {"spark_pick_distinct([1, 2, 3, NULL, 3, NULL])", "[1, 2, 3, 4]"},
    {"spark_pick_distinct(['nan'::DOUBLE, 0.0, -0.0, 'nan'])", "[1, 2]"},
    {"spark_pick_distinct([['a'], ['a'], ['a', NULL], [], NULL])", "[1, 3, 4, 5]"},
    {"spark_pick_common([1, NULL, 1, 2], [NULL, 1])", "[1, 2]"},
    {"spark_pick_except([1, 1, NULL, 2], [2])", "[1, 3]"},
    {"spark_pick_except([1, 2], NULL::INTEGER[])", "NULL"},
    {"list_select([1, 1, NULL, 2], spark_pick_unequal([1, 1, NULL, 2], 1))", "[NULL, 2]"},
    {"spark_array_position([{'a': 1, 'b': NULL}, {'a': 1, 'b': 'x'}], {'a': 1, 'b': 'x'})", "2"},
    {"spark_array_position([1, 2], 3)", "0"},
    {"spark_array_contains([1, NULL], 1), spark_array_contains([1, NULL], 2), spark_array_contains([1], 2)",
     "true | NULL | false"},
    {"spark_arrays_overlap([1, NULL], [2]), spark_arrays_overlap([1, NULL], [NULL, 1]), "
     "spark_arrays_overlap([]::INTEGER[], [NULL]::INTEGER[]), spark_arrays_overlap([1], [2])",
     "NULL | true | false | false"},
    {"spark_any_true([false, NULL]), spark_any_true([NULL, true]), spark_any_true([false]), spark_all_true([true, "
     "NULL]), "
     "spark_all_true([NULL, false]), spark_all_true([]::BOOLEAN[])",
     "NULL | true | false | NULL | false | true"},
    {"spark_has_null([[1], NULL]), spark_has_null([[NULL]])", "true | false"},
};

PT_TEST(arrays_are_compared_as_spark_compares_values)
{
    PT__FN_CHECK(SETS);
}

static const pt__fn_case POSITIONS[] = {
    {"spark_pick_slice([1, 2, 3], 2, 10), spark_pick_slice([1, 2, 3], -2, 1), spark_pick_slice([1, 2, 3], -5, 2)",
     "[2, 3] | [2] | []"},
    {"spark_pick_slice([1], 0, 1)",
     "! [INVALID_PARAMETER_VALUE.START]{\"parameter\":\"`start`\",\"functionName\":\"`slice`\",\"start\":\"0\"}"},
    {"list_select([1, 2, 9], spark_pick_insert([1, 2], 5)), list_select([1, 2, 9], spark_pick_insert([1, 2], -5)), "
     "list_select([1, 2, 9], spark_pick_insert([1, 2], -2))",
     "[1, 2, NULL, NULL, 9] | [9, NULL, NULL, 1, 2] | [1, 9, 2]"},
    {"list_select(['x'], spark_pick_repeat(2)), list_select(['x'], spark_pick_repeat(-1))", "[x, x] | []"},
    {"spark_element_position_ansi([1, 2, 3], -1)", "3"},
    {"spark_element_position_try([1, 2, 3], 4)", "NULL"},
    {"spark_element_position_ansi([1, 2, 3], 4)",
     "! [INVALID_ARRAY_INDEX_IN_ELEMENT_AT]{\"indexValue\":\"4\",\"arraySize\":\"3\"}"},
    {"spark_element_position_try([1], 0)", "! [INVALID_INDEX_OF_ZERO]{}"},
    {"spark_item_position_ansi([1, 2], 0), spark_item_position_legacy([1, 2], 2)", "1 | NULL"},
    {"spark_max_position(['nan'::DOUBLE, 1.0, NULL]), spark_min_position([[2], [NULL, 1], NULL])", "1 | 2"},
    {"spark_max_position([]::INTEGER[])", "NULL"},
    {"spark_mode_position([3, 1, 1, 3, 2, NULL, NULL, NULL], 0), spark_mode_position([3, 1, 1, 3], -1), "
     "spark_mode_position([1, 3, 3, 1], 1)",
     "1 | 2 | 2"},
};

PT_TEST(array_positions_follow_spark)
{
    PT__FN_CHECK(POSITIONS);
}

static const pt__fn_case SORTS[] = {
    {"spark_pick_sorted(['b', 'd', NULL, 'c', 'a'], true, true), spark_pick_sorted(['b', NULL, 'c'], false, false)",
     "[3, 5, 1, 4, 2] | [3, 1, 2]"},
    {"list_select(x, spark_pick_sorted(x, true, true)) FROM (SELECT [[2, NULL], [2], [1, 5], NULL, [2, 1]] AS x)",
     "[NULL, [1, 5], [2], [2, NULL], [2, 1]]"},
    {"list_select(x, spark_pick_by_answers(list_transform(x, lambda a: list_transform(x, lambda b: sign(b - "
     "a)::INTEGER)))) "
     "FROM (VALUES ([5, 6, 1]), ([]), ([2, 2])) AS t(x)",
     "[6, 5, 1] / [] / [2, 2]"},
    {"spark_compare([1, 2], [1, NULL]), spark_compare({'a': NULL, 'b': 2}, {'a': NULL, 'b': 3}), spark_compare('b', "
     "'ab')",
     "1 | -1 | 1"},
    {"spark_sort_key([1]) < spark_sort_key([1, NULL]), spark_sort_key('a') < spark_sort_key('a' || chr(0)), "
     "spark_sort_key(-1.5::DOUBLE) < spark_sort_key(0.5::DOUBLE), spark_sort_key(DATE '1969-01-01') < "
     "spark_sort_key(DATE '1970-01-02')",
     "true | true | true | true"},
};

PT_TEST(arrays_sort_stably_with_null_smallest_within)
{
    PT__FN_CHECK(SORTS);
}

static const pt__fn_case NESTED[] = {
    {"spark_array_join(['a', NULL, 'b'], ','), spark_array_join(['a', NULL, 'b'], ',', '?')", "a,b | a,?,b"},
    {"spark_array_join(list_select(['a', 'b', 'c'], [3, 1]), ',') FROM range(2)", "c,a / c,a"},
    {"spark_array_join(list_filter(x, lambda e: e <> 'b'), '+') FROM (VALUES (['a', 'b']), (NULL), (['b', 'c', 'd'])) "
     "AS t(x)",
     "a / NULL / c+d"},
    {"spark_array_join(map_keys(MAP {'k': 1, 'l': 2}), ' '), spark_array_join(['x', 'y', 'z'][2:], ' ')", "k l | y z"},
    {"spark_array_join(list(x ORDER BY x DESC), '') FROM (VALUES ('p'), ('q')) AS t(x)", "qp"},
    {"spark_sequence(5, 1), spark_sequence(1::BIGINT, 10::BIGINT, 3::BIGINT), spark_sequence(2::TINYINT, 2::TINYINT)",
     "[5, 4, 3, 2, 1] | [1, 4, 7, 10] | [2]"},
    {"spark_sequence(1, 5, -1)", "! [ILLEGAL_SEQUENCE_BOUNDARIES]{\"start\":\"1\",\"stop\":\"5\",\"step\":\"-1\"}"},
    {"spark_sequence(DATE '2020-01-31', DATE '2020-04-01', INTERVAL 1 MONTH)", "[2020-01-31, 2020-02-29, 2020-03-31]"},
    {"spark_sequence(DATE '2020-01-03', DATE '2020-01-01', -INTERVAL 1 DAY)", "[2020-01-03, 2020-01-02, 2020-01-01]"},
    {"spark_sequence(TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP '2020-01-01 12:00:00', INTERVAL 6 HOURS)",
     "['2020-01-01 00:00:00', '2020-01-01 06:00:00', '2020-01-01 12:00:00']"},
    {"epoch_us(spark_sequence(make_timestamptz(1585436400000000), make_timestamptz(1585605600000000), INTERVAL 1 DAY, "
     "'Europe/Paris')[2])",
     "1585519200000000"},
};

PT_TEST(nested_arguments_and_results_are_read_and_written)
{
    PT__FN_CHECK(NESTED);
}

static const pt__fn_case MAPS[] = {
    {"spark_check_keys([1, 2], ['a', NULL]), spark_check_keys(NULL::INTEGER[], [1])", "true | NULL"},
    {"spark_check_keys(['k', 'k'], [1, 2])",
     "! [DUPLICATED_MAP_KEY]{\"key\":\"k\",\"mapKeyDedupPolicy\":\"\\\"spark.sql.mapKeyDedupPolicy\\\"\"}"},
    {"spark_check_keys([1, NULL], [1, 2])", "! [NULL_MAP_KEY]{}"},
    {"spark_check_keys([1], [1, 2])", "! [MAP_ARRAYS_LENGTHS_DIFFER]{}"},
    {"spark_check_entries([{'a': 1, 'b': 2}, NULL]), spark_check_entries([{'a': 1, 'b': 2}])", "NULL | true"},
};

PT_TEST(maps_refuse_repeated_and_missing_keys)
{
    PT__FN_CHECK(MAPS);
}

static const pt__fn_case SHUFFLES[] = {
    {"spark_pick_shuffled([1, 2, 3], 5), spark_pick_shuffled([1, 2, 3, 4, 5, 6], 42)",
     "[3, 1, 2] | [6, 3, 2, 1, 4, 5]"},
    {"list_sort(spark_pick_shuffled([1, 2, 3]))", "[1, 2, 3]"},
};

PT_TEST(shuffles_with_a_seed_give_sparks_order)
{
    PT__FN_CHECK(SHUFFLES);
}
