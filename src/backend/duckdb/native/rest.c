#include "backend/duckdb/native/rest.h"

#include "base/uuid.h"
#include "exec/folder.h"
#include "exec/ipc_reader.h"
#include "exec/ipc_writer.h"
#include "exec/output_file.h"

#include <inttypes.h>
#include <stdlib.h>

struct pt__rest {
    pt__rest_options options;
    uint64_t size_bytes; /* of all that was added */
    struct ArrowSchema schema;
    struct ArrowArray *kept; /* those in memory, from `next_kept` on */
    size_t kept_count, kept_capacity;
    size_t next_kept;
    pt__output *file; /* NULL: all are in memory */
    uint64_t next_filed;
    pt__ipc_reader *reader;
};

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for the rest of a result");
}

pt_status pt__rest_new(const pt__rest_options *options, struct ArrowSchema *take_schema, pt__rest **out, pt_error *err)
{
    pt__rest *rest = calloc(1, sizeof(*rest));
    if (rest == NULL) {
        take_schema->release(take_schema);
        return no_memory(err);
    }
    *rest = (pt__rest){.options = *options, .schema = *take_schema};
    take_schema->release = NULL;
    *out = rest;
    return PT_OK;
}

void pt__rest_free(pt__rest *rest)
{
    if (rest == NULL)
        return;
    for (size_t i = rest->next_kept; i < rest->kept_count; i++)
        rest->kept[i].release(&rest->kept[i]);
    free(rest->kept);
    pt__output_free(rest->file);
    pt__ipc_reader_free(rest->reader);
    rest->schema.release(&rest->schema);
    free(rest);
}

/* ---- the file ---- */

static pt_status begin_file(pt__rest *rest, pt_error *err)
{
    char name[PT_UUID_TEXT_BYTES];
    pt_bytes *schema = NULL;
    pt__uuid_v4_text(name);
    PT_TRY(pt__ipc_schema_message(&rest->schema, &schema, err));
    pt_status status = pt__folder_make(rest->options.folder, err);
    if (status == PT_OK)
        status = pt__output_create(rest->options.folder, name, &rest->file, err);
    if (status == PT_OK) {
        pt__output_remove(rest->options.folder, name); /* it lives as long as it is open */
        status = pt__output_set_schema(rest->file, schema, err);
    }
    if (status == PT_OK)
        status = pt__ipc_reader_new(pt_bytes_get_view(schema), &rest->reader, err);
    pt_bytes_unref(schema);
    return status;
}

static pt_status file_rows(pt__rest *rest, struct ArrowArray *take_rows, pt_error *err)
{
    int64_t count = take_rows->length;
    pt__spool_entry *entry = NULL;
    pt__shared_array *shared = pt__shared_array_new(take_rows);
    if (shared == NULL)
        return no_memory(err);
    pt_status status = rest->file == NULL ? begin_file(rest, err) : PT_OK;
    if (status == PT_OK)
        status = pt__ipc_batch(&rest->schema, shared, 0, count, &entry, err);
    if (status == PT_OK) {
        status = pt__output_append(rest->file, entry, err);
        pt__spool_entry_unref(entry);
    }
    pt__shared_array_unref(shared);
    return status;
}

static pt_status read_filed(pt__rest *rest, struct ArrowArray *out, pt_error *err)
{
    pt__spool_entry *entry = NULL;
    if (rest->file == NULL || rest->next_filed == pt__output_entry_count(rest->file))
        return PT_OK;
    PT_TRY(pt__output_read(rest->file, rest->next_filed, &entry, err));
    pt_status status = pt__ipc_reader_entry(rest->reader, entry, out, err);
    pt__spool_entry_unref(entry);
    rest->next_filed++;
    return status;
}

/* ---- rows ---- */

static pt_status keep_rows(pt__rest *rest, struct ArrowArray *take_rows, pt_error *err)
{
    if (rest->kept_count == rest->kept_capacity) {
        size_t capacity = rest->kept_capacity == 0 ? 16 : 2 * rest->kept_capacity;
        struct ArrowArray *larger = realloc(rest->kept, capacity * sizeof(*larger));
        if (larger == NULL) {
            take_rows->release(take_rows);
            return no_memory(err);
        }
        rest->kept = larger;
        rest->kept_capacity = capacity;
    }
    rest->kept[rest->kept_count++] = *take_rows;
    take_rows->release = NULL;
    return PT_OK;
}

pt_status pt__rest_add(pt__rest *rest, struct ArrowArray *take_rows, pt_error *err)
{
    rest->size_bytes += pt__ipc_body_bytes(&rest->schema, take_rows);
    if (rest->size_bytes <= rest->options.bytes_max)
        return rest->size_bytes <= PT_REST_MEMORY_BYTES ? keep_rows(rest, take_rows, err)
                                                        : file_rows(rest, take_rows, err);
    take_rows->release(take_rows);
    return pt_error_set(err, PT_LIMIT,
                        "this result had to make way for %s, and more than %" PRIu64
                        " MiB were left of it: read it to its end before",
                        rest->options.made_way_for, rest->options.bytes_max >> 20);
}

pt_status pt__rest_next(pt__rest *rest, struct ArrowArray *out, pt_error *err)
{
    out->release = NULL;
    if (rest->next_kept == rest->kept_count)
        return read_filed(rest, out, err);
    *out = rest->kept[rest->next_kept++];
    return PT_OK;
}
