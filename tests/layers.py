#!/usr/bin/env python3
"""Includes go one way: a file of src/ includes its own layer and earlier ones, and libraries in their home alone."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

LAYERS = ["base", "wire", "plan", "decode", "analyze", "store", "exec", "auth", "backend", "wrap", "front", "loop", "server"]

# Neither of these sees the other: they meet in include/portico.
STRANGERS = {"backend", "wrap", "front"}

# The one home of a library's header.
HOMES = {
    "nghttp2/nghttp2.h": "wire",
    "duckdb.h": "backend/duckdb",
    "uv.h": "loop",
    "sqlite3.h": "store",
    "libpq-fe.h": "store",
    "curl/curl.h": "wrap",
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def faults_of(path):
    """What is wrong with the includes of one file, named from the root."""
    folder = path.parent
    layer = folder.parts[1]
    if layer not in LAYERS:
        yield f"src/{layer} is no layer; it has no place in the order of {pathlib.Path(__file__).name}"
        return
    for ours, others in INCLUDE.findall((ROOT / path).read_text()):
        if others in HOMES and not folder.is_relative_to("src/" + HOMES[others]):
            yield f"<{others}> belongs to src/{HOMES[others]}"
        if not ours or ours.endswith(".pb-c.h"):  # messages are generated outside of src/
            continue
        target = ours.split("/")[0]
        if target not in LAYERS:
            yield f'"{ours}" is of no layer'
        elif LAYERS.index(target) > LAYERS.index(layer):
            yield f'"{ours}" is of a later layer'
        elif {layer, target} == STRANGERS:
            yield f'{layer}/ and {target}/ include nothing of each other: "{ours}"'


def public_faults_of(path):
    """Installed headers include each other and the system's, nothing of src/."""
    for ours, others in INCLUDE.findall((ROOT / path).read_text()):
        if ours:
            yield f'"{ours}" is not installed'
        if others in HOMES:
            yield f"<{others}> belongs to src/{HOMES[others]}"


def main():
    wrong = 0
    count = 0
    for path in sorted(ROOT.glob("src/**/*.[ch]")) + sorted(ROOT.glob("include/**/*.h")):
        path = path.relative_to(ROOT)
        count += 1
        for fault in faults_of(path) if path.parts[0] == "src" else public_faults_of(path):
            print(f"{path}: {fault}")
            wrong += 1
    print(f"{count} files, {wrong} includes against the layers")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
