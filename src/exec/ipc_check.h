/**
 * What nanoarrow's decoder takes for granted in messages whose flatbuffers are otherwise well-formed: tables that the
 * format asks for but flatbuffers leave optional, and numbers that can be added.
 */
#ifndef PT_EXEC_IPC_CHECK_H
#define PT_EXEC_IPC_CHECK_H

#include <portico/bytes.h>

#include <stdbool.h>

/** `flatbuffer` is a Message that has been verified structurally. */
bool pt__ipc_message_is_complete(pt_bytes_view flatbuffer);

/** Whether the bodies of a complete message are compressed. */
bool pt__ipc_message_is_compressed(pt_bytes_view flatbuffer);

/**
 * Of a message that is complete: that its buffers lie aligned within `body`, and that those that are compressed
 * announce sizes that so many bytes can have been. The decoder allocates what they say.
 */
bool pt__ipc_body_fits(pt_bytes_view flatbuffer, pt_bytes_view body);

#endif
