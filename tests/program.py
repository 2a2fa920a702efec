"""The program under test."""
import os
import pathlib

BINARY = os.environ.get("PT_BINARY", str(pathlib.Path(__file__).parents[1] / "build/release/portico"))
