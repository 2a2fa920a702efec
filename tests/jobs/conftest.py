import pathlib
import sys

import pytest

from nodes import PostgreSQL

sys.path.append(str(pathlib.Path(__file__).parents[1] / "spark_connect"))


@pytest.fixture(scope="session")
def postgresql():
    server = PostgreSQL()
    yield server
    server.stop()
