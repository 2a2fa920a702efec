#include "base/test.h"
#include "exec/test_backend.h"
#include "exec/test_sql.h"
#include "plan/plan.h"

#include <string.h>

static pt__test_sql begin(void)
{
    return pt__test_sql_begin(&pt__test_backend, NULL, NULL);
}

static void end(pt__test_sql *t)
{
    pt__test_sql_end(t);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_arrays), 0);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_operations), 0);
}

#define RUN(sql) pt__test_sql_run(&t, (sql))
#define ROWS(sql) pt__test_sql_rows(&t, (sql))

PT_TEST(temporary_views_are_listed_described_and_dropped)
{
    pt__test_sql t = begin();
    PT_CHECK_STR(RUN("create temp view v as select 1 a, 'x' b"), "\n");
    PT_CHECK_STR(RUN("create temp view V as select 1 a"), "! TEMP_TABLE_OR_VIEW_ALREADY_EXISTS");
    PT_CHECK_STR(RUN("create or replace temp view V2(n) as select 2"), "\n");
    PT_CHECK_STR(RUN("create global temp view g as select 3 z"), "\n");
    PT_CHECK_STR(RUN("show tables"), "namespace:string|tableName:string|isTemporary:boolean\n|v|true\n|V2|true\n");
    PT_CHECK_STR(ROWS("show tables like 'v'"), "|v|true\n");
    PT_CHECK_STR(ROWS("show views in global_temp like 'g*'"), "global_temp|g|true\n");
    PT_CHECK_STR(RUN("describe v"), "col_name:string|data_type:string|comment:string?\na|int|null\nb|string|null\n");
    PT_CHECK_STR(ROWS("describe v2"), "n|int|null\n");
    PT_CHECK_STR(ROWS("describe global_temp.g"), "z|int|null\n");
    PT_CHECK_STR(ROWS("show columns in v"), "a\nb\n");
    PT_CHECK_STR(RUN("drop view V"), "\n");
    PT_CHECK_STR(RUN("drop view v"), "! TABLE_OR_VIEW_NOT_FOUND");
    PT_CHECK_STR(RUN("drop view if exists v"), "\n");
    PT_CHECK_STR(RUN("drop view global_temp.g"), "\n");
    PT_CHECK_STR(RUN("describe global_temp.g"), "! TABLE_OR_VIEW_NOT_FOUND");
    end(&t);
}

PT_TEST(temporary_views_are_checked_when_made)
{
    pt__test_sql t = begin();
    PT_CHECK_STR(RUN("create temp view v as select nope"), "! UNRESOLVED_COLUMN.WITHOUT_SUGGESTION");
    PT_CHECK_STR(RUN("create temp view v(a, b) as select 1"),
                 "! CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS");
    PT_CHECK_STR(RUN("create temp view v(a) as select 1, 2"),
                 "! CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS");
    PT_CHECK_STR(RUN("create temp view v as select 1 a"), "\n");
    PT_CHECK_STR(RUN("create or replace temp view v as select * from v"), "! RECURSIVE_VIEW");
    PT_CHECK_STR(RUN("create view p as select * from v"), "! INVALID_TEMP_OBJ_REFERENCE");
    end(&t);
}

static const pt_plan *view_of_itself(pt__arena *arena, void *context)
{
    pt_plan_create_view *view = pt__plan_make(arena, CREATE_VIEW, create_view, NULL);
    pt_plan_scan_table *scan = pt__plan_make(arena, SCAN_TABLE, scan_table, NULL);
    scan->name = pt__name_one(arena, "v");
    view->name = pt__name_one(arena, "v");
    view->replace = true;
    view->view_kind = PT_VIEW_TEMPORARY;
    view->query = &scan->base;
    (void)context;
    return &view->base;
}

PT_TEST(dataframe_views_keep_the_views_they_were_built_on)
{
    pt__test_sql t = begin();
    PT_CHECK_STR(RUN("create temp view v as select 1 a"), "\n");
    for (int i = 0; i < 3; i++)
        PT_CHECK_STR(pt__test_plan_run(&t, view_of_itself, NULL), "\n");
    PT_CHECK_STR(ROWS("describe v"), "a|int|null\n");
    end(&t);
}

PT_TEST(set_shows_and_changes_configuration)
{
    pt__test_sql t = begin();
    PT_CHECK_STR(RUN("set spark.sql.ansi.enabled"), "key:string|value:string\nspark.sql.ansi.enabled|true\n");
    PT_CHECK_STR(ROWS("set spark.sql.ansi.enabled=false"), "spark.sql.ansi.enabled|false\n");
    PT_CHECK_STR(ROWS("set spark.sql.ansi.enabled"), "spark.sql.ansi.enabled|false\n");
    PT_CHECK_STR(ROWS("set spark.nope"), "spark.nope|<undefined>\n");
    PT_CHECK_STR(ROWS("set spark.executor.memory=1g"), "! CANNOT_MODIFY_CONFIG");
    PT_CHECK_STR(RUN("reset"), "\n");
    PT_CHECK_STR(ROWS("set spark.sql.ansi.enabled"), "spark.sql.ansi.enabled|true\n");
    PT_CHECK_STR(ROWS("set time zone 'Asia/Tokyo'"), "spark.sql.session.timeZone|Asia/Tokyo\n");
    end(&t);
}

