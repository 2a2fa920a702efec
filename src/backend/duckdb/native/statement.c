/* Statements of DuckDB's dialect: taken apart, prepared, told apart by kind. */
#include "backend/duckdb/harvest.h"
#include "backend/duckdb/native/native.h"
#include "backend/duckdb/sql_word.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

char *pt__native_text(const pt_query *query)
{
    pt_bytes_view payload = query->encoded.payload;
    char *text = malloc(payload.size_bytes + 1);
    if (text == NULL)
        return NULL;
    if (payload.size_bytes != 0)
        memcpy(text, payload.data, payload.size_bytes);
    text[payload.size_bytes] = '\0';
    return text;
}

pt_status pt__native_statement_init(pt__native_statement *statement, pt__native_link *link, const char *sql,
                                    pt_error *err)
{
    *statement = (pt__native_statement){0};
    statement->count = duckdb_extract_statements(link->connection, sql, &statement->all);
    if (statement->count != 0)
        return PT_OK;
    const char *message = duckdb_extract_statements_error(statement->all);
    return message == NULL ? pt_error_set(err, PT_BAD_SQL, "Parser Error: the text holds no statement")
                           : pt__native_error(message, err);
}

static pt_status prepare_at(pt__native_statement *s, pt__native_link *link, idx_t index, pt_error *err)
{
    if (duckdb_prepare_extracted_statement(link->connection, s->all, index, &s->last) == DuckDBSuccess)
        return PT_OK;
    return pt__native_error(duckdb_prepare_error(s->last), err);
}

static pt_status execute_last(const pt__native_statement *s, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    if (duckdb_execute_prepared(s->last, &result) != DuckDBSuccess)
        status = pt__native_error(duckdb_result_error(&result), err);
    duckdb_destroy_result(&result);
    return status;
}

static pt_status run_last(const pt__native_statement *s, pt__native_link *link, const char *sql, pt_error *err)
{
    PT_TRY(pt__native_check_commit(link, s->last, sql, err));
    pt__native_outdate_kept(link, s->last, sql);
    pt__native_make_way(link, s->last, sql);
    pt_status status = execute_last(s, err);
    if (status != PT_OK && pt__native_made_way(link, err)) {
        pt_error_clear(err);
        status = execute_last(s, err);
    }
    if (status == PT_OK)
        pt__native_reset_arrow(link, sql);
    return status;
}

static pt_status run_at(pt__native_statement *s, pt__native_link *link, const char *sql, idx_t index, pt_error *err)
{
    pt__helped helped = {0};
    pt__helped_begin(&helped, link->database->helper);
    pt_status status = prepare_at(s, link, index, err);
    if (status == PT_OK)
        status = run_last(s, link, sql, err);
    duckdb_destroy_prepare(&s->last);
    pt__helped_end(&helped);
    return status;
}

static void destroy_last(pt__native_statement *s)
{
    if (s->last != NULL)
        duckdb_destroy_prepare(&s->last);
    pt__harvest_close(s->harvest);
    s->harvest = NULL;
}

/* Not as long as types depend on values of parameters: DuckDB binds such a statement when it has them. */
static bool is_bound(const pt__native_statement *s)
{
    const duckdb_logical_type *types;
    char *const *names;
    return pt__harvest_columns(s->harvest, &types, &names) != 0;
}

/* False when the text is none to be wrapped, or wrapped has an error, which then is to be had of the text as it is. */
static bool prepare_wrapped(pt__native_statement *s, pt__native_link *link, const char *sql)
{
    struct ArrowSchema schema;
    char *text = pt__harvest_wrap(s->harvest, sql);
    pt__harvest_begin_binding(s->harvest);
    bool is_prepared = text != NULL && duckdb_prepare(link->connection, text, &s->last) == DuckDBSuccess;
    pt__harvest_end_binding(s->harvest);
    free(text);
    return is_prepared && is_bound(s) && pt__native_column_schema(link, s, &schema, NULL) == PT_OK &&
           pt__harvest_set_schema(s->harvest, &schema);
}

/* DuckDB would bind what has parameters again for each row of them. */
static void prepare_for_many_rows(pt__native_statement *s, pt__native_link *link, const char *sql)
{
    if (duckdb_nparams(s->last) != 0)
        return;
    pt__native_statement other = {.harvest = pt__harvest_for_many_rows(s->harvest)};
    if (other.harvest == NULL)
        return;
    bool is_prepared = prepare_wrapped(&other, link, sql);
    destroy_last(is_prepared ? s : &other);
    if (!is_prepared)
        return;
    s->last = other.last;
    s->harvest = other.harvest;
}

static bool prepare_harvest(pt__native_statement *s, pt__native_link *link, const char *sql)
{
    s->harvest = pt__harvest_new(link->database, sql);
    if (s->harvest == NULL)
        return false;
    if (!prepare_wrapped(s, link, sql)) {
        destroy_last(s);
        return false;
    }
    prepare_for_many_rows(s, link, sql);
    return true;
}

/* For a row of constants wrapping the text takes longer than the row. */
static bool may_be_harvested(const pt__native_statement *s, const pt__native_link *link)
{
    return s->count == 1 && link->use != PT_USE_VALUES;
}

