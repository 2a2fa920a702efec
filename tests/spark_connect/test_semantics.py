"""What plans mean: NULL order, self-joins, views, checkpoints, lambdas, SQL with frames: BR-023 … BR-031, BR-055."""
import datetime as dt
import time
from decimal import Decimal

import pytest


@pytest.fixture
def database(spark):
    """A database of its own, dropped after the test."""
    import uuid

    name = "db_" + uuid.uuid4().hex[:8]
    spark.sql(f"create database {name}")
    yield name
    spark.sql(f"drop database if exists {name} cascade")


def test_br_023_null_order(spark):
    from pyspark.sql.connect import functions as F

    v = spark.createDataFrame([(3,), (None,), (1,)], "v int")
    assert [r.v for r in v.orderBy("v").collect()] == [None, 1, 3]
    assert [r.v for r in v.orderBy(F.desc("v")).collect()] == [3, 1, None]
    assert [r.v for r in v.orderBy(F.desc_nulls_first("v")).collect()] == [None, 3, 1]
    row = spark.sql("select sort_array(array(5,null,1,9)) a, sort_array(array(5,null,1,9), false) d, "
                    "array_sort(array(5,null,1,9)) s").first()
    assert tuple(row) == ([None, 1, 5, 9], [9, 5, 1, None], [1, 5, 9, None])
    ranks = spark.sql("select v, rank() over (order by v) r, row_number() over (order by v desc) rd "
                      "from values (3),(null),(1) t(v)").collect()
    assert {tuple(r) for r in ranks} == {(3, 3, 1), (1, 2, 2), (None, 1, 3)}


def test_br_024_columns_bind_to_their_frame(spark):
    a = spark.createDataFrame([(1, 10), (2, 20)], "k int, v int")
    b = a.select(a.k.alias("kk"), a.v)
    j = b.join(a, b.v == a.v)
    assert j.columns == ["kk", "v", "k", "v"]
    assert sorted(map(tuple, j.select(b.v, a.k).collect())) == [(10, 1), (20, 2)]


def test_br_024_outer_joins_and_drop(spark):
    from pyspark.sql import Row

    emp = spark.createDataFrame([(1, "Ann", 100), (2, "Bo", 200)], "eid int, name string, sid int")
    sto = spark.createDataFrame([(100, "North"), (300, "East")], "sid int, sname string")
    r = emp.join(sto, emp.sid == sto.sid, "right")
    assert set(map(tuple, r.select("name", sto.sid).collect())) == {("Ann", 100), (None, 300)}
    assert set(map(tuple, r.select("name", emp.sid).collect())) == {("Ann", 100), (None, None)}
    assert r.drop(sto.sid).columns == ["eid", "name", "sid", "sname"]
    assert sorted(emp.join(sto, "sid", "right").collect(), key=lambda x: x.sid) == [
        Row(sid=100, eid=1, name="Ann", sname="North"), Row(sid=300, eid=None, name=None, sname="East")]
    with pytest.raises(Exception) as caught:
        r.select("sid").collect()
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("AMBIGUOUS_REFERENCE", "42704")


def test_br_024_ambiguous_self_join(spark):
    a = spark.createDataFrame([(1, 10), (2, 20)], "k int, v int")
    with pytest.raises(Exception) as caught:
        a.join(a, a.k == a.k).collect()
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("AMBIGUOUS_COLUMN_REFERENCE", "42702")


