/**
 * Rows of any schema without dictionaries. Texts may be views, which nanoarrow's reader of IPC does not know: they become
 * plain ones at once. What a compressed buffer says of its size is checked before it is believed.
 *
 * A schema with views is read by nanoarrow once its header says plain text instead; which columns were views is kept.
 *
 * Spec: Arrow columnar format, "RecordBatch message", "Variable-size Binary View Layout", "Compression"; FlatBuffers
 *       internals, "Tables".
 */
#ifndef PT_EXEC_IPC_VIEWS_H
#define PT_EXEC_IPC_VIEWS_H

#include <portico/arrow.h>
#include <portico/bytes.h>
#include <portico/error.h>

enum { PT_VIEW_FIELDS_MAX = 8192 };

/** Fields of a schema in the order of the format, each before its children. */
typedef struct pt__view_fields {
    bool is_view[PT_VIEW_FIELDS_MAX];
    size_t count;
    bool has_views;
    int64_t
        limit_bytes; /* of a batch's texts once they are plain, of which views may show some again and again; 0: none */
} pt__view_fields;

/**
 * Looks through a Schema message, which is changed where it says views. `flatbuffer` has been verified.
 * Errors: PT_LIMIT for more fields than that, PT_UNSUPPORTED for views in dictionaries and for types that nobody reads.
 */
pt_status pt__view_fields_take(pt__view_fields *fields, uint8_t *flatbuffer, pt_error *err);

/**
 * Decodes a RecordBatch message into rows of `schema`, which is the changed one. `flatbuffer` has been verified and is
 * complete; `body` lies in `owner`, of which buffers keep references, at a multiple of 8. `*out` is the caller's.
 * Errors: PT_BAD_MESSAGE, PT_LIMIT, PT_NO_MEMORY.
 */
pt_status pt__view_batch_decode(const pt__view_fields *fields, const struct ArrowSchema *schema,
                                const uint8_t *flatbuffer, pt_bytes *owner, pt_bytes_view body, struct ArrowArray *out,
                                pt_error *err);

#endif
