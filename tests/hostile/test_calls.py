"""Calls of every function with arguments that do not fit it: an answer or a named error, never the end of the server."""
import pathlib
import random
import re

import pytest

from test_sql_text import ask

TABLE = pathlib.Path(__file__).parents[2] / "src" / "analyze" / "functions.def"
NAMES = sorted({m[1] for m in re.finditer(r'^PT_FUNCTION\("([^"]+)"', TABLE.read_text(), re.M)})
VALUES = """1|-1|9223372036854775807|'a'|'hour'|1.5|2.5D|NULL|CAST(NULL AS STRING)|true|X'00'|DATE'2020-01-01'|TIMESTAMP'2020-01-01 00:00:00'
INTERVAL 1 DAY|INTERVAL 1 MONTH|make_interval(1)|parse_json('{}')|array()|array(1)|array('a', NULL)|array(array(1))|map()|map('a', 1)
struct()|named_struct('a', 1)|x -> x|(x, y) -> x|(x, y, z) -> y|*|DISTINCT 1|t.x""".replace("\n", "|").split("|")
BEHIND = ["", "", "", "", " OVER ()", " OVER (ORDER BY x)", " FILTER (WHERE x > 0)", " WITHIN GROUP (ORDER BY x)"]
CALLS_OF_EACH = 6


def call_of(name, choose):
    arguments = ", ".join(choose.choices(VALUES, k=choose.randrange(5)))
    quoted = name if re.fullmatch(r"[a-z_]\w*", name) else f"`{name}`"
    return f"SELECT {quoted}({arguments}){choose.choice(BEHIND)} FROM VALUES (1), (2) t(x)"


@pytest.mark.parametrize("letter", sorted({name[0] for name in NAMES}))
def test_calls_that_do_not_fit(raw, session, bystander, letter):
    choose = random.Random(letter)
    for name in (n for n in NAMES if n[0] == letter):
        for _ in range(CALLS_OF_EACH):
            ask(raw, session, call_of(name, choose))
