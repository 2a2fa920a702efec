#include "base/list.h"

#include <string.h>

enum { FIRST_CAPACITY = 4 };

void *pt__list_grow(pt__arena *arena, void *items, size_t count, size_t *capacity, size_t item_bytes)
{
    *capacity = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
    void *grown = pt__arena_alloc(arena, *capacity * item_bytes);
    if (count != 0)
        memcpy(grown, items, count * item_bytes);
    return grown;
}
