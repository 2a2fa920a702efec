#include "backend/duckdb/sql_word.h"

#include <string.h>

const char *pt__sql_first_word(const char *sql)
{
    for (;;) {
        sql += strspn(sql, " \t\r\n");
        const char *end = strncmp(sql, "--", 2) == 0 ? strchr(sql, '\n') : NULL;
        if (strncmp(sql, "/*", 2) == 0 && strstr(sql, "*/") != NULL)
            end = strstr(sql, "*/") + 1;
        if (end == NULL)
            return sql;
        sql = end + 1;
    }
}
