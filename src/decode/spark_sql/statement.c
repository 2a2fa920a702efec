/* Statements by their first word, and what they share. */
#include "decode/spark_sql/internal.h"

typedef struct statement {
    int32_t keyword;
    pt_status (*parse)(pt__sql_parser *p, const pt_plan **out);
} statement;

static const statement STATEMENTS[] = {
    {PT_KW_ALTER, pt__sql_alter},
    {PT_KW_ANALYZE, pt__sql_analyze},
    {PT_KW_CACHE, pt__sql_cache},
    {PT_KW_CLEAR, pt__sql_clear_cache},
    {PT_KW_COMMENT, pt__sql_comment_on},
    {PT_KW_CREATE, pt__sql_create},
    {PT_KW_DELETE, pt__sql_delete},
    {PT_KW_DESC, pt__sql_describe},
    {PT_KW_DESCRIBE, pt__sql_describe},
    {PT_KW_DROP, pt__sql_drop},
    {PT_KW_EXPLAIN, pt__sql_explain},
    {PT_KW_MERGE, pt__sql_merge},
    {PT_KW_MSCK, pt__sql_repair},
    {PT_KW_REFRESH, pt__sql_refresh},
    {PT_KW_REPAIR, pt__sql_repair},
    {PT_KW_REPLACE, pt__sql_replace_table},
    {PT_KW_RESET, pt__sql_reset},
    {PT_KW_SET, pt__sql_set},
    {PT_KW_SHOW, pt__sql_show},
    {PT_KW_TRUNCATE, pt__sql_truncate},
    {PT_KW_UNCACHE, pt__sql_uncache},
    {PT_KW_UPDATE, pt__sql_update},
    {PT_KW_USE, pt__sql_use},
};

typedef struct refusal {
    int32_t first;
    int32_t second; /* 0: any */
    const char *name;
} refusal;

/* What Spark has and this does not. */
static const refusal UNSUPPORTED[] = {
    {PT_KW_ADD, 0, "ADD JAR, FILE and ARCHIVE"},   {PT_KW_LIST, 0, "LIST of added resources"},
    {PT_KW_BEGIN, 0, "SQL scripts (BEGIN … END)"}, {PT_KW_CALL, 0, "CALL of procedures"},
    {PT_KW_DECLARE, 0, "DECLARE of variables"},    {PT_KW_EXECUTE, PT_KW_IMMEDIATE, "EXECUTE IMMEDIATE"},
    {PT_KW_LOAD, PT_KW_DATA, "LOAD DATA"},
};

/* What Spark itself names and refuses. */
static const refusal INVALID[] = {
    {PT_KW_COMMIT, 0, "COMMIT"},
    {PT_KW_DFS, 0, "DFS"},
    {PT_KW_EXPORT, PT_KW_TABLE, "EXPORT TABLE"},
    {PT_KW_GRANT, 0, "GRANT"},
    {PT_KW_IMPORT, PT_KW_TABLE, "IMPORT TABLE"},
    {PT_KW_LOCK, PT_KW_DATABASE, "LOCK DATABASE"},
    {PT_KW_LOCK, PT_KW_TABLE, "LOCK TABLE"},
    {PT_KW_REVOKE, 0, "REVOKE"},
    {PT_KW_ROLLBACK, 0, "ROLLBACK"},
    {PT_KW_START, PT_KW_TRANSACTION, "START TRANSACTION"},
    {PT_KW_UNLOCK, PT_KW_DATABASE, "UNLOCK DATABASE"},
    {PT_KW_UNLOCK, PT_KW_TABLE, "UNLOCK TABLE"},
};

static const refusal *find_refusal(const pt__sql_parser *p, const refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool second = rows[i].second == 0 || rows[i].second == pt__sql_peek(p, 1);
        if (pt__sql_at(p, rows[i].first) && second)
            return &rows[i];
    }
    return NULL;
}

pt_status pt__sql_invalid_statement(pt__sql_parser *p, const char *words)
{
    size_t first = p->position;
    pt_status status = pt__raise(p->err, PT_COND_INVALID_STATEMENT_OR_CLAUSE, "operation", words, NULL);
    return pt__sql_locate_error(p, first, status);
}

