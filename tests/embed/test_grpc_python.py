"""gRPC's own server for Python carries the calls: PySpark talks to grpcio, and grpcio to the frontend in this process.

The transport is examples/foreign_call.c, built as a shared library and called by ctypes.
"""
import concurrent.futures
import ctypes
import pathlib
import subprocess
import threading

import grpc
import pytest

from program import BINARY

BUILD = pathlib.Path(BINARY).parent
ROOT = pathlib.Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not (BUILD / "libportico.so").exists(),
                                reason="the sanitized presets have no shared library")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    library = tmp_path_factory.mktemp("foreign") / "libforeign.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-I", ROOT / "include", ROOT / "examples/foreign_call.c", "-o", library,
                    "-L", BUILD, "-lportico", f"-Wl,-rpath,{BUILD}"], check=True)
    api = ctypes.CDLL(str(library))
    api.foreign_open.restype = ctypes.c_void_p
    api.foreign_begin.restype = ctypes.c_void_p
    api.foreign_begin.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    api.foreign_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    pointer, size = ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t)
    api.foreign_receive.argtypes = [ctypes.c_void_p, pointer, size]
    api.foreign_status.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p), pointer, size]
    for name in ("half_close", "end", "close"):
        getattr(api, f"foreign_{name}").argtypes = [ctypes.c_void_p]
    return api


class Handler(grpc.GenericRpcHandler):
    """Every method as a stream of messages both ways, which is what a call is."""

    def __init__(self, api, transport):
        self.api, self.transport = api, transport

    def service(self, details):
        return grpc.stream_stream_rpc_method_handler(
            lambda requests, context: self.run(details.method.encode(), requests, context))

    def send_all(self, call, requests):
        try:
            for request in requests:
                self.api.foreign_send(call, request, len(request))
        except Exception:
            pass  # the client has gone
        self.api.foreign_half_close(call)

    def run(self, path, requests, context):
        call = self.api.foreign_begin(self.transport, path)
        sender = threading.Thread(target=self.send_all, args=(call, requests))
        sender.start()
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        try:
            while self.api.foreign_receive(call, data, size):
                yield ctypes.string_at(data, size.value)
            message = ctypes.c_char_p()
            code = self.api.foreign_status(call, message, data, size)
            if code != 0:
                details = ctypes.string_at(data, size.value) if size.value else b""
                context.set_trailing_metadata((("grpc-status-details-bin", details),) if details else ())
                context.set_details(message.value.decode())
                context.set_code(next(c for c in grpc.StatusCode if c.value[0] == code))
        finally:
            sender.join()
            self.api.foreign_end(call)


@pytest.fixture(scope="module")
def url(foreign):
    transport = foreign.foreign_open()
    assert transport
    with concurrent.futures.ThreadPoolExecutor(max_workers=16) as threads:
        server = grpc.server(threads, options=[("grpc.max_receive_message_length", 128 << 20)])
        server.add_generic_rpc_handlers((Handler(foreign, transport),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        yield f"sc://127.0.0.1:{port}"
        server.stop(5).wait()
    foreign.foreign_close(transport)


@pytest.fixture
def guest(url):
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(url).create()
    yield session
    session.stop()


def test_queries(guest):
    guest.createDataFrame([(1, "a"), (2, "b"), (3, "b")], "n int, s string").createOrReplaceTempView("t")
    rows = guest.sql("select s, sum(n) as total from t group by s order by s").collect()
    assert [(row.s, row.total) for row in rows] == [("a", 1), ("b", 5)]
    assert guest.version == "4.2.0"


def test_a_large_result(guest):
    table = guest.sql("select id, cast(id as string) as s from range(2000000)").toArrow()
    assert table.num_rows == 2_000_000 and table.column("id")[1_999_999].as_py() == 1_999_999


def test_errors_keep_their_details(guest):
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException) as error:
        guest.sql("select nothing from range(1)").collect()
    assert error.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert error.value.getSqlState() == "42703"


def test_an_interrupt(guest):
    from pyspark.errors import PySparkException

    failures = []

    def run():
        try:
            guest.sql("select sum(a.id % 13) from range(1000000) a, range(1000000) b").collect()
        except PySparkException as error:
            failures.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    for _ in range(300):
        if guest.interruptAll():
            break
        thread.join(0.1)
    thread.join(30)
    assert failures and "OPERATION_CANCELED" in failures[0]


def test_unknown_methods(url):
    with grpc.insecure_channel(url[5:]) as channel:
        with pytest.raises(grpc.RpcError) as error:
            channel.unary_unary("/nothing.Here/Nothing")(b"", timeout=20)
    assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED
