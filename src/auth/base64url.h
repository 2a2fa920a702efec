/** Base64 for addresses and files: RFC 4648 section 5, without padding. */
#ifndef PT_AUTH_BASE64URL_H
#define PT_AUTH_BASE64URL_H

#include "base/buffer.h"

/** Appends the decoded bytes; false when `text` is none of it (`out` then holds a part). */
bool pt__base64url_decode(pt__buffer *out, pt_text_view text);

#endif
