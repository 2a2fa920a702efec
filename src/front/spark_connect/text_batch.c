#include "front/spark_connect/text_batch.h"

#include "exec/ipc_writer.h"
#include "front/spark_connect/batch.h"
#include "front/spark_connect/notes.h"
#include "plan/arrow_schema.h"
#include "wire/proto.h"

#include <stdlib.h>
#include <string.h>

/* The arrays of one row: a struct with a text child. */
typedef struct text_row {
    struct ArrowArray child;
    struct ArrowArray *children[1];
    const void *row_buffers[1];
    const void *text_buffers[3];
    int32_t offsets[2];
    char text[];
} text_row;

static void release_child(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_row(struct ArrowArray *array)
{
    free(array->private_data);
    array->release = NULL;
}

static bool make_row(const pt__buffer *text, struct ArrowArray *out)
{
    text_row *row = text->size_bytes > INT32_MAX ? NULL : calloc(1, sizeof(*row) + text->size_bytes);
    if (row == NULL)
        return false;
    memcpy(row->text, text->size_bytes == 0 ? (const uint8_t *)"" : text->data, text->size_bytes);
    row->offsets[1] = (int32_t)text->size_bytes;
    row->text_buffers[1] = row->offsets;
    row->text_buffers[2] = row->text;
    row->child =
        (struct ArrowArray){.length = 1, .n_buffers = 3, .buffers = row->text_buffers, .release = release_child};
    row->children[0] = &row->child;
    *out = (struct ArrowArray){.length = 1,
                               .n_buffers = 1,
                               .buffers = row->row_buffers,
                               .n_children = 1,
                               .children = row->children,
                               .release = release_row,
                               .private_data = row};
    return true;
}

static void append_entry(pt__buffer *out, const pt__spool_entry *entry, pt_bytes *schema)
{
    uint64_t size = pt__connect_batch_bytes(entry, schema);
    pt_segment *segments = malloc(pt__connect_batch_segments(entry) * sizeof(*segments));
    if (segments == NULL) {
        out->failed = true;
        return;
    }
    pt__connect_append_batch_header(out, entry, size, 0, 0);
    size_t count = pt__connect_batch_slice(entry, schema, 0, size, segments);
    for (size_t i = 0; i < count; i++) {
        pt__buffer_append(out, segments[i].view.data, segments[i].view.size_bytes);
        pt_bytes_unref(segments[i].owner);
    }
    free(segments);
}

/* Takes the array. */
static pt_status append_rows(pt__buffer *out, const struct ArrowSchema *schema, struct ArrowArray *take_rows,
                             pt_error *err)
{
    pt_bytes *message = NULL;
    pt__spool_entry *entry = NULL;
    pt__shared_array *shared = pt__shared_array_new(take_rows);
    pt_status status = shared == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for a batch")
                                      : pt__ipc_schema_message(schema, &message, err);
    if (status == PT_OK)
        status = pt__ipc_batch(schema, shared, 0, 1, &entry, err);
    if (status == PT_OK) {
        append_entry(out, entry, message);
        pt__spool_entry_unref(entry);
    }
    pt_bytes_unref(message);
    pt__shared_array_unref(shared);
    return status;
}

pt_status pt__connect_append_text_batch(pt__buffer *out, const char *column, const pt__buffer *text, pt_error *err)
{
    pt_column description = {.name = column, .type = PT_T(STRING)};
    struct ArrowSchema schema;
    struct ArrowArray rows;
    PT_TRY(pt__arrow_schema(&description, 1, "UTC", &schema, err));
    pt_status status = make_row(text, &rows) ? append_rows(out, &schema, &rows, err)
                                             : pt_error_set(err, PT_NO_MEMORY, "no memory for a text");
    schema.release(&schema);
    return status;
}
