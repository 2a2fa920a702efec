"""Rust's client (arrow-flight): rust/src/main.rs walks it, each step of it is a test."""
import re

from compiled import SIGNED_IN, SOURCES, outcome_of
import pytest

STEPS = ["sign-in", *re.findall(r'report\("([^"]+)"', (SOURCES / "rust/src/main.rs").read_text())]


@pytest.fixture(scope="module", params=SIGNED_IN)
def outcome(request, tmp_path_factory):
    return outcome_of("rust", request.param, tmp_path_factory)


@pytest.mark.parametrize("step", STEPS)
def test_rust(outcome, step):
    assert outcome.get(step) == "ok"
