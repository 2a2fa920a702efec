/* Errors of DuckDB as users of its dialect know them. */
#include "backend/duckdb/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kind {
    const char *prefix; /* of the message */
    pt_status status;
} KINDS[] = {
    {"Parser Error", PT_BAD_SQL},
    {"Syntax Error", PT_BAD_SQL},
    {"Binder Error", PT_ANALYSIS},
    {"Catalog Error", PT_ANALYSIS},
    {"Invalid Input Error", PT_INVALID_ARGUMENT},
    {"Parameter Not Resolved Error", PT_INVALID_ARGUMENT},
    {"Parameter Not Allowed Error", PT_INVALID_ARGUMENT},
    {"Not implemented Error", PT_UNSUPPORTED},
    {"Permission Error", PT_PERMISSION_DENIED},
    {"Out of Memory Error", PT_LIMIT},
    {"INTERRUPT Error", PT_CANCELLED},
    {"IO Error", PT_IO},
    {"INTERNAL Error", PT_INTERNAL},
};

static pt_status status_of(const char *message)
{
    if (strncmp(message, "Catalog Error", 13) == 0) {
        if (strstr(message, "does not exist") != NULL)
            return PT_NOT_FOUND;
        if (strstr(message, "already exists") != NULL)
            return PT_ALREADY_EXISTS;
    }
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
        if (strncmp(message, KINDS[i].prefix, strlen(KINDS[i].prefix)) == 0)
            return KINDS[i].status;
    }
    return PT_EXECUTION;
}

pt_status pt__native_error(const char *message, pt_error *err)
{
    if (message == NULL)
        return pt_error_set(err, PT_EXECUTION, "DuckDB failed without saying why");
    return pt_error_set(err, status_of(message), "%s", message);
}

/* Of "LINE 2: select …", padded so that the mark on the line below stays where it belongs. */
static void decrement_line(char *message)
{
    char number[24];
    char *line = strstr(message, "\nLINE ");
    char *digits = line == NULL ? NULL : line + 6;
    char *end = NULL;
    unsigned long long value = digits == NULL ? 0 : strtoull(digits, &end, 10);
    if (value < 2 || *end != ':')
        return;
    size_t size = (size_t)(end - digits);
    int length = snprintf(number, sizeof(number), "%llu:", value - 1);
    memset(digits, ' ', size + 1);
    memcpy(digits, number, (size_t)length);
}

pt_status pt__native_wrapped_error(const char *message, pt_error *err)
{
    char *own = message == NULL ? NULL : strdup(message);
    if (own != NULL)
        decrement_line(own);
    pt_status status = pt__native_error(own != NULL ? own : message, err);
    free(own);
    return status;
}

pt_status pt__native_error_data(duckdb_error_data error, pt_error *err)
{
    pt_status status = PT_OK;
    if (error != NULL && duckdb_error_data_has_error(error))
        status = pt__native_error(duckdb_error_data_message(error), err);
    if (error != NULL)
        duckdb_destroy_error_data(&error);
    return status;
}