def test_br_027_views_in_listings(spark, database, url):
    from pyspark.sql.connect.session import SparkSession

    spark.sql(f"create table {database}.pt(a int, b string)")
    spark.range(3).createOrReplaceTempView("tv")
    spark.range(2).createOrReplaceGlobalTempView("gtv")
    for listing in (spark.catalog.listTables(), spark.catalog.listTables(database)):
        tv = [t for t in listing if t.name == "tv"]
        assert [(t.catalog, t.namespace, t.tableType, t.isTemporary) for t in tv] == [(None, [], "TEMPORARY", True)]
    assert [t.name for t in spark.catalog.listTables() if t.name == "pt"] == []
    pt = [t for t in spark.catalog.listTables(database) if t.name == "pt"]
    assert [(t.catalog, t.namespace, t.tableType, t.isTemporary) for t in pt] == \
        [("spark_catalog", [database], "MANAGED", False)]
    assert spark.catalog.getTable("tv").isTemporary
    columns = spark.catalog.listColumns(f"{database}.pt")
    assert [(c.name, c.dataType, c.nullable) for c in columns] == [("a", "int", True), ("b", "string", True)]
    assert [spark.catalog.tableExists(x) for x in ("tv", f"{database}.pt", "nope")] == [True, True, False]
    assert spark.sql("select count(*) c from global_temp.gtv").first().c == 2
    shown = [tuple(r) for r in spark.sql(f"show tables in {database}").collect()]
    assert (database, "pt", False) in shown and ("", "tv", True) in shown
    assert (spark.catalog.dropTempView("tv"), spark.catalog.dropTempView("tv")) == (True, False)
    assert spark.catalog.currentDatabase() == "default"
    other = SparkSession.builder.remote(url).create()
    assert not other.catalog.tableExists("tv")
    other.stop()
    spark.catalog.dropGlobalTempView("gtv")


def test_br_029_checkpoints_fix_rows(spark):
    from pyspark.sql.connect import functions as F

    d = spark.range(5).withColumn("r", F.rand())
    c = d.localCheckpoint()
    assert c.collect() == c.collect()


def test_br_029_iterations_do_not_grow(spark):
    from pyspark.sql.connect import functions as F

    x = spark.range(4).withColumn("l", F.col("id"))
    times = []
    for _ in range(30):
        start = time.monotonic()
        x = x.withColumn("l", F.least("l", F.lit(2))).localCheckpoint()
        times.append(time.monotonic() - start)
    assert sorted(map(tuple, x.collect())) == [(0, 0), (1, 1), (2, 2), (3, 2)]
    assert min(times[-5:]) < 5 * min(times[1:6]) + 0.05


def test_br_029_persist_is_told_consistently(spark):
    k = spark.range(1000).cache()
    assert k.count() == 1000
    assert k.is_cached
    level = k.storageLevel
    assert level.useDisk and level.useMemory and level.replication == 1
    assert spark.range(1000).is_cached  # an equal plan is the same plan
    k.unpersist()
    assert not k.is_cached


def test_br_029_dropped_checkpoints_are_gone(raw, session):
    import pyspark.sql.connect.proto as pb
    from raw import failure, rows

    relation = pb.Relation(range=pb.Range(end=3, step=1))
    command = pb.Command(checkpoint_command=pb.CheckpointCommand(relation=relation, local=True, eager=True))
    responses = list(raw.stub.ExecutePlan(raw.plan_request(session, pb.Plan(command=command))))
    cached = [r.checkpoint_command_result.relation for r in responses if r.HasField("checkpoint_command_result")][0]
    plan = pb.Plan(root=pb.Relation(cached_remote_relation=cached))
    assert rows(raw.stub.ExecutePlan(raw.plan_request(session, plan))) == 3
    drop = pb.Command(remove_cached_remote_relation_command=pb.RemoveCachedRemoteRelationCommand(relation=cached))
    list(raw.stub.ExecutePlan(raw.plan_request(session, pb.Plan(command=drop))))
    gone = failure(lambda: raw.stub.ExecutePlan(raw.plan_request(session, plan)))
    assert gone.condition == "CONNECT_INVALID_PLAN.DATAFRAME_NOT_FOUND", gone


