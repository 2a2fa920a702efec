"""Writes docs/spark-compatibility.md from the tables that the program itself is made of: ./dev docs

What is listed is what the tables have; that a listed function answers as Spark does is what tests show.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src"
TARGET = ROOT / "docs/spark-compatibility.md"
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def rows(path, macro):
    """The arguments of each row of a .def file, as text; strings without their quotes."""
    for line in (SOURCES / path).read_text().splitlines():
        found = re.match(macro + r"\((.*)\)", line)
        if found:
            yield split(found[1])


def split(text):
    out, at = [], 0
    while at < len(text):
        quoted = STRING.match(text, at)
        end = quoted.end() if quoted else text.find(",", at)
        end = len(text) if end < 0 else end
        out.append(quoted[1].replace('\\"', '"') if quoted else text[at:end].strip())
        at = end
        while at < len(text) and text[at] in ", ":
            at += 1
    return out


def code(text):
    """In a cell of a table."""
    return "`" + text.replace("|", "\\|") + "`"


def refused():
    """What sources refuse by name."""
    patterns = [r'PT_COND_UNSUPPORTED_FEATURE,\s*"feature",\s*' + STRING.pattern,
                r'_unsupported_feature\(\w+,\s*' + STRING.pattern,
                r'pt__lower_unsupported\([^;"]*?' + STRING.pattern, r'^REFUSE\(\w+, ' + STRING.pattern]
    found = set()
    for path in SOURCES.rglob("*.c"):
        if not path.name.endswith("_test.c") and not path.name.startswith("test_"):
            for pattern in patterns:
                found.update(re.findall(pattern, path.read_text(), re.M))
    return sorted((text for text in found if "%" not in text and text != "feature"), key=str.lower)


def calls():
    yield "## Calls of Spark Connect"
    yield ""
    names = sorted([r[0] for r in rows("front/spark_connect/methods.def", "PT_CONNECT_(?:METHOD|UNARY)")])
    yield f"All {len(names)} of the service in Spark 4.2: " + ", ".join(names) + "."


def plans():
    text = (SOURCES / "plan/plan.def").read_text()
    unsupported = set(re.findall(r"^REFUSE\((\w+),", (SOURCES / "analyze/unsupported.c").read_text(), re.M))
    yield "## Relations and commands"
    yield ""
    yield "Kinds of the engine-neutral plan; a relation or command of Spark becomes one of them, or several."
    yield ""
    yield "| kind | |"
    yield "|---|---|"
    for name, remark in re.findall(r"^PT_PLAN\(\w+, (\w+)\)(?:\s*/\*\s*(.*?)\s*\*/)?", text, re.M):
        yield f"| {name} | {'refused by name' if name in unsupported else remark} |"


def functions():
    found = {}
    for name, kind, signature, _, _ in rows("analyze/functions.def", "PT_FUNCTION"):
        found.setdefault(name, []).append((kind.lower(), signature))
    yield f"## Functions and operators: {len(found)} names"
    yield ""
    yield "Signatures are those of src/analyze/functions.def, whose form src/analyze/function.h tells; `@name` is a rule"
    yield "written in C. Other names fail with UNRESOLVED_ROUTINE."
    yield ""
    yield "| name | kind | signatures |"
    yield "|---|---|---|"
    for name, overloads in found.items():
        kinds = ", ".join(dict.fromkeys(kind for kind, _ in overloads))
        yield f"| {code(name)} | {kinds} | {'; '.join(code(signature) for _, signature in overloads)} |"


def refusals():
    yield "## Refused by name"
    yield ""
    yield "These fail with UNSUPPORTED_FEATURE, or the condition of Spark that says so, and tell which of them it was:"
    yield ""
    yield from (f"- {text}" for text in refused())


def conditions():
    found = [(r[1], r[2]) for r in rows("base/conditions.def", "PT_CONDITION")]
    yield f"## Error conditions: {len(found)}"
    yield ""
    yield "Names and SQLSTATEs are Spark's, the texts are ours."
    yield ""
    yield "| condition | SQLSTATE |"
    yield "|---|---|"
    yield from (f"| {name} | {state} |" for name, state in found)


def configuration():
    keys = [r[0] for r in rows("exec/conf.def", "PT_CONF")]
    yield f"## Configuration: {len(keys)} keys of Spark"
    yield ""
    yield "`spark.conf` knows their defaults and checks their values (src/exec/conf.def). Keys about a cluster have no effect."


def main():
    lines = ["# Compatibility with Spark 4.2", "",
             "Made by `./dev docs` from the tables in src/; changes belong there.", ""]
    for section in (calls, plans, functions, refusals, conditions, configuration):
        lines += [*section(), ""]
    TARGET.write_text("\n".join(lines).rstrip() + "\n")
    print(TARGET.relative_to(ROOT))


if __name__ == "__main__":
    main()
