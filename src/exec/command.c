/* What several families of commands need. */
#include "exec/command.h"

#include "analyze/analyze.h"
#include "base/arena_buffer.h"
#include "base/civil.h"
#include "base/json.h"
#include "exec/run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

const char *pt__command_quote(pt__command *c, const pt_name *name)
{
    pt__buffer *text = pt__arena_buffer(c->arena);
    for (size_t i = 0; i < name->count; i++) {
        if (i > 0)
            pt__buffer_append_byte(text, '.');
        pt__append_quoted(text, name->parts[i]);
    }
    return pt__arena_buffer_take(c->arena, text);
}

static pt_name three_parts(pt__command *c, const char *database, const char *object)
{
    const char **parts = pt__arena_array(c->arena, const char *, 3);
    parts[0] = pt__catalog_name;
    parts[1] = database;
    parts[2] = object;
    return (pt_name){parts, 3};
}

const char *pt__command_full_name(pt__command *c, const pt_name *name)
{
    const char *database;
    const char *object;
    if (!pt__strip_catalog(name, &database, &object))
        return pt__command_quote(c, name);
    pt_name full = three_parts(c, database == NULL ? c->catalog->database : database, object);
    return pt__command_quote(c, &full);
}

pt_status pt__command_split(pt__command *c, const pt_name *name, const char **database, const char **object)
{
    if (!pt__strip_catalog(name, database, object))
        return pt__raise(c->err, PT_COND_REQUIRES_SINGLE_PART_NAMESPACE, "sessionCatalog",
                         pt__arena_printf(c->arena, "`%s`", pt__catalog_name), "identifier", pt__command_quote(c, name),
                         NULL);
    if (*database == NULL)
        *database = c->catalog->database;
    return PT_OK;
}

pt_status pt__command_resolve(pt__command *c, const pt_name *name, pt_name *out)
{
    const char *database;
    const char *object;
    PT_TRY(pt__command_split(c, name, &database, &object));
    *out = three_parts(c, database, object);
    return PT_OK;
}

pt_status pt__command_not_found(pt__command *c, const pt_name *name, const pt_origin *origin)
{
    pt_status status =
        pt__raise(c->err, PT_COND_TABLE_OR_VIEW_NOT_FOUND, "relationName", pt__command_quote(c, name), NULL);
    pt__origin_add_context(origin, c->err);
    return status;
}

/* ---- databases and tables ---- */

static int compare_databases(const void *a, const void *b)
{
    return strcasecmp(((const pt_database *)a)->name, ((const pt_database *)b)->name);
}

/* Where Spark would keep the tables of the database, and what it says about the default one. */
static pt_database with_location(pt__command *c, const pt_database *database)
{
    pt_database out = *database;
    const char *warehouse = c->session->host->warehouse;
    bool is_default = strcasecmp(out.name, "default") == 0;
    if (out.comment == NULL && is_default)
        out.comment = "default database";
    if (out.location == NULL)
        out.location = is_default ? warehouse : pt__arena_printf(c->arena, "%s/%s.db", warehouse, out.name);
    return out;
}

pt_status pt__command_databases(pt__command *c, const pt_database **out, size_t *count)
{
    pt__backend_slot *slot;
    void *backend_session;
    const pt_database *found = NULL;
    size_t found_count = 0;
    PT_TRY(pt__session_backend(c->session, &slot, &backend_session, c->err));
    if (pt__backend_has(slot, list_databases))
        PT_TRY(slot->vtable->list_databases(backend_session, c->arena, &found, &found_count, c->err));
    pt_database *list = pt__arena_array(c->arena, pt_database, found_count + 1);
    bool has_default = false;
    for (size_t i = 0; i < found_count; i++) {
        list[i] = with_location(c, &found[i]);
        has_default = has_default || strcasecmp(found[i].name, "default") == 0;
    }
    if (!has_default)
        list[found_count++] = with_location(c, &(pt_database){.name = "default"});
    qsort(list, found_count, sizeof(*list), compare_databases);
    *out = list;
    *count = found_count;
    return PT_OK;
}

pt_status pt__command_has_database(pt__command *c, const char *database, bool *out)
{
    const pt_database *list;
    size_t count;
    *out = strcasecmp(database, "default") == 0;
    if (*out)
        return PT_OK;
    PT_TRY(pt__command_databases(c, &list, &count));
    for (size_t i = 0; i < count; i++)
        *out = *out || strcasecmp(list[i].name, database) == 0;
    return PT_OK;
}

pt_status pt__command_need_database(pt__command *c, const char *database)
{
    bool is_there;
    PT_TRY(pt__command_has_database(c, database, &is_there));
    if (is_there)
        return PT_OK;
    const char *parts[] = {pt__catalog_name, database};
    pt_name name = {parts, 2};
    return pt__raise(c->err, PT_COND_SCHEMA_NOT_FOUND, "schemaName", pt__command_quote(c, &name), NULL);
}

static int compare_tables(const void *a, const void *b)
{
    return strcasecmp((*(const pt_table *const *)a)->name, (*(const pt_table *const *)b)->name);
}

