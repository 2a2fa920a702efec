"""What every gRPC client meets first: health, reflection, an unknown call, and how the program starts and stops."""
import signal
import subprocess
import time

import grpc
import pytest

from program import BINARY


def call(address, path, request, kind="unary_unary"):
    """A call without generated code: `request` and the answers are bytes."""
    with grpc.insecure_channel(address) as channel:
        method = getattr(channel, kind)(path, request_serializer=None, response_deserializer=None)
        if kind == "stream_stream":
            return b"".join(method(iter([request]), timeout=10))
        return method(request, timeout=10)


def test_health_says_serving(server):
    assert call(server.address, "/grpc.health.v1.Health/Check", b"") == b"\x08\x01"


def test_health_of_an_unknown_service_is_not_found(server):
    with pytest.raises(grpc.RpcError) as raised:
        call(server.address, "/grpc.health.v1.Health/Check", b"\x0a\x04nope")
    assert raised.value.code() == grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_reflection_lists_the_health_service(server, version):
    path = f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
    assert b"grpc.health.v1.Health" in call(server.address, path, b"\x3a\x00", "stream_stream")


def test_an_unknown_call_is_unimplemented(server):
    with pytest.raises(grpc.RpcError) as raised:
        call(server.address, "/no.such.Service/Call", b"")
    assert raised.value.code() == grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_idle_server_at_once(server, number):
    other = server.another()
    began = time.monotonic()
    other.process.send_signal(number)
    assert other.process.wait(10) == 0
    assert time.monotonic() - began < 2


def test_help_and_version_go_to_standard_output():
    for arguments, word in ((["--help"], "serve"), (["serve", "--help"], "--listen"), (["version"], "portico")):
        run = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=10)
        assert run.returncode == 0 and word in run.stdout, run


def test_a_taken_address_is_a_clear_error(server):
    run = subprocess.run([BINARY, "serve", "--listen", server.address], capture_output=True, text=True, timeout=10)
    assert run.returncode != 0
    assert server.address in run.stderr