pt_status pt__sql_duplicate_clause(pt__sql_parser *p, size_t first, const char *clause)
{
    pt_status status = pt__raise(p->err, PT_COND_DUPLICATE_CLAUSES, "clauseName", clause, NULL);
    return pt__sql_locate_error(p, first, status);
}

/* WITH before INSERT belongs to the query that is inserted. */
static pt_status parse_with(pt__sql_parser *p, const pt_plan **out)
{
    pt_plan_with *with = NULL;
    PT_TRY(pt__sql_with_clause(p, &with));
    if (pt__sql_at(p, PT_KW_INSERT))
        return pt__sql_insert(p, with, out);
    if (pt__sql_at(p, PT_KW_DELETE) || pt__sql_at(p, PT_KW_UPDATE) || pt__sql_at(p, PT_KW_MERGE))
        return pt__sql_unsupported(p, "WITH before DELETE, UPDATE and MERGE");
    return pt__sql_query_under(p, with, out);
}

static pt_status parse_statement(pt__sql_parser *p, const pt_plan **out)
{
    if (pt__sql_at(p, PT_KW_WITH))
        return parse_with(p, out);
    if (pt__sql_at(p, PT_KW_INSERT))
        return pt__sql_insert(p, NULL, out);
    for (size_t i = 0; i < sizeof(STATEMENTS) / sizeof(STATEMENTS[0]); i++) {
        if (pt__sql_at(p, STATEMENTS[i].keyword))
            return STATEMENTS[i].parse(p, out);
    }
    const refusal *unsupported = find_refusal(p, UNSUPPORTED, sizeof(UNSUPPORTED) / sizeof(UNSUPPORTED[0]));
    if (unsupported != NULL)
        return pt__sql_unsupported(p, unsupported->name);
    const refusal *invalid = find_refusal(p, INVALID, sizeof(INVALID) / sizeof(INVALID[0]));
    if (invalid != NULL)
        return pt__sql_invalid_statement(p, invalid->name);
    return pt__sql_query(p, out);
}

pt_status pt__sql_statement(pt__sql_parser *p, const pt_plan **out)
{
    PT_TRY(pt__sql_enter(p));
    PT_TRY(parse_statement(p, out));
    p->depth--;
    return PT_OK;
}

/* ---- words that many statements have ---- */

bool pt__sql_accept_if_exists(pt__sql_parser *p)
{
    return pt__sql_accept_two(p, PT_KW_IF, PT_KW_EXISTS);
}

pt_status pt__sql_if_not_exists(pt__sql_parser *p, bool *out)
{
    int32_t next = pt__sql_peek(p, 1);
    *out = pt__sql_at(p, PT_KW_IF) && (next == PT_KW_NOT || next == '!') && pt__sql_peek(p, 2) == PT_KW_EXISTS;
    if (!*out)
        return PT_OK;
    pt__sql_skip(p, next == '!' ? 1 : 3);
    return next == '!' ? pt__sql_refuse_bang(p) : PT_OK;
}

bool pt__sql_at_namespace_word(const pt__sql_parser *p)
{
    return pt__sql_at(p, PT_KW_DATABASE) || pt__sql_at(p, PT_KW_SCHEMA) || pt__sql_at(p, PT_KW_NAMESPACE);
}

pt_status pt__sql_explain(pt__sql_parser *p, const pt_plan **out)
{
    static const struct mode {
        int32_t keyword;
        const char *name;
    } MODES[] = {{PT_KW_EXTENDED, "extended"},
                 {PT_KW_FORMATTED, "formatted"},
                 {PT_KW_COST, "cost"},
                 {PT_KW_CODEGEN, "codegen"},
                 {PT_KW_LOGICAL, "extended"}};
    size_t first = p->position;
    pt_plan_explain *explain = pt__plan_make(p->arena, EXPLAIN, explain, NULL);
    explain->mode = "simple";
    pt__sql_skip(p, 1);
    for (size_t i = 0; i < sizeof(MODES) / sizeof(MODES[0]); i++) {
        if (pt__sql_accept(p, MODES[i].keyword)) {
            explain->mode = MODES[i].name;
            break;
        }
    }
    PT_TRY(pt__sql_statement(p, &explain->query));
    explain->base.origin = pt__sql_origin(p, first);
    *out = &explain->base;
    return PT_OK;
}
