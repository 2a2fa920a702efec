#include "exec/ipc_writer.h"

#include "base/buffer.h"
#include "exec/arrow_layout.h"
#include "exec/state.h"

#include <nanoarrow/nanoarrow_ipc.h>

#include <stdlib.h>
#include <string.h>

/* A body up to this size is copied into one piece: cheaper than many segments, and the array goes at once. */
enum { COPIED_BODY_BYTES = 32 << 10, BODY_ALIGNMENT = 8 };

/* ---- schema ---- */

static pt_bytes *wrap_buffer(struct ArrowBuffer *buffer)
{
    return pt_bytes_copy((pt_bytes_view){buffer->data, (size_t)buffer->size_bytes});
}

pt_status pt__ipc_schema_message(const struct ArrowSchema *schema, pt_bytes **out, pt_error *err)
{
    struct ArrowIpcEncoder encoder;
    struct ArrowBuffer buffer;
    struct ArrowError reason = {""};
    if (ArrowIpcEncoderInit(&encoder) != NANOARROW_OK)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to encode a schema");
    ArrowBufferInit(&buffer);
    bool encoded = ArrowIpcEncoderEncodeSchema(&encoder, schema, &reason) == NANOARROW_OK &&
                   ArrowIpcEncoderFinalizeBuffer(&encoder, 1, &buffer) == NANOARROW_OK;
    *out = encoded ? wrap_buffer(&buffer) : NULL;
    ArrowBufferReset(&buffer);
    ArrowIpcEncoderReset(&encoder);
    if (!encoded)
        return pt_error_set(err, PT_INTERNAL, "the result's schema cannot be encoded: %s", reason.message);
    return *out == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory to encode a schema") : PT_OK;
}

pt_bytes_view pt__ipc_end_of_stream(void)
{
    static const uint8_t end[8] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    return (pt_bytes_view){end, sizeof(end)};
}

/* ---- arrays shared by entries ---- */

typedef struct scratch {
    struct scratch *next;
    _Alignas(max_align_t) uint8_t data[];
} scratch;

struct pt__shared_array {
    atomic_size_t references;
    struct ArrowArray array;
    bool is_borrowed;
    pthread_mutex_t lock;
    scratch *scratch; /* bytes that had to be made anew: shifted bits, offsets from 0 */
};

static pt__shared_array *make_shared(const struct ArrowArray *array, bool is_borrowed)
{
    pt__shared_array *shared = calloc(1, sizeof(*shared));
    if (shared == NULL)
        return NULL;
    atomic_init(&shared->references, 1);
    pthread_mutex_init(&shared->lock, NULL);
    shared->array = *array;
    shared->is_borrowed = is_borrowed;
    return shared;
}

pt__shared_array *pt__shared_array_new(struct ArrowArray *array)
{
    pt__shared_array *shared = make_shared(array, false);
    if (shared == NULL)
        array->release(array);
    array->release = NULL;
    return shared;
}

pt__shared_array *pt__shared_array_borrow(const struct ArrowArray *array)
{
    return make_shared(array, true);
}

const struct ArrowArray *pt__shared_array_get(const pt__shared_array *shared)
{
    return &shared->array;
}

void pt__shared_array_unref(pt__shared_array *shared)
{
    if (shared == NULL || atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) != 1)
        return;
    while (shared->scratch != NULL) {
        scratch *next = shared->scratch->next;
        free(shared->scratch);
        shared->scratch = next;
    }
    if (!shared->is_borrowed && shared->array.release != NULL)
        shared->array.release(&shared->array);
    pthread_mutex_destroy(&shared->lock);
    free(shared);
}

static void release_shared(void *context)
{
    pt__shared_array_unref(context);
}

static uint8_t *new_scratch(pt__shared_array *shared, size_t size)
{
    scratch *piece = calloc(1, sizeof(*piece) + size);
    if (piece == NULL)
        return NULL;
    pthread_mutex_lock(&shared->lock);
    piece->next = shared->scratch;
    shared->scratch = piece;
    pthread_mutex_unlock(&shared->lock);
    return piece->data;
}

/* ---- one batch ---- */

typedef struct node {
    int64_t length;
    int64_t null_count;
} node;

