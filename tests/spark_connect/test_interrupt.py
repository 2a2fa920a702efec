"""Interrupts stop the engine, not only the stream: BR-006."""
import os
import threading
import time

import pytest
from raw import Raw, failure, new, rows

pytestmark = pytest.mark.concurrent

HEAVY = "select sum(pmod(hash(a.id, b.id), 7)) as x from range(3000000) a cross join range(3000000) b"


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def assert_idle(server):
    """Within a second or so the process uses next to no CPU."""
    give_up = time.monotonic() + 5
    while True:
        before = cpu_seconds(server.process.pid)
        time.sleep(0.5)
        if cpu_seconds(server.process.pid) - before < 0.15:
            return
        assert time.monotonic() < give_up, "the engine still works"


class Running:
    """The heavy query in a thread of its own."""

    def __init__(self, raw, session, op, wait=True):
        self.failure = None
        self.call = raw.ask(session, HEAVY, op, tags=["nightly", "x"])
        self.thread = threading.Thread(target=self._read)
        self.started = threading.Event()
        self.thread.start()
        if wait:
            assert self.started.wait(10)
            time.sleep(0.3)

    def _read(self):
        def read():
            for response in self.call:
                self.started.set()
                yield response

        self.failure = failure(read)

    def ended(self, seconds=3):
        self.thread.join(seconds)
        assert not self.thread.is_alive(), "the stream did not end"
        return self.failure


def interrupt_types():
    import pyspark.sql.connect.proto as pb

    return pb.InterruptRequest


def test_br_006_by_tag(server, raw, session):
    kind, op = interrupt_types(), new()
    running = Running(raw, session, op)
    assert raw.interrupt(session, interrupt_type=kind.INTERRUPT_TYPE_TAG, operation_tag="other") == []
    assert running.thread.is_alive()
    start = time.monotonic()
    assert raw.interrupt(session, interrupt_type=kind.INTERRUPT_TYPE_TAG, operation_tag="nightly") == [op]
    cancelled = running.ended()
    assert time.monotonic() - start < 1.5
    assert (cancelled.condition, cancelled.sqlstate) == ("OPERATION_CANCELED", "HY008")
    assert_idle(server)
    assert rows(raw.ask(session, "select 1")) == 1


def test_br_006_by_operation_id(server, raw, session):
    kind, op = interrupt_types(), new()
    running = Running(raw, session, op)
    assert raw.interrupt(session, interrupt_type=kind.INTERRUPT_TYPE_OPERATION_ID, operation_id=new()) == []
    assert raw.interrupt(session, interrupt_type=kind.INTERRUPT_TYPE_OPERATION_ID, operation_id=op) == [op]
    assert running.ended().condition == "OPERATION_CANCELED"
    assert_idle(server)


def test_br_006_all(server, raw, session):
    kind, ops = interrupt_types(), [new(), new()]
    running = [Running(raw, session, op) for op in ops]
    assert sorted(raw.interrupt(session, interrupt_type=kind.INTERRUPT_TYPE_ALL)) == sorted(ops)
    assert [r.ended().condition for r in running] == ["OPERATION_CANCELED"] * 2
    assert_idle(server)
    assert rows(raw.ask(session, "select 1")) == 1


@pytest.mark.parametrize("delay_ms", [0, 1, 3, 5])
def test_br_006_right_after_the_start(server, raw, session, delay_ms):
    kind, op = interrupt_types(), new()
    running = Running(raw, session, op, wait=False)
    time.sleep(delay_ms / 1000)
    hit = []
    give_up = time.monotonic() + 2
    while not hit and time.monotonic() < give_up:  # the interrupt may overtake the query on the wire
        hit = raw.interrupt(session, interrupt_type=kind.INTERRUPT_TYPE_ALL)
    assert hit == [op]
    assert running.ended().condition == "OPERATION_CANCELED"
    assert_idle(server)


def test_br_006_release_of_the_session(server, raw):
    s, op = new(), new()
    running = Running(raw, s, op)
    raw.release_session(s)
    assert running.ended().condition in ("INVALID_CURSOR.DISCONNECTED", "OPERATION_CANCELED")
    assert_idle(server)


def test_br_006_tags_are_checked(raw, session):
    for tag in ("a,b", ""):
        refused = failure(lambda: raw.ask(session, "select 1", tags=[tag]))
        assert "java.lang.IllegalArgumentException" in refused.classes, refused


def test_br_006_interrupts_stay_within_the_session(server, raw, session):
    kind, op, stranger = interrupt_types(), new(), new()
    running = Running(raw, session, op)
    assert raw.interrupt(stranger, interrupt_type=kind.INTERRUPT_TYPE_ALL) == []
    assert running.thread.is_alive()
    assert raw.interrupt(session, interrupt_type=kind.INTERRUPT_TYPE_ALL) == [op]
    running.ended()
    raw.release_session(stranger)


def test_pyspark_interrupt_tag(spark, slow_query):
    import concurrent.futures

    def work():
        spark.addTag("mine")
        return spark.sql(slow_query(60)).collect()

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        give_up = time.monotonic() + 10
        while not spark.interruptTag("mine"):
            assert time.monotonic() < give_up
            time.sleep(0.1)
        with pytest.raises(Exception, match="OPERATION_CANCELED"):
            future.result(10)


@pytest.mark.slow
def test_progress_moves(server, slow_query):
    """A query of many seconds shows progress to a handler; its last message says that it is done."""
    from pyspark.sql.connect.session import SparkSession

    spark = SparkSession.builder.remote(server.url).create()
    seen = []
    spark.registerProgressHandler(lambda stages, inflight_tasks, operation_id, done: seen.append((stages, done)))
    spark.sql(slow_query(16)).collect()
    spark.stop()
    assert any(stages and stages[0].num_tasks > 0 for stages, done in seen)
    assert any(done for stages, done in seen)
