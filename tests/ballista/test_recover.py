"""Another node picks up a job that runs on the cluster when its own node is killed."""
import os
import pathlib
import sys
import time

import grpc
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark")
sys.path.append(str(pathlib.Path(__file__).parents[1] / "spark_connect"))
from raw import Raw, new, table  # noqa: E402

from serving import Server  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    pq.write_table(pa.table({"s": [f"row {i}" for i in range(50000)]}), folder / "0.parquet")
    for i in range(1, 200):
        os.link(folder / "0.parquet", folder / f"{i}.parquet")
    return folder


def reattach(raw, session, op):
    """As clients do: again while the server says that it is not ready yet."""
    give_up = time.monotonic() + 40
    while True:
        try:
            return list(raw.again(session, op))
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE or time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def slow_query(folder):
    text = "s"
    for _ in range(7):
        text = f"upper(reverse(lower({text})))"
    return f"select max({text}) as m from parquet.`{folder}`"


def test_a_running_job_is_picked_up(own_cluster, tmp_path, folder):
    cluster = own_cluster()

    def start():
        return Server(tmp_path / new(), "--backend", "ballista", "--ballista.schedulers", cluster.address,
                      "--jobs.store", f"sqlite:{tmp_path}/jobs.db",
                      "--jobs.output-directory", str(tmp_path / "output"), "--jobs.lease", "500ms")

    def submitted():
        return cluster.scheduler.text().count("Job submitted")

    first = start()
    session, op = new(), new()
    raw = Raw(first.address)
    call = raw.ask(session, slow_query(folder), op)
    time.sleep(1.5)
    first.process.kill()
    first.process.wait()
    assert submitted() == 1
    second = start()
    answer = table(reattach(Raw(second.address), session, op))
    assert answer.num_rows == 1
    assert submitted() == 1
    del call
    problem = second.stop()
    assert not problem, problem
