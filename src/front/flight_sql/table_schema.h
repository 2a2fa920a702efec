/**
 * The table_schema column of GetTables: each table's Arrow schema with what JDBC wants to know of its columns.
 */
#ifndef PT_FRONT_FLIGHT_SQL_TABLE_SCHEMA_H
#define PT_FRONT_FLIGHT_SQL_TABLE_SCHEMA_H

#include "front/flight_sql/session.h"

/**
 * Reads the rows of `tables` (catalog, schema, name, type), which stays the caller's, and gives them with one more
 * column. `schema` is that of the result; it is moved from, success or failure.
 */
pt_status pt__flight_add_table_schemas(pt__flight_session *session, pt__arena *arena, struct ArrowArrayStream *tables,
                                       struct ArrowSchema *take_schema, struct ArrowArrayStream *out, pt_error *err);

#endif
