"""Plans of DataFusion that go to the cluster as they are."""
import socket

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import plans as p

MODES = ["--ballista.push=false", "--ballista.push=true"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "t.parquet"
    texts = [None if i == 4 else f"row {i}" + " and a text that no view holds" * (i % 2) for i in range(10)]
    pq.write_table(pa.table({"id": pa.array(range(10), pa.int64()), "k": pa.array([i % 3 for i in range(10)], pa.int32()),
                             "s": texts, "v": [i / 2 for i in range(10)]}), path)
    return path


def scan(path, text=p.UTF8_VIEW):
    return p.scan([path], [("id", p.INT64), ("k", p.INT32), ("s", text), ("v", p.FLOAT64)])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", [p.UTF8, p.UTF8_VIEW])
def test_rows_come_back(shared_cluster, rows, table, mode, text):
    got = rows(scan(table, text), shared_cluster.address, options=[mode])
    assert got[0] == "id,k,s,v"
    assert got[5:7] == ["4,1,,2.0", "5,2,row 5 and a text that no view holds,2.5"]
    assert len(got) == 11


@pytest.mark.parametrize("mode", MODES)
def test_aggregates_are_computed(shared_cluster, rows, table, mode):
    big = p.where(scan(table), p.operation("Gt", p.column("id"), p.integer(2)))
    sums = [p.named(p.aggregate("sum", p.column("v")), "total"), p.named(p.aggregate("count", p.integer(1)), "n")]
    plan = p.sort(p.group(big, [p.column("k")], sums), p.column("k"))
    assert rows(plan, shared_cluster.address, options=[mode]) == ["k,total,n", "0,9.0,3", "1,5.5,2", "2,6.5,2"]


def test_a_result_without_rows_has_columns(shared_cluster, rows, table):
    plan = p.where(scan(table), p.operation("Gt", p.column("id"), p.integer(1000)))
    assert rows(plan, shared_cluster.address) == ["id,k,s,v"]


@pytest.mark.parametrize("mode", MODES)
def test_a_plan_that_is_refused_says_why(shared_cluster, run_plan, table, mode):
    done = run_plan(p.project(scan(table), p.column("nothing")), shared_cluster.address, options=[mode])
    assert done.returncode == 1
    assert "No field named nothing" in done.stderr


@pytest.mark.parametrize("mode", MODES)
def test_a_division_by_zero_is_sparks_error(shared_cluster, run_plan, table, mode):
    zero = p.operation("Minus", p.column("id"), p.column("id"))
    plan = p.project(scan(table), p.named(p.operation("Divide", p.column("id"), zero), "x"))
    done = run_plan(plan, shared_cluster.address, options=[mode])
    assert done.returncode == 1
    assert "[DIVIDE_BY_ZERO]" in done.stderr


@pytest.mark.parametrize("mode", MODES)
def test_the_next_scheduler_is_asked_when_one_is_away(shared_cluster, rows, table, mode):
    assert len(rows(scan(table), "127.0.0.1:1", shared_cluster.address, options=[mode])) == 11


def test_no_scheduler_is_a_clear_error(run_plan):
    done = run_plan(p.ONE_ROW, "127.0.0.1:1", "127.0.0.1:2")
    assert done.returncode == 1
    assert "127.0.0.1:2 cannot be reached: Connection refused" in done.stderr


def test_what_is_no_scheduler_is_a_clear_error(run_plan, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = "127.0.0.1:%d" % silent.getsockname()[1]
        done = run_plan(p.ONE_ROW, address, options=["--ballista.call-timeout", "500ms"])
    assert done.returncode == 1
    assert "did not answer in time" in done.stderr


def test_partitions_come_whole(shared_cluster, run_arrow, tmp_path):
    """Many rows of many files, more than windows hold: each of them once."""
    for i in range(8):
        pq.write_table(pa.table({"id": pa.array(range(i * 100000, (i + 1) * 100000), pa.int64())}),
                       tmp_path / f"{i}.parquet")
    options = ["--ballista.target-partitions=8", "--ballista.fetch-connections=3", "--ballista.fetch-window=128KiB"]
    plan = p.scan([tmp_path], [("id", p.INT64)], partitions=8)
    got = run_arrow(plan, shared_cluster.address, options=options).read_all()["id"].to_pylist()
    assert sorted(got) == list(range(800000))


def test_a_sorted_result_is_sorted(shared_cluster, run_arrow, tmp_path):
    pq.write_table(pa.table({"id": pa.array([i * 7919 % 100003 for i in range(100003)], pa.int64())}),
                   tmp_path / "a.parquet")
    plan = p.sort(p.scan([tmp_path], [("id", p.INT64)]), p.column("id"))
    assert run_arrow(plan, shared_cluster.address).read_all()["id"].to_pylist() == list(range(100003))


def test_settings_reach_the_cluster(shared_cluster, run_arrow, table):
    options = ["--ballista.settings", "datafusion.execution.batch_size=3"]
    sizes = [batch.num_rows for batch in run_arrow(scan(table), shared_cluster.address, options=options)]
    assert max(sizes) <= 3 and sum(sizes) == 10


def test_a_plan_that_is_too_large_is_refused_here(run_plan):
    done = run_plan(p.ONE_ROW * 20, "127.0.0.1:1", options=["--ballista.max-plan-size", "50"])
    assert done.returncode == 1
    assert "ballista.max-plan-size" in done.stderr


def test_writes_are_carried_out(shared_cluster, run_arrow, table, tmp_path):
    got = run_arrow(p.copy_to(scan(table), f"file://{tmp_path}/out/"), shared_cluster.address)
    assert got.read_all().to_pydict() == {"count": [10]}
    assert pq.read_table(tmp_path / "out").num_rows == 10
