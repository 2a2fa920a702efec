#include "base/test.h"
#include "exec/run.h"
#include "exec/state.h"
#include "exec/test_backend.h"

#include <portico/wrapper.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct noted {
    pt_wrapper base;
    atomic_int queries;
    char user[16];
} noted;

static pt_status open_noted(void *self, const pt_config *config, pt_env *env, pt_error *err)
{
    (void)env;
    if (strcmp(pt_config_string(config, "mood", "good"), "bad") == 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "a bad mood");
    PT_CHECK_STR(((noted *)self)->base.inner.name, "test");
    return PT_OK;
}

static pt_status note(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    const pt_wrapper_session *s = session;
    noted *self = (noted *)s->wrapper;
    atomic_fetch_add(&self->queries, 1);
    snprintf(self->user, sizeof(self->user), "%s", s->user);
    PT_CHECK_EQ(query->setting_count, 0);
    return pt_forward_execute(session, query, out, err);
}

static const pt_backend_vtable changes = {.size_bytes = sizeof(pt_backend_vtable), .execute = note};
static const pt_wrapper_vtable noting = {
    .size_bytes = sizeof(pt_wrapper_vtable),
    .name = "noting",
    .self_bytes = sizeof(noted),
    .session_bytes = sizeof(pt_wrapper_session),
    .open = open_noted,
    .changes = &changes,
};

static pt_status refuse(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    (void)session;
    (void)query;
    (void)out;
    return pt_error_set(err, PT_PERMISSION_DENIED, "not today");
}

static const pt_backend_vtable refusal = {.size_bytes = sizeof(pt_backend_vtable), .execute = refuse};
static const pt_wrapper_vtable refusing = {
    .size_bytes = sizeof(pt_wrapper_vtable),
    .name = "refusing",
    .self_bytes = sizeof(pt_wrapper),
    .session_bytes = sizeof(pt_wrapper_session),
    .changes = &refusal,
};

