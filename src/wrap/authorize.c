/* authorize: who may do what with which tables, columns, paths and functions, and which rows they see. */
#include "wrap/authorize.h"

#include "exec/session_catalog.h"
#include "wrap/guarded.h"

#include <stdlib.h>
#include <string.h>

typedef struct authorizer {
    pt_wrapper base;
    pt__policy *policy;
} authorizer;

static const pt__policy *policy_of(const pt_wrapper_session *session)
{
    return ((const authorizer *)session->wrapper)->policy;
}

static pt_status open_policy(void *self, const pt_config *config, pt_env *env, pt_error *err)
{
    const char *path = pt_config_string(config, "authorize.policy", NULL);
    (void)env;
    if (path == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the wrapper authorize needs a policy: set authorize.policy");
    return pt__policy_read(path, &((authorizer *)self)->policy, err);
}

static void close_policy(void *self)
{
    pt__policy_free(((authorizer *)self)->policy);
}

static pt__authorization authorization(pt_wrapper_session *session, pt__arena *arena, pt_error *err)
{
    return (pt__authorization){
        .policy = policy_of(session), .session = session, .user = session->user, .arena = arena, .err = err};
}

/* ---- queries ---- */

/* Checks, and turns the query into one that gives only what the user may see. In the arena. */
static pt_status restrict_query(pt_wrapper_session *session, pt__arena *arena, pt_query *query, pt_error *err)
{
    pt__authorization a = authorization(session, arena, err);
    if (query->plan == NULL)
        return pt__authorize_one(&a, PT_ACTION_ENCODED, PT_POLICY_FORMAT, query->encoded.format, NULL);
    PT_TRY(pt__authorize_plan(&a, query->plan));
    return pt__authorize_rows(&a, query->plan, &query->plan);
}

typedef struct request {
    pt_wrapper_session *session;
    pt_query query;
    const pt_access *access;
} request;

static pt_status restrict_guarded(void *context, pt__arena *arena, pt_error *err)
{
    request *r = context;
    return restrict_query(r->session, arena, &r->query, err);
}

static request request_of(void *session, const pt_query *query)
{
    request r = {.session = session};
    size_t known = query->size_bytes < sizeof(r.query) ? query->size_bytes : sizeof(r.query);
    memcpy(&r.query, query, known);
    return r;
}

/* The arena holds what the rewritten plan is made of: it ends with the operation. */
typedef struct restricted {
    pt_wrapper_operation base;
    pt__arena *arena;
} restricted;

static void free_restricted(pt_operation *operation)
{
    pt__arena *arena = ((restricted *)operation)->arena;
    pt_forward_operation_free(operation);
    pt__arena_free(arena);
}

static const pt_operation_vtable restricted_vtable = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = pt_forward_operation_id,
    .status = pt_forward_operation_status,
    .cancel = pt_forward_operation_cancel,
    .result = pt_forward_operation_result,
    .failure = pt_forward_operation_failure,
    .progress = pt_forward_operation_progress,
    .free = free_restricted,
    .detail = pt_forward_operation_detail,
};

static pt_status execute_rewritten(request *r, pt__arena *arena, pt_operation **out, pt_error *err)
{
    restricted *operation = calloc(1, sizeof(*operation));
    if (operation == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    pt_status status = pt_forward_execute(r->session, &r->query, &operation->base.inner, err);
    if (status != PT_OK) {
        free(operation);
        return status;
    }
    operation->base.base.vtable = &restricted_vtable;
    operation->arena = arena;
    *out = &operation->base.base;
    return PT_OK;
}

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    request r = request_of(session, query);
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to authorize a query");
    pt_status status = pt__guarded(arena, restrict_guarded, &r, err);
    if (status == PT_OK && r.query.plan != query->plan) {
        status = execute_rewritten(&r, arena, out, err);
        if (status == PT_OK)
            return PT_OK; /* the operation has the arena */
    } else if (status == PT_OK) {
        status = pt_forward_execute(session, query, out, err);
    }
    pt__arena_free(arena);
    return status;
}

static pt_status describe(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    request r = request_of(session, query);
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to authorize a query");
    pt_status status = pt__guarded(arena, restrict_guarded, &r, err);
    if (status == PT_OK)
        status = pt_forward_describe(session, &r.query, out, err);
    pt__arena_free(arena);
    return status;
}

static pt_status keep(void *session, const pt_query *query, void **kept, pt_error *err)
{
    request r = request_of(session, query);
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to authorize a query");
    pt_status status = pt__guarded(arena, restrict_guarded, &r, err);
    if (status == PT_OK)
        status = pt_forward_keep(session, &r.query, kept, err);
    pt__arena_free(arena);
    return status;
}

