#!/usr/bin/env python3
"""Writes fuzz/corpus/substrait: what tests/substrait decodes without error, several cases to a plan.

Usage: seeds_substrait.py DESCRIPTORS, the descriptor set of Substrait's messages that set-up made.
"""
import pathlib
import subprocess
import sys

AT_ONCE = 12
root = pathlib.Path(__file__).resolve().parent
tests = root.parent / "tests" / "substrait"
corpus = root / "corpus" / "substrait"
corpus.mkdir(parents=True, exist_ok=True)
declarations = (tests / "declarations.txt").read_text()
table = (tests / "schema.txt").read_text()


def cases(name):
    for case in (tests / name).read_text().split("===\n"):
        message, _, plan = case.partition("\n---\n")
        if plan and not plan.startswith("error:"):
            yield message


def encode(name, plan):
    command = ["protoc", f"--descriptor_set_in={sys.argv[1]}", "--encode=substrait.Plan"]
    done = subprocess.run(command, input=plan.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    (corpus / name).write_bytes(done.stdout)


def groups(messages):
    found = list(messages)
    return [found[start:start + AT_ONCE] for start in range(0, len(found), AT_ONCE)]


for number, group in enumerate(groups(cases("expressions.txt"))):
    expressions = " ".join("expressions { %s }" % message for message in group)
    encode(f"expressions-{number}", f"{declarations} relations {{ rel {{ project {{ input {{ {table} }} {expressions} }} }} }}")
for number, message in enumerate(cases("relations.txt")):
    encode(f"relation-{number}", f"{declarations} relations {{ rel {{ {message} }} }}")
for number, message in enumerate(cases("plans.txt")):
    encode(f"plan-{number}", message)
