//! Rust's Flight SQL client against a server: ADDRESS USER PASSWORD. Prints "ok NAME" for each step that held, "failed
//! NAME: why" for one that did not.
use std::future::Future;
use std::sync::Arc;

use arrow_array::{cast::AsArray, types::Int64Type, Int64Array, RecordBatch, StringArray};
use arrow_flight::sql::client::FlightSqlServiceClient;
use arrow_flight::sql::*;
use arrow_flight::{FlightClient, FlightDescriptor, FlightInfo};
use arrow_schema::{DataType, Field, Schema};
use futures::{stream, StreamExt, TryStreamExt};
use tonic::transport::Channel;

type Client = FlightSqlServiceClient<Channel>;
type Outcome = Result<(), Box<dyn std::error::Error>>;

fn equal<T: PartialEq + std::fmt::Debug>(got: T, wanted: T) -> Outcome {
    if got == wanted { Ok(()) } else { Err(format!("got {got:?}, not {wanted:?}").into()) }
}

async fn read(c: &mut Client, info: FlightInfo) -> Result<Vec<RecordBatch>, Box<dyn std::error::Error>> {
    let announced = info.clone().try_decode_schema()?;
    let ticket = info.endpoint[0].ticket.clone().ok_or("no ticket")?;
    let mut rows = c.do_get(ticket).await?;
    let mut batches = vec![];
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        if *batch.schema() != announced {
            return Err("GetFlightInfo announced another schema".into());
        }
        batches.push(batch);
    }
    Ok(batches)
}

async fn numbers(c: &mut Client, sql: &str, transaction: Option<bytes::Bytes>) -> Result<Vec<i64>, Box<dyn std::error::Error>> {
    let info = c.execute(sql.to_string(), transaction).await?;
    let batches = read(c, info).await?;
    Ok(batches.iter().flat_map(|b| b.column(0).as_primitive::<Int64Type>().values().to_vec()).collect())
}

fn sample(values: &[i64]) -> RecordBatch {
    let schema = Schema::new(vec![Field::new("i", DataType::Int64, true), Field::new("s", DataType::Utf8, true)]);
    let texts: Vec<String> = values.iter().map(|v| format!("v{v}")).collect();
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(Int64Array::from(values.to_vec())), Arc::new(StringArray::from(texts))]).unwrap()
}

async fn statements(mut c: Client) -> Outcome {
    c.execute_update("create or replace table rust_t(i bigint, s varchar)".into(), None).await?;
    equal(c.execute_update("insert into rust_t values (1, 'a'), (2, 'b')".into(), None).await?, 2)?;
    equal(numbers(&mut c, "select i from rust_t order by i", None).await?, vec![1, 2])?;
    let failure = c.execute("selec".into(), None).await.err().ok_or("a wrong statement ran")?;
    equal(failure.to_string().contains("InvalidArgument") || failure.to_string().contains("invalid argument"), true)
        .map_err(|_| failure.to_string().into())
}

async fn prepared(mut c: Client) -> Outcome {
    let mut statement = c.prepare("select $1::bigint + 1 as n, $2::varchar as s".into(), None).await?;
    equal(statement.parameter_schema()?.fields().len(), 2)?;
    equal(statement.dataset_schema()?.fields().len(), 2)?;
    statement.set_parameters(sample(&[41, 1]))?;
    let info = statement.execute().await?;
    let rows = read(&mut c, info).await?;
    let got: Vec<i64> = rows.iter().flat_map(|b| b.column(0).as_primitive::<Int64Type>().values().to_vec()).collect();
    equal(got, vec![42, 2])?;
    statement.close().await?;
    c.execute_update("create or replace table rust_p(i bigint, s varchar)".into(), None).await?;
    let mut insert = c.prepare("insert into rust_p values (?, ?)".into(), None).await?;
    insert.set_parameters(sample(&[1, 2, 3]))?;
    equal(insert.execute_update().await?, 3)?;
    insert.close().await?;
    equal(numbers(&mut c, "select sum(i)::bigint from rust_p", None).await?, vec![6])
}

async fn metadata(mut c: Client) -> Outcome {
    for sql in ["create schema if not exists rust_s", "drop table if exists rust_s.child",
                "create or replace table rust_s.parent(i int primary key)",
                "create table rust_s.child(j int references rust_s.parent(i))"] {
        c.execute_update(sql.into(), None).await?;
    }
    let schema = Some("rust_s".to_string());
    let infos = vec![
        ("catalogs", 1, c.get_catalogs().await?),
        ("schemas", 2, c.get_db_schemas(CommandGetDbSchemas { catalog: None, db_schema_filter_pattern: schema.clone() }).await?),
        ("tables", 5, c.get_tables(CommandGetTables { catalog: None, db_schema_filter_pattern: schema.clone(),
            table_name_filter_pattern: Some("par%".into()), table_types: vec![], include_schema: true }).await?),
        ("table types", 1, c.get_table_types().await?),
        ("primary keys", 6, c.get_primary_keys(CommandGetPrimaryKeys { catalog: None, db_schema: schema.clone(), table: "parent".into() }).await?),
        ("exported keys", 13, c.get_exported_keys(CommandGetExportedKeys { catalog: None, db_schema: schema.clone(), table: "parent".into() }).await?),
        ("imported keys", 13, c.get_imported_keys(CommandGetImportedKeys { catalog: None, db_schema: schema.clone(), table: "child".into() }).await?),
        ("cross reference", 13, c.get_cross_reference(CommandGetCrossReference { pk_catalog: None, pk_db_schema: schema.clone(),
            pk_table: "parent".into(), fk_catalog: None, fk_db_schema: schema.clone(), fk_table: "child".into() }).await?),
        ("types", 19, c.get_xdbc_type_info(CommandGetXdbcTypeInfo { data_type: None }).await?),
        ("information", 2, c.get_sql_info(vec![SqlInfo::FlightSqlServerName, SqlInfo::FlightSqlServerTransaction]).await?),
    ];
    for (name, columns, info) in infos {
        let batches = read(&mut c, info).await.map_err(|e| format!("{name}: {e}"))?;
        let rows: usize = batches.iter().map(|b| b.num_rows()).sum();
        if rows == 0 || batches[0].num_columns() != columns {
            return Err(format!("{name}: {rows} rows of {columns} columns").into());
        }
    }
    Ok(())
}

