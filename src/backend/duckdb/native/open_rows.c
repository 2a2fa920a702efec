#include "backend/duckdb/native/open_rows.h"

void pt__open_rows_begin(pt__open_rows *rows, const pt__open_rows_vtable *vtable, void *context, pt__native_link *link)
{
    *rows = (pt__open_rows){.vtable = vtable, .context = context, .link = link, .failure = PT_ERROR_INIT};
    link->open_rows = rows;
}

bool pt__open_rows_are(const pt__open_rows *rows)
{
    return rows->link != NULL;
}

/* With the lock held, as below. */
static void leave_connection(pt__open_rows *rows)
{
    rows->vtable->close(rows->context);
    rows->link->open_rows = NULL;
}

static pt_status new_rest(pt__open_rows *rows, bool is_for_rollback, pt_error *err)
{
    struct ArrowSchema schema;
    const pt__duckdb *database = rows->link->database;
    pt__rest_options options = {.folder = database->rest_folder,
                                .bytes_max = database->rest_bytes_max,
                                .made_way_for = "another statement of its session (see duckdb.rest-limit)"};
    if (is_for_rollback) {
        options.bytes_max = PT_REST_MEMORY_BYTES;
        options.made_way_for = "the ROLLBACK of its transaction";
    }
    PT_TRY(rows->vtable->schema(rows->context, &schema, err));
    return pt__rest_new(&options, &schema, &rows->rest, err);
}

static pt_status take_next(pt__open_rows *rows, bool *at_end, pt_error *err)
{
    struct ArrowArray batch = {.release = NULL};
    PT_TRY(rows->vtable->pull(rows->context, &batch, err));
    *at_end = batch.release == NULL;
    return *at_end ? PT_OK : pt__rest_add(rows->rest, &batch, err);
}

/* Why not all could be taken is for the reader to hear, behind those that were. */
void pt__open_rows_make_way(pt__open_rows *rows, bool is_for_rollback)
{
    bool at_end = false;
    pt_status status = new_rest(rows, is_for_rollback, &rows->failure);
    while (status == PT_OK && !at_end)
        status = take_next(rows, &at_end, &rows->failure);
    leave_connection(rows);
}

static pt_status pull(pt__open_rows *rows, struct ArrowArray *out, pt_error *err)
{
    pt_status status = rows->vtable->pull(rows->context, out, err);
    if (status != PT_OK || out->release == NULL)
        leave_connection(rows);
    return status;
}

static pt_status next_of_rest(pt__open_rows *rows, struct ArrowArray *out, pt_error *err)
{
    if (rows->rest != NULL)
        PT_TRY(pt__rest_next(rows->rest, out, err));
    if (out->release != NULL || rows->failure.status == PT_OK)
        return PT_OK;
    pt_status status = rows->failure.status;
    pt_error_move(err, &rows->failure);
    return status;
}

pt_status pt__open_rows_next(pt__open_rows *rows, struct ArrowArray *out, pt_error *err)
{
    out->release = NULL;
    pt__native_link_lock(rows->link);
    pt_status status = rows->link->open_rows == rows ? pull(rows, out, err) : next_of_rest(rows, out, err);
    pt__native_link_leave(rows->link);
    return status;
}

void pt__open_rows_end(pt__open_rows *rows)
{
    if (!pt__open_rows_are(rows))
        return;
    pt__native_link_lock(rows->link);
    if (rows->link->open_rows == rows)
        leave_connection(rows);
    pt__native_link_leave(rows->link);
    pt__rest_free(rows->rest);
    pt_error_clear(&rows->failure);
    *rows = (pt__open_rows){0};
}
