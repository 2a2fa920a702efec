#!/usr/bin/env python3
"""Writes fuzz/corpus/ballista_cluster: what executors and schedulers send, from which the fuzzer starts. Needs pyarrow."""
import pathlib
import struct
import sys

import pyarrow as pa

root = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(root / "tests" / "hostile"))
sys.path.append(str(root / "tests" / "ballista"))
import plans  # noqa: E402
from proto_bytes import field, varint  # noqa: E402

ROWS, STATUS, CONNECTION, PLAN = range(4)
corpus = pathlib.Path(__file__).resolve().parent / "corpus" / "ballista_cluster"
corpus.mkdir(parents=True, exist_ok=True)


def seed(name, kind, *messages):
    parts = b"".join(struct.pack("<H", len(message)) + message for message in messages)
    (corpus / name).write_bytes(bytes([kind]) + (messages[0] if kind == PLAN else parts))


def flight_messages(table, compression):
    """FlightData of the messages of an IPC stream: their headers without the frame, and their bodies."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    reader = pa.ipc.MessageReader.open_stream(sink.getvalue())
    for message in reader:
        body = b"" if message.body is None else message.body.to_pybytes()
        yield field(2, message.metadata.to_pybytes()) + field(1000, body)


texts = ["short", None, "a text that no view holds"]
tables = {
    "plain": pa.table({"t": texts, "n": pa.array([1, None, 3], pa.int64()), "l": [[1], None, []], "b": [True, None, False]}),
    "views": pa.table({"v": pa.array(texts, pa.string_view()), "s": [{"a": "x"}, None, {"a": None}]}),
    "dictionary": pa.table({"d": pa.array(texts).dictionary_encode(), "n": pa.array([1, 2, 3], pa.int32())}),
}
for name, table in tables.items():
    for compression in (None, "lz4", "zstd"):
        seed(f"{name}_{compression or 'none'}", ROWS, *flight_messages(table, compression))

executor = field(1, b"e") + field(2, b"127.0.0.1") + b"\x18" + varint(50051)
location = field(2, field(1, b"job") + b"\x10\x01\x20\x02") + field(3, executor) + field(4, b"\x08\x03") + b"\x30\x07"
seed("running", STATUS, field(1, field(2, b"\x08\x01") + field(5, b"job")))
seed("failed", STATUS, field(1, field(3, field(1, b"Error planning job"))))
seed("successful", STATUS, field(1, field(4, field(1, location) + field(1, location))), b"\x10\x01" + field(1, b""))
settings = b"\0\0\0\x04\0\0\0\0\0"
headers = b"\0\0\x01\x01\x04\0\0\0\x01\x88"
data = b"\0\0\x07\0\0\0\0\0\x01\0\0\0\0\x02hi"
seed("connection", CONNECTION, settings, headers, data, b"\0\0\x08\x06\0\0\0\0\x00pingpong", b"\0\0\x04\x03\0\0\0\0\x01\0\0\0\x08")
scan = plans.scan(["/a"], [("s", plans.UTF8)])
seed("plan", PLAN, plans.sort(plans.group(plans.where(scan, plans.operation("Gt", plans.column("s"), plans.integer(1))),
                                          [plans.column("s")], [plans.aggregate("count", plans.integer(1))]), plans.column("s")))
