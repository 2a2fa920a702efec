#include "backend/duckdb/lost_error.h"

#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 5 }; /* each may lose it again */

static bool begins_with(const char *message, const char *word)
{
    return message != NULL && strncmp(message, word, strlen(word)) == 0;
}

bool pt__lost_error_is(const char *message)
{
    return begins_with(message, "INTERRUPT Error");
}

static bool is_wanted(pt_status (*check)(void *context), void *context)
{
    return check == NULL || check(context) == PT_OK;
}

/* Of a transaction that has ended with the error. */
static bool is_consequence(const char *message)
{
    return begins_with(message, "TransactionContext Error");
}

static bool fetch(duckdb_result result, pt_status (*check)(void *context), void *context)
{
    duckdb_data_chunk chunk = is_wanted(check, context) ? duckdb_fetch_chunk(result) : NULL;
    bool has_rows = chunk != NULL && duckdb_data_chunk_get_size(chunk) > 0;
    if (chunk != NULL)
        duckdb_destroy_data_chunk(&chunk);
    return has_rows;
}

static char *error_of_rows(duckdb_pending_result pending, pt_status (*check)(void *context), void *context)
{
    duckdb_result result = {0};
    if (duckdb_execute_pending(pending, &result) == DuckDBSuccess) {
        while (fetch(result, check, context))
            ;
    }
    const char *message = duckdb_result_error(&result);
    char *out = message == NULL ? NULL : strdup(message);
    duckdb_destroy_result(&result);
    return out;
}

static char *error_of(duckdb_prepared_statement prepared, pt_status (*check)(void *context), void *context)
{
    duckdb_pending_result pending = NULL;
    char *out = NULL;
    if (duckdb_pending_prepared_streaming(prepared, &pending) == DuckDBSuccess)
        out = error_of_rows(pending, check, context);
    else if (duckdb_pending_error(pending) != NULL)
        out = strdup(duckdb_pending_error(pending));
    duckdb_destroy_pending(&pending);
    return out;
}

char *pt__lost_error_find(duckdb_prepared_statement prepared, pt_status (*check)(void *context), void *context)
{
    for (int i = 0; i < ATTEMPTS && is_wanted(check, context); i++) {
        char *message = error_of(prepared, check, context);
        if (message == NULL || (!pt__lost_error_is(message) && !is_consequence(message)))
            return message;
        bool is_over = is_consequence(message);
        free(message);
        if (is_over)
            break;
    }
    return NULL;
}
