/* What a statement is, found without running it. */
#include "backend/duckdb/batch_column.h"
#include "backend/duckdb/harvest.h"
#include "backend/duckdb/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types and names of columns or parameters, on their way to an Arrow schema. */
typedef struct fields {
    duckdb_logical_type *types;
    char **names;
    idx_t count;
} fields;

static void free_fields(fields *f)
{
    for (idx_t i = 0; i < f->count; i++) {
        duckdb_destroy_logical_type(&f->types[i]);
        free(f->names[i]);
    }
    free(f->types);
    free(f->names);
}

static bool new_fields(fields *f, idx_t count)
{
    f->count = count;
    f->types = calloc(count + 1, sizeof(*f->types));
    f->names = calloc(count + 1, sizeof(*f->names));
    if (f->types == NULL || f->names == NULL)
        f->count = 0;
    return f->types != NULL && f->names != NULL;
}

static int64_t child_count(duckdb_logical_type type)
{
    switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_ARRAY: return 1;
    case DUCKDB_TYPE_MAP: return 2;
    case DUCKDB_TYPE_STRUCT: return (int64_t)duckdb_struct_type_child_count(type);
    default: return 0;
    }
}

static bool is_known(duckdb_logical_type type)
{
    duckdb_type id = type == NULL ? DUCKDB_TYPE_INVALID : duckdb_get_type_id(type);
    bool all = id != DUCKDB_TYPE_INVALID && id != DUCKDB_TYPE_ANY;
    int64_t count = all ? child_count(type) : 0;
    for (int64_t i = 0; all && i < count; i++) {
        duckdb_logical_type child = pt__batch_child_type(type, i);
        all = is_known(child);
        duckdb_destroy_logical_type(&child);
    }
    return all;
}

/* What is not resolved yet, or only in part, becomes the null type. */
static duckdb_logical_type known(duckdb_logical_type type)
{
    if (is_known(type))
        return type;
    if (type != NULL)
        duckdb_destroy_logical_type(&type);
    return duckdb_create_logical_type(DUCKDB_TYPE_SQLNULL);
}

static pt_status to_arrow(pt__native_link *link, const fields *f, struct ArrowSchema *out, pt_error *err)
{
    duckdb_arrow_options options = NULL;
    duckdb_connection_get_arrow_options(link->connection, &options);
    duckdb_error_data error = duckdb_to_arrow_schema(options, f->types, (const char **)f->names, f->count, out);
    duckdb_destroy_arrow_options(&options);
    return pt__native_error_data(error, err);
}

static pt_status finish_fields(pt__native_link *link, fields *f, bool has_memory, struct ArrowSchema *out,
                               pt_error *err)
{
    for (idx_t i = 0; i < f->count; i++)
        has_memory = has_memory && f->names[i] != NULL;
    pt_status status =
        has_memory ? to_arrow(link, f, out, err) : pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
    free_fields(f);
    return status;
}

/* Of the statement itself, not of the one that it is wrapped into. */
static pt_status harvest_schema(pt__native_link *link, const pt__harvest *harvest, struct ArrowSchema *out,
                                pt_error *err)
{
    const duckdb_logical_type *types;
    char *const *names;
    size_t count = pt__harvest_columns(harvest, &types, &names);
    const fields f = {.types = (duckdb_logical_type *)types, .names = (char **)names, .count = count};
    return to_arrow(link, &f, out, err);
}

pt_status pt__native_column_schema(pt__native_link *link, const pt__native_statement *statement,
                                   struct ArrowSchema *out, pt_error *err)
{
    fields f = {0};
    if (statement->harvest != NULL)
        return harvest_schema(link, statement->harvest, out, err);
    duckdb_prepared_statement prepared = statement->last;
    bool has_memory = new_fields(&f, duckdb_prepared_statement_column_count(prepared));
    for (idx_t i = 0; i < f.count; i++) {
        f.types[i] = known(duckdb_prepared_statement_column_logical_type(prepared, i));
        const char *name = duckdb_prepared_statement_column_name(prepared, i);
        f.names[i] = strdup(name == NULL ? "" : name);
        duckdb_free((void *)name);
    }
    return finish_fields(link, &f, has_memory, out, err);
}

pt_status pt__native_result_schema(pt__native_link *link, duckdb_result *result, struct ArrowSchema *out, pt_error *err)
{
    fields f = {0};
    bool has_memory = new_fields(&f, duckdb_column_count(result));
    for (idx_t i = 0; i < f.count; i++) {
        const char *name = duckdb_column_name(result, i);
        f.types[i] = known(duckdb_column_logical_type(result, i));
        f.names[i] = strdup(name == NULL ? "" : name);
    }
    return finish_fields(link, &f, has_memory, out, err);
}

/* Parameters are called by their position, which is how values are matched. */
static pt_status parameter_schema(pt__native_link *link, duckdb_prepared_statement prepared, struct ArrowSchema *out,
                                  pt_error *err)
{
    fields f = {0};
    char name[24];
    bool has_memory = new_fields(&f, duckdb_nparams(prepared));
    for (idx_t i = 0; i < f.count; i++) {
        f.types[i] = known(duckdb_param_logical_type(prepared, i + 1));
        snprintf(name, sizeof(name), "%llu", (unsigned long long)i + 1);
        f.names[i] = strdup(name);
    }
    return finish_fields(link, &f, has_memory, out, err);
}

