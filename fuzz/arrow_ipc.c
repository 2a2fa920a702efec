/* Local rows as clients send them: one Arrow IPC stream. What is read must be walkable to the last cell. */
#include "exec/ipc_reader.h"
#include "exec/session_catalog.h"
#include "plan/arrow_schema.h"
#include "plan/text.h"

enum { MEMORY_LIMIT = 256 << 20, ROWS_SHOWN_MAX = 1000 };

static void walk(pt__arena *arena, const pt_local_data *data)
{
    const pt_type *type;
    pt__buffer text = PT_BUFFER_INIT;
    if (pt__arrow_type(arena, data->schema, &type, NULL) != PT_OK || type->id != PT_TYPE_STRUCT)
        return;
    for (size_t b = 0; b < data->batch_count; b++)
        for (int64_t row = 0; row < data->batches[b]->length && row < ROWS_SHOWN_MAX; row++)
            for (size_t i = 0; i < type->field_count; i++) {
                pt_value value = pt__cell(arena, type->fields[i].type, data->batches[b]->children[i], row);
                pt__buffer_reset(&text);
                pt__value_append_text(&text, type->fields[i].type, &value);
            }
    pt__buffer_deinit(&text);
}

static void read_stream(pt__arena *arena, pt_bytes_view stream, pt_error *err)
{
    const pt_local_data *data;
    if (pt__ipc_read_streams(arena, &stream, 1, &data, err) == PT_OK)
        walk(arena, data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pt__arena *arena = pt__arena_new(MEMORY_LIMIT);
    pt_error err = PT_ERROR_INIT;
    if (!PT_ARENA_GUARD(arena))
        read_stream(arena, (pt_bytes_view){data, size}, &err);
    pt_error_clear(&err);
    pt__arena_free(arena);
    return 0;
}
