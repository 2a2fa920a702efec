"""examples/policy_backend.c: a wrapper of an embedder's own, in `portico serve` as a plug-in."""
import pathlib
import subprocess

import pytest
from pyspark.errors import PySparkException

from program import BINARY

BUILD = pathlib.Path(BINARY).parent


def test_it_is_short_and_runs_by_itself():
    source = pathlib.Path(__file__).parents[2] / "examples/policy_backend.c"
    assert len(source.read_text().splitlines()) < 150
    done = subprocess.run([BUILD / "example_policy_backend"], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"the policy is in place\n")


def test_it_closes_a_table_and_counts_rows(server, connect):
    child = server.another("--plugins", str(BUILD / "plugin_policy_backend.so"))
    keeper, ann = connect(child, "keeper"), connect(child, "ann")
    keeper.sql("create table secrets as select 42 as pin")
    keeper.sql("create view open as select * from secrets")
    keeper.sql("create table plain as select 1 as a")
    assert keeper.table("secrets").collect()[0].pin == 42
    assert ann.table("plain").collect()[0].a == 1
    for sql in ("select * from secrets", "select * from open", "select count(*) from secrets", "describe secrets",
                "select a from plain where exists (select 1 from secrets)", "insert into secrets values (1)",
                "create table mine as select * from Secrets", "drop table secrets"):
        with pytest.raises(PySparkException, match="ann may not see the table secrets"):
            ann.sql(sql).collect()
    assert len(ann.range(900).collect()) == 900
    with pytest.raises(PySparkException, match="all the rows it may have"):
        ann.range(200).collect()
    assert len(keeper.range(200).collect()) == 200
