"""Fixtures of the Spark Connect suites: raw calls, and how fast this machine is."""
import pathlib
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture
def raw(server):
    from raw import Raw

    client = Raw(server.address)
    yield client
    client.close()


@pytest.fixture
def session(raw):
    """A session id of its own, released after the test."""
    from raw import new

    name = new()
    yield name
    try:
        raw.release_session(name)
    except Exception:
        pass


@pytest.fixture(scope="session")
def slow_query(_watched):
    """A function from seconds to the text of a query that keeps this machine busy for about as long."""
    from raw import Raw, new, rows

    def text(count):
        return f"select sum(pmod(hash(a.id, b.id), 7)) as x from range({count}) a cross join range(20000) b"

    client = Raw(_watched.current.address)
    count = 500
    while True:
        start = time.monotonic()
        assert rows(client.ask(new(), text(count))) == 1
        taken = time.monotonic() - start
        if taken > 0.5:
            break
        count *= 4
    client.close()
    return lambda seconds: text(int(count * seconds / taken))
