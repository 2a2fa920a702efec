/**
 * GetXdbcTypeInfo: the SQL types by JDBC's numbers, one row a type (type_info.def).
 */
#ifndef PT_FRONT_FLIGHT_SQL_TYPE_INFO_H
#define PT_FRONT_FLIGHT_SQL_TYPE_INFO_H

#include "front/flight_sql/command.h"

#include <portico/arrow.h>

pt_status pt__flight_type_info_schema(struct ArrowSchema *out, pt_error *err);

pt_status pt__flight_type_info_rows(pt__arena *arena, const pt__flight_command *command, struct ArrowArrayStream *out,
                                    pt_error *err);

#endif
