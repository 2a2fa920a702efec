#include "backend/duckdb/native/rest.h"

#include "base/uuid.h"
#include "exec/folder.h"
#include "exec/ipc_reader.h"
#include "exec/ipc_writer.h"
#include "exec/output_file.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pt__rest_space {
    char *folder;
    uint64_t bytes_max;
    _Atomic uint64_t size_bytes;   /* of all rests */
    _Atomic uint64_t memory_bytes; /* of that, in memory */
};

typedef struct kept {
    struct ArrowArray rows;
    uint64_t size_bytes;
} kept;

struct pt__rest {
    pt__rest_space *space;
    struct ArrowSchema schema;
    const char *made_way_for;
    uint64_t bytes_max;
    uint64_t size_bytes; /* of all that was added */
    kept *kept;          /* those in memory, from `next_kept` on */
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

/* ---- the space ---- */

pt_status pt__rest_space_new(const char *folder, uint64_t bytes_max, pt__rest_space **out, pt_error *err)
{
    pt__rest_space *space = calloc(1, sizeof(*space));
    char *copy = strdup(folder);
    if (space == NULL || copy == NULL) {
        free(space);
        free(copy);
        return no_memory(err);
    }
    space->folder = copy;
    space->bytes_max = bytes_max;
    *out = space;
    return PT_OK;
}

void pt__rest_space_free(pt__rest_space *space)
{
    if (space == NULL)
        return;
    free(space->folder);
    free(space);
}

/* Counts `size` more, unless that were more than `most`. */
static bool take(_Atomic uint64_t *counter, uint64_t size, uint64_t most)
{
    bool fits = atomic_fetch_add(counter, size) + size <= most;
    if (!fits)
        atomic_fetch_sub(counter, size);
    return fits;
}

/* ---- lifetime ---- */

pt_status pt__rest_new(pt__rest_space *space, struct ArrowSchema *take_schema, pt__rest **out, pt_error *err)
{
    pt__rest *rest = calloc(1, sizeof(*rest));
    if (rest == NULL) {
        take_schema->release(take_schema);
        return no_memory(err);
    }
    *rest = (pt__rest){.space = space, .schema = *take_schema};
    take_schema->release = NULL;
    *out = rest;
    return PT_OK;
}

static void give_kept(pt__rest *rest, struct ArrowArray *out)
{
    kept *first = &rest->kept[rest->next_kept++];
    *out = first->rows;
    atomic_fetch_sub(&rest->space->memory_bytes, first->size_bytes);
}

void pt__rest_free(pt__rest *rest)
{
    struct ArrowArray rows;
    if (rest == NULL)
        return;
    while (rest->next_kept < rest->kept_count) {
        give_kept(rest, &rows);
        rows.release(&rows);
    }
    atomic_fetch_sub(&rest->space->size_bytes, rest->size_bytes);
    free(rest->kept);
    pt__output_free(rest->file);
    pt__ipc_reader_free(rest->reader);
    rest->schema.release(&rest->schema);
    free(rest);
}

void pt__rest_expect(pt__rest *rest, const char *made_way_for, uint64_t bytes_max)
{
    rest->made_way_for = made_way_for;
    rest->bytes_max = bytes_max > UINT64_MAX - rest->size_bytes ? UINT64_MAX : rest->size_bytes + bytes_max;
}

/* ---- the file ---- */

static pt_status create_file(pt__rest *rest, pt_bytes *schema, pt_error *err)
{
    const char *folder = rest->space->folder;
    char name[PT_UUID_TEXT_BYTES];
    pt__uuid_v4_text(name);
    PT_TRY(pt__folder_make(folder, err));
    PT_TRY(pt__output_create(folder, name, &rest->file, err));
    pt__output_remove(folder, name); /* it lives as long as it is open */
    PT_TRY(pt__output_set_schema(rest->file, schema, err));
    return pt__ipc_reader_new(pt_bytes_get_view(schema), &rest->reader, err);
}

static pt_status say_why(const pt__rest *rest, pt_error *problem, pt_error *err)
{
    pt_status status = problem->status;
    pt_error_set(err, status, "this result had to make way for %s, but what is left of it cannot be written: %s",
                 rest->made_way_for, problem->message);
    pt_error_clear(problem);
    return status;
}

static pt_status write_rows(pt__rest *rest, pt__shared_array *rows, pt_error *err)
{
    pt__spool_entry *entry = NULL;
    pt_bytes *schema = NULL;
    pt_status status = PT_OK;
    if (rest->file == NULL) {
        PT_TRY(pt__ipc_schema_message(&rest->schema, &schema, err));
        status = create_file(rest, schema, err);
        pt_bytes_unref(schema);
    }
    if (status == PT_OK)
        status = pt__ipc_batch(&rest->schema, rows, 0, pt__shared_array_get(rows)->length, &entry, err);
    if (status == PT_OK) {
        status = pt__output_append(rest->file, entry, err);
        pt__spool_entry_unref(entry);
    }
    return status;
}

static pt_status file_rows(pt__rest *rest, struct ArrowArray *take_rows, pt_error *err)
{
    pt_error problem = PT_ERROR_INIT;
    pt__shared_array *shared = pt__shared_array_new(take_rows);
    if (shared == NULL)
        return no_memory(err);
    pt_status status = write_rows(rest, shared, &problem);
    pt__shared_array_unref(shared);
    return status == PT_OK ? PT_OK : say_why(rest, &problem, err);
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

/* A few batches stay in memory, as long as there are not too many others. */
static bool may_stay(pt__rest *rest, uint64_t size)
{
    return rest->file == NULL && rest->size_bytes <= PT_REST_MEMORY_BYTES &&
           take(&rest->space->memory_bytes, size, PT_REST_SPACE_MEMORY_BYTES);
}

static pt_status keep_rows(pt__rest *rest, struct ArrowArray *take_rows, uint64_t size, pt_error *err)
{
    if (rest->kept_count == rest->kept_capacity) {
        size_t capacity = rest->kept_capacity == 0 ? 16 : 2 * rest->kept_capacity;
        kept *larger = realloc(rest->kept, capacity * sizeof(*larger));
        if (larger == NULL) {
            atomic_fetch_sub(&rest->space->memory_bytes, size);
            take_rows->release(take_rows);
            return no_memory(err);
        }
        rest->kept = larger;
        rest->kept_capacity = capacity;
    }
    rest->kept[rest->kept_count++] = (kept){*take_rows, size};
    take_rows->release = NULL;
    return PT_OK;
}

static pt_status count(pt__rest *rest, uint64_t size, pt_error *err)
{
    uint64_t share = rest->space->bytes_max / PT_REST_SHARES;
    uint64_t most = rest->bytes_max < share ? rest->bytes_max : share;
    if (rest->size_bytes + size > most)
        return pt_error_set(err, PT_LIMIT,
                            "this result had to make way for %s, and too much was left of it (%" PRIu64
                            " MiB; see duckdb.rest-limit): read it to its end before",
                            rest->made_way_for, rest->size_bytes >> 20);
    if (!take(&rest->space->size_bytes, size, rest->space->bytes_max))
        return pt_error_set(err, PT_LIMIT,
                            "this result had to make way for %s, and what is left of such results takes %" PRIu64
                            " MiB (duckdb.rest-limit): read them to their end before",
                            rest->made_way_for, rest->space->bytes_max >> 20);
    rest->size_bytes += size;
    return PT_OK;
}

pt_status pt__rest_add(pt__rest *rest, struct ArrowArray *take_rows, pt_error *err)
{
    uint64_t size = pt__ipc_body_bytes(&rest->schema, take_rows) + PT_REST_BATCH_BYTES;
    pt_status status = count(rest, size, err);
    if (status != PT_OK) {
        take_rows->release(take_rows);
        return status;
    }
    return may_stay(rest, size) ? keep_rows(rest, take_rows, size, err) : file_rows(rest, take_rows, err);
}

pt_status pt__rest_next(pt__rest *rest, struct ArrowArray *out, pt_error *err)
{
    out->release = NULL;
    if (rest->next_kept == rest->kept_count)
        return read_filed(rest, out, err);
    give_kept(rest, out);
    return PT_OK;
}
