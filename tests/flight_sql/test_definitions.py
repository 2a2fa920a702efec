"""Our definitions of Flight and Flight SQL against the published ones, which the driver of ADBC carries within itself."""
import importlib.util
import pathlib
import subprocess

import pytest
from google.protobuf import descriptor_pb2

PROTO = pathlib.Path(__file__).parents[2] / "proto"
OURS = {"Flight.proto": "arrow/flight.proto", "FlightSql.proto": "arrow/flight_sql.proto"}
# A password in a Handshake's payload, as clients once sent it; savepoints, which the backend does not have.
LEFT_OUT = {"arrow.flight.protocol.BasicAuth", "arrow.flight.protocol.sql.ActionBeginSavepointRequest",
            "arrow.flight.protocol.sql.ActionBeginSavepointResult", "arrow.flight.protocol.sql.ActionEndSavepointRequest"}
LENGTH_DELIMITED, VARINT = 2, 0
TIMESTAMP = """syntax = "proto3"; package google.protobuf; message Timestamp { int64 seconds = 1; int32 nanos = 2; }"""


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def end_of(data, at):
    """Where the serialized FileDescriptorProto at `at` ends: its fields have numbers of 1 to 14, the first once."""
    start = at
    while True:
        tag, after = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if not 1 <= number <= 14 or kind not in (VARINT, LENGTH_DELIMITED) or (number == 1 and at != start):
            return at
        value, after = varint(data, after)
        end = after + value if kind == LENGTH_DELIMITED else after
        if end > len(data):
            return at
        at = end


@pytest.fixture(scope="module")
def published():
    folder = pathlib.Path(importlib.util.find_spec("adbc_driver_flightsql").origin).parent
    driver = next(folder.glob("*.so")).read_bytes()
    found = {}
    for name in OURS:
        start = driver.find(b"\x0a" + bytes([len(name)]) + name.encode() + b"\x12")
        assert start >= 0, f"the driver does not carry {name}"
        found[name] = descriptor_pb2.FileDescriptorProto.FromString(driver[start:end_of(driver, start)])
        assert found[name].message_type
    return found


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    folder = tmp_path_factory.mktemp("protoc")
    out = folder / "set"
    (folder / "google/protobuf").mkdir(parents=True)
    (folder / "google/protobuf/timestamp.proto").write_text(TIMESTAMP)
    subprocess.run(["protoc", f"-I{PROTO}", f"-I{folder}", f"-o{out}", "--include_imports", *OURS.values()], check=True, capture_output=True, text=True)
    files = {file.name: file for file in descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file}
    return {name: files[path] for name, path in OURS.items()}


def messages(file):
    """{full name: message} of a file, nested ones as well."""
    found = {}

    def add(prefix, many):
        for message in many:
            name = f"{prefix}.{message.name}"
            found[name] = message
            add(name, message.nested_type)

    add(file.package, file.message_type)
    return found


def enums(file):
    found = {f"{file.package}.{enum.name}": enum for enum in file.enum_type}
    for name, message in messages(file).items():
        found.update({f"{name}.{enum.name}": enum for enum in message.enum_type})
    return found


def shape(field):
    """With whether absence is told from a default; ours writes an optional field as a oneof of one member."""
    return field.number, field.type, field.label, field.type_name.removeprefix("."), field.HasField("oneof_index")


@pytest.mark.parametrize("name", OURS)
def test_messages_are_the_published_ones(ours, published, name):
    theirs = messages(published[name])
    for full_name, message in messages(ours[name]).items():
        assert full_name in theirs
        assert {f.name: shape(f) for f in message.field} == {f.name: shape(f) for f in theirs[full_name].field}, full_name
    assert set(theirs) - set(messages(ours[name])) <= LEFT_OUT


@pytest.mark.parametrize("name", OURS)
def test_enumerations_are_the_published_ones(ours, published, name):
    theirs = enums(published[name])
    for full_name, enum in enums(ours[name]).items():
        known = {v.number: v.name for v in theirs[full_name].value}
        for value in enum.value:  # ours do without the prefix that is the enumeration's name
            assert known[value.number].endswith(value.name), f"{full_name}.{value.name}"
        assert len(known) == len(enum.value), full_name


def test_the_service_is_the_published_one(ours, published):
    def calls(file):
        return {m.name: (m.input_type, m.output_type, m.client_streaming, m.server_streaming)
                for service in file.service for m in service.method}

    if ours["Flight.proto"].service:
        assert calls(ours["Flight.proto"]) == calls(published["Flight.proto"])
    assert ours["Flight.proto"].package == published["Flight.proto"].package
    assert ours["FlightSql.proto"].package == published["FlightSql.proto"].package
