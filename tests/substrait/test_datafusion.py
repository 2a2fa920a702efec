"""Plans of DataFusion: all of TPC-H, and statements that DataFusion runs itself for comparison."""
import pathlib

import datafusion
import pytest
from datafusion import substrait

import plans


def context(tables):
    ctx = datafusion.SessionContext()
    for name, path in tables.items():
        ctx.register_parquet(name, path)
    return ctx


@pytest.mark.parametrize("number", range(1, 23))
def test_tpch(number, duck, queries, tpch):
    plan = substrait.Serde.serialize_bytes(queries[number], context(tpch))
    plans.check_tpch(duck, queries[number], plan, tpch)


def statements(name):
    text = pathlib.Path(__file__).with_name(name).read_text()
    return [line for line in text.splitlines() if line and not line.startswith("--")]


@pytest.mark.parametrize("statement", statements("datafusion.sql"))
def test_as_datafusion_answers(statement, small):
    ctx = context(small)
    want = ctx.sql(statement).to_arrow_table()
    got = plans.run(substrait.Serde.serialize_bytes(statement, ctx), small)
    found, expected = plans.rows(got), plans.rows(want)
    if " order by " not in statement.split(")")[-1]:
        found, expected = plans.unordered(found), plans.unordered(expected)
    assert found == expected
    assert got.column_names == want.column_names


@pytest.mark.parametrize("line", statements("refused.sql"))
def test_what_is_not_supported_is_named(line, small):
    statement, _, named = line.partition(" -- ")
    plan = substrait.Serde.serialize_bytes(statement, context(small))
    assert named in plans.run(plan, small, code=1)
