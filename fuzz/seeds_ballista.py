#!/usr/bin/env python3
"""Writes fuzz/corpus/ballista: calls of a Ballista client from which the fuzzer starts."""
import pathlib
import struct
import sys

root = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(root / "tests" / "hostile"))
from proto_bytes import field, varint  # noqa: E402

METHODS = [line.split(",")[1].strip() for line in
           (root / "src/front/ballista/methods.def").read_text(encoding="utf-8").splitlines()
           if line.startswith("PT_BALLISTA_METHOD(")]
corpus = pathlib.Path(__file__).resolve().parent / "corpus" / "ballista"
corpus.mkdir(parents=True, exist_ok=True)


def seed(name, method, message):
    (corpus / name).write_bytes(bytes([METHODS.index(method)]) + struct.pack("<H", len(message)) + message)


def setting(at, key, value):
    return field(at, field(1, key) + (b"" if value is None else field(2, value)))


PLAN = field(23, field(1, field(10, b"\x08\x01")))  # Distinct over EmptyRelation
ENCODED = field(1, b"spark.sql") + field(2, b"select 1") + field(3, field(1, b"a") + field(2, b"b"))
REST = (field(3, b"session") + field(5, b"operation") + setting(4, b"datafusion.execution.time_zone", b"UTC")
        + setting(4, b"ballista.job.name", b"n") + setting(4, b"spark.sql.ansi.enabled", None))
JOB = field(1, b"0190b8a2-5c3e-7d4f-8a6b-1c2d3e4f5a6b")
PARTITION = JOB + b"\x10\x01\x18\x00" + field(5, b"localhost") + b"\x30" + varint(50051) + b"\x38\x01\x40\x00"
for method in ("ExecuteQuery", "ExecuteQueryPush"):
    seed("logical_" + method, method, field(1, PLAN) + REST)
    seed("encoded_" + method, method, field(8, ENCODED) + REST)
seed("substrait", "ExecuteQuery", field(6, b""))
seed("physical", "ExecuteQuery", field(7, b"\x0a\x00"))
for method in ("GetJobStatus", "GetJobMetrics", "CancelJob", "CleanJobData", "RemoveSession"):
    seed(method, method, JOB)
seed("session", "CreateUpdateSession", setting(1, b"datafusion.execution.time_zone", b"Asia/Tokyo") + field(2, b"s"))
seed("ticket", "DoGet", field(1, field(3, PARTITION)))
