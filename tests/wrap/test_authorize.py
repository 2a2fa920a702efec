"""authorize: rules, row filters, column masks, and attempts to get around them."""
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

POLICY = """
# the administrator may do everything
allow  *       user=root
# ann reads all but one column, bob only his rows
deny   select  user=ann       table=default.people column=salary
allow  select  user=ann,bob   table=default.people,default.other
filter user=bob               table=default.people where city = 'Rome' and current_user() = 'bob'
mask   user=bob               table=default.people column=name as concat(left(name, 1), '***')
mask   user=bob               table=default.people column=salary as if(salary > 100, null, salary)
# cleo counts nothing but sees one column
allow  select  user=cleo      table=default.people column=city
# dan writes
allow  select  user=dan       table=default.other
allow  insert user=dan     table=default.log
allow  create user=dan     table=default.log2
allow  delete,update user=bob table=default.people
allow  read-files user=dan    path={data}/open/*
filter user=dan path={data}/open/part* where _c0 <> '2'
allow  write-files user=dan   path={data}/out/*
deny   function user=dan      function=reverse,python_udf
deny   select  user=part      table=kept.parts column=city
allow  select  user=part,filtered,whole table=kept.parts
filter user=filtered          table=kept.parts where city = 'Rome'
allow  select  user=grant     table=default.grants,default.people
filter user=grant table=default.people where city in (select city from default.allowed where who = current_user())
"""


@pytest.fixture
def world(wrapped, connect, tmp_path):
    data = tmp_path / "data"
    for folder in ("open", "secret", "out"):
        (data / folder).mkdir(parents=True)
    (data / "open" / "part1.csv").write_text("1\n2\n3\n")
    (data / "secret" / "key.csv").write_text("hidden\n")
    (data / "open" / "link.csv").symlink_to(data / "secret" / "key.csv")
    policy = tmp_path / "policy"
    policy.write_text(POLICY.replace("{data}", str(data)))
    server = wrapped("authorize", f"--authorize.policy={policy}")
    root = connect(server, "root")
    root.sql("create table people (name string not null, city string, salary int not null)")
    root.sql("insert into people values ('Ann', 'Rome', 50), ('Bob', 'Oslo', 60), ('Carl', 'Rome', 500)")
    root.sql("create table other (name string, n int)")
    root.sql("insert into other values ('Ann', 1), ('Carl', 2)")
    root.sql("create table log (name string)")
    root.sql("create table allowed (who string, city string)")
    root.sql("insert into allowed values ('grant', 'Oslo')")
    root.sql("create database kept")
    root.sql("create view everybody as select * from people")
    return type("World", (), {"server": server, "root": root, "data": data,
                              "user": staticmethod(lambda name: connect(server, name))})


def rows(spark, sql):
    return [tuple(row) for row in spark.sql(sql).collect()]


def denied(action):
    with pytest.raises(PySparkException) as caught:
        action()
    assert "INSUFFICIENT_PERMISSIONS" in str(caught.value), caught.value
    assert caught.value.getCondition() == "INSUFFICIENT_PERMISSIONS"
    assert caught.value.getSqlState() == "42501"
    return str(caught.value)


def test_columns(world):
    ann = world.user("ann")
    assert rows(ann, "select name, city from people order by name")[0] == ("Ann", "Rome")
    assert rows(ann, "select count(*) from people") == [(3,)]
    # what is selected and dropped again was not read
    assert rows(ann, "select name from (select * from people) order by name limit 1") == [("Ann",)]
    assert rows(ann, "with p as (select * from people) select max(city) from p") == [("Rome",)]
    assert rows(ann, "select city from (select * from people union all select * from people) group by city order by 1") == [("Oslo",), ("Rome",)]
    for sql in ("select * from people", "select salary from people", "select name from people order by salary",
                "select name from people where salary > 1", "select count(salary) from people",
                "select name from people group by name having max(salary) > 1",
                "select 1 from other o where exists (select 1 from people p where p.salary > o.n)",
                "select (select max(salary) from people)",
                "select * from other join people using (name)",
                "select o.name from other o join people p on o.n = p.salary",
                "select rank() over (order by salary) from people",
                "with p as (select salary s from people) select s from p",
                "select city from (select city, salary from people union select city, salary from people)",
                "select explode(array(salary)) from people",
                "select struct(people.*) from people", "select to_json(struct(salary)) from people",
                "select percentile_approx(salary, 0.5) from people",
                "select 1 from people tablesample (50 percent) where salary = 1",
                "select * from (select city, name, salary from people) pivot (sum(salary) for name in ('Ann'))",
                "select n from other where n in (select salary from people)"):
        text = denied(lambda: rows(ann, sql))
        assert "column salary" in text and "default.people" in text, sql
    denied(lambda: ann.table("people").collect())
    denied(lambda: ann.table("people").filter("salary > 3").count())
    denied(lambda: ann.table("people").explain())
    denied(lambda: ann.table("people").select("name", "salary").checkpoint())
    denied(lambda: ann.table("people").agg(F.sum("salary")).toPandas())
    ann.table("people").select("name", "city").explain()


