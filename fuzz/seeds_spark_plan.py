#!/usr/bin/env python3
"""Writes fuzz/corpus/spark_plan: the plans of tests/spark_connect, encoded. Usage: seeds_spark_plan.py DESCRIPTORS

DESCRIPTORS is the descriptor set of Spark Connect's messages that set-up made.
"""
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent
corpus = root / "corpus" / "spark_plan"
corpus.mkdir(parents=True, exist_ok=True)
for path in sorted((root.parent / "tests" / "spark_connect").glob("*.txt")):
    kind = {"expressions": "root { project { expressions { %s } } }",
            "types": "root { to_schema { input { range { step: 1 } } schema { %s } } }"}
    frame = kind.get(path.stem.split("_")[0], "%s")
    for index, case in enumerate(path.read_text().split("\n===\n")):
        if "\n---\n" not in case:
            continue
        text = frame % case.split("\n---\n")[0]
        encoded = subprocess.run(["protoc", f"--descriptor_set_in={sys.argv[1]}", "--encode=spark.connect.Plan"],
                                 input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
        (corpus / f"{path.stem}-{index}").write_bytes(encoded)
