/* SHOW and DESCRIBE. */
#include "decode/spark_sql/internal.h"

/* ---- SHOW ---- */

static bool accept_in(pt__sql_parser *p)
{
    return pt__sql_accept(p, PT_KW_FROM) || pt__sql_accept(p, PT_KW_IN);
}

/* [FROM | IN name] */
static pt_status parse_scope(pt__sql_parser *p, pt_plan_show_objects *show)
{
    return accept_in(p) ? pt__sql_name(p, &show->scope) : PT_OK;
}

/* [[LIKE] 'pattern'] */
static pt_status parse_pattern(pt__sql_parser *p, pt_plan_show_objects *show)
{
    bool like = pt__sql_accept(p, PT_KW_LIKE);
    return like || pt__sql_at(p, PT_TOKEN_STRING) ? pt__sql_string_text(p, &show->pattern) : PT_OK;
}

static pt_status show_listed(pt__sql_parser *p, pt_object_kind kind, pt_plan_show_objects *show)
{
    pt__sql_skip(p, 1);
    show->object_kind = kind;
    PT_TRY(parse_scope(p, show));
    return parse_pattern(p, show);
}

static pt_status show_table_extended(pt__sql_parser *p, pt_plan_show_objects *show)
{
    pt__sql_skip(p, 2);
    show->object_kind = PT_OBJECT_TABLE_EXTENDED;
    PT_TRY(parse_scope(p, show));
    PT_TRY(pt__sql_expect(p, PT_KW_LIKE));
    PT_TRY(pt__sql_string_text(p, &show->pattern));
    return pt__sql_at(p, PT_KW_PARTITION) ? pt__sql_unsupported(p, "SHOW TABLE EXTENDED of a partition") : PT_OK;
}

static pt_status show_properties(pt__sql_parser *p, pt_plan_show_objects *show)
{
    pt_options key = {0};
    pt__sql_skip(p, 1);
    show->object_kind = PT_OBJECT_TABLE_PROPERTIES;
    PT_TRY(pt__sql_name(p, &show->scope));
    if (pt__sql_at(p, '(')) {
        PT_TRY(pt__sql_key_list(p, &key));
        show->property_key = key.items[0].key;
    }
    return PT_OK;
}

/* SHOW COLUMNS IN t [IN database]: the second name goes before the first. */
static pt_status show_columns(pt__sql_parser *p, pt_plan_show_objects *show)
{
    pt_name table = {0};
    pt_name space = {0};
    pt__sql_skip(p, 1);
    show->object_kind = PT_OBJECT_COLUMNS;
    if (!accept_in(p))
        return pt__sql_syntax_error(p);
    PT_TRY(pt__sql_name(p, &table));
    show->scope = table;
    if (!accept_in(p))
        return PT_OK;
    PT_TRY(pt__sql_name(p, &space));
    const char **parts = pt__arena_array(p->arena, const char *, space.count + 1);
    for (size_t i = 0; i < space.count; i++)
        parts[i] = space.parts[i];
    parts[space.count] = table.parts[table.count - 1];
    show->scope = (pt_name){parts, space.count + 1};
    return PT_OK;
}

static pt_status show_partitions(pt__sql_parser *p, pt_plan_show_objects *show)
{
    pt__sql_skip(p, 1);
    show->object_kind = PT_OBJECT_PARTITIONS;
    PT_TRY(pt__sql_name(p, &show->scope));
    return pt__sql_at(p, PT_KW_PARTITION) ? pt__sql_unsupported(p, "SHOW PARTITIONS of some partitions") : PT_OK;
}

static pt_status show_create_table(pt__sql_parser *p, pt_plan_show_objects *show)
{
    pt__sql_skip(p, 2);
    show->object_kind = PT_OBJECT_CREATE_TABLE;
    PT_TRY(pt__sql_name(p, &show->scope));
    return pt__sql_at_two(p, PT_KW_AS, PT_KW_SERDE) ? pt__sql_unsupported(p, "SHOW CREATE TABLE … AS SERDE") : PT_OK;
}

