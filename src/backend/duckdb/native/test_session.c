#include "backend/duckdb/native/test_session.h"

#include "backend/duckdb/native/native.h"

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
