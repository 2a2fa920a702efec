/* What a data source reads: paths, options and schema of a scan become a set of files. */
#include "exec/files.h"
#include "exec/run.h"
#include "exec/schema_cache.h"
#include "exec/session_catalog.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- formats ---- */

typedef struct file_format {
    const char *name;
    const char *title; /* in messages */
    bool is_supported;
} file_format;

static const file_format formats[] = {
    {"avro", "Avro", false}, {"binaryFile", "BinaryFile", false}, {"csv", "CSV", true},   {"json", "JSON", true},
    {"orc", "ORC", false},   {"parquet", "Parquet", true},        {"text", "Text", true}, {"xml", "XML", false},
};

static const file_format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcasecmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

bool pt__is_file_format(const char *name)
{
    return find_format(name) != NULL;
}

pt_status pt__check_format(pt__arena *arena, const char *name, const char **canonical, pt_error *err)
{
    const file_format *format = find_format(name);
    if (format == NULL)
        return pt__raise(err, PT_COND_DATA_SOURCE_NOT_FOUND, "provider", name, NULL);
    *canonical = format->name;
    if (format->is_supported)
        return PT_OK;
    return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                     pt__arena_printf(arena, "the data source %s", format->name), NULL);
}

/* ---- paths ---- */

static const char *without_scheme(const char *given)
{
    if (strncasecmp(given, "file:", 5) != 0)
        return given;
    const char *path = given + 5;
    while (path[0] == '/' && path[1] == '/')
        path++;
    return path;
}

/* "s3" of "s3://bucket/key"; NULL for plain paths. */
static const char *foreign_scheme(pt__arena *arena, const char *path)
{
    const char *colon = strstr(path, "://");
    if (colon == NULL || colon == path || memchr(path, '/', (size_t)(colon - path)) != NULL)
        return NULL;
    return pt__arena_copy_text(arena, path, (size_t)(colon - path));
}

static void drop_text(void *text)
{
    free(text);
}

/* "." and ".." and doubled slashes are taken out of an absolute path, by its text alone: it may be a pattern. */
static const char *tidy(pt__arena *arena, const char *path)
{
    char *out = pt__arena_alloc_text(arena, strlen(path) + 2);
    size_t used = 0;
    while (*path != '\0') {
        path += strspn(path, "/");
        size_t size = strcspn(path, "/");
        if (size == 2 && strncmp(path, "..", 2) == 0) {
            while (used > 0 && out[--used] != '/')
                continue;
        } else if (size > 0 && !(size == 1 && *path == '.')) {
            out[used++] = '/';
            memcpy(out + used, path, size);
            used += size;
        }
        path += size;
    }
    if (used == 0)
        out[used++] = '/';
    out[used] = '\0';
    return out;
}

static pt_status make_absolute(pt__arena *arena, const char *path, const char **out, pt_error *err)
{
    if (*path == '/') {
        *out = tidy(arena, path);
        return PT_OK;
    }
    char *here = getcwd(NULL, 0);
    if (here == NULL)
        return pt_error_set(err, PT_IO, "the server has no current folder for the relative path %s", path);
    pt__arena_defer(arena, drop_text, here);
    *out = tidy(arena, pt__arena_printf(arena, "%s/%s", here, path));
    return PT_OK;
}

/* Whether the path lies at or below one of the folders in `list`, separated by ':'. */
static bool is_below_any(const char *path, const char *list)
{
    for (const char *at = list; *at != '\0'; at += strcspn(at, ":")) {
        at += *at == ':';
        size_t size = strcspn(at, ":");
        char folder[PATH_MAX];
        char resolved[PATH_MAX];
        if (size == 0 || size >= sizeof(folder))
            continue;
        memcpy(folder, at, size);
        folder[size] = '\0';
        if (realpath(folder, resolved) == NULL)
            continue;
        size_t prefix = strlen(resolved);
        if (strncmp(path, resolved, prefix) == 0 && (path[prefix] == '/' || path[prefix] == '\0' || prefix == 1))
            return true;
    }
    return false;
}

