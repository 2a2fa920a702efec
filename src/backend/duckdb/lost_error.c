#include "backend/duckdb/lost_error.h"

#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 2 }; /* each may lose it again; what a query changes, as a sequence, it changes each time */

static bool begins_with(const char *message, const char *word)
{
    return message != NULL && strncmp(message, word, strlen(word)) == 0;
}

bool pt__lost_error_is(const char *message)
{
    return begins_with(message, "INTERRUPT Error");
}

static bool is_wanted(const pt__lost_query *query)
{
    return query->is_wanted == NULL || query->is_wanted(query->context);
}

/* Of a transaction that has ended with the error. */
static bool is_consequence(const char *message)
{
    return begins_with(message, "TransactionContext Error");
}

static bool fetch(const pt__lost_query *query, duckdb_result result)
{
    duckdb_data_chunk chunk = is_wanted(query) ? duckdb_fetch_chunk(result) : NULL;
    bool has_rows = chunk != NULL && duckdb_data_chunk_get_size(chunk) > 0;
    if (chunk != NULL)
        duckdb_destroy_data_chunk(&chunk);
    return has_rows;
}

static char *copy(const char *message)
{
    return message == NULL ? NULL : strdup(message);
}

static char *error_of_rows(const pt__lost_query *query, duckdb_pending_result pending)
{
    duckdb_result result = {0};
    if (duckdb_execute_pending(pending, &result) == DuckDBSuccess) {
        while (fetch(query, result))
            ;
    }
    char *message = copy(duckdb_result_error(&result));
    duckdb_destroy_result(&result);
    return message;
}

static duckdb_state plan(const pt__lost_query *query, duckdb_pending_result *out)
{
    return query->plan != NULL ? query->plan(query->context, out)
                               : duckdb_pending_prepared_streaming(query->prepared, out);
}

/* Who does not want it any more may have interrupted it before it was pending, which DuckDB forgets. */
static char *error_of(const pt__lost_query *query)
{
    duckdb_pending_result pending = NULL;
    char *message = NULL;
    if (plan(query, &pending) != DuckDBSuccess)
        message = copy(duckdb_pending_error(pending));
    else if (is_wanted(query))
        message = error_of_rows(query, pending);
    duckdb_destroy_pending(&pending);
    return message;
}

char *pt__lost_error_find(const pt__lost_query *query)
{
    for (int i = 0; i < ATTEMPTS && is_wanted(query); i++) {
        char *message = error_of(query);
        if (message == NULL || (!pt__lost_error_is(message) && !is_consequence(message)))
            return message;
        bool is_over = is_consequence(message);
        free(message);
        if (is_over)
            break;
    }
    return NULL;
}