typedef struct piece {
    int64_t offset; /* in the body */
    pt_bytes_view view;
} piece;

typedef struct batch {
    pt__shared_array *shared;
    node *nodes;
    size_t node_count;
    size_t node_capacity;
    piece *pieces;
    size_t piece_count;
    size_t piece_capacity;
    int64_t body_bytes;
    pt_error *err;
} batch;

static pt_status no_memory(batch *b)
{
    return pt_error_set(b->err, PT_NO_MEMORY, "no memory to encode a batch");
}

static bool reserve(void *items, size_t item_bytes, size_t count, size_t *capacity)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity == 0 ? 32 : *capacity * 2;
    void *grown = realloc(*(void **)items, wanted * item_bytes);
    if (grown == NULL)
        return false;
    *(void **)items = grown;
    *capacity = wanted;
    return true;
}

static pt_status add_node(batch *b, int64_t length, int64_t null_count)
{
    if (!reserve(&b->nodes, sizeof(node), b->node_count, &b->node_capacity))
        return no_memory(b);
    b->nodes[b->node_count++] = (node){length, null_count};
    return PT_OK;
}

static pt_status add_piece(batch *b, const void *data, int64_t size)
{
    if (!reserve(&b->pieces, sizeof(piece), b->piece_count, &b->piece_capacity))
        return no_memory(b);
    b->pieces[b->piece_count++] = (piece){b->body_bytes, {data, (size_t)size}};
    b->body_bytes += (size + BODY_ALIGNMENT - 1) / BODY_ALIGNMENT * BODY_ALIGNMENT;
    return PT_OK;
}

/* Bits `first` to `first + count`; shifted into new memory when they do not start a byte. */
static pt_status add_bits(batch *b, const uint8_t *bits, int64_t first, int64_t count)
{
    if (count == 0)
        return add_piece(b, NULL, 0);
    int64_t bytes = (count + 7) / 8;
    unsigned shift = (unsigned)(first % 8);
    bits += first / 8;
    if (shift == 0)
        return add_piece(b, bits, bytes);
    uint8_t *shifted = new_scratch(b->shared, (size_t)bytes);
    if (shifted == NULL)
        return no_memory(b);
    int64_t last = (int64_t)((shift + (uint64_t)count + 7) / 8); /* bytes that hold any of the bits */
    for (int64_t i = 0; i < bytes; i++) {
        unsigned high = i + 1 < last ? bits[i + 1] : 0;
        shifted[i] = (uint8_t)((bits[i] >> shift) | (high << (8 - shift)));
    }
    return add_piece(b, shifted, bytes);
}

static int64_t count_nulls(const struct ArrowArray *array, int64_t first, int64_t count)
{
    if (array->n_buffers == 0 || array->buffers[0] == NULL || array->null_count == 0)
        return 0;
    if (array->null_count > 0 && first == array->offset && count == array->length)
        return array->null_count;
    return count - ArrowBitCountSet(array->buffers[0], first, count);
}

static pt_status add_validity(batch *b, const struct ArrowArray *array, int64_t first, int64_t count)
{
    int64_t nulls = count_nulls(array, first, count);
    PT_TRY(add_node(b, count, nulls));
    return nulls == 0 ? add_piece(b, NULL, 0) : add_bits(b, array->buffers[0], first, count);
}

/* Adds offsets that start at 0; `*start` and `*end` bound what they refer to. */
static pt_status add_offsets_32(batch *b, const int32_t *offsets, int64_t first, int64_t count, int64_t *start,
                                int64_t *end)
{
    *start = *end = 0;
    if (count == 0)
        return add_piece(b, NULL, 0);
    *start = offsets[first];
    *end = offsets[first + count];
    if (*start == 0)
        return add_piece(b, offsets + first, (count + 1) * 4);
    int32_t *moved = (int32_t *)new_scratch(b->shared, (size_t)(count + 1) * 4);
    if (moved == NULL)
        return no_memory(b);
    for (int64_t i = 0; i <= count; i++)
        moved[i] = offsets[first + i] - offsets[first];
    return add_piece(b, moved, (count + 1) * 4);
}