static const char *function_scope(const pt__sql_parser *p)
{
    static const char *const SCOPES[] = {"user", "system", "all"};
    for (size_t i = 0; i < 3; i++) {
        if (pt__sql_is_word(p, 0, SCOPES[i]))
            return SCOPES[i];
    }
    return NULL;
}

/* SHOW [USER | SYSTEM | ALL] FUNCTIONS [IN d] [[LIKE] 'pattern' or name] */
static pt_status show_functions(pt__sql_parser *p, pt_plan_show_objects *show)
{
    show->object_kind = PT_OBJECT_FUNCTION;
    show->function_scope = function_scope(p);
    if (show->function_scope != NULL)
        pt__sql_skip(p, 1);
    PT_TRY(pt__sql_expect(p, PT_KW_FUNCTIONS));
    PT_TRY(parse_scope(p, show));
    bool like = pt__sql_accept(p, PT_KW_LIKE);
    if (!pt__sql_is_name(pt__sql_peek(p, 0)))
        return like || pt__sql_at(p, PT_TOKEN_STRING) ? pt__sql_string_text(p, &show->pattern) : PT_OK;
    pt_name name = {0};
    PT_TRY(pt__sql_name(p, &name));
    show->pattern = name.parts[name.count - 1];
    return PT_OK;
}

static pt_status refuse_show(pt__sql_parser *p)
{
    if (pt__sql_at(p, PT_KW_COLLATIONS))
        return pt__sql_unsupported(p, "SHOW COLLATIONS");
    if (pt__sql_at(p, PT_KW_PROCEDURES))
        return pt__sql_unsupported(p, "SHOW PROCEDURES");
    if (pt__sql_at(p, PT_KW_GRANT) || pt__sql_at(p, PT_KW_ROLE) || pt__sql_at(p, PT_KW_ROLES) ||
        pt__sql_at(p, PT_KW_PRINCIPALS))
        return pt__sql_invalid_statement(p, "SHOW of roles and grants");
    return pt__sql_syntax_error(p);
}

static pt_status parse_show(pt__sql_parser *p, pt_plan_show_objects *show)
{
    int32_t next = pt__sql_peek(p, 1);
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_TABLES: return show_listed(p, PT_OBJECT_TABLE, show);
    case PT_KW_VIEWS: return show_listed(p, PT_OBJECT_VIEW, show);
    case PT_KW_CATALOGS: return show_listed(p, PT_OBJECT_CATALOG, show);
    case PT_KW_DATABASES: return show_listed(p, PT_OBJECT_DATABASE, show);
    case PT_KW_SCHEMAS: return show_listed(p, PT_OBJECT_DATABASE, show);
    case PT_KW_NAMESPACES: return show_listed(p, PT_OBJECT_DATABASE, show);
    case PT_KW_TBLPROPERTIES: return show_properties(p, show);
    case PT_KW_COLUMNS: return show_columns(p, show);
    case PT_KW_PARTITIONS: return show_partitions(p, show);
    case PT_KW_FUNCTIONS: return show_functions(p, show);
    default: break;
    }
    if (pt__sql_at_two(p, PT_KW_TABLE, PT_KW_EXTENDED))
        return show_table_extended(p, show);
    if (pt__sql_at_two(p, PT_KW_CREATE, PT_KW_TABLE))
        return show_create_table(p, show);
    if (next == PT_KW_FUNCTIONS && function_scope(p) != NULL)
        return show_functions(p, show);
    if (pt__sql_accept(p, PT_KW_CURRENT)) {
        show->object_kind = PT_OBJECT_CURRENT_NAMESPACE;
        if (!pt__sql_at_namespace_word(p))
            return pt__sql_syntax_error(p);
        pt__sql_skip(p, 1);
        return PT_OK;
    }
    return refuse_show(p);
}

pt_status pt__sql_show(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_show_objects *show = pt__plan_make(p->arena, SHOW_OBJECTS, show_objects, NULL);
    pt__sql_skip(p, 1);
    PT_TRY(parse_show(p, show));
    show->base.origin = pt__sql_origin(p, first);
    *out = &show->base;
    return PT_OK;
}

/* ---- DESCRIBE ---- */

