/* CREATE TABLE, VIEW and DATABASE. */
#include "decode/spark_sql/internal.h"

#include <strings.h>

/* ---- clauses ---- */

/* Reads the string after a clause's word, which must be the first such clause. */
static pt_status parse_string_clause(pt__sql_parser *p, size_t first, const char *clause, const char **out)
{
    const char *text = NULL;
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_string_text(p, &text));
    if (*out != NULL)
        return pt__sql_duplicate_clause(p, first, clause);
    *out = text;
    return PT_OK;
}

static pt_status parse_property_clause(pt__sql_parser *p, size_t first, const char *clause, pt_options *out)
{
    pt_options options = {0};
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_property_list(p, &options));
    if (out->count > 0)
        return pt__sql_duplicate_clause(p, first, clause);
    *out = options;
    return PT_OK;
}

/* a.b as one text, of USING and STORED AS. */
static pt_status parse_provider(pt__sql_parser *p, const char **out)
{
    pt_name name = {0};
    PT_TRY(pt__sql_name(p, &name));
    *out = name.parts[0];
    for (size_t i = 1; i < name.count; i++)
        *out = pt__arena_printf(p->arena, "%s.%s", *out, name.parts[i]);
    return PT_OK;
}

/* ---- databases ---- */

static pt_status parse_database_clauses(pt__sql_parser *p, size_t first, pt_plan_create_database *database)
{
    for (;;) {
        if (pt__sql_at(p, PT_KW_COMMENT)) {
            PT_TRY(parse_string_clause(p, first, "COMMENT", &database->comment));
        } else if (pt__sql_at(p, PT_KW_LOCATION)) {
            PT_TRY(parse_string_clause(p, first, "LOCATION", &database->location));
        } else if (pt__sql_at(p, PT_KW_WITH)) {
            pt__sql_skip(p, 1);
            if (!pt__sql_at(p, PT_KW_DBPROPERTIES) && !pt__sql_at(p, PT_KW_PROPERTIES))
                return pt__sql_syntax_error(p);
            PT_TRY(parse_property_clause(p, first, "WITH PROPERTIES", &database->properties));
        } else {
            return PT_OK;
        }
    }
}

static pt_status parse_database(pt__sql_parser *p, size_t first, const pt_plan **out)
{
    pt_plan_create_database *database = pt__plan_make(p->arena, CREATE_DATABASE, create_database, NULL);
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_if_not_exists(p, &database->if_not_exists));
    PT_TRY(pt__sql_name(p, &database->name));
    PT_TRY(parse_database_clauses(p, first, database));
    database->base.origin = pt__sql_origin(p, first);
    *out = &database->base;
    return PT_OK;
}

/* ---- views ---- */

static pt_status parse_view_columns(pt__sql_parser *p, pt_plan_create_view *view)
{
    pt__sql_string_list names = {0};
    pt__sql_string_list comments = {0};
    if (!pt__sql_accept(p, '('))
        return PT_OK;
    do {
        const char *name = NULL;
        const char *comment = NULL;
        PT_TRY(pt__sql_checked_identifier(p, &name));
        if (pt__sql_accept(p, PT_KW_COMMENT))
            PT_TRY(pt__sql_string_text(p, &comment));
        pt__list_push(p->arena, &names, name);
        pt__list_push(p->arena, &comments, comment);
    } while (pt__sql_accept(p, ','));
    view->column_names = names.items;
    view->column_comments = comments.items;
    view->column_name_count = names.count;
    return pt__sql_expect(p, ')');
}

/* WITH SCHEMA BINDING and the like say what happens when tables below change; views here follow them. */
static pt_status parse_schema_binding(pt__sql_parser *p)
{
    PT_TRY(pt__sql_expect_two(p, PT_KW_WITH, PT_KW_SCHEMA));
    (void)pt__sql_accept(p, PT_KW_TYPE);
    bool known = pt__sql_at(p, PT_KW_BINDING) || pt__sql_at(p, PT_KW_COMPENSATION) || pt__sql_at(p, PT_KW_EVOLUTION);
    if (!known)
        return pt__sql_syntax_error(p);
    pt__sql_skip(p, 1);
    return PT_OK;
}

static pt_status parse_view_clauses(pt__sql_parser *p, size_t first, pt_plan_create_view *view)
{
    for (;;) {
        if (pt__sql_at(p, PT_KW_COMMENT))
            PT_TRY(parse_string_clause(p, first, "COMMENT", &view->comment));
        else if (pt__sql_at(p, PT_KW_TBLPROPERTIES))
            PT_TRY(parse_property_clause(p, first, "TBLPROPERTIES", &view->properties));
        else if (pt__sql_at_two(p, PT_KW_WITH, PT_KW_SCHEMA))
            PT_TRY(parse_schema_binding(p));
        else if (pt__sql_at(p, PT_KW_WITH))
            return pt__sql_unsupported(p, "metric views");
        else if (pt__sql_at(p, PT_KW_PARTITIONED))
            return pt__sql_unsupported(p, "partitioned views");
        else if (pt__sql_at(p, PT_KW_DEFAULT))
            return pt__sql_unsupported(p, "a view's default collation");
        else
            return PT_OK;
    }
}

