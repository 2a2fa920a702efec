#include "plan/type.h"

#include "base/test.h"

#include <string.h>

static const pt_type *parse(pt__arena *arena, const char *json)
{
    const pt_type *type = NULL;
    return pt__type_parse_json(arena, json, strlen(json), &type, NULL) == PT_OK ? type : NULL;
}

static const char *SCHEMA =
    "{\"type\":\"struct\",\"fields\":["
    "{\"name\":\"a\",\"type\":\"long\",\"nullable\":false,\"metadata\":{\"comment\":\"it's\"}},"
    "{\"name\":\"b c\",\"type\":{\"type\":\"array\",\"elementType\":\"decimal(12,2)\",\"containsNull\":false},"
    "\"nullable\":true,\"metadata\":{}},"
    "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":"
    "{\"type\":\"struct\",\"fields\":[{\"name\":\"x\",\"type\":\"timestamp_ntz\",\"nullable\":true,\"metadata\":{}}]},"
    "\"valueContainsNull\":true},\"nullable\":true,\"metadata\":{}},"
    "{\"name\":\"d\",\"type\":\"interval day to hour\",\"nullable\":true,\"metadata\":{}},"
    "{\"name\":\"v\",\"type\":\"varchar(7)\",\"nullable\":true,\"metadata\":{}}]}";

PT_TEST(type_json_round_trips)
{
    pt__arena *arena = pt__arena_new(0);
    const pt_type *type = parse(arena, SCHEMA);
    PT_REQUIRE(type != NULL);
    pt__buffer out = PT_BUFFER_INIT;
    pt__type_append_json(&out, type);
    PT_CHECK_STR(pt__buffer_string(&out), SCHEMA);
    pt__buffer_deinit(&out);
    pt__arena_free(arena);
}

PT_TEST(type_json_knows_every_simple_name)
{
    static const char *const NAMES[] = {"void",
                                        "boolean",
                                        "byte",
                                        "short",
                                        "integer",
                                        "long",
                                        "float",
                                        "double",
                                        "string",
                                        "decimal(10,0)",
                                        "binary",
                                        "date",
                                        "time(6)",
                                        "timestamp",
                                        "timestamp_ntz",
                                        "interval",
                                        "variant",
                                        "interval year",
                                        "interval year to month",
                                        "interval second",
                                        "char(3)",
                                        "string collate UTF8_LCASE"};
    pt__arena *arena = pt__arena_new(0);
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        const char *json = pt__arena_printf(arena, "\"%s\"", NAMES[i]);
        const pt_type *type = parse(arena, json);
        PT_REQUIRE(type != NULL);
        pt__buffer out = PT_BUFFER_INIT;
        pt__type_append_json(&out, type);
        PT_CHECK_STR(pt__buffer_string(&out), json);
        pt__buffer_deinit(&out);
    }
    PT_CHECK(parse(arena, "\"bigint\"") == NULL);
    PT_CHECK(parse(arena, "\"decimal(39,0)\"") == NULL);
    PT_CHECK(parse(arena, "\"decimal(3,x)\"") == NULL);
    PT_CHECK(parse(arena, "\"interval day to year\"") == NULL);
    PT_CHECK(parse(arena, "\"array\"") == NULL);
    PT_CHECK(parse(arena, "{\"type\":\"array\"}") == NULL);
    PT_CHECK(parse(arena, "{}") == NULL);
    PT_CHECK(parse(arena, "3") == NULL);
    pt__arena_free(arena);
}

PT_TEST(type_texts_are_those_of_spark)
{
    pt__arena *arena = pt__arena_new(0);
    const pt_type *type = parse(arena, SCHEMA);
    PT_REQUIRE(type != NULL);
    PT_CHECK_STR(pt__type_simple_string(arena, type),
                 "struct<a:bigint,b c:array<decimal(12,2)>,m:map<string,struct<x:timestamp_ntz>>,"
                 "d:interval day to hour,v:varchar(7)>");
    PT_CHECK_STR(pt__type_sql(arena, type),
                 "STRUCT<a: BIGINT NOT NULL COMMENT 'it\\'s', `b c`: ARRAY<DECIMAL(12,2)>, "
                 "m: MAP<STRING, STRUCT<x: TIMESTAMP_NTZ>>, d: INTERVAL DAY TO HOUR, v: VARCHAR(7)>");
    pt__buffer out = PT_BUFFER_INIT;
    pt__type_append_ddl(&out, type);
    PT_CHECK_STR(pt__buffer_string(&out),
                 "a BIGINT NOT NULL COMMENT 'it\\'s',`b c` ARRAY<DECIMAL(12,2)>,"
                 "m MAP<STRING, STRUCT<x: TIMESTAMP_NTZ>>,d INTERVAL DAY TO HOUR,v VARCHAR(7)");
    pt__buffer_deinit(&out);
    pt__arena_free(arena);
}

PT_TEST(type_equality_heeds_nullability_only_when_strict)
{
    pt__arena *arena = pt__arena_new(0);
    const pt_type *type = parse(arena, SCHEMA);
    PT_REQUIRE(type != NULL);
    const pt_type *copy = pt__type_copy(arena, type);
    const pt_type *nullable = pt__type_as_nullable(arena, type);
    PT_CHECK(pt__type_equal(type, copy));
    PT_CHECK(!pt__type_equal(type, nullable));
    PT_CHECK(pt__type_same_kind(type, nullable));
    PT_CHECK(nullable->fields[0].nullable);
    PT_CHECK(nullable->fields[1].type->contains_null);
    PT_CHECK(!pt__type_same_kind(PT_T(INT), PT_T(LONG)));
    PT_CHECK(!pt__type_same_kind(PT_T(DECIMAL), pt__type_decimal(arena, 10, 2)));
    PT_CHECK(pt__type_equal(PT_T(DECIMAL), pt__type_decimal(arena, 10, 0)));
    PT_CHECK(pt__type_equal(PT_T(INTERVAL_DAY_TIME), pt__type_interval(arena, PT_TYPE_INTERVAL_DAY_TIME, 0, 3)));
    pt__arena_free(arena);
}
