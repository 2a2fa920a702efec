"""Results: sizes, names, special values, text, time, decimals: BR-012, BR-015, BR-016, BR-018 … BR-022."""
import datetime as dt

import pytest
from raw import Raw, batches, failure, new, rows, table


def test_br_012_one_huge_value(spark):
    assert len(spark.range(1).selectExpr("repeat('z', 20*1024*1024) as s").collect()[0].s) == 20971520


@pytest.mark.parametrize("option", ["", "/;grpc_max_message_size=8388608"])
def test_br_012_many_rows(server, option):
    from pyspark.sql.connect.session import SparkSession

    spark = SparkSession.builder.remote(server.url + option).create()
    p = spark.range(3_000_000).selectExpr("id", "cast(id as string) as s").toPandas()
    assert (len(p), int(p.id.sum())) == (3000000, 4499998500000)
    spark.stop()


def test_br_012_messages_stay_below_4_mib(raw, session):
    query = "select id, repeat('x', 100) as s from range(200000)"
    responses = list(raw.ask(session, query))  # gRPC's own limit of 4 MiB
    assert rows(responses) == 200000
    offsets = 0
    for batch in batches(responses):
        assert batch.start_offset == offsets
        assert not batch.HasField("chunk_index")
        offsets += batch.row_count
    assert table(responses).num_rows == 200000


def test_br_012_a_value_over_the_limit_fails_alone(raw, session):
    failed = failure(lambda: raw.ask(session, "select repeat('z', 20*1024*1024) as s"))
    assert failed.code.name == "RESOURCE_EXHAUSTED"
    assert rows(raw.ask(session, "select 1")) == 1


def test_br_012_chunks_only_if_asked(raw, session):
    query = "select repeat('z', 20*1024*1024) as s"
    responses = list(raw.ask(session, query, chunks=0))
    parts = batches(responses)
    assert [b.chunk_index for b in parts] == list(range(len(parts)))
    assert {b.num_chunks_in_batch for b in parts} == {len(parts)} and len(parts) > 1
    assert {(b.row_count, b.start_offset) for b in parts} == {(1, 0)}
    assert len(table(responses)["s"][0].as_py()) == 20971520
    small = batches(raw.ask(session, "select 1", chunks=0))
    assert [(b.chunk_index, b.num_chunks_in_batch) for b in small] == [(0, 1)]