/* The real path of the longest part that exists: files may be about to be written. */
static bool resolve_existing(const char *path, char out[PATH_MAX])
{
    char part[PATH_MAX];
    size_t size = strlen(path);
    if (size >= sizeof(part))
        return false;
    memcpy(part, path, size + 1);
    while (realpath(part, out) == NULL) {
        char *slash = strrchr(part, '/');
        if (slash == NULL || slash == part)
            return realpath("/", out) != NULL;
        *slash = '\0';
    }
    return true;
}

static pt_status check_allowed(void *context, const char *path, pt_error *err)
{
    const pt_session *session = context;
    char resolved[PATH_MAX];
    if (session->host->files_allow == NULL)
        return PT_OK;
    if (resolve_existing(path, resolved) && is_below_any(resolved, session->host->files_allow))
        return PT_OK;
    return pt_error_set(err, PT_PERMISSION_DENIED, "the path %s is not among those that queries may use (files.allow)",
                        path);
}

pt_status pt__session_local_path(pt_session *session, pt__arena *arena, const char *given, const char **out,
                                 pt_error *err)
{
    const char *path = without_scheme(given);
    const char *scheme = path == given ? foreign_scheme(arena, given) : NULL;
    if (scheme != NULL)
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                         pt__arena_printf(arena, "files of the scheme \"%s\"", scheme), NULL);
    PT_TRY(make_absolute(arena, path, out, err));
    return check_allowed(session, *out, err);
}

/* ---- options ---- */

static bool option_is_true(const pt_options *options, const char *key)
{
    const char *value = pt__options_get(options, key);
    return value != NULL && strcasecmp(value, "true") == 0;
}

static pt_status read_time_option(pt__session_catalog *c, const pt_options *options, const char *key, int64_t *out,
                                  pt_error *err)
{
    const char *text = pt__options_get(options, key);
    const char *zone_name = pt__options_get(options, "timeZone");
    if (text == NULL)
        return PT_OK;
    if (zone_name == NULL)
        zone_name = c->base.vtable->conf(&c->base, "spark.sql.session.timeZone");
    const pt__zone *zone = pt__zones_find(c->session->host->zones, zone_name);
    int64_t local = 0;
    if (zone == NULL || !pt__read_local_timestamp(text, &local))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the option %s takes a time such as 2020-01-01T00:00:00, not %s",
                            key, text);
    *out = pt__zone_to_instant(zone, local);
    return PT_OK;
}

static pt_status read_filter(pt__session_catalog *c, const pt_options *options, pt__file_filter *out, pt_error *err)
{
    *out = (pt__file_filter){pt__options_get(options, "pathGlobFilter"), INT64_MIN, INT64_MAX};
    PT_TRY(read_time_option(c, options, "modifiedAfter", &out->modified_after_us, err));
    return read_time_option(c, options, "modifiedBefore", &out->modified_before_us, err);
}

/* ---- files ---- */

/* Spark reads "a%20b" of a file: URI as it stands; a client may have meant the blank. */
static const char *decoded_if_missing(pt__arena *arena, const char *given, const char *path)
{
    struct stat status;
    if (strncasecmp(given, "file:", 5) != 0 || strchr(path, '%') == NULL || stat(path, &status) == 0)
        return path;
    return pt__unescape_path(arena, path);
}

/* What wrappers say; the files of an external table belong to the table, which they were asked about by name. */
static pt_status permit_files(pt_session *session, const pt_plan_scan_files *scan, const char *const *paths,
                              size_t count, pt_error *err)
{
    const pt_access access = {
        .size_bytes = sizeof(access),
        .action = "read-files",
        .object_kind = "path",
        .paths = paths,
        .path_count = count,
    };
    return scan->table != NULL || count == 0 ? PT_OK : pt__session_permit(session, &access, err);
}

typedef struct reader {
    pt_session *session;
    const pt_plan_scan_files *scan;
} reader;

static pt_status may_read(void *context, const char *path, pt_error *err)
{
    const reader *r = context;
    PT_TRY(check_allowed(r->session, path, err));
    return permit_files(r->session, r->scan, &path, 1, err);
}

