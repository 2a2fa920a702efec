/**
 * Growing arrays inside an arena.
 *
 *     pt__list(const pt_expr *) arguments = {0};
 *     pt__list_push(arena, &arguments, argument);      then  arguments.items[i], arguments.count
 *
 * Growth leaves the old array to the arena.
 */
#ifndef PT_BASE_LIST_H
#define PT_BASE_LIST_H

#include "base/arena.h"

#define pt__list(type)                                                                                                 \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count;                                                                                                  \
        size_t capacity;                                                                                               \
    }

#define pt__list_push(arena, list, item)                                                                               \
    do {                                                                                                               \
        if ((list)->count == (list)->capacity)                                                                         \
            (list)->items =                                                                                            \
                pt__list_grow((arena), (list)->items, (list)->count, &(list)->capacity, sizeof(*(list)->items));       \
        (list)->items[(list)->count++] = (item);                                                                       \
    } while (0)

/** A larger copy of `items`; `*capacity` is updated. Used by the macro only. */
void *pt__list_grow(pt__arena *arena, void *items, size_t count, size_t *capacity, size_t item_bytes);

#endif
