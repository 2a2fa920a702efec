"""Clients of Ballista for a test; the server is that of ../conftest.py. `./dev ballista-frontend` runs these."""
import datetime
import importlib.util
import pathlib
import sys

import pytest

for folder in ("hostile", "datafusion"):
    sys.path.append(str(pathlib.Path(__file__).parents[1] / folder))

if importlib.util.find_spec("ballista") is None:
    collect_ignore_glob = ["test_*.py"]  # another environment, which runs the suites that its clients are for


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """The folder of people.parquet (types, NULLs, ties), rooms.parquet and the folder many/ of four files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("tables")
    names = ["Ada", "Bob", None, "Dee", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kay", "Lou"]
    pq.write_table(pa.table({
        "id": pa.array(range(12), pa.int64()), "room": pa.array([None if i == 7 else i % 4 for i in range(12)], pa.int32()),
        "name": names, "height": [1.5 + i / 16 for i in range(12)], "tags": [["x"] * (i % 3) for i in range(12)],
        "born": [datetime.date(1990, 1 + i, 3) for i in range(12)],
        "seen": pa.array([datetime.datetime(2024, 1 + i // 4, 1 + i, 12, 30) for i in range(12)], pa.timestamp("us"))}),
        folder / "people.parquet")
    pq.write_table(pa.table({"room": pa.array([0, 1, 2, 9], pa.int32()), "floor": ["ground", "first", "first", None]}),
                   folder / "rooms.parquet")
    (folder / "many").mkdir()
    for part in range(4):
        pq.write_table(pa.table({"n": pa.array(range(part * 500, part * 500 + 500), pa.int64())}),
                       folder / "many" / f"{part}.parquet")
    return folder


def register(ctx, folder):
    for name in ("people", "rooms"):
        ctx.register_parquet(name, f"{folder}/{name}.parquet")
    ctx.register_parquet("many", f"{folder}/many/")
    return ctx


@pytest.fixture
def connect(server, tables):
    """The package's own session: connect({"setting": "value"})."""
    from ballista import BallistaSessionContext

    def open_it(settings=None):
        wanted = {"datafusion.execution.target_partitions": "3", **(settings or {})}
        return register(BallistaSessionContext("df://" + server.address, cluster_config=wanted), tables)

    return open_it


@pytest.fixture(params=["push", "pull"])
def remote(request, connect):
    return connect({"ballista.client.pull": "true" if request.param == "pull" else "false"})


@pytest.fixture
def local(tables):
    from datafusion import SessionContext

    return register(SessionContext(), tables)


@pytest.fixture
def raw(server):
    from raw_ballista import Raw

    client = Raw(server.address)
    yield client
    client.close()


def cpu_seconds(server):
    fields = open(f"/proc/{server.process.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100
