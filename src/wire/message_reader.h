/**
 * Message reader: cuts a request body into gRPC messages and inflates them.
 *
 * Storage of the struct is the caller's; zeroed it is ready once `limit_bytes` and `encoding` are set. `spare` is lent.
 * Spec: gRPC over HTTP/2, "Length-Prefixed-Message".
 */
#ifndef PT_WIRE_MESSAGE_READER_H
#define PT_WIRE_MESSAGE_READER_H

#include "base/buffer.h"
#include "wire/compress.h"
#include "wire/spare.h"

enum { PT_MESSAGE_PREFIX_BYTES = 5 };

typedef struct pt__message_reader {
    uint64_t limit_bytes;
    pt__encoding encoding;
    uint8_t prefix[PT_MESSAGE_PREFIX_BYTES];
    size_t prefix_size_bytes; /* of which have arrived */
    pt__buffer body;          /* of the message that has arrived in part */
    pt__buffer inflated;
    pt__spare *spare; /* where buffers of messages that are kept come back to; NULL: nowhere */
} pt__message_reader;

void pt__message_reader_deinit(pt__message_reader *reader);

/**
 * Takes bytes off the front of `*input` until a message is whole.
 *
 * PT_OK: `*message` is one, valid until the next call and while the input is. PT_NEED_MORE: all was taken.
 * Errors: PT_LIMIT, PT_BAD_MESSAGE, PT_UNSUPPORTED (compressed without grpc-encoding), PT_NO_MEMORY.
 */
pt_status pt__message_reader_next(pt__message_reader *reader, pt_bytes_view *input, pt_bytes_view *message,
                                  pt_error *err);

/**
 * Makes the message that pt__message_reader_next gave last outlive the reader: `*message` is moved into the bytes that are
 * returned, which are not copied if they were put together here. It ends at a multiple of 8, so that what lies last in
 * it, such as a body of Arrow, begins at one if its size is. NULL when memory is exhausted.
 */
pt_bytes *pt__message_reader_keep(pt__message_reader *reader, pt_bytes_view *message);

/** Whether the body may end here. */
bool pt__message_reader_is_between(const pt__message_reader *reader);

/** Memory held for the message that has arrived in part. */
size_t pt__message_reader_held_bytes(const pt__message_reader *reader);

#endif
