#!/usr/bin/env python3
"""Writes fuzz/corpus/connection: conversations from which the fuzzer of connections starts."""
import gzip
import pathlib
import struct

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS = 1, 4
PREFACE, DEAF, LIMITED, DRAINED, LATE, ANSWERED = 1, 2, 4, 8, 16, 32


def frame(kind, payload=b"", flags=0, stream=0):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def fields(method, *extra, service=b"/test.Echo/"):
    base = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", service + method),
            (b"content-type", b"application/grpc"), *extra]
    return b"".join(literal(*field) for field in base)


def headers(method, *extra, stream=1, flags=END_HEADERS, **more):
    return frame(HEADERS, fields(method, *extra, **more), flags, stream)


def message(content, stream=1, compressed=0, end=END_STREAM):
    return frame(DATA, bytes([compressed]) + struct.pack(">I", len(content)) + content, end, stream)


def unary(method, content, *extra, **more):
    return headers(method, *extra, **more) + message(content)


acknowledge = frame(SETTINGS, flags=1)
seeds = {
    "unary": (PREFACE, 0, acknowledge + unary(b"Unary", b"hello")),
    "unary-in-bytes": (PREFACE, 1, unary(b"Unary", b"hello")),
    "own-preface": (0, 0, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS) + unary(b"Unary", b"hi")),
    "stream": (PREFACE, 3, unary(b"Stream", b"5")),
    "download": (PREFACE, 0, unary(b"Download", b"9") + frame(WINDOW_UPDATE, struct.pack(">I", 1 << 20)) +
                 frame(WINDOW_UPDATE, struct.pack(">I", 1 << 20), 0, 1)),
    "download-deaf": (PREFACE | DEAF | LATE, 0, unary(b"Download", b"99")),
    "collect": (PREFACE, 0, headers(b"Collect") + message(b"a", end=0) + message(b"b")),
    "fail": (PREFACE, 0, unary(b"Fail", b"no \xc3\xa9", (b"details-bin", b"CAMSAQ"))),
    "never-answered": (PREFACE | ANSWERED, 0, unary(b"Never", b"x")),
    "never-deadline": (PREFACE | LATE, 0, unary(b"Never", b"x", (b"grpc-timeout", b"10m"))),
    "never-drained": (PREFACE | DRAINED, 0, unary(b"Never", b"x") + frame(RST_STREAM, struct.pack(">I", 8), 0, 1)),
    "gzip": (PREFACE | LIMITED, 0, headers(b"Unary", (b"grpc-encoding", b"gzip"), (b"grpc-accept-encoding", b"gzip")) +
             message(gzip.compress(b"z" * 40, mtime=0), compressed=1)),
    "gzip-bomb": (PREFACE | LIMITED, 0, headers(b"Unary", (b"grpc-encoding", b"gzip")) +
                  message(gzip.compress(b"z" * 40000, mtime=0), compressed=1)),
    "resets": (PREFACE | LIMITED, 0, b"".join(headers(b"Never", stream=s) +
               frame(RST_STREAM, struct.pack(">I", 8), 0, s) for s in range(1, 25, 2))),
    "pings": (PREFACE | LIMITED, 0, frame(PING, bytes(8)) * 12),
    "settings": (PREFACE, 0, frame(SETTINGS, struct.pack(">HIHI", 4, 10, 5, 1 << 20)) + unary(b"Stream", b"3")),
    "continuation": (PREFACE, 0, headers(b"Unary", flags=0) + frame(CONTINUATION, literal(b"a", b"b"), END_HEADERS, 1) +
                     message(b"x")),
    "large-headers": (PREFACE | LIMITED, 0, unary(b"Unary", b"x", *[(b"key", b"v" * 100)] * 5)),
    "priority": (PREFACE, 0, frame(PRIORITY, bytes(5), 0, 3) + unary(b"Unary", b"x")),
    "goaway": (PREFACE, 0, unary(b"Never", b"x") + frame(GOAWAY, bytes(8))),
    "health": (PREFACE, 0, unary(b"List", b"", service=b"/grpc.health.v1.Health/")),
    "reflection": (PREFACE, 0, unary(b"ServerReflectionInfo", b"\x22\x1bgrpc.health.v1.Health.Check",
                                     service=b"/grpc.reflection.v1.ServerReflection/")),
}

folder = pathlib.Path(__file__).parent / "corpus/connection"
folder.mkdir(parents=True, exist_ok=True)
for name, (options, step, content) in seeds.items():
    (folder / name).write_bytes(bytes([options, step]) + content)