pt_status pt__native_statement_prepare(pt__native_statement *s, pt__native_link *link, const char *sql, pt_error *err)
{
    for (idx_t i = 0; i + 1 < s->count; i++)
        PT_TRY(run_at(s, link, sql, i, err));
    if (sql != NULL && may_be_harvested(s, link) && prepare_harvest(s, link, sql))
        return PT_OK;
    return prepare_at(s, link, s->count - 1, err);
}

void pt__native_statement_deinit(pt__native_statement *s)
{
    destroy_last(s);
    if (s->all != NULL)
        duckdb_destroy_extracted(&s->all);
    *s = (pt__native_statement){0};
}

/* ---- kinds ---- */

static bool begins_with(const char *sql, const char *word)
{
    return strncasecmp(pt__sql_first_word(sql), word, strlen(word)) == 0;
}

bool pt__native_is_rollback(const char *sql)
{
    return begins_with(sql, "rollback") || begins_with(sql, "abort");
}

/* Of several statements only types are known, not which word of the text is whose. */
static bool may_commit(const char *sql)
{
    if (begins_with(sql, "commit") || begins_with(sql, "end"))
        return true;
    return strcasestr(sql, "commit") != NULL && strcasestr(sql, "rollback") == NULL && strcasestr(sql, "abort") == NULL;
}

pt_status pt__native_check_commit(pt__native_link *link, duckdb_prepared_statement prepared, const char *sql,
                                  pt_error *err)
{
    bool is_commit = !link->is_pooled &&
                     duckdb_prepared_statement_type(prepared) == DUCKDB_STATEMENT_TYPE_TRANSACTION && may_commit(sql);
    return is_commit ? pt__native_link_check(link, err) : PT_OK;
}

/* A temporary object, as far as the text tells; a table of that name costs no more than a connection. */
static bool says_temporary(const char *sql)
{
    return strcasestr(sql, "temp") != NULL;
}

/* EXPLAIN ANALYZE, or ANALYSE, executes whatever it is given: SET, too. */
static bool says_analyze(const char *sql)
{
    return strcasestr(sql, "analy") != NULL;
}

bool pt__native_leaves_state(duckdb_prepared_statement prepared, const char *sql)
{
    switch (duckdb_prepared_statement_type(prepared)) {
    case DUCKDB_STATEMENT_TYPE_SELECT:
    case DUCKDB_STATEMENT_TYPE_INSERT:
    case DUCKDB_STATEMENT_TYPE_UPDATE:
    case DUCKDB_STATEMENT_TYPE_DELETE:
    case DUCKDB_STATEMENT_TYPE_MERGE_INTO:
    case DUCKDB_STATEMENT_TYPE_COPY:
    case DUCKDB_STATEMENT_TYPE_ALTER:
    case DUCKDB_STATEMENT_TYPE_DROP: return false;
    case DUCKDB_STATEMENT_TYPE_EXPLAIN: return says_analyze(sql);
    case DUCKDB_STATEMENT_TYPE_CREATE:
    case DUCKDB_STATEMENT_TYPE_CREATE_FUNC: return says_temporary(sql);
    default: return true;
    }
}

bool pt__native_is_transactional(duckdb_prepared_statement prepared)
{
    switch (duckdb_prepared_statement_type(prepared)) {
    case DUCKDB_STATEMENT_TYPE_INSERT:
    case DUCKDB_STATEMENT_TYPE_UPDATE:
    case DUCKDB_STATEMENT_TYPE_DELETE:
    case DUCKDB_STATEMENT_TYPE_MERGE_INTO:
    case DUCKDB_STATEMENT_TYPE_COPY:
    case DUCKDB_STATEMENT_TYPE_ALTER:
    case DUCKDB_STATEMENT_TYPE_DROP:
    case DUCKDB_STATEMENT_TYPE_CREATE:
    case DUCKDB_STATEMENT_TYPE_CREATE_FUNC: return true;
    default: return false;
    }
}

static bool has_one_column(duckdb_prepared_statement prepared, const char *name)
{
    if (duckdb_prepared_statement_column_count(prepared) != 1)
        return false;
    const char *found = duckdb_prepared_statement_column_name(prepared, 0);
    bool same = found != NULL && strcmp(found, name) == 0;
    duckdb_free((void *)found);
    return same;
}

bool pt__native_is_update(duckdb_prepared_statement prepared)
{
    switch (duckdb_prepared_statement_type(prepared)) {
    case DUCKDB_STATEMENT_TYPE_INSERT:
    case DUCKDB_STATEMENT_TYPE_UPDATE:
    case DUCKDB_STATEMENT_TYPE_DELETE:
    case DUCKDB_STATEMENT_TYPE_MERGE_INTO: return has_one_column(prepared, "Count"); /* else it has RETURNING */
    case DUCKDB_STATEMENT_TYPE_SELECT:
    case DUCKDB_STATEMENT_TYPE_EXPLAIN:
    case DUCKDB_STATEMENT_TYPE_PRAGMA:
    case DUCKDB_STATEMENT_TYPE_CALL:
    case DUCKDB_STATEMENT_TYPE_EXECUTE:
    case DUCKDB_STATEMENT_TYPE_RELATION: return false;
    default: return true;
    }
}
