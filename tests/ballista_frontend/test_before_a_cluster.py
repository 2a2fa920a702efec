"""A client of Ballista before Portico before a cluster of Ballista: plans go on as they came, and rules see them."""
import os
import pathlib
import sys

import grpc
import pytest

from conftest import register
from raw_ballista import LOGICAL, PHYSICAL, Failed, Raw
from serving import Server
from test_client import QUERIES, same

os.environ.setdefault("PT_BALLISTA_PYTHON", os.path.join(sys.prefix, "bin/newer-python"))
sys.path.append(str(pathlib.Path(__file__).parents[1] / "ballista"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    from cluster import Cluster

    started = Cluster(tmp_path_factory.mktemp("cluster"), executors=1)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def before(cluster, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("before"), "--backend", "ballista", "--ballista.schedulers", cluster.address)
    yield server
    problem = server.stop()
    assert problem is None, problem


@pytest.fixture(scope="module")
def guarded(cluster, tables, tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "policy").write_text(f"allow select user=*\nallow read-files user=* path={tables}/p*\n")
    server = Server(folder, "--backend", "ballista", "--ballista.schedulers", cluster.address, "--wrappers", "authorize",
                    "--authorize.policy", str(folder / "policy"))
    yield server
    problem = server.stop()
    assert problem is None, problem


def open_client(server, tables):
    from ballista import BallistaSessionContext

    settings = {"datafusion.execution.target_partitions": "2"}
    return register(BallistaSessionContext("df://" + server.address, cluster_config=settings), tables)


@pytest.mark.parametrize("query", QUERIES[::4])
def test_queries_pass_and_rows_come_back(before, tables, local, query):
    assert same(open_client(before, tables).sql(query).to_arrow_table(), local.sql(query).to_arrow_table(), "order by" in query)


def test_explain_is_the_cluster_s(before, tables):
    rows = open_client(before, tables).sql("explain select id from people where id > 3").to_arrow_table().to_pylist()
    assert [row["plan_type"] for row in rows] == ["logical_plan", "physical_plan", "distributed_plan"]


def test_writing_is_the_cluster_s(before, tables, tmp_path):
    ctx = open_client(before, tables)
    copied = ctx.sql(f"copy (select id from people) to '{tmp_path}/out/' stored as parquet").to_arrow_table()
    assert copied.to_pylist() == [{"count": 12}]
    assert ctx.read_parquet(f"{tmp_path}/out/").count() == 12


def test_what_fails_there_fails_here(before, tables):
    with pytest.raises(Exception, match="Job .* failed: .*(DIVIDE|Divide)"):
        open_client(before, tables).sql("select 1 / (id - id) as x from people").to_arrow_table()


def test_a_physical_plan_goes_on(before):
    raw = Raw(before.address)
    status = raw.wait(raw.submit((PHYSICAL, b"\xff")))
    assert "not known here" not in (status.error or "")
    raw.close()


def test_rules_see_the_paths_of_a_plan_that_goes_on(guarded, tables, local):
    ctx = open_client(guarded, tables)
    for query in ("select id, name from people where room = 1 order by id", "select room, count(*) as n from people group by room"):
        assert same(ctx.sql(query).to_arrow_table(), local.sql(query).to_arrow_table(), "order by" in query)
    with pytest.raises(Exception, match="rooms.parquet"):
        ctx.sql("select * from rooms").to_arrow_table()
    with pytest.raises(Exception, match="rooms.parquet"):
        ctx.sql("select p.id from people p join rooms r on p.room = r.room").to_arrow_table()


def test_settings_of_a_session_go_on_with_its_plans(before, tables):
    raw = Raw(before.address)
    import datafusion

    ctx = register(datafusion.SessionContext(), tables)
    plan = ctx.sql("select sum(n) as s from many").optimized_logical_plan().to_bytes()
    session = raw.create_session({"datafusion.execution.target_partitions": "2", "ballista.job.name": "from the session"})
    assert raw.rows((LOGICAL, plan), session=session) == [{"s": 1999000}]
    with pytest.raises((Failed, grpc.RpcError)):
        raw.create_session({f"key.{i}": "v" * 1000 for i in range(2000)}, session)
    raw.remove_session(session)
    raw.close()
