import pytest

from nodes import PostgreSQL


@pytest.fixture(scope="session")
def postgresql():
    server = PostgreSQL()
    yield server
    server.stop()
