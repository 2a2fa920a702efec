#!/usr/bin/env python3
"""Writes fuzz/corpus/arrow_ipc: small streams of every type that local rows may have. Needs pyarrow."""
import datetime
import decimal
import pathlib

import pyarrow as pa

corpus = pathlib.Path(__file__).resolve().parent / "corpus" / "arrow_ipc"
corpus.mkdir(parents=True, exist_ok=True)

when = datetime.datetime(2024, 1, 2, 3, 4, 5)
columns = {
    "numbers": [pa.array([1, None, 3], t) for t in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64())],
    "texts": [pa.array(["a", None, "ä€"], t) for t in (pa.utf8(), pa.large_utf8())]
    + [pa.array([b"a", None, b"\xff"], t) for t in (pa.binary(), pa.large_binary())],
    "times": [
        pa.array([when.date(), None, when.date()], pa.date32()),
        pa.array([when, None, when], pa.timestamp("us")),
        pa.array([when, None, when], pa.timestamp("us", "Europe/Berlin")),
        pa.array([datetime.timedelta(1), None, datetime.timedelta(2)], pa.duration("us")),
    ],
    "others": [
        pa.array([True, None, False]),
        pa.array([decimal.Decimal("1.20"), None, decimal.Decimal("-3.00")], pa.decimal128(10, 2)),
        pa.nulls(3),
    ],
    "nested": [
        pa.array([[1, None], None, []], pa.list_(pa.int32())),
        pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": None}]),
        pa.array([[("k", 1)], None, []], pa.map_(pa.utf8(), pa.int32())),
        pa.array([[[{"z": [1]}]], None, []]),
    ],
    "refused": [
        pa.array([1, None, 3], pa.uint8()),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.array([when, None, when], pa.timestamp("ns")),
    ],
}


def write(name, table, **options):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    (corpus / name).write_bytes(sink.getvalue().to_pybytes())


for name, arrays in columns.items():
    table = pa.table({f"c{i}": array for i, array in enumerate(arrays)})
    write(name, table)
    if name == "texts":
        write("texts-zstd", table, compression="zstd")
        write("texts-lz4", table, compression="lz4")