static pt_status explain(void *session, const pt_query *query, struct pt__arena *arena, const char **out, pt_error *err)
{
    request r = request_of(session, query);
    PT_TRY(restrict_query(session, arena, &r.query, err));
    return pt_forward_explain(session, &r.query, arena, out, err);
}

/* ---- the catalog ---- */

/* What is masked may be NULL where the column itself may not. */
static const pt_table *with_masks(const pt__authorization *a, const pt_table *table)
{
    pt_table *out = pt__arena_copy(a->arena, table, sizeof(*table));
    const char *key = pt__table_key(a->arena, table);
    pt_field *fields = pt__arena_array(a->arena, pt_field, table->schema->field_count + 1);
    for (size_t i = 0; i < table->schema->field_count; i++) {
        pt__policy_text ignored;
        fields[i] = table->schema->fields[i];
        if (pt__policy_mask(a->policy, a->user, PT_POLICY_TABLE, key, fields[i].name, &ignored))
            fields[i].nullable = true;
    }
    out->schema = pt__type_struct(a->arena, fields, table->schema->field_count);
    return out;
}

/* A view gives its rows by the rights of who reads it; it may be closed by itself, too. */
static pt_status check_view(const pt__authorization *a, const char *key)
{
    return pt__authorize_one(a, PT_ACTION_SELECT, PT_POLICY_TABLE, key, NULL);
}

static pt_status not_shown(const pt__authorization *a, const char *key)
{
    return pt__authorize_one(a, PT_ACTION_SELECT, PT_POLICY_TABLE, key, NULL);
}

/* The same answer whether or not there is such a table. What may be files of FROM format.`path` is left to paths. */
static pt_status get_table(void *session, const char *database, const char *name, struct pt__arena *arena,
                           const struct pt_table **out, pt_error *err)
{
    pt__authorization a = authorization(session, arena, err);
    const char *key = pt__arena_printf(arena, "%s.%s", database, name);
    bool shown = pt__policy_shows(a.policy, a.user, key);
    if (!shown && !pt__is_file_format(database))
        return not_shown(&a, key);
    PT_TRY(pt_forward_get_table(session, database, name, arena, out, err));
    if (!shown)
        return not_shown(&a, key);
    if ((*out)->kind == PT_TABLE_VIEW)
        return check_view(&a, key);
    *out = with_masks(&a, *out);
    return PT_OK;
}

static pt_status list_tables(void *session, const char *database, struct pt__arena *arena,
                             const struct pt_table *const **out, size_t *count, pt_error *err)
{
    pt__authorization a = authorization(session, arena, err);
    const pt_table *const *all;
    size_t all_count;
    PT_TRY(pt_forward_list_tables(session, database, arena, &all, &all_count, err));
    const pt_table **shown = pt__arena_array(arena, const pt_table *, all_count + 1);
    *count = 0;
    for (size_t i = 0; i < all_count; i++)
        if (pt__policy_shows(a.policy, a.user, pt__table_key(arena, all[i])))
            shown[(*count)++] = all[i];
    *out = shown;
    return PT_OK;
}

static pt_status describe_files(void *session, const struct pt_file_request *files, struct pt__arena *arena,
                                const struct pt_type **out, pt_error *err)
{
    pt__authorization a = authorization(session, arena, err);
    PT_TRY(pt__authorize_paths(&a, PT_ACTION_READ_FILES, files->paths, files->path_count));
    return pt_forward_describe_files(session, files, arena, out, err);
}

/* ---- what sessions do by themselves ---- */

/* Values that are told without a query cannot be filtered or masked: then they are not told. */
static pt_status permit_values(const pt__authorization *a, const pt_access *access, const char *key)
{
    pt_column *columns = pt__arena_array(a->arena, pt_column, access->column_count + 1);
    for (size_t i = 0; i < access->column_count; i++) {
        columns[i].name = access->columns[i];
        PT_TRY(pt__authorize_one(a, PT_ACTION_SELECT, PT_POLICY_TABLE, key, access->columns[i]));
    }
    if (!pt__has_row_policy(a, PT_POLICY_TABLE, key, columns, access->column_count))
        return PT_OK;
    return pt__authorize_denied(a, PT_ACTION_SELECT,
                                pt__arena_printf(a->arena, "table %s, whose rows it sees filtered or masked", key));
}

