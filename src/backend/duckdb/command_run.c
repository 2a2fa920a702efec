/* What every command uses: SQL of its own, the rows of its query, names. */
#include "backend/duckdb/command.h"

#include "backend/duckdb/functions/functions.h"

const char *pt__database_of(const pt_name *name)
{
    return name->count > 1 ? name->parts[name->count - 2] : "default";
}

const char *pt__object_of(const pt_name *name)
{
    return name->parts[name->count - 1];
}

static pt_status run_sql(pt__command_run *run, const char *sql, int64_t *rows, pt_error *err)
{
    PT_TRY(pt__statement_check(run->statement, err));
    PT_TRY(pt__functions_register_here(run->database->functions, run->statement->connection, sql, err));
    PT_TRY(pt__duckdb_run_counting(run->statement->connection, sql, rows, err));
    return pt__statement_check(run->statement, err);
}

pt_status pt__command_sql(pt__command_run *run, const char *sql, pt_error *err)
{
    return run_sql(run, sql, NULL, err);
}

pt_status pt__command_write_sql(pt__command_run *run, const char *sql, pt_error *err)
{
    return run_sql(run, sql, &run->rows_written, err);
}

void pt__command_forget(pt__command_run *run)
{
    for (size_t i = 0; i < run->local_count; i++)
        pt__local_forget(run->database, &run->locals[i]);
    run->local_count = 0;
}

static void register_locals(pt__command_run *run, const pt__lowered *lowered)
{
    run->locals = pt__arena_array(run->arena, pt__local_entry, lowered->source_count + 1);
    run->local_count = lowered->source_count;
    for (size_t i = 0; i < lowered->source_count; i++) {
        run->locals[i] = (pt__local_entry){.key = lowered->sources[i].key, .data = lowered->sources[i].data};
        pt__local_register(run->database, &run->locals[i]);
    }
}

pt_status pt__command_query(pt__command_run *run, const pt_plan *query, pt__lowered *out, pt_error *err)
{
    PT_TRY(pt__lower_query(pt__lower_new(run->arena, run->database, run->time_zone), query, out, err));
    register_locals(run, out);
    return PT_OK;
}

void pt__put_named_query(pt__lower *lower, const pt__lowered *query, const pt_type *schema)
{
    pt__put(lower, "SELECT ");
    for (size_t i = 0; i < schema->field_count; i++) {
        pt__putf(lower, "%sCAST(x.x%zu AS ", i == 0 ? "" : ", ", i);
        pt__put_type(lower, schema->fields[i].type);
        pt__put(lower, ") AS ");
        pt__put_identifier(lower, schema->fields[i].name);
    }
    pt__putf(lower, " FROM (%s) AS x(", query->sql);
    for (size_t i = 0; i < schema->field_count; i++)
        pt__putf(lower, "%sx%zu", i == 0 ? "" : ", ", i);
    pt__put(lower, ")");
}
