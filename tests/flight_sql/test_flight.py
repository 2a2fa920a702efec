"""What drivers do not show: commands, actions and calls one by one, by pyarrow.flight and as bytes."""
import contextlib
import struct
import time

import grpc
import pyarrow as pa
import pyarrow.flight as pf
import pytest
from proto_bytes import field
from raw_flight import Flight, any_of, descriptor, fields, number, parse, text
from test_adbc import LONG, busy_seconds

pytestmark = pytest.mark.concurrent


def column(name, kind, nullable=True):
    return pa.field(name, kind, nullable)


S = pa.string()
KEYS = pa.schema([
    column("pk_catalog_name", S), column("pk_db_schema_name", S), column("pk_table_name", S, False),
    column("pk_column_name", S, False), column("fk_catalog_name", S), column("fk_db_schema_name", S),
    column("fk_table_name", S, False), column("fk_column_name", S, False), column("key_sequence", pa.int32(), False),
    column("fk_key_name", S), column("pk_key_name", S), column("update_rule", pa.uint8(), False),
    column("delete_rule", pa.uint8(), False)])
TABLES = [column("catalog_name", S), column("db_schema_name", S), column("table_name", S, False),
          column("table_type", S, False)]
SQL_INFO_VALUE = pa.dense_union([
    pa.field("string_value", S), pa.field("bool_value", pa.bool_()), pa.field("bigint_value", pa.int64()),
    pa.field("int32_bitmask", pa.int32()), pa.field("string_list", pa.list_(S)),
    pa.field("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32())))])
XDBC = pa.schema([
    column("type_name", S, False), column("data_type", pa.int32(), False), column("column_size", pa.int32()),
    column("literal_prefix", S), column("literal_suffix", S),
    column("create_params", pa.list_(pa.field("item", S, False))), column("nullable", pa.int32(), False),
    column("case_sensitive", pa.bool_(), False), column("searchable", pa.int32(), False),
    column("unsigned_attribute", pa.bool_()), column("fixed_prec_scale", pa.bool_(), False),
    column("auto_increment", pa.bool_()), column("local_type_name", S), column("minimum_scale", pa.int32()),
    column("maximum_scale", pa.int32()), column("sql_data_type", pa.int32(), False),
    column("datetime_subcode", pa.int32()), column("num_prec_radix", pa.int32()),
    column("interval_precision", pa.int32())])
SCHEMAS = {
    "CommandGetCatalogs": (b"", pa.schema([column("catalog_name", S, False)])),
    "CommandGetDbSchemas": (b"", pa.schema([column("catalog_name", S), column("db_schema_name", S, False)])),
    "CommandGetTables": (b"", pa.schema(TABLES)),
    "CommandGetTables with schemas": (number(5, 1), pa.schema([*TABLES, column("table_schema", pa.binary(), False)])),
    "CommandGetTableTypes": (b"", pa.schema([column("table_type", S, False)])),
    "CommandGetPrimaryKeys": (text(3, "x"), pa.schema([
        column("catalog_name", S), column("db_schema_name", S), column("table_name", S, False),
        column("column_name", S, False), column("key_sequence", pa.int32(), False), column("key_name", S)])),
    "CommandGetExportedKeys": (text(3, "x"), KEYS),
    "CommandGetImportedKeys": (text(3, "x"), KEYS),
    "CommandGetCrossReference": (text(3, "x") + text(6, "y"), KEYS),
    "CommandGetSqlInfo": (b"", pa.schema([column("info_name", pa.uint32(), False),
                                          column("value", SQL_INFO_VALUE, False)])),
    "CommandGetXdbcTypeInfo": (b"", XDBC),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_metadata_has_the_schema_that_clients_compare(flight, name):
    content, wanted = SCHEMAS[name]
    command = name.split()[0]
    info = flight.info(command, content)
    assert info.schema.equals(wanted, check_metadata=True), f"{info.schema} is not {wanted}"
    assert flight.schema(command, content) == wanted
    assert (info.total_records, info.total_bytes) == (-1, -1)
    assert info.endpoints[0].locations == []
    flight.read(info)


# ---- rows of metadata ----


@pytest.fixture
def schema(flight):
    """A schema with tables whose names want escapes."""
    name = "s_" + str(time.monotonic_ns())
    flight.update(f"create schema {name}")
    flight.update(f"create table {name}.a_b(i int primary key, j int unique)")
    flight.update(f"create table {name}.axb(i int, k int references {name}.a_b(i))")
    flight.update(f"create view {name}.\"a%b\" as select 1 as one")
    yield name
    flight.update(f"drop schema {name} cascade")


def names(table):
    return table["table_name"].to_pylist()


@pytest.mark.parametrize(("pattern", "found"), [
    (None, ["a%b", "a_b", "axb"]), ("%", ["a%b", "a_b", "axb"]), ("a_b", ["a%b", "a_b", "axb"]),
    (r"a\_b", ["a_b"]), (r"a\%b", ["a%b"]), ("x%", []), ("", [])])
def test_patterns_of_table_names(flight, schema, pattern, found):
    escaped = schema.replace("_", r"\_")
    assert names(flight.rows("CommandGetTables", text(2, escaped) + text(3, pattern))) == found


def test_table_types_and_catalogs_narrow_the_answer(flight, schema):
    here = flight.rows("CommandGetTables", text(2, schema))
    catalog = here["catalog_name"][0].as_py()
    assert names(flight.rows("CommandGetTables", text(2, schema) + text(4, "VIEW"))) == ["a%b"]
    assert names(flight.rows("CommandGetTables", text(1, catalog) + text(2, schema))) == names(here)
    assert names(flight.rows("CommandGetTables", text(1, "") + text(2, schema))) == []
    assert names(flight.rows("CommandGetTables", text(1, "no_such") + text(2, schema))) == []
    assert catalog in flight.rows("CommandGetCatalogs")["catalog_name"].to_pylist()
    assert flight.rows("CommandGetDbSchemas", text(2, schema))["db_schema_name"].to_pylist() == [schema]


def test_schemas_of_tables(flight, schema):
    rows = flight.rows("CommandGetTables", text(2, schema) + text(3, r"a\_b") + number(5, 1)).to_pylist()
    columns = pa.ipc.read_schema(pa.py_buffer(rows[0]["table_schema"]))
    assert columns.names == ["i", "j"]
    kept = columns.field("i").metadata
    assert kept[b"ARROW:FLIGHT:SQL:TYPE_NAME"] == b"INTEGER"
    assert kept[b"ARROW:FLIGHT:SQL:TABLE_NAME"] == b"a_b"


def test_keys(flight, schema):
    primary = flight.rows("CommandGetPrimaryKeys", text(2, schema) + text(3, "a_b")).to_pylist()
    assert [(k["column_name"], k["key_sequence"]) for k in primary] == [("i", 1)]
    wanted = [("a_b", "i", "axb", "k", 1, 3, 3)]
    for name, content in (("CommandGetExportedKeys", text(2, schema) + text(3, "a_b")),
                          ("CommandGetImportedKeys", text(2, schema) + text(3, "axb")),
                          ("CommandGetCrossReference", text(2, schema) + text(3, "a_b") + text(5, schema) + text(6, "axb"))):
        keys = flight.rows(name, content).to_pylist()
        assert [(k["pk_table_name"], k["pk_column_name"], k["fk_table_name"], k["fk_column_name"], k["key_sequence"],
                 k["update_rule"], k["delete_rule"]) for k in keys] == wanted


# ---- GetSqlInfo and GetXdbcTypeInfo ----

CODES = [*range(6), *range(8, 12), 100, 101, *range(500, 577)]
LONGS = {503, 505, 507, *range(541, 556), *range(557, 563)}


def facts(table):
    union = table["value"].combine_chunks()
    union = union.chunk(0) if isinstance(union, pa.ChunkedArray) else union
    return {code.as_py(): (union.type_codes[i].as_py(), union[i].as_py())
            for i, code in enumerate(table["info_name"])}


def test_all_facts_are_there_each_in_its_child(flight):
    got = facts(flight.rows("CommandGetSqlInfo"))
    assert sorted(got) == CODES
    assert {code for code, (child, _) in got.items() if child == 2} == LONGS
    assert [got[code][1] for code in (0, 3, 4, 5, 8, 513, 514, 528, 562)] == [
        "Portico", False, True, True, 1, "\\", "$", 6, 4]
    assert "select" in got[508][1]
    assert "abs" in got[509][1]
    assert got[517][1]


def test_facts_by_number_leave_out_the_unknown(flight):
    packed = field(1, bytes([8, 0]) + b"\x90\x4e" + b"\x07")
    assert sorted(facts(flight.rows("CommandGetSqlInfo", packed))) == [0, 8]
    assert sorted(facts(flight.rows("CommandGetSqlInfo", number(1, 8)))) == [8]


def test_types(flight):
    everything = flight.rows("CommandGetXdbcTypeInfo")
    assert {"INTEGER", "VARCHAR", "TIMESTAMP"} <= set(everything["type_name"].to_pylist())
    assert everything["data_type"].to_pylist() == sorted(everything["data_type"].to_pylist())
    assert flight.rows("CommandGetXdbcTypeInfo", number(1, 4))["type_name"].to_pylist() == ["INTEGER", "UINTEGER"]


# ---- statements ----


def test_statements_and_updates(flight, schema):
    name = f"{schema}.t"
    assert flight.update(f"create table {name}(i int)") == 0
    assert flight.update(f"insert into {name} values (1), (2)") == 2
    assert flight.query(f"select i from {name} order by i")["i"].to_pylist() == [1, 2]
    flight.query(f"insert into {name} values (3)")
    assert flight.update(f"delete from {name}") == 3


@pytest.mark.parametrize("sql", ["select 7::bigint", "select range::tinyint from range(9)", "select true", "select 1, 2"])
def test_the_count_of_a_query_sent_as_an_update_is_unknown(flight, sql):
    assert flight.update(sql) == -1


def test_a_statement_without_a_count_counts_nothing(flight):
    assert flight.update("set threads = 2") == 0


def test_prepared_statements(flight, schema):
    query = flight.prepare("select ?::int + 1 as x, ?::varchar as s")
    assert pa.ipc.read_schema(pa.py_buffer(query[2])).names == ["x", "s"]
    assert [f.name for f in pa.ipc.read_schema(pa.py_buffer(query[3]))] == ["1", "2"]
    handle = text(1, query[1])
    assert flight.put("CommandPreparedStatementQuery", handle, pa.table({"b": [1, 2], "a": ["p", "q"]})) is None
    assert flight.rows("CommandPreparedStatementQuery", handle).to_pylist() == [{"x": 2, "s": "p"}, {"x": 3, "s": "q"}]
    update = flight.prepare(f"insert into {schema}.axb(i) values (?)")
    assert not update.get(2) and update[4] == 1
    assert flight.put("CommandPreparedStatementUpdate", text(1, update[1]), pa.table({"x": [1, 2, 3]})) == 3
    flight.action("ClosePreparedStatement", any_of("ActionClosePreparedStatementRequest", handle))
    with pytest.raises(KeyError, match="no such prepared statement"):
        flight.info("CommandPreparedStatementQuery", handle)
    flight.action("ClosePreparedStatement", any_of("ActionClosePreparedStatementRequest", handle))


def test_a_prepared_constant_is_known_before_it_has_run(flight):
    handle = text(1, flight.prepare("select 1, null, true")[1])
    for _ in range(3):
        assert list(flight.rows("CommandPreparedStatementQuery", handle).to_pylist()[0].values()) == [1, None, True]


def test_a_prepared_statement_may_have_other_types_by_now(flight):
    halves = text(1, flight.prepare("select 1 / 2 as x")[1])
    assert flight.rows("CommandPreparedStatementQuery", halves).to_pylist() == [{"x": 0.5}]
    flight.rows("CommandStatementQuery", text(1, "set integer_division = true"))
    assert flight.rows("CommandPreparedStatementQuery", halves).to_pylist() == [{"x": 0}]


@pytest.mark.parametrize("scope", ["", "session ", "global "])
@pytest.mark.parametrize("setting", ["arrow_large_buffer_size = true", "produce_arrow_string_view = true",
                                     "arrow_output_list_view = true", "arrow_output_version = '1.5'"])
def test_what_results_look_like_is_not_to_be_set(flight, schema, scope, setting):
    values = "select 'a' as s, 2.5 as d, [1] as l from range(1)"
    before = flight.rows("CommandStatementQuery", text(1, values)).schema
    flight.rows("CommandStatementQuery", text(1, f"set {scope}{setting}"))
    assert flight.rows("CommandStatementQuery", text(1, values)).schema == before
    flight.rows("CommandStatementQuery", text(1, f"set {scope}{setting}; {values}"))
    assert flight.rows("CommandStatementQuery", text(1, values)).schema == before
    flight.rows("CommandStatementQuery", text(1, f"explain analyze set {scope}{setting}"))
    assert flight.rows("CommandStatementQuery", text(1, values)).schema == before
    assert flight.rows("CommandGetTables", text(2, schema) + number(5, 1)).num_rows > 0


@pytest.mark.parametrize("explain", ["explain analyze", "EXPLAIN (ANALYZE)", "explain analyse"])
def test_what_an_explained_statement_sets_stays_in_its_session(server, flight, explain):
    halves = text(1, "select 1 / 2 as x from range(1)")
    flight.rows("CommandStatementQuery", text(1, explain + " set integer_division = true"))
    assert flight.rows("CommandStatementQuery", halves).to_pylist() == [{"x": 0}]
    with contextlib.closing(Flight(server.address)) as other:
        for _ in range(5):
            assert other.rows("CommandStatementQuery", halves).to_pylist() == [{"x": 0.5}]


def test_tickets_are_redeemed_once(flight):
    info = flight.info("CommandStatementQuery", text(1, "select 1 as x"))
    assert flight.read(info)["x"].to_pylist() == [1]
    with pytest.raises(KeyError, match="ticket"):
        flight.read(info)


def test_the_descriptor_is_echoed(flight):
    info = flight.info("CommandStatementQuery", text(1, "select 1"))
    assert info.descriptor.command == any_of("CommandStatementQuery", text(1, "select 1"))


def test_transactions_by_id(flight, schema):
    a, b = flight.begin(), flight.begin()
    flight.update(f"insert into {schema}.axb(i) values (1)", a)
    assert flight.query(f"select count(*) as n from {schema}.axb", b)["n"].to_pylist() == [0]
    flight.end(a, 1)
    flight.end(b, 2)
    assert flight.query(f"select count(*) as n from {schema}.axb")["n"].to_pylist() == [1]
    with pytest.raises(KeyError, match="no such transaction"):
        flight.end(a, 1)
    with pytest.raises(KeyError, match="no such transaction"):
        flight.query("select 1", a)
    c = flight.begin()
    with pytest.raises(pa.ArrowInvalid):
        flight.end(c, 7)


# ---- polling, cancelling, renewing ----


def test_polling(flight):
    answer = fields(flight.unary("PollFlightInfo", descriptor("CommandStatementQuery", text(1, "select 1"))))
    assert 2 not in answer, "a finished query has no descriptor to poll again"
    assert struct.unpack("<d", answer[3]) == (1.0,)
    assert fields(answer[1])[3]


def test_a_reset_call_frees_the_processor(server, flight):
    call = flight.channel.unary_unary("/arrow.flight.protocol.FlightService/GetFlightInfo").future(
        descriptor("CommandStatementQuery", text(1, LONG)))
    time.sleep(0.3)
    call.cancel()
    time.sleep(1)
    assert busy_seconds(server, 0.5) < 0.25


def test_a_result_that_nobody_reads_on_frees_the_processor(server, flight):
    info = flight.unary("GetFlightInfo", descriptor("CommandStatementQuery", text(1, "select range from range(10000000000)")))
    call = flight.unary_stream("DoGet", fields(fields(info)[3])[1])
    next(call)
    call.cancel()
    time.sleep(1)
    assert busy_seconds(server, 0.5) < 0.25


def test_cancel_by_flight_info(flight):
    info = flight.unary("GetFlightInfo", descriptor("CommandStatementQuery", text(1, "select range from range(10000000000)")))
    assert fields(flight.action("CancelFlightInfo", field(1, info))[0]) == {1: 1}
    with pytest.raises(KeyError):
        flight.action("CancelFlightInfo", field(1, b""))
    again = flight.unary("GetFlightInfo", descriptor("CommandStatementQuery", text(1, "select range from range(10000000000)")))
    answer = flight.sql_action("CancelQuery", "ActionCancelQueryRequest", field(1, again))
    assert answer == {1: 1}


def test_renewing_an_endpoint(flight):
    info = fields(flight.unary("GetFlightInfo", descriptor("CommandStatementQuery", text(1, "select 1"))))
    renewed = fields(flight.action("RenewFlightEndpoint", field(1, info[3]))[0])
    assert renewed[1] == fields(info[3])[1]
    with pytest.raises(KeyError):
        flight.action("RenewFlightEndpoint", field(1, field(1, field(1, b"?" * 32))))


# ---- sessions ----


def option(name, value):
    return field(1, field(1, name.encode()) + field(2, value))


def test_session_options(flight, schema):
    assert flight.action("SetSessionOptions", option("schema", field(1, schema.encode()))) in ([], [b""])
    got = {fields(v)[1].decode(): fields(fields(v)[2]).get(1, b"").decode()
           for n, v in parse(flight.action("GetSessionOptions")[0]) if n == 1}
    assert got["schema"] == schema
    assert set(got) == {"catalog", "schema"}
    assert flight.query("select current_schema() as s")["s"].to_pylist() == [schema]
    errors = {fields(v)[1].decode(): fields(fields(v)[2])[1] for n, v in parse(flight.action(
        "SetSessionOptions", option("colour", field(1, b"red")) + option("schema", field(1, b"no_such")) +
        option("catalog", b"\x19" + (7).to_bytes(8, "little")))[0])}
    assert errors == {"colour": 1, "schema": 2, "catalog": 2}


def test_a_closed_session_forgets_its_statements(flight):
    handle = flight.prepare("select 1")[1]
    flight.update("set variable x = 5")
    assert fields(flight.action("CloseSession")[0]) == {1: 1}
    with pytest.raises(KeyError):
        flight.info("CommandPreparedStatementQuery", text(1, handle))
    assert flight.query("select getvariable('x') as x")["x"].to_pylist() == [None]


def test_a_connection_does_not_see_the_statements_of_another(server, flight):
    from raw_flight import Flight

    other = Flight(server.address)
    handle, transaction = flight.prepare("select 1")[1], flight.begin()
    with pytest.raises(KeyError):
        other.info("CommandPreparedStatementQuery", text(1, handle))
    with pytest.raises(KeyError):
        other.end(transaction, 1)
    flight.end(transaction, 2)
    other.close()


def test_a_token_finds_the_session_from_another_connection(server, flight):
    from raw_flight import Flight

    other = Flight(server.address)
    name, token = flight.client.authenticate_basic_token("somebody", "something")
    options = pf.FlightCallOptions(headers=[(name, token)])
    body = any_of("ActionCreatePreparedStatementRequest", text(1, "select 5 as x"))
    answer = next(flight.client.do_action(pf.Action("CreatePreparedStatement", body), options)).body.to_pybytes()
    command = any_of("CommandPreparedStatementQuery", text(1, fields(fields(answer)[2])[1]))
    info = other.client.get_flight_info(pf.FlightDescriptor.for_command(command), options)
    assert other.client.do_get(info.endpoints[0].ticket, options).read_all()["x"].to_pylist() == [5]
    with pytest.raises(KeyError):
        other.client.get_flight_info(pf.FlightDescriptor.for_command(command))
    other.close()


# ---- the other calls ----

ACTIONS = {"CreatePreparedStatement", "ClosePreparedStatement", "BeginTransaction", "EndTransaction", "CancelQuery",
           "CancelFlightInfo", "RenewFlightEndpoint", "SetSessionOptions", "GetSessionOptions", "CloseSession"}


def test_actions_are_listed(flight):
    assert ACTIONS <= {action.type for action in flight.client.list_actions()}


def test_there_are_no_flights(flight):
    flight.client.wait_for_available(timeout=5)
    assert list(flight.client.list_flights()) == []


def test_an_exchange_is_refused(flight):
    with pytest.raises(grpc.RpcError) as failure:
        next(flight.stream("DoExchange", [b""]))
    assert failure.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_the_handshake_answers_without_a_message(flight):
    call = flight.stream("Handshake", [])
    list(call)
    assert dict(call.initial_metadata())["authorization"].startswith("Bearer ")


@pytest.mark.parametrize(("kind", "name"), [("BeginSavepoint", "ActionBeginSavepointRequest"),
                                            ("EndSavepoint", "ActionEndSavepointRequest")])
def test_what_is_not_there_says_so(flight, kind, name):
    with pytest.raises(NotImplementedError):
        flight.sql_action(kind, name)


def test_an_update_is_answered_before_the_client_ends_its_side(flight, schema):
    command = pf.FlightDescriptor.for_command(any_of("CommandStatementUpdate",
                                                     text(1, f"insert into {schema}.axb(i) values (9)")))
    writer, results = flight.client.do_put(command, pa.schema([]))
    assert fields(results.read().to_pybytes()) == {1: 1}
    writer.done_writing()
    writer.close()


def test_calls_that_answer_nothing_say_so_to_pyarrow(flight):
    plan = pf.FlightDescriptor.for_command(any_of("CommandStatementSubstraitPlan"))
    for ask in (lambda: flight.info("CommandStatementSubstraitPlan"), lambda: flight.schema("CommandStatementSubstraitPlan"),
                lambda: flight.put("CommandStatementSubstraitPlan", b"", pa.table({}))):
        with pytest.raises((pa.ArrowInvalid, pf.FlightError), match="no plan"):
            ask()
    with pytest.raises(NotImplementedError):
        flight.client.do_exchange(plan)[1].read_chunk()


def test_schemas_of_statements_without_running_them(flight):
    assert flight.schema("CommandStatementQuery", text(1, "select 1::int as a")).names == ["a"]
    handle = flight.prepare("select 1::int as b")[1]
    assert flight.schema("CommandPreparedStatementQuery", field(1, handle)).names == ["b"]


@pytest.fixture
def dbapi_client(server):
    """Its calls are told from pyarrow's own by their user agent."""
    from flightsql import FlightSQLClient

    host, port = server.address.rsplit(":", 1)
    client = FlightSQLClient(host=host, port=int(port), insecure=True, user="anyone", password="anything",
                             disable_server_verification=True, generic_options=[("grpc.secondary_user_agent", "flightsql-dbapi")])
    yield client
    client.close()


def test_flightsql_dbapi(dbapi_client, schema):
    from flightsql import connect

    with connect(dbapi_client).cursor() as k:
        k.execute(f"select i from {schema}.axb")
        assert k.fetchall() == []
    assert dbapi_client.execute_update(f"insert into {schema}.axb(i) values (1), (2)") == 2


def test_flightsql_dbapi_prepares(dbapi_client):
    with dbapi_client.prepare("select ?::bigint + 1 as x") as statement:
        info = statement.execute(pa.record_batch({"p": pa.array([41], pa.int64())}))
        assert dbapi_client.do_get(info.endpoints[0].ticket).read_all()["x"].to_pylist() == [42]


def test_flightsql_dbapi_reads_metadata(dbapi_client, schema):
    from flightsql.client import TableRef

    table = TableRef(None, schema, "axb")
    for info in (dbapi_client.get_catalogs(), dbapi_client.get_db_schemas(), dbapi_client.get_table_types(),
                 dbapi_client.get_tables(include_schema=True), dbapi_client.get_sql_info([0, 1]),
                 dbapi_client.get_xdbc_type_info(4), dbapi_client.get_primary_keys(table), dbapi_client.get_exported_keys(table),
                 dbapi_client.get_imported_keys(table), dbapi_client.get_cross_reference(table, table)):
        assert dbapi_client.do_get(info.endpoints[0].ticket).read_all().schema == info.schema


# ---- ingestion without a driver ----


def ingest(table, absent=1, present=1, more=b""):
    return field(1, number(1, absent) + number(2, present)) + text(2, table) + more


@pytest.mark.parametrize("content", [ingest("x", 0, 1), ingest("x", 1, 0), ingest("x", 9, 9), ingest(""), text(2, "x")])
def test_ingestions_that_do_not_say_what_they_want(flight, content):
    with pytest.raises(pa.ArrowInvalid):
        flight.put("CommandStatementIngest", content, pa.table({"i": [1]}))


def test_an_ingestion_of_no_rows_makes_the_table(flight, schema):
    assert flight.put("CommandStatementIngest", ingest("none", more=text(3, schema)), pa.table({"i": pa.array([], pa.int8())})) == 0
    assert flight.query(f"select * from {schema}.none").schema.field("i").type == pa.int8()
