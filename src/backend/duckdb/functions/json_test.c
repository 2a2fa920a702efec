#include "backend/duckdb/functions/test_functions.h"
#include "base/test.h"

static const pt__fn_case PATHS[] = {
    {"spark_get_json_object('{\"a\":{\"b\":1.50,\"c\":\"x\",\"n\":null}}', '$.a'), "
     "spark_get_json_object('{\"a\":null}', '$.a')",
     "{\"b\":1.5,\"c\":\"x\",\"n\":null} | NULL"},
    {"spark_get_json_object('{\"a\":\"q\\\"\\u00e9\"}', '$.a'), spark_get_json_object('\"x\"', '$'), "
     "spark_get_json_object('{\"a\":\"x\"}', 'a')",
     "q\"\xC3\xA9 | x | NULL"},
    {"spark_get_json_object('{\"a\":[1,2,{\"e\":\"f\"}]}', '$.a[2].e'), spark_get_json_object('{\"a\":[1,2]}', "
     "'$.a[*]'), "
     "spark_get_json_object('{\"a\":[1,2]}', '$.a[5]')",
     "f | [1,2] | NULL"},
    {"spark_get_json_object('{\"a\":[{\"b\":1},{\"b\":2}]}', '$.a[*].b'), "
     "spark_get_json_object('{\"a\":[{\"b\":1},{\"c\":2}]}', '$.a[*].b'), "
     "spark_get_json_object('{\"a\":[\"x\"]}', '$.a[*]')",
     "[1,2] | 1 | \"x\""},
    {"spark_get_json_object('{\"a\":[{\"b\":[1,2]},{\"b\":[3]}]}', '$.a[*].b[*]'), "
     "spark_get_json_object('[[1,2],[3]]', '$[*][0]'), "
     "spark_get_json_object('[[1,2],[3]]', '$[*][*]')",
     "[[1,2],[3]] | [1,3] | [1,2,3]"},
    {"spark_get_json_object('{\"a\":1', '$.a'), spark_get_json_object('{\"a\":1}x', '$.a'), "
     "spark_get_json_object('{\"a b\":1,\"a\":2}', '$[''a b'']')",
     "NULL | 1 | 1"},
    {"spark_get_json_object('{\"a\":1,\"a\":2}', '$.a'), spark_get_json_object('{\"a\":1}', '$..a'), "
     "spark_get_json_object('{\"a\":{\"x\":1}}', '$.*')",
     "1 | NULL | NULL"},
    {"spark_json_tuple('{\"a\":1,\"b\":\"x\",\"c\":{\"d\":1.50},\"e\":null}', 'a', 'b', 'c', 'e', 'z')",
     "[1, x, '{\"d\":1.5}', NULL, NULL]"},
    {"spark_json_tuple('bad', 'a'), spark_json_tuple(NULL, 'a')", "[NULL] | [NULL]"},
    {"spark_json_array_length('[1,[2],3]'), spark_json_array_length('{}'), spark_json_array_length('[1,')",
     "3 | NULL | NULL"},
    {"spark_json_object_keys('{\"a\":1,\"a\":2,\"b\":{\"c\":1}}'), spark_json_object_keys('[]'), "
     "spark_json_object_keys('{}')",
     "[a, a, b] | NULL | []"},
};

PT_TEST(json_paths_find_what_spark_finds)
{
    PT__FN_CHECK(PATHS);
}

#define OF_TYPE(fields) ", '{\"type\":\"struct\",\"fields\":[" fields "]}', "
#define FIELD(name, type) "{\"name\":\"" name "\",\"type\":\"" type "\",\"nullable\":true,\"metadata\":{}}"

