/* Rows that clients sent and that are here as a whole: values that are bound to a query. */
#include "exec/ipc_feed.h"
#include "front/flight_sql/job.h"

#include <errno.h>
#include <nanoarrow/nanoarrow.h>
#include <stdlib.h>

typedef struct rows {
    pt_bytes *bytes;
    pt_bytes_view rest; /* what follows the messages that were read */
    pt__ipc_feed *feed;
    pt_error failure;
} rows;

/* Reads on until there are rows, the schema when that is wanted, or the end. */
static pt_status read_on(rows *r, bool to_schema, struct ArrowArray *out)
{
    bool at_end = false;
    out->release = NULL;
    while (!at_end && out->release == NULL && !(to_schema && pt__ipc_feed_schema(r->feed) != NULL))
        PT_TRY(pt__ipc_feed_take_next(r->feed, r->bytes, &r->rest, &at_end, out, &r->failure));
    return PT_OK;
}

static int rows_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    rows *r = stream->private_data;
    struct ArrowArray none;
    out->release = NULL;
    if (r->failure.status != PT_OK || read_on(r, true, &none) != PT_OK)
        return r->failure.status == PT_UNSUPPORTED ? ENOTSUP : EINVAL;
    const struct ArrowSchema *schema = pt__ipc_feed_schema(r->feed);
    if (schema == NULL) {
        pt_error_set(&r->failure, PT_INVALID_ARGUMENT, "the rows have no schema");
        return EINVAL;
    }
    return ArrowSchemaDeepCopy(schema, out);
}

static int rows_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    rows *r = stream->private_data;
    out->release = NULL;
    return r->failure.status == PT_OK && read_on(r, false, out) == PT_OK ? 0 : EINVAL;
}

static const char *rows_error(struct ArrowArrayStream *stream)
{
    const rows *r = stream->private_data;
    return r->failure.status == PT_OK ? NULL : pt_error_full_message(&r->failure);
}

static void rows_release(struct ArrowArrayStream *stream)
{
    rows *r = stream->private_data;
    pt__ipc_feed_free(r->feed);
    pt_bytes_unref(r->bytes);
    pt_error_clear(&r->failure);
    free(r);
    stream->release = NULL;
}

pt_status pt__flight_ipc_stream(pt_bytes *bytes, struct ArrowArrayStream *out, pt_error *err)
{
    rows *r = calloc(1, sizeof(*r));
    if (r == NULL || pt__ipc_feed_new(&r->feed, NULL) != PT_OK) {
        free(r);
        pt_bytes_unref(bytes);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read rows");
    }
    r->bytes = bytes;
    r->rest = pt_bytes_get_view(bytes);
    *out = (struct ArrowArrayStream){rows_schema, rows_next, rows_error, rows_release, r};
    return PT_OK;
}
