/* DROP, ALTER, TRUNCATE, COMMENT ON, REPAIR and ANALYZE. */
#include "decode/spark_sql/internal.h"

#include <strings.h>

/* ---- DROP ---- */

static pt_status refuse_drop(pt__sql_parser *p)
{
    if (pt__sql_at(p, PT_KW_ROLE))
        return pt__sql_invalid_statement(p, "DROP ROLE");
    if (pt__sql_at(p, PT_KW_INDEX))
        return pt__sql_unsupported(p, "DROP INDEX");
    if (pt__sql_at(p, PT_KW_VARIABLE))
        return pt__sql_unsupported(p, "DROP VARIABLE");
    return pt__sql_syntax_error(p);
}

pt_status pt__sql_drop(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_drop *drop = pt__plan_make(p->arena, DROP, drop, NULL);
    pt__sql_skip(p, 1);
    drop->is_temporary = pt__sql_accept(p, PT_KW_TEMPORARY) || pt__sql_accept(p, PT_KW_TEMP);
    if (pt__sql_at(p, PT_KW_FUNCTION))
        drop->object_kind = PT_OBJECT_FUNCTION;
    else if (pt__sql_at(p, PT_KW_TABLE) && !drop->is_temporary)
        drop->object_kind = PT_OBJECT_TABLE;
    else if (pt__sql_at(p, PT_KW_VIEW) && !drop->is_temporary)
        drop->object_kind = PT_OBJECT_VIEW;
    else if (pt__sql_at_namespace_word(p) && !drop->is_temporary)
        drop->object_kind = PT_OBJECT_DATABASE;
    else
        return refuse_drop(p);
    pt__sql_skip(p, 1);
    drop->if_exists = pt__sql_accept_if_exists(p);
    PT_TRY(pt__sql_name(p, &drop->name));
    if (drop->object_kind == PT_OBJECT_TABLE)
        drop->purge = pt__sql_accept(p, PT_KW_PURGE);
    if (drop->object_kind == PT_OBJECT_DATABASE && !pt__sql_accept(p, PT_KW_RESTRICT))
        drop->cascade = pt__sql_accept(p, PT_KW_CASCADE);
    drop->base.origin = pt__sql_origin(p, first);
    *out = &drop->base;
    return PT_OK;
}

/* ---- columns of ALTER ---- */

/* A column by name; fields inside columns are out of reach. */
static pt_status parse_column_name(pt__sql_parser *p, const char **out)
{
    pt_name name = {0};
    size_t first = p->position;
    PT_TRY(pt__sql_name(p, &name));
    if (name.count > 1) {
        p->position = first;
        return pt__sql_unsupported(p, "changing fields inside columns");
    }
    *out = name.parts[0];
    return PT_OK;
}

static bool at_position(const pt__sql_parser *p)
{
    return pt__sql_at(p, PT_KW_FIRST) || (pt__sql_at(p, PT_KW_AFTER) && pt__sql_is_name(pt__sql_peek(p, 1)));
}

static void set_columns(pt_plan_alter_table *alter, const pt_field *fields, size_t count)
{
    alter->columns = fields;
    alter->altered_column_count = count;
}

static void set_column(pt__sql_parser *p, pt_plan_alter_table *alter, const char *name, const pt_type *type)
{
    pt_field *field = pt__arena_make(p->arena, pt_field);
    *field = (pt_field){.name = name, .type = type, .nullable = true};
    set_columns(alter, field, 1);
}

/* ADD COLUMNS (a INT, b STRING), the parentheses may be missing */
static pt_status parse_add_columns(pt__sql_parser *p, pt_plan_alter_table *alter)
{
    pt__list(pt_field) fields = {0};
    pt__sql_skip(p, 2);
    bool parenthesized = pt__sql_accept(p, '(');
    alter->alter_kind = PT_ALTER_ADD_COLUMNS;
    do {
        pt_field field;
        if (pt__sql_peek(p, 1) == '.')
            return pt__sql_unsupported(p, "changing fields inside columns");
        PT_TRY(pt__sql_field(p, &field));
        if (at_position(p))
            return pt__sql_unsupported(p, "the position of added columns");
        pt__list_push(p->arena, &fields, field);
    } while (pt__sql_accept(p, ','));
    set_columns(alter, fields.items, fields.count);
    return parenthesized ? pt__sql_expect(p, ')') : PT_OK;
}

