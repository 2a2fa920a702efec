#!/usr/bin/env python3
"""Writes fuzz/corpus/job_record: records of jobs and kept output from which the fuzzer starts."""
import pathlib
import struct

corpus = pathlib.Path(__file__).resolve().parent / "corpus" / "job_record"
corpus.mkdir(parents=True, exist_ok=True)
REQUEST, OUTCOME, OUTPUT = b"\0", b"\1", b"\2"


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def integer(field, value):
    return varint(field << 3) + varint(value)


def pair(key, value):
    return text(1, key) + text(2, value)


request = b"".join([
    text(1, b"spark.sql"), text(2, b"select * from v"), text(3, pair(b"option", b"on")), text(4, b"tag"),
    text(5, b"shop"), text(6, pair(b"spark.sql.ansi.enabled", b"false")), text(8, b"session"),
    text(7, text(1, b"v") + text(2, b"select 1") + text(3, b"shop") + text(4, b"column")),
])
outcome = b"".join([
    integer(1, 7), text(2, b"22012"), text(3, b"DIVIDE_BY_ZERO"), text(4, b"no"), text(5, pair(b"config", b"ansi")),
    text(6, b"job-1.arrows"), integer(7, 3), integer(8, 2), text(9, b"the temporary view v"), text(10, b"duckdb"),
])


def output(entries, schema, data):
    index = integer(2, len(schema)) + b"".join(text(1, entry) for entry in entries)
    end = b"\xff\xff\xff\xff\0\0\0\0"
    return schema + data + end + index + struct.pack("<QQ", len(index), 0) + b"PTJOBOUT"


header = b"\xff\xff\xff\xff" + struct.pack("<I", 8) + b"metadata"
batch = integer(1, 0) + integer(2, 5) + integer(3, len(header)) + integer(4, 40)
note = integer(1, 1) + integer(5, 7) + text(6, b"what a frontend said")

(corpus / "request").write_bytes(REQUEST + request)
(corpus / "outcome").write_bytes(OUTCOME + outcome)
(corpus / "output").write_bytes(OUTPUT + output([note, batch, batch, note], b"schema..", (header + bytes(40)) * 2))
(corpus / "output-notes").write_bytes(OUTPUT + output([note], b"", b""))