def test_count_needs_the_table(world):
    cleo = world.user("cleo")
    assert rows(cleo, "select city from people group by city order by 1") == [("Oslo",), ("Rome",)]
    denied(lambda: rows(cleo, "select count(*) from people"))
    denied(lambda: rows(cleo, "select 1 from people"))
    denied(lambda: rows(cleo, "select name from people"))
    denied(lambda: cleo.table("people").isEmpty())


def test_rows_and_masks(world):
    bob = world.user("bob")
    expected = [("A***", "Rome", 50), ("C***", "Rome", None)]
    assert rows(bob, "select * from people order by 1") == expected
    assert rows(bob, "select count(*) from people") == [(2,)]
    assert rows(bob, "select name from people where name = 'Ann'") == []
    assert rows(bob, "select name from people where salary = 500") == []
    assert rows(bob, "select count(*) from people where salary is null") == [(1,)]
    assert rows(bob, "select o.n from other o where exists (select 1 from people p where p.name = o.name)") == []
    assert rows(bob, "select (select max(salary) from people)") == [(50,)]
    assert rows(bob, "with p as (select * from people) select p.name from p join people q on p.salary = q.salary") == [("A***",)]
    assert rows(bob, "select city, count(*) from people group by grouping sets ((city), ()) order by 1 nulls first") == [(None, 2), ("Rome", 2)]
    assert [tuple(r) for r in bob.table("people").orderBy("name").collect()] == expected
    type(bob)._active_session.session = bob  # the client reads checkpoints by its active session
    kept = bob.table("people").checkpoint()
    assert sorted(r.name for r in kept.collect()) == ["A***", "C***"]
    bob.table("people").createOrReplaceTempView("mine")
    assert rows(bob, "select count(*) from mine") == [(2,)]
    assert bob.table("people").cache().count() == 2
    assert bob.table("people").toPandas().salary.isna().sum() == 1
    assert [f.nullable for f in bob.table("people").schema] == [True, True, True]
    # nothing of the session changes what the policy means
    bob.sql("create temporary function left(s string, n int) returns string return s")
    bob.conf.set("spark.sql.ansi.enabled", "false")
    assert rows(bob, "select name from people order by 1")[0] == ("A***",)
    # conditions over hidden rows would tell
    denied(lambda: bob.sql("delete from people where salary = 500"))
    denied(lambda: bob.sql("update people set city = 'Rome'"))
    assert rows(world.root, "select count(*) from people") == [(3,)]
    assert "Oslo" not in str(rows(bob, "explain extended select * from people where city = 'x'"))
    assert rows(bob, "select max(name) from people") == [("C***",)]


def test_conditions_never_see_hidden_rows(world):
    bob = world.user("bob")
    for condition in ("coalesce(if({c} = 'Oslo', raise_error('seen'), 1), 1) = 1", "1 / if({c} = 'Oslo', 0, 1) < 9",
                      "cast(if({c} = 'Oslo', 'x', '1') as int) = 1", "assert_true({c} = 'Rome') is null"):
        plain, joined = condition.format(c="city"), condition.format(c="p.city")
        assert rows(bob, f"select count(*) from people where {plain}") == [(2,)], plain
        assert rows(bob, f"select count(*) from people p join other o on p.city <> o.name where {joined}") == [(4,)], plain


def test_partitions_are_values(world):
    root, data = world.root, world.data
    root.sql(f"create table kept.parts (a int, city string) using csv partitioned by (city) location '{data}/parts'")
    root.sql("insert into kept.parts values (1, 'Rome'), (2, 'Oslo')")
    shown = rows(root, "show partitions kept.parts")
    assert len(shown) == 2
    denied(lambda: rows(world.user("part"), "show partitions kept.parts"))
    denied(lambda: rows(world.user("filtered"), "show partitions kept.parts"))
    assert rows(world.user("filtered"), "select a from kept.parts") == [(1,)]
    assert rows(world.user("whole"), "show partitions kept.parts") == shown


def test_filters_with_subqueries(world):
    grant = world.user("grant")
    assert rows(grant, "select name from people") == [("Bob",)]
    denied(lambda: rows(grant, "select * from allowed"))


def test_catalog_shows_what_may_be_used(world):
    ann = world.user("ann")
    assert {t.name for t in ann.catalog.listTables()} == {"people", "other"}
    assert {r[1] for r in rows(ann, "show tables")} == {"people", "other"}
    assert [c.name for c in ann.catalog.listColumns("people")] == ["name", "city", "salary"]
    # the same answer for tables that are there and for those that are not
    for name in ("log", "nothing"):
        denied(lambda: rows(ann, f"select * from {name}"))
        denied(lambda: rows(ann, f"describe {name}"))
        denied(lambda: rows(ann, f"show create table {name}"))
        denied(lambda: ann.table(name).schema)
        denied(lambda: ann.catalog.tableExists(name))
    denied(lambda: rows(world.user("stranger"), "select count(*) from people"))
    denied(lambda: rows(world.user(""), "select count(*) from people"))


