#include "server/nearest.h"

#include <string.h>

enum { NAME_MAX_BYTES = 63 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Edits by Levenshtein, a row of the table at a time; names too long count as far. */
static size_t distance(const char *a, const char *b)
{
    size_t size = strlen(b);
    if (size > NAME_MAX_BYTES || strlen(a) > NAME_MAX_BYTES)
        return NAME_MAX_BYTES;
    size_t row[NAME_MAX_BYTES + 1];
    for (size_t j = 0; j <= size; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= size; j++) {
            size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[size];
}

/* A name that only lacks its prefix ("max-streams") is near, too. */
static size_t distance_to_name(const char *name, const char *candidate)
{
    size_t whole = distance(name, candidate);
    const char *dot = strchr(candidate, '.');
    size_t part = dot == NULL ? whole : distance(name, dot + 1);
    return part < whole ? part : whole;
}

const char *pt__nearest(const char *name, const char *(*name_at)(size_t index))
{
    const char *best = NULL;
    size_t best_distance = strlen(name) / 3 + 2;
    for (size_t i = 0; name_at(i) != NULL; i++) {
        size_t edits = distance_to_name(name, name_at(i));
        if (edits >= best_distance)
            continue;
        best = name_at(i);
        best_distance = edits;
    }
    return best;
}
