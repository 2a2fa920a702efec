#include "backend/duckdb/catalog.h"
#include "backend/duckdb/command.h"

#include <string.h>
#include <strings.h>
#include <time.h>

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static pt__lower *new_text(pt__command_run *run)
{
    return pt__lower_new(run->arena, run->database, run->time_zone);
}

/* ---- CREATE TABLE ---- */

/* `(name TYPE [NOT NULL], …)` */
static void put_columns(pt__lower *lower, const pt_type *schema)
{
    pt__put(lower, " (");
    for (size_t i = 0; i < schema->field_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_identifier(lower, schema->fields[i].name);
        pt__put(lower, " ");
        pt__put_type(lower, schema->fields[i].type);
        pt__put(lower, schema->fields[i].nullable ? "" : " NOT NULL");
    }
    pt__put(lower, ")");
}

static const pt_table *table_of(pt__command_run *run, const pt_plan_create_table *node, const pt_type *schema)
{
    pt_table *table = pt__arena_make(run->arena, pt_table);
    table->catalog = "spark_catalog";
    table->database = pt__database_of(&node->name);
    table->name = pt__object_of(&node->name);
    table->kind = node->is_external && node->location != NULL ? PT_TABLE_EXTERNAL : PT_TABLE_MANAGED;
    table->schema = schema;
    table->provider = node->provider == NULL ? "parquet" : node->provider;
    table->comment = node->comment;
    table->location = table->kind == PT_TABLE_EXTERNAL ? node->location : NULL;
    table->options = node->options;
    table->properties = node->properties;
    table->partition_columns = node->partition_columns;
    table->partition_count = node->partition_count;
    table->owner = "";
    table->created_us = now_us();
    return table;
}

static pt_status drop_storage(pt__command_run *run, const char *database, const char *name, pt_error *err)
{
    pt__lower *text = new_text(run);
    pt__put(text, "DROP TABLE IF EXISTS ");
    pt__put_table_name(text, database, name);
    return pt__command_sql(run, pt__cut(text, 0), err);
}

static pt_status create_storage(pt__command_run *run, const pt_table *table, const char *name, pt_error *err)
{
    pt__lower *text = new_text(run);
    pt__put(text, "CREATE TABLE ");
    pt__put_table_name(text, table->database, name);
    put_columns(text, table->schema);
    return pt__command_sql(run, pt__cut(text, 0), err);
}

static pt_status rename_storage(pt__command_run *run, const char *database, const char *from, const char *to,
                                pt_error *err)
{
    pt__lower *text = new_text(run);
    pt__put(text, "ALTER TABLE ");
    pt__put_table_name(text, database, from);
    pt__put(text, " RENAME TO ");
    pt__put_identifier(text, to);
    return pt__command_sql(run, pt__cut(text, 0), err);
}

static pt_status create_from_query(pt__command_run *run, const pt_table *table, const char *name, const pt_plan *query,
                                   pt_error *err)
{
    pt__lowered lowered;
    PT_TRY(pt__command_query(run, query, &lowered, err));
    pt__lower *text = new_text(run);
    pt__put(text, "CREATE TABLE ");
    pt__put_table_name(text, table->database, name);
    pt__put(text, " AS ");
    pt__put_named_query(text, &lowered, table->schema);
    return pt__command_sql(run, pt__cut(text, 0), err);
}

/* All that a query makes may be NULL, and no struct is without fields. */
static const pt_type *schema_of_query(pt__arena *arena, const pt_type *schema)
{
    return pt__type_as_nullable(arena, schema);
}