/* CREATE TEMPORARY VIEW v [(columns)] USING format OPTIONS (path '…') */
static pt_status parse_view_of_files(pt__sql_parser *p, size_t first, const pt_type *schema, pt_plan_create_view *view)
{
    pt_plan_scan_files *files = pt__plan_make(p->arena, SCAN_FILES, scan_files, NULL);
    size_t at = p->position;
    pt__sql_skip(p, 1);
    PT_TRY(parse_provider(p, &files->format));
    if (pt__sql_at(p, PT_KW_OPTIONS))
        PT_TRY(parse_property_clause(p, first, "OPTIONS", &files->options));
    const char *path = pt__options_get(&files->options, "path");
    if (path != NULL) {
        const char **paths = pt__arena_array(p->arena, const char *, 1);
        paths[0] = path;
        files->paths = paths;
        files->path_count = 1;
    }
    files->schema = schema;
    files->base.origin = pt__sql_origin(p, at);
    view->query = &files->base;
    return PT_OK;
}

/* Whether the parenthesis opens columns with types rather than names. */
static bool at_typed_columns(const pt__sql_parser *p)
{
    int32_t third = pt__sql_peek(p, 2);
    return pt__sql_at(p, '(') && third != ')' && third != ',' && third != PT_KW_COMMENT;
}

static pt_status parse_view_body(pt__sql_parser *p, size_t first, pt_plan_create_view *view)
{
    const pt_type *schema = NULL;
    if (at_typed_columns(p)) {
        pt__sql_skip(p, 1);
        PT_TRY(pt__sql_field_list(p, ')', &schema));
        PT_TRY(pt__sql_expect(p, ')'));
    } else {
        PT_TRY(parse_view_columns(p, view));
    }
    bool temporary = view->view_kind != PT_VIEW_PERSISTENT;
    if (temporary && view->column_name_count == 0 && pt__sql_at(p, PT_KW_USING))
        return parse_view_of_files(p, first, schema, view);
    if (schema != NULL)
        return pt__sql_syntax_error(p);
    PT_TRY(parse_view_clauses(p, first, view));
    PT_TRY(pt__sql_expect(p, PT_KW_AS));
    size_t query = p->position;
    PT_TRY(pt__sql_query(p, &view->query));
    view->text = pt__sql_text_from(p, query);
    return PT_OK;
}

static pt_status parse_view(pt__sql_parser *p, size_t first, pt_view_kind kind, bool replace, const pt_plan **out)
{
    pt_plan_create_view *view = pt__plan_make(p->arena, CREATE_VIEW, create_view, NULL);
    pt__sql_skip(p, 1);
    view->view_kind = kind;
    view->replace = replace;
    PT_TRY(pt__sql_if_not_exists(p, &view->if_not_exists));
    PT_TRY(pt__sql_name(p, &view->name));
    PT_TRY(parse_view_body(p, first, view));
    view->base.origin = pt__sql_origin(p, first);
    *out = &view->base;
    return PT_OK;
}

/* ---- tables ---- */

static bool at_constraint(const pt__sql_parser *p)
{
    return pt__sql_at_two(p, PT_KW_PRIMARY, PT_KW_KEY) || pt__sql_at_two(p, PT_KW_FOREIGN, PT_KW_KEY) ||
           pt__sql_at_two(p, PT_KW_UNIQUE, '(') || pt__sql_at_two(p, PT_KW_CHECK, '(') ||
           (pt__sql_at(p, PT_KW_CONSTRAINT) && pt__sql_is_name(pt__sql_peek(p, 2)));
}

typedef struct table_clauses {
    pt__list(pt_field) fields;
    pt__sql_string_list partitions;
    bool has_columns;
} table_clauses;

static pt_status parse_table_columns(pt__sql_parser *p, table_clauses *clauses)
{
    clauses->has_columns = true;
    pt__sql_skip(p, 1);
    do {
        pt_field field;
        if (at_constraint(p))
            return pt__sql_unsupported(p, "table constraints");
        PT_TRY(pt__sql_field(p, &field));
        pt__list_push(p->arena, &clauses->fields, field);
    } while (pt__sql_accept(p, ','));
    if (pt__sql_is_name(pt__sql_peek(p, 0)))
        return at_constraint(p) || pt__sql_at(p, PT_KW_REFERENCES) || pt__sql_at(p, PT_KW_UNIQUE)
                   ? pt__sql_unsupported(p, "column constraints")
                   : pt__sql_syntax_error(p);
    return pt__sql_expect(p, ')');
}