static pt_status permit_guarded(void *context, pt__arena *arena, pt_error *err)
{
    const request *r = context;
    const pt_access *access = r->access;
    pt__authorization a = authorization(r->session, arena, err);
    pt__action action = pt__action_find(access->action);
    if (action == PT_ACTION_COUNT)
        return pt_error_set(err, PT_PERMISSION_DENIED, "the policy has no action %s", access->action);
    if (access->path_count != 0)
        return pt__authorize_paths(&a, action, access->paths, access->path_count);
    bool is_function = strcmp(access->object_kind, "function") == 0;
    const char *database = access->database == NULL ? "default" : access->database;
    const char *key = pt__arena_printf(arena, "%s.%s", database, access->name);
    if (action == PT_ACTION_SELECT)
        return permit_values(&a, access, key);
    return pt__authorize_one(&a, action, is_function ? PT_POLICY_FUNCTION : PT_POLICY_TABLE, key, NULL);
}

static pt_status permit(void *session, const pt_access *access, pt_error *err)
{
    request r = {.session = session, .access = access};
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to authorize");
    pt_status status = pt__guarded(arena, permit_guarded, &r, err);
    pt__arena_free(arena);
    return status == PT_OK ? pt_forward_permit(session, access, err) : status;
}

/* ---- the backend's own dialect ---- */

/* What is asked of the wrapper in an arena that ends with the question. */
static pt_status ask(pt_status (*question)(void *context, pt__arena *arena, pt_error *err), void *context,
                     pt_error *err)
{
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to authorize");
    pt_status status = pt__guarded(arena, question, context, err);
    pt__arena_free(arena);
    return status;
}

/* Describing a statement tells of the tables that it names. */
static pt_status prepare(void *session, const pt_query *query, pt_statement_info *out, pt_error *err)
{
    request r = request_of(session, query);
    PT_TRY(ask(restrict_guarded, &r, err));
    return pt_forward_prepare(session, query, out, err);
}

typedef struct ingest_request {
    pt_wrapper_session *session;
    const pt_ingest *ingest;
} ingest_request;

static pt_status permit_ingest(void *context, pt__arena *arena, pt_error *err)
{
    const ingest_request *r = context;
    const pt_ingest *ingest = r->ingest;
    pt__authorization a = authorization(r->session, arena, err);
    const char *key = pt__arena_printf(arena, "%s.%s", ingest->schema == NULL ? "main" : ingest->schema, ingest->table);
    PT_TRY(pt__authorize_one(&a, PT_ACTION_INSERT, PT_POLICY_TABLE, key, NULL));
    if (ingest->create || ingest->replace)
        PT_TRY(pt__authorize_one(&a, PT_ACTION_CREATE, PT_POLICY_TABLE, key, NULL));
    return ingest->replace ? pt__authorize_one(&a, PT_ACTION_DROP, PT_POLICY_TABLE, key, NULL) : PT_OK;
}

static pt_status ingest(void *session, const pt_ingest *what, struct ArrowArrayStream *rows, int64_t *row_count,
                        pt_error *err)
{
    ingest_request r = {session, what};
    PT_TRY(ask(permit_ingest, &r, err));
    return pt_forward_ingest(session, what, rows, row_count, err);
}

/* Lists of tables, schemas and keys show more than a policy may: they need a rule of their own, "encoded" for the
 * format "metadata". */
static pt_status permit_metadata(void *context, pt__arena *arena, pt_error *err)
{
    pt__authorization a = authorization(context, arena, err);
    return pt__authorize_one(&a, PT_ACTION_ENCODED, PT_POLICY_FORMAT, "metadata", NULL);
}

static bool names_no_tables(pt_metadata_kind kind)
{
    return kind == PT_METADATA_TABLE_TYPES || kind == PT_METADATA_KEYWORDS || kind == PT_METADATA_FUNCTIONS;
}

static pt_status metadata(void *session, const pt_metadata_request *what, struct ArrowArrayStream *out, pt_error *err)
{
    if (!names_no_tables(what->kind))
        PT_TRY(ask(permit_metadata, session, err));
    return pt_forward_metadata(session, what, out, err);
}

static const pt_backend_vtable changes = {
    .size_bytes = sizeof(changes),
    .describe = describe,
    .execute = execute,
    .get_table = get_table,
    .list_tables = list_tables,
    .describe_files = describe_files,
    .explain = explain,
    .keep = keep,
    .permit = permit,
    .prepare = prepare,
    .ingest = ingest,
    .metadata = metadata,
};

const pt_wrapper_vtable pt_wrapper_authorize = {
    .size_bytes = sizeof(pt_wrapper_vtable),
    .name = "authorize",
    .self_bytes = sizeof(authorizer),
    .session_bytes = sizeof(pt_wrapper_session),
    .open = open_policy,
    .close = close_policy,
    .changes = &changes,
};
