/**
 * What nanoarrow's decoder takes for granted in messages whose flatbuffers are otherwise well-formed: tables that the
 * format asks for but flatbuffers leave optional.
 */
#ifndef PT_EXEC_IPC_CHECK_H
#define PT_EXEC_IPC_CHECK_H

#include <portico/bytes.h>

#include <stdbool.h>

/** `flatbuffer` is a Message that has been verified structurally. */
bool pt__ipc_message_is_complete(pt_bytes_view flatbuffer);

/** Whether the bodies of a complete message are compressed. */
bool pt__ipc_message_is_compressed(pt_bytes_view flatbuffer);

#endif
