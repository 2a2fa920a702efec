// Go's Flight SQL client against a server: ADDRESS [USER PASSWORD]. Prints "ok NAME" for each step that held, "failed
// NAME: why" for one that did not.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

type client struct {
	*flightsql.Client
	ctx context.Context
}

type step struct {
	name string
	run  func(c *client) error
}

func equal(got, wanted any) error {
	if !reflect.DeepEqual(got, wanted) {
		return fmt.Errorf("got %v, not %v", got, wanted)
	}
	return nil
}

func fails(err error, wanted codes.Code) error {
	if status.Code(err) != wanted {
		return fmt.Errorf("got %v, not %v", err, wanted)
	}
	return nil
}

// All rows as text, and the schema; GetFlightInfo must have announced the same one.
func (c *client) read(info *flight.FlightInfo, err error) ([]string, *arrow.Schema, error) {
	if err != nil {
		return nil, nil, err
	}
	reader, err := c.DoGet(c.ctx, info.Endpoint[0].Ticket)
	if err != nil {
		return nil, nil, err
	}
	defer reader.Release()
	if announced, err := flight.DeserializeSchema(info.Schema, memory.DefaultAllocator); err != nil || !announced.Equal(reader.Schema()) {
		return nil, nil, fmt.Errorf("announced another schema: %v", err)
	}
	rows := []string{}
	for reader.Next() {
		batch := reader.RecordBatch()
		for i := 0; i < int(batch.NumRows()); i++ {
			cells := []string{}
			for _, column := range batch.Columns() {
				cells = append(cells, column.ValueStr(i))
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	return rows, reader.Schema(), reader.Err()
}

func (c *client) expect(wanted []string, info *flight.FlightInfo, err error) error {
	rows, _, err := c.read(info, err)
	return errors.Join(err, equal(rows, wanted))
}

func (c *client) query(sql string, wanted ...string) error {
	info, err := c.Execute(c.ctx, sql)
	return c.expect(wanted, info, err)
}

func (c *client) update(sql string, wanted int64) error {
	count, err := c.ExecuteUpdate(c.ctx, sql)
	if err == nil && wanted >= 0 {
		err = equal(count, wanted)
	}
	return err
}

func columns(of ...any) arrow.RecordBatch {
	fields, arrays := []arrow.Field{}, []arrow.Array{}
	for i, values := range of {
		var made arrow.Array
		switch v := values.(type) {
		case []int64:
			builder := array.NewInt64Builder(memory.DefaultAllocator)
			builder.AppendValues(v, nil)
			made = builder.NewArray()
		case []string:
			builder := array.NewStringBuilder(memory.DefaultAllocator)
			builder.AppendValues(v, nil)
			made = builder.NewArray()
		}
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: made.DataType(), Nullable: true})
		arrays = append(arrays, made)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, -1)
}

func reader(batches ...arrow.RecordBatch) array.RecordReader {
	made, err := array.NewRecordReader(batches[0].Schema(), batches)
	if err != nil {
		panic(err)
	}
	return made
}

func statements(c *client) error {
	schema, err := c.GetExecuteSchema(c.ctx, "select 1::int as a, 'x' as b")
	if err != nil {
		return err
	}
	decoded, err := flight.DeserializeSchema(schema.Schema, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	return errors.Join(equal(decoded.Field(0).Name, "a"), c.query("select 1::int as a, 'x' as b union all select 2, null order by 1", "1|x", "2|(null)"),
		c.update("create or replace table go_t(i bigint, s varchar)", -1), c.update("insert into go_t values (1, 'a'), (2, 'b')", 2),
		c.update("delete from go_t where i = 1", 1), c.query("select * from go_t", "2|b"))
}

func errorsOf(c *client) error {
	_, syntax := c.Execute(c.ctx, "selec")
	_, unknown := c.Execute(c.ctx, "select * from nowhere_to_be_found")
	_, ticket := c.DoGet(c.ctx, &flight.Ticket{Ticket: []byte("0123456789abcdef0123456789abcdef")})
	return errors.Join(fails(syntax, codes.InvalidArgument), fails(unknown, codes.NotFound), fails(ticket, codes.NotFound))
}

func poll(c *client) error {
	info, err := c.ExecutePoll(c.ctx, "select 7 as x", nil)
	for err == nil && info.FlightDescriptor != nil {
		info, err = c.ExecutePoll(c.ctx, "select 7 as x", info.FlightDescriptor)
	}
	if err != nil {
		return err
	}
	return c.expect([]string{"7"}, info.Info, nil)
}

func prepared(c *client) error {
	statement, err := c.Prepare(c.ctx, "select $1::bigint + 1 as n, $2::varchar as s")
	if err != nil {
		return err
	}
	if err = errors.Join(equal(statement.ParameterSchema().NumFields(), 2), equal(statement.DatasetSchema().NumFields(), 2)); err != nil {
		return err
	}
	statement.SetParameters(columns([]int64{41, 1}, []string{"x", "y"}))
	info, err := statement.Execute(c.ctx)
	if err = c.expect([]string{"42|x", "2|y"}, info, err); err != nil {
		return err
	}
	polled, err := statement.ExecutePoll(c.ctx, nil)
	if err != nil {
		return err
	}
	schema, err := statement.GetSchema(c.ctx)
	if err != nil || len(schema.Schema) == 0 {
		return fmt.Errorf("no schema: %v", err)
	}
	return errors.Join(c.expect([]string{"42|x", "2|y"}, polled.Info, nil), statement.Close(c.ctx))
}

func preparedUpdates(c *client) error {
	if err := c.update("create or replace table go_p(i bigint)", -1); err != nil {
		return err
	}
	statement, err := c.Prepare(c.ctx, "insert into go_p values (?)")
	if err != nil {
		return err
	}
	statement.SetRecordReader(reader(columns([]int64{1, 2}), columns([]int64{3})))
	count, err := statement.ExecuteUpdate(c.ctx)
	isUpdate, known := statement.IsUpdate()
	return errors.Join(err, equal(count, int64(3)), equal([]bool{isUpdate, known}, []bool{true, true}), statement.Close(c.ctx),
		c.query("select sum(i)::bigint from go_p", "6"))
}

func metadata(c *client) error {
	if err := errors.Join(c.update("create schema if not exists go_s", -1), c.update("drop table if exists go_s.child", -1),
		c.update("create or replace table go_s.parent(i int primary key)", -1),
		c.update("create table go_s.child(j int references go_s.parent(i))", -1)); err != nil {
		return err
	}
	schema, parent, child := "go_s", "parent", "child"
	tables := &flightsql.GetTablesOpts{DbSchemaFilterPattern: &schema, TableNameFilterPattern: &parent, IncludeSchema: true}
	owner, owned := flightsql.TableRef{DBSchema: &schema, Table: parent}, flightsql.TableRef{DBSchema: &schema, Table: child}
	number := int32(4)
	asked := []struct {
		rows    int
		columns int
		ask     func() (*flight.FlightInfo, error)
		schema  func() (*flight.SchemaResult, error)
	}{
		{-1, 1, func() (*flight.FlightInfo, error) { return c.GetCatalogs(c.ctx) }, func() (*flight.SchemaResult, error) { return c.GetCatalogsSchema(c.ctx) }},
		{1, 2, func() (*flight.FlightInfo, error) {
			return c.GetDBSchemas(c.ctx, &flightsql.GetDBSchemasOpts{DbSchemaFilterPattern: &schema})
		}, func() (*flight.SchemaResult, error) { return c.GetDBSchemasSchema(c.ctx) }},
		{1, 5, func() (*flight.FlightInfo, error) { return c.GetTables(c.ctx, tables) }, func() (*flight.SchemaResult, error) { return c.GetTablesSchema(c.ctx, tables) }},
		{-1, 1, func() (*flight.FlightInfo, error) { return c.GetTableTypes(c.ctx) }, func() (*flight.SchemaResult, error) { return c.GetTableTypesSchema(c.ctx) }},
		{1, 6, func() (*flight.FlightInfo, error) { return c.GetPrimaryKeys(c.ctx, owner) }, func() (*flight.SchemaResult, error) { return c.GetPrimaryKeysSchema(c.ctx) }},
		{1, 13, func() (*flight.FlightInfo, error) { return c.GetExportedKeys(c.ctx, owner) }, func() (*flight.SchemaResult, error) { return c.GetExportedKeysSchema(c.ctx) }},
		{1, 13, func() (*flight.FlightInfo, error) { return c.GetImportedKeys(c.ctx, owned) }, func() (*flight.SchemaResult, error) { return c.GetImportedKeysSchema(c.ctx) }},
		{1, 13, func() (*flight.FlightInfo, error) { return c.GetCrossReference(c.ctx, owner, owned) }, func() (*flight.SchemaResult, error) { return c.GetCrossReferenceSchema(c.ctx) }},
		{-1, 19, func() (*flight.FlightInfo, error) { return c.GetXdbcTypeInfo(c.ctx, &number) }, func() (*flight.SchemaResult, error) { return c.GetXdbcTypeInfoSchema(c.ctx) }},
		{2, 2, func() (*flight.FlightInfo, error) {
			return c.GetSqlInfo(c.ctx, []flightsql.SqlInfo{flightsql.SqlInfoFlightSqlServerName, flightsql.SqlInfoFlightSqlServerTransaction})
		}, func() (*flight.SchemaResult, error) { return c.GetSqlInfoSchema(c.ctx) }},
	}
	for i, one := range asked {
		info, err := one.ask()
		rows, got, err := c.read(info, err)
		if err != nil {
			return fmt.Errorf("command %d: %w", i, err)
		}
		result, err := one.schema()
		if err != nil {
			return fmt.Errorf("schema %d: %w", i, err)
		}
		announced, err := flight.DeserializeSchema(result.Schema, memory.DefaultAllocator)
		if err != nil || !announced.Equal(got) || got.NumFields() != one.columns || (one.rows >= 0 && len(rows) != one.rows) {
			return fmt.Errorf("command %d: %v, %d rows of %v", i, err, len(rows), got)
		}
	}
	return nil
}

func transactions(c *client) error {
	if err := c.update("create or replace table go_x(i int)", -1); err != nil {
		return err
	}
	kept, err := c.BeginTransaction(c.ctx)
	if err != nil {
		return err
	}
	left, err := c.BeginTransaction(c.ctx)
	if err != nil {
		return err
	}
	_, savepoint := kept.BeginSavepoint(c.ctx, "one")
	released := kept.ReleaseSavepoint(c.ctx, flightsql.Savepoint("one"))
	_, first := kept.ExecuteUpdate(c.ctx, "insert into go_x values (1)")
	_, second := left.ExecuteUpdate(c.ctx, "insert into go_x values (2)")
	info, err := kept.Execute(c.ctx, "select i from go_x")
	inside := c.expect([]string{"1"}, info, err)
	schema, err := kept.GetExecuteSchema(c.ctx, "select i from go_x")
	if err != nil || len(schema.Schema) == 0 {
		return fmt.Errorf("no schema: %v", err)
	}
	statement, err := left.Prepare(c.ctx, "select i from go_x")
	if err != nil {
		return err
	}
	info, err = statement.Execute(c.ctx)
	bound := c.expect([]string{"2"}, info, err)
	return errors.Join(fails(savepoint, codes.Unimplemented), fails(released, codes.Unimplemented), first, second, inside, bound, statement.Close(c.ctx), left.Rollback(c.ctx),
		kept.Commit(c.ctx), c.query("select i from go_x", "1"))
}

func ingestion(c *client) error {
	schema := "main"
	options := func(absent flightsql.TableDefinitionOptionsTableNotExistOption, present flightsql.TableDefinitionOptionsTableExistsOption) *flightsql.ExecuteIngestOpts {
		return &flightsql.ExecuteIngestOpts{Table: "go_i", Schema: &schema, TableDefinitionOptions: &flightsql.TableDefinitionOptions{IfNotExist: absent, IfExists: present}}
	}
	create, fail := flightsql.TableDefinitionOptionsTableNotExistOptionCreate, flightsql.TableDefinitionOptionsTableNotExistOptionFail
	replace, exists, add := flightsql.TableDefinitionOptionsTableExistsOptionReplace, flightsql.TableDefinitionOptionsTableExistsOptionFail, flightsql.TableDefinitionOptionsTableExistsOptionAppend
	rows := func() array.RecordReader {
		return reader(columns([]int64{1, 2}, []string{"a", "b"}), columns([]int64{3}, []string{"c"}))
	}
	made, first := c.ExecuteIngest(c.ctx, rows(), options(create, replace))
	added, second := c.ExecuteIngest(c.ctx, rows(), options(fail, add))
	_, third := c.ExecuteIngest(c.ctx, rows(), options(create, exists))
	return errors.Join(first, second, equal([]int64{made, added}, []int64{3, 3}), fails(third, codes.AlreadyExists),
		c.query("select count(*), sum(c0)::bigint from go_i", "6|12"))
}

func cancelling(c *client) error {
	info, err := c.Execute(c.ctx, "select * from range(50000000)")
	if err != nil {
		return err
	}
	result, err := c.CancelFlightInfo(c.ctx, &flight.CancelFlightInfoRequest{Info: info})
	if err != nil {
		return err
	}
	other, err := c.Execute(c.ctx, "select * from range(50000000)")
	if err != nil {
		return err
	}
	old, err := c.CancelQuery(c.ctx, other)
	if err != nil {
		return err
	}
	third, err := c.Execute(c.ctx, "select 1")
	if err != nil {
		return err
	}
	renewed, err := c.RenewFlightEndpoint(c.ctx, &flight.RenewFlightEndpointRequest{Endpoint: third.Endpoint[0]})
	if err != nil {
		return err
	}
	return errors.Join(equal(result.GetStatus(), flight.CancelStatusCancelled), equal(old, flightsql.CancelResultCancelled),
		equal(renewed.Ticket.Ticket, third.Endpoint[0].Ticket.Ticket), c.expect([]string{"1"}, third, nil))
}

func deadline(c *client) error {
	short, end := context.WithTimeout(c.ctx, 300*time.Millisecond)
	defer end()
	start := time.Now()
	_, err := c.Execute(short, "select sum(a.range * b.range) from range(100000000) a, range(1000) b")
	if time.Since(start) > 5*time.Second {
		return fmt.Errorf("the deadline came late")
	}
	return fails(err, codes.DeadlineExceeded)
}

func sessions(c *client) error {
	values, err := flight.NewSessionOptionValues(map[string]any{"schema": "main"})
	if err != nil {
		return err
	}
	set, err := c.SetSessionOptions(c.ctx, &flight.SetSessionOptionsRequest{SessionOptions: values})
	if err != nil {
		return err
	}
	unknown, err := flight.NewSessionOptionValues(map[string]any{"nobody_knows": int64(7)})
	if err != nil {
		return err
	}
	refused, err := c.SetSessionOptions(c.ctx, &flight.SetSessionOptionsRequest{SessionOptions: unknown})
	if err != nil {
		return err
	}
	got, err := c.GetSessionOptions(c.ctx, &flight.GetSessionOptionsRequest{})
	if err != nil {
		return err
	}
	closed, err := c.CloseSession(c.ctx, &flight.CloseSessionRequest{})
	if err != nil {
		return err
	}
	return errors.Join(equal(len(set.Errors), 0), equal(len(refused.Errors), 1),
		equal(got.SessionOptions["schema"].GetStringValue(), "main"), equal(closed.GetStatus().String(), "CLOSED"))
}

// An empty plan is none; plans that run are made by their producers (test_plans.py).
func substrait(c *client) error {
	plan := flightsql.SubstraitPlan{Plan: []byte{}, Version: "0.78.0"}
	_, query := c.ExecuteSubstrait(c.ctx, plan)
	_, polled := c.ExecuteSubstraitPoll(c.ctx, plan, nil)
	_, schema := c.GetExecuteSubstraitSchema(c.ctx, plan)
	_, update := c.ExecuteSubstraitUpdate(c.ctx, plan)
	_, prepared := c.PrepareSubstrait(c.ctx, plan)
	return errors.Join(fails(query, codes.InvalidArgument), fails(polled, codes.InvalidArgument), fails(schema, codes.InvalidArgument),
		fails(update, codes.InvalidArgument), fails(prepared, codes.InvalidArgument))
}

func others(c *client) error {
	listed, err := c.Client.Client.ListActions(c.ctx, &flight.Empty{})
	if err != nil {
		return err
	}
	names := []string{}
	for {
		action, err := listed.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		names = append(names, action.Type)
	}
	sort.Strings(names)
	flights, err := c.Client.Client.ListFlights(c.ctx, &flight.Criteria{})
	if err != nil {
		return err
	}
	_, err = flights.Recv()
	exchange, failure := c.Client.Client.DoExchange(c.ctx)
	if failure == nil {
		_, failure = exchange.Recv()
	}
	return errors.Join(equal(len(names), 13), equal(err, io.EOF), fails(failure, codes.Unimplemented))
}

func large(c *client) error {
	info, err := c.Execute(c.ctx, "select range as i, repeat('x', 100) as s from range(200000)")
	if err != nil {
		return err
	}
	stream, err := c.DoGet(c.ctx, info.Endpoint[0].Ticket)
	if err != nil {
		return err
	}
	defer stream.Release()
	rows, sum := int64(0), int64(0)
	for stream.Next() {
		for _, v := range stream.RecordBatch().Column(0).(*array.Int64).Int64Values() {
			sum += v
		}
		rows += stream.RecordBatch().NumRows()
	}
	return errors.Join(stream.Err(), equal([]int64{rows, sum}, []int64{200000, 19999900000}))
}

var steps = []step{
	{"statements", statements}, {"errors", errorsOf}, {"poll", poll}, {"prepared", prepared},
	{"prepared updates", preparedUpdates}, {"metadata", metadata}, {"transactions", transactions},
	{"ingestion", ingestion}, {"cancelling", cancelling}, {"deadline", deadline}, {"substrait", substrait},
	{"other calls", others}, {"many rows", large}, {"sessions", sessions},
}

func open(arguments []string) (*client, error) {
	made, err := flightsql.NewClient(arguments[0], nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	c := &client{made, context.Background()}
	if len(arguments) == 3 {
		c.ctx, err = made.Client.AuthenticateBasicToken(c.ctx, arguments[1], arguments[2])
	}
	return c, err
}

func main() {
	c, err := open(os.Args[1:])
	if err != nil {
		fmt.Println("failed sign-in:", err)
		return
	}
	fmt.Println("ok sign-in")
	for _, s := range steps {
		if err := s.run(c); err != nil {
			fmt.Printf("failed %s: %s\n", s.name, strings.ReplaceAll(err.Error(), "\n", "; "))
		} else {
			fmt.Println("ok", s.name)
		}
	}
}