def equal(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b or (a != a and b != b)


def test_br_030_lambdas(spark):
    from pyspark.sql.connect import functions as F

    nan = float("nan")
    d = spark.createDataFrame([(1, [1.0, nan]), (2, [2.0]), (3, None), (4, [])], "id int, v array<double>")
    rows = sorted(d.selectExpr("id", "exists(v, x -> isnan(x)) e", "transform(v, (x, i) -> x + i) t",
                               "filter(v, x -> x > 1) f", "aggregate(v, 0D, (a, x) -> a + x) g").collect())
    assert equal([list(r) for r in rows], [[1, True, [1.0, nan], [nan], nan], [2, False, [2.0], [2.0], 2.0],
                                           [3, None, None, None, None], [4, False, [], [], 0.0]])
    assert [r.e for r in d.select("id", F.exists("v", lambda x: F.isnan(x)).alias("e")).orderBy("id").collect()] == \
        [True, False, None, False]


def test_br_030_three_valued_and_nested(spark):
    row = spark.sql("""select exists(array(1,null,3), x -> x > 5) a, forall(array(1,null), x -> x > 0) c,
        transform(sequence(1,3), x -> transform(sequence(1,x), y -> x*10+y)) t,
        zip_with(array(1,2), array(3,4), (p,q) -> p+q) z, map_filter(map('a',1,'b',2), (k,v) -> v > 1) m""").first()
    assert tuple(row) == (None, None, [[11], [21, 22], [31, 32, 33]], [4, 6], {"b": 2})


def test_br_031_sql_with_a_frame(spark):
    frame = spark.sql("select b.id * :f as v from {base} b where b.id between {lo} and :hi", args={"f": 10, "hi": 8},
                      lo=7, base=spark.range(10))
    assert sorted(r.v for r in frame.collect()) == [70, 80]


def test_br_031_parameters(spark):
    row = spark.sql("select ? + ? as s, typeof(?) as ty", args=[1, 2, Decimal("1.50")]).first()
    assert tuple(row) == (3, "decimal(3,2)")
    row = spark.sql("select :d as d, :s as s, typeof(:z) as z",
                    args={"d": dt.date(2024, 2, 29), "s": "it's", "z": None}).first()
    assert tuple(row) == (dt.date(2024, 2, 29), "it's", "void")


def test_br_055_statements_of_dbt(spark, database):
    def columns(statement):
        frame = spark.sql(statement)
        return frame.columns, [tuple(r) for r in frame.collect()]

    assert columns(f"create or replace view {database}.v as select 1 as id, 'a' as nm") == ([], [])
    assert columns(f"create table {database}.t as select 1 as id, cast(2.50 as decimal(8,2)) as amt") == ([], [])
    names, found = columns("show databases")
    assert names == ["namespace"] and (database,) in found and ("default",) in found
    names, found = columns(f"show tables in {database}")
    assert names == ["namespace", "tableName", "isTemporary"]
    assert {(database, "t", False), (database, "v", False)} <= set(found)
    names, found = columns(f"show table extended in {database} like '*'")
    assert names == ["namespace", "tableName", "isTemporary", "information"]
    assert {r[1] for r in found} >= {"t", "v"}
    names, found = columns(f"describe extended {database}.t")
    assert names == ["col_name", "data_type", "comment"]
    assert [r[:2] for r in found[:2]] == [("id", "int"), ("amt", "decimal(8,2)")]
    assert found[2][0] == "" and found[3][0] == "# Detailed Table Information"
    names, found = columns(f"show views in {database}")
    assert names == ["namespace", "viewName", "isTemporary"] and found[0][:2] == (database, "v")


def test_br_055_an_insert_runs_once(spark, database):
    spark.sql(f"create table {database}.t as select 1 as id, cast(2.50 as decimal(8,2)) as amt")
    inserted = spark.sql(f"insert into {database}.t select 2, 3.75")
    inserted.collect()
    inserted.collect()
    assert spark.table(f"{database}.t").count() == 2
    with pytest.raises(Exception) as caught:
        spark.sql(f"create table {database}.t as select 1 as id")
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("TABLE_OR_VIEW_ALREADY_EXISTS", "42P07")
    with pytest.raises(Exception) as caught:
        spark.sql(f"drop table {database}.missing")
    assert caught.value.getSqlState() == "42P01"


def test_columns_that_no_file_has_are_null(spark, database, tmp_path):
    path = str(tmp_path / "p")
    spark.range(2).write.parquet(path)
    frame = spark.read.schema("ID long, zz struct<a:int>, y array<int>").parquet(path)
    assert sorted(map(tuple, frame.collect())) == [(0, None, None), (1, None, None)]
    table = f"{database}.ext"
    spark.sql(f"create table {table}(a int, b string) using parquet location '{tmp_path / 'later'}'")
    assert spark.table(table).collect() == []
    spark.sql(f"insert into {table} values (1, 'x')")
    spark.sql(f"alter table {table} add columns (c int)")
    assert [tuple(r) for r in spark.table(table).collect()] == [(1, "x", None)]
    spark.sql(f"drop table {table}")


def test_several_generators_cross(spark):
    frame = spark.sql("select explode(array(1, 2)) a, id, explode(array(id, id + 1)) b from range(2)")
    assert sorted(map(tuple, frame.collect())) == [
        (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 2), (2, 0, 0), (2, 0, 1), (2, 1, 1), (2, 1, 2)]


def test_assert_true_names_its_condition(spark):
    with pytest.raises(Exception) as caught:
        spark.sql("select assert_true(1 > 2)").collect()
    assert caught.value.getMessageParameters() == {"errorMessage": "'(1 > 2)' is not true!"}
    assert spark.sql("select assert_true(1 < 2)").columns == ["assert_true((1 < 2), '(1 < 2)' is not true!)"]


def test_temporary_views_keep_their_database(spark, database):
    spark.sql(f"create table {database}.tv as select 1 as x")
    spark.sql(f"use {database}")
    spark.sql("create or replace temp view vv as select * from tv")
    spark.table("tv").createOrReplaceTempView("dv")
    spark.sql("create or replace temp view vw as select vv.x, dv.x as y from vv, dv")
    spark.sql("use default")
    assert tuple(spark.table("vw").first()) == (1, 1)
    for view in ("vv", "dv", "vw"):
        spark.catalog.dropTempView(view)


def test_sampling_with_replacement_repeats_rows(spark):
    frame = spark.range(20000).sample(withReplacement=True, fraction=1.5, seed=3)
    counts = [r["count"] for r in frame.groupBy("id").count().collect()]
    assert 29000 < sum(counts) < 31000 and 15200 < len(counts) < 15900 and max(counts) > 4
    assert frame.count() == sum(counts)


def test_names_and_values_of_rewritten_functions(spark):
    row = spark.sql("select trim('x' from 'xax'), ltrim('x', 'xax'), to_char(date'2020-01-01', 'yyyy'), "
                    "'a' like 'b' escape '/', to_char(1.5D, '9.9'), uniform(1, 10L, 3), uniform(-5, 5, 3), log2(9)")
    assert row.columns == ["TRIM(BOTH x FROM xax)", "TRIM(LEADING x FROM xax)", "date_format(DATE '2020-01-01', yyyy)",
                           "a LIKE b ESCAPE '/'", "to_char(1.5, 9.9)", "uniform(1, 10, 3)", "uniform(-5, 5, 3)",
                           "LOG2(9)"]
    assert tuple(row.first()) == ("a", "ax", "2020", False, "1.5", 3, -2, 3.1699250014423126)


def test_text_is_reversed_by_code_points(spark):
    assert spark.sql("select reverse('e\u0301x')").first()[0] == "x\u0301e"


def test_nullability_of_implicit_casts_and_mathematics(spark):
    fields = spark.sql("select sin(1D) a, '1' < 2 b, 1 < 2L c, cast(1L as int) d, cast(1.5D as int) e, "
                       "ceil(1.5) f, zeroifnull(null) g, to_date('2020-01-01') h, upper('a') i").schema.fields
    assert [f.name for f in fields if f.nullable] == ["a", "b", "e", "f", "h"]
    assert fields[6].dataType.simpleString() == "int"


@pytest.mark.parametrize("sql, condition", [
    ("select row_number()", "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE"),
    ("select sequence()", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
    ("select avg(x -> x)", "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION"),
    ("select transform(x -> x, array(1))", "INVALID_LAMBDA_FUNCTION_CALL.PARAMETER_DOES_NOT_ACCEPT_LAMBDA_FUNCTION"),
    ("select transform(array(1), (x, y, z) -> x)", "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH"),
    ("select percentile_cont(0.5)", "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING"),
    ("select timestampadd('hour', 1, current_timestamp())", "INVALID_PARAMETER_VALUE.DATETIME_UNIT"),
    ("select greatest(1, 'a')", "DATATYPE_MISMATCH.DATA_DIFF_TYPES"),
    ("select array_append(array(1), 'a')", "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES"),
    ("select array_union(array(1), array('a'))", "DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES"),
])
def test_calls_that_do_not_fit_say_why(spark, sql, condition):
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException) as problem:
        spark.sql(sql).collect()
    assert problem.value.getCondition() == condition
