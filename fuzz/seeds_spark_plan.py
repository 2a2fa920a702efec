#!/usr/bin/env python3
"""Writes fuzz/corpus/spark_plan: what tests/spark_connect decodes without error, several cases to a plan.

Usage: seeds_spark_plan.py DESCRIPTORS, the descriptor set of Spark Connect's messages that set-up made.
"""
import pathlib
import subprocess
import sys

AT_ONCE = 12
root = pathlib.Path(__file__).resolve().parent
corpus = root / "corpus" / "spark_plan"
corpus.mkdir(parents=True, exist_ok=True)


def cases(path):
    for case in path.read_text().split("\n===\n"):
        message, _, plan = case.partition("\n---\n")
        if plan and not plan.startswith("error:"):
            yield message


def plans(kind, messages):
    if kind == "expressions":
        yield "root { project { %s } }" % " ".join("expressions { %s }" % m for m in messages)
    elif kind == "types":
        fields = " ".join('fields { name: "f" data_type { %s } }' % m for m in messages)
        yield "root { to_schema { input { range { step: 1 } } schema { struct { %s } } } }" % fields
    else:
        relations = [m[len("root"):] for m in messages if m.startswith("root")]
        yield "root { with_relations { root { range { step: 1 } } %s } }" % " ".join("references" + r for r in relations)
        yield from (m for m in messages if m.startswith("command"))


for path in sorted((root.parent / "tests" / "spark_connect").glob("*.txt")):
    found = list(cases(path))
    for start in range(0, len(found), AT_ONCE):
        for number, plan in enumerate(plans(path.stem.split("_")[0], found[start:start + AT_ONCE])):
            encoded = subprocess.run(["protoc", f"--descriptor_set_in={sys.argv[1]}", "--encode=spark.connect.Plan"],
                                     input=plan.encode(), stdout=subprocess.PIPE, check=True).stdout
            (corpus / f"{path.stem}-{start}-{number}").write_bytes(encoded)
