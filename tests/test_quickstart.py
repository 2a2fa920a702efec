"""The first program of the README runs with every client version that we name."""
import pathlib
import subprocess
import sys

import pytest

QUICKSTART = pathlib.Path(__file__).parents[1] / "examples/quickstart.py"


@pytest.mark.any_client
def test_quickstart_runs(url, tmp_path):
    run = subprocess.run([sys.executable, str(QUICKSTART), url], cwd=tmp_path, capture_output=True, text=True,
                         timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "+---" in run.stdout  # it shows tables
