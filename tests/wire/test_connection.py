"""Connections as clients keep them: keepalive (BR-013), tokens, floods, draining."""
import signal
import struct
import threading
import time

import grpc
import pytest

from raw_http2 import GOAWAY, PING, RST_STREAM, HEADERS, SETTINGS, Peer, connect, frame, never_read, request_headers

pytestmark = pytest.mark.concurrent

HEALTH = "/grpc.health.v1.Health/"
SERVING = b"\x08\x01"
ENHANCE_YOUR_CALM = 11


def check_health(channel):
    return channel.unary_unary(HEALTH + "Check", None, None)(b"", timeout=5)


def keep_idle(address, seconds, ping_interval_ms):
    """Calls, idles while pinging, calls again; the states that the channel had."""
    states = []
    options = [("grpc.keepalive_time_ms", ping_interval_ms), ("grpc.keepalive_timeout_ms", 5000),
               ("grpc.keepalive_permit_without_calls", 1), ("grpc.http2.max_pings_without_data", 0)]
    with grpc.insecure_channel(address, options=options) as channel:
        channel.subscribe(states.append)
        assert check_health(channel) == SERVING
        time.sleep(seconds)
        assert check_health(channel) == SERVING
    return states


def check_never_left_ready(states):
    ready = states.index(grpc.ChannelConnectivity.READY)
    assert set(states[ready:]) <= {grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.SHUTDOWN}, states


def test_pings_on_an_idle_connection_are_welcome(server):
    check_never_left_ready(keep_idle(server.address, 6, 1000))


@pytest.mark.slow
def test_pings_on_an_idle_connection_are_welcome_for_long(server):
    check_never_left_ready(keep_idle(server.address, 65, 10000))


def test_each_ping_is_answered(server):
    with connect(server.address) as stream:
        peer = Peer(stream)
        for number in range(100):
            stream.sendall(frame(PING, struct.pack(">Q", number)))
            kind, flags, _, payload = peer.wait_for(PING)
            assert (kind, flags, payload) == (PING, 1, struct.pack(">Q", number))


def goaway_code(peer):
    got = peer.wait_for(GOAWAY)
    return got and struct.unpack(">I", got[3][4:8])[0]


def flood(server, frames):
    """Sends until the server has had enough; what its GOAWAY says. Others are served meanwhile."""
    with grpc.insecure_channel(server.address) as other, connect(server.address) as stream:
        peer = Peer(stream)
        assert peer.wait_for(SETTINGS) is not None
        writer = threading.Thread(target=send_quietly, args=(stream, frames), daemon=True)
        writer.start()
        code = goaway_code(peer)
        assert check_health(other) == SERVING
    writer.join(10)
    assert not writer.is_alive()
    return code


def send_quietly(stream, frames):
    try:
        for piece in frames:
            stream.sendall(piece)
    except OSError:
        pass


def test_a_flood_of_pings_ends_only_its_connection(server):
    assert flood(server, (frame(PING, bytes(8)) for _ in range(20000))) == ENHANCE_YOUR_CALM


def test_rapid_reset_ends_only_its_connection(server):
    block = request_headers(b"/grpc.health.v1.Health/Watch")
    pieces = (frame(HEADERS, block, 4, stream) + frame(RST_STREAM, struct.pack(">I", 8), 0, stream)
              for stream in range(1, 40001, 2))
    assert flood(server, pieces) == ENHANCE_YOUR_CALM


def test_garbage_ends_only_its_connection(server):
    for garbage in (b"GET / HTTP/1.1\r\n\r\n", bytes(1000), b"\x16\x03\x01" + bytes(500)):
        with connect(server.address) as stream:
            stream.sendall(garbage)
            while stream.recv(65536):
                pass
    with grpc.insecure_channel(server.address) as channel:
        assert check_health(channel) == SERVING


def test_a_peer_that_says_nothing_is_let_go(server):
    other = server.another("--http2.handshake-timeout", "300ms")
    began = time.monotonic()
    with connect(other.address) as stream:
        while stream.recv(65536):
            pass
    assert 0.2 < time.monotonic() - began < 3


