"""Plans of DataFusion in process give the rows, names and types here that they give there."""
import json
import pathlib

import datafusion
import pyarrow as pa
import pyarrow.csv
import pytest

import plans

HERE = pathlib.Path(__file__).parent


def queries():
    text = "".join(line for line in (HERE / "queries.sql").open() if not line.startswith("--"))
    return [query.strip() for query in text.split(";\n") if query.strip()]


def refusals():
    lines = [line for line in (HERE / "refused.txt").read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(part.strip() for part in line.rsplit(" | ", 1)) for line in lines]


@pytest.fixture(scope="module")
def ctx(tmp_path_factory):
    return plans.context(tmp_path_factory.mktemp("tables"))


def encoded(frame):
    """The plan as Ballista's client sends it, and as it was before the optimizer when that can be written."""
    yield frame.optimized_logical_plan().to_bytes()
    try:
        yield frame.logical_plan().to_bytes()
    except Exception:  # sub-queries have no message before they become joins
        return


def check(frame, plan, types=True):
    here, there = plans.run(plan), frame.to_arrow_table()
    assert here.column_names == there.column_names
    assert sorted(plans.listed(here), key=repr) == sorted(plans.listed(there), key=repr)
    if types:
        assert [plans.plain(f.type) for f in here.schema] == [plans.plain(f.type) for f in there.schema]


@pytest.mark.parametrize("query", queries())
def test_the_same_answer(ctx, query):
    frame = ctx.sql(query)
    check(frame, frame.optimized_logical_plan().to_bytes())


PLAIN_DIFFERS = ("range between", "count(*), grouping", "day + 5", "shift", ">>", "cube (g, b)")


@pytest.mark.parametrize("query", [q for q in queries() if not any(word in q for word in PLAIN_DIFFERS)])
def test_the_same_answer_before_the_optimizer(ctx, query):
    """The server's analysis would set types; where they are not told from the plan alone, the decoder refuses."""
    frame = ctx.sql(query)
    for plan in list(encoded(frame))[1:]:
        check(frame, plan, types=False)


@pytest.mark.parametrize("query", ["select id, i32 from t order by i32 desc nulls last, id desc limit 20 offset 3",
                                   "select s, id from t order by s nulls first, id",
                                   "select g, sum(d) as x from t group by g order by x desc nulls first"])
def test_order_is_kept(ctx, query):
    frame = ctx.sql(query)
    assert plans.listed(plans.run(frame.optimized_logical_plan().to_bytes())) == plans.listed(frame.to_arrow_table())


@pytest.mark.parametrize("query,words", refusals())
def test_refused_by_name(ctx, query, words):
    assert words in plans.run(ctx.sql(query).logical_plan().to_bytes(), code=1)


def test_csv_and_json(tmp_path):
    table = pa.table({"a": [1, 2, None], "b": ['x,"y', None, "z"], "c": [1.5, 2.5, -0.5]})
    pyarrow.csv.write_csv(table, tmp_path / "t.csv")
    (tmp_path / "u.json").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    (tmp_path / "p.csv").write_text("1|a\n2|b\n")
    ctx = datafusion.SessionContext()
    ctx.register_csv("t", str(tmp_path / "t.csv"))
    ctx.register_json("u", str(tmp_path / "u.json"), file_extension=".json")
    ctx.register_csv("p", str(tmp_path / "p.csv"), has_header=False, delimiter="|")
    for query in ("select * from t", "select b, a from u where c > 0", "select count(*) from t", "select * from p"):
        frame = ctx.sql(query)
        check(frame, frame.optimized_logical_plan().to_bytes())


def test_directories_and_partition_columns(tmp_path):
    import pyarrow.parquet as pq
    for year in (2020, 2021):
        folder = tmp_path / "table" / f"year={year}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"a": [year, 1]}), folder / "one.parquet")
        (folder / "note.txt").write_text("no table")
    ctx = datafusion.SessionContext()
    ctx.register_parquet("t", str(tmp_path / "table") + "/", table_partition_cols=[("year", pa.int32())])
    for query in ("select * from t", "select a from t where year = 2021", "select year, sum(a) from t group by year"):
        frame = ctx.sql(query)
        check(frame, frame.optimized_logical_plan().to_bytes())


def test_files_are_written(tmp_path):
    ctx = datafusion.SessionContext()
    plan = ctx.sql(f"copy (values (1, 'x'), (2, 'y')) to '{tmp_path}/out/' stored as parquet").logical_plan()
    assert plans.run(plan.to_bytes()).to_pylist() == [{"count": 2}]
    single = ctx.sql(f"copy (values (3), (4), (5)) to '{tmp_path}/one.parquet' stored as parquet").logical_plan()
    for _ in range(2):  # the second time it is replaced
        assert plans.run(single.to_bytes()).to_pylist() == [{"count": 3}]
    ctx.register_parquet("one", f"{tmp_path}/one.parquet")
    assert sorted(plans.listed(ctx.sql("select * from one").to_arrow_table())) == [(3,), (4,), (5,)]
    ctx.register_parquet("out", f"{tmp_path}/out/")
    assert sorted(plans.listed(ctx.sql("select * from out").to_arrow_table())) == [(1, "x"), (2, "y")]
    ctx.sql(f"create external table more (a bigint) stored as csv location '{tmp_path}/more/' "
            "options ('format.has_header' 'true')")
    (tmp_path / "more").mkdir()
    for value in (7, 8):
        assert plans.run(ctx.sql(f"insert into more values ({value})").logical_plan().to_bytes()).to_pylist() == [{"count": 1}]
    assert sorted(plans.listed(ctx.sql("select * from more").to_arrow_table())) == [(7,), (8,)]


def test_plans_are_explained(ctx):
    def kinds(query):
        got = plans.run(ctx.sql(query).logical_plan().to_bytes())
        assert got.column_names == ["plan_type", "plan"]
        return dict(zip(*(column.to_pylist() for column in got.columns)))

    assert list(kinds("explain select id from t")) == ["logical_plan", "physical_plan"]
    assert list(kinds("explain verbose select id from t"))[0] == "initial_logical_plan"
    assert "output_rows=40" in kinds("explain analyze select id from t")["Plan with Metrics"]


def test_malformed_plans_are_errors(ctx):
    plan = ctx.sql("select g, sum(i32) from t where s like 'a%' group by g").optimized_logical_plan().to_bytes()
    for size in range(0, len(plan), 7):
        assert "portico: " in plans.run(plan[:size] + b"\xff", code=1)
    assert "LogicalPlanNode" in plans.run(b"", code=1)