static pt_status add_offsets_64(batch *b, const int64_t *offsets, int64_t first, int64_t count, int64_t *start,
                                int64_t *end)
{
    *start = *end = 0;
    if (count == 0)
        return add_piece(b, NULL, 0);
    *start = offsets[first];
    *end = offsets[first + count];
    if (*start == 0)
        return add_piece(b, offsets + first, (count + 1) * 8);
    int64_t *moved = (int64_t *)new_scratch(b->shared, (size_t)(count + 1) * 8);
    if (moved == NULL)
        return no_memory(b);
    for (int64_t i = 0; i <= count; i++)
        moved[i] = offsets[first + i] - offsets[first];
    return add_piece(b, moved, (count + 1) * 8);
}

static pt_status add_offsets(batch *b, pt__layout layout, const struct ArrowArray *array, int64_t first, int64_t count,
                             int64_t *start, int64_t *end)
{
    if (layout.bits == 64)
        return add_offsets_64(b, array->buffers[1], first, count, start, end);
    return add_offsets_32(b, array->buffers[1], first, count, start, end);
}

static pt_status add_array(batch *b, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t first,
                           int64_t count);

static pt_status add_fixed(batch *b, pt__layout layout, const struct ArrowArray *array, int64_t first, int64_t count)
{
    PT_TRY(add_validity(b, array, first, count));
    if (layout.bits == 1)
        return add_bits(b, array->buffers[1], first, count);
    int64_t width = layout.bits / 8;
    return add_piece(b, count == 0 ? NULL : (const uint8_t *)array->buffers[1] + first * width, count * width);
}

static pt_status add_bytes(batch *b, pt__layout layout, const struct ArrowArray *array, int64_t first, int64_t count)
{
    int64_t start;
    int64_t end;
    PT_TRY(add_validity(b, array, first, count));
    PT_TRY(add_offsets(b, layout, array, first, count, &start, &end));
    return add_piece(b, end == start ? NULL : (const uint8_t *)array->buffers[2] + start, end - start);
}

static pt_status add_list(batch *b, pt__layout layout, const struct ArrowSchema *schema, const struct ArrowArray *array,
                          int64_t first, int64_t count)
{
    int64_t start;
    int64_t end;
    PT_TRY(add_validity(b, array, first, count));
    PT_TRY(add_offsets(b, layout, array, first, count, &start, &end));
    const struct ArrowArray *child = array->children[0];
    return add_array(b, schema->children[0], child, child->offset + start, end - start);
}

static pt_status add_children(batch *b, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t first,
                              int64_t count)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowArray *child = array->children[i];
        PT_TRY(add_array(b, schema->children[i], child, child->offset + first, count));
    }
    return PT_OK;
}

static pt_status add_struct(batch *b, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t first,
                            int64_t count)
{
    PT_TRY(add_validity(b, array, first, count));
    return add_children(b, schema, array, first, count);
}

static pt_status add_fixed_list(batch *b, pt__layout layout, const struct ArrowSchema *schema,
                                const struct ArrowArray *array, int64_t first, int64_t count)
{
    PT_TRY(add_validity(b, array, first, count));
    const struct ArrowArray *child = array->children[0];
    return add_array(b, schema->children[0], child, child->offset + first * layout.bits, count * layout.bits);
}

/* Offsets count from the start of the children, which therefore go whole. */
static pt_status add_dense_union(batch *b, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                 int64_t first, int64_t count)
{
    PT_TRY(add_node(b, count, 0));
    PT_TRY(add_piece(b, count == 0 ? NULL : (const int8_t *)array->buffers[0] + first, count));
    PT_TRY(add_piece(b, count == 0 ? NULL : (const int32_t *)array->buffers[1] + first, count * 4));
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowArray *child = array->children[i];
        PT_TRY(add_array(b, schema->children[i], child, child->offset, child->length));
    }
    return PT_OK;
}

static pt_status add_sparse_union(batch *b, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  int64_t first, int64_t count)
{
    PT_TRY(add_node(b, count, 0));
    PT_TRY(add_piece(b, count == 0 ? NULL : (const int8_t *)array->buffers[0] + first, count));
    return add_children(b, schema, array, first, count);
}

