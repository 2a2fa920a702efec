"""examples/embed_epoll.c and embed_uv.c: servers of somebody else's that mount Spark Connect beside their own routes."""
import http.client
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

import grpc
import pytest

from program import BINARY
from serving import LISTENING, REPORT, START_LIMIT_SECONDS, STOP_LIMIT_SECONDS

BUILD = pathlib.Path(BINARY).parent
QUICKSTART = pathlib.Path(__file__).parents[2] / "examples/quickstart.py"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
EMPTY_SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


class Example:
    """A running example; ends as an operator would end it, and then tells what was wrong."""

    def __init__(self, name, folder):
        self.log = pathlib.Path(folder) / f"{name}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([BUILD / f"example_{name}"], cwd=folder, stdout=log, stderr=log)
        give_up = time.monotonic() + START_LIMIT_SECONDS
        while not LISTENING.search(self.text()):
            assert self.process.poll() is None and time.monotonic() < give_up, self.text()
            time.sleep(0.01)
        self.host, port = LISTENING.search(self.text())[1].split(":")
        self.port = int(port)
        self.url = f"sc://{self.host}:{port}"

    def text(self):
        return self.log.read_text(errors="replace")

    def stop(self):
        self.process.terminate()
        try:
            assert self.process.wait(STOP_LIMIT_SECONDS) == 0, self.text()
        finally:
            self.process.kill()
        assert not REPORT.search(self.text()), self.text()

    def connect(self):
        peer = socket.create_connection((self.host, self.port), timeout=20)
        return peer


@pytest.fixture(scope="module", params=["embed_epoll", "embed_uv"])
def example(request, tmp_path_factory):
    example = Example(request.param, tmp_path_factory.mktemp(request.param))
    yield example
    example.stop()


@pytest.fixture
def guest(example):
    """A Spark session on the example."""
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(example.url).create()
    yield session
    session.stop()


def read_to_end(peer):
    data = b""
    while piece := peer.recv(65536):
        data += piece
    return data


def greet(example, name, timeout=20):
    with grpc.insecure_channel(f"{example.host}:{example.port}") as channel:
        call = channel.unary_unary("/acme.Greeter/Greet")
        return call(b"\x0a" + bytes([len(name)]) + name, timeout=timeout)


# ---- Spark Connect ----

