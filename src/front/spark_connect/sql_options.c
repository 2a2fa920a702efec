#include "front/spark_connect/sql_options.h"

#include <strings.h>

static bool is_set(pt_session *session, pt__arena *arena, const char *key, const char *value)
{
    const char *found = pt__session_conf_option(session, arena, key);
    return found != NULL && strcasecmp(found, value) == 0;
}

pt__sql_options pt__connect_sql_options(pt_session *session, pt__arena *arena)
{
    bool ansi = is_set(session, arena, "spark.sql.ansi.enabled", "true");
    pt__sql_options options = {0};
    options.double_quoted_identifiers =
        ansi && is_set(session, arena, "spark.sql.ansi.doubleQuotedIdentifiers", "true");
    options.escaped_string_literals = is_set(session, arena, "spark.sql.parser.escapedStringLiterals", "true");
    options.enforce_reserved_keywords =
        ansi && is_set(session, arena, "spark.sql.ansi.enforceReservedKeywords", "true");
    options.timestamp_is_ntz = is_set(session, arena, "spark.sql.timestampType", "TIMESTAMP_NTZ");
    return options;
}
