"""Stock clients before a server that wants everybody to sign in: they have no credentials to send, and are told so."""
import subprocess

import pytest

from conftest import register
from program import BINARY


@pytest.fixture
def closed(server, tmp_path):
    done = subprocess.run([BINARY, "hash-password", "ann"], input="secret\n", capture_output=True, text=True, check=True)
    (tmp_path / "users").write_text(done.stdout)
    return server.another("--auth.users", str(tmp_path / "users"))


@pytest.mark.parametrize("pull", ["true", "false"])
def test_a_stock_client_is_told_what_it_lacks(closed, tables, pull):
    from ballista import BallistaSessionContext

    ctx = register(BallistaSessionContext("df://" + closed.address, cluster_config={"ballista.client.pull": pull}), tables)
    with pytest.raises(Exception, match="Unauthenticated|unauthenticated.*sign in"):
        ctx.sql("select count(*) from people").to_arrow_table()
