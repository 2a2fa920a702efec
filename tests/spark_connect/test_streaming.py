"""Streaming queries: the rate source, the sinks that need no Python, the calls of a query and of its manager."""
import time

import pytest

pytestmark = pytest.mark.concurrent


@pytest.fixture
def rate(spark):
    return spark.readStream.format("rate").option("rowsPerSecond", 20).load()


@pytest.fixture
def stopped(spark):
    yield
    for query in spark.streams.active:
        query.stop()


def test_streams_tell_what_they_are(spark, rate):
    assert rate.isStreaming and not spark.range(1).isStreaming
    assert rate.dtypes == [("timestamp", "timestamp"), ("value", "bigint")]
    with pytest.raises(Exception, match="writeStream.start"):
        rate.collect()


def test_a_memory_sink_grows(spark, rate, stopped):
    query = rate.selectExpr("value", "value % 2 as odd").writeStream.format("memory").queryName("grown").start()
    assert query.name == "grown" and query.isActive
    assert [q.id for q in spark.streams.active] == [query.id]
    assert spark.streams.get(query.id).runId == query.runId
    time.sleep(1.2)
    query.processAllAvailable()
    values = [r.value for r in spark.table("grown").collect()]
    assert len(values) >= 20 and sorted(values) == list(range(len(values)))
    query.stop()
    assert not query.isActive and query.exception() is None and not spark.streams.active
    assert spark.table("grown").count() >= 20


def test_complete_mode_counts_everything(spark, rate, stopped):
    counts = rate.groupBy((rate.value % 2).alias("k")).count()
    with pytest.raises(Exception, match="complete"):
        counts.writeStream.format("console").start()
    query = counts.writeStream.outputMode("complete").format("memory").queryName("counted").start()
    time.sleep(1.2)
    query.processAllAvailable()
    rows = {r.k: r["count"] for r in spark.table("counted").collect()}
    assert rows[0] == rows[1] >= 10


def test_available_now_writes_and_ends(spark, rate, tmp_path):
    query = rate.writeStream.format("parquet").trigger(availableNow=True).start(str(tmp_path / "t"))
    assert query.awaitTermination(20)
    assert spark.read.parquet(str(tmp_path / "t")).count() >= 20


def test_a_failed_query_says_why(spark, rate):
    query = rate.selectExpr("1 / (value - value) as x").writeStream.format("noop").start()
    with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
        query.awaitTermination(20)
    assert "DIVIDE_BY_ZERO" in str(query.exception())
    assert not query.isActive


def test_what_is_not_done_fails_by_name(spark, rate):
    with pytest.raises(Exception, match="Python"):
        rate.writeStream.foreachBatch(lambda frame, number: None).start()
    with pytest.raises(Exception, match="kafka"):
        spark.readStream.format("kafka").load().schema
