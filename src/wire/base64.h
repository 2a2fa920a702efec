/**
 * Base64 of metadata: RFC 4648 section 4, written without padding, read with or without.
 */
#ifndef PT_WIRE_BASE64_H
#define PT_WIRE_BASE64_H

#include "base/buffer.h"

void pt__base64_encode(pt__buffer *out, pt_bytes_view bytes);
size_t pt__base64_encoded_size(size_t size_bytes);

/** Appends the decoded bytes; false when `text` is no base64 (`out` then holds a part). */
bool pt__base64_decode(pt__buffer *out, pt_text_view text);

#endif