def test_br_012_reattach_between_chunks(raw, session):
    op = new()
    responses = list(raw.ask(session, "select repeat('z', 3000000) as s", op, chunks=65536))
    chunked = [r for r in responses if r.HasField("arrow_batch")]
    assert len(chunked) >= 45
    middle = chunked[len(chunked) // 2]
    rest = list(raw.again(session, op, middle.response_id))
    index = responses.index(middle)
    assert [b.chunk_index for b in batches(responses[:index + 1] + rest)] == list(range(len(chunked)))
    assert table(responses[:index + 1] + rest) == table(responses)


def test_br_015_two_columns_of_one_name(spark, capsys):
    p = spark.sql("select 10 as k, 'x' as v, 20 as k").toPandas()
    assert (list(p.columns), p.values.tolist()) == (["k", "v", "k"], [[10, "x", 20]])
    twice = spark.createDataFrame([(7, 8)], ["c", "c"])
    twice.show()
    assert capsys.readouterr().out == "+---+---+\n|  c|  c|\n+---+---+\n|  7|  8|\n+---+---+\n\n"
    assert [tuple(r) for r in twice.collect()] == [(7, 8)]
    assert twice.columns == ["c", "c"]


def test_br_016_nan_and_null(spark, capsys):
    from pyspark.sql import Row
    from pyspark.sql.connect import functions as F

    d = spark.createDataFrame([Row(i=1, x=float("nan"), s="a"), Row(i=2, x=None, s=None), Row(i=3, x=2.5, s="c")])
    assert d.filter(F.isnan("x")).count() == 1
    assert d.filter(F.col("x").isNull()).count() == 1
    d.show()
    lines = capsys.readouterr().out.splitlines()
    assert "| NaN|" in lines[3] and "|NULL|NULL|" in lines[4]


def same(got, wanted):
    return len(got) == len(wanted) and all(a == b or (a != a and b != b) for a, b in zip(got, wanted))


def test_br_016_nan_in_orders_and_aggregates(spark):
    from pyspark.sql.connect import functions as F

    nan = float("nan")
    v = spark.createDataFrame([(1.0,), (nan,), (None,), (-1.0,)], "x double")
    assert same([r.x for r in v.orderBy("x").collect()], [None, -1.0, 1.0, nan])
    assert same([r.x for r in v.orderBy(F.desc("x")).collect()], [nan, 1.0, -1.0, None])
    row = spark.sql("select max(x) a, min(x) b, count(distinct x) c "
                    "from values (double('NaN')),(double('NaN')),(1D) t(x)").first()
    assert same(tuple(row), (nan, 1.0, 2))
    assert tuple(spark.sql("select double('NaN') = double('NaN') e, double('NaN') > 1e308 g").first()) == (True, True)


def test_br_016_pandas_missing_values(spark):
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame({"f": [1.5, np.nan], "i": pd.array([7, pd.NA], dtype="Int64"),
                          "t": [pd.Timestamp("2024-01-01"), pd.NaT]})
    rows_ = spark.createDataFrame(frame).collect()
    assert [r.f for r in rows_] == [1.5, None]
    assert [r.i for r in rows_] == [7, None]
    assert rows_[1].t is None


def shown(capsys, frame, *arguments, **named):
    capsys.readouterr()
    frame.show(*arguments, **named)
    return capsys.readouterr().out


def test_br_018_wide_characters(spark, capsys):
    frame = spark.createDataFrame([(1, "ab"), (2, "東京"), (3, "서울시"), (4, None)], "id int, `名前` string")
    assert shown(capsys, frame) == ("+---+------+\n| id|  名前|\n+---+------+\n|  1|    ab|\n|  2|  東京|\n"
                                    "|  3|서울시|\n|  4|  NULL|\n+---+------+\n\n")


def test_br_018_truncation_and_control_characters(spark, capsys):
    letters = spark.createDataFrame([("abcdefghijklmnopqrstuvwxyz",)], "s string")
    assert "|abcdefghijklmnopq...|" in shown(capsys, letters)
    assert "|abcdefg...|" in shown(capsys, letters, truncate=10)
    assert "|abc|" in shown(capsys, letters, truncate=3)
    assert shown(capsys, letters, vertical=True) == "-RECORD 0-------------------\n s   | abcdefghijklmnopq... \n\n"
    assert "|abcdefghijklmnopqrstuvwxyz|" in shown(capsys, letters, truncate=False)
    assert shown(capsys, spark.range(3), 2).endswith("+---+\nonly showing top 2 rows\n")
    assert "|a\\tb\\nc|" in shown(capsys, spark.createDataFrame([("a\tb\nc",)], "s string"))


def test_show_prints_every_type(spark, capsys):
    frame = spark.sql("""select array(x'00ff', null) a, named_struct('x', 1, 'y', cast(null as string)) s,
        map('k', array(1.0, null)) m, x'00' b, interval 1 day d, interval '2-3' year to month y,
        timestamp'1800-01-01 00:00:00' ts, date'0001-01-01' dt, cast(1e10 as double) e, cast(0.1 as float) f,
        cast(0 as decimal(12,8)) z, timestamp_ntz'2024-01-02 03:04:05.678' n, true t, null v""")
    assert shown(capsys, frame, truncate=False).splitlines()[3] == (
        "|[[00 FF], NULL]|{1, NULL}|{k -> [1.0, NULL]}|[00]|INTERVAL '1' DAY|INTERVAL '2-3' YEAR TO MONTH"
        "|1800-01-01 00:00:00|0001-01-01|1.0E10|0.1|0.00000000|2024-01-02 03:04:05.678|true|NULL|")


def test_html_of_notebooks(spark):
    spark.conf.set("spark.sql.repl.eagerEval.enabled", "true")
    assert spark.sql("select '<é>' as `a<b`, null n")._repr_html_() == (
        "<table border='1'>\n<tr><th>a&lt;b</th><th>n</th></tr>\n"
        "<tr><td>&lt;&eacute;&gt;</td><td>NULL</td></tr>\n</table>\n")
    assert spark.range(30)._repr_html_().endswith("</table>\nonly showing top 20 rows\n")


def test_br_019_gaps_and_overlaps(spark):
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    row = spark.sql("""select unix_timestamp(timestamp'2024-03-10 01:59:59') a,
        unix_timestamp(timestamp'2024-03-10 03:00:00') b, unix_timestamp(timestamp'2024-03-10 02:30:00') gap,
        unix_timestamp(timestamp'2024-11-03 01:30:00') twice, cast(timestamp'2024-07-01 12:00:00 UTC' as string) u,
        date_format(timestamp_seconds(1719849600), 'yyyy-MM-dd HH:mm:ss XXX') f""").first()
    assert tuple(row) == (1710053999, 1710054000, 1710055800, 1730611800, "2024-07-01 08:00:00",
                          "2024-07-01 12:00:00 -04:00")


def test_br_019_timestamps_with_and_without_zone(spark, url, capsys):
    import pyarrow as pa
    from pyspark.sql.connect import functions as F
    from pyspark.sql.connect.session import SparkSession

    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    t = spark.sql("select timestamp'2024-07-01 12:00:00' t, timestamp_ntz'2024-07-01 12:00:00' n")
    arrow = t.toArrow()
    assert pa.types.is_timestamp(arrow.schema.field("t").type) and arrow.schema.field("t").type.tz is not None
    assert arrow.schema.field("n").type == pa.timestamp("us")
    assert arrow.column("t")[0].as_py().astimezone(dt.timezone.utc).hour == 16
    assert shown(capsys, t).splitlines()[3] == "|2024-07-01 12:00:00|2024-07-01 12:00:00|"
    spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    lit = spark.range(1).select(F.lit(dt.datetime(2024, 1, 15, 10, 30)).alias("x"))
    assert lit.dtypes == [("x", "timestamp_ntz")]
    assert lit.first().x == dt.datetime(2024, 1, 15, 10, 30)
    other = SparkSession.builder.remote(url).create()
    assert other.conf.get("spark.sql.session.timeZone") != "America/New_York"
    other.stop()


def test_arrow_zone_is_that_of_the_session(raw, session):
    list(raw.command(session, "set time zone 'America/New_York'"))
    result = table(raw.ask(session, "select timestamp'2024-07-01 12:00:00' t"))
    assert str(result.schema.field("t").type) == "timestamp[us, tz=America/New_York]"


def test_br_021_decimal_types(spark):
    from decimal import Decimal

    q = spark.sql("""select array(0.001, 0.02) a, 1.10+2.205 s, 1.10*2.205 m,
        cast(1 as decimal(38,18))*cast(1 as decimal(38,18)) big, cast(1 as decimal(10,2))/cast(3 as decimal(10,2)) q,
        sum(x) ss, avg(x) av from values (1.25),(2.50) t(x)""")
    assert [t for _, t in q.dtypes] == ["array<decimal(3,3)>", "decimal(5,3)", "decimal(8,5)", "decimal(38,6)",
                                        "decimal(23,13)", "decimal(13,2)", "decimal(7,6)"]
    assert tuple(q.first()) == ([Decimal("0.001"), Decimal("0.020")], Decimal("3.305"), Decimal("2.42550"),
                                Decimal("1.000000"), Decimal("0.3333333333333"), Decimal("3.75"),
                                Decimal("1.875000"))
    assert spark.sql("select 1.0/3").first()[0] == Decimal("0.333333")
    assert spark.createDataFrame([(Decimal("1.23"),)], ["d"]).dtypes == [("d", "decimal(38,18)")]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_br_022_parquet_timestamps_of_any_unit(spark, tmp_path, unit, zone):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = str(tmp_path / f"br_{unit}_{zone}.parquet")
    pq.write_table(pa.table({"t": pa.array([dt.datetime(2024, 5, 6, 7, 8, 9)], pa.timestamp(unit, zone))}), path)
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    d = spark.read.parquet(path)
    if unit == "ns":  # cut to microseconds, or refused by name as Spark does
        try:
            d.dtypes
        except Exception as error:
            assert error.getCondition() == "PARQUET_TYPE_ILLEGAL" and "NANOS" in str(error)
            return
    assert d.dtypes == [("t", "timestamp_ntz" if zone is None else "timestamp")]
    text = d.selectExpr("cast(t as string) as s").first().s
    assert text == "2024-05-06 07:08:09"
    assert d.columns == ["t"] and len(d.collect()) == 1
