#include "backend/duckdb/functions/test_functions.h"
#include "base/test.h"

static const pt__fn_case PATHS[] = {
    {"spark_get_json_object('{\"a\":{\"b\":1.50,\"c\":\"x\",\"n\":null}}', '$.a'), spark_get_json_object('{\"a\":null}', '$.a')",
     "{\"b\":1.5,\"c\":\"x\",\"n\":null} | NULL"},
    {"spark_get_json_object('{\"a\":\"q\\\"\\u00e9\"}', '$.a'), spark_get_json_object('\"x\"', '$'), "
     "spark_get_json_object('{\"a\":\"x\"}', 'a')",
     "q\"\xC3\xA9 | x | NULL"},
    {"spark_get_json_object('{\"a\":[1,2,{\"e\":\"f\"}]}', '$.a[2].e'), spark_get_json_object('{\"a\":[1,2]}', '$.a[*]'), "
     "spark_get_json_object('{\"a\":[1,2]}', '$.a[5]')",
     "f | [1,2] | NULL"},
    {"spark_get_json_object('{\"a\":[{\"b\":1},{\"b\":2}]}', '$.a[*].b'), spark_get_json_object('{\"a\":[{\"b\":1},{\"c\":2}]}', '$.a[*].b'), "
     "spark_get_json_object('{\"a\":[\"x\"]}', '$.a[*]')",
     "[1,2] | 1 | \"x\""},
    {"spark_get_json_object('{\"a\":[{\"b\":[1,2]},{\"b\":[3]}]}', '$.a[*].b[*]'), spark_get_json_object('[[1,2],[3]]', '$[*][0]'), "
     "spark_get_json_object('[[1,2],[3]]', '$[*][*]')",
     "[[1,2],[3]] | [1,3] | [1,2,3]"},
    {"spark_get_json_object('{\"a\":1', '$.a'), spark_get_json_object('{\"a\":1}x', '$.a'), spark_get_json_object('{\"a b\":1,\"a\":2}', '$[''a b'']')",
     "NULL | 1 | 1"},
    {"spark_get_json_object('{\"a\":1,\"a\":2}', '$.a'), spark_get_json_object('{\"a\":1}', '$..a'), spark_get_json_object('{\"a\":{\"x\":1}}', '$.*')",
     "1 | NULL | NULL"},
    {"spark_json_tuple('{\"a\":1,\"b\":\"x\",\"c\":{\"d\":1.50},\"e\":null}', 'a', 'b', 'c', 'e', 'z')", "[1, x, '{\"d\":1.5}', NULL, NULL]"},
    {"spark_json_tuple('bad', 'a'), spark_json_tuple(NULL, 'a')", "[NULL] | [NULL]"},
    {"spark_json_array_length('[1,[2],3]'), spark_json_array_length('{}'), spark_json_array_length('[1,')", "3 | NULL | NULL"},
    {"spark_json_object_keys('{\"a\":1,\"a\":2,\"b\":{\"c\":1}}'), spark_json_object_keys('[]'), spark_json_object_keys('{}')",
     "[a, a, b] | NULL | []"},
};

PT_TEST(json_paths_find_what_spark_finds)
{
    PT__FN_CHECK(PATHS);
}
