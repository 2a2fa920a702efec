"""Sessions, configuration and operations on the wire: BR-001, BR-002, BR-004, BR-005, BR-013."""
import concurrent.futures
import signal
import socket
import time

import pytest
from raw import Raw, failure, new, rows, table

pytestmark = pytest.mark.concurrent

SESSION_STATES = {"HY000", "08003"}  # Spark 4.2 and 4.3


def test_br_001_keys_of_create_data_frame(spark):
    import pandas as pd

    assert spark.createDataFrame(pd.DataFrame({"q": [3, 1, 2]})).count() == 3
    values = [int(spark.conf.get("spark.sql.session.localRelation" + key))
              for key in ("CacheThreshold", "SizeLimit", "ChunkSizeRows", "ChunkSizeBytes", "BatchOfChunksSizeBytes")]
    assert values == [1048576, 3221225472, 10000, 16777216, 1073741824]


def test_br_001_unknown_keys(spark):
    from pyspark.errors.exceptions.connect import SparkNoSuchElementException

    assert spark.conf.get("no.such.key", "fallback") == "fallback"
    with pytest.raises(SparkNoSuchElementException) as caught:
        spark.conf.get("no.such.key")
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("SQL_CONF_NOT_FOUND", "42K0I")


def test_br_001_static_keys_and_sql_share_the_configuration(spark):
    with pytest.raises(Exception) as caught:
        spark.conf.set("spark.sql.warehouse.dir", "/elsewhere")
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("CANNOT_MODIFY_STATIC_CONFIG", "46110")
    assert spark.conf.isModifiable("spark.sql.shuffle.partitions")
    assert not spark.conf.isModifiable("spark.sql.warehouse.dir")
    spark.conf.set("my.key", "v1")
    assert [tuple(r) for r in spark.sql("set my.key").collect()] == [("my.key", "v1")]
    spark.sql("set my.key=v2")
    assert spark.conf.get("my.key") == "v2"
    default = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    spark.conf.unset("spark.sql.shuffle.partitions")
    assert spark.conf.get("spark.sql.shuffle.partitions") == default


def test_config_operations(raw, session):
    import pyspark.sql.connect.proto as pb

    config = pb.ConfigRequest
    answer = raw.config(session, set=config.Set(silent=True, pairs=[
        pb.KeyValue(key="spark.app.name", value="x"), pb.KeyValue(key="spark.sql.warehouse.dir", value="/x")]))
    assert answer.session_id == session and answer.server_side_session_id
    assert len(answer.warnings) >= 1
    options = raw.config(session, get_option=config.GetOption(keys=["no.such.key"])).pairs
    assert [(p.key, p.HasField("value")) for p in options] == [("no.such.key", False)]
    pairs = raw.config(session, get_with_default=config.GetWithDefault(
        pairs=[pb.KeyValue(key="no.such.key"), pb.KeyValue(key="other.key", value="d")])).pairs
    assert [(p.HasField("value"), p.value) for p in pairs] == [(False, ""), (True, "d")]
    raw.config(session, set=config.Set(pairs=[pb.KeyValue(key="my.prefix.a", value="1")]))
    every = {p.key: p.value for p in raw.config(session, get_all=config.GetAll(prefix="my.prefix.")).pairs}
    assert every == {"a": "1"}
    mistyped = failure(lambda: raw.config(session, set=config.Set(
        pairs=[pb.KeyValue(key="spark.sql.shuffle.partitions", value="many")])))
    assert (mistyped.condition, mistyped.sqlstate) == ("INVALID_CONF_VALUE.TYPE_MISMATCH", "22022")


def test_br_002_reattach_before_execute(raw):
    s, op = new(), new()
    nobody = failure(lambda: raw.again(s, op))
    assert nobody.condition == "INVALID_HANDLE.SESSION_NOT_FOUND" and nobody.sqlstate in SESSION_STATES
    assert "INVALID_HANDLE.SESSION_NOT_FOUND" in nobody.message
    assert nobody.code.name == "INTERNAL" and nobody.domain == "org.apache.spark"
    assert rows(raw.ask(s, "select 1 as a")) == 1
    unknown = failure(lambda: raw.again(s, op))
    assert (unknown.condition, unknown.sqlstate) == ("INVALID_HANDLE.OPERATION_NOT_FOUND", "HY000")
    assert rows(raw.ask(s, "select 1 as a", op)) == 1


def test_br_002_same_operation_id(raw, session):
    op = new()
    first = list(raw.ask(session, "select 1 as a", op))
    second = list(raw.ask(session, "select 1 as a", op))
    assert [r.operation_id for r in first] == [op] * len(first)
    assert rows(second) == 1
    assert [b.data for b in (r.arrow_batch for r in first) if b.data] == \
        [b.data for b in (r.arrow_batch for r in second) if b.data]
    other = failure(lambda: raw.ask(session, "select 2 as b", op))
    assert other.condition == "INVALID_HANDLE.OPERATION_ALREADY_EXISTS"


