"""What several hostile suites use."""
import pathlib
import time


def eventually_below(measure, limit, seconds=20):
    give_up = time.monotonic() + seconds
    while measure() > limit:
        assert time.monotonic() < give_up, f"{measure()} is still above {limit}"
        time.sleep(0.1)


def status_of(server, key):
    for line in open(f"/proc/{server.process.pid}/status"):
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise KeyError(key)


def resident_mebibytes(server):
    return status_of(server, "VmRSS") / 1024


def descriptors(server):
    return sum(1 for _ in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir())


def eventually(condition, seconds=15):
    """Waits until `condition()` holds; false when it never did."""
    give_up = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.05)
    return True
