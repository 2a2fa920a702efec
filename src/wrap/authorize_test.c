#include "base/test.h"
#include "exec/state.h"
#include "exec/test_backend.h"
#include "wrap/wrappers.h"

#include <portico/decoder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pt_host *host_with_policy(const char *text)
{
    char path[] = "/tmp/portico-policy-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(text, file);
    fclose(file);
    pt_host *host = NULL;
    pt_config *config = NULL;
    PT_CHECK_EQ(pt_config_new(&config, NULL), PT_OK);
    PT_CHECK_EQ(pt_config_set(config, "authorize.policy", path, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_new(NULL, &host, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_backend(host, &pt__test_backend, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_wrappers(host, NULL, "authorize, cache,validate", config, NULL), PT_OK);
    pt_config_free(config);
    unlink(path);
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
    pt_status status = pt_job_failure(job, NULL);
    pt_job_unref(job);
    pt_session_unref(session);
    return status;
}

PT_TEST(queries_that_cannot_be_looked_into_need_a_permission_of_their_own)
{
    pt_host *host = host_with_policy("allow select,insert,read-files user=*\nallow encoded user=ann format=te*\n");
    PT_CHECK_EQ(run(host, "ann", "rows 1 1"), PT_OK);
    PT_CHECK_EQ(run(host, "bob", "rows 1 1"), PT_PERMISSION_DENIED);
    PT_CHECK_EQ(run(host, "", "rows 1 1"), PT_PERMISSION_DENIED);
    pt_host_free(host);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_operations), 0);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_arrays), 0);
}

/* "rows" is nine rows of a range, "file" is a file. */
static pt_status decode_test(void *self, const pt_encoded_query *query, pt_builder *builder, const pt_plan **out,
                             pt_error *err)
{
    static const char *const path = "/etc/passwd";
    (void)self;
    (void)err;
    bool is_file = query->payload.size_bytes > 0 && query->payload.data[0] == 'f';
    *out = is_file ? pt_build_files(builder, "text", &path, 1, NULL, 0) : pt_build_range(builder, 0, 9, 1);
    return PT_OK;
}

static const pt_decoder_vtable test_decoder = {
    .size_bytes = sizeof(pt_decoder_vtable), .format = "test", .decode = decode_test};

PT_TEST(a_query_that_the_backend_takes_is_looked_into_when_it_has_a_decoder)
{
    pt_host *host = host_with_policy("allow select user=*\n");
    PT_CHECK_EQ(pt_host_add_decoder(host, &test_decoder, NULL, NULL), PT_OK);
    PT_CHECK_EQ(run(host, "bob", "file"), PT_PERMISSION_DENIED);
    pt_session *session = NULL;
    pt_job *job = NULL;
    pt_job_report report = {.size_bytes = sizeof(report)};
    PT_CHECK_EQ(pt_host_create_session(host, NULL, &session, NULL), PT_OK);
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = session,
        .query = {.format = "test", .payload = {(const uint8_t *)"rows 1 3", 8}},
    };
    PT_CHECK_EQ(pt_host_submit(host, &request, &job, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_wait(job, 0, NULL), PT_OK);
    PT_CHECK_EQ(pt_job_status(job, &report, NULL), PT_OK);
    PT_CHECK_EQ(report.state, PT_OPERATION_SUCCEEDED);
    PT_CHECK_EQ(report.rows, 3); /* what ran is the text, not the plan */
    pt_job_unref(job);
    pt_session_unref(session);
    pt_host_free(host);
    PT_CHECK_EQ(atomic_load(&pt__test_backend_operations), 0);
}

PT_TEST(unknown_wrappers_are_named)
{
    pt_host *host = NULL;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt_host_new(NULL, &host, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_backend(host, &pt__test_backend, NULL, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_wrappers(host, NULL, "validate,cash", NULL, &err), PT_INVALID_ARGUMENT);
    PT_CHECK(strstr(err.message, "\"cash\"") != NULL && strstr(err.message, "cache") != NULL);
    PT_CHECK_EQ(pt_host_add_wrappers(host, NULL, "authorize", NULL, NULL), PT_INVALID_ARGUMENT); /* without a policy */
    pt_error_clear(&err);
    pt_host_free(host);
}
