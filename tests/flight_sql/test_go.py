"""Go's client (arrow-go): go/main.go walks it, each step of it is a test."""
import re

from compiled import SIGNED_IN, SOURCES, outcome_of
import pytest

STEPS = ["sign-in", *re.findall(r'^\t\{"([^"]+)"|(?<=, )\{"([^"]+)"', (SOURCES / "go/main.go").read_text(), re.M)]
STEPS = [step if isinstance(step, str) else step[0] or step[1] for step in STEPS]


@pytest.fixture(scope="module", params=SIGNED_IN)
def outcome(request, tmp_path_factory):
    return outcome_of("go", request.param, tmp_path_factory)


@pytest.mark.parametrize("step", STEPS)
def test_go(outcome, step):
    assert outcome.get(step) == "ok"
