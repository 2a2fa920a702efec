#include "backend/duckdb/batch_text.h"

/* ---- room ---- */

pt__text_room pt__text_room_of(pt__batch_memory *memory, pt__batch_column *column, size_t size_bytes,
                               size_t extra_bytes)
{
    column->values.size_bytes = size_bytes;
    if (size_bytes + extra_bytes > INT32_MAX ||
        !pt__batch_reserve_values(memory, column, extra_bytes + PT_TEXT_SLACK_BYTES))
        return (pt__text_room){0};
    return (pt__text_room){.data = column->values.data,
                           .size_bytes = size_bytes,
                           .max_bytes = column->values.capacity_bytes - PT_TEXT_SLACK_BYTES};
}

int32_t *pt__text_ends(pt__batch_memory *memory, pt__batch_column *column, idx_t count)
{
    if (!pt__batch_reserve_offsets(memory, column, count))
        return NULL;
    return (int32_t *)(void *)column->offsets.data + column->length + 1;
}

bool pt__text_finish(pt__batch_column *column, idx_t count, size_t size_bytes)
{
    column->values.size_bytes = size_bytes;
    column->offsets.size_bytes = ((size_t)column->length + count + 1) * 4;
    return size_bytes <= INT32_MAX;
}

/* ---- DuckDB's strings ---- */

static inline void copy_string(uint8_t *out, const duckdb_string_t *string, uint32_t length)
{
    if (length <= 12)
        memcpy(out, string->value.inlined.inlined, 12);
    else if (length >= 16 && length <= 64)
        pt__copy_parts(out, string->value.pointer.ptr, length, 16);
    else
        pt__copy_text(out, string->value.pointer.ptr, length);
}

size_t pt__batch_text_bytes(const duckdb_string_t *strings, const uint64_t *validity, idx_t first, idx_t count)
{
    size_t total = 0;
    for (idx_t i = first; i < first + count; i++)
        total += pt__batch_bit_at(validity, i) ? strings[i].value.inlined.length : 0;
    return total;
}

bool pt__batch_append_text(pt__batch_memory *memory, pt__batch_column *column, const duckdb_string_t *strings,
                           const uint64_t *validity, idx_t first, idx_t count)
{
    pt__text_room room = pt__text_room_of(memory, column, column->values.size_bytes, 0);
    int32_t *ends = pt__text_ends(memory, column, count);
    if (room.data == NULL || ends == NULL)
        return false;
    for (idx_t i = 0; i < count; i++) {
        const duckdb_string_t *string = &strings[first + i];
        bool is_value = pt__batch_bit_at(validity, first + i);
        uint32_t length = is_value ? string->value.inlined.length : 0;
        if (length > room.max_bytes - room.size_bytes) {
            room = pt__text_room_of(memory, column, room.size_bytes, length);
            if (room.data == NULL)
                return false;
        }
        if (is_value)
            copy_string(room.data + room.size_bytes, string, length);
        room.size_bytes += length;
        ends[i] = (int32_t)room.size_bytes;
    }
    return pt__text_finish(column, count, room.size_bytes);
}
