"""The calls that no published client makes, and what they are to answer: by hand, through gRPC."""
import pathlib
import threading
import time

import grpc
import pyarrow as pa
import pytest
from proto_bytes import field

from conftest import cpu_seconds
from program import BINARY
from raw_ballista import (ENCODED, FAILED, LOGICAL, PHYSICAL, QUEUED, RUNNING, SUBSTRAIT, SUCCESSFUL, Failed, Raw, encoded,
                          new, params, parse, sql, text, ticket)

ENDLESS = "select count(*) from range(1000000) a cross join range(1000000) b where a.id * b.id % 7 = 3"
STREAM = "select id, id * 3 as three, 'some text of a row' as t from range(100000000)"


def is_idle(server, limit_seconds):
    """Whether the server stops computing within that time."""
    give_up = time.monotonic() + limit_seconds
    while time.monotonic() < give_up:
        before = cpu_seconds(server)
        time.sleep(0.3)
        if cpu_seconds(server) - before < 0.1:
            return True
    return False


# ---- a query and its states ----

def test_a_job_from_its_start_to_its_rows(raw):
    before = time.time()
    result = raw.execute(sql("select 1 as a union all select 2"), session="any text", operation="op 7",
                         values={"ballista.job.name": "my name", "unheard.of": "x", "datafusion.execution.batch_size": None})
    success = parse(result[1][0])
    job = success[1][0].decode()
    assert success[2] == [b"any text"] and result[3] == [b"op 7"]
    status = raw.wait(job)
    assert (status.job, status.name, status.state) == (job, "my name", SUCCESSFUL)
    queued, started, ended = status.times()
    assert before - 1 <= queued <= started <= ended <= time.time() + 1
    assert status.rows() == 2 and status.raw[2] == [1]  # flight_proxy: local
    host, port = raw.address.split(":")
    executor = parse(status.location()[3][0])
    assert executor[2] == [host.encode()] and executor[3] == [int(port)]
    for _ in range(2):
        assert raw.fetch(status.ticket()).to_pylist() == [{"a": 1}, {"a": 2}]


def test_push_tells_each_state_once(raw):
    statuses = raw.push(sql("select 1 as a"), values={"ballista.job.name": "pushed"})
    states = [status.state for status in statuses]
    assert states == sorted(set(states)) and states[0] == QUEUED and states[-1] == SUCCESSFUL
    assert {status.name for status in statuses} == {"pushed"} and len({status.job for status in statuses}) == 1
    assert raw.fetch(statuses[-1].ticket()).to_pylist() == [{"a": 1}]


def test_a_result_without_rows_has_a_schema(raw):
    status = raw.wait(raw.submit(sql("select 1 as a, 'x' as b where false")))
    assert status.rows() == 0
    assert raw.fetch(status.ticket()).schema.names == ["a", "b"]


def test_a_job_that_nobody_knows_has_no_status(raw):
    for job in ("", "nothing", new()):
        assert not raw.status(job).is_known
    assert parse(raw.ask("CancelJob", text(1, new()))) == {1: [1]}
    assert raw.ask("CleanJobData", text(1, new())) == b""
    with pytest.raises(grpc.RpcError) as caught:
        raw.ask("GetJobMetrics", text(1, new()))
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND


def test_a_failure_is_told_with_its_times(raw):
    status = raw.wait(raw.submit(sql("select 1 / id from range(3)")))
    assert status.state == FAILED and "DIVIDE_BY_ZERO" in status.error
    assert all(status.times())
    last = raw.push(sql("select assert_true(id < 2) from range(3)"))[-1]
    assert last.state == FAILED and "is not true" in last.error


def test_a_plan_that_cannot_be_read_is_refused_at_once(raw):
    for query in ((LOGICAL, b"\xff"), (LOGICAL, b""), sql("select ("), (ENCODED, encoded("no.such.format", b"x"))):
        with pytest.raises(Failed, match="^Could not parse plan: "):
            raw.submit(query)
        with pytest.raises(grpc.RpcError) as caught:
            raw.push(query)
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert caught.value.details().startswith("Could not parse plan: ")


