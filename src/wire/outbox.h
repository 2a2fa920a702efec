/**
 * Pieces of bytes to be sent, in order: small ones copied together, large ones kept by reference.
 *
 * Used for what a connection writes to its socket, and for the messages that wait in a call. Views handed out
 * stay valid until their bytes are dropped. Storage of the struct is the caller's.
 */
#ifndef PT_WIRE_OUTBOX_H
#define PT_WIRE_OUTBOX_H

#include <portico/bytes.h>

#include <stdbool.h>
#include <sys/uio.h>

typedef struct pt__piece {
    pt_bytes *owner;
    const uint8_t *data;
    size_t size_bytes;
} pt__piece;

typedef struct pt__outbox {
    pt__piece *pieces; /* a ring */
    size_t capacity;
    size_t first;
    size_t count;
    size_t size_bytes;
    struct pt__block *block; /* copies go here; NULL: none yet */
} pt__outbox;

void pt__outbox_deinit(pt__outbox *outbox);

/** Drops all. */
void pt__outbox_clear(pt__outbox *outbox);

/** Copies; false when memory is exhausted. */
bool pt__outbox_copy(pt__outbox *outbox, const void *data, size_t size_bytes);

/** Keeps `view` of `take_owner`, whose reference is taken, success or failure. */
bool pt__outbox_add(pt__outbox *outbox, pt_bytes *take_owner, pt_bytes_view view);

/** Moves the first `size_bytes` of `from` to the end of `to`; false when memory is exhausted. */
bool pt__outbox_move(pt__outbox *to, pt__outbox *from, size_t size_bytes);

/** Up to `max` views of the first bytes. */
size_t pt__outbox_peek(const pt__outbox *outbox, struct iovec *out, size_t max);

void pt__outbox_drop(pt__outbox *outbox, size_t size_bytes);

#endif
