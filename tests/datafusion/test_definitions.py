"""proto/datafusion says the same as the published definitions: field numbers, types, values of enumerations.

They are inside two packages of Rust, which its own client fetches; without that client the test is skipped.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import pytest

OWN = pathlib.Path(__file__).parents[2] / "proto" / "datafusion"
PACKAGES = {
    "datafusion-proto": ("54.1.0", "67791dcfacd142a9d95f8f73c2a161094cc936d231d80c235f5017dacf24e84e", "proto/datafusion.proto"),
    "datafusion-proto-common": ("54.1.0", "b8cd9e80d637891645d074db0f6c650b591117367247deb313fdfb78dff559cb", "proto/datafusion_common.proto"),
}


def tokens(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    return re.findall(r'"[^"]*"|[\w.]+|[{}=;<>,\[\]]', text)


def read(words, prefix, out):
    """The fields of the messages, {message: {number: type}}, and of enumerations {name: {value: number}}."""
    while words:
        word = words.pop(0)
        if word == "}":
            return
        if word in ("message", "enum"):
            name = prefix + words.pop(0)
            assert words.pop(0) == "{"
            out.setdefault(name, {})
            (read_message if word == "message" else read_enum)(words, name, out)
        else:
            while word not in (";", "}"):
                word = words.pop(0)


def read_enum(words, name, out):
    while (word := words.pop(0)) != "}":
        if words[0] == "=":
            out[name][word] = words[1]
            del words[:3]


def plain(type_):
    return type_.split(".")[-1] if "." in type_ else type_


def read_message(words, name, out):
    while (word := words.pop(0)) != "}":
        if word in ("message", "enum"):
            read([word, *words[: closing(words)]], name + ".", out)
            del words[: closing(words)]
        elif word == "oneof":
            inner = words[2 : closing(words)]
            del words[: closing(words)]
            read_message(inner, name, out)
        elif word == ";":
            continue
        else:
            end = words.index(";")
            statement = [word, *words[:end]]
            del words[: end + 1]
            if word != "reserved":
                field(statement, out[name])


def closing(words):
    """Just behind the brace that closes the first one that opens."""
    depth = 0
    for at, word in enumerate(words):
        depth += (word == "{") - (word == "}")
        if word == "}" and depth == 0:
            return at + 1
    raise ValueError("braces")


def field(statement, out):
    label = "repeated " if statement[0] == "repeated" else ""
    if statement[0] in ("repeated", "optional"):
        statement = statement[1:]
    equals = statement.index("=")
    out[int(statement[equals + 1])] = label + " ".join(plain(word) for word in statement[: equals - 1])


def definitions(texts):
    out = {}
    for text in texts:
        read(tokens(text), "", out)
    return out


@pytest.fixture(scope="module")
def published():
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("no client of Rust's packages")
    cache = pathlib.Path(os.environ.get("PT_CACHE", pathlib.Path.home() / ".cache" / "portico"))
    home = cache / "crates"
    home.mkdir(parents=True, exist_ok=True)
    texts = []
    for name, (version, digest, member) in PACKAGES.items():
        found = list(home.glob(f"registry/cache/*/{name}-{version}.crate"))
        if not found:
            subprocess.run([cargo, "info", "-q", f"{name}@{version}"], cwd=home, check=True,
                           stdout=subprocess.DEVNULL, env={**os.environ, "CARGO_HOME": str(home)})
            found = list(home.glob(f"registry/cache/*/{name}-{version}.crate"))
        assert hashlib.sha256(found[0].read_bytes()).hexdigest() == digest
        with tarfile.open(found[0]) as archive:
            texts.append(archive.extractfile(f"{name}-{version}/{member}").read().decode())
    return definitions(texts)


def test_own_definitions_are_the_published_ones(published):
    own = definitions([path.read_text() for path in sorted(OWN.glob("*.proto"))])
    assert len(own) > 100
    for message, members in own.items():
        assert message in published, message
        for key, type_ in members.items():
            assert published[message].get(key) == type_, f"{message}: {key} {type_}"


def test_every_node_and_expression_is_defined(published):
    own = definitions([path.read_text() for path in sorted(OWN.glob("*.proto"))])
    for message in ("LogicalPlanNode", "LogicalExprNode", "ScalarValue", "ArrowType", "JoinNode", "WindowExprNode"):
        assert own[message].keys() == published[message].keys()
