/**
 * Spare: large buffers of messages that have been handled, for the next ones on whichever connection, as long as there
 * is one. Memory that the allocator gives back to the system in between costs more than the copying of the message does.
 *
 * Threads: any; the bytes may be given back by whichever thread was last to use them, after the spare is closed, too.
 */
#ifndef PT_WIRE_SPARE_H
#define PT_WIRE_SPARE_H

#include "base/buffer.h"

enum {
    PT_SPARE_BUFFERS = 16, /* as many as come back at once, when an ingestion is through with a window */
    PT_SPARE_BYTES_MAX = 16 * 1024 * 1024,   /* a larger one is not kept */
    PT_SPARE_TOTAL_BYTES = 160 * 1024 * 1024 /* of those that are kept */
};

typedef struct pt__spare pt__spare;

/** NULL when memory is exhausted. */
pt__spare *pt__spare_new(void);
/** Frees what it keeps, and itself once all bytes are back. NULL is allowed. */
void pt__spare_close(pt__spare *spare);

/** Frees what it keeps. */
void pt__spare_trim(pt__spare *spare);

/** Gives `buffer`, which is empty and has no memory, that of one that came back, if there is one. */
void pt__spare_lend(pt__spare *spare, pt__buffer *buffer);

/** pt__buffer_take, but the memory comes back with the last reference to the bytes. `spare` may be NULL. */
pt_bytes *pt__spare_take(pt__spare *spare, pt__buffer *buffer);

#endif
