"""What several hostile suites use."""
import time


def eventually_below(measure, limit, seconds=20):
    give_up = time.monotonic() + seconds
    while measure() > limit:
        assert time.monotonic() < give_up, f"{measure()} is still above {limit}"
        time.sleep(0.1)