/* `first` counts from the start of the array's buffers: its own offset is in it. */
static pt_status add_array(batch *b, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t first,
                           int64_t count)
{
    pt__layout layout = pt__arrow_layout(schema);
    switch (layout.kind) {
    case PT_LAYOUT_NULL: return add_node(b, count, count);
    case PT_LAYOUT_FIXED: return add_fixed(b, layout, array, first, count);
    case PT_LAYOUT_BYTES: return add_bytes(b, layout, array, first, count);
    case PT_LAYOUT_LIST: return add_list(b, layout, schema, array, first, count);
    case PT_LAYOUT_STRUCT: return add_struct(b, schema, array, first, count);
    case PT_LAYOUT_FIXED_LIST: return add_fixed_list(b, layout, schema, array, first, count);
    case PT_LAYOUT_DENSE_UNION: return add_dense_union(b, schema, array, first, count);
    case PT_LAYOUT_SPARSE_UNION: return add_sparse_union(b, schema, array, first, count);
    case PT_LAYOUT_UNKNOWN: break;
    }
    return pt_error_set(b->err, PT_INTERNAL, "a result column has the Arrow format %s, which is not sent",
                        schema->format);
}

/* ---- the message ---- */

/* Little-endian numbers at fixed places of the flatbuffer below. */
static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/*
 * A Message that holds a RecordBatch, laid out by hand, as its shape never changes (positions from the start of the
 * flatbuffer): 0 root, 4 vtable of Message, 16 Message, 36 vtable of RecordBatch, 48 RecordBatch, 68 count of
 * nodes, 72 nodes, then (4 bytes of padding) count of buffers, buffers. All 8-byte numbers are aligned.
 */
enum {
    FB_MESSAGE_VTABLE = 4,
    FB_MESSAGE = 16,
    FB_BATCH_VTABLE = 36,
    FB_BATCH = 48,
    FB_NODES = 68,
    FB_FIXED_BYTES = 80,
    FB_ENTRY_BYTES = 16,
    FRAME_BYTES = 8,
    METADATA_V5 = 4,
    HEADER_RECORD_BATCH = 3
};

static void put_message(uint8_t *fb, int64_t body_bytes)
{
    put(fb, FB_MESSAGE, 4);
    put(fb + FB_MESSAGE_VTABLE, 12, 2);     /* size of the vtable */
    put(fb + FB_MESSAGE_VTABLE + 2, 20, 2); /* size of the table */
    put(fb + FB_MESSAGE_VTABLE + 4, 16, 2); /* version */
    put(fb + FB_MESSAGE_VTABLE + 6, 18, 2); /* type of the header */
    put(fb + FB_MESSAGE_VTABLE + 8, 4, 2);  /* header */
    put(fb + FB_MESSAGE_VTABLE + 10, 8, 2); /* bodyLength */
    put(fb + FB_MESSAGE, FB_MESSAGE - FB_MESSAGE_VTABLE, 4);
    put(fb + FB_MESSAGE + 4, FB_BATCH - (FB_MESSAGE + 4), 4);
    put(fb + FB_MESSAGE + 8, (uint64_t)body_bytes, 8);
    put(fb + FB_MESSAGE + 16, METADATA_V5, 2);
    put(fb + FB_MESSAGE + 18, HEADER_RECORD_BATCH, 1);
}

static void put_batch(uint8_t *fb, int64_t row_count, size_t buffers_at)
{
    put(fb + FB_BATCH_VTABLE, 10, 2);
    put(fb + FB_BATCH_VTABLE + 2, 20, 2);
    put(fb + FB_BATCH_VTABLE + 4, 8, 2);  /* length */
    put(fb + FB_BATCH_VTABLE + 6, 4, 2);  /* nodes */
    put(fb + FB_BATCH_VTABLE + 8, 16, 2); /* buffers */
    put(fb + FB_BATCH, FB_BATCH - FB_BATCH_VTABLE, 4);
    put(fb + FB_BATCH + 4, FB_NODES - (FB_BATCH + 4), 4);
    put(fb + FB_BATCH + 8, (uint64_t)row_count, 8);
    put(fb + FB_BATCH + 16, buffers_at - (FB_BATCH + 16), 4);
}

