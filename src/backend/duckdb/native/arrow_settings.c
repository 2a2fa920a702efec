/*
 * Settings of DuckDB for the Arrow that it gives out: batches are small here, and some readers know the oldest form alone,
 * which the schemas of metadata have, too. Who sets them gets what is announced all the same.
 */
#include "backend/duckdb/native/native.h"

#include <stdio.h>
#include <string.h>

static const char *const SETTINGS[] = {"arrow_large_buffer_size", "produce_arrow_string_view", "arrow_output_list_view",
                                       "arrow_output_version"};

static void reset(pt__native_link *link, const char *setting)
{
    static const char *const SCOPES[] = {"SESSION", "GLOBAL"};
    char sql[96];
    for (size_t i = 0; i < sizeof(SCOPES) / sizeof(SCOPES[0]); i++) {
        snprintf(sql, sizeof(sql), "RESET %s %s", SCOPES[i], setting);
        pt__native_link_run(link, sql, NULL);
    }
}

/* By name: EXPLAIN ANALYZE sets them as SET does. Resetting what was only mentioned changes nothing. */
void pt__native_reset_arrow(pt__native_link *link, const char *sql)
{
    for (size_t i = 0; i < sizeof(SETTINGS) / sizeof(SETTINGS[0]); i++)
        if (strcasestr(sql, SETTINGS[i]) != NULL)
            reset(link, SETTINGS[i]);
}
