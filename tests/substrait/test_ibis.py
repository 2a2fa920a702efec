"""Plans of ibis-substrait, which are of the generation before URNs: extension URIs, old groupings and counts."""
import ibis
import pytest
from ibis_substrait.compiler.core import SubstraitCompiler

import plans

t = ibis.table({"i": "int64", "k": "int32", "f": "float64", "s": "string", "d": "decimal(10,2)", "dt": "date",
                "ts": "timestamp", "b": "boolean"}, name="t")
u = ibis.table({"k": "int32", "v": "string", "n": "int64"}, name="u")

QUERIES = {
    "project": t.select(t.i, (t.f * 2).name("double"), (t.i + 1).name("next")),
    "filter": t.filter((t.i > 1) & (t.k < 3) | t.s.isnull()),
    "aggregate": t.group_by("k").aggregate(n=t.count(), total=t.i.sum(), mean=t.f.mean(), top=t.i.max()),
    "distinct count": t.aggregate(n=t.i.nunique(), rows=t.count()),
    "semi join": t.semi_join(u, t.k == u.k),
    "sort and fetch": t.filter(t.i.notnull()).order_by([ibis.desc("i"), "s"]).limit(3, offset=1),
    "case": t.select(x=ibis.ifelse(t.i > 2, "a", "b")),
    "in": t.filter(t.i.isin([1, 2, 7])),
    "union": t.select("k").union(u.select("k")),
    "intersect": t.select("k").intersect(u.select("k")),
    "difference": t.select("k").difference(u.select("k")),
    "cast": t.filter(t.i < 5).select(x=t.i.cast("string"), y=t.i.cast("float64")),
    "text": t.select(a=t.s.upper(), b=t.s.length(), d=t.s.like("%a%"), e=t.s.contains("e")),
    "scalar subquery": t.filter(t.i > u.n.mean() / 10),
    "literals": t.select(a=ibis.literal(1.5), b=ibis.date("2020-01-02"), c=ibis.timestamp("2020-01-02 03:04:05")),
}


@pytest.mark.parametrize("name", QUERIES)
def test_as_duckdb_answers(name, small):
    import duckdb

    con = duckdb.connect()
    for table, path in small.items():
        con.execute(f"create view {table} as select * from '{path}'")
    want = con.execute(ibis.to_sql(QUERIES[name], dialect="duckdb")).arrow().read_all()
    got = plans.run(SubstraitCompiler().compile(QUERIES[name]).SerializeToString(), small)
    assert plans.unordered(plans.rows(got)) == plans.unordered(plans.rows(want))
    assert got.column_names == want.column_names
