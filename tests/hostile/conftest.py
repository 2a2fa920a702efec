"""Fixtures of the hostile suites: raw calls and a bystander that must notice nothing."""
import contextlib
import pathlib
import sys
import threading
import time

import pytest

for folder in ("spark_connect", "wire"):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / folder))

BYSTANDER_LIMIT_SECONDS = 15  # generous: the machine may be busy with other suites and the server with sanitizers


@pytest.fixture
def raw(server):
    from raw import Raw

    client = Raw(server.address, options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)])
    yield client
    client.close()


@pytest.fixture
def session(raw):
    from raw import new

    name = new()
    yield name
    with contextlib.suppress(Exception):
        raw.release_session(name)


class Bystander:
    """Another client that asks small questions all the time."""

    def __init__(self, address):
        from raw import Raw, new

        self.client, self.session = Raw(address), new()
        self.wrong, self.asked, self.slowest, self.stopping = [], 0, 0, False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        from raw import table

        while not self.stopping:
            began = time.monotonic()
            try:
                if table(self.client.ask(self.session, f"select {self.asked} as n")).column(0)[0].as_py() != self.asked:
                    self.wrong.append("a wrong answer")
            except Exception as problem:  # whatever it is, the test shall tell
                self.wrong.append(problem)
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.asked += 1
            time.sleep(0.02)

    def check(self):
        self.stopping = True
        self.thread.join(BYSTANDER_LIMIT_SECONDS)
        assert not self.thread.is_alive(), "a bystander was left without an answer"
        self.client.close()
        assert not self.wrong, self.wrong[:3]
        assert self.asked > 0 and self.slowest < BYSTANDER_LIMIT_SECONDS


@pytest.fixture
def bystander(server):
    other = Bystander(server.address)
    yield other
    other.check()
