"""examples/foreign_call.c: the frontend's calls in a transport that is not ours."""
import pathlib
import subprocess

from program import BINARY

EXAMPLE = pathlib.Path(BINARY).parent / "example_foreign_call"


def test_a_call_without_http2():
    done = subprocess.run([EXAMPLE], capture_output=True, text=True, errors="replace", timeout=60)
    assert done.returncode == 0, done.stderr
    assert "root\n |-- id: long (nullable = false)\n |-- square: long" in done.stdout
    assert "|3  |9     |\n+---+------+\n" in done.stdout
    assert "ExecutePlan: status 0" in done.stdout


def test_an_error_comes_back_as_a_status():
    done = subprocess.run([EXAMPLE, "select * from nowhere"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "AnalyzePlan: status 13 [TABLE_OR_VIEW_NOT_FOUND]" in done.stdout