PT_TEST(use_checks_the_database)
{
    pt__test_sql t = begin();
    PT_CHECK_STR(RUN("use default"), "\n");
    PT_CHECK_STR(RUN("use nodb"), "! SCHEMA_NOT_FOUND");
    PT_CHECK_STR(RUN("use spark_catalog.default"), "\n");
    PT_CHECK_STR(RUN("set catalog nope"), "! CATALOG_NOT_FOUND");
    PT_CHECK_STR(RUN("show databases"), "namespace:string\ndefault\n");
    PT_CHECK_STR(RUN("show current database"), "catalog:string|namespace:string\nspark_catalog|default\n");
    PT_CHECK_STR(RUN("show catalogs"), "catalog:string\nspark_catalog\n");
    end(&t);
}

PT_TEST(functions_are_made_described_and_dropped)
{
    pt__test_sql t = begin();
    PT_CHECK_STR(RUN("create temporary function f(x int) returns int return x + 1"), "\n");
    PT_CHECK_STR(RUN("create temporary function f(x int) returns int return x + 1"), "! ROUTINE_ALREADY_EXISTS");
    PT_CHECK_STR(RUN("create function g(x int) returns int return x + 1"), "\n");
    PT_CHECK_STR(ROWS("show user functions"), "f\nspark_catalog.default.g\n");
    PT_CHECK_STR(ROWS("describe function f"), "Function: f\nType:     SCALAR\nInput:    x INT\nReturns:  INT\n");
    PT_CHECK_STR(RUN("drop temporary function f"), "\n");
    PT_CHECK_STR(RUN("drop temporary function f"), "! ROUTINE_NOT_FOUND");
    PT_CHECK_STR(RUN("drop function g"), "\n");
    PT_CHECK_STR(RUN("drop temporary function abs"), "! FORBIDDEN_OPERATION");
    end(&t);
}

PT_TEST(explain_has_spark_headings)
{
    pt__test_sql t = begin();
    PT_CHECK(strncmp(ROWS("explain select 1"), "== Physical Plan ==\n", 20) == 0);
    PT_CHECK(strstr(ROWS("explain extended select 1"), "== Analyzed Logical Plan ==") != NULL);
    end(&t);
}

static const pt_plan *catalog_call(pt__arena *arena, void *context)
{
    pt_plan_catalog *call = pt__plan_make(arena, CATALOG, catalog, NULL);
    *call = *(const pt_plan_catalog *)context;
    call->base = (pt_plan){.kind = PT_PLAN_CATALOG, .plan_id = -1};
    return &call->base;
}

static const char *call(pt__test_sql *t, pt_catalog_operation operation, const char *object)
{
    pt_plan_catalog node = {.operation = operation, .object = object};
    return pt__test_plan_run(t, catalog_call, &node);
}

PT_TEST(catalog_calls_give_the_columns_that_clients_read)
{
    pt__test_sql t = begin();
    RUN("create temp view v as select 1 a");
    PT_CHECK_STR(call(&t, PT_CATALOG_CURRENT_DATABASE, NULL), "value:string?\ndefault\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_CURRENT_CATALOG, NULL), "value:string?\nspark_catalog\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_TABLE_EXISTS, "v"), "value:boolean\ntrue\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_TABLE_EXISTS, "nope"), "value:boolean\nfalse\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_DATABASE_EXISTS, "default"), "value:boolean\ntrue\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_GET_DATABASE, "nope"), "! SCHEMA_NOT_FOUND");
    PT_CHECK_STR(call(&t, PT_CATALOG_FUNCTION_EXISTS, "nopef"), "value:boolean\nfalse\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_GET_TABLE, "v"),
                 "name:string?|catalog:string?|namespace:array<string>?|description:string?|tableType:string?|"
                 "isTemporary:boolean\nv|null|[]|null|TEMPORARY|true\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_LIST_COLUMNS, "v"),
                 "name:string?|description:string?|dataType:string?|nullable:boolean|isPartition:boolean|"
                 "isBucket:boolean|isCluster:boolean\na|null|int|false|false|false|false\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_IS_CACHED, "v"), "value:boolean\nfalse\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_CACHE_TABLE, "v"), "value:string\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_IS_CACHED, "V"), "value:boolean\ntrue\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_CLEAR_CACHE, NULL), "value:string\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_IS_CACHED, "v"), "value:boolean\nfalse\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_DROP_TEMP_VIEW, "v"), "value:boolean\ntrue\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_DROP_TEMP_VIEW, "v"), "value:boolean\nfalse\n");
    PT_CHECK_STR(call(&t, PT_CATALOG_GET_TABLE, "nope"), "! TABLE_OR_VIEW_NOT_FOUND");
    PT_CHECK_STR(call(&t, PT_CATALOG_LIST_CATALOGS, NULL), "name:string?|description:string?\nspark_catalog|null\n");
    end(&t);
}
