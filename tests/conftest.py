"""One server for all client tests of a run, watched: a crash, a sanitizer's report or a bad exit fails the run.

PT_BINARY names the program; `./dev clients` sets it. A test asks for `spark` (a session of its own), for `url`,
or for `server` (to start more servers: `server.another("--option", ...)`).
"""

import pytest

from serving import Server


class Watched:
    """Restarts the server after a crash, so that one bad test does not fail the rest, and remembers it."""

    def __init__(self, folder):
        self.folder = folder
        self.current = Server(folder)
        self.problems = []

    def check(self):
        if self.current.alive():
            return
        problem = self.current.stop()
        self.problems.append(problem)
        self.current = Server(self.folder)
        pytest.fail("the server ended during this test:\n" + (problem or "it exited with 0"))


@pytest.fixture(scope="session")
def _watched(tmp_path_factory):
    watched = Watched(tmp_path_factory.mktemp("portico"))
    yield watched
    problem = watched.current.stop()
    if problem:
        pytest.fail(problem)


@pytest.fixture
def server(_watched):
    yield _watched.current
    _watched.check()


@pytest.fixture
def url(server):
    return server.url


@pytest.fixture
def spark(url):
    """A Spark session of its own, closed after the test."""
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(url).create()
    # DDL is parsed, and checkpoints are read, by the active session: it must not be one of a server that is gone.
    SparkSession._default_session = session
    SparkSession._active_session.session = session
    yield session
    session.stop()