def test_analysis_fails_the_job(raw):
    status = raw.wait(raw.submit(sql("select nothing from range(3)")))
    assert status.state == FAILED and "UNRESOLVED_COLUMN" in status.error


# ---- cancelling, cleaning, going away ----

def test_cancel_frees_the_processor_within_a_second(raw, server):
    job = raw.submit(sql(ENDLESS))
    assert raw.wait(job, RUNNING).times()[1]
    time.sleep(0.3)
    assert parse(raw.ask("CancelJob", text(1, job))) == {1: [1]}
    status = raw.status(job)
    assert (status.state, status.error) == (FAILED, "Cancelled")
    assert is_idle(server, 1.5)
    assert parse(raw.ask("CancelJob", text(1, job))) == {1: [1]}


def test_push_tells_of_a_job_that_was_cancelled(raw):
    call = raw.channel.unary_stream("/ballista.protobuf.SchedulerGrpc/ExecuteQueryPush")(params(sql(ENDLESS)), timeout=30)
    from raw_ballista import Status
    job = Status(next(call)).job
    raw.wait(job, RUNNING)
    raw.ask("CancelJob", text(1, job))
    last = [Status(message) for message in call][-1]
    assert (last.state, last.error) == (FAILED, "Cancelled")


def test_a_push_that_is_dropped_cancels_its_job(raw, server):
    call = raw.channel.unary_stream("/ballista.protobuf.SchedulerGrpc/ExecuteQueryPush")(params(sql(ENDLESS)), timeout=30)
    from raw_ballista import Status
    job = Status(next(call)).job
    raw.wait(job, RUNNING)
    call.cancel()
    assert is_idle(server, 5)
    assert raw.status(job).error == "Cancelled"


def test_cleaning_drops_the_result_and_keeps_the_status(raw):
    status = raw.wait(raw.submit(sql("select 1 as a")))
    raw.ask("CleanJobData", text(1, status.job))
    assert raw.status(status.job).state == SUCCESSFUL
    with pytest.raises(grpc.RpcError) as caught:
        raw.fetch(status.ticket())
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND and "not kept" in caught.value.details()


def test_a_large_result_is_fetched_while_it_is_made(raw, server):
    status = raw.wait(raw.submit(sql("select id, repeat('x', 100) as t from range(1000000)")), SUCCESSFUL)
    assert status.rows() == -1 and status.times()[2] is None  # it goes on as it is read
    got = raw.fetch(status.ticket())
    assert got.num_rows == 1000000
    end = raw.status(status.job)
    assert end.rows() == 1000000 and end.times()[2]
    with pytest.raises(grpc.RpcError):
        raw.fetch(status.ticket())  # what was read is not kept


def test_a_fetch_that_is_dropped_cancels_a_job_that_still_runs(raw, server):
    status = raw.wait(raw.submit(sql(STREAM)), SUCCESSFUL)
    call = raw.messages(status.ticket())
    for _ in range(3):
        next(call)
    call.cancel()
    assert is_idle(server, 5)
    assert raw.status(status.job).error == "Cancelled"


def test_a_client_that_does_not_read_holds_the_query_back(raw, server):
    status = raw.wait(raw.submit(sql(STREAM)), SUCCESSFUL)
    call = raw.messages(status.ticket())
    next(call)
    assert is_idle(server, 5)
    assert raw.status(status.job).state == SUCCESSFUL
    call.cancel()


def test_a_failure_after_the_first_rows_ends_the_fetch(raw):
    query = "select if(id = 3000000, raise_error('too far'), repeat('y', 50)) as t from range(4000000)"
    status = raw.wait(raw.submit(sql(query)), SUCCESSFUL)
    with pytest.raises(grpc.RpcError, match="too far"):
        raw.fetch(status.ticket())
    assert raw.status(status.job).state == FAILED


