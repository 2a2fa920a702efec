/**
 * The Arrow Flight SQL frontend: the service that ADBC, JDBC, pyarrow.flight and other Flight SQL clients speak.
 *
 * Mount it with pt_frontend_mount(host, &pt_frontend_flight_sql, config, routes, err). Configuration keys:
 * "flight-sql.dialect" (what SQL means: duckdb, the default, or spark), and the limits "flight-sql.idle-timeout" (of
 * sessions with their statements and transactions), "flight-sql.ticket-lifetime", "flight-sql.max-tickets" (of results
 * that nobody fetches), "flight-sql.max-statements", "flight-sql.max-transactions" (of a session) and
 * "flight-sql.max-put-bytes" (of one DoPut); `portico serve --help` tells their defaults.
 *
 * Spec: arrow.flight.protocol and arrow.flight.protocol.sql, as published with Apache Arrow.
 */
#ifndef PORTICO_FLIGHT_SQL_H
#define PORTICO_FLIGHT_SQL_H

#include <portico/frontend.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const pt_frontend_vtable pt_frontend_flight_sql;

#ifdef __cplusplus
}
#endif

#endif