static pt_status parse_drop_columns(pt__sql_parser *p, pt_plan_alter_table *alter)
{
    pt__list(pt_field) fields = {0};
    pt__sql_skip(p, 2);
    alter->alter_kind = PT_ALTER_DROP_COLUMNS;
    alter->if_exists = pt__sql_accept_if_exists(p);
    bool parenthesized = pt__sql_accept(p, '(');
    do {
        pt_field field = {.nullable = true};
        PT_TRY(parse_column_name(p, &field.name));
        pt__list_push(p->arena, &fields, field);
    } while (pt__sql_accept(p, ','));
    set_columns(alter, fields.items, fields.count);
    return parenthesized ? pt__sql_expect(p, ')') : PT_OK;
}

static pt_status parse_rename_column(pt__sql_parser *p, pt_plan_alter_table *alter)
{
    const char *name = NULL;
    pt__sql_skip(p, 2);
    alter->alter_kind = PT_ALTER_RENAME_COLUMN;
    PT_TRY(parse_column_name(p, &name));
    set_column(p, alter, name, NULL);
    PT_TRY(pt__sql_expect(p, PT_KW_TO));
    return pt__sql_checked_identifier(p, &alter->new_column_name);
}

static pt_status parse_column_default(pt__sql_parser *p, pt_plan_alter_table *alter)
{
    const pt_expr *unused = NULL;
    alter->alter_kind = PT_ALTER_COLUMN_DEFAULT;
    size_t first = p->position;
    PT_TRY(pt__sql_expression(p, &unused));
    alter->text = pt__sql_text_from(p, first);
    return PT_OK;
}

/* What follows ALTER COLUMN a. */
static pt_status parse_column_action(pt__sql_parser *p, const char *name, pt_plan_alter_table *alter)
{
    const pt_type *type = NULL;
    if (pt__sql_accept(p, PT_KW_TYPE)) {
        alter->alter_kind = PT_ALTER_COLUMN_TYPE;
        PT_TRY(pt__sql_type(p, &type));
        set_column(p, alter, name, type);
        return PT_OK;
    }
    set_column(p, alter, name, NULL);
    if (pt__sql_accept(p, PT_KW_COMMENT)) {
        alter->alter_kind = PT_ALTER_COLUMN_COMMENT;
        return pt__sql_string_text(p, &alter->comment);
    }
    if (pt__sql_accept_two(p, PT_KW_SET, PT_KW_DEFAULT))
        return parse_column_default(p, alter);
    if (pt__sql_accept_two(p, PT_KW_DROP, PT_KW_DEFAULT)) {
        alter->alter_kind = PT_ALTER_COLUMN_DEFAULT;
        return PT_OK;
    }
    if (pt__sql_at_two(p, PT_KW_SET, PT_KW_NOT) || pt__sql_at_two(p, PT_KW_DROP, PT_KW_NOT)) {
        alter->alter_kind = PT_ALTER_COLUMN_NULLABLE;
        alter->nullable = pt__sql_at(p, PT_KW_DROP);
        pt__sql_skip(p, 2);
        return pt__sql_expect(p, PT_KW_NULL);
    }
    return at_position(p) ? pt__sql_unsupported(p, "the position of columns") : pt__sql_syntax_error(p);
}

