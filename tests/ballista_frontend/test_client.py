"""The package `ballista` as it is published, which knows nothing of Portico: what it asks, and what it makes of the answers."""
import concurrent.futures
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import plans
from conftest import cpu_seconds

# The package itself loses two things before anybody is asked (DataFusion 54.0.0): that NOT IN minds NULLs, and the
# condition of an outer join with USING.
QUERIES = [
    "select 7 as seven, 'text' as t, null as n",
    "values (1, 'a', 1.5), (2, null, 2.5)",
    "select * from people order by id",
    "select id, height * 2 as h, lower(name) || '.' as n from people where room > 1 or name is null order by id desc",
    "select room, count(*) as n, sum(height) as s, avg(id) as a, min(name) as lo, max(born) as hi from people group by room",
    "select room, count(*) as n from people group by room having count(*) > 2 order by room nulls first limit 2",
    "select count(distinct room), count(room), count(*) from people",
    "select distinct room from people",
    "select p.name, r.floor from people p join rooms r on p.room = r.room order by p.id",
    "select p.id, r.floor from people p left join rooms r on p.room = r.room and p.height > 2 order by p.id",
    "select r.room, count(p.id) as n from people p right join rooms r on p.room = r.room group by r.room",
    "select p.id, r.floor from people p full join rooms r on p.room = r.room",
    "select id from people where room in (select room from rooms where floor = 'first') order by id",
    "select id from people p where not exists (select 1 from rooms r where r.room = p.room) order by id",
    "select id from people where room is not null and room not in (select room from rooms where floor = 'first') order by id",
    "select id, (select max(room) from rooms) as m from people where id < 3",
    "select p.id, r.room from people p cross join rooms r order by 1, 2 limit 6 offset 2",
    "select name from people where id < 2 union all select floor from rooms",
    "select room from people union select room from rooms",
    "select room from people intersect select room from rooms",
    "select room from rooms except select room from people",
    "select case room when 1 then 'one' else 'other' end as c, cast(height as int) as i from people order by id",
    "select id, row_number() over (partition by room order by height desc) as r, "
    "sum(id) over (order by id rows between 2 preceding and current row) as s from people order by id",
    "select date_trunc('month', seen) as m, extract(year from born) as y, count(*) as n from people group by 1, 2",
    "select born + interval '2 months' as later from people order by id",
    "select id, unnest(tags) as tag from people",
    "select sum(n), count(*) from many where n % 7 = 3",
    "select id, name from people where id > 1000",
    "select grouping(room), room, count(*) as n from people group by rollup (room)",
    "with tall as (select * from people where height > 1.8) select count(*) as n from tall t join tall u on t.room = u.room",
]


def same(here, there, ordered):
    assert here.schema.names == there.schema.names
    rows = [plans.listed(table) for table in (here, there)]
    return rows[0] == rows[1] if ordered else sorted(rows[0], key=repr) == sorted(rows[1], key=repr)


@pytest.mark.parametrize("query", QUERIES)
def test_queries_give_what_datafusion_gives(remote, local, query):
    assert same(remote.sql(query).to_arrow_table(), local.sql(query).to_arrow_table(), "order by" in query)


def test_the_dataframe_api(remote, local):
    from datafusion import col, lit
    from datafusion import functions as f

    def ask(ctx):
        people = ctx.table("people").filter(col("id") > lit(2)).with_column("up", f.upper(col("name")))
        grouped = people.aggregate([col("room")], [f.count(col("id")).alias("n"), f.max(col("up")).alias("last")])
        return grouped.sort(col("room").sort(ascending=False, nulls_first=False)).limit(3).to_arrow_table()

    assert same(ask(remote), ask(local), ordered=True)
    assert remote.table("many").count() == 2000
    assert sum(batch.to_pyarrow().num_rows for batch in remote.table("many").execute_stream()) == 2000


def test_explain(remote):
    rows = remote.sql("explain select id from people where id > 3").to_arrow_table().to_pylist()
    assert [row["plan_type"] for row in rows] == ["logical_plan", "physical_plan"]
    assert "scan_files" in rows[0]["plan"] and "PARQUET" in rows[1]["plan"]


