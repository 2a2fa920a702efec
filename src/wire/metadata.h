/**
 * Metadata of a call: what the client sent with it, binary values decoded.
 *
 * Storage of the struct is the caller's. Views are valid until the next add and until deinit.
 */
#ifndef PT_WIRE_METADATA_H
#define PT_WIRE_METADATA_H

#include "base/buffer.h"

#include <portico/error.h>

typedef struct pt__metadata {
    pt__buffer entries; /* name size, value size, name, value; one after another */
} pt__metadata;

void pt__metadata_deinit(pt__metadata *metadata);

/** Values of names that end in "-bin" are decoded. Errors: PT_BAD_MESSAGE naming the key, PT_NO_MEMORY. */
pt_status pt__metadata_add(pt__metadata *metadata, pt_text_view name, pt_text_view value, pt_error *err);

/** The first value of `name` (lower case). */
bool pt__metadata_get(const pt__metadata *metadata, const char *name, pt_bytes_view *value);

#endif