@pytest.mark.slow
def test_a_job_lasts_as_long_as_somebody_asks_for_it(server):
    other = server.another("--job-abandon-after", "2s")
    raw = Raw(other.address)
    asked, left = (raw.submit(sql(ENDLESS)) for _ in range(2))
    call = raw.channel.unary_stream("/ballista.protobuf.SchedulerGrpc/ExecuteQueryPush")(params(sql(ENDLESS)), timeout=60)
    next(call)
    for _ in range(12):
        time.sleep(0.5)
        assert raw.status(asked).state in (QUEUED, RUNNING)
    assert raw.status(left).state == FAILED
    assert call.is_active()
    call.cancel()
    raw.ask("CancelJob", text(1, asked))
    raw.close()


# ---- sessions ----

def test_what_a_session_sets_counts_for_its_queries(raw):
    zone = sql("select current_timezone() as z")
    session = raw.create_session({"datafusion.execution.time_zone": "Asia/Tokyo", "unheard.of": "x"})
    other = raw.create_session({}, "a name of mine")
    assert other == "a name of mine"
    assert raw.rows(zone, session=session) == [{"z": "Asia/Tokyo"}]
    assert raw.rows(zone, session=other) == raw.rows(zone) == [{"z": "UTC"}]
    assert raw.rows(zone, session=session, values={"datafusion.execution.time_zone": "Europe/Oslo"}) == [{"z": "Europe/Oslo"}]
    assert raw.rows(zone, session=session) == [{"z": "Asia/Tokyo"}]
    assert raw.create_session({"datafusion.execution.time_zone": None, "spark.sql.ansi.enabled": "false"}, session) == session
    assert raw.rows(sql("select 1 / id as x from range(1)"), session=session) == [{"x": None}]
    assert raw.remove_session(session) and not raw.remove_session(session)
    assert raw.rows(zone, session=session) == [{"z": "UTC"}]


def test_a_session_keeps_its_views(raw):
    session = raw.create_session({})
    raw.rows(sql("create temporary view v as select 5 as five"), session=session)
    assert raw.rows(sql("select * from v"), session=session) == [{"five": 5}]
    copy = {"datafusion.execution.time_zone": "Asia/Tokyo"}
    assert raw.rows(sql("select five, current_timezone() as z from v"), session=session, values=copy) == [{"five": 5, "z": "Asia/Tokyo"}]
    raw.remove_session(session)
    with pytest.raises(Failed, match="TABLE_OR_VIEW_NOT_FOUND"):
        raw.rows(sql("select * from v"), session=session)


@pytest.mark.parametrize("key", ["datafusion.execution.time_zone", "spark.sql.session.timeZone"])
def test_a_setting_that_cannot_be_is_refused(raw, key):
    for ask in (lambda: raw.create_session({key: "Mars/Olympus"}), lambda: raw.submit(sql("select 1"), values={key: "Mars/Olympus"})):
        with pytest.raises(grpc.RpcError, match="Mars/Olympus"):
            ask()


def test_removing_a_session_cancels_its_jobs(raw, server):
    session = raw.create_session({})
    job = raw.submit(sql(ENDLESS), session=session)
    raw.wait(job, RUNNING)
    raw.remove_session(session)
    assert is_idle(server, 5)
    assert raw.status(job).error == "Cancelled"


# ---- formats ----

