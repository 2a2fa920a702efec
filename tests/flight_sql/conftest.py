"""Clients of Flight SQL for a test; the server is that of ../conftest.py. `./dev flight` runs these."""
import contextlib
import importlib.util
import json
import os
import pathlib
import sys
import uuid

import pytest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "hostile"))
os.environ.setdefault("PORTICO_LOG_LEVEL", "debug")  # what each call asks for: see call_table.py

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


def pytest_sessionfinish(session, exitstatus):
    """After a whole run: which client sent what, for `./dev flight --table`; a gap that nothing explains fails it."""
    import call_table

    file = os.environ.get("PT_FLIGHT_TABLE")
    if not file or exitstatus not in (0, 1):
        return
    folder = session.config._tmp_path_factory.getbasetemp()
    counts = call_table.count(log.read_text(errors="replace") for log in folder.rglob("server-*.log"))
    pathlib.Path(file).write_text(json.dumps(counts, indent=1, sort_keys=True))
    gaps = call_table.gaps(counts)
    if gaps:
        print("\nno test sends", *(f"{row} by {client}" for client, row in gaps), sep="\n  ")
        session.exitstatus = 1
