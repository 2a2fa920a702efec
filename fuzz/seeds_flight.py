#!/usr/bin/env python3
"""Writes fuzz/corpus/flight: calls of Flight SQL from which the fuzzer starts. Needs pyarrow for the rows."""
import pathlib
import struct
import sys

import pyarrow as pa

root = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(root / "tests" / "hostile"))
from proto_bytes import field  # noqa: E402

URL = b"type.googleapis.com/arrow.flight.protocol.sql."
METHODS = [line.split("(")[1].split(",")[0] for line in
           (root / "src/front/flight_sql/methods.def").read_text(encoding="utf-8").splitlines()
           if line.startswith("PT_FLIGHT_METHOD(")]
corpus = pathlib.Path(__file__).resolve().parent / "corpus" / "flight"
corpus.mkdir(parents=True, exist_ok=True)


def any_of(name, content=b""):
    return field(1, URL + name.encode()) + field(2, content)


def descriptor(name, content=b""):
    return b"\x08\x02" + field(2, any_of(name, content))


def seed(name, method, *messages):
    data = bytes([METHODS.index(method)]) + b"".join(struct.pack("<H", len(m)) + m for m in messages)
    (corpus / name).write_bytes(data)


def rows(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream, at = sink.getvalue().to_pybytes(), 0
    while (size := struct.unpack_from("<i", stream, at + 4)[0]) != 0:
        body = pa.ipc.read_message(pa.py_buffer(stream[at:])).body
        body = b"" if body is None else body.to_pybytes()
        yield field(2, stream[at + 8:at + 8 + size]) + field(1000, body)
        at += 8 + size + len(body)


SELECT = field(1, b"select 1")
INGEST = field(1, b"\x08\x01\x10\x03") + field(2, b"t")
TABLE = pa.table({"i": [1, None], "s": ["a", "b"], "l": [[1], None]})
seed("query", "GetFlightInfo", descriptor("CommandStatementQuery", SELECT))
seed("poll", "PollFlightInfo", descriptor("CommandStatementQuery", SELECT))
seed("schema", "GetSchema", descriptor("CommandGetTables", field(3, b"a%") + b"\x28\x01"))
seed("facts", "DoGet", field(1, any_of("CommandGetSqlInfo", field(1, b"\x00\x08"))))
seed("types", "DoGet", field(1, any_of("CommandGetXdbcTypeInfo", b"\x08\x04")))
seed("ticket", "DoGet", field(1, b"0" * 32))
seed("ingest", "DoPut", field(1, descriptor("CommandStatementIngest", INGEST)), *rows(TABLE))
seed("update", "DoPut", field(1, descriptor("CommandStatementUpdate", SELECT)), *rows(pa.table({})))
seed("bind", "DoPut", field(1, descriptor("CommandPreparedStatementQuery", field(1, b"0" * 32))), *rows(TABLE))
seed("handshake", "Handshake", b"")
for kind, content in (("CreatePreparedStatement", any_of("ActionCreatePreparedStatementRequest", SELECT)),
                      ("EndTransaction", any_of("ActionEndTransactionRequest", field(1, b"0" * 32) + b"\x10\x01")),
                      ("CancelFlightInfo", field(1, field(3, field(1, field(1, b"0" * 32))))),
                      ("RenewFlightEndpoint", field(1, field(1, field(1, b"0" * 32)))),
                      ("SetSessionOptions", field(1, field(1, b"schema") + field(2, field(1, b"main")))),
                      ("CloseSession", b"")):
    seed(kind, "DoAction", field(1, kind.encode()) + field(2, content))
