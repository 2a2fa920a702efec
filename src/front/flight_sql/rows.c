/* Rows that clients sent: nanoarrow's stream, with the checks that it does not make. */
#include "base/unconst.h"
#include "exec/ipc_reader.h"
#include "front/flight_sql/job.h"

#include <errno.h>
#include <nanoarrow/nanoarrow_ipc.h>
#include <stdlib.h>

typedef struct rows {
    struct ArrowArrayStream inner;
    struct ArrowSchema schema;
    pt_error failure;
} rows;

static int rows_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    rows *r = stream->private_data;
    return r->inner.get_schema(&r->inner, out);
}

static int rows_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    rows *r = stream->private_data;
    int code = r->inner.get_next(&r->inner, out);
    if (code != 0 || out->release == NULL)
        return code;
    if (r->schema.release == NULL && (code = r->inner.get_schema(&r->inner, &r->schema)) == 0 &&
        r->schema.release == NULL)
        code = EINVAL;
    if (code == 0 && pt__ipc_check_rows(&r->schema, out, &r->failure) != PT_OK)
        code = EINVAL;
    if (code != 0)
        out->release(out);
    return code;
}

static const char *rows_error(struct ArrowArrayStream *stream)
{
    rows *r = stream->private_data;
    return r->failure.status != PT_OK ? pt_error_full_message(&r->failure) : r->inner.get_last_error(&r->inner);
}

static void rows_release(struct ArrowArrayStream *stream)
{
    rows *r = stream->private_data;
    r->inner.release(&r->inner);
    if (r->schema.release != NULL)
        r->schema.release(&r->schema);
    pt_error_clear(&r->failure);
    free(r);
    stream->release = NULL;
}

static void release_source(struct ArrowBufferAllocator *allocator, uint8_t *data, int64_t size)
{
    (void)data;
    (void)size;
    pt_bytes_unref(allocator->private_data);
}

/* Takes the bytes, success or failure. */
static bool open_inner(pt_bytes *bytes, struct ArrowArrayStream *out)
{
    pt_bytes_view view = pt_bytes_get_view(bytes);
    struct ArrowIpcInputStream input;
    struct ArrowBuffer buffer;
    ArrowBufferInit(&buffer);
    /* The buffer only ever lets go of the bytes. */
    buffer.data = (uint8_t *)pt__unconst(view.data);
    buffer.size_bytes = (int64_t)view.size_bytes;
    buffer.capacity_bytes = buffer.size_bytes;
    buffer.allocator = ArrowBufferDeallocator(release_source, bytes);
    if (ArrowIpcInputStreamInitBuffer(&input, &buffer) != NANOARROW_OK) {
        ArrowBufferReset(&buffer);
        return false;
    }
    if (ArrowIpcArrayStreamReaderInit(out, &input, NULL) == NANOARROW_OK)
        return true;
    input.release(&input);
    return false;
}

pt_status pt__flight_ipc_stream(pt_bytes *bytes, struct ArrowArrayStream *out, pt_error *err)
{
    pt_status status = pt__ipc_check_stream(pt_bytes_get_view(bytes), err);
    if (status != PT_OK) {
        pt_bytes_unref(bytes);
        return status;
    }
    rows *r = calloc(1, sizeof(*r));
    if (r == NULL)
        pt_bytes_unref(bytes);
    if (r == NULL || !open_inner(bytes, &r->inner)) {
        free(r);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read rows");
    }
    *out = (struct ArrowArrayStream){rows_schema, rows_next, rows_error, rows_release, r};
    return PT_OK;
}
