"""What no client sends: every call ends with an error of its own, and the server goes on."""
import os
import random
import struct

import grpc
import pyarrow as pa
import pytest
from proto_bytes import field, nested, varint
from raw_flight import any_of, descriptor, fields, number, text

LONG_TEXT = b"x" * 300_000
GARBAGE = [b"", b"\x00", b"\xff" * 10, b"\x0a", b"\x0a\xff\xff\xff\xff\x0f", b"\x08" * 50, os.urandom(200), LONG_TEXT,
           nested(5_000, b"", 1), field(1, field(1, LONG_TEXT)), b"\x0b" * 40]
COMMANDS = ["CommandStatementQuery", "CommandPreparedStatementQuery", "CommandStatementUpdate", "CommandStatementIngest",
            "CommandPreparedStatementUpdate", "CommandGetTables", "CommandGetSqlInfo", "CommandGetXdbcTypeInfo",
            "CommandGetDbSchemas", "CommandGetPrimaryKeys", "CommandGetCrossReference", "CommandStatementSubstraitPlan",
            "CommandNobodyKnows", "ActionBeginTransactionRequest", ""]
ACTIONS = ["CreatePreparedStatement", "ClosePreparedStatement", "BeginTransaction", "EndTransaction", "CancelQuery",
           "CancelFlightInfo", "RenewFlightEndpoint", "SetSessionOptions", "GetSessionOptions", "NobodyKnows", ""]
EXPECTED = {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED,
            grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ALREADY_EXISTS}


@pytest.fixture(autouse=True)
def _goes_on(flight):
    yield
    assert flight.query("select 1 as x")["x"].to_pylist() == [1]


def outcome(ask):
    """The code that the call ended with; anything but an answer or an error of the client's fails."""
    try:
        ask()
    except grpc.RpcError as failure:
        assert failure.code() in EXPECTED, failure
        return failure.code()
    return grpc.StatusCode.OK


@pytest.mark.parametrize("rpc", ["GetFlightInfo", "PollFlightInfo", "GetSchema"])
def test_descriptors(flight, rpc):
    for garbage in GARBAGE:
        outcome(lambda garbage=garbage: flight.unary(rpc, garbage))
        outcome(lambda garbage=garbage: flight.unary(rpc, number(1, 2) + field(2, garbage)))
        for name in COMMANDS:
            outcome(lambda garbage=garbage, name=name: flight.unary(rpc, descriptor(name, garbage)))
    assert outcome(lambda: flight.unary(rpc, number(1, 1) + field(3, b"a"))) == grpc.StatusCode.INVALID_ARGUMENT
    assert outcome(lambda: flight.unary(rpc, descriptor("CommandNobodyKnows"))) == grpc.StatusCode.UNIMPLEMENTED


def test_tickets(flight):
    for garbage in [*GARBAGE, b"0" * 32, b"\x00" * 32]:
        assert outcome(lambda garbage=garbage: list(flight.unary_stream("DoGet", field(1, garbage)))) != grpc.StatusCode.OK
        outcome(lambda garbage=garbage: list(flight.unary_stream("DoGet", garbage)))
        for name in COMMANDS:
            outcome(lambda garbage=garbage, name=name: list(flight.unary_stream("DoGet", field(1, any_of(name, garbage)))))


def test_actions(flight):
    for kind in ACTIONS:
        for garbage in GARBAGE:
            for body in (garbage, any_of("ActionCreatePreparedStatementRequest", garbage),
                         any_of("ActionEndTransactionRequest", garbage)):
                outcome(lambda kind=kind, body=body: list(
                    flight.unary_stream("DoAction", field(1, kind.encode()) + field(2, body))))