static void put_entries(const batch *b, uint8_t *fb, size_t buffers_at)
{
    put(fb + FB_NODES, b->node_count, 4);
    for (size_t i = 0; i < b->node_count; i++) {
        uint8_t *at = fb + FB_NODES + 4 + i * FB_ENTRY_BYTES;
        put(at, (uint64_t)b->nodes[i].length, 8);
        put(at + 8, (uint64_t)b->nodes[i].null_count, 8);
    }
    put(fb + buffers_at, b->piece_count, 4);
    for (size_t i = 0; i < b->piece_count; i++) {
        uint8_t *at = fb + buffers_at + 4 + i * FB_ENTRY_BYTES;
        put(at, (uint64_t)b->pieces[i].offset, 8);
        put(at + 8, b->pieces[i].view.size_bytes, 8);
    }
}

/* The framed header, followed by room for `extra` bytes. */
static uint8_t *write_header(const batch *b, int64_t row_count, size_t extra, size_t *size)
{
    size_t buffers_at = FB_NODES + 4 + b->node_count * FB_ENTRY_BYTES + 4;
    size_t fb_bytes = FB_FIXED_BYTES + (b->node_count + b->piece_count) * FB_ENTRY_BYTES;
    *size = FRAME_BYTES + fb_bytes;
    uint8_t *data = calloc(1, *size + extra);
    if (data == NULL)
        return NULL;
    put(data, 0xffffffffU, 4);
    put(data + 4, fb_bytes, 4);
    put_message(data + FRAME_BYTES, b->body_bytes);
    put_batch(data + FRAME_BYTES, row_count, buffers_at);
    put_entries(b, data + FRAME_BYTES, buffers_at);
    return data;
}

static pt_status wrap_header(batch *b, uint8_t *data, size_t size, pt__spool_entry *entry)
{
    if (data == NULL)
        return no_memory(b);
    entry->header = pt_bytes_wrap((pt_bytes_view){data, size}, free, data);
    if (entry->header == NULL)
        return no_memory(b);
    entry->metadata = (pt_bytes_view){data + FRAME_BYTES, size - FRAME_BYTES};
    return PT_OK;
}

/* ---- the body ---- */

/* One segment, in the memory of the header. */
static pt_status copy_body(batch *b, int64_t row_count, pt__spool_entry *entry)
{
    size_t size;
    uint8_t *data = write_header(b, row_count, (size_t)b->body_bytes, &size);
    PT_TRY(wrap_header(b, data, size, entry));
    for (size_t i = 0; i < b->piece_count; i++)
        if (b->pieces[i].view.size_bytes != 0)
            memcpy(data + size + b->pieces[i].offset, b->pieces[i].view.data, b->pieces[i].view.size_bytes);
    if (b->body_bytes == 0)
        return PT_OK;
    pt_segment *segment = calloc(1, sizeof(*segment));
    if (segment == NULL)
        return no_memory(b);
    *segment = (pt_segment){pt_bytes_ref(entry->header), {data + size, (size_t)b->body_bytes}};
    entry->body = segment;
    entry->body_count = 1;
    return PT_OK;
}

static void fill_segments(batch *b, pt_bytes *owner, pt_segment *segments, size_t *count)
{
    static const uint8_t zeros[BODY_ALIGNMENT] = {0};
    for (size_t i = 0; i < b->piece_count; i++) {
        pt_bytes_view view = b->pieces[i].view;
        if (view.size_bytes == 0)
            continue;
        segments[(*count)++] = (pt_segment){pt_bytes_ref(owner), view};
        size_t rest = view.size_bytes % BODY_ALIGNMENT;
        if (rest != 0)
            segments[(*count)++] = (pt_segment){pt_bytes_ref(owner), {zeros, BODY_ALIGNMENT - rest}};
    }
}

