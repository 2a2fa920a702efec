"""window() and window_time(): values as Spark 4.2.0 gives them."""
import datetime as dt

import pytest


@pytest.fixture
def events(spark):
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield spark.createDataFrame([("2016-03-11 09:00:07", 1), ("2016-03-11 09:05:00", 2), (None, 3),
                                 ("1969-12-31 23:59:59.5", 4)], ["ts", "v"])
    spark.conf.unset("spark.sql.session.timeZone")


def test_tumbling_windows_group_rows(spark, events):
    from pyspark.sql.connect import functions as F

    grouped = events.groupBy(F.window("ts", "5 seconds")).agg(F.sum("v").alias("s"))
    assert grouped.schema.simpleString() == "struct<window:struct<start:timestamp,end:timestamp>,s:bigint>"
    shown = grouped.selectExpr("cast(window.start as string) a", "cast(window.end as string) b", "s")
    assert sorted(map(tuple, shown.collect())) == [
        ("1969-12-31 23:59:55", "1970-01-01 00:00:00", 4), ("2016-03-11 09:00:05", "2016-03-11 09:00:10", 1),
        ("2016-03-11 09:05:00", "2016-03-11 09:05:05", 2)]
    hours = events.groupBy(F.window("ts", "1 hour"), "v").count().select(F.window_time("window").cast("string"))
    assert sorted(r[0] for r in hours.collect()) == [
        "1969-12-31 23:59:59.999999", "2016-03-11 09:59:59.999999", "2016-03-11 09:59:59.999999"]


def test_sliding_windows_overlap(spark, events):
    from pyspark.sql.connect import functions as F

    counts = events.where("v < 4").groupBy(F.window("ts", "10 minutes", "3 minutes", "1 minute")).count()
    assert sorted(map(tuple, counts.selectExpr("cast(window.start as string) a", "count").collect())) == [
        ("2016-03-11 08:52:00", 1), ("2016-03-11 08:55:00", 1), ("2016-03-11 08:58:00", 2),
        ("2016-03-11 09:01:00", 1), ("2016-03-11 09:04:00", 1)]


def test_windows_in_select_lists(spark, events):
    from pyspark.sql.connect import functions as F

    assert events.select("*", F.window("ts", "1 day").alias("w")).columns == ["ts", "v", "w"]
    assert events.withColumn("w", F.window("ts", "1 week")).columns == ["ts", "v", "w"]
    local = spark.sql("select window(timestamp_ntz'2020-01-01 10:03:00', '5 minutes') w").first().w
    assert (local.start, local.end) == (dt.datetime(2020, 1, 1, 10), dt.datetime(2020, 1, 1, 10, 5))
    row = spark.sql("select cast(window.start as string), sum(v) from values (timestamp'2020-01-01 10:03:00', 1), "
                    "(timestamp'2020-01-01 10:04:00', 2) t(ts, v) group by window(ts, '5 minutes') having sum(v) > 1 "
                    "order by window.end").first()
    assert tuple(row) == ("2020-01-01 10:00:00", 3)
    for text in ("1 month", "0 seconds", "x"):
        with pytest.raises(Exception):
            events.select(F.window("ts", text)).collect()
