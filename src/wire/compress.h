/**
 * Message encodings of gRPC: identity, gzip, deflate (which is the zlib format, RFC 1950).
 */
#ifndef PT_WIRE_COMPRESS_H
#define PT_WIRE_COMPRESS_H

#include "base/buffer.h"

#include <portico/call.h>

typedef enum pt__encoding { PT_ENCODING_IDENTITY, PT_ENCODING_GZIP, PT_ENCODING_DEFLATE } pt__encoding;

/** False when there is no such encoding here. */
bool pt__encoding_from_name(pt_bytes_view name, pt__encoding *out);

/** Whether a list such as "identity, deflate,gzip" names gzip. */
bool pt__encoding_list_has_gzip(pt_bytes_view list);

/** Appends the decompressed bytes. Errors: PT_LIMIT past `limit_bytes`, PT_BAD_MESSAGE, PT_NO_MEMORY. */
pt_status pt__decompress(pt__encoding encoding, pt_bytes_view input, uint64_t limit_bytes, pt__buffer *out,
                         pt_error *err);

/** Appends the segments' bytes as one gzip member. Errors: PT_NO_MEMORY. */
pt_status pt__compress_gzip(const pt_segment *segments, size_t count, pt__buffer *out, pt_error *err);

#endif
