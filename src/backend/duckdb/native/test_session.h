/** A backend in memory with one session, for tests. */
#ifndef PT_BACKEND_DUCKDB_NATIVE_TEST_SESSION_H
#define PT_BACKEND_DUCKDB_NATIVE_TEST_SESSION_H

#include <stdbool.h>
#include <stdint.h>

bool pt__test_session_open(uint32_t workers, void **backend, void **session);
void pt__test_session_close(void *backend, void *session);

#endif