pt_status pt__run_create_table(pt__command_run *run, const pt_plan_create_table *node, pt_error *err)
{
    const char *database = pt__database_of(&node->name);
    const char *name = pt__object_of(&node->name);
    const pt_type *schema = node->query == NULL ? node->schema : schema_of_query(run->arena, node->schema);
    const pt_table *table = table_of(run, node, schema == NULL ? pt__type_struct(run->arena, NULL, 0) : schema);
    const pt_table *old;
    pt_status found =
        pt__catalog_read(run->database, run->statement->connection, run->arena, database, name, &old, err);
    if (found != PT_OK && found != PT_NOT_FOUND)
        return found;
    if (found == PT_OK && node->if_not_exists)
        return PT_OK;
    if (table->kind == PT_TABLE_MANAGED && table->schema->field_count == 0)
        return pt__lower_unsupported(err, node->base.origin, "tables without columns");
    /* The query may read what it replaces: the new table is made beside the old one. */
    const char *made = found == PT_OK ? "__portico_new" : name;
    if (table->kind == PT_TABLE_MANAGED)
        PT_TRY(node->query == NULL ? create_storage(run, table, made, err)
                                   : create_from_query(run, table, made, node->query, err));
    if (found == PT_OK && old->kind == PT_TABLE_MANAGED)
        PT_TRY(drop_storage(run, database, old->name, err));
    if (found == PT_OK && table->kind == PT_TABLE_MANAGED)
        PT_TRY(rename_storage(run, database, made, name, err));
    return pt__catalog_write(run->statement->connection, run->arena, table, err);
}

/* ---- INSERT ---- */

static int32_t text_limit(const pt_type *type)
{
    return type->id == PT_TYPE_CHAR || type->id == PT_TYPE_VARCHAR ? type->precision : 0;
}

static bool has_limits(const pt_type *schema)
{
    for (size_t i = 0; i < schema->field_count; i++) {
        if (text_limit(schema->fields[i].type) > 0)
            return true;
    }
    return false;
}

/* Text for char(n) is padded; what is too long by more than spaces is refused. */
static void put_limited(pt__lower *lower, const pt_field *field)
{
    int32_t limit = text_limit(field->type);
    pt__put_identifier(lower, field->name);
    if (limit == 0)
        return;
    const char *name = pt__cut(lower, lower->text.size_bytes - strlen(field->name) - 2);
    pt__putf(lower,
             "CASE WHEN length(rtrim(%s)) > %d THEN error('[EXCEED_LIMIT_LENGTH]{\"limit\":\"%d\"}')::VARCHAR "
             "WHEN length(%s) > %d THEN substring(%s, 1, %d) ELSE ",
             name, limit, limit, name, limit, name, limit);
    pt__putf(lower, field->type->id == PT_TYPE_CHAR ? "rpad(%s, %d, ' ') END" : "%s END", name, limit);
}

static void put_source(pt__lower *lower, const pt__lowered *query, const pt_type *schema)
{
    if (!has_limits(schema)) {
        pt__put_named_query(lower, query, schema);
        return;
    }
    pt__put(lower, "SELECT ");
    for (size_t i = 0; i < schema->field_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        put_limited(lower, &schema->fields[i]);
    }
    pt__put(lower, " FROM (");
    pt__put_named_query(lower, query, schema);
    pt__put(lower, ")");
}

static pt_status insert_into(pt__command_run *run, const pt_table *target, const char *name, const char *source,
                             pt_error *err)
{
    pt__lower *text = new_text(run);
    pt__put(text, "INSERT INTO ");
    pt__put_table_name(text, target->database, name);
    pt__putf(text, " %s", source);
    return pt__command_sql(run, pt__cut(text, 0), err);
}

/* The new rows go into a table of their own, which then takes the old one's place. */
static pt_status replace_all(pt__command_run *run, const pt_table *target, const char *source, pt_error *err)
{
    PT_TRY(create_storage(run, target, "__portico_new", err));
    PT_TRY(insert_into(run, target, "__portico_new", source, err));
    PT_TRY(drop_storage(run, target->database, target->name, err));
    return rename_storage(run, target->database, "__portico_new", target->name, err);
}

