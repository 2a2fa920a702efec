/* spark.catalog.*: most calls are CATALOG nodes, those that SQL has too are its commands. */
#include "decode/spark_connect/internal.h"

#define CAT(name) SPARK__CONNECT__CATALOG__CAT_TYPE_##name

static pt_plan_catalog *start(pt__decoder *d, pt_catalog_operation operation, pt_plan **out)
{
    pt_plan_catalog *node = pt__plan_make(d->arena, CATALOG, catalog, d->origin);
    node->operation = operation;
    *out = &node->base;
    return node;
}

static pt_status about(pt__decoder *d, pt_catalog_operation operation, const char *object, const char *database,
                       pt_plan **out)
{
    pt_plan_catalog *node = start(d, operation, out);
    node->object = object;
    node->database = database;
    return PT_OK;
}

static pt_status list(pt__decoder *d, pt_catalog_operation operation, const char *database, const char *pattern,
                      pt_plan **out)
{
    pt_plan_catalog *node = start(d, operation, out);
    node->database = database;
    node->pattern = pattern;
    return PT_OK;
}

/* ---- tables ---- */

static pt_status decode_create(pt__decoder *d, const Spark__Connect__CreateTable *m, pt_plan **out)
{
    pt_plan_catalog *node = start(d, PT_CATALOG_CREATE_TABLE, out);
    node->object = m->table_name;
    node->path = PT_OPTIONAL(m, path, NULL);
    node->source = PT_OPTIONAL(m, source, NULL);
    node->description = PT_OPTIONAL(m, description, NULL);
    node->options = PT_DECODE_OPTIONS(d, m, options);
    return m->_schema_case == 0 ? PT_OK : pt__decode_type(d, m->schema, &node->schema);
}

static pt_status decode_create_external(pt__decoder *d, const Spark__Connect__CreateExternalTable *m, pt_plan **out)
{
    pt_plan_catalog *node = start(d, PT_CATALOG_CREATE_TABLE, out);
    node->object = m->table_name;
    node->path = PT_OPTIONAL(m, path, NULL);
    node->source = PT_OPTIONAL(m, source, NULL);
    node->options = PT_DECODE_OPTIONS(d, m, options);
    return m->_schema_case == 0 ? PT_OK : pt__decode_type(d, m->schema, &node->schema);
}

/* ---- commands ---- */

static pt_status drop(pt__decoder *d, pt_object_kind kind, const char *name, bool if_exists, pt_plan_drop **node,
                      pt_plan **out)
{
    *node = pt__plan_make(d->arena, DROP, drop, d->origin);
    *out = &(*node)->base;
    (*node)->object_kind = kind;
    (*node)->if_exists = if_exists;
    return pt__decode_name(d, name, &(*node)->name);
}

static pt_status decode_drop_table(pt__decoder *d, const Spark__Connect__DropTable *m, pt_plan **out)
{
    pt_plan_drop *node;
    PT_TRY(drop(d, PT_OBJECT_TABLE, m->table_name, m->if_exists, &node, out));
    node->purge = m->purge;
    return PT_OK;
}

static pt_status decode_drop_view(pt__decoder *d, const Spark__Connect__DropView *m, pt_plan **out)
{
    pt_plan_drop *node;
    return drop(d, PT_OBJECT_VIEW, m->view_name, m->if_exists, &node, out);
}

static pt_status decode_drop_database(pt__decoder *d, const Spark__Connect__DropDatabase *m, pt_plan **out)
{
    pt_plan_drop *node;
    PT_TRY(drop(d, PT_OBJECT_DATABASE, m->db_name, m->if_exists, &node, out));
    node->cascade = m->cascade;
    return PT_OK;
}

/* Comment and location come as properties of these names. */
static pt_status decode_create_database(pt__decoder *d, const Spark__Connect__CreateDatabase *m, pt_plan **out)
{
    pt_plan_create_database *node = pt__plan_make(d->arena, CREATE_DATABASE, create_database, d->origin);
    *out = &node->base;
    node->if_not_exists = m->if_not_exists;
    node->properties = PT_DECODE_OPTIONS(d, m, properties);
    node->comment = pt__options_get(&node->properties, "comment");
    node->location = pt__options_get(&node->properties, "location");
    return pt__decode_name(d, m->db_name, &node->name);
}

static pt_status show(pt__decoder *d, pt_object_kind kind, const char *table, pt_plan **out)
{
    pt_plan_show_objects *node = pt__plan_make(d->arena, SHOW_OBJECTS, show_objects, d->origin);
    *out = &node->base;
    node->object_kind = kind;
    return pt__decode_name(d, table, &node->scope);
}

static pt_status decode_truncate(pt__decoder *d, const Spark__Connect__TruncateTable *m, pt_plan **out)
{
    pt_plan_alter_table *node = pt__plan_make(d->arena, ALTER_TABLE, alter_table, d->origin);
    *out = &node->base;
    node->alter_kind = PT_ALTER_TRUNCATE;
    node->object_kind = PT_OBJECT_TABLE;
    return pt__decode_name(d, m->table_name, &node->name);
}

/* ---- all calls ---- */