def test_old_fields_and_encoded_queries_are_one_registry(raw, tables):
    import datafusion
    import datafusion.substrait

    ctx = datafusion.SessionContext()
    ctx.register_parquet("people", f"{tables}/people.parquet")
    plan = ctx.sql("select max(id) as m from people").optimized_logical_plan().to_bytes()
    assert raw.rows((LOGICAL, plan)) == [{"m": 11}]
    assert raw.rows((ENCODED, encoded("datafusion.logical_plan.v54", plan))) == [{"m": 11}]
    substrait = datafusion.substrait.Serde.serialize_bytes("select 1 as a, 'two' as b", datafusion.SessionContext())
    assert raw.rows((SUBSTRAIT, substrait)) == [{"a": 1, "b": "two"}]
    assert raw.rows((ENCODED, encoded("substrait.plan.v1", substrait))) == [{"a": 1, "b": "two"}]
    assert raw.rows((ENCODED, encoded("duckdb.sql", "select [1, 2] as l"))) == [{"l": [1, 2]}]


def test_a_physical_plan_is_refused_by_the_name_of_its_format(raw):
    for query in ((PHYSICAL, b"\x0a\x00"), (ENCODED, encoded("datafusion.physical_plan.v54", b"\x0a\x00"))):
        with pytest.raises(Failed, match="datafusion.physical_plan.v54 .*spark.sql"):
            raw.submit(query)


def test_an_option_that_a_format_does_not_have_is_refused(raw):
    with pytest.raises(Failed, match="have no option speed"):
        raw.submit((ENCODED, encoded("spark.sql", "select 1", speed="high")))


def test_a_format_of_a_plugin_needs_no_word_here(server):
    plugin = pathlib.Path(BINARY).parent / "plugin_acme_decoder.so"
    if not plugin.exists():
        pytest.skip("plug-ins are not built with sanitizers")
    raw = Raw(server.another("--plugins", str(plugin)).address)
    raw.rows(sql("create table numbers as select id from range(100)"))
    query = ENCODED, encoded("acme.query.v1", "from numbers\nwhere id > 96\nselect id * 2 as twice\n")
    assert sorted(row["twice"] for row in raw.rows(query)) == [194, 196, 198]
    with pytest.raises(Failed, match="acme.query.v1 has no step like"):
        raw.submit((ENCODED, encoded("acme.query.v1", "form numbers")))
    raw.close()


# ---- who is served ----

@pytest.mark.parametrize("method", ["PollWork", "RegisterExecutor", "HeartBeatFromExecutor", "UpdateTaskStatus", "ExecutorStopped"])
def test_executors_are_not_served(raw, method):
    with pytest.raises(grpc.RpcError) as caught:
        raw.ask(method, b"")
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_flight_sql_is_served_beside(raw, server):
    flight_sql = pytest.importorskip("pyarrow.flight")
    client = flight_sql.connect("grpc://" + server.address)
    url = b"type.googleapis.com/arrow.flight.protocol.sql.CommandStatementQuery"
    command = field(1, url) + field(2, field(1, b"select 42 as x"))
    info = client.get_flight_info(flight_sql.FlightDescriptor.for_command(command))
    assert client.do_get(info.endpoints[0].ticket).read_all().to_pylist() == [{"x": 42}]
    with pytest.raises(Exception, match="the ticket is unknown"):
        client.do_get(flight_sql.Ticket(b"0" * 32)).read_all()
    status = raw.wait(raw.submit(sql("select 43 as x")))
    assert client.do_get(flight_sql.Ticket(parse(status.ticket())[1][0])).read_all().to_pylist() == [{"x": 43}]
    client.close()


def test_what_was_fetched_is_kept_within_a_limit(server):
    raw = Raw(server.another("--ballista-keep-fetched", "100KiB", "--ballista-max-jobs", "5").address)
    first = raw.wait(raw.submit(sql("select id from range(10000)")))
    second = raw.wait(raw.submit(sql("select id from range(10000)")))
    for status in (first, second, second):
        assert raw.fetch(status.ticket()).num_rows == 10000
    with pytest.raises(grpc.RpcError, match="not kept"):
        raw.fetch(first.ticket())
    assert raw.status(first.job).state == SUCCESSFUL
    for _ in range(5):
        raw.rows(sql("select 1"))
    assert not raw.status(first.job).is_known
    raw.close()


