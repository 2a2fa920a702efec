/* SET, RESET, SET TIME ZONE, USE and SET CATALOG. */
#include "exec/command.h"

#include <string.h>
#include <strings.h>

static const pt__row_column pair_columns[] = {{"key", NULL, false}, {"value", NULL, false}};

static pt__rows *new_pairs(pt__command *c)
{
    pt__row_column columns[] = {pair_columns[0], pair_columns[1]};
    columns[0].type = columns[1].type = PT_T(STRING);
    return pt__rows_new(c->arena, columns, 2);
}

static pt_status list_set(pt__command *c, const pt_plan **out)
{
    const pt__conf_pair *pairs;
    size_t count;
    pt__rows *rows = new_pairs(c);
    pt__session_conf_all(c->session, c->arena, NULL, &pairs, &count);
    for (size_t i = 0; i < count; i++) {
        pt__rows_text(rows, pairs[i].key);
        pt__rows_text(rows, pairs[i].value);
    }
    return pt__rows_plan(rows, out, c->err);
}

static pt_status list_known(pt__command *c, const pt_plan **out)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {
        {"key", text, false}, {"value", text, false}, {"meaning", text, false}, {"Since version", text, false}};
    pt__rows *rows = pt__rows_new(c->arena, columns, 4);
    for (size_t i = 0; pt__conf_at(i) != NULL; i++) {
        const pt__conf_row *row = pt__conf_at(i);
        if (!row->is_listed || row->scope == PT_CONF_CORE)
            continue;
        const char *value = pt__session_conf_option(c->session, c->arena, row->key);
        pt__rows_text(rows, row->key);
        pt__rows_text(rows, value == NULL ? "<undefined>" : value);
        pt__rows_text(rows, "");
        pt__rows_text(rows, "");
    }
    return pt__rows_plan(rows, out, c->err);
}

static pt_status one_pair(pt__command *c, const char *key, const char *value, const pt_plan **out)
{
    pt__rows *rows = new_pairs(c);
    pt__rows_text(rows, key);
    pt__rows_text(rows, value == NULL ? "<undefined>" : value);
    return pt__rows_plan(rows, out, c->err);
}

static pt_status reset(pt__command *c, const pt_plan_set *node, const pt_plan **out)
{
    if (node->key == NULL)
        pt__session_conf_reset(c->session);
    else
        PT_TRY(pt__session_conf_unset(c->session, node->key, c->err));
    return pt__rows_none(c->arena, out, c->err);
}

static pt_status set_time_zone(pt__command *c, const pt_plan_set *node, const pt_plan **out)
{
    static const char key[] = "spark.sql.session.timeZone";
    char zone[PT_ZONE_NAME_MAX];
    const char *value = node->value;
    if (value == NULL || strcasecmp(value, "LOCAL") == 0) {
        pt__zones_system_name(zone);
        value = zone;
    }
    PT_TRY(pt__session_conf_set(c->session, key, value, c->err));
    return one_pair(c, key, value, out);
}

PT_COMMAND(set)
{
    if (node->is_time_zone)
        return set_time_zone(c, node, out);
    if (node->is_reset)
        return reset(c, node, out);
    if (node->key == NULL)
        return node->is_verbose ? list_known(c, out) : list_set(c, out);
    if (node->value != NULL)
        PT_TRY(pt__session_conf_set(c->session, node->key, node->value, c->err));
    return one_pair(c, node->key, pt__session_conf_option(c->session, c->arena, node->key), out);
}

/* ---- USE ---- */

static pt_status need_catalog(pt__command *c, const char *name)
{
    if (strcasecmp(name, pt__catalog_name) == 0)
        return PT_OK;
    return pt__raise(c->err, PT_COND_CATALOG_NOT_FOUND, "catalogName", pt__arena_printf(c->arena, "`%s`", name),
                     "config", pt__arena_printf(c->arena, "\"spark.sql.catalog.%s\"", name), NULL);
}

static pt_status use_database(pt__command *c, const char *database)
{
    if (pt__is_global_temp(database))
        return pt_error_set(c->err, PT_ANALYSIS,
                            "%s is kept for global temporary views and cannot be the current database",
                            pt__global_temp);
    PT_TRY(pt__command_need_database(c, database));
    return pt__session_set_database(c->session, database, c->err);
}

PT_COMMAND(use)
{
    const char *first = node->name.parts[0];
    if (node->is_catalog) {
        PT_TRY(need_catalog(c, first));
        PT_TRY(pt__session_set_database(c->session, "default", c->err));
    } else if (node->name.count == 2) {
        PT_TRY(need_catalog(c, first));
        PT_TRY(use_database(c, node->name.parts[1]));
    } else if (node->name.count == 1 && strcasecmp(first, pt__catalog_name) == 0) {
        PT_TRY(pt__session_set_database(c->session, "default", c->err));
    } else if (node->name.count == 1) {
        PT_TRY(use_database(c, first));
    } else {
        return pt__raise(c->err, PT_COND_REQUIRES_SINGLE_PART_NAMESPACE, "sessionCatalog",
                         pt__arena_printf(c->arena, "`%s`", pt__catalog_name), "identifier",
                         pt__command_quote(c, &node->name), NULL);
    }
    return pt__rows_none(c->arena, out, c->err);
}
