#include "exec/test_backend.h"

#include "base/condition.h"
#include "plan/plan.h"

#include <nanoarrow/nanoarrow.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

atomic_int pt__test_backend_arrays;
atomic_int pt__test_backend_operations;
atomic_int pt__test_backend_sessions;
atomic_int pt__test_backend_pulled;
atomic_int pt__test_backend_writes;
atomic_bool pt__test_backend_gate;
atomic_bool pt__test_backend_committed;

typedef struct test_operation {
    pt_operation base;
    atomic_bool cancelled;
    char what[16];
    long batches;
    long rows;
    long bytes; /* of each string; -1: numbers */
    int64_t next;
    int64_t step;
} test_operation;

static void nap(void)
{
    nanosleep(&(struct timespec){0, 2000000}, NULL);
}

/* ---- arrays, counted ---- */

typedef struct counted {
    struct ArrowArray inner;
} counted;

static void release_counted(struct ArrowArray *array)
{
    counted *c = array->private_data;
    ArrowArrayRelease(&c->inner);
    free(c);
    array->release = NULL;
    atomic_fetch_sub(&pt__test_backend_arrays, 1);
}

static void count_array(struct ArrowArray *from, struct ArrowArray *out)
{
    counted *c = calloc(1, sizeof(*c));
    c->inner = *from;
    *out = c->inner;
    out->private_data = c;
    out->release = release_counted;
    atomic_fetch_add(&pt__test_backend_arrays, 1);
}

static void init_schema(const test_operation *op, struct ArrowSchema *out)
{
    ArrowSchemaInit(out);
    ArrowSchemaSetTypeStruct(out, 1);
    ArrowSchemaSetType(out->children[0], op->bytes < 0 ? NANOARROW_TYPE_INT64 : NANOARROW_TYPE_STRING);
    ArrowSchemaSetName(out->children[0], "id");
}

static void append_row(test_operation *op, struct ArrowArray *column)
{
    if (op->bytes < 0) {
        ArrowArrayAppendInt(column, op->next);
    } else {
        char *text = malloc((size_t)op->bytes + 1);
        memset(text, 'a' + (int)(op->next % 26), (size_t)op->bytes);
        ArrowArrayAppendString(column, (struct ArrowStringView){text, op->bytes});
        free(text);
    }
    op->next += op->step;
}

static void make_batch(test_operation *op, struct ArrowArray *out)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    init_schema(op, &schema);
    ArrowArrayInitFromSchema(&array, &schema, NULL);
    ArrowArrayStartAppending(&array);
    for (long i = 0; i < op->rows; i++) {
        append_row(op, array.children[0]);
        ArrowArrayFinishElement(&array);
    }
    ArrowArrayFinishBuildingDefault(&array, NULL);
    schema.release(&schema);
    count_array(&array, out);
}

/* ---- stream ---- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    init_schema(stream->private_data, out);
    return 0;
}

static bool must_wait(const test_operation *op)
{
    bool is_shut = strcmp(op->what, "gate") == 0 || strcmp(op->what, "write") == 0;
    return !atomic_load(&op->cancelled) &&
           (strcmp(op->what, "hang") == 0 || (is_shut && !atomic_load(&pt__test_backend_gate)));
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    test_operation *op = stream->private_data;
    while (must_wait(op))
        nap();
    if (atomic_load(&op->cancelled) || strcmp(op->what, "fail") == 0)
        return EIO;
    out->release = NULL;
    if (op->batches-- <= 0)
        return 0;
    atomic_fetch_add(&pt__test_backend_pulled, 1);
    make_batch(op, out);
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "it failed";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

/* ---- operation ---- */

static const char *operation_id(pt_operation *operation)
{
    (void)operation;
    return "test";
}

static pt_status operation_status(pt_operation *operation, pt_operation_state *out, pt_error *err)
{
    (void)operation;
    (void)err;
    *out = PT_OPERATION_RUNNING;
    return PT_OK;
}

static pt_status operation_cancel(pt_operation *operation, pt_error *err)
{
    (void)err;
    atomic_store(&((test_operation *)operation)->cancelled, true);
    return PT_OK;
}

