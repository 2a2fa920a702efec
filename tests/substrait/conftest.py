"""Tables and DuckDB for the plans of all producers."""
import pytest

import plans


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    return plans.small_tables(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def tpch(tmp_path_factory):
    return plans.tpch_tables(tmp_path_factory.mktemp("tpch"))


@pytest.fixture(scope="session")
def duck(tpch):
    return plans.duckdb_over(tpch)


@pytest.fixture(scope="session")
def queries(duck):
    return plans.tpch_queries(duck)