/* Hive's CHANGE a b type [COMMENT '…']: only the type may differ. */
static pt_status parse_change(pt__sql_parser *p, const char *name, pt_plan_alter_table *alter)
{
    pt_field field;
    size_t first = p->position;
    PT_TRY(pt__sql_field(p, &field));
    if (strcasecmp(field.name, name) != 0) {
        p->position = first;
        return pt__sql_unsupported(p, "renaming by CHANGE COLUMN (use RENAME COLUMN)");
    }
    alter->alter_kind = PT_ALTER_COLUMN_TYPE;
    set_column(p, alter, name, field.type);
    alter->columns = pt__arena_copy(p->arena, &field, sizeof(field));
    return at_position(p) ? pt__sql_unsupported(p, "the position of columns") : PT_OK;
}

static pt_status parse_alter_column(pt__sql_parser *p, pt_plan_alter_table *alter)
{
    const char *name = NULL;
    bool change = pt__sql_at(p, PT_KW_CHANGE);
    pt__sql_skip(p, 1);
    (void)pt__sql_accept(p, PT_KW_COLUMN);
    PT_TRY(parse_column_name(p, &name));
    bool action = pt__sql_at(p, PT_KW_TYPE) || pt__sql_at(p, PT_KW_COMMENT) || pt__sql_at(p, PT_KW_SET) ||
                  pt__sql_at(p, PT_KW_DROP) || at_position(p);
    if (change && !action)
        return parse_change(p, name, alter);
    PT_TRY(parse_column_action(p, name, alter));
    return pt__sql_at(p, ',') ? pt__sql_unsupported(p, "ALTER COLUMN of several columns at once") : PT_OK;
}

/* ---- ALTER ---- */

static pt_status parse_rename(pt__sql_parser *p, pt_plan_alter_table *alter)
{
    pt__sql_skip(p, 2);
    alter->alter_kind = PT_ALTER_RENAME;
    return pt__sql_name(p, &alter->new_name);
}

static bool at_properties(const pt__sql_parser *p, size_t ahead)
{
    int32_t kind = pt__sql_peek(p, ahead);
    return kind == PT_KW_TBLPROPERTIES || kind == PT_KW_DBPROPERTIES || kind == PT_KW_PROPERTIES;
}

static pt_status parse_properties(pt__sql_parser *p, pt_plan_alter_table *alter)
{
    bool set = pt__sql_at(p, PT_KW_SET);
    pt__sql_skip(p, 2);
    alter->alter_kind = set ? PT_ALTER_SET_PROPERTIES : PT_ALTER_UNSET_PROPERTIES;
    if (!set)
        alter->if_exists = pt__sql_accept_if_exists(p);
    return set ? pt__sql_property_list(p, &alter->properties) : pt__sql_key_list(p, &alter->properties);
}

static pt_status parse_view_query(pt__sql_parser *p, pt_plan_alter_table *alter)
{
    (void)pt__sql_accept(p, PT_KW_AS);
    size_t first = p->position;
    alter->alter_kind = PT_ALTER_VIEW_QUERY;
    PT_TRY(pt__sql_query(p, &alter->query));
    alter->text = pt__sql_text_from(p, first);
    return PT_OK;
}

static pt_status refuse_alter(pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    if (pt__sql_at(p, PT_KW_SET) && next == PT_KW_LOCATION)
        return pt__sql_unsupported(p, "ALTER … SET LOCATION");
    if (pt__sql_at(p, PT_KW_SET) && (next == PT_KW_SERDE || next == PT_KW_SERDEPROPERTIES))
        return pt__sql_unsupported(p, "ALTER TABLE … SET SERDE");
    if (pt__sql_at(p, PT_KW_REPLACE))
        return pt__sql_unsupported(p, "ALTER TABLE … REPLACE COLUMNS");
    if (pt__sql_at(p, PT_KW_PARTITION) || next == PT_KW_PARTITION || next == PT_KW_IF)
        return pt__sql_unsupported(p, "ALTER TABLE of partitions");
    if (next == PT_KW_CONSTRAINT || next == PT_KW_PRIMARY || next == PT_KW_FOREIGN || next == PT_KW_CHECK ||
        next == PT_KW_UNIQUE)
        return pt__sql_unsupported(p, "table constraints");
    if (pt__sql_at(p, PT_KW_CLUSTER) || pt__sql_at(p, PT_KW_DEFAULT) || pt__sql_at(p, PT_KW_WITH))
        return pt__sql_unsupported(p, "this form of ALTER");
    return pt__sql_syntax_error(p);
}

