#include "backend/duckdb/functions/test_functions.h"
#include "base/test.h"

#define PARSED(json) "spark_parse_json_ansi('" json "')"

static const pt__fn_case BUILT[] = {
    {"hex(" PARSED("{\"b\":1,\"a\":[1]}") ".\"value\"), hex(" PARSED("{\"b\":1,\"a\":[1]}") ".metadata)",
     "020201000200080C01030100020C01 | 01020001026261"},
    {"spark_variant_json(" PARSED(
         "{\"b\":1,\"a\":[1.50,1e10,-3,12345678901234567890123,null,true,\"x\"],\"c\":{}}") ", 'UTC')",
     "{\"a\":[1.5,1.0E10,-3,12345678901234567890123,null,true,\"x\"],\"b\":1,\"c\":{}}"},
    {"spark_parse_json_try('{'), spark_parse_json_ansi(NULL)", "NULL | NULL"},
    {PARSED("{\"a\":1,\"a\":2}"), "! "
                                  "[MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION]{\"badRecord\":\"{\\\"a\\\":1,"
                                  "\\\"a\\\":2}\",\"failFastMode\":\"FAILFAST\"}"},
    {"spark_is_variant_null(" PARSED("null") "), spark_is_variant_null(" PARSED(
         "\"null\"") "), spark_is_variant_null(NULL::STRUCT(\"value\" BLOB, metadata BLOB)), "
                     "spark_is_valid_variant(" PARSED("[1]") ")",
     "true | false | false | true"},
    {"spark_is_valid_variant({'value': '\\x02'::BLOB, 'metadata': '\\x01'::BLOB})", "false"},
    {"spark_schema_of_variant(" PARSED("{\"a\":1,\"b\":[1,\"x\"],\"c\":1.5,\"d\":null}") ")",
     "OBJECT<a: BIGINT, b: ARRAY<VARIANT>, c: DECIMAL(2,1), d: VOID>"},
};

PT_TEST(variants_have_sparks_bytes)
{
    PT__FN_CHECK(BUILT);
}

static const pt__fn_case READ[] = {
    {"spark_variant_get(" PARSED(
         "{\"a\":{\"b\":[1,2,{\"c\":\"x\"}]}}") ", '$.a[''b''][2].c', '\"string\"', '{}', 'UTC')",
     "\"x\""},
    {"spark_variant_get(" PARSED("{\"a\":1}") ", '$.b', '\"integer\"', '{}', 'UTC')", "NULL"},
    {"spark_variant_get(" PARSED(
         "[1,2.5]") ", '$', '{\"type\":\"array\",\"elementType\":\"integer\",\"containsNull\":true}', '{}', 'UTC')",
     "[1,2]"},
    {"spark_variant_get(" PARSED("{\"a\":\"x\"}") ", '$.a', '\"integer\"', '{}', 'UTC')",
     "! [INVALID_VARIANT_CAST]{\"value\":\"\\\"x\\\"\",\"dataType\":\"\\\"INT\\\"\"}"},
    {"spark_variant_get(" PARSED("{\"a\":\"x\"}") ", '$.a', '\"integer\"', '{\"try\":\"true\"}', 'UTC')", "null"},
    {"spark_variant_get(" PARSED("1") ", 'a', '\"integer\"', '{}', 'UTC')",
     "! [INVALID_VARIANT_GET_PATH]{\"path\":\"a\",\"functionName\":\"`variant_get`\"}"},
    {"hex(spark_variant_part(" PARSED("[7,8]") ", '$[1]').\"value\")", "0C08"},
    {"[(e.pos, e.\"key\", hex(e.\"value\".\"value\")) FOR e IN spark_variant_entries(" PARSED(
         "{\"b\":true,\"a\":2}") ")]",
     "[(0, a, 0C02), (1, b, 04)]"},
};

PT_TEST(variants_are_read_by_path_and_type)
{
    PT__FN_CHECK(READ);
}
