#include "backend/duckdb/native/test_session.h"

#include "backend/duckdb/native/native.h"
#include "base/test.h"

#include <string.h>

bool pt__test_session_open(uint32_t workers, void **backend, void **session)
{
    pt_env env = {.size_bytes = sizeof(env), .worker_count = workers};
    pt_session_request request = {.size_bytes = sizeof(request), .user = ""};
    return pt_backend_duckdb.open(NULL, &env, backend, NULL) == PT_OK &&
           pt_backend_duckdb.open_session(*backend, &request, session, NULL) == PT_OK;
}

void pt__test_session_close(void *backend, void *session)
{
    pt_backend_duckdb.close_session(session);
    pt_backend_duckdb.close(backend);
}

pt_query pt__test_query(const char *sql)
{
    return (pt_query){.size_bytes = sizeof(pt_query),
                      .encoded = {.format = "duckdb.sql", .payload = {(const uint8_t *)sql, strlen(sql)}}};
}

bool pt__test_start(void *session, const pt_query *query, pt__test_result *out)
{
    out->schema.release = NULL;
    PT_CHECK_EQ(pt_backend_duckdb.execute(session, query, &out->operation, NULL), PT_OK);
    out->operation->vtable->result(out->operation, &out->stream, NULL);
    return out->stream.get_schema(&out->stream, &out->schema) == 0;
}

void pt__test_stop(pt__test_result *result)
{
    if (result->schema.release != NULL)
        result->schema.release(&result->schema);
    result->stream.release(&result->stream);
    result->operation->vtable->free(result->operation);
}