def test_explain_analyze_asks_for_metrics(remote):
    (row,) = remote.sql("explain analyze select room, count(*) from people group by room").to_arrow_table().to_pylist()
    assert row["plan_type"] == "Plan with Metrics"
    assert "stage_id=1, partitions=1" in row["plan"] and "output_rows=5" in row["plan"] and "elapsed_compute" in row["plan"]


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_copy_writes_a_folder_and_a_file(remote, tmp_path, kind):
    for target in ("folder/", f"one.{kind}"):
        query = f"copy (select id, name from people) to '{tmp_path}/{target}' stored as {kind}"
        assert remote.sql(query).to_arrow_table().to_pylist() == [{"count": 12}]
    read = {"parquet": remote.read_parquet, "csv": remote.read_csv, "json": remote.read_json}[kind]
    for target in ("folder/", f"one.{kind}"):
        assert sorted(row["id"] for row in read(f"{tmp_path}/{target}").to_arrow_table().to_pylist()) == list(range(12))
    assert (tmp_path / f"one.{kind}").is_file()


def test_dataframes_are_written(remote, tmp_path):
    frame = remote.sql("select id, name from people where id < 5")
    frame.write_parquet(f"{tmp_path}/p/")
    frame.write_csv(f"{tmp_path}/c/", with_header=True)
    frame.write_json(f"{tmp_path}/j/")
    assert sorted(path.suffix for path in tmp_path.glob("*/part*")) == [".csv", ".json", ".parquet"]
    assert pq.read_table(tmp_path / "p").num_rows == 5


def test_insert_adds_to_a_table_of_files(remote, tmp_path):
    pq.write_table(pa.table({"id": pa.array([100], pa.int64()), "name": ["first"]}), tmp_path / "0.parquet")
    remote.register_parquet("target", f"{tmp_path}/")
    inserted = remote.sql("insert into target select id, name from people").to_arrow_table()
    assert inserted.to_pylist() == [{"count": 12}]
    assert remote.sql("select count(*) as n, max(id) as m from target").to_arrow_table().to_pylist() == [{"n": 13, "m": 100}]


def test_errors_are_told_as_those_of_a_scheduler(remote):
    with pytest.raises(Exception, match=r"Job \S+ failed: \[DIVIDE_BY_ZERO\]"):
        remote.sql("select 1 / (id - id) as x from people").to_arrow_table()
    with pytest.raises(Exception, match=r"Could not parse plan: .*array_sort"):
        remote.sql("select array_sort(tags) as x from people").to_arrow_table()
    assert remote.table("people").count() == 12


def test_a_large_result_comes_in_order_and_whole(connect, tmp_path):
    pq.write_table(pa.table({"n": pa.array(range(3_000_000), pa.int64()), "t": ["row"] * 3_000_000}), tmp_path / "big.parquet")
    ctx = connect()
    ctx.register_parquet("big", f"{tmp_path}/big.parquet")
    got = ctx.sql("select n, t from big order by n").to_arrow_table()
    assert got.num_rows == 3_000_000
    assert got.column("n").equals(pa.chunked_array([pa.array(range(3_000_000), pa.int64())]))


@pytest.mark.concurrent
def test_clients_side_by_side(connect):
    def ask(i):
        ctx = connect({"ballista.client.pull": "true" if i % 2 else "false"})
        return [ctx.sql(f"select count(*) as c from many where n < {n}").to_arrow_table().to_pylist()[0]["c"] for n in range(i, 300, 37)]

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for i, got in enumerate(pool.map(ask, range(12))):
            assert got == list(range(i, 300, 37))


ENDLESS = """
import sys
from ballista import BallistaSessionContext
ctx = BallistaSessionContext(sys.argv[1], cluster_config={"datafusion.execution.target_partitions": "2"})
ctx.register_parquet("many", sys.argv[2])
for batch in ctx.sql("select a.n as x, b.n as y, c.n as z from many a cross join many b cross join many c").execute_stream():
    print("batch", flush=True)
"""


def test_the_query_of_a_killed_client_ends(server, tables):
    import os

    python = os.path.join(sys.prefix, "bin/newer-python")
    client = subprocess.Popen([python, "-c", ENDLESS, "df://" + server.address, f"{tables}/many/"], stdout=subprocess.PIPE)
    assert client.stdout.readline() == b"batch\n"
    client.kill()
    client.communicate()
    give_up = time.monotonic() + 10
    used = None
    while used != 0 and time.monotonic() < give_up:
        before = cpu_seconds(server)
        time.sleep(1)
        used = round(cpu_seconds(server) - before, 1)
    assert used == 0
