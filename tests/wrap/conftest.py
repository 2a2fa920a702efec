"""Servers with wrappers, and sessions of named users on them."""
import pathlib
import sys
import uuid

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture
def wrapped(server):
    """Starts a server with wrappers and options: wrapped("validate", "--validate.max-joins=1")."""
    def start(names, *options, env=None):
        return server.another("--wrappers", names, *options, env=env)
    return start


@pytest.fixture
def connect():
    """A session of a user on a server: connect(server, "ann"); closed after the test."""
    from pyspark.sql.connect.session import SparkSession

    sessions = []

    def open_session(server, user="ann"):
        url = f"{server.url}/;user_id={user};session_id={uuid.uuid4()}"
        sessions.append(SparkSession.builder.remote(url).create())
        return sessions[-1]

    yield open_session
    for session in sessions:
        session.stop()