/* A name, a string, or an operator such as + or >>. */
static pt_status describe_function(pt__sql_parser *p, pt_plan_describe *describe)
{
    const char *text = NULL;
    pt__sql_skip(p, 1);
    describe->object_kind = PT_OBJECT_FUNCTION;
    describe->is_extended = pt__sql_accept(p, PT_KW_EXTENDED);
    if (pt__sql_is_name(pt__sql_peek(p, 0)))
        return pt__sql_name(p, &describe->name);
    if (pt__sql_at(p, PT_TOKEN_STRING)) {
        PT_TRY(pt__sql_string_text(p, &text));
    } else {
        size_t first = p->position;
        if (pt__sql_at(p, PT_TOKEN_END))
            return pt__sql_syntax_error(p);
        do {
            pt__sql_skip(p, 1);
        } while (pt__sql_at(p, '>') || pt__sql_at(p, '<'));
        text = pt__sql_text_from(p, first);
    }
    describe->name = pt__name_one(p->arena, text);
    return PT_OK;
}

static pt_status describe_database(pt__sql_parser *p, pt_plan_describe *describe)
{
    pt__sql_skip(p, 1);
    describe->object_kind = PT_OBJECT_DATABASE;
    describe->is_extended = pt__sql_accept(p, PT_KW_EXTENDED);
    return pt__sql_name(p, &describe->name);
}

static bool accept_extended(pt__sql_parser *p)
{
    bool word = pt__sql_at(p, PT_KW_EXTENDED) || pt__sql_at(p, PT_KW_FORMATTED);
    if (!word || !pt__sql_is_name(pt__sql_peek(p, 1)))
        return false;
    pt__sql_skip(p, 1);
    return true;
}

/* [TABLE] [EXTENDED | FORMATTED] t [column] [AS JSON] */
static pt_status describe_table(pt__sql_parser *p, pt_plan_describe *describe)
{
    if (pt__sql_at(p, PT_KW_TABLE) && pt__sql_is_name(pt__sql_peek(p, 1)))
        pt__sql_skip(p, 1);
    describe->object_kind = PT_OBJECT_TABLE;
    describe->is_extended = accept_extended(p);
    PT_TRY(pt__sql_name(p, &describe->name));
    if (pt__sql_at_two(p, PT_KW_PARTITION, '('))
        return pt__sql_unsupported(p, "DESCRIBE of a partition");
    if (pt__sql_is_name(pt__sql_peek(p, 0)) && !pt__sql_at_two(p, PT_KW_AS, PT_KW_JSON))
        PT_TRY(pt__sql_name(p, &describe->column));
    describe->as_json = pt__sql_accept_two(p, PT_KW_AS, PT_KW_JSON);
    return PT_OK;
}

static pt_status describe_query(pt__sql_parser *p, pt_plan_describe *describe)
{
    (void)pt__sql_accept(p, PT_KW_QUERY);
    describe->object_kind = PT_OBJECT_QUERY;
    return pt__sql_query(p, &describe->query);
}

static pt_status parse_describe(pt__sql_parser *p, pt_plan_describe *describe)
{
    int32_t next = pt__sql_peek(p, 1);
    bool followed = pt__sql_is_name(next);
    if (pt__sql_at(p, PT_KW_FUNCTION) && next != PT_TOKEN_END && next != '.')
        return describe_function(p, describe);
    if (pt__sql_at_namespace_word(p) && followed)
        return describe_database(p, describe);
    bool query = pt__sql_at(p, PT_KW_QUERY) && (pt__sql_starts_query(p, 1) || next == '(');
    bool table = pt__sql_at(p, PT_KW_TABLE); /* DESCRIBE TABLE t is about the table */
    if (query || pt__sql_at(p, '(') || (!table && pt__sql_starts_query(p, 0)))
        return describe_query(p, describe);
    if (pt__sql_at(p, PT_KW_PROCEDURE) && followed)
        return pt__sql_unsupported(p, "DESCRIBE PROCEDURE");
    return describe_table(p, describe);
}

pt_status pt__sql_describe(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_describe *describe = pt__plan_make(p->arena, DESCRIBE, describe, NULL);
    pt__sql_skip(p, 1);
    PT_TRY(parse_describe(p, describe));
    describe->base.origin = pt__sql_origin(p, first);
    *out = &describe->base;
    return PT_OK;
}
