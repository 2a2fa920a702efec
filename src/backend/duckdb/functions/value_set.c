#include "backend/duckdb/functions/value_set.h"

#include "backend/duckdb/functions/value_order.h"

bool pt__value_set_init(pt__value_set *set, pt__buffer *memory, size_t count)
{
    size_t slots = 8;
    while (slots < count * 2)
        slots *= 2;
    pt__buffer_reset(memory);
    if (!pt__buffer_reserve(memory, slots * sizeof(pt__value_slot)))
        return false;
    memset(memory->data, 0, slots * sizeof(pt__value_slot));
    *set = (pt__value_set){(pt__value_slot *)(void *)memory->data, slots - 1};
    return true;
}

/* The slot of the value, or the free one where it belongs. */
static pt__value_slot *find(const pt__value_set *set, const pt__fn_column *column, idx_t row, uint64_t hash)
{
    for (size_t at = hash & set->mask;; at = (at + 1) & set->mask) {
        pt__value_slot *slot = &set->slots[at];
        if (slot->column == NULL || (slot->hash == hash && pt__value_equal(slot->column, slot->row, column, row)))
            return slot;
    }
}

bool pt__value_set_add(pt__value_set *set, const pt__fn_column *column, idx_t row)
{
    uint64_t hash = pt__value_hash(column, row);
    pt__value_slot *slot = find(set, column, row, hash);
    if (slot->column != NULL)
        return false;
    *slot = (pt__value_slot){column, row, hash};
    return true;
}

bool pt__value_set_has(const pt__value_set *set, const pt__fn_column *column, idx_t row)
{
    return find(set, column, row, pt__value_hash(column, row))->column != NULL;
}

size_t pt__value_set_slot(pt__value_set *set, const pt__fn_column *column, idx_t row)
{
    uint64_t hash = pt__value_hash(column, row);
    pt__value_slot *slot = find(set, column, row, hash);
    *slot = slot->column == NULL ? (pt__value_slot){column, row, hash} : *slot;
    return (size_t)(slot - set->slots);
}