def test_views_use_the_rights_of_the_reader(world):
    denied(lambda: rows(world.user("ann"), "select * from everybody"))
    assert len(rows(world.root, "select * from everybody")) == 3
    world.root.sql("create or replace global temporary view shared as select name, salary from default.people")
    denied(lambda: rows(world.user("ann"), "select salary from global_temp.shared"))
    assert rows(world.user("bob"), "select count(*) from global_temp.shared") == [(2,)]


def test_changes(world):
    dan = world.user("dan")
    dan.sql("insert into log select name from other")
    assert rows(world.root, "select count(*) from log") == [(2,)]
    for sql in ("insert into log select name from people", "insert overwrite log select name from other",
                "insert into other values ('x', 1)", "drop table log", "truncate table log",
                "create table mine as select 1 a", "create table log9 (a int)", "drop table other",
                "alter table log add columns (x int)", "alter table log rename to log3", "delete from log",
                "update log set name = 'x'", "create view log4 as select 1", "create or replace table log as select name from other",
                "create database d", "drop database kept cascade", "create function f() returns int return 1",
                "drop view everybody"):
        denied(lambda: dan.sql(sql).collect())
    denied(lambda: dan.table("other").write.saveAsTable("mine"))
    denied(lambda: dan.table("other").write.mode("overwrite").saveAsTable("log"))
    denied(lambda: dan.table("people").collect())
    assert rows(world.root, "select count(*) from log") == [(2,)]


def test_files(world):
    dan = world.user("dan")
    data = world.data
    assert [r[0] for r in dan.read.csv(f"{data}/open/part1.csv").collect()] == ["1", "3"]
    assert dan.read.csv(f"{data}/open/part*.csv").count() == 2
    assert rows(dan, f"select count(*) from csv.`{data}/open/part1.csv`") == [(2,)]
    for path in (f"{data}/secret/key.csv", f"{data}/secret", f"{data}/secret/none.csv", f"{data}/secret/*.csv",
                 f"{data}/secret/none*.csv", f"{data}/open/../secret/key.csv", f"{data}/open/link.csv", f"{data}/open",
                 f"{data}/*/key.csv", f"{data}/{{open,secret}}/*.csv", f"file:{data}/secret/key.csv", "/etc/passwd"):
        denied(lambda: dan.read.csv(path).collect())
        denied(lambda: dan.read.csv(path).schema)
        denied(lambda: dan.read.text(path).inputFiles())
    denied(lambda: rows(dan, f"select * from csv.`{data}/secret/key.csv`"))
    denied(lambda: rows(dan, f"select * from text.`{data}/secret/none.csv`"))
    dan.table("other").write.csv(f"{data}/out/a")
    denied(lambda: dan.table("other").write.csv(f"{data}/open/b"))
    denied(lambda: dan.table("other").write.mode("ignore").csv(f"{data}/secret"))
    denied(lambda: dan.sql(f"create table if not exists log2 (a string) using csv location '{data}/secret'"))
    assert sorted(p.name for p in data.iterdir()) == ["open", "out", "secret"]


def test_tables_of_files_go_by_their_name(world):
    world.root.sql(f"create table kept using csv location '{world.data}/kept' as select 'a' as a, 1 as b")
    denied(lambda: rows(world.user("ann"), "select * from kept"))
    denied(lambda: world.user("dan").sql("insert into kept values ('b', 2)"))
    assert len(rows(world.root, "select * from kept")) == 1


def test_functions(world):
    dan = world.user("dan")
    assert rows(dan, "select upper('a')") == [("A",)]
    assert "reverse" in denied(lambda: rows(dan, "select reverse('ab')"))
    denied(lambda: rows(dan, "select 1 where exists (select reverse(name) r from other)"))


def test_policy_errors_name_their_line(server, tmp_path):
    for text, expected in (("permit select user=a", "allow, deny"), ("allow look user=a", "no action"),
                           ("allow select user=", "no name"), ("allow select table=a path=b", "two things"),
                           ("filter user=a table=t where a ===", "policy:1"), ("mask user=a table=t as 1", "columns"),
                           ("allow select colour=red", "no key")):
        policy = tmp_path / "policy"
        policy.write_text(text + "\n")
        with pytest.raises(RuntimeError, match=expected) as caught:
            server.another("--wrappers", "authorize", f"--authorize.policy={policy}")
        assert "policy:1" in str(caught.value)
    with pytest.raises(RuntimeError, match="authorize.policy"):
        server.another("--wrappers", "authorize")
