"""TPC-H as plans of Substrait, by the package DataFusion, on a cluster: what a stock scheduler cannot run."""
import pytest
from datafusion import SessionContext
from datafusion.substrait import Serde

import plans
from raw_ballista import SUBSTRAIT, Raw, sql
from test_before_a_cluster import before, cluster  # noqa: F401 (fixtures)
from test_tpch import TABLES, close, duck, files  # noqa: F401 (the last two are fixtures)
from test_tpch_by_client import registered


@pytest.fixture(scope="module")
def producer(files):  # noqa: F811
    return registered(SessionContext(), files)


@pytest.fixture(scope="module")
def session(before, files):  # noqa: F811
    """A client, and its session in which the tables have names."""
    client = Raw(before.address)
    name = client.create_session({})
    for table in TABLES:
        client.rows(sql(f"create temporary view {table} as select * from parquet.`{files}/{table}.parquet`"), session=name)
    yield client, name
    client.close()


def query_of(duck, number):  # noqa: F811
    return duck.execute("select query from tpch_queries() where query_nr = ?", [number]).fetchone()[0].strip().rstrip(";")


@pytest.mark.parametrize("number", range(1, 23))
def test_query(session, producer, duck, number):  # noqa: F811
    query = query_of(duck, number)
    plan = Serde.serialize_bytes(query, producer)
    client, name = session
    got = [tuple(row.values()) for row in client.rows((SUBSTRAIT, plan), session=name)]
    want = duck.execute(query).fetchall()
    assert len(got) == len(want)
    for mine, theirs in zip(got, want):
        assert all(close(a, b) for a, b in zip(mine, theirs)), (mine, theirs)