@pytest.mark.slow
def test_jobs_are_forgotten_in_time(server):
    raw = Raw(server.another("--ballista-job-lifetime", "1s").address)
    job = raw.submit(sql("select 1"))
    raw.wait(job)
    time.sleep(3.5)
    assert not raw.status(job).is_known
    raw.close()


# ---- hostile ----

def code_of(ask):
    with pytest.raises(grpc.RpcError) as caught:
        ask()
    return caught.value.code().name


BROKEN = [b"\xff", b"\x0a\x7f", b"\x0b", field(1, b"\xff\xfe"), field(3, b"\xff\xfe"), field(4, b"\x0a\x05ab"), b"\x08\x01"]


@pytest.mark.parametrize("request_bytes", BROKEN)
def test_broken_requests_are_errors(raw, request_bytes):
    for method in ("ExecuteQuery", "CreateUpdateSession"):
        try:
            raw.ask(method, request_bytes)
        except grpc.RpcError as e:
            assert e.code().name in ("INVALID_ARGUMENT", "INTERNAL")
    assert raw.rows(sql("select 1 as a")) == [{"a": 1}]


def test_a_request_without_query_is_an_error(raw):
    assert code_of(lambda: raw.ask("ExecuteQuery", params(None))) == "INVALID_ARGUMENT"
    assert code_of(lambda: raw.push(None)) == "INVALID_ARGUMENT"


def test_plans_that_nest_deeply_are_errors(raw):
    def nested(levels):
        plan = field(10, b"\x08\x01")  # EmptyRelation
        for _ in range(levels):
            plan = field(23, field(1, plan))  # Distinct
        return plan

    assert raw.wait(raw.submit((LOGICAL, nested(40)))).state == SUCCESSFUL
    for levels in (300, 5000):
        with pytest.raises(Failed, match="nest"):
            raw.submit((LOGICAL, nested(levels)))


def test_requests_that_are_too_large_are_refused(raw):
    code = code_of(lambda: raw.submit((ENCODED, encoded("spark.sql", b"select 1 --" + b"x" * (200 << 20)))))
    assert code in ("RESOURCE_EXHAUSTED", "OUT_OF_RANGE")
    assert raw.rows(sql("select 1 as a")) == [{"a": 1}]


def test_many_settings_are_no_trouble(raw):
    values = {f"key.{i}": "v" * 50 for i in range(20000)}
    assert raw.rows(sql("select 1 as a"), values=values) == [{"a": 1}]


def test_tickets_of_nothing_are_errors(raw):
    status = raw.wait(raw.submit(sql("select 1 as a")))
    for wrong in (ticket(new()), ticket("x" * 5000), ticket(status.job, partition=3), field(1, field(3, b"\x0a\xff")),
                  field(1, field(3, text(1, status.job) + b"\xff")), field(1, b""), b"", b"\xff", field(1, field(2, b"x"))):
        assert code_of(lambda: raw.fetch(wrong)) in ("NOT_FOUND", "INVALID_ARGUMENT", "UNIMPLEMENTED")
    assert raw.fetch(status.ticket()).num_rows == 1


@pytest.mark.concurrent
def test_fetches_of_one_result_side_by_side(raw):
    status = raw.wait(raw.submit(sql("select id from range(200000)")))
    got = []

    def fetch():
        got.append(raw.fetch(status.ticket()).num_rows)

    threads = [threading.Thread(target=fetch) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [200000] * 6


def test_types_leave_as_arrow(raw):
    (row,) = raw.rows(sql("select cast(1.50 as decimal(5, 2)) as d, array(1, null) as l, named_struct('x', 1) as s, "
                          "date'2024-02-29' as day, timestamp'2024-02-29 12:00:00' as ts, cast('ab' as binary) as b"))
    assert row["l"] == [1, None] and row["s"] == {"x": 1} and row["b"] == b"ab"
    assert pa.scalar(row["ts"]).type.tz == "UTC"
