#!/usr/bin/env python3
"""Writes plans of DataFusion into a folder, to start fuzz_datafusion from: those of tests/datafusion/queries.sql.

Usage: seeds_datafusion.py FOLDER, by the Python of `third_party/setup env datafusion`. The plans name files of a
temporary folder, so they are made and not kept.
"""
import pathlib
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(root / "tests" / "datafusion"))
import plans

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory() as tables:
    ctx = plans.context(tables)
    text = "".join(line for line in (root / "tests/datafusion/queries.sql").open() if not line.startswith("--"))
    for number, query in enumerate(q for q in text.split(";\n") if q.strip()):
        (folder / f"{number:03}").write_bytes(ctx.sql(query).optimized_logical_plan().to_bytes())
