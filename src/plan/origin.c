#include "plan/origin.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* The byte offset of the character at UTF-16 unit `unit`. */
static size_t byte_offset(const char *sql, size_t size, int32_t unit)
{
    size_t position = 0;
    uint32_t c;
    for (int32_t at = 0; at < unit && pt__utf8_next(sql, size, &position, &c);)
        at += c > 0xFFFF ? 2 : 1;
    return position;
}

/* The piece of `sql` that the origin spans, to be freed; NULL without memory. */
static char *cut_fragment(const pt_origin *origin)
{
    size_t size = strlen(origin->sql);
    size_t start = byte_offset(origin->sql, size, origin->start);
    size_t end = byte_offset(origin->sql, size, origin->stop + 1);
    return strndup(origin->sql + start, end - start);
}

void pt__origin_add_context(const pt_origin *origin, pt_error *err)
{
    if (origin == NULL || err == NULL)
        return;
    char *fragment = origin->fragment == NULL && origin->sql != NULL ? cut_fragment(origin) : NULL;
    pt_error_context context = {
        .is_sql = origin->sql != NULL,
        .start = origin->start,
        .stop = origin->stop,
        .fragment = fragment != NULL ? fragment : origin->fragment,
        .call_site = origin->call_site,
        .sql = origin->sql,
    };
    pt_error_add_context(err, &context);
    free(fragment);
}
