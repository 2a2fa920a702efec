"""A call that its client resets costs no CPU any more, whatever it was about: measured by the process's own clock."""
import os
import threading
import time

import grpc
import pyarrow as pa
import pytest
from proto_bytes import field
from raw_flight import SERVICE, Flight, any_of, descriptor, fields, number, text
from test_hostile import ipc_parts

ENDLESS = "select count(*) from range(100000000000) a, range(1000) b where (a.range * 7 + b.range) % 1000003 = 5"
ROWS = "select range as i, md5(range::varchar) as s from range(10000000000)"
TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(server):
    after_name = open(f"/proc/{server.process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(after_name[11]) + int(after_name[12])) / TICK


def is_at_work(server):
    before = cpu_seconds(server)
    time.sleep(0.5)
    return cpu_seconds(server) - before > 0.1


def spent_after(server, seconds):
    """CPU that the server uses within that time, once a second for the end of what was reset has passed."""
    time.sleep(1)
    before = cpu_seconds(server)
    time.sleep(seconds)
    return cpu_seconds(server) - before


def stream(channel, rpc, request, keep_open=None):
    def messages():
        yield from request
        if keep_open is not None:
            keep_open.wait(60)
    return channel.stream_stream(SERVICE + rpc)(messages(), timeout=60)


def query_info(flight, sql):
    return flight.channel.unary_unary(SERVICE + "GetFlightInfo").future(descriptor("CommandStatementQuery", text(1, sql)), timeout=60)


def info(flight):
    return query_info(flight, ENDLESS)


def update(flight):
    first = field(1, descriptor("CommandStatementUpdate", text(1, "create temp table endless as " + ROWS)))
    return stream(flight.channel, "DoPut", [first])


def prepared_update(flight):
    body = any_of("ActionCreatePreparedStatementRequest", text(1, "create temp table endless as " + ROWS + " where range >= ?"))
    (answer,) = flight.unary_stream("DoAction", field(1, b"CreatePreparedStatement") + field(2, body))
    handle = fields(fields(fields(answer)[1])[2])[1]
    first = field(1, descriptor("CommandPreparedStatementUpdate", text(1, handle)))
    (schema, _), (header, rows) = ipc_parts(pa.table({"1": [0]}))
    return stream(flight.channel, "DoPut", [first + field(2, schema), field(2, header) + field(1000, rows)])


def get(flight):
    """The rows are asked for and taken as long as the call lasts."""
    answer = query_info(flight, ROWS).result()
    endpoint = fields(answer)[3]
    call = flight.channel.unary_stream(SERVICE + "DoGet")(fields(endpoint)[1], timeout=60)

    def take():
        try:
            for _ in call:
                pass
        except grpc.RpcError:
            pass  # the reset
    threading.Thread(target=take, daemon=True).start()
    return call


CALLS = {"GetFlightInfo": info, "DoGet": get, "DoPut of an update": update, "DoPut of a prepared update": prepared_update}


@pytest.mark.parametrize("name", CALLS)
def test_a_reset_call_frees_the_cpu(server, name):
    alone = server.another()
    flight = Flight(alone.address)
    call = CALLS[name](flight)
    give_up = time.monotonic() + 40
    while not is_at_work(alone):
        assert time.monotonic() < give_up, "the call does not work"
    call.cancel()
    assert spent_after(alone, 2) < 0.2
    assert flight.query("select 1 as x")["x"].to_pylist() == [1]
    flight.close()


def test_an_ingestion_that_waits_for_rows_costs_nothing(server):
    alone = server.another()
    flight, may_end = Flight(alone.address), threading.Event()
    (schema, _), (header, body) = ipc_parts(pa.table({"i": pa.array(range(200_000), pa.int64())}))
    first = descriptor("CommandStatementIngest", field(1, number(1, 1) + number(2, 1)) + text(2, "waits"))
    call = stream(flight.channel, "DoPut", [field(1, first) + field(2, schema), field(2, header) + field(1000, body)], may_end)
    assert spent_after(alone, 2) < 0.2
    may_end.set()
    assert len(list(call)) == 1
    assert flight.query("select count(*) as n from waits")["n"].to_pylist() == [200_000]
    flight.close()
