/* The text that a query is wrapped into. */
#include "backend/duckdb/harvest_inside.h"
#include "backend/duckdb/sql_word.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * A query that reads something: one without FROM has few rows, and is not worth the call. What asks for its own text
 * would see ours, unless a macro does so.
 */
static bool may_have_many_rows(const char *sql)
{
    const char *word = pt__sql_first_word(sql);
    bool is_query =
        strncasecmp(word, "select", 6) == 0 || strncasecmp(word, "with", 4) == 0 || strncasecmp(word, "from", 4) == 0;
    return is_query && strcasestr(word, "from") != NULL && strcasestr(sql, "current_query") == NULL;
}

static size_t size_without_end(const char *sql)
{
    size_t size = strlen(sql);
    while (size > 0 && strchr("; \t\r\n", sql[size - 1]) != NULL)
        size--;
    return size;
}

static void put_identifier(FILE *out, const char *name)
{
    fputc('"', out);
    for (; *name != '\0'; name++) {
        if (*name == '"')
            fputc('"', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

/* An operator that works in one thread alone, and does nothing else. */
static const char SERIAL[] = " LIMIT 9223372036854775807";

static void put_packs(FILE *out, const pt__harvest *harvest)
{
    const char *before = " REPLACE (";
    if (pt__harvest_count_packable(harvest, &harvest->packed) == 0)
        return;
    for (size_t i = 0; i < harvest->column_count; i++) {
        if (!pt__harvest_is_packed(harvest, i))
            continue;
        fprintf(out, "%ssystem.main." PT_HARVEST_PACK_FUNCTION "(%zu::USMALLINT, ", before, i);
        put_identifier(out, harvest->names[i]);
        fputs(") AS ", out);
        put_identifier(out, harvest->names[i]);
        before = ", ";
    }
    fputs(")", out);
}

/* A function's name alone might be a macro's of some user. */
static void put_text(FILE *out, const pt__harvest *harvest, const char *sql)
{
    fprintf(out, "SELECT system.main." PT_HARVEST_FUNCTION "(%" PRIu64 "::UBIGINT, system.main.struct_pack(*COLUMNS(*",
            harvest->key);
    if (harvest->plain != NULL)
        put_packs(out, harvest);
    fprintf(out, "))) FROM (\n%.*s\n)%s", (int)size_without_end(sql), sql, harvest->is_serial ? SERIAL : "");
}

char *pt__harvest_wrap(const pt__harvest *harvest, const char *sql)
{
    char *text = NULL;
    size_t size = 0;
    if (strlen(sql) > INT32_MAX / 2 || !may_have_many_rows(sql))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    put_text(out, harvest, sql);
    bool has_failed = ferror(out) != 0;
    if (fclose(out) == 0 && !has_failed)
        return text;
    free(text);
    return NULL;
}
