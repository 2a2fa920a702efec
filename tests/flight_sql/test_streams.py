"""Rows that come while they are written, clients that go away in the middle, and connections that end."""
import re
import threading
import time

import grpc
import pyarrow as pa
import pytest
from proto_bytes import field
from raw_flight import Flight, any_of, descriptor, fields, leave, number, record_count, text
from test_hostile import ipc_parts

MIB = 1 << 20
CREATE, APPEND = number(1, 1) + number(2, 1), number(1, 2) + number(2, 2)
BATCH = pa.table({"i": pa.array(range(100_000), pa.int64()), "s": ["a text that takes some room"] * 100_000})


def command(table, mode, transaction=None):
    return descriptor("CommandStatementIngest", field(1, mode) + text(2, table) + text(6, transaction))


def messages(first, batches):
    """A stream of a schema and as many batches."""
    (schema, _), (header, body) = ipc_parts(BATCH)
    yield field(1, first) + field(2, schema)
    for _ in range(batches):
        yield field(2, header) + field(1000, body)


def eventually(check, seconds=10):
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        if check():
            return True
        time.sleep(0.05)
    return False


def exists(flight, table):
    return flight.query(f"select 1 as x from duckdb_tables() where table_name = '{table}'").num_rows == 1


def succeeds(flight, sql):
    try:
        return flight.query(sql) is not None
    except pa.ArrowException:
        return False


@pytest.fixture
def other(server):
    client = Flight(server.address)
    yield client
    client.close()


def test_many_batches_become_one_table(flight, table):
    answer = list(flight.stream("DoPut", messages(command(table, CREATE), 20)))
    assert [record_count(fields(a)[1]) for a in answer] == [2_000_000]
    got = flight.query(f"select count(*) as n, sum(i) as i, sum(length(s)) as s from {table}").to_pylist()[0]
    assert got == {"n": 2_000_000, "i": 20 * 4_999_950_000, "s": 2_000_000 * 27}


@pytest.mark.parametrize("mode", [CREATE, APPEND], ids=["create", "append"])
def test_a_client_that_goes_away_leaves_nothing(flight, other, table, mode):
    if mode == APPEND:
        flight.query(f"create table {table}(i bigint, s varchar)")
    sent, gone = threading.Event(), threading.Event()

    def half():
        yield from messages(command(table, mode), 10)
        sent.set()
        gone.wait(30)

    call = other.channel.stream_stream("/arrow.flight.protocol.FlightService/DoPut")(half(), timeout=60)
    assert sent.wait(20)
    time.sleep(0.3)
    leave(call)
    gone.set()
    if mode == CREATE:
        assert not exists(flight, table)
        assert eventually(lambda: succeeds(flight, f"create table {table}(i int)"))
    assert flight.query(f"select count(*) as n from {table}")["n"].to_pylist() == [0]


@pytest.mark.parametrize("mode", [CREATE, APPEND], ids=["create", "append"])
def test_rows_that_break_off_in_the_middle_leave_nothing(flight, table, mode):
    if mode == APPEND:
        flight.query(f"create table {table}(i bigint, s varchar)")
    other_schema = ipc_parts(pa.table({"z": [1.5]}))

    def broken(last):
        yield from messages(command(table, mode), 15)
        yield from last

    header, body = ipc_parts(BATCH)[1]
    for last in ([field(2, other_schema[0][0])], [field(2, other_schema[1][0]) + field(1000, other_schema[1][1])],
                 [field(2, header) + field(1000, body[:100])], [field(2, b"garbage" * 10)], [b"\x0a\xff\xff"]):
        with pytest.raises(grpc.RpcError) as failure:
            list(flight.stream("DoPut", broken(last)))
        assert failure.value.code() == grpc.StatusCode.INVALID_ARGUMENT or failure.value.code() == grpc.StatusCode.INTERNAL
        if mode == APPEND:
            assert flight.query(f"select count(*) as n from {table}")["n"].to_pylist() == [0]
        else:
            assert not exists(flight, table)