static pt_host *new_host(void)
{
    pt_host *host = NULL;
    PT_CHECK_EQ(pt_host_new(NULL, &host, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_backend(host, &pt__test_backend, NULL, NULL), PT_OK);
    return host;
}

static pt_status run(pt_host *host, const char *user, const char *text)
{
    pt_session *session = NULL;
    pt_job *job = NULL;
    pt_session_request who = {sizeof(who), user, NULL};
    PT_CHECK_EQ(pt_host_create_session(host, &who, &session, NULL), PT_OK);
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = session,
        .query = {.format = "test", .payload = {(const uint8_t *)text, strlen(text)}},
    };
    PT_CHECK_EQ(pt_host_submit(host, &request, &job, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_wait(job, 0, NULL), PT_OK);
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt_job_failure(job, &err);
    pt_error_clear(&err);
    pt_job_unref(job);
    pt_session_unref(session);
    return status;
}

PT_TEST(wrappers_see_queries_and_pass_the_rest_on)
{
    pt_host *host = new_host();
    pt_backend backend;
    PT_CHECK_EQ(pt_host_add_wrapper(host, NULL, &noting, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_wrapper(host, "test", &noting, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_backend(host, "test", &backend, NULL), PT_OK);
    PT_CHECK_EQ(run(host, "ann", "rows 2 10"), PT_OK);
    const noted *outer = backend.self;
    const noted *inner = outer->base.inner.self;
    PT_CHECK_EQ(atomic_load(&outer->queries), 1);
    PT_CHECK_EQ(atomic_load(&inner->queries), 1);
    PT_CHECK_STR(inner->user, "ann");
    PT_CHECK(!pt_backend_has(&backend, explain)); /* as the engine has none */
    pt_host_free(host);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_sessions), 0);
}

PT_TEST(wrapper_that_refuses_keeps_the_query_from_what_it_holds)
{
    pt_host *host = new_host();
    pt_backend backend;
    PT_CHECK_EQ(pt_host_add_wrapper(host, NULL, &noting, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_wrapper(host, NULL, &refusing, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_backend(host, "test", &backend, NULL), PT_OK);
    PT_CHECK_EQ(run(host, "", "rows 1 1"), PT_PERMISSION_DENIED);
    const noted *inner = ((const pt_wrapper *)backend.self)->inner.self;
    PT_CHECK_EQ(atomic_load(&inner->queries), 0);
    pt_host_free(host);
}

PT_TEST(wrappers_that_cannot_be_are_refused_and_leave_the_backend_alone)
{
    pt_host *host = new_host();
    pt_config *config = NULL;
    PT_CHECK_EQ(pt_config_new(&config, NULL), PT_OK);
    PT_CHECK_EQ(pt_config_set(config, "mood", "bad", NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_wrapper(host, NULL, &noting, config, NULL), PT_INVALID_ARGUMENT);
    PT_CHECK_EQ(pt_host_add_wrapper(host, "none", &noting, NULL, NULL), PT_NOT_FOUND);
    PT_CHECK_EQ(pt_host_add_backend(host, &pt__test_backend, NULL, NULL), PT_ALREADY_EXISTS);
    PT_CHECK_EQ(pt_host_add_named_backend(host, "other", &pt__test_backend, NULL, NULL), PT_OK);
    PT_CHECK_EQ(run(host, "", "rows 1 1"), PT_OK);
    pt_session *session = NULL;
    PT_CHECK_EQ(pt_host_create_session(host, NULL, &session, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_wrapper(host, NULL, &noting, NULL, NULL), PT_INVALID_ARGUMENT);
    pt_session_unref(session);
    pt_config_free(config);
    pt_host_free(host);
}

/* ---- a wrapper of an older header: what lies beyond the sizes of its tables is not theirs, and not to be read ---- */

typedef struct older_operation {
    pt_wrapper_operation base;
    pt_operation_vtable table; /* its last members are poisoned */
} older_operation;

static void make_older_table(pt_operation_vtable *out)
{
    const pt_operation_vtable now = {
        .size_bytes = offsetof(pt_operation_vtable, detail),
        .id = pt_forward_operation_id,
        .status = pt_forward_operation_status,
        .cancel = pt_forward_operation_cancel,
        .result = pt_forward_operation_result,
        .failure = pt_forward_operation_failure,
        .progress = pt_forward_operation_progress,
        .free = pt_forward_operation_free,
    };
    memset(out, 0x5A, sizeof(*out));
    memcpy(out, &now, now.size_bytes);
}

static pt_status execute_as_before(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    older_operation *operation = calloc(1, sizeof(*operation));
    if (operation == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an operation");
    make_older_table(&operation->table);
    operation->base.base.vtable = &operation->table;
    pt_status status = pt_forward_execute(session, query, &operation->base.inner, err);
    if (status == PT_OK)
        *out = &operation->base.base;
    else
        free(operation);
    return status;
}

/* Of the first version of both tables. */
PT_TEST(wrapper_with_older_shorter_tables_works)
{
    union {
        unsigned char bytes[sizeof(pt_backend_vtable)];
        pt_backend_vtable table;
    } old_changes;
    union {
        unsigned char bytes[sizeof(pt_wrapper_vtable) + 64];
        pt_wrapper_vtable table;
    } old;
    const pt_backend_vtable own = {.size_bytes = offsetof(pt_backend_vtable, permit), .execute = execute_as_before};
    memset(&old_changes, 0x5A, sizeof(old_changes));
    memcpy(&old_changes, &own, own.size_bytes);
    pt_wrapper_vtable wrapper = refusing;
    wrapper.name = "old";
    wrapper.changes = &old_changes.table;
    memset(&old, 0x5A, sizeof(old));
    memcpy(&old, &wrapper, sizeof(wrapper));
    pt_host *host = new_host();
    PT_CHECK_EQ(pt_host_add_wrapper(host, NULL, &old.table, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_wrapper(host, NULL, &noting, NULL, NULL), PT_OK);
    PT_CHECK_EQ(run(host, "ann", "rows 2 10"), PT_OK);
    PT_CHECK_EQ(run(host, "ann", "fail"), PT_EXECUTION);
    pt_host_free(host);
    wrapper.size_bytes = offsetof(pt_wrapper_vtable, changes); /* less than the first version had */
    memcpy(&old, &wrapper, sizeof(wrapper));
    host = new_host();
    PT_CHECK_EQ(pt_host_add_wrapper(host, NULL, &old.table, NULL, NULL), PT_INVALID_ARGUMENT);
    pt_host_free(host);
}
