"""DataFrame.persist() and CACHE TABLE: rows are computed once, and anew when data has changed."""
import os
import shutil

import pytest


@pytest.fixture
def numbers(spark, tmp_path):
    path = str(tmp_path / "n")
    spark.range(3).selectExpr("id a", "cast(id as string) b").write.parquet(path)
    return path


def values(frame):
    return sorted(tuple(r) for r in frame.collect())


def test_rows_are_kept_until_unpersist(spark, numbers, tmp_path):
    other = str(tmp_path / "o")
    spark.range(10, 12).selectExpr("id a", "cast(id as string) b").write.parquet(other)
    frame = spark.read.parquet(numbers).where("a > 0").persist()
    joined = frame.alias("x").join(frame.alias("y"), "a").select("x.a", "y.b")
    assert values(frame) == [(1, "1"), (2, "2")]
    shutil.rmtree(numbers)
    os.rename(other, numbers)
    assert values(frame) == [(1, "1"), (2, "2")]
    assert values(frame.select(frame.b, frame.a + 1)) == [("1", 2), ("2", 3)]
    assert frame.groupBy().sum("a").first()[0] == 3
    assert values(spark.read.parquet(numbers).where("a > 1")) == [(10, "10"), (11, "11")]
    assert values(joined) == [(1, "1"), (2, "2")]
    frame.unpersist()
    assert values(frame) == [(10, "10"), (11, "11")]
    assert frame.storageLevel.useMemory is False


def test_a_write_is_seen(spark, tmp_path):
    path = str(tmp_path / "w")
    spark.range(2).write.parquet(path)
    frame = spark.read.parquet(path).cache()
    assert frame.count() == 2
    spark.range(5).write.mode("overwrite").parquet(path)
    assert spark.read.parquet(path).count() == 5
    frame.unpersist()
    spark.sql("create or replace temp view pv as select * from range(4)")
    spark.sql("create table persisted_t as select * from pv")
    spark.catalog.cacheTable("persisted_t")
    assert spark.table("persisted_t").count() == 4
    spark.sql("insert into persisted_t select 9")
    assert spark.table("persisted_t").count() == 5
    spark.sql("uncache table persisted_t")
    spark.sql("drop table persisted_t")


def test_random_rows_stay(spark):
    from pyspark.sql.connect import functions as F

    frame = spark.range(5).withColumn("r", F.expr("uuid()")).cache()
    first = values(frame)
    assert values(frame) == first and values(frame.select("id", "r")) == first
    assert values(frame.union(frame)) == sorted(first + first)
    assert values(spark.range(5).withColumn("q", F.expr("id + 1"))) == [(i, i + 1) for i in range(5)]
    spark.catalog.clearCache()
    assert values(frame) != first


def test_columns_are_not_mixed_up(spark):
    data = spark.createDataFrame([(1, 2), (3, 4)], "a int, b int")
    left = data.select("a").persist()
    assert values(left) == [(1,), (3,)]
    assert values(data.select("b")) == [(2,), (4,)]
    doubled = data.selectExpr("transform(array(a, b), (x, y) -> x) z").persist()
    assert values(doubled) == [([1, 2],), ([3, 4],)]
    assert values(data.selectExpr("transform(array(a, b), (x, y) -> y) z")) == [([0, 1],), ([0, 1],)]
    assert values(data.selectExpr("a + 1 x")) == [(2,), (4,)]
    longs = data.selectExpr("a + 1L x").persist()
    assert longs.schema.simpleString() == "struct<x:bigint>" and values(longs) == [(2,), (4,)]
    assert data.selectExpr("a + 1 x").schema.simpleString() == "struct<x:int>"
    left.unpersist(), doubled.unpersist(), longs.unpersist()


def test_a_failing_query_fails(spark):
    frame = spark.range(2).selectExpr("1 / id x").persist()
    with pytest.raises(Exception) as caught:
        frame.collect()
    assert caught.value.getCondition() == "DIVIDE_BY_ZERO"
    frame.unpersist()


def test_a_table_made_again_is_not_the_old_one(spark, tmp_path):
    for text in ("abc", "xyz"):
        folder = tmp_path / text
        spark.sql("drop table if exists persisted_again")
        spark.sql(f"create table persisted_again (col string) using text location '{folder}'")
        spark.sql(f"insert into persisted_again select '{text}'")
        spark.catalog.cacheTable("persisted_again")
        assert values(spark.table("persisted_again")) == [(text,)]
        shutil.rmtree(folder)
        assert spark.table("persisted_again").count() == 1
    spark.catalog.refreshByPath(str(folder))
    assert spark.table("persisted_again").count() == 0
    spark.sql("drop table persisted_again")