/* Segments that refer to the array's buffers. */
static pt_status refer_body(batch *b, int64_t row_count, pt__spool_entry *entry)
{
    size_t size;
    uint8_t *data = write_header(b, row_count, 0, &size);
    PT_TRY(wrap_header(b, data, size, entry));
    pt_segment *segments = calloc(b->piece_count * 2 + 1, sizeof(*segments));
    if (segments == NULL)
        return no_memory(b);
    atomic_fetch_add_explicit(&b->shared->references, 1, memory_order_relaxed);
    pt_bytes *owner = pt_bytes_wrap((pt_bytes_view){NULL, 0}, release_shared, b->shared);
    if (owner == NULL) {
        free(segments);
        return no_memory(b);
    }
    fill_segments(b, owner, segments, &entry->body_count);
    entry->body = segments;
    pt_bytes_unref(owner);
    return PT_OK;
}

static pt_status make_entry(batch *b, int64_t row_count, pt__spool_entry **out)
{
    pt__spool_entry *entry = pt__spool_entry_new();
    if (entry == NULL)
        return no_memory(b);
    entry->kind = PT_SPOOL_BATCH;
    entry->row_count = row_count;
    entry->body_bytes = (uint64_t)b->body_bytes;
    bool is_copied = b->shared->is_borrowed || b->body_bytes <= COPIED_BODY_BYTES;
    pt_status status = is_copied ? copy_body(b, row_count, entry) : refer_body(b, row_count, entry);
    if (status != PT_OK) {
        pt__spool_entry_unref(entry);
        return status;
    }
    *out = entry;
    return PT_OK;
}

pt_status pt__ipc_batch(const struct ArrowSchema *schema, pt__shared_array *shared, int64_t first, int64_t count,
                        pt__spool_entry **out, pt_error *err)
{
    batch b = {.shared = shared, .err = err};
    pt_status status = add_children(&b, schema, &shared->array, shared->array.offset + first, count);
    if (status == PT_OK)
        status = make_entry(&b, count, out);
    free(b.nodes);
    free(b.pieces);
    return status;
}

/* ---- size ---- */

static uint64_t bytes_of(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t first,
                         int64_t count);

static uint64_t children_bytes(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t first,
                               int64_t count)
{
    uint64_t bytes = 0;
    for (int64_t i = 0; i < schema->n_children; i++)
        bytes += bytes_of(schema->children[i], array->children[i], array->children[i]->offset + first, count);
    return bytes;
}

static uint64_t union_bytes(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    uint64_t bytes = 0;
    for (int64_t i = 0; i < schema->n_children; i++)
        bytes +=
            bytes_of(schema->children[i], array->children[i], array->children[i]->offset, array->children[i]->length);
    return bytes;
}

static int64_t offset_at(pt__layout layout, const struct ArrowArray *array, int64_t index)
{
    return layout.bits == 64 ? ((const int64_t *)array->buffers[1])[index]
                             : ((const int32_t *)array->buffers[1])[index];
}

static uint64_t bytes_of(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t first, int64_t count)
{
    pt__layout layout = pt__arrow_layout(schema);
    if (count == 0 || layout.kind == PT_LAYOUT_NULL || layout.kind == PT_LAYOUT_UNKNOWN)
        return 0;
    if (layout.kind == PT_LAYOUT_STRUCT || layout.kind == PT_LAYOUT_SPARSE_UNION)
        return (uint64_t)count + children_bytes(schema, array, first, count);
    if (layout.kind == PT_LAYOUT_DENSE_UNION)
        return (uint64_t)count * 5 + union_bytes(schema, array);
    if (layout.kind == PT_LAYOUT_FIXED_LIST)
        return (uint64_t)count + bytes_of(schema->children[0], array->children[0],
                                          array->children[0]->offset + first * layout.bits, count * layout.bits);
    uint64_t bytes = (uint64_t)count / 8 + (uint64_t)count * (uint64_t)layout.bits / 8;
    if (layout.kind == PT_LAYOUT_FIXED)
        return bytes;
    int64_t start = offset_at(layout, array, first);
    int64_t end = offset_at(layout, array, first + count);
    if (layout.kind == PT_LAYOUT_BYTES)
        return bytes + (uint64_t)(end - start);
    const struct ArrowArray *child = array->children[0];
    return bytes + bytes_of(schema->children[0], child, child->offset + start, end - start);
}

uint64_t pt__ipc_body_bytes(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    return children_bytes(schema, array, array->offset, array->length);
}