def test_quickstart_runs(example, tmp_path):
    run = subprocess.run([sys.executable, str(QUICKSTART), example.url], cwd=tmp_path, capture_output=True, text=True,
                         timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "+---" in run.stdout


def test_a_large_result_arrives_whole(guest):
    rows = 3_000_000
    table = guest.sql(f"select id, id * 7 as b, cast(id as string) as c from range({rows})").toArrow()
    assert table.num_rows == rows
    assert table.column("b")[rows - 1].as_py() == (rows - 1) * 7


def test_clients_do_not_disturb_each_other(example):
    from pyspark.sql.connect.session import SparkSession

    wrong = []

    def work(number):
        session = SparkSession.builder.remote(example.url).create()
        try:
            session.range(number).createOrReplaceTempView("mine")
            for _ in range(5):
                found = session.sql("select count(*) as n, sum(id) as s from mine").collect()[0]
                if (found.n, found.s) != (number, number * (number - 1) // 2):
                    wrong.append((number, found))
        except Exception as error:
            wrong.append((number, error))
        finally:
            session.stop()

    threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not wrong


def test_an_interrupt_ends_a_query(guest):
    from pyspark.errors import PySparkException

    failures = []

    def run():
        try:
            guest.sql("select sum(a.id % 13) from range(1000000) a, range(1000000) b").collect()
        except PySparkException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    give_up = time.monotonic() + 30
    while not guest.interruptAll() and time.monotonic() < give_up:
        time.sleep(0.1)
    thread.join(30)
    assert not thread.is_alive() and len(failures) == 1
    assert "OPERATION_CANCELED" in str(failures[0])


def test_errors_are_those_of_spark(guest):
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        guest.sql("select * from nothing").collect()


# ---- what the server serves itself ----

def test_own_http_route(example):
    for _ in range(3):
        connection = http.client.HTTPConnection(example.host, example.port, timeout=20)
        connection.request("GET", "/hello")
        response = connection.getresponse()
        assert response.status == 200 and response.read().startswith(b"hello")
    connection = http.client.HTTPConnection(example.host, example.port, timeout=20)
    connection.request("GET", "/nothing")
    assert connection.getresponse().status == 404


def test_own_grpc_method(example):
    assert greet(example, b"Ada") == b"\x0a\x0bHello, Ada!"
    with grpc.insecure_channel(f"{example.host}:{example.port}") as channel:
        with pytest.raises(grpc.RpcError) as error:
            channel.unary_unary("/acme.Greeter/Greet")(b"junk", timeout=20)
        assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        with pytest.raises(grpc.RpcError) as error:
            channel.unary_unary("/acme.Greeter/Nothing")(b"", timeout=20)
        assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_health_knows_both_services(example):
    with grpc.insecure_channel(f"{example.host}:{example.port}") as channel:
        check = channel.unary_unary("/grpc.health.v1.Health/Check")
        for service in (b"", b"acme.Greeter", b"spark.connect.SparkConnectService"):
            request = b"\x0a" + bytes([len(service)]) + service if service else b""
            assert check(request, timeout=20) == b"\x08\x01"  # SERVING


# ---- sockets ----

def test_first_bytes_in_pieces(example):
    with example.connect() as peer:
        for byte in b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n":
            peer.sendall(bytes([byte]))
        assert b"\r\n\r\nhello" in read_to_end(peer)
    with example.connect() as peer:
        for byte in PREFACE + EMPTY_SETTINGS:
            peer.sendall(bytes([byte]))
        assert peer.recv(9)[3] == 4  # its SETTINGS


def test_a_peer_that_sends_no_more_gets_its_answer(example):
    with example.connect() as peer:
        peer.sendall(b"GET /hello HTTP/1.1\r\n\r\n")
        peer.shutdown(socket.SHUT_WR)
        assert b"\r\n\r\nhello" in read_to_end(peer)
    with example.connect() as peer:
        peer.shutdown(socket.SHUT_WR)
        assert read_to_end(peer) == b""


def test_nonsense_is_answered_and_closed(example):
    with example.connect() as peer:
        peer.sendall(PREFACE + b"\xff" * 100)
        assert b"HTTP" not in read_to_end(peer)
    with example.connect() as peer:
        peer.sendall(b"A" * 100_000)
        try:
            assert b"431" in read_to_end(peer)
        except ConnectionResetError:
            pass  # what it had not read yet
    assert greet(example, b"Bo")


def count_sockets(process):
    count = 0
    for fd in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            count += os.readlink(fd).startswith("socket:")
        except FileNotFoundError:
            pass  # closed since
    return count


def test_peers_that_vanish_leave_nothing(example, tmp_path):
    before = count_sockets(example.process)
    program = tmp_path / "client.py"
    program.write_text(f"""
from pyspark.sql.connect.session import SparkSession
spark = SparkSession.builder.remote({example.url!r}).create()
print("ready", flush=True)
spark.sql("select id, repeat('x', 100) as x from range(100000000)").toArrow()
""")
    clients = [subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE) for _ in range(2)]
    for client in clients:
        assert client.stdout.readline() == b"ready\n"
    time.sleep(0.5)
    assert count_sockets(example.process) > before
    for client in clients:
        client.kill()
        client.wait()
        client.stdout.close()
    give_up = time.monotonic() + 30
    while count_sockets(example.process) > before and time.monotonic() < give_up:
        time.sleep(0.1)
    assert count_sockets(example.process) <= before
    assert greet(example, b"Cy")


def test_a_client_that_reads_slowly_gets_all(example):
    rows = 400_000
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(example.url).create()
    seen = 0
    for row in session.sql(f"select id, repeat('y', 50) as y from range({rows})").toLocalIterator():
        seen += 1
        if seen % 100_000 == 0:
            time.sleep(0.3)
    session.stop()
    assert seen == rows


@pytest.mark.parametrize("name", ["embed_epoll", "embed_uv"])
def test_stopping_lets_a_running_query_end(name, tmp_path):
    from pyspark.sql.connect.session import SparkSession

    example = Example(name, tmp_path)
    session = SparkSession.builder.remote(example.url).create()
    rows = 1_000_000
    iterator = session.sql(f"select id, repeat('z', 40) as z from range({rows})").toLocalIterator()
    next(iterator)
    example.process.terminate()
    time.sleep(0.5)
    assert 1 + sum(1 for _ in iterator) == rows
    example.stop()