def resident_mib(server):
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{server.process.pid}/status").read())[1]) / 1024


def test_wide_rows_that_nobody_reads_hold_little(server, flight):
    """The engine counts the values of its buffer, not their bytes: 20 kB for each."""
    before = resident_mib(server)
    info = flight.info("CommandStatementQuery", text(1, "select range, repeat('x', 20000) as t from range(20000000)"))
    call = flight.unary_stream("DoGet", field(1, info.endpoints[0].ticket.ticket))
    next(call)
    time.sleep(2)
    assert resident_mib(server) < before + 1200
    leave(call)


def test_a_client_waits_while_the_engine_is_behind(server, flight, other, table):
    """The transaction's connection is busy with rows that do not come, so nothing is read of another 400 MiB."""
    (answer,) = flight.unary_stream("DoAction", field(1, b"BeginTransaction") + field(2, any_of("ActionBeginTransactionRequest")))
    transaction = fields(fields(fields(answer)[1])[2])[1]
    may_end, before, sent = threading.Event(), resident_mib(server), 0

    def slow():
        yield from messages(command(table + "_slow", CREATE, transaction), 5)
        may_end.wait(50)

    def counted():
        nonlocal sent
        for message in messages(command(table, CREATE, transaction), 100):
            yield message
            sent += len(message)

    put = flight.channel.stream_stream("/arrow.flight.protocol.FlightService/DoPut")
    first = put(slow(), timeout=60)
    time.sleep(1)
    second = put(counted(), timeout=60)
    time.sleep(2)
    assert sent < 150 * MIB, "the client was not held back"
    assert resident_mib(server) < before + 150
    may_end.set()
    assert len(list(first)) == len(list(second)) == 1
    end = any_of("ActionEndTransactionRequest", text(1, transaction) + number(2, 1))
    list(flight.unary_stream("DoAction", field(1, b"EndTransaction") + field(2, end)))
    assert flight.query(f"select count(*) as n from {table}")["n"].to_pylist() == [10_000_000]
    flight.query(f"drop table {table}_slow")


def test_values_of_an_update_come_one_by_one(cursor, table):
    cursor.execute(f"create table {table}(i bigint, s varchar)")
    cursor.fetchall()
    cursor.executemany(f"insert into {table} values (?, ?)", [(i, str(i)) for i in range(5000)])
    cursor.execute(f"select count(*), sum(i), count(distinct s) from {table}")
    assert cursor.fetchall() == [(5000, sum(range(5000)), 5000)]


def test_rows_with_dictionaries_are_ingested_plain(cursor, table):
    cursor.adbc_ingest(table, pa.table({"d": pa.array(["a", "b", None, "a"]).dictionary_encode()}))
    cursor.execute(f"select d from {table}")
    assert cursor.fetchall() == [("a",), ("b",), (None,), ("a",)]


# ---- connections ----

def test_the_transaction_of_a_connection_that_is_gone_is_rolled_back(server, flight, table):
    flight.query(f"create table {table}(i int)")
    flight.query(f"insert into {table} values (1)")
    gone = Flight(server.address)
    transaction = gone.begin()
    gone.query(f"update {table} set i = 2", transaction)
    with pytest.raises(pa.ArrowException, match="[Cc]onflict"):
        flight.query(f"update {table} set i = 3")
    gone.close()

    assert eventually(lambda: succeeds(flight, f"update {table} set i = 3"))
    assert flight.query(f"select i from {table}")["i"].to_pylist() == [3]


def test_a_result_outlives_the_connection_that_asked_for_it(server, flight):
    gone = Flight(server.address)
    info = gone.info("CommandStatementQuery", text(1, "select 42 as x"))
    gone.close()
    time.sleep(2.5)
    assert flight.read(info)["x"].to_pylist() == [42]


def test_statements_of_a_connection_that_is_gone_are_closed(server, flight):
    before = flight.query("select 1 as x")
    for _ in range(20):
        gone = Flight(server.address)
        gone.prepare("select 1")
        gone.close()
    assert flight.query("select 1 as x") == before
