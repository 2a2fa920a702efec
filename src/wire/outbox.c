#include "wire/outbox.h"

#include "base/unconst.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 4000, /* with its header and that of the allocator one page */
    SHORT_BYTES = 512,  /* up to this copying costs less than one more element of a writev */
};

typedef struct pt__block {
    pt_bytes *owner; /* of this block; pieces hold further references */
    size_t used_bytes;
    uint8_t data[BLOCK_BYTES];
} pt__block;

static pt__piece *piece_at(const pt__outbox *outbox, size_t index)
{
    return &outbox->pieces[(outbox->first + index) % outbox->capacity];
}

static void release_block(pt__outbox *outbox)
{
    if (outbox->block != NULL)
        pt_bytes_unref(outbox->block->owner);
    outbox->block = NULL;
}

void pt__outbox_clear(pt__outbox *outbox)
{
    for (size_t i = 0; i < outbox->count; i++)
        pt_bytes_unref(piece_at(outbox, i)->owner);
    outbox->first = outbox->count = outbox->size_bytes = 0;
    release_block(outbox);
}

void pt__outbox_deinit(pt__outbox *outbox)
{
    pt__outbox_clear(outbox);
    free(outbox->pieces);
    *outbox = (pt__outbox){0};
}

static bool grow(pt__outbox *outbox)
{
    size_t capacity = outbox->capacity == 0 ? 8 : outbox->capacity * 2;
    pt__piece *pieces = malloc(capacity * sizeof(*pieces));
    if (pieces == NULL)
        return false;
    for (size_t i = 0; i < outbox->count; i++)
        pieces[i] = *piece_at(outbox, i);
    free(outbox->pieces);
    outbox->pieces = pieces;
    outbox->capacity = capacity;
    outbox->first = 0;
    return true;
}

static bool append(pt__outbox *outbox, pt__piece piece)
{
    if (outbox->count == outbox->capacity && !grow(outbox)) {
        pt_bytes_unref(piece.owner);
        return false;
    }
    outbox->count++;
    *piece_at(outbox, outbox->count - 1) = piece;
    outbox->size_bytes += piece.size_bytes;
    return true;
}

static bool new_block(pt__outbox *outbox)
{
    release_block(outbox);
    pt__block *block = malloc(sizeof(*block));
    if (block == NULL)
        return false;
    pt_bytes *owner = pt_bytes_wrap((pt_bytes_view){block->data, BLOCK_BYTES}, free, block);
    if (owner == NULL) /* the block is freed */
        return false;
    block->used_bytes = 0;
    block->owner = owner;
    outbox->block = block;
    return true;
}

/* Lengthens the last piece when `data` was put right behind it. */
static bool extend_last(pt__outbox *outbox, const uint8_t *data, size_t size_bytes)
{
    if (outbox->count == 0)
        return false;
    pt__piece *last = piece_at(outbox, outbox->count - 1);
    if (last->owner != outbox->block->owner || last->data + last->size_bytes != data)
        return false;
    last->size_bytes += size_bytes;
    outbox->size_bytes += size_bytes;
    return true;
}

bool pt__outbox_copy(pt__outbox *outbox, const void *data, size_t size_bytes)
{
    const uint8_t *from = data;
    while (size_bytes > 0) {
        if ((outbox->block == NULL || outbox->block->used_bytes == BLOCK_BYTES) && !new_block(outbox))
            return false;
        pt__block *block = outbox->block;
        size_t room = BLOCK_BYTES - block->used_bytes;
        size_t count = size_bytes < room ? size_bytes : room;
        uint8_t *to = block->data + block->used_bytes;
        memcpy(to, from, count);
        block->used_bytes += count;
        if (!extend_last(outbox, to, count) && !append(outbox, (pt__piece){pt_bytes_ref(block->owner), to, count}))
            return false;
        from += count;
        size_bytes -= count;
    }
    return true;
}

bool pt__outbox_add(pt__outbox *outbox, pt_bytes *take_owner, pt_bytes_view view)
{
    if (view.size_bytes > SHORT_BYTES)
        return append(outbox, (pt__piece){take_owner, view.data, view.size_bytes});
    bool copied = pt__outbox_copy(outbox, view.data, view.size_bytes);
    pt_bytes_unref(take_owner);
    return copied;
}

bool pt__outbox_move(pt__outbox *to, pt__outbox *from, size_t size_bytes)
{
    assert(size_bytes <= from->size_bytes);
    while (size_bytes > 0) {
        pt__piece *piece = piece_at(from, 0);
        size_t count = size_bytes < piece->size_bytes ? size_bytes : piece->size_bytes;
        if (!pt__outbox_add(to, pt_bytes_ref(piece->owner), (pt_bytes_view){piece->data, count}))
            return false;
        pt__outbox_drop(from, count);
        size_bytes -= count;
    }
    return true;
}

size_t pt__outbox_peek(const pt__outbox *outbox, struct iovec *out, size_t max)
{
    size_t count = outbox->count < max ? outbox->count : max;
    for (size_t i = 0; i < count; i++) {
        const pt__piece *piece = piece_at(outbox, i);
        out[i] = (struct iovec){pt__unconst(piece->data), piece->size_bytes};
    }
    return count;
}

void pt__outbox_drop(pt__outbox *outbox, size_t size_bytes)
{
    assert(size_bytes <= outbox->size_bytes);
    outbox->size_bytes -= size_bytes;
    while (size_bytes > 0) {
        pt__piece *piece = piece_at(outbox, 0);
        size_t count = size_bytes < piece->size_bytes ? size_bytes : piece->size_bytes;
        piece->data += count;
        piece->size_bytes -= count;
        size_bytes -= count;
        if (piece->size_bytes != 0)
            continue;
        pt_bytes_unref(piece->owner);
        outbox->first = (outbox->first + 1) % outbox->capacity;
        outbox->count--;
    }
    if (outbox->count == 0)
        release_block(outbox);
}