static const pt__fn_case TYPED[] = {
    {"spark_from_json('{\"a\":\"x\",\"b\":1.50,\"c\":\"2020-01-02\"}'" OF_TYPE(
         FIELD("a", "integer") "," FIELD("b", "string") "," FIELD("c", "date")) "'{}', 'UTC')",
     "{\"a\":null,\"b\":\"1.5\",\"c\":\"2020-01-02\"}"},
    {"spark_from_json('{\"a\":'" OF_TYPE(FIELD("a", "integer")) "'{}', 'UTC')", "{\"a\":null}"},
    {"spark_from_json(' '" OF_TYPE(FIELD("a", "integer")) "'{}', 'UTC')", "NULL"},
    {"spark_from_json('{\"t\":\"2020-01-02T03:04:05\",\"d\":\"1.255\"}'" OF_TYPE(
         FIELD("t", "timestamp") "," FIELD("d", "decimal(5,2)")) "'{}', 'Europe/Paris')",
     "{\"t\":\"2020-01-02 02:04:05+00\",\"d\":\"1.26\"}"},
    {"spark_from_json('{\"a\":\"x\"}'" OF_TYPE(
         FIELD("a", "integer") "," FIELD("_corrupt_record", "string")) "'{}', 'UTC')",
     "{\"a\":null,\"_corrupt_record\":\"{\\\"a\\\":\\\"x\\\"}\"}"},
    {"spark_from_json('{\"a\":\"x\"}'" OF_TYPE(FIELD("a", "integer")) "'{\"mode\":\"FAILFAST\"}', 'UTC')",
     "! "
     "[MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION]{\"badRecord\":\"{\\\"a\\\":\\\"x\\\"}\",\"failFastMode\":"
     "\"FAILFAST\"}"},
    {"spark_from_json('{\"d\":\"26/08/2015\"}'" OF_TYPE(FIELD("d", "date")) "'{\"dateformat\":\"dd/MM/yyyy\"}', 'UTC')",
     "{\"d\":\"2015-08-26\"}"},
    {"spark_from_json('{\"b\":\"aGk=\"}'" OF_TYPE(FIELD("b", "binary")) "'{}', 'UTC')", "{\"b\":\"\\\\x68\\\\x69\"}"},
};

PT_TEST(json_becomes_values_of_a_schema)
{
    PT__FN_CHECK(TYPED);
}

static const pt__fn_case WRITTEN[] = {
    {"spark_to_json({'a': 1.5::DOUBLE, 'b': NULL::INTEGER, 'c': 'q\"'}" OF_TYPE(
         FIELD("a", "double") "," FIELD("b", "integer") "," FIELD("c", "string")) "'{}', 'UTC')",
     "{\"a\":1.5,\"c\":\"q\\\"\"}"},
    {"spark_to_json({'a': 1, 'b': NULL::INTEGER}" OF_TYPE(FIELD("a", "integer") "," FIELD(
         "b", "integer")) "'{\"ignorenullfields\":\"false\",\"sortkeys\":\"true\"}', 'UTC')",
     "{\"a\":1,\"b\":null}"},
    {"spark_to_json({'t': make_timestamptz(1577836800000000), 'b': '\\x01'::BLOB}" OF_TYPE(
         FIELD("t", "timestamp") "," FIELD("b", "binary")) "'{}', 'Europe/Paris')",
     "{\"t\":\"2020-01-01T01:00:00.000+01:00\",\"b\":\"AQ==\"}"},
    {"spark_to_csv({'a': 'x,y', 'b': NULL::INTEGER, 'c': 'q\"r', 'd': ''}" OF_TYPE(FIELD("a", "string") "," FIELD(
         "b", "integer") "," FIELD("c", "string") "," FIELD("d", "string")) "'{}', 'UTC')",
     "\"x,y\",,\"q\\\"r\",\"\""},
    {"spark_from_csv('1;\"a;b\";x'" OF_TYPE(
         FIELD("a", "integer") "," FIELD("b", "string") "," FIELD("c", "double")) "'{\"sep\":\";\"}', 'UTC')",
     "{\"a\":1,\"b\":\"a;b\",\"c\":null}"},
};

PT_TEST(values_become_json_and_csv)
{
    PT__FN_CHECK(WRITTEN);
}
