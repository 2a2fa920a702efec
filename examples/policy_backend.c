/*
 * A policy of one's own around DuckDB: the table "secrets" is closed to all but its keeper, and every session has a
 * budget of result rows.
 *
 * It is a plug-in (portico serve --plugins …), and a program that shows how a host is set up with it.
 */
#include <portico/plugin.h>
#include <portico/wrapper.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BUDGET_ROWS = 1000 };

typedef struct guarded_session {
    pt_wrapper_session base;
    atomic_llong rows; /* that it has had so far */
} guarded_session;

/* Every use of a table, be it deep inside of a query or a view, or in a listing of columns, looks it up here. */
static pt_status get_table(void *session, const char *database, const char *name, struct pt__arena *arena,
                           const struct pt_table **out, pt_error *err)
{
    const pt_wrapper_session *s = session;
    if (strcasecmp(name, "secrets") == 0 && strcmp(s->user, "keeper") != 0)
        return pt_error_set(err, PT_PERMISSION_DENIED, "%s may not see the table secrets", s->user);
    return pt_forward_get_table(session, database, name, arena, out, err);
}

/* ---- counting rows, a batch at a time ---- */

typedef struct counted {
    pt_wrapper_operation base;
    guarded_session *session;
    struct ArrowArrayStream inner;
} counted;

static int next_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    counted *c = stream->private_data;
    int code = c->inner.get_next(&c->inner, out);
    if (code != 0 || out->release == NULL)
        return code;
    if (atomic_fetch_add(&c->session->rows, out->length) + out->length <= BUDGET_ROWS)
        return 0;
    out->release(out);
    return EDQUOT;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    counted *c = stream->private_data;
    return c->inner.get_schema(&c->inner, out);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    counted *c = stream->private_data;
    bool is_spent = atomic_load(&c->session->rows) > BUDGET_ROWS;
    return is_spent ? "this session has had all the rows it may have" : c->inner.get_last_error(&c->inner);
}

static void release(struct ArrowArrayStream *stream)
{
    counted *c = stream->private_data;
    c->inner.release(&c->inner);
    stream->release = NULL;
}

static pt_status result(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err)
{
    counted *c = (counted *)operation;
    pt_status status = pt_forward_operation_result(operation, &c->inner, err);
    if (status == PT_OK)
        *out = (struct ArrowArrayStream){get_schema, next_batch, get_last_error, release, c};
    return status;
}

static const pt_operation_vtable counted_vtable = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = pt_forward_operation_id,
    .status = pt_forward_operation_status,
    .cancel = pt_forward_operation_cancel,
    .result = result,
    .failure = pt_forward_operation_failure,
    .progress = pt_forward_operation_progress,
    .free = pt_forward_operation_free,
    .detail = pt_forward_operation_detail,
};

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    counted *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    c->base.base.vtable = &counted_vtable;
    c->session = session;
    pt_status status = pt_forward_execute(session, query, &c->base.inner, err);
    if (status == PT_OK)
        *out = &c->base.base;
    else
        free(c);
    return status;
}

static const pt_backend_vtable changes = {.size_bytes = sizeof(changes), .execute = execute, .get_table = get_table};

static const pt_wrapper_vtable policy = {
    .size_bytes = sizeof(policy),
    .name = "policy",
    .self_bytes = sizeof(pt_wrapper),
    .session_bytes = sizeof(guarded_session),
    .changes = &changes,
};

pt_status pt_plugin_open(pt_host *host, const pt_config *config, pt_error *err)
{
    return pt_host_add_wrapper(host, NULL, &policy, config, err);
}

int main(void)
{
    pt_host *host = NULL;
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt_host_new(NULL, &host, &err);
    if (status == PT_OK)
        status = pt_host_add_backend(host, &pt_backend_duckdb, NULL, &err);
    if (status == PT_OK)
        status = pt_plugin_open(host, NULL, &err);
    puts(status == PT_OK ? "the policy is in place" : err.message);
    pt_host_free(host);
    pt_error_clear(&err);
    return status == PT_OK ? 0 : 1;
}