/* Once more by file: a rule may be about a part of a folder. */
static pt_status permit_found(pt__session_catalog *c, const pt_plan_scan_files *scan, pt__file_finder *finder,
                              pt_error *err)
{
    if (!c->session->host->has_wrappers)
        return PT_OK;
    const char **paths = pt__arena_array(finder->arena, const char *, finder->files.count + 1);
    for (size_t i = 0; i < finder->files.count; i++)
        paths[i] = finder->files.items[i].path;
    return permit_files(c->session, scan, paths, finder->files.count, err);
}

/* The folder of a table may not be there yet: then it has no rows. */
static pt_status find_path(pt__file_finder *finder, const char *path, bool may_be_missing, pt_error *err)
{
    struct stat status;
    if (may_be_missing && stat(path, &status) != 0 && errno == ENOENT)
        return PT_OK;
    return pt__find_files(finder, path, err);
}

static pt_status find_all(pt__session_catalog *c, pt__file_finder *finder, const pt_plan_scan_files *scan,
                          pt_error *err)
{
    for (size_t i = 0; i < scan->path_count; i++) {
        const char *path = NULL;
        PT_TRY(pt__session_local_path(c->session, finder->arena, scan->paths[i], &path, err));
        path = decoded_if_missing(finder->arena, scan->paths[i], path);
        size_t before = finder->files.count;
        pt_status status = find_path(finder, path, scan->may_be_missing, err);
        if (finder->files.count == before) /* a pattern that fits nothing must not tell so of a forbidden folder */
            PT_TRY(permit_files(c->session, scan, &path, 1, err));
        PT_TRY(status);
    }
    return permit_found(c, scan, finder, err);
}

/* Without partitions only the files directly in a root count, unless all of the tree is wanted. */
static size_t drop_nested(pt__found_file *files, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (files[i].root_is_file || strcmp(files[i].folder, files[i].root) == 0)
            files[kept++] = files[i];
    return kept;
}

typedef struct found {
    pt__found_file *files;
    size_t count;
    const pt_type *partitions; /* NULL none */
    const pt_value *const *values;
} found;

static pt_status find_partitions(pt__session_catalog *c, pt__arena *arena, const pt_plan_scan_files *scan, found *f,
                                 pt_error *err)
{
    const char *base = pt__options_get(&scan->options, "basePath");
    const char *infer = c->base.vtable->conf(&c->base, "spark.sql.sources.partitionColumnTypeInference.enabled");
    const char *zone = c->base.vtable->conf(&c->base, "spark.sql.session.timeZone");
    pt__partition_options options = {
        .infer_types = infer == NULL || strcasecmp(infer, "false") != 0,
        .given = scan->schema,
        .zone = pt__zones_find(c->session->host->zones, zone),
    };
    if (base != NULL)
        PT_TRY(pt__session_local_path(c->session, arena, base, &options.base_path, err));
    if (option_is_true(&scan->options, "recursiveFileLookup"))
        return PT_OK;
    PT_TRY(pt__find_partitions(arena, f->files, f->count, &options, &f->partitions, &f->values, err));
    if (f->partitions == NULL)
        f->count = drop_nested(f->files, f->count);
    return PT_OK;
}

static const pt_data_file *data_files(pt__arena *arena, const found *f, size_t *count)
{
    pt_data_file *out = pt__arena_array(arena, pt_data_file, f->count);
    *count = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (f->partitions != NULL && f->values[i] == NULL)
            continue; /* beside the partitions */
        const pt__found_file *file = &f->files[i];
        out[(*count)++] = (pt_data_file){file->path, file->size_bytes, file->modified_us,
                                         f->partitions == NULL ? NULL : f->values[i]};
    }
    return out;
}

/* ---- schema ---- */

static bool has_field(const pt_type *type, const char *name)
{
    for (size_t i = 0; type != NULL && i < type->field_count; i++)
        if (strcasecmp(type->fields[i].name, name) == 0)
            return true;
    return false;
}

/* The fields that are no partition columns: those come last. */
static const pt_type *data_fields(pt__arena *arena, const pt_type *schema, const pt_type *partitions)
{
    pt_field *fields = pt__arena_array(arena, pt_field, schema->field_count);
    size_t count = 0;
    for (size_t i = 0; i < schema->field_count; i++)
        if (!has_field(partitions, schema->fields[i].name))
            fields[count++] = schema->fields[i];
    return pt__type_struct(arena, fields, count);
}

