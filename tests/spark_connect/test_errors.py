"""Errors: classes, conditions, contexts, sizes: BR-007, BR-026."""
import pytest
from raw import Raw, failure, new


def test_br_007_long_texts_keep_condition_and_connection(spark):
    from pyspark.errors.exceptions.connect import AnalysisException, SparkRuntimeException
    from pyspark.sql.connect import functions as F

    for unit, count in (("e", 20000), ("é", 800), ("é", 1500), ("é", 3000), ("漢", 20000)):
        with pytest.raises(SparkRuntimeException) as caught:
            spark.sql(f"select raise_error(repeat('{unit}', {count}))").collect()
        assert caught.value.getCondition() == "USER_RAISED_EXCEPTION"
        assert unit * 100 in str(caught.value)
    with pytest.raises(AnalysisException) as caught:
        spark.range(1).select(F.col("x" * 30000)).collect()
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert spark.range(2).count() == 2


def test_br_007_trailers_stay_within_8_kib(raw, session):
    for unit in ("e", "é", "漢", "%", "\n"):
        error = None
        try:
            list(raw.ask(session, f"select raise_error(repeat('{unit}', 5000))"))
        except Exception as caught:
            error = caught
        size = sum(len(key) + len(value) + 32 for key, value in error.trailing_metadata())
        assert size < 8192, (unit, size)


def test_details_are_fetched_once(raw, session):
    failed = failure(lambda: raw.ask(session, "select raise_error(repeat('e', 5000))"))
    assert failed.reason == "org.apache.spark.SparkRuntimeException" == failed.classes[0]
    assert failed.classes[-1] == "java.lang.Object"
    details = raw.error_details(session, failed.error_id)
    error = details.errors[details.root_error_idx]
    assert "e" * 5000 in error.message
    assert list(error.error_type_hierarchy) == failed.classes
    assert error.spark_throwable.error_class == "USER_RAISED_EXCEPTION"
    assert error.spark_throwable.sql_state == "P0001"
    second = raw.error_details(session, failed.error_id)
    assert not second.HasField("root_error_idx") and not second.errors
    assert not raw.error_details(session, new()).errors


def why(action):
    try:
        return action()
    except Exception as error:
        return (type(error).__name__, error.getCondition(), error.getSqlState(),
                [c.fragment() for c in error.getQueryContext()])


@pytest.fixture
def frames(spark):
    return spark.range(3), spark.createDataFrame([(1, "a")], "id int, n string")


def test_br_026_division_names_the_call(spark, frames):
    from pyspark.sql.connect import functions as F

    d = frames[0]
    assert why(lambda: d.withColumn("ratio", F.lit(5) / d.id - 1).collect()) == \
        ("ArithmeticException", "DIVIDE_BY_ZERO", "22012", ["__truediv__"])


@pytest.mark.parametrize("query, expected", [
    ("select cast('abc' as int)", ("NumberFormatException", "CAST_INVALID_INPUT", "22018", ["cast('abc' as int)"])),
    ("select 2147483647 + 1", ("ArithmeticException", "ARITHMETIC_OVERFLOW", "22003", ["2147483647 + 1"])),
])
def test_br_026_sql_names_the_fragment(spark, query, expected):
    assert why(lambda: spark.sql(query).collect()) == expected


@pytest.mark.parametrize("action, expected", [
    (lambda spark, n: spark.sql("select array(1,2)[5]").collect(),
     ("ArrayIndexOutOfBoundsException", "INVALID_ARRAY_INDEX", "22003")),
    (lambda spark, n: n.dropDuplicates(["nope"]).collect(),
     ("AnalysisException", "UNRESOLVED_COLUMN_AMONG_FIELD_NAMES", "42703")),
    (lambda spark, n: n.select("nope").collect(),
     ("AnalysisException", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703")),
    (lambda spark, n: spark.table("no_such").collect(), ("AnalysisException", "TABLE_OR_VIEW_NOT_FOUND", "42P01")),
    (lambda spark, n: spark.sql("selec 1").collect(), ("ParseException", "PARSE_SYNTAX_ERROR", "42601")),
])
def test_br_026_classes(spark, frames, action, expected):
    assert why(lambda: action(spark, frames[1]))[:3] == expected


def test_br_026_proposal(frames):
    with pytest.raises(Exception) as caught:
        frames[1].select("nope").collect()
    parameters = caught.value.getMessageParameters()
    assert parameters["objectName"] == "`nope`"
    assert sorted(parameters["proposal"].split(", ")) == ["`id`", "`n`"]


def test_br_026_without_ansi(spark):
    spark.conf.set("spark.sql.ansi.enabled", "false")
    row = spark.sql("select 1/0 a, cast('abc' as int) b, array(1,2)[5] c, 2147483647 + 1 d").first()
    assert tuple(row) == (None, None, None, -2147483648)


def test_messages_show_the_place(spark):
    with pytest.raises(Exception) as caught:
        spark.sql("select 1,\n  1/0").collect()
    assert "== SQL (line 2, position 3) ==\n  1/0\n  ^^^\n" in str(caught.value)
    with pytest.raises(Exception) as caught:
        spark.sql("select 1\nfrm t\nx")
    assert str(caught.value).startswith("\n[PARSE_SYNTAX_ERROR]")
    assert "== SQL ==\nselect 1\nfrm t\n----^^^\nx\n" in str(caught.value)


def test_unsupported_nodes_fail_by_name(raw, session):
    import pyspark.sql.connect.proto as pb

    plan = pb.Plan(root=pb.Relation(unknown=pb.Unknown()))
    failed = failure(lambda: raw.stub.ExecutePlan(raw.plan_request(session, plan)))
    assert failed.condition.startswith("CONNECT_INVALID_PLAN."), failed
    empty = failure(lambda: raw.stub.ExecutePlan(raw.plan_request(session, pb.Plan())))
    assert empty.condition.startswith("CONNECT_INVALID_PLAN."), empty


def test_queries_of_many_threads_fail_for_their_reasons(server):
    """DuckDB says now and then that the query was interrupted, and no more."""
    raw, session = Raw(server.another("--duckdb.threads", "4").address), new()
    sql = "select id, concat('row number ', id), case when id = 29999 then cast(concat('no ', id) as int) end from range(30000)"
    conditions = [failure(lambda: raw.ask(session, sql)).condition for _ in range(400)]
    assert set(conditions) == {"CAST_INVALID_INPUT"}
    raw.close()
