#include "analyze/function.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const pt__function FUNCTIONS[] = {
#define ROW(audience, name, kind, signature, nulls, lowering)                                                          \
    {name, PT_FUNCTION_##kind, audience, signature, PT_NULLS_##nulls, lowering},
#define PT_FUNCTION(...) ROW(PT_FOR_EVERYONE, __VA_ARGS__)
#define PT_INTERNAL_FUNCTION(...) ROW(PT_FOR_CONNECT, __VA_ARGS__)
#define PT_OWN_FUNCTION(...) ROW(PT_FOR_US, __VA_ARGS__)
#include "analyze/functions.def"
#undef PT_FUNCTION
#undef PT_INTERNAL_FUNCTION
#undef PT_OWN_FUNCTION
#undef ROW
};

enum { FUNCTION_COUNT = sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]) };

const pt__function *pt__function_table(size_t *count)
{
    *count = FUNCTION_COUNT;
    return FUNCTIONS;
}

static int compare_name(const void *key, const void *row)
{
    return strcasecmp(key, ((const pt__function *)row)->name);
}

const pt__function *pt__function_find(const char *name, size_t *count)
{
    const pt__function *row = bsearch(name, FUNCTIONS, FUNCTION_COUNT, sizeof(FUNCTIONS[0]), compare_name);
    if (row == NULL)
        return NULL;
    while (row > FUNCTIONS && strcasecmp(row[-1].name, name) == 0)
        row--;
    *count = 1;
    while (row + *count < FUNCTIONS + FUNCTION_COUNT && strcasecmp(row[*count].name, name) == 0)
        ++*count;
    return row;
}

bool pt__function_is_public(const char *name)
{
    size_t count = 0;
    const pt__function *rows = pt__function_find(name, &count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].audience == PT_FOR_EVERYONE)
            return true;
    }
    return false;
}