def ipc_parts(table):
    """[(header, body)] of the messages of a stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream, at, parts = sink.getvalue().to_pybytes(), 0, []
    while (size := struct.unpack_from("<i", stream, at + 4)[0]) != 0:
        header = stream[at + 8:at + 8 + size]
        body = pa.ipc.read_message(pa.py_buffer(stream[at:])).body
        body = b"" if body is None else body.to_pybytes()
        parts.append((header, body))
        at += 8 + size + len(body)
    return parts


ROWS = pa.table({"i": [1, 2, None], "s": ["a", None, "c"], "l": [[1], None, [2, 3]]})
INGEST = field(1, number(1, 1) + number(2, 3)) + text(2, "hostile") + number(5, 1)


def put(flight, command, parts):
    first = field(1, descriptor("CommandStatementIngest", command))
    messages = [first] + [field(2, header) + field(1000, body) for header, body in parts]
    return outcome(lambda: list(flight.stream("DoPut", messages)))


def test_rows_as_they_should_be(flight):
    assert put(flight, INGEST, ipc_parts(ROWS)) == grpc.StatusCode.OK


def test_rows_with_bits_turned(flight):
    chance = random.Random(7)
    parts = ipc_parts(ROWS)
    for _ in range(300):
        header, body = (bytearray(b) for b in parts[chance.randrange(len(parts))])
        broken = header if chance.random() < 0.7 or not body else body
        for _ in range(chance.randrange(1, 4)):
            broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        put(flight, INGEST, [parts[0], (bytes(header), bytes(body))])


def test_rows_cut_short_and_out_of_order(flight):
    parts = ipc_parts(ROWS)
    for wrong in ([], parts[1:], parts[::-1], [parts[0], parts[0]], [(parts[0][0][:20], b"")],
                  [parts[0], (parts[1][0], parts[1][1][:8])], [parts[0], (parts[1][0], b"")], [(b"", b"x" * 100)]):
        put(flight, INGEST, wrong)


def test_puts_of_garbage(flight):
    for garbage in GARBAGE:
        outcome(lambda garbage=garbage: list(flight.stream("DoPut", [garbage])))
        outcome(lambda garbage=garbage: list(flight.stream("DoPut", [field(1, garbage)] * 3)))
        for name in COMMANDS:
            messages = [field(1, descriptor(name, garbage)), garbage, field(2, garbage) + field(1000, garbage)]
            outcome(lambda messages=messages: list(flight.stream("DoPut", messages)))


def test_parameters_of_garbage(flight):
    handle = text(1, flight.prepare("select ?::int")[1])
    for garbage in GARBAGE:
        for name in ("CommandPreparedStatementQuery", "CommandPreparedStatementUpdate"):
            messages = [field(1, descriptor(name, handle)) + field(2, garbage) + field(1000, garbage)]
            outcome(lambda messages=messages: list(flight.stream("DoPut", messages)))
        outcome(lambda: flight.unary("GetFlightInfo", descriptor("CommandPreparedStatementQuery", handle)))


def test_calls_without_a_request(flight):
    for rpc in ("GetFlightInfo", "GetSchema", "DoGet", "DoAction", "DoPut"):
        assert outcome(lambda rpc=rpc: list(flight.stream(rpc, []))) == grpc.StatusCode.INVALID_ARGUMENT
    for rpc in ("GetFlightInfo", "DoAction"):
        message = descriptor("CommandStatementQuery", text(1, "select 1"))
        outcome(lambda rpc=rpc, message=message: list(flight.stream(rpc, [message] * 3)))


def test_handshakes_of_garbage(flight):
    for garbage in GARBAGE:
        outcome(lambda garbage=garbage: list(flight.stream("Handshake", [garbage, garbage])))
    for value in ("Bearer", "Bearer " + "x" * 5000, "Basic ===", "Basic", ""):
        outcome(lambda value=value: list(flight.stream("Handshake", [], metadata=[("authorization", value)])))


def test_a_transaction_ended_while_it_is_used(flight):
    for _ in range(20):
        transaction = flight.begin()
        calls = [flight.channel.unary_unary("/arrow.flight.protocol.FlightService/GetFlightInfo").future(
            descriptor("CommandStatementQuery", text(1, "select 1") + text(2, transaction)), timeout=20)
            for _ in range(5)]
        flight.end(transaction, 2)
        for call in calls:
            outcome(call.result)
        assert outcome(lambda t=transaction: flight.unary("GetFlightInfo", descriptor(
            "CommandStatementQuery", text(1, "select 1") + text(2, t)))) == grpc.StatusCode.NOT_FOUND


def test_many_statements_in_one_text_with_a_failure(flight):
    message = descriptor("CommandStatementQuery", text(1, "select 1; select 2; selekt"))
    assert outcome(lambda: flight.unary("GetFlightInfo", message)) == grpc.StatusCode.INVALID_ARGUMENT
    info = flight.unary("GetFlightInfo", descriptor("CommandStatementQuery", text(1, "select 1; select 2 as x")))
    assert fields(info)[3]
    assert outcome(lambda: flight.unary("GetFlightInfo", descriptor("CommandStatementQuery", text(1, " ;; ")))) == (
        grpc.StatusCode.INVALID_ARGUMENT)
    assert outcome(lambda: flight.unary("GetFlightInfo", descriptor(
        "CommandStatementQuery", field(1, b"select 'a\x00b'") + varint(0)))) in EXPECTED


def test_text_that_is_not_utf8(flight):
    column = pa.StringArray.from_buffers(1, pa.py_buffer(struct.pack("<2i", 0, 2)), pa.py_buffer(b"\xff\xfe"))
    assert put(flight, INGEST, ipc_parts(pa.table({"s": column}))) == grpc.StatusCode.INVALID_ARGUMENT


def test_a_schema_message_without_its_schema(flight):
    """Well-formed as a flatbuffer, but for the part that the format asks for."""
    header, body = ipc_parts(ROWS)[0]
    for at in range(0, min(len(header), 64)):
        for bit in range(8):
            broken = bytearray(header)
            broken[at] ^= 1 << bit
            put(flight, INGEST, [(bytes(broken), body)])


# ---- limits ----

def test_what_a_client_can_grow_has_a_limit_that_is_named(server):
    import pyarrow.flight as pf
    from raw_flight import Flight

    limits = {"max-statements": 3, "max-transactions": 2, "max-tickets": 2, "max-put-bytes": 65536}
    small = server.another(*(word for name, value in limits.items() for word in (f"--flight-sql.{name}", str(value))))
    client = Flight(small.address)
    try:
        handles = [client.prepare("select 1")[1] for _ in range(3)]
        with pytest.raises(pa.ArrowException, match="flight-sql.max-statements"):
            client.prepare("select 1")
        client.sql_action("ClosePreparedStatement", "ActionClosePreparedStatementRequest", text(1, handles[0]))
        client.prepare("select 1")
        transactions = [client.begin() for _ in range(2)]
        with pytest.raises(pa.ArrowException, match="flight-sql.max-transactions"):
            client.begin()
        client.end(transactions[0], 2)
        infos = [client.info("CommandStatementQuery", text(1, "select 1 as x")) for _ in range(2)]
        with pytest.raises(pa.ArrowException, match="flight-sql.max-tickets"):
            client.info("CommandStatementQuery", text(1, "select 1 as x"))
        assert client.read(infos[0]).num_rows == 1
        assert client.query("select 1 as x").num_rows == 1
        with pytest.raises((pa.ArrowException, pf.FlightError), match="flight-sql.max-put-bytes"):
            client.put("CommandPreparedStatementQuery", text(1, handles[1]), pa.table({"a": list(range(100_000))}))
    finally:
        client.close()
