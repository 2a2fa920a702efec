/**
 * What the decoders need to know of a session's configuration.
 */
#ifndef PT_FRONT_SPARK_CONNECT_SQL_OPTIONS_H
#define PT_FRONT_SPARK_CONNECT_SQL_OPTIONS_H

#include "decode/spark_sql/parser.h"
#include "exec/session.h"

pt__sql_options pt__connect_sql_options(pt_session *session, pt__arena *arena);

#endif