static pt_status describe(pt__session_catalog *c, pt__arena *arena, const pt_file_request *request, const pt_type **out,
                          pt_error *err)
{
    pt__backend_slot *slot;
    void *backend_session;
    PT_TRY(pt__session_backend(c->session, &slot, &backend_session, err));
    if (!pt__backend_has(slot, describe_files))
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "reading files", NULL);
    return slot->vtable->describe_files(backend_session, request, arena, out, err);
}

static pt_status infer(pt__session_catalog *c, pt__arena *arena, const char *format, const pt_options *options,
                       const pt_file_set *set, const pt_type **out, pt_error *err)
{
    if (set->file_count == 0)
        return pt__raise(err, PT_COND_UNABLE_TO_INFER_SCHEMA, "format", find_format(format)->title, NULL);
    const char **paths = pt__arena_array(arena, const char *, set->file_count);
    for (size_t i = 0; i < set->file_count; i++)
        paths[i] = set->files[i].path;
    const pt_file_request request = {format, paths, set->file_count, *options};
    pt__schema_key key = {.request = &request, .files = set->files};
    if (pt__schema_cache_find(c->session->host, arena, &key, out))
        return PT_OK;
    PT_TRY(describe(c, arena, &request, out, err));
    pt__schema_cache_store(c->session->host, &key, *out);
    return PT_OK;
}

/* Files with columns of their own may lack some that the user has named: those are NULL. */
static pt_status find_columns(pt__session_catalog *c, pt__arena *arena, const char *format, pt_file_set *set,
                              pt_error *err)
{
    static const pt_option ALL_FILES = {"mergeSchema", "true"};
    const pt_options options = {&ALL_FILES, set->file_count > 1};
    if (strcmp(format, "parquet") != 0 || set->file_count == 0)
        return PT_OK;
    return infer(c, arena, format, &options, set, &set->found_schema, err);
}

static pt_status find_schema(pt__session_catalog *c, pt__arena *arena, const char *format,
                             const pt_plan_scan_files *scan, pt_file_set *set, pt_error *err)
{
    static const pt_field text_field = {"value", NULL, true, NULL};
    const pt_type *schema = scan->schema;
    if (schema == NULL && strcmp(format, "text") == 0) {
        pt_field *field = pt__arena_copy(arena, &text_field, sizeof(text_field));
        field->type = PT_T(STRING);
        schema = pt__type_struct(arena, field, 1);
    }
    if (schema == NULL)
        PT_TRY(infer(c, arena, format, &scan->options, set, &schema, err));
    set->data_schema = data_fields(arena, schema, set->partition_schema);
    return scan->schema == NULL ? PT_OK : find_columns(c, arena, format, set, err);
}

pt_status pt__session_find_files(pt__session_catalog *c, pt__arena *arena, const pt_plan_scan_files *scan,
                                 const pt_file_set **out, pt_error *err)
{
    const char *format = scan->format;
    pt__file_filter filter;
    if (format == NULL)
        format = c->base.vtable->conf(&c->base, "spark.sql.sources.default");
    PT_TRY(pt__check_format(arena, format, &format, err));
    PT_TRY(read_filter(c, &scan->options, &filter, err));
    reader r = {c->session, scan};
    pt__file_finder finder = {
        .arena = arena,
        .filter = &filter,
        .max_files = (size_t)c->session->host->limits.file_count,
        .allow = may_read,
        .context = &r,
    };
    PT_TRY(find_all(c, &finder, scan, err));
    found f = {.files = finder.files.items, .count = finder.files.count};
    PT_TRY(find_partitions(c, arena, scan, &f, err));
    pt_file_set *set = pt__arena_make(arena, pt_file_set);
    set->partition_schema = f.partitions;
    set->files = data_files(arena, &f, &set->file_count);
    PT_TRY(find_schema(c, arena, format, scan, set, err));
    *out = set;
    return PT_OK;
}