async fn transactions(mut c: Client) -> Outcome {
    c.execute_update("create or replace table rust_x(i bigint)".into(), None).await?;
    let kept = c.begin_transaction().await?;
    let left = c.begin_transaction().await?;
    c.execute_update("insert into rust_x values (1)".into(), Some(kept.clone())).await?;
    c.execute_update("insert into rust_x values (2)".into(), Some(left.clone())).await?;
    equal(numbers(&mut c, "select i from rust_x", Some(kept.clone())).await?, vec![1])?;
    c.end_transaction(left, EndTransaction::Rollback).await?;
    c.end_transaction(kept, EndTransaction::Commit).await?;
    equal(numbers(&mut c, "select i from rust_x", None).await?, vec![1])
}

async fn ingestion(mut c: Client) -> Outcome {
    let command = |absent, present| CommandStatementIngest {
        table_definition_options: Some(TableDefinitionOptions { if_not_exist: absent as i32, if_exists: present as i32 }),
        table: "rust_i".into(), schema: None, catalog: None, temporary: false, transaction_id: None, options: Default::default(),
    };
    let rows = || stream::iter(vec![Ok(sample(&[1, 2])), Ok(sample(&[3]))]);
    let made = c.execute_ingest(command(TableNotExistOption::Create, TableExistsOption::Replace), rows()).await?;
    let added = c.execute_ingest(command(TableNotExistOption::Fail, TableExistsOption::Append), rows()).await?;
    equal(vec![made, added], vec![3, 3])?;
    if c.execute_ingest(command(TableNotExistOption::Create, TableExistsOption::Fail), rows()).await.is_ok() {
        return Err("a table that was there was made again".into());
    }
    equal(numbers(&mut c, "select sum(i)::bigint from rust_i", None).await?, vec![12])
}

/// Batches must stay below the 4 MiB that this client takes.
async fn many_rows(mut c: Client) -> Outcome {
    let info = c.execute("select range as i, repeat('x', 200) as s from range(200000)".into(), None).await?;
    let batches = read(&mut c, info).await?;
    equal(batches.iter().map(|b| b.num_rows()).sum::<usize>(), 200_000)
}

async fn other_calls(c: Client) -> Outcome {
    let mut plain = FlightClient::new_from_inner(c.inner().clone());
    if let Some(token) = c.token() {
        plain.add_header("authorization", &format!("Bearer {token}"))?;
    }
    let command = CommandStatementQuery { query: "select 7::bigint as x".into(), transaction_id: None };
    let descriptor = FlightDescriptor::new_cmd(prost_bytes(&command));
    equal(plain.get_schema(descriptor.clone()).await?.fields().len(), 1)?;
    equal(plain.poll_flight_info(descriptor.clone()).await?.info.is_some(), true)?;
    let info = plain.get_flight_info(descriptor.clone()).await?;
    let endpoint = plain.renew_flight_endpoint(arrow_flight::RenewFlightEndpointRequest { endpoint: Some(info.endpoint[0].clone()) }).await?;
    equal(endpoint.ticket, info.endpoint[0].ticket.clone())?;
    plain.cancel_flight_info(arrow_flight::CancelFlightInfoRequest { info: Some(info) }).await?;
    equal(plain.list_actions().await?.try_collect::<Vec<_>>().await?.len(), 13)?;
    equal(plain.list_flights(bytes::Bytes::new()).await?.try_collect::<Vec<_>>().await?.len(), 0)
}

/// The command as the Any that travels.
fn prost_bytes(command: &CommandStatementQuery) -> Vec<u8> {
    use arrow_flight::sql::ProstMessageExt;
    let any = command.as_any();
    let mut out = vec![0x0a, any.type_url.len() as u8];
    out.extend(any.type_url.as_bytes());
    out.push(0x12);
    out.push(any.value.len() as u8);
    out.extend(any.value);
    out
}

async fn report<F: Future<Output = Outcome>>(name: &str, step: F) {
    match step.await {
        Ok(()) => println!("ok {name}"),
        Err(why) => println!("failed {name}: {}", why.to_string().replace('\n', " ")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let channel = Channel::from_shared(format!("http://{}", arguments[0]))?.connect().await?;
    let mut c = FlightSqlServiceClient::new(channel);
    match c.handshake(&arguments[1], &arguments[2]).await {
        Ok(_) => println!("ok sign-in"),
        Err(why) => println!("failed sign-in: {why}"),
    }
    report("statements", statements(c.clone())).await;
    report("prepared", prepared(c.clone())).await;
    report("metadata", metadata(c.clone())).await;
    report("transactions", transactions(c.clone())).await;
    report("ingestion", ingestion(c.clone())).await;
    report("many rows", many_rows(c.clone())).await;
    report("other calls", other_calls(c.clone())).await;
    Ok(())
}
