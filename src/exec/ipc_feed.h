/**
 * Feed: an Arrow IPC stream of a client, whose messages come one at a time, each with its body apart, or all together:
 * everything is checked. Columns of views become plain ones. Arrays refer to the bodies; one that does not lie at a multiple of 8 is copied.
 *
 * Threads: one at a time; arrays are independent of the feed.
 * Spec:    Arrow columnar format, "IPC Streaming Format"; bodies are not compressed, dictionaries are read.
 */
#ifndef PT_EXEC_IPC_FEED_H
#define PT_EXEC_IPC_FEED_H

#include <portico/arrow.h>
#include <portico/bytes.h>
#include <portico/error.h>

#include <stdbool.h>

typedef struct pt__ipc_feed pt__ipc_feed;

pt_status pt__ipc_feed_new(pt__ipc_feed **out, pt_error *err);
void pt__ipc_feed_free(pt__ipc_feed *feed);

/**
 * Takes the next message: `flatbuffer` without a prefix, `body` within `owner`. `out->release` stays NULL when it holds
 * no rows. Errors: PT_INVALID_ARGUMENT, PT_UNSUPPORTED, PT_LIMIT; the text is for a client.
 */
pt_status pt__ipc_feed_take(pt__ipc_feed *feed, pt_bytes_view flatbuffer, pt_bytes *owner, pt_bytes_view body,
                            struct ArrowArray *out, pt_error *err);

/** The same for the first message of `*rest`, a stream within `owner`, which is cut off. `*at_end`: there was none. */
pt_status pt__ipc_feed_take_next(pt__ipc_feed *feed, pt_bytes *owner, pt_bytes_view *rest, bool *at_end,
                                 struct ArrowArray *out, pt_error *err);

/** NULL before a schema came; lives as long as the feed. */
const struct ArrowSchema *pt__ipc_feed_schema(const pt__ipc_feed *feed);

#endif
