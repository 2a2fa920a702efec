"""TLS: with and without ALPN (BR-047), client certificates, and peers that speak something else."""
import os
import socket
import ssl
import subprocess
import sys
import time

import grpc
import pytest

from raw_http2 import DATA, HEADERS, SETTINGS, Peer, connect, frame, message, never_read, request_headers

HEALTH = "/grpc.health.v1.Health/Check"
SERVING = b"\x08\x01"


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def certificate(folder, name, host):
    """NAME.pem and NAME.key, signed by ca.pem."""
    openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr",
            "-subj", f"/CN={name}")
    (folder / f"{name}.ext").write_text(f"subjectAltName={host}\n")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "2", "-out", f"{name}.pem", "-extfile", f"{name}.ext")


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
            "-days", "2", "-subj", "/CN=test authority")
    certificate(folder, "server", "IP:127.0.0.1,DNS:localhost")
    certificate(folder, "elsewhere", "DNS:elsewhere.example")
    certificate(folder, "client", "DNS:client")
    return folder


def serve(server, keys, name, *options):
    return server.another("--tls-cert", keys / f"{name}.pem", "--tls-key", keys / f"{name}.key", *options)


@pytest.fixture
def tls_server(server, keys):
    return serve(server, keys, "server")


def check_health(address, credentials):
    with grpc.secure_channel(address, credentials) as channel:
        return channel.unary_unary(HEALTH, None, None)(b"", timeout=5)


def handshake(address, keys, alpn=None, newest=None):
    context = ssl.create_default_context(cafile=keys / "ca.pem")
    if alpn:
        context.set_alpn_protocols(alpn)
    if newest:
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = newest
    return context.wrap_socket(connect(address), server_hostname="127.0.0.1")


def test_a_grpc_client_is_served(tls_server, keys):
    assert check_health(tls_server.address, grpc.ssl_channel_credentials((keys / "ca.pem").read_bytes())) == SERVING


PYSPARK_PROGRAM = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).create()
print(spark.range(5).count(), spark.sql("select 7 as n").collect()[0].n)
spark.stop()
"""


def test_pyspark_with_use_ssl_is_served(tls_server, keys, tmp_path):
    """In a process of its own: gRPC reads the certificates that it trusts once."""
    program = tmp_path / "program.py"
    program.write_text(PYSPARK_PROGRAM)
    url = f"sc://localhost:{tls_server.address.rsplit(':', 1)[1]}/;use_ssl=true"
    done = subprocess.run([sys.executable, str(program), url], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(keys / "ca.pem")})
    assert done.stdout == "5 7\n", done


def test_alpn_selects_h2(tls_server, keys):
    with handshake(tls_server.address, keys, ["http/1.1", "h2"]) as stream:
        assert stream.selected_alpn_protocol() == "h2"
        assert stream.version() == "TLSv1.3"


def test_a_client_without_alpn_is_served(tls_server, keys):
    with handshake(tls_server.address, keys) as stream:
        assert stream.selected_alpn_protocol() is None
        peer = Peer(stream)
        stream.sendall(frame(HEADERS, request_headers(HEALTH.encode()), 4, 1) + frame(DATA, message(b""), 1, 1))
        assert peer.wait_for(DATA)[3] == message(SERVING)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_tls_1_2_is_served(tls_server, keys):
    with handshake(tls_server.address, keys, ["h2"], ssl.TLSVersion.TLSv1_2) as stream:
        assert stream.version() == "TLSv1.2"
        assert Peer(stream).wait_for(SETTINGS) is not None


def test_a_client_of_http_1_is_refused(tls_server, keys):
    with pytest.raises(ssl.SSLError):
        handshake(tls_server.address, keys, ["http/1.1"])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_tls_1_1_is_refused(tls_server, keys):
    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        handshake(tls_server.address, keys, ["h2"], ssl.TLSVersion.TLSv1_1)


def test_a_plain_client_gets_a_quick_error(tls_server):
    began = time.monotonic()
    with grpc.insecure_channel(tls_server.address) as channel, pytest.raises(grpc.RpcError) as raised:
        channel.unary_unary(HEALTH, None, None)(b"", timeout=10)
    assert raised.value.code() == grpc.StatusCode.UNAVAILABLE
    assert time.monotonic() - began < 3


def test_a_tls_client_of_a_plain_server_gets_a_quick_error(server, keys):
    began = time.monotonic()
    with pytest.raises(grpc.RpcError) as raised:
        check_health(server.address, grpc.ssl_channel_credentials((keys / "ca.pem").read_bytes()))
    assert raised.value.code() == grpc.StatusCode.UNAVAILABLE
    assert time.monotonic() - began < 3


def test_a_certificate_for_another_host_is_refused_by_the_client(server, keys):
    other = serve(server, keys, "elsewhere")
    with pytest.raises(grpc.RpcError):
        check_health(other.address, grpc.ssl_channel_credentials((keys / "ca.pem").read_bytes()))


def test_a_client_certificate_can_be_required(server, keys):
    mutual = serve(server, keys, "server", "--tls-client-ca", keys / "ca.pem")
    authority = (keys / "ca.pem").read_bytes()
    with pytest.raises(grpc.RpcError):
        check_health(mutual.address, grpc.ssl_channel_credentials(authority))
    shown = grpc.ssl_channel_credentials(authority, (keys / "client.key").read_bytes(),
                                         (keys / "client.pem").read_bytes())
    assert check_health(mutual.address, shown) == SERVING


def test_a_client_that_leaves_during_the_handshake_does_no_harm(tls_server, keys):
    for size in (0, 1, 5, 100):
        with connect(tls_server.address) as stream:
            stream.sendall((b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200))[:size])
    assert check_health(tls_server.address, grpc.ssl_channel_credentials((keys / "ca.pem").read_bytes())) == SERVING


def test_a_client_that_never_reads_is_let_go(server, keys):
    other = serve(server, keys, "server", "--http2.stall-timeout", "1s", "--http2.max-queued-bytes", "4MiB")
    with handshake(other.address, keys, ["h2"]) as stream:
        Peer(stream)
        never_read(stream, 2000)
        time.sleep(3)
        stream.settimeout(10)
        with pytest.raises((ssl.SSLError, OSError)):
            while stream.recv(1 << 20):
                pass
            raise ConnectionResetError
        assert "http2.stall-timeout" in other.text()


@pytest.mark.parametrize("options, word", [
    (["--tls-cert", "server.pem"], "--tls-key"),
    (["--tls-cert", "absent.pem", "--tls-key", "server.key"], "absent.pem"),
    (["--tls-cert", "server.pem", "--tls-key", "client.key"], "client.key"),
    (["--tls-cert", "server.pem", "--tls-key", "server.key", "--tls-client-ca", "absent.pem"], "absent.pem"),
])
def test_wrong_files_are_named(keys, options, word):
    from program import BINARY

    run = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", *options], cwd=keys, capture_output=True,
                         text=True, timeout=10)
    assert run.returncode == 2 and word in run.stderr, run
