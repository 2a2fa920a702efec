/*
 * Texts that mean the same at any time, whatever a session or a database has set: SELECT 1. Of other literals settings say
 * as what Arrow type they come.
 */
#include "backend/duckdb/native/native.h"

#include <string.h>
#include <strings.h>

enum { TEXT_BYTES_MAX = 256 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_spaces(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Behind the word; NULL: there is another one. */
static const char *skip_word(const char *p, const char *word)
{
    size_t size = strlen(word);
    return strncasecmp(p, word, size) == 0 && strchr(" \t\r\n,", p[size]) != NULL ? p + size : NULL;
}

static const char *skip_integer(const char *p)
{
    p += *p == '-';
    if (!is_digit(*p))
        return NULL;
    while (is_digit(*p))
        p++;
    return p;
}

static const char *skip_literal(const char *p)
{
    static const char *const WORDS[] = {"null", "true", "false"};
    const char *end = skip_integer(p);
    for (size_t i = 0; end == NULL && i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        end = skip_word(p, WORDS[i]);
    return end;
}

bool pt__native_is_literal_row(const char *sql)
{
    const char *p = strnlen(sql, TEXT_BYTES_MAX) < TEXT_BYTES_MAX ? skip_word(skip_spaces(sql), "select") : NULL;
    while (p != NULL) {
        p = skip_literal(skip_spaces(p));
        if (p == NULL)
            return false;
        p = skip_spaces(p);
        if (*p == '\0')
            return true;
        p = *p == ',' ? p + 1 : NULL;
    }
    return false;
}
