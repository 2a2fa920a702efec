/* Errors that DuckDB would lose now and then when several threads are at a query. */
#include "backend/duckdb/native/native.h"
#include "backend/duckdb/native/test_session.h"
#include "base/test.h"

#include <string.h>

enum { TIMES = 400 };

static bool says(pt_operation *operation, const char *reason)
{
    pt_error err = PT_ERROR_INIT;
    operation->vtable->failure(operation, &err);
    bool does = strstr(err.message, reason) != NULL;
    if (!does)
        pt__test_fail(__FILE__, __LINE__, err.message);
    pt_error_clear(&err);
    return does;
}

static bool fails_for_its_reason(void *session, const pt_query *query)
{
    pt_operation *operation;
    struct ArrowArrayStream stream;
    struct ArrowArray batch = {.release = NULL};
    if (pt_backend_duckdb.execute(session, query, &operation, NULL) != PT_OK)
        return false;
    operation->vtable->result(operation, &stream, NULL);
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL)
        batch.release(&batch);
    bool is_right = says(operation, "no 29999");
    stream.release(&stream);
    operation->vtable->free(operation);
    return is_right;
}

PT_TEST(queries_of_many_threads_fail_for_their_reasons)
{
    static const char SQL[] =
        "select i, 'row number ' || i, case when i = 29999 then ('no ' || i)::int end from range(30000) r(i)";
    void *backend;
    void *session;
    const pt_query query = {.size_bytes = sizeof(pt_query),
                            .encoded = {.format = "duckdb.sql", .payload = {(const uint8_t *)SQL, strlen(SQL)}}};
    PT_REQUIRE(pt__test_session_open(4, &backend, &session));
    bool is_right = true;
    for (int i = 0; i < TIMES && is_right; i++)
        is_right = fails_for_its_reason(session, &query);
    PT_CHECK(is_right);
    pt__test_session_close(backend, session);
}
