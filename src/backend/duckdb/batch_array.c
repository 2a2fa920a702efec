/* The rows of a batch as an Arrow array that owns its buffers. */
#include "backend/duckdb/batch_column.h"

#include <stdlib.h>
#include <string.h>

typedef struct array_memory {
    pt__batch_memory *memory;
    pt__batch_buffer owned[3];
    const void *buffers[3];
    struct ArrowArray **children;
    size_t child_count;
} array_memory;

static void release_array(struct ArrowArray *array)
{
    array_memory *own = array->private_data;
    for (size_t i = 0; i < own->child_count; i++) {
        if (own->children[i] != NULL && own->children[i]->release != NULL)
            own->children[i]->release(own->children[i]);
        free(own->children[i]);
    }
    for (size_t i = 0; i < 3; i++)
        pt__batch_release(own->memory, &own->owned[i]);
    pt__batch_memory_unref(own->memory);
    free(own->children);
    free(own);
    array->release = NULL;
}

/* An empty array with room for children, or false. */
static bool open_array(pt__batch_memory *memory, size_t child_count, struct ArrowArray *out)
{
    array_memory *own = calloc(1, sizeof(*own));
    if (own == NULL)
        return false;
    own->children = calloc(child_count == 0 ? 1 : child_count, sizeof(*own->children));
    if (own->children == NULL) {
        free(own);
        return false;
    }
    own->memory = memory;
    own->child_count = child_count;
    pt__batch_memory_ref(memory);
    *out = (struct ArrowArray){.n_children = (int64_t)child_count,
                               .children = child_count == 0 ? NULL : own->children,
                               .buffers = own->buffers,
                               .release = release_array,
                               .private_data = own};
    return true;
}

static void give_buffer(struct ArrowArray *array, pt__batch_buffer *buffer)
{
    array_memory *own = array->private_data;
    own->owned[array->n_buffers] = *buffer;
    own->buffers[array->n_buffers] = buffer->data;
    array->n_buffers++;
    *buffer = (pt__batch_buffer){NULL, 0, 0};
}

static void give_buffers(pt__batch_column *column, struct ArrowArray *out)
{
    column->expected_values_bytes = column->values.size_bytes + column->values.size_bytes / 16 + 64;
    column->expected_offsets_bytes = column->offsets.size_bytes + column->offsets.size_bytes / 16 + 64;
    if (column->layout == PT_LAYOUT_NULL)
        return;
    give_buffer(out, &column->validity);
    if (pt__batch_has_offsets(column->layout))
        give_buffer(out, &column->offsets);
    if (!pt__batch_is_nested(column->layout))
        give_buffer(out, &column->values);
}

static bool finish_column(pt__batch_memory *memory, pt__batch_column *column, struct ArrowArray *out);

static bool finish_children(pt__batch_memory *memory, pt__batch_column *columns, size_t count, struct ArrowArray *out)
{
    for (size_t i = 0; i < count; i++) {
        out->children[i] = calloc(1, sizeof(struct ArrowArray));
        if (out->children[i] == NULL || !finish_column(memory, &columns[i], out->children[i]))
            return false;
    }
    return true;
}

static bool finish_column(pt__batch_memory *memory, pt__batch_column *column, struct ArrowArray *out)
{
    if (pt__batch_has_offsets(column->layout) && !pt__batch_reserve_offsets(memory, column, 0))
        return false;
    if (!open_array(memory, column->child_count, out))
        return false;
    out->length = column->length;
    out->null_count = column->null_count;
    give_buffers(column, out);
    column->length = 0;
    column->null_count = 0;
    if (finish_children(memory, column->children, column->child_count, out))
        return true;
    out->release(out);
    return false;
}

bool pt__batch_finish(pt__batch *batch, struct ArrowArray *out)
{
    if (!open_array(batch->memory, batch->column_count, out))
        return false;
    out->length = (int64_t)batch->row_count;
    out->n_buffers = 1; /* a validity that is never there */
    batch->row_count = 0;
    if (finish_children(batch->memory, batch->columns, batch->column_count, out))
        return true;
    out->release(out);
    return false;
}
