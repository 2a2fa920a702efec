"""A plug-in that was built against older headers, with shorter tables, goes on working."""
import pathlib
import re
import shutil
import subprocess

import pytest
from pyspark.errors import PySparkException

ROOT = pathlib.Path(__file__).parents[2]

# What was added to each struct since; the plug-in does not know it.
LATER = {
    "backend.h": {"pt_backend_vtable": "permit", "pt_operation_vtable": "detail"},
    "query.h": {"pt_query": "traceparent"},
}


def cut(text, struct, member):
    """The header's text without the members of the struct from `member` on."""
    found = re.search(r"typedef struct %s \{\n(.*?)\n\} %s;" % (struct, struct), text, flags=re.S)
    lines = found.group(1).split("\n")
    first = next(i for i, line in enumerate(lines) if re.search(r"\b%s\b" % member, re.sub(r"/\*.*?\*/", "", line))
                 and not line.lstrip().startswith("*"))
    kept = "\n".join(lines[:first])
    open_comment = kept.rfind("/**")
    if open_comment >= 0 and not re.search(r";", kept[open_comment:].split("*/")[-1]):
        kept = kept[:open_comment]  # that of the first member that is left out
    return text[:found.start(1)] + kept + text[found.end(1):]


@pytest.fixture
def old_headers(tmp_path):
    shutil.copytree(ROOT / "include", tmp_path / "include")
    for name, structs in LATER.items():
        header = tmp_path / "include/portico" / name
        text = header.read_text()
        for struct, member in structs.items():
            text = cut(text, struct, member)
        header.write_text(text)
    return tmp_path / "include"


def test_it_goes_on_working(server, connect, old_headers, tmp_path):
    source = (ROOT / "examples/policy_backend.c").read_text()
    (tmp_path / "old.c").write_text(source.replace("    .detail = pt_forward_operation_detail,\n", ""))
    subprocess.run(["gcc", "-std=c17", "-shared", "-fPIC", "-O1", "-I", old_headers, tmp_path / "old.c", "-o",
                    tmp_path / "old.so"], check=True, timeout=60)
    child = server.another("--plugins", str(tmp_path / "old.so"))
    keeper, ann = connect(child, "keeper"), connect(child, "ann")
    keeper.sql("create table secrets as select 42 as pin")
    assert keeper.table("secrets").collect()[0].pin == 42
    assert keeper.sql("explain select * from secrets").collect()
    with pytest.raises(PySparkException, match="ann may not see the table secrets"):
        ann.sql("select * from secrets").collect()
    assert len(ann.range(900).collect()) == 900
    with pytest.raises(PySparkException, match="all the rows it may have"):
        ann.range(200).collect()