static bool at_column_word(const pt__sql_parser *p)
{
    return pt__sql_peek(p, 1) == PT_KW_COLUMN || pt__sql_peek(p, 1) == PT_KW_COLUMNS;
}

static pt_status parse_alter_action(pt__sql_parser *p, pt_plan_alter_table *alter)
{
    bool is_table = alter->object_kind == PT_OBJECT_TABLE;
    bool is_database = alter->object_kind == PT_OBJECT_DATABASE;
    if (!is_database && pt__sql_at_two(p, PT_KW_RENAME, PT_KW_TO))
        return parse_rename(p, alter);
    if ((pt__sql_at(p, PT_KW_SET) || pt__sql_at(p, PT_KW_UNSET)) && at_properties(p, 1))
        return parse_properties(p, alter);
    if (is_table && pt__sql_at(p, PT_KW_ADD) && at_column_word(p))
        return parse_add_columns(p, alter);
    if (is_table && pt__sql_at(p, PT_KW_DROP) && at_column_word(p))
        return parse_drop_columns(p, alter);
    if (is_table && pt__sql_at_two(p, PT_KW_RENAME, PT_KW_COLUMN))
        return parse_rename_column(p, alter);
    if (is_table && (pt__sql_at(p, PT_KW_ALTER) || pt__sql_at(p, PT_KW_CHANGE)))
        return parse_alter_column(p, alter);
    if (is_table && pt__sql_accept_two(p, PT_KW_RECOVER, PT_KW_PARTITIONS)) {
        alter->alter_kind = PT_ALTER_REPAIR;
        return PT_OK;
    }
    if (alter->object_kind == PT_OBJECT_VIEW && (pt__sql_at(p, PT_KW_AS) || pt__sql_starts_query(p, 0)))
        return parse_view_query(p, alter);
    return refuse_alter(p);
}

static pt_status finish(pt__sql_parser *p, size_t first, pt_plan_alter_table *alter, const pt_plan **out)
{
    alter->base.origin = pt__sql_origin(p, first);
    *out = &alter->base;
    return PT_OK;
}

pt_status pt__sql_alter(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_alter_table *alter = pt__plan_make(p->arena, ALTER_TABLE, alter_table, NULL);
    pt__sql_skip(p, 1);
    if (pt__sql_at(p, PT_KW_TABLE))
        alter->object_kind = PT_OBJECT_TABLE;
    else if (pt__sql_at(p, PT_KW_VIEW))
        alter->object_kind = PT_OBJECT_VIEW;
    else if (pt__sql_at_namespace_word(p))
        alter->object_kind = PT_OBJECT_DATABASE;
    else
        return pt__sql_at(p, PT_KW_INDEX) ? pt__sql_invalid_statement(p, "ALTER INDEX") : pt__sql_syntax_error(p);
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_name(p, &alter->name));
    PT_TRY(parse_alter_action(p, alter));
    return finish(p, first, alter, out);
}

/* ---- the small ones ---- */

pt_status pt__sql_truncate(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_alter_table *alter = pt__plan_make(p->arena, ALTER_TABLE, alter_table, NULL);
    pt__sql_skip(p, 1);
    alter->alter_kind = PT_ALTER_TRUNCATE;
    PT_TRY(pt__sql_expect(p, PT_KW_TABLE));
    PT_TRY(pt__sql_name(p, &alter->name));
    if (pt__sql_at_two(p, PT_KW_PARTITION, '('))
        return pt__sql_unsupported(p, "TRUNCATE of partitions");
    return finish(p, first, alter, out);
}