/* PARTITIONED BY (a, b), or (a INT, b STRING), which adds columns. */
static pt_status parse_partitioning(pt__sql_parser *p, size_t first, table_clauses *clauses)
{
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expect(p, '('));
    if (clauses->partitions.count > 0)
        return pt__sql_duplicate_clause(p, first, "PARTITIONED BY");
    do {
        pt_field field = {0};
        int32_t next = pt__sql_peek(p, 1);
        if (next == '(')
            return pt__sql_unsupported(p, "partitioning by an expression");
        if (next == ',' || next == ')') {
            PT_TRY(pt__sql_checked_identifier(p, &field.name));
        } else {
            PT_TRY(pt__sql_field(p, &field));
            pt__list_push(p->arena, &clauses->fields, field);
            clauses->has_columns = true;
        }
        pt__list_push(p->arena, &clauses->partitions, field.name);
    } while (pt__sql_accept(p, ','));
    return pt__sql_expect(p, ')');
}

/* CLUSTERED BY (a) [SORTED BY (b DESC)] INTO n BUCKETS: a layout, without effect on results. */
static pt_status parse_buckets(pt__sql_parser *p)
{
    pt__sql_string_list names = {0};
    int64_t count = 0;
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_identifier_list(p, &names));
    if (pt__sql_accept_two(p, PT_KW_SORTED, PT_KW_BY)) {
        pt__sql_expr_list orders = {0};
        PT_TRY(pt__sql_expect(p, '('));
        PT_TRY(pt__sql_sort_orders(p, &orders));
        PT_TRY(pt__sql_expect(p, ')'));
    }
    PT_TRY(pt__sql_expect(p, PT_KW_INTO));
    PT_TRY(pt__sql_integer(p, &count));
    return pt__sql_expect(p, PT_KW_BUCKETS);
}

/* CLUSTER BY (a, b.c): likewise. */
static pt_status parse_clustering(pt__sql_parser *p)
{
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expect(p, '('));
    do {
        pt_name name = {0};
        PT_TRY(pt__sql_name(p, &name));
    } while (pt__sql_accept(p, ','));
    return pt__sql_expect(p, ')');
}

static pt_status parse_table_provider(pt__sql_parser *p, size_t first, bool stored, pt_plan_create_table *table)
{
    pt__sql_skip(p, stored ? 2 : 1);
    if (table->provider != NULL)
        return stored ? pt__sql_duplicate_clause(p, first, "STORED AS") : pt__sql_syntax_error(p);
    if (pt__sql_at_two(p, PT_KW_INPUTFORMAT, PT_TOKEN_STRING))
        return pt__sql_unsupported(p, "STORED AS INPUTFORMAT");
    PT_TRY(parse_provider(p, &table->provider));
    if (stored && strcasecmp(table->provider, "textfile") == 0)
        table->provider = "text";
    return PT_OK;
}

/* One clause after the columns; `*more` is false when none is there. */
static pt_status parse_table_clause(pt__sql_parser *p, size_t first, pt_plan_create_table *table,
                                    table_clauses *clauses, bool *more)
{
    if (pt__sql_at(p, PT_KW_USING))
        return parse_table_provider(p, first, false, table);
    if (pt__sql_at_two(p, PT_KW_STORED, PT_KW_AS))
        return parse_table_provider(p, first, true, table);
    if (pt__sql_at(p, PT_KW_OPTIONS))
        return parse_property_clause(p, first, "OPTIONS", &table->options);
    if (pt__sql_at(p, PT_KW_TBLPROPERTIES))
        return parse_property_clause(p, first, "TBLPROPERTIES", &table->properties);
    if (pt__sql_at(p, PT_KW_LOCATION))
        return parse_string_clause(p, first, "LOCATION", &table->location);
    if (pt__sql_at(p, PT_KW_COMMENT))
        return parse_string_clause(p, first, "COMMENT", &table->comment);
    if (pt__sql_at_two(p, PT_KW_PARTITIONED, PT_KW_BY))
        return parse_partitioning(p, first, clauses);
    if (pt__sql_at_two(p, PT_KW_CLUSTERED, PT_KW_BY))
        return parse_buckets(p);
    if (pt__sql_at_two(p, PT_KW_CLUSTER, PT_KW_BY)) {
        return parse_clustering(p);
    }
    if (pt__sql_at_two(p, PT_KW_ROW, PT_KW_FORMAT) || pt__sql_at_two(p, PT_KW_STORED, PT_KW_BY))
        return pt__sql_unsupported(p, "Hive row formats");
    if (pt__sql_at_two(p, PT_KW_SKEWED, PT_KW_BY))
        return pt__sql_unsupported(p, "SKEWED BY");
    if (pt__sql_at_two(p, PT_KW_DEFAULT, PT_KW_COLLATION))
        return pt__sql_unsupported(p, "a table's default collation");
    *more = false;
    return PT_OK;
}