static pt_status operation_result(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err)
{
    (void)err;
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, operation};
    return PT_OK;
}

static pt_status operation_failure(pt_operation *operation, pt_error *err)
{
    if (strcmp(((test_operation *)operation)->what, "fail") == 0)
        return pt__raise(err, PT_COND_DIVIDE_BY_ZERO, "config", "\"spark.sql.ansi.enabled\"", NULL);
    return PT_OK;
}

static void operation_free(pt_operation *operation)
{
    free(operation);
    atomic_fetch_sub(&pt__test_backend_operations, 1);
}

static const pt_operation_vtable operation_vtable = {
    .size_bytes = sizeof(pt_operation_vtable),
    .id = operation_id,
    .status = operation_status,
    .cancel = operation_cancel,
    .result = operation_result,
    .failure = operation_failure,
    .free = operation_free,
};

/* ---- backend ---- */

static pt_status open_backend(const pt_config *config, pt_env *env, void **self, pt_error *err)
{
    (void)config;
    (void)env;
    (void)err;
    *self = malloc(1);
    return PT_OK;
}

static bool accepts(void *self, const char *format)
{
    (void)self;
    return strcmp(format, "test") == 0;
}

static pt_status open_session(void *self, const pt_session_request *request, void **session, pt_error *err)
{
    (void)self;
    (void)request;
    (void)err;
    *session = malloc(1);
    atomic_fetch_add(&pt__test_backend_sessions, 1);
    return PT_OK;
}

static void close_session(void *session)
{
    free(session);
    atomic_fetch_sub(&pt__test_backend_sessions, 1);
}

static void read_text(test_operation *op, pt_bytes_view text)
{
    char copy[128];
    snprintf(copy, sizeof(copy), "%.*s", (int)text.size_bytes, (const char *)text.data);
    op->bytes = -1;
    /* NOLINTNEXTLINE(cert-err34-c): tests write these numbers themselves */
    if (sscanf(copy, "%15s %ld %ld %ld", op->what, &op->batches, &op->rows, &op->bytes) < 1)
        abort();
}

static pt_status read_plan(test_operation *op, const pt_plan *plan, pt_error *err)
{
    if (plan->kind != PT_PLAN_RANGE)
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", pt__plan_kind_name(plan->kind), NULL);
    const pt_plan_range *range = pt__plan_as_range(plan);
    op->bytes = -1;
    op->next = range->start;
    op->step = range->step;
    op->rows = (long)((range->end - range->start) / range->step);
    op->batches = 1;
    return PT_OK;
}

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    (void)session;
    test_operation *op = calloc(1, sizeof(*op));
    op->base.vtable = &operation_vtable;
    op->step = 1;
    if (query->plan == NULL || query->plan == query->encoded_plan)
        read_text(op, query->encoded.payload);
    else if (read_plan(op, query->plan, err) != PT_OK) {
        free(op);
        return PT_UNSUPPORTED;
    }
    atomic_fetch_add(&pt__test_backend_operations, 1);
    atomic_fetch_add(&pt__test_backend_writes, strcmp(op->what, "write") == 0);
    *out = &op->base;
    return PT_OK;
}

static pt_status describe(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    (void)session;
    (void)query;
    (void)out;
    return pt_error_set(err, PT_UNSUPPORTED, "the test backend describes nothing");
}

static bool reads_only(void *session, const pt_query *query)
{
    (void)session;
    pt_bytes_view text = query->encoded.payload;
    return text.size_bytes < 5 || memcmp(text.data, "write", 5) != 0;
}

static pt_status was_committed(void *session, const char *operation_id, bool *out, pt_error *err)
{
    (void)session;
    (void)operation_id;
    (void)err;
    *out = atomic_load(&pt__test_backend_committed);
    return PT_OK;
}

const pt_backend_vtable pt__test_backend = {
    .size_bytes = sizeof(pt_backend_vtable),
    .name = "test",
    .open = open_backend,
    .close = free,
    .accepts = accepts,
    .open_session = open_session,
    .close_session = close_session,
    .describe = describe,
    .execute = execute,
    .reads_only = reads_only,
    .was_committed = was_committed,
};