pt_status pt__sql_comment_on(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_alter_table *alter = pt__plan_make(p->arena, ALTER_TABLE, alter_table, NULL);
    pt__sql_skip(p, 1);
    alter->alter_kind = PT_ALTER_COMMENT;
    PT_TRY(pt__sql_expect(p, PT_KW_ON));
    alter->object_kind = pt__sql_at_namespace_word(p) ? PT_OBJECT_DATABASE : PT_OBJECT_TABLE;
    if (alter->object_kind == PT_OBJECT_TABLE && !pt__sql_at(p, PT_KW_TABLE))
        return pt__sql_syntax_error(p);
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_name(p, &alter->name));
    PT_TRY(pt__sql_expect(p, PT_KW_IS));
    if (!pt__sql_accept(p, PT_KW_NULL))
        PT_TRY(pt__sql_string_text(p, &alter->comment));
    return finish(p, first, alter, out);
}

/* [MSCK] REPAIR TABLE t [ADD | DROP | SYNC PARTITIONS]: partitions are found anew by each scan. */
pt_status pt__sql_repair(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_alter_table *alter = pt__plan_make(p->arena, ALTER_TABLE, alter_table, NULL);
    (void)pt__sql_accept(p, PT_KW_MSCK);
    alter->alter_kind = PT_ALTER_REPAIR;
    PT_TRY(pt__sql_expect_two(p, PT_KW_REPAIR, PT_KW_TABLE));
    PT_TRY(pt__sql_name(p, &alter->name));
    if (pt__sql_at(p, PT_KW_ADD) || pt__sql_at(p, PT_KW_DROP) || pt__sql_at(p, PT_KW_SYNC)) {
        pt__sql_skip(p, 1);
        PT_TRY(pt__sql_expect(p, PT_KW_PARTITIONS));
    }
    return finish(p, first, alter, out);
}

/* COMPUTE STATISTICS [NOSCAN | FOR COLUMNS a, b | FOR ALL COLUMNS] */
static pt_status parse_statistics(pt__sql_parser *p)
{
    pt_options partition = {0};
    if (pt__sql_at_two(p, PT_KW_PARTITION, '('))
        PT_TRY(pt__sql_partition(p, &partition));
    PT_TRY(pt__sql_expect_two(p, PT_KW_COMPUTE, PT_KW_STATISTICS));
    if (pt__sql_is_word(p, 0, "noscan")) {
        pt__sql_skip(p, 1);
        return PT_OK;
    }
    if (!pt__sql_accept(p, PT_KW_FOR))
        return PT_OK;
    if (pt__sql_accept_two(p, PT_KW_ALL, PT_KW_COLUMNS))
        return PT_OK;
    PT_TRY(pt__sql_expect(p, PT_KW_COLUMNS));
    do {
        const char *name = NULL;
        PT_TRY(pt__sql_checked_identifier(p, &name));
    } while (pt__sql_accept(p, ','));
    return PT_OK;
}

/* ANALYZE TABLE t …, ANALYZE TABLES [IN d] …: the engine keeps its own statistics. */
pt_status pt__sql_analyze(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_alter_table *alter = pt__plan_make(p->arena, ALTER_TABLE, alter_table, NULL);
    pt__sql_skip(p, 1);
    alter->alter_kind = PT_ALTER_ANALYZE;
    if (pt__sql_accept(p, PT_KW_TABLES)) {
        alter->object_kind = PT_OBJECT_DATABASE;
        if (pt__sql_accept(p, PT_KW_FROM) || pt__sql_accept(p, PT_KW_IN))
            PT_TRY(pt__sql_name(p, &alter->name));
    } else {
        PT_TRY(pt__sql_expect(p, PT_KW_TABLE));
        PT_TRY(pt__sql_name(p, &alter->name));
    }
    PT_TRY(parse_statistics(p));
    return finish(p, first, alter, out);
}
