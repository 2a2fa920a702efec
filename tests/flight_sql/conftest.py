"""Clients of Flight SQL for a test; the server is that of ../conftest.py. `./dev flight` runs these."""
import contextlib
import importlib.util
import pathlib
import sys
import uuid

import pytest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "hostile"))

if importlib.util.find_spec("adbc_driver_flightsql") is None:
    collect_ignore_glob = ["test_*.py"]  # another environment, which runs the suites that its clients are for


@pytest.fixture
def uri(server):
    return "grpc+tcp://" + server.address


@pytest.fixture
def connect(uri):
    """Opens ADBC connections, closed after the test: connect(autocommit=True)."""
    from adbc_driver_flightsql import dbapi

    with contextlib.ExitStack() as stack:
        yield lambda **options: stack.enter_context(dbapi.connect(uri, **options))


@pytest.fixture
def adbc(connect):
    return connect(autocommit=True)


@pytest.fixture
def cursor(adbc):
    with adbc.cursor() as one:
        yield one


@pytest.fixture
def flight(server):
    """pyarrow's client and the messages of Flight SQL."""
    from raw_flight import Flight

    client = Flight(server.address)
    yield client
    client.close()


@pytest.fixture
def table(cursor):
    """The name of a table that nobody has; dropped after the test."""
    name = "t_" + uuid.uuid4().hex[:12]
    yield name
    cursor.execute(f"drop table if exists {name}")
    cursor.fetchall()
