#include "front/spark_connect/batch.h"

#include "front/spark_connect/notes.h"
#include "wire/proto.h"

uint64_t pt__connect_batch_bytes(const pt__spool_entry *entry, pt_bytes *schema)
{
    return pt_bytes_get_view(schema).size_bytes + pt_bytes_get_view(entry->header).size_bytes + entry->body_bytes +
           pt__ipc_end_of_stream().size_bytes;
}

size_t pt__connect_batch_segments(const pt__spool_entry *entry)
{
    return entry->body_count + 3;
}

/* The part of the pieces that is wanted, while they pass by. */
typedef struct window {
    uint64_t skip;
    uint64_t left;
    pt_segment *out;
    size_t count;
} window;

static void add_piece(window *w, pt_bytes *owner, pt_bytes_view view)
{
    if (w->skip >= view.size_bytes) {
        w->skip -= view.size_bytes;
        return;
    }
    view.data += w->skip;
    view.size_bytes -= (size_t)w->skip;
    w->skip = 0;
    if (view.size_bytes > w->left)
        view.size_bytes = (size_t)w->left;
    if (view.size_bytes == 0)
        return;
    w->left -= view.size_bytes;
    w->out[w->count++] = (pt_segment){owner == NULL ? NULL : pt_bytes_ref(owner), view};
}

size_t pt__connect_batch_slice(const pt__spool_entry *entry, pt_bytes *schema, uint64_t offset, uint64_t size,
                               pt_segment *out)
{
    window w = {offset, size, out, 0};
    add_piece(&w, schema, pt_bytes_get_view(schema));
    add_piece(&w, entry->header, pt_bytes_get_view(entry->header));
    for (size_t i = 0; i < entry->body_count && w.left > 0; i++)
        add_piece(&w, entry->body[i].owner, entry->body[i].view);
    add_piece(&w, NULL, pt__ipc_end_of_stream());
    return w.count;
}

void pt__connect_append_batch_header(pt__buffer *out, const pt__spool_entry *entry, uint64_t size, uint32_t chunk,
                                     uint32_t chunk_count)
{
    pt__buffer fields = PT_BUFFER_INIT;
    pt__proto_append_integer(&fields, PT_CONNECT_BATCH_ROW_COUNT, (uint64_t)entry->row_count);
    pt__proto_append_integer(&fields, PT_CONNECT_BATCH_START_OFFSET, (uint64_t)entry->start_offset);
    if (chunk_count > 0) {
        pt__proto_append_integer(&fields, PT_CONNECT_BATCH_CHUNK_INDEX, chunk);
        pt__proto_append_integer(&fields, PT_CONNECT_BATCH_CHUNK_COUNT, chunk_count);
    }
    pt__proto_append_header(&fields, PT_CONNECT_BATCH_DATA, (size_t)size);
    pt__proto_append_header(out, PT_CONNECT_ARROW_BATCH, fields.size_bytes + (size_t)size);
    pt__buffer_append(out, fields.data, fields.size_bytes);
    if (fields.failed)
        out->failed = true;
    pt__buffer_deinit(&fields);
}