pt_status pt__command_tables(pt__command *c, const char *database, const pt_table *const **out, size_t *count)
{
    pt__backend_slot *slot;
    void *backend_session;
    const pt_table *const *found = NULL;
    *count = 0;
    PT_TRY(pt__command_need_database(c, database));
    PT_TRY(pt__session_backend(c->session, &slot, &backend_session, c->err));
    if (pt__backend_has(slot, list_tables))
        PT_TRY(slot->vtable->list_tables(backend_session, database, c->arena, &found, count, c->err));
    const pt_table **list = pt__arena_array(c->arena, const pt_table *, *count + 1);
    for (size_t i = 0; i < *count; i++)
        list[i] = found[i];
    qsort(list, *count, sizeof(*list), compare_tables);
    *out = list;
    return PT_OK;
}

pt_status pt__command_find_table(pt__command *c, const pt_name *name, const pt_table **out)
{
    const char *database;
    const char *object;
    if (!pt__strip_catalog(name, &database, &object))
        return PT_NOT_FOUND;
    return pt__session_get_table(c->session, database == NULL ? c->catalog->database : database, object, c->arena, out,
                                 c->err);
}

pt_status pt__command_columns(pt__command *c, const pt_name *name, const pt_origin *origin, const pt_plan **out)
{
    pt_plan_scan_table *scan = pt__plan_make(c->arena, SCAN_TABLE, scan_table, origin);
    scan->name = *name;
    return pt__analyze(c->arena, &c->catalog->base, &scan->base, out, c->err);
}

/* ---- what wrappers say ---- */

pt_status pt__command_permit(pt__command *c, const char *action, const char *object_kind, const pt_name *name)
{
    pt_access access = {.size_bytes = sizeof(access), .action = action, .object_kind = object_kind};
    if (!c->session->host->has_wrappers)
        return PT_OK;
    PT_TRY(pt__command_split(c, name, &access.database, &access.name));
    return pt__session_permit(c->session, &access, c->err);
}

pt_status pt__command_permit_path(pt__command *c, const char *action, const char *path)
{
    const pt_access access = {
        .size_bytes = sizeof(access), .action = action, .object_kind = "path", .paths = &path, .path_count = 1};
    return pt__session_permit(c->session, &access, c->err);
}

/* ---- patterns ---- */

static bool matches(const char *pattern, size_t size, const char *text)
{
    for (; size > 0; pattern++, size--, text++) {
        if (*pattern == '*') {
            for (size_t skip = 0; skip <= strlen(text); skip++)
                if (matches(pattern + 1, size - 1, text + skip))
                    return true;
            return false;
        }
        if (*text == '\0' || (*pattern != '.' && tolower((unsigned char)*pattern) != tolower((unsigned char)*text)))
            return false;
    }
    return *text == '\0';
}

bool pt__like(const char *pattern, const char *text)
{
    if (pattern == NULL)
        return true;
    for (const char *at = pattern;; at++) {
        at += strspn(at, " ");
        size_t size = strcspn(at, "|");
        const char *end = at + size;
        while (size > 0 && at[size - 1] == ' ')
            size--;
        if (matches(at, size, text))
            return true;
        at = end;
        if (*at == '\0')
            return false;
    }
}

/* ---- columns ---- */

static const char *metadata_text(pt__arena *arena, const char *metadata, const char *key)
{
    const pt__json *json;
    if (metadata == NULL || pt__json_parse(arena, metadata, strlen(metadata), &json, NULL) != PT_OK)
        return NULL;
    return pt__json_get_string(json, key, NULL);
}

const char *pt__column_comment(pt__arena *arena, const char *metadata)
{
    return metadata_text(arena, metadata, "comment");
}

const char *pt__column_type_name(pt__arena *arena, const pt_type *type, const char *metadata)
{
    const char *original = metadata_text(arena, metadata, "__CHAR_VARCHAR_TYPE_STRING");
    return original != NULL ? original : pt__type_simple_string(arena, type);
}

/* ---- times ---- */

const char *pt__command_time_text(pt__command *c, int64_t time_us)
{
    static const char days[] = "MonTueWedThuFriSatSun";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const char *zone_name = c->catalog->base.vtable->conf(&c->catalog->base, "spark.sql.session.timeZone");
    const pt__zone *zone = pt__zones_find(c->session->host->zones, zone_name);
    int64_t local = zone == NULL ? time_us : pt__zone_to_local(zone, time_us);
    pt__civil_time t = pt__civil_from_micros(local);
    int weekday = pt__civil_weekday(pt__floor_divide(local, PT_MICROS_PER_DAY));
    return pt__arena_printf(c->arena, "%.3s %.3s %02d %02d:%02d:%02d %s %lld", days + 3 * (weekday - 1),
                            months + 3 * (t.date.month - 1), t.date.day, t.hour, t.minute, t.second,
                            zone == NULL ? "UTC" : pt__zone_abbreviation(zone, time_us), (long long)t.date.year);
}