static pt_status parse_table_clauses(pt__sql_parser *p, size_t first, pt_plan_create_table *table)
{
    table_clauses clauses = {0};
    bool more = true;
    if (pt__sql_at(p, '(') && !pt__sql_starts_query(p, 1))
        PT_TRY(parse_table_columns(p, &clauses));
    while (more)
        PT_TRY(parse_table_clause(p, first, table, &clauses, &more));
    if (clauses.has_columns)
        table->schema = pt__type_struct(p->arena, clauses.fields.items, clauses.fields.count);
    table->partition_columns = clauses.partitions.items;
    table->partition_count = clauses.partitions.count;
    bool as = pt__sql_accept(p, PT_KW_AS);
    if (as || pt__sql_starts_query(p, 0) || pt__sql_at(p, '('))
        PT_TRY(pt__sql_query(p, &table->query));
    return PT_OK;
}

static pt_status parse_table(pt__sql_parser *p, size_t first, pt_create_mode mode, bool external, const pt_plan **out)
{
    pt_plan_create_table *table = pt__plan_make(p->arena, CREATE_TABLE, create_table, NULL);
    pt__sql_skip(p, 1);
    table->mode = mode;
    table->is_external = external;
    PT_TRY(pt__sql_if_not_exists(p, &table->if_not_exists));
    PT_TRY(pt__sql_name(p, &table->name));
    if (pt__sql_accept(p, PT_KW_LIKE))
        PT_TRY(pt__sql_name(p, &table->like));
    PT_TRY(parse_table_clauses(p, first, table));
    table->base.origin = pt__sql_origin(p, first);
    *out = &table->base;
    return PT_OK;
}

pt_status pt__sql_replace_table(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt__sql_skip(p, 1);
    if (!pt__sql_at(p, PT_KW_TABLE))
        return pt__sql_syntax_error(p);
    return parse_table(p, first, PT_REPLACE, false, out);
}

/* ---- CREATE ---- */

static pt_status parse_function(pt__sql_parser *p, size_t first, bool temporary, bool replace, const pt_plan **out)
{
    pt_plan_create_function *function = pt__plan_make(p->arena, CREATE_FUNCTION, create_function, NULL);
    pt__sql_skip(p, 1);
    function->is_temporary = temporary;
    function->replace = replace;
    PT_TRY(pt__sql_create_function(p, function, out));
    function->base.origin = pt__sql_origin(p, first);
    return PT_OK;
}

static pt_status refuse_object(pt__sql_parser *p)
{
    if (pt__sql_at(p, PT_KW_ROLE))
        return pt__sql_invalid_statement(p, "CREATE ROLE");
    if (pt__sql_at(p, PT_KW_INDEX))
        return pt__sql_unsupported(p, "CREATE INDEX");
    if (pt__sql_at(p, PT_KW_MATERIALIZED))
        return pt__sql_unsupported(p, "materialized views");
    if (pt__sql_at(p, PT_KW_STREAMING) || pt__sql_at(p, PT_KW_FLOW))
        return pt__sql_unsupported(p, "streaming tables");
    return pt__sql_syntax_error(p);
}

pt_status pt__sql_create(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt__sql_skip(p, 1);
    bool replace = pt__sql_accept_two(p, PT_KW_OR, PT_KW_REPLACE);
    bool global = pt__sql_accept(p, PT_KW_GLOBAL);
    bool temporary = pt__sql_accept(p, PT_KW_TEMPORARY) || pt__sql_accept(p, PT_KW_TEMP);
    bool external = pt__sql_accept(p, PT_KW_EXTERNAL);
    if (pt__sql_at(p, PT_KW_VIEW)) {
        pt_view_kind kind = global ? PT_VIEW_GLOBAL_TEMPORARY : temporary ? PT_VIEW_TEMPORARY : PT_VIEW_PERSISTENT;
        return parse_view(p, first, kind, replace, out);
    }
    if (global)
        return pt__sql_syntax_error(p);
    if (pt__sql_at(p, PT_KW_FUNCTION))
        return parse_function(p, first, temporary, replace, out);
    if (pt__sql_at(p, PT_KW_TABLE) && temporary)
        return pt__sql_unsupported(p, "CREATE TEMPORARY TABLE (use CREATE TEMPORARY VIEW)");
    if (pt__sql_at(p, PT_KW_TABLE))
        return parse_table(p, first, replace ? PT_CREATE_OR_REPLACE : PT_CREATE, external, out);
    if (pt__sql_at_namespace_word(p) && !temporary && !replace)
        return parse_database(p, first, out);
    return refuse_object(p);
}
