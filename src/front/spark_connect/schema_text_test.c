#include "front/spark_connect/schema_text.h"

#include "base/test.h"

static const pt_type *sample(pt__arena *arena)
{
    pt_field *inner = pt__arena_array(arena, pt_field, 1);
    inner[0] = (pt_field){"x", PT_T(LONG), false, NULL};
    pt_field *fields = pt__arena_array(arena, pt_field, 3);
    fields[0] = (pt_field){"a", pt__type_decimal(arena, 12, 2), true, "{\"comment\":\"it's\"}"};
    fields[1] = (pt_field){"b c", pt__type_array(arena, pt__type_struct(arena, inner, 1), true), false, NULL};
    fields[2] = (pt_field){"m", pt__type_map(arena, PT_T(STRING), PT_T(INT), false), true, NULL};
    return pt__type_struct(arena, fields, 3);
}

PT_TEST(schema_text_tree)
{
    pt__arena *arena = pt__arena_new(0);
    pt__buffer out = PT_BUFFER_INIT;
    pt__connect_append_tree(&out, sample(arena), 0);
    PT_CHECK_STR(pt__buffer_string(&out), "root\n"
                                          " |-- a: decimal(12,2) (nullable = true)\n"
                                          " |-- b c: array (nullable = false)\n"
                                          " |    |-- element: struct (containsNull = true)\n"
                                          " |    |    |-- x: long (nullable = false)\n"
                                          " |-- m: map (nullable = true)\n"
                                          " |    |-- key: string\n"
                                          " |    |-- value: integer (valueContainsNull = false)\n");
    pt__buffer_reset(&out);
    pt__connect_append_tree(&out, sample(arena), 1);
    PT_CHECK_STR(pt__buffer_string(&out), "root\n |-- a: decimal(12,2) (nullable = true)\n"
                                          " |-- b c: array (nullable = false)\n |-- m: map (nullable = true)\n");
    pt__buffer_deinit(&out);
    pt__arena_free(arena);
}

PT_TEST(schema_text_ddl)
{
    pt__arena *arena = pt__arena_new(0);
    pt__buffer out = PT_BUFFER_INIT;
    pt__connect_append_ddl(&out, arena, sample(arena));
    PT_CHECK_STR(pt__buffer_string(&out), "a DECIMAL(12,2) COMMENT 'it\\'s',`b c` ARRAY<STRUCT<x: BIGINT NOT NULL>> "
                                          "NOT NULL,m MAP<STRING, INT>");
    pt__buffer_deinit(&out);
    pt__arena_free(arena);
}