static pt_status describe(pt__native_link *link, const pt__native_statement *statement, pt_statement_info *out,
                          pt_error *err)
{
    out->is_update = pt__native_is_update(statement->last);
    PT_TRY(parameter_schema(link, statement->last, &out->parameters, err));
    PT_TRY(pt__native_column_schema(link, statement, &out->result, err));
    return pt__native_plain_schema(&out->result, err);
}

/* Of several statements the last may depend on what the others do: it is known when they have run. */
static pt_status prepare_on(pt__native_link *link, pt__native_statement *statement, const pt_query *query,
                            const char *sql, pt_statement_info *out, pt_error *err)
{
    if (statement->last == NULL && (link->is_pooled || !pt__native_take_kept(link, sql, statement))) {
        PT_TRY(pt__native_statement_init(statement, link, sql, err));
        if (statement->count == 1)
            PT_TRY(pt__native_statement_prepare(statement, link, query->statement_id == NULL ? NULL : sql, err));
    }
    return statement->count == 1 ? describe(link, statement, out, err) : PT_OK;
}

/*
 * A connection for the text, on which it may be prepared already. ROLLBACK is the same on any: to prepare it is not to make
 * results way for it.
 */
static pt_status find_link(pt__duckdb *database, pt__native *native, const pt_query *query, const char *sql,
                           pt__native_link **link, pt__native_statement *statement, pt_error *err)
{
    if (pt__native_is_rollback(sql))
        return pt__native_pooled(database, link, err);
    if (query->transaction != NULL)
        return pt__native_transaction(native, query->transaction, link, err);
    if (pt__native_unshelve_text(database, native, sql, link, statement))
        return PT_OK;
    return pt__native_any(database, native, sql, link, err);
}

/* For the execution that follows; what leaves state behind runs on another connection than one of the pool then. */
static bool is_worth_keeping(const pt__native_link *link, const pt__native_statement *statement, const pt_query *query,
                             const char *sql)
{
    return query->statement_id != NULL && statement->count == 1 &&
           (!link->is_pooled || !pt__native_leaves_state(statement->last, sql));
}

/* On a session's own connection, which is still taken. */
static void keep(pt__native_link *link, pt__native_statement *statement, const pt_query *query, const char *sql)
{
    if (!link->is_pooled && is_worth_keeping(link, statement, query, sql))
        pt__native_keep(link, query->statement_id, statement);
}

static pt_status prepare_within(pt__native_link *link, pt__native_statement *statement, const pt_query *query,
                                const char *sql, pt_statement_info *out, pt_error *err)
{
    pt__native_entrant self = pt__native_entrant_of(query);
    if (!pt__native_link_enter_as(link, &self))
        return pt__native_gave_up(err);
    pt_status status = prepare_on(link, statement, query, sql, out, err);
    if (status == PT_OK)
        keep(link, statement, query, sql);
    pt__native_link_leave(link);
    return status;
}

static void release(struct ArrowSchema *schema)
{
    if (schema->release != NULL)
        schema->release(schema);
}

pt_status pt__native_prepare(pt__duckdb *database, pt__native *native, const pt_query *query, pt_statement_info *out,
                             pt_error *err)
{
    pt__native_link *link = NULL;
    pt__native_statement statement = {0};
    *out = (pt_statement_info){.size_bytes = sizeof(*out)};
    char *sql = pt__native_text(query);
    if (sql == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a statement");
    pt_status status = find_link(database, native, query, sql, &link, &statement, err);
    if (status == PT_OK)
        status = prepare_within(link, &statement, query, sql, out, err);
    out->is_constant = status == PT_OK && pt__native_is_literal_row(sql);
    if (status == PT_OK && link->is_pooled && is_worth_keeping(link, &statement, query, sql)) {
        pt__native_shelve(database, PT_SHELF_HANDLES, query->statement_id, link, &statement);
        link = NULL;
    }
    pt__native_statement_deinit(&statement);
    pt__native_link_unref(link);
    free(sql);
    if (status != PT_OK) {
        release(&out->result);
        release(&out->parameters);
    }
    return status;
}

/* ---- what may be run a second time ---- */

static bool is_select(pt__native_link *link, const char *sql)
{
    pt__native_statement s;
    bool is_one = pt__native_statement_init(&s, link, sql, NULL) == PT_OK && s.count == 1 &&
                  pt__native_statement_prepare(&s, link, NULL, NULL) == PT_OK &&
                  duckdb_prepared_statement_type(s.last) == DUCKDB_STATEMENT_TYPE_SELECT;
    pt__native_statement_deinit(&s);
    return is_one;
}

bool pt__native_reads_only(pt__duckdb *database, pt__native *native, const pt_query *query)
{
    pt__native_link *link = NULL;
    if (query->transaction != NULL || query->parameters != NULL ||
        pt__native_any(database, native, NULL, &link, NULL) != PT_OK)
        return false;
    char *sql = pt__native_text(query);
    /* What a session has set for itself ends with it: the statement may mean something else on another node. */
    bool is_read = link->is_pooled && sql != NULL && is_select(link, sql);
    pt__native_link_unref(link);
    free(sql);
    return is_read;
}