def resident_bytes(server):
    for line in open(f"/proc/{server.process.pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024


def check_hangs_up(stream):
    stream.settimeout(10)
    try:
        while stream.recv(1 << 20):
            pass
    except (ConnectionResetError, BrokenPipeError):
        pass


def test_a_client_that_never_reads_is_let_go(server):
    other = server.another("--http2.stall-timeout", "1s", "--http2.max-queued-bytes", "4MiB")
    with grpc.insecure_channel(other.address) as channel, connect(other.address) as stream:
        Peer(stream)
        before = resident_bytes(other)
        never_read(stream, 2000)
        assert check_health(channel) == SERVING
        assert resident_bytes(other) - before < 64 << 20
        time.sleep(3)
        check_hangs_up(stream)
        assert "http2.stall-timeout" in other.text()


def test_connections_are_limited(server):
    other = server.another("--max-connections", "2")
    with connect(other.address) as first, connect(other.address) as second:
        assert Peer(first).wait_for(SETTINGS) and Peer(second).wait_for(SETTINGS)
        with connect(other.address) as third:
            assert third.recv(1) == b""
    time.sleep(0.1)
    with connect(other.address) as stream:
        assert Peer(stream).wait_for(SETTINGS)


@pytest.mark.parametrize("key", ["authorization", "authentication"])
def test_a_bearer_token_is_asked_for(server, tmp_path, key):
    (tmp_path / "token").write_text("s3cret\n")
    guarded = server.another("--token", tmp_path / "token")
    path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    with grpc.insecure_channel(guarded.address) as channel:
        reflect = channel.stream_stream(path, None, None)
        for metadata in (None, [(key, "Bearer wrong")]):
            with pytest.raises(grpc.RpcError) as raised:
                list(reflect(iter([b"\x3a\x00"]), metadata=metadata, timeout=5))
            assert raised.value.code() == grpc.StatusCode.UNAUTHENTICATED
        assert list(reflect(iter([b"\x3a\x00"]), metadata=[(key, "Bearer s3cret")], timeout=5))
        assert check_health(channel) == SERVING


def test_a_deadline_ends_a_call_on_the_server(server):
    block = request_headers(b"/grpc.health.v1.Health/Watch") + b"\x00\x0cgrpc-timeout\x04200m"
    with connect(server.address) as stream:
        peer = Peer(stream)
        began = time.monotonic()
        stream.sendall(frame(HEADERS, block, 4, 1) + frame(0, bytes(5), 1, 1))
        while True:
            kind, flags, number, _ = peer.read_frame()
            if kind in (HEADERS, RST_STREAM) and number == 1 and (kind == RST_STREAM or flags & 1):
                break
        assert 0.15 < time.monotonic() - began < 2


def test_draining_ends_watches_and_then_the_server(server):
    other = server.another()
    with grpc.insecure_channel(other.address) as channel:
        watch = channel.unary_stream(HEALTH + "Watch", None, None)(b"", timeout=20)
        assert next(watch) == SERVING
        other.process.send_signal(signal.SIGTERM)
        assert next(watch) == b"\x08\x02"
        with pytest.raises(grpc.RpcError) as raised:
            next(watch)
        assert raised.value.code() == grpc.StatusCode.UNAVAILABLE
    assert other.process.wait(5) == 0


def open_endless_call(stream):
    """A reflection call that the client does not end."""
    stream.sendall(frame(HEADERS, request_headers(b"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"), 4, 1))


def test_draining_has_a_limit(server):
    other = server.another("--drain-timeout", "500ms")
    with connect(other.address) as stream:
        peer = Peer(stream)
        open_endless_call(stream)
        stream.sendall(frame(PING, bytes(8)))
        assert peer.wait_for(PING)
        began = time.monotonic()
        other.process.send_signal(signal.SIGTERM)
        assert other.process.wait(5) == 0
        assert 0.4 < time.monotonic() - began < 3


def test_a_second_signal_stops_at_once(server):
    other = server.another("--drain-timeout", "60s")
    with connect(other.address) as stream:
        peer = Peer(stream)
        open_endless_call(stream)
        stream.sendall(frame(PING, bytes(8)))
        assert peer.wait_for(PING)
        other.process.send_signal(signal.SIGTERM)
        assert peer.wait_for(GOAWAY)
        time.sleep(0.2)
        assert other.alive()
        other.process.send_signal(signal.SIGTERM)
        assert other.process.wait(5) == 0


def test_log_can_be_json(server):
    import json

    other = server.another("--log-format", "json")
    assert other.stop() is None
    records = [json.loads(line) for line in other.text().splitlines() if line.startswith("{")]
    assert records and all({"time", "level", "component", "message"} <= set(record) for record in records)
