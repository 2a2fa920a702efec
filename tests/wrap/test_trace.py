"""trace: spans reach a collector, as children of the call's own."""
import re
import time

import pytest

from collector import Collector


def spans_of(server_options, wrapped, connect, run, names="trace", collector=None):
    with (collector or Collector()) as there:
        server = wrapped(names, f"--trace.endpoint={there.url}", "--trace.interval=20ms", *server_options)
        run(server)
        there.settle()
        return there, there.spans(), server


def test_span_tells_about_its_query(wrapped, connect):
    def run(server):
        spark = connect(server, "ann")
        spark.sql("select * from range(3000)").collect()
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            spark.sql("select 1 / (id - 1) from range(3)").collect()
        spark.sql("create table t as select 1 a")
        spark.range(5).checkpoint()

    there, spans, _ = spans_of(["--trace.service-name=shop \"1\"", "--trace.header=X-Key: secret"], wrapped, connect, run)
    assert [s["name"] for s in spans] == ["query", "query", "query", "keep"]
    first, failed, created, _ = spans
    assert first["enduser.id"] == "ann" and first["portico.rows"] == "3000" and first["status"]["code"] == 1
    assert re.fullmatch("[0-9a-f]{32}", first["traceId"]) and re.fullmatch("[0-9a-f]{16}", first["spanId"])
    assert first["parentSpanId"] == "" and first["kind"] == 2
    assert re.fullmatch("[0-9a-f-]{36}", first["portico.job.id"]) and re.fullmatch("[0-9a-f-]{36}", first["session.id"])
    assert 0 < int(first["startTimeUnixNano"]) <= int(first["endTimeUnixNano"])
    assert abs(int(first["startTimeUnixNano"]) / 1e9 - time.time()) < 60
    assert failed["status"]["code"] == 2 and failed["error.type"] == "DIVIDE_BY_ZERO"
    assert created["portico.query.kind"] == "create_table"
    assert len({s["traceId"] for s in spans}) == 4
    path, headers, body = there.requests[0]
    assert path == "/v1/traces" and headers["Content-Type"] == "application/json" and headers["X-Key"] == "secret"
    resource = body["resourceSpans"][0]["resource"]["attributes"]
    assert resource == [{"key": "service.name", "value": {"stringValue": "shop \"1\""}}]


@pytest.mark.parametrize("header,kept", [
    ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", True),
    ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later", True),
    ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", None),  # not sampled: no span
    ("00-00000000000000000000000000000000-b7ad6b7169203331-01", False),
    ("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", False),
    ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", False),
    ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x", False),
    ("nonsense", False),
    ("0" * 5000, False),
])
def test_traceparent(wrapped, connect, header, kept):
    from pyspark.sql.connect.session import SparkSession

    def run(server):
        spark = SparkSession.builder.remote(f"{server.url}/;user_id=ann;traceparent={header}").create()
        spark.sql("select 1 from range(2)").collect()
        spark.stop()

    _, spans, _ = spans_of([], wrapped, connect, run)
    if kept is None:
        assert spans == []
        return
    assert len(spans) == 1
    inside = spans[0]["traceId"] == "0af7651916cd43dd8448eb211c80319c"
    assert inside == kept and (spans[0]["parentSpanId"] == "b7ad6b7169203331") == kept


def test_nested_spans(wrapped, connect):
    _, spans, _ = spans_of([], wrapped, connect, lambda server: connect(server).sql("select 1 from range(2)").collect(),
                           names="trace,validate,trace")
    outer, inner = sorted(spans, key=lambda s: s["parentSpanId"])  # each wrapper sends its own
    assert inner["traceId"] == outer["traceId"] and inner["parentSpanId"] == outer["spanId"]


def test_collector_that_is_not_there_or_fails_costs_nothing(wrapped, connect):
    server = wrapped("trace", "--trace.endpoint=http://127.0.0.1:9/v1/traces", "--trace.interval=10ms", "--trace.queue=2")
    spark = connect(server)
    start = time.monotonic()
    for _ in range(20):
        assert len(spark.sql("select 1 from range(2)").collect()) == 2
    assert time.monotonic() - start < 5
    time.sleep(0.5)
    assert "spans were not taken by" in server.text()


def test_full_queue_drops_and_counts(wrapped, connect):
    def run(server):
        spark = connect(server)
        for _ in range(30):
            spark.sql("select 1 from range(2)").collect()
        time.sleep(0.5)
        spark.sql("select 1 from range(2)").collect()

    there, spans, server = spans_of(["--trace.queue=3"], wrapped, connect, run, collector=Collector(delay=0.3))
    dropped = sum(int(n) for n in re.findall(r"(\d+) spans were dropped", server.text()))
    assert dropped > 0
    for _ in range(50):
        there.settle()
        if len(there.spans()) + dropped >= 31:
            break
    assert len(there.spans()) <= 31


def test_spans_are_sent_when_the_server_stops(wrapped):
    from pyspark.sql.connect.session import SparkSession

    with Collector() as there:
        server = wrapped("trace", f"--trace.endpoint={there.url}", "--trace.interval=1h")
        spark = SparkSession.builder.remote(server.url).create()
        spark.sql("select 1 from range(2)").collect()
        spark.stop()  # it would try long to reach a server that is gone
        assert there.spans() == []
        assert server.stop() is None
        assert len(there.spans()) == 1