static pt_status decode_command(pt__decoder *d, const Spark__Connect__Catalog *c, pt_plan **out)
{
    switch ((int)c->cat_type_case) {
    case CAT(_NOT_SET): return pt__decode_not_set(d, &c->base, c->base.descriptor, "CATTYPE_NOT_SET");
    case CAT(DROP_TABLE): return decode_drop_table(d, c->drop_table, out);
    case CAT(DROP_VIEW): return decode_drop_view(d, c->drop_view, out);
    case CAT(CREATE_DATABASE): return decode_create_database(d, c->create_database, out);
    case CAT(DROP_DATABASE): return decode_drop_database(d, c->drop_database, out);
    case CAT(LIST_PARTITIONS): return show(d, PT_OBJECT_PARTITIONS, c->list_partitions->table_name, out);
    case CAT(GET_TABLE_PROPERTIES):
        return show(d, PT_OBJECT_TABLE_PROPERTIES, c->get_table_properties->table_name, out);
    case CAT(GET_CREATE_TABLE_STRING):
        return show(d, PT_OBJECT_CREATE_TABLE, c->get_create_table_string->table_name, out);
    case CAT(TRUNCATE_TABLE): return decode_truncate(d, c->truncate_table, out);
    default: return pt__decode_not_supported(d, &c->base, c->cat_type_case);
    }
}

#define DB(m) PT_OPTIONAL(m, db_name, NULL)
#define PATTERN(m) PT_OPTIONAL(m, pattern, NULL)

/* clang-format off */
pt_status pt__decode_catalog(pt__decoder *d, const Spark__Connect__Catalog *c, pt_plan **out)
{
    switch ((int)c->cat_type_case) {
    case CAT(CURRENT_DATABASE): return about(d, PT_CATALOG_CURRENT_DATABASE, NULL, NULL, out);
    case CAT(SET_CURRENT_DATABASE): return about(d, PT_CATALOG_SET_CURRENT_DATABASE, c->set_current_database->db_name, NULL, out);
    case CAT(LIST_DATABASES): return list(d, PT_CATALOG_LIST_DATABASES, NULL, PATTERN(c->list_databases), out);
    case CAT(LIST_TABLES): return list(d, PT_CATALOG_LIST_TABLES, DB(c->list_tables), PATTERN(c->list_tables), out);
    case CAT(LIST_FUNCTIONS): return list(d, PT_CATALOG_LIST_FUNCTIONS, DB(c->list_functions), PATTERN(c->list_functions), out);
    case CAT(LIST_VIEWS): return list(d, PT_CATALOG_LIST_VIEWS, DB(c->list_views), PATTERN(c->list_views), out);
    case CAT(LIST_COLUMNS): return about(d, PT_CATALOG_LIST_COLUMNS, c->list_columns->table_name, DB(c->list_columns), out);
    case CAT(GET_DATABASE): return about(d, PT_CATALOG_GET_DATABASE, c->get_database->db_name, NULL, out);
    case CAT(GET_TABLE): return about(d, PT_CATALOG_GET_TABLE, c->get_table->table_name, DB(c->get_table), out);
    case CAT(GET_FUNCTION): return about(d, PT_CATALOG_GET_FUNCTION, c->get_function->function_name, DB(c->get_function), out);
    case CAT(DATABASE_EXISTS): return about(d, PT_CATALOG_DATABASE_EXISTS, c->database_exists->db_name, NULL, out);
    case CAT(TABLE_EXISTS): return about(d, PT_CATALOG_TABLE_EXISTS, c->table_exists->table_name, DB(c->table_exists), out);
    case CAT(FUNCTION_EXISTS): return about(d, PT_CATALOG_FUNCTION_EXISTS, c->function_exists->function_name, DB(c->function_exists), out);
    case CAT(CREATE_EXTERNAL_TABLE): return decode_create_external(d, c->create_external_table, out);
    case CAT(CREATE_TABLE): return decode_create(d, c->create_table, out);
    case CAT(DROP_TEMP_VIEW): return about(d, PT_CATALOG_DROP_TEMP_VIEW, c->drop_temp_view->view_name, NULL, out);
    case CAT(DROP_GLOBAL_TEMP_VIEW): return about(d, PT_CATALOG_DROP_GLOBAL_TEMP_VIEW, c->drop_global_temp_view->view_name, NULL, out);
    case CAT(RECOVER_PARTITIONS): return about(d, PT_CATALOG_RECOVER_PARTITIONS, c->recover_partitions->table_name, NULL, out);
    case CAT(IS_CACHED): return about(d, PT_CATALOG_IS_CACHED, c->is_cached->table_name, NULL, out);
    case CAT(CACHE_TABLE): return about(d, PT_CATALOG_CACHE_TABLE, c->cache_table->table_name, NULL, out);
    case CAT(UNCACHE_TABLE): return about(d, PT_CATALOG_UNCACHE_TABLE, c->uncache_table->table_name, NULL, out);
    case CAT(CLEAR_CACHE): return about(d, PT_CATALOG_CLEAR_CACHE, NULL, NULL, out);
    case CAT(REFRESH_TABLE): return about(d, PT_CATALOG_REFRESH_TABLE, c->refresh_table->table_name, NULL, out);
    case CAT(REFRESH_BY_PATH): start(d, PT_CATALOG_REFRESH_BY_PATH, out)->path = c->refresh_by_path->path; return PT_OK;
    case CAT(CURRENT_CATALOG): return about(d, PT_CATALOG_CURRENT_CATALOG, NULL, NULL, out);
    case CAT(SET_CURRENT_CATALOG): return about(d, PT_CATALOG_SET_CURRENT_CATALOG, c->set_current_catalog->catalog_name, NULL, out);
    case CAT(LIST_CATALOGS): return list(d, PT_CATALOG_LIST_CATALOGS, NULL, PATTERN(c->list_catalogs), out);
    default: return decode_command(d, c, out);
    }
}
/* clang-format on */