def test_br_002_released_operations(raw, session):
    op = new()
    list(raw.ask(session, "select 1 as a", op))
    assert raw.release(session, op).operation_id == op
    again = raw.release(session, op)
    assert not again.HasField("operation_id")
    assert failure(lambda: raw.again(session, op)).condition == "INVALID_HANDLE.OPERATION_NOT_FOUND"
    assert failure(lambda: raw.ask(session, "select 1 as a", op)).condition == "INVALID_HANDLE.OPERATION_ABANDONED"


def test_br_002_handles_are_uuids(raw, session):
    assert failure(lambda: raw.ask("no uuid", "select 1")).condition == "INVALID_HANDLE.FORMAT"
    bad_operation = failure(lambda: raw.ask(session, "select 1", "no uuid"))
    assert (bad_operation.condition, bad_operation.sqlstate) == ("INVALID_HANDLE.FORMAT", "HY000")


def test_sequence_of_responses(raw, session):
    responses = list(raw.ask(session, "select id from range(3)"))
    kinds = ["schema" if r.HasField("schema") else r.WhichOneof("response_type") or "metrics" for r in responses]
    assert kinds[0] == "schema" and kinds[-1] == "result_complete" and "arrow_batch" in kinds
    assert len({r.response_id for r in responses}) == len(responses)
    assert {r.session_id for r in responses} == {session}
    assert len({r.server_side_session_id for r in responses}) == 1
    assert table(responses).to_pydict() == {"id": [0, 1, 2]}
    plain = list(raw.ask(session, "select id from range(3)", reattachable=False))
    assert "result_complete" not in [r.WhichOneof("response_type") for r in plain]
    empty = list(raw.ask(session, "select id from range(3) where id > 5"))
    assert [r.arrow_batch.row_count for r in empty if r.HasField("arrow_batch")] == [0]


