#include "backend/duckdb/kept.h"

#include "backend/duckdb/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct kept {
    char table[64]; /* as SQL names it */
} kept;

const char *pt__kept_table(const void *handle)
{
    return ((const kept *)handle)->table;
}

/* Columns k0, k1, … */
static const pt_type *kept_schema(pt__arena *arena, const pt__lowered *lowered)
{
    pt_field *fields = pt__arena_array(arena, pt_field, lowered->column_count + 1);
    for (size_t i = 0; i < lowered->column_count; i++)
        fields[i] = (pt_field){pt__arena_printf(arena, "k%zu", i), lowered->columns[i].type, true, NULL};
    return pt__type_struct(arena, fields, lowered->column_count);
}

static pt_status fill_table(pt__command_run *run, const kept *made, const pt_plan *plan, pt_error *err)
{
    pt__lowered lowered;
    PT_TRY(pt__statement_borrow(run->statement, err));
    PT_TRY(pt__command_query(run, plan, &lowered, err));
    pt__lower *text = pt__lower_new(run->arena, run->database, run->time_zone);
    pt__putf(text, "CREATE TABLE %s AS ", made->table);
    if (lowered.column_count == 0)
        pt__putf(text, "SELECT 1 AS k0 FROM (%s)", lowered.sql);
    else
        pt__put_named_query(text, &lowered, kept_schema(run->arena, &lowered));
    pt_status status = pt__command_sql(run, pt__cut(text, 0), err);
    pt__command_forget(run);
    return status;
}

static pt_status run_guarded(pt__command_run *run, const kept *made, const pt_plan *plan, pt_error *err)
{
    if (PT_ARENA_GUARD(run->arena))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to keep a result");
    pt_status status = fill_table(run, made, plan, err);
    pt__arena_unguard(run->arena);
    return status;
}

/* Attaching costs as much as opening a small database, so it waits for the first who needs it. */
pt_status pt__kept_attach(pt__duckdb *database, pt_error *err)
{
    duckdb_connection connection;
    PT_TRY(pt__duckdb_borrow(database, &connection, err));
    pthread_mutex_lock(&database->mutex);
    pt_status status = PT_OK;
    if (!database->has_kept_catalog)
        status = pt__duckdb_run(connection, "ATTACH ':memory:' AS " PT_KEPT_CATALOG, err);
    database->has_kept_catalog = status == PT_OK;
    pthread_mutex_unlock(&database->mutex);
    pt__duckdb_return(database, connection);
    return status;
}

static kept *name_table(pt__duckdb *database)
{
    kept *made = calloc(1, sizeof(*made));
    if (made == NULL)
        return NULL;
    pthread_mutex_lock(&database->mutex);
    uint64_t number = ++database->next_kept;
    pthread_mutex_unlock(&database->mutex);
    snprintf(made->table, sizeof(made->table), PT_KEPT_CATALOG ".main.k%" PRIu64, number);
    return made;
}

pt_status pt__kept_make(pt__duckdb *database, const pt_query *query, void **out, pt_error *err)
{
    pt__statement statement;
    kept *made = name_table(database);
    pt__arena *arena = pt__arena_new(0);
    if (made == NULL || arena == NULL || query->plan == NULL) {
        free(made);
        pt__arena_free(arena);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to keep a result");
    }
    pt__statement_init(&statement, database, query->plan);
    pt__command_run run = {
        .database = database, .statement = &statement, .arena = arena, .time_zone = query->time_zone};
    pt_status status = pt__kept_attach(database, err);
    if (status == PT_OK)
        status = run_guarded(&run, made, query->plan, err);
    pt__statement_deinit(&statement);
    pt__arena_free(arena);
    if (status == PT_OK)
        *out = made;
    else
        free(made);
    return status;
}

void pt__kept_release(void *context, void *handle)
{
    pt__duckdb *database = context;
    kept *made = handle;
    duckdb_connection connection;
    char sql[128];
    snprintf(sql, sizeof(sql), "DROP TABLE IF EXISTS %s", made->table);
    if (pt__duckdb_borrow(database, &connection, NULL) == PT_OK) {
        pt__duckdb_run(connection, sql, NULL);
        pt__duckdb_return(database, connection);
    }
    free(made);
}
