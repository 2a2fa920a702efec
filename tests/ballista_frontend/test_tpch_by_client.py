"""The 22 queries of TPC-H by Ballista's own client, against DataFusion and DuckDB in process on the same files."""
import pytest
from datafusion import SessionContext

import plans
from test_tpch import TABLES, close, duck, files  # noqa: F401 (the last two are fixtures)


def registered(ctx, folder):
    for table in TABLES:
        ctx.register_parquet(table, f"{folder}/{table}.parquet")
    return ctx


@pytest.fixture
def here(connect, files):  # noqa: F811
    return registered(connect(), files)


@pytest.fixture(scope="module")
def there(files):  # noqa: F811
    return registered(SessionContext(), files)


@pytest.mark.parametrize("number", range(1, 23))
def test_query(here, there, duck, number):  # noqa: F811
    text = duck.execute("select query from tpch_queries() where query_nr = ?", [number]).fetchone()[0]
    query = text.strip().rstrip(";")
    got, want = (ctx.sql(query).to_arrow_table() for ctx in (here, there))
    assert got.column_names == want.column_names
    assert plans.listed(got) == plans.listed(want)
    rows = duck.execute(text).fetchall()
    assert len(rows) == got.num_rows
    for mine, theirs in zip(plans.listed(got), rows):
        assert all(close(a, b) for a, b in zip(mine, theirs)), (mine, theirs)