def test_reattach_continues_after_a_response(raw, session):
    op = new()
    responses = list(raw.ask(session, "select id from range(300000)", op))
    for at in (0, 1, len(responses) // 2, len(responses) - 2):
        rest = list(raw.again(session, op, responses[at].response_id))
        assert rows(responses[:at + 1]) + rows(rest) == 300000
        assert rest[-1].HasField("result_complete")
    assert list(raw.again(session, op, responses[-1].response_id)) == []
    assert rows(raw.again(session, op)) == 300000
    wrong = failure(lambda: raw.again(session, op, new()))
    assert (wrong.condition, wrong.sqlstate) == ("INVALID_CURSOR.POSITION_NOT_FOUND", "HY109")


def test_second_reader_takes_over(raw, session, slow_query):
    op = new()
    first = raw.ask(session, slow_query(2), op)
    next(first)  # the schema
    second = raw.again(session, op)
    taken = failure(lambda: first)
    assert (taken.condition, taken.sqlstate) == ("INVALID_CURSOR.DISCONNECTED", "HY109")
    assert rows(second) == 1


def test_not_reattachable_operations_end_with_their_call(raw, session, slow_query):
    op = new()
    call = raw.ask(session, slow_query(30), op, reattachable=False)
    next(call)
    call.cancel()
    deadline = time.monotonic() + 5
    while failure(lambda: raw.again(session, op)).condition == "INVALID_CURSOR.NOT_REATTACHABLE":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert rows(raw.ask(session, "select 1")) == 1


def test_release_in_any_order_is_cheap_and_no_error(raw, session):
    op = new()
    responses = list(raw.ask(session, "select id from range(10)", op))
    raw.release(session, op, responses[-1].response_id)
    raw.release(session, op, responses[0].response_id)
    raw.release(session, op, new())
    raw.release(session, op)
    raw.release(session, op, responses[0].response_id)
    raw.release(session, new())
    assert failure(lambda: raw.release(session, "no uuid")).condition == "INVALID_HANDLE.FORMAT"


def test_get_status(raw, session, slow_query):
    import pyspark.sql.connect.proto as pb

    if not hasattr(pb, "GetStatusRequest"):
        pytest.skip("a call of 4.2")
    state = pb.GetStatusResponse.OperationStatus
    done, running, unknown = new(), new(), new()
    list(raw.ask(session, "select 1", done))
    call = raw.ask(session, slow_query(20), running)
    next(call)
    states = raw.status(session, done, running, unknown)
    assert states == {done: state.OPERATION_STATE_SUCCEEDED, running: state.OPERATION_STATE_RUNNING,
                      unknown: state.OPERATION_STATE_UNKNOWN}
    raw.interrupt(session, interrupt_type=pb.InterruptRequest.INTERRUPT_TYPE_ALL)
    failure(lambda: call)
    assert raw.status(session)[running] == state.OPERATION_STATE_CANCELLED


def test_clone_session(raw, session):
    import pyspark.sql.connect.proto as pb

    if not hasattr(pb, "CloneSessionRequest"):
        pytest.skip("a call of 4.1")
    list(raw.command(session, "set my.key=cloned"))
    list(raw.command(session, "create temp view v as select 42 as a"))
    clone = new()
    answer = raw.stub.CloneSession(pb.CloneSessionRequest(session_id=session, user_context=raw.user,
                                                          new_session_id=clone))
    assert answer.new_session_id == clone and answer.new_server_side_session_id != answer.server_side_session_id
    assert raw.get(clone, "my.key") == {"my.key": "cloned"}
    assert table(raw.ask(clone, "select a from v")).to_pydict() == {"a": [42]}
    list(raw.command(clone, "set my.key=changed"))
    assert raw.get(session, "my.key") == {"my.key": "cloned"}
    raw.release_session(clone)


@pytest.mark.slow
def test_br_004_a_query_longer_than_the_idle_limit_keeps_its_session(server, slow_query):
    quick = server.another("--session.idle-after", "4s")
    raw, s, op = Raw(quick.address), new(), new()
    query = slow_query(12)
    list(raw.command(s, "create temp view v as select 1 as a"))
    call = raw.ask(s, query, op)
    known = next(call).server_side_session_id
    time.sleep(1)
    call.cancel()
    result = None
    while result is None:
        attached = raw.again(s, op)
        time.sleep(2)
        state = raw.status(s, op)[op] if hasattr(raw.stub, "GetStatus") else None
        if state == 4:  # SUCCEEDED
            result = list(raw.again(s, op))
        attached.cancel()
    assert rows(result) == 1
    assert next(raw.ask(s, "select 1")).server_side_session_id == known
    time.sleep(8)
    try:
        fresh = list(raw.ask(s, "select a from v"))
        raise AssertionError(f"the old session's view is still there: {fresh}")
    except Exception as error:
        from raw import Failure

        assert Failure(error).condition in ("INVALID_HANDLE.SESSION_NOT_FOUND", "TABLE_OR_VIEW_NOT_FOUND")
    raw.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_br_005_a_restarted_server_says_so(server):
    address = f"127.0.0.1:{free_port()}"
    first_server = server.another("--listen", address)
    raw, s = Raw(address), new()
    known = list(raw.ask(s, "select 1 as a"))[0].server_side_session_id
    assert rows(raw.ask(s, "select 1 as a", seen_server=known)) == 1
    first_server.stop()
    raw.close()
    server.another("--listen", address)
    raw = Raw(address)
    changed = failure(lambda: raw.command(s, "create table must_not_exist as select 1 as a", seen_server=known))
    assert changed.condition == "INVALID_HANDLE.SESSION_CHANGED" and changed.sqlstate in SESSION_STATES
    assert failure(lambda: raw.again(s, new(), seen_server=known)).condition == "INVALID_HANDLE.SESSION_CHANGED"
    missing = failure(lambda: raw.ask(s, "select * from must_not_exist"))
    assert missing.condition == "TABLE_OR_VIEW_NOT_FOUND"
    assert list(raw.ask(s, "select 1 as a"))[0].server_side_session_id != known
    raw.close()


def test_br_005_pyspark_connects_again(server):
    from pyspark.sql.connect.session import SparkSession

    address = f"127.0.0.1:{free_port()}"
    first_server = server.another("--listen", address)
    spark = SparkSession.builder.remote("sc://" + address).create()
    assert spark.range(3).count() == 3
    first_server.stop()
    server.another("--listen", address)
    with pytest.raises(Exception, match="SESSION_CHANGED"):
        spark.range(3).count()
    again = SparkSession.builder.remote("sc://" + address).getOrCreate()
    assert again.range(3).count() == 3
    again.stop()


def test_br_005_closed_sessions(raw):
    s = new()
    list(raw.ask(s, "select 1 as a"))
    raw.release_session(s)
    closed = failure(lambda: raw.ask(s, "select 1 as a"))
    assert closed.condition == "INVALID_HANDLE.SESSION_CLOSED" and closed.sqlstate in SESSION_STATES
    raw.release_session(s)
    raw.release_session(new())


@pytest.mark.slow
def test_br_013_a_server_stopped_for_a_while_delivers_its_result_once(server, slow_query):
    from pyspark.sql.connect.session import SparkSession

    stopped = server.another()
    spark = SparkSession.builder.remote(stopped.url).create()
    frame = spark.sql(f"select x, 1 as one from ({slow_query(6)})")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(frame.collect)
        time.sleep(2)
        stopped.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(6)
        finally:
            stopped.process.send_signal(signal.SIGCONT)
        assert len(future.result(120)) == 1
    assert spark.range(3).count() == 3
    spark.stop()


def test_sessions_of_two_users_are_two(server, raw, session):
    other = Raw(server.address, user="other")
    list(raw.command(session, "set my.key=mine"))
    list(raw.command(session, "create temp view v as select 1 as a"))
    assert failure(lambda: other.get(session, "my.key")).condition == "SQL_CONF_NOT_FOUND"
    assert failure(lambda: other.ask(session, "select * from v")).condition == "TABLE_OR_VIEW_NOT_FOUND"
    other.close()