/* The rows to be deleted: those of the partitions given, or that the new rows lie in. */
static bool put_partition_condition(pt__lower *lower, const pt_plan_insert *node)
{
    const pt_table *target = node->target;
    size_t written = 0;
    for (size_t i = 0; i < node->partition.count; i++) {
        const pt_option *item = &node->partition.items[i];
        if (item->value == NULL)
            continue;
        pt__put(lower, written++ == 0 ? "CAST(" : " AND CAST(");
        pt__put_identifier(lower, item->key);
        pt__put(lower, " AS VARCHAR) = ");
        pt__put_string(lower, item->value, strlen(item->value));
    }
    if (written > 0 || target->partition_count == 0)
        return written > 0;
    pt__put(lower, "EXISTS (SELECT 1 FROM temp.__portico_rows AS r WHERE ");
    for (size_t i = 0; i < target->partition_count; i++) {
        pt__put(lower, i == 0 ? "r." : " AND r.");
        pt__put_identifier(lower, target->partition_columns[i]);
        pt__put(lower, " IS NOT DISTINCT FROM t.");
        pt__put_identifier(lower, target->partition_columns[i]);
    }
    pt__put(lower, ")");
    return true;
}

static pt_status replace_partitions(pt__command_run *run, const pt_plan_insert *node, const char *source, pt_error *err)
{
    const pt_table *target = node->target;
    PT_TRY(pt__command_sql(
        run, pt__arena_printf(run->arena, "CREATE OR REPLACE TEMP TABLE __portico_rows AS %s", source), err));
    pt__lower *text = new_text(run);
    pt__put(text, "DELETE FROM ");
    pt__put_table_name(text, target->database, target->name);
    pt__put(text, " AS t WHERE ");
    if (!put_partition_condition(text, node))
        pt__put(text, "true");
    PT_TRY(pt__command_sql(run, pt__cut(text, 0), err));
    PT_TRY(insert_into(run, target, target->name, "SELECT * FROM temp.__portico_rows", err));
    return pt__command_sql(run, "DROP TABLE temp.__portico_rows", err);
}

static pt_status create_instead(pt__command_run *run, const pt_plan_insert *node, pt_error *err)
{
    pt_plan_create_table *table = pt__plan_make(run->arena, CREATE_TABLE, create_table, node->base.origin);
    pt_field *fields = pt__arena_array(run->arena, pt_field, node->query->column_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < node->query->column_count; i++) {
        const pt_column *column = &node->query->columns[i];
        if (!column->is_hidden)
            fields[count++] = (pt_field){column->name, column->type, true, column->metadata};
    }
    table->name = node->table;
    table->schema = pt__type_struct(run->arena, fields, count);
    table->query = node->query;
    table->mode = PT_CREATE_OR_REPLACE;
    table->provider = node->provider;
    table->options = node->options;
    table->partition_columns = node->partition_columns;
    table->partition_count = node->partition_count;
    return pt__run_create_table(run, table, err);
}

pt_status pt__run_insert(pt__command_run *run, const pt_plan_insert *node, pt_error *err)
{
    bool replaces = node->is_save_as_table && node->mode != PT_SAVE_APPEND;
    if (node->target == NULL || replaces)
        return create_instead(run, node, err);
    if (node->overwrite_condition != NULL)
        return pt__lower_unsupported(err, node->base.origin, "overwriting the rows of a condition");
    pt__lowered lowered;
    PT_TRY(pt__command_query(run, node->query, &lowered, err));
    pt__lower *text = new_text(run);
    put_source(text, &lowered, node->target->schema);
    const char *source = pt__cut(text, 0);
    bool by_partition = node->overwrite_partitions || (node->overwrite && node->partition.count > 0);
    if (by_partition)
        return replace_partitions(run, node, source, err);
    if (node->overwrite)
        return replace_all(run, node->target, source, err);
    return insert_into(run, node->target, node->target->name, source, err);
}
