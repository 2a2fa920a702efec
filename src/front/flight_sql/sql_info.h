/**
 * GetSqlInfo: what the server tells about itself and its SQL, one row a fact (sql_info.def).
 */
#ifndef PT_FRONT_FLIGHT_SQL_SQL_INFO_H
#define PT_FRONT_FLIGHT_SQL_SQL_INFO_H

#include "front/flight_sql/command.h"
#include "front/flight_sql/session.h"

pt_status pt__flight_sql_info_schema(struct ArrowSchema *out, pt_error *err);

/** The facts that the command asks for, all when it asks for none. Blocks. */
pt_status pt__flight_sql_info_rows(pt__flight_session *session, pt__arena *arena, const pt__flight_command *command,
                                   struct ArrowArrayStream *out, pt_error *err);

#endif
