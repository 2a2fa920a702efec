/**
 * Operation: one running query. It borrows a connection when its result is first pulled and gives it back when the
 * result is released, so that a query that waits costs nothing but its text.
 */
#ifndef PT_BACKEND_DUCKDB_OPERATION_H
#define PT_BACKEND_DUCKDB_OPERATION_H

#include "backend/duckdb/batch.h"
#include "backend/duckdb/native/native.h"

typedef struct pt__duckdb_session {
    pt__duckdb *database;
    pt__native native;
} pt__duckdb_session;

/** Lowers a relation, so that what cannot run is refused here; runs nothing yet. */
pt_status pt__operation_new(pt__duckdb_session *session, const pt_query *query, pt_operation **out, pt_error *err);

#endif
