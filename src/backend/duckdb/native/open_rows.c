#include "backend/duckdb/native/open_rows.h"

void pt__open_rows_begin(pt__open_rows *rows, const pt__open_rows_vtable *vtable, void *context, pt__native_link *link)
{
    *rows = (pt__open_rows){.vtable = vtable, .context = context, .link = link, .failure = PT_ERROR_INIT};
    pt__native_link_set_open(link, rows);
}

bool pt__open_rows_are(const pt__open_rows *rows)
{
    return rows->link != NULL;
}

/* By who has taken the connection. */
static void leave_connection(pt__open_rows *rows)
{
    pt__native_link_set_open(rows->link, NULL);
    rows->vtable->close(rows->context);
    pt__native_link_stop(rows->link, &rows->is_away);
}

/* ---- making way ---- */

static pt_status have_rest(pt__open_rows *rows, pt_error *err)
{
    struct ArrowSchema schema;
    if (rows->rest != NULL)
        return PT_OK;
    PT_TRY(rows->vtable->schema(rows->context, &schema, err));
    return pt__rest_new(rows->link->database->rests, &schema, &rows->rest, err);
}

static void expect(const pt__open_rows *rows, const pt__native_entrant *entrant)
{
    if (entrant->rolls_back)
        pt__rest_expect(rows->rest, "the ROLLBACK of its transaction", PT_REST_MEMORY_BYTES);
    else
        pt__rest_expect(rows->rest, "another statement of its session", UINT64_MAX);
}

void pt__open_rows_hurry(pt__open_rows *rows)
{
    atomic_store(&rows->is_hurried, true);
    rows->vtable->hurry(rows->context);
}

bool pt__open_rows_are_hurried(const pt__open_rows *rows)
{
    return atomic_load(&rows->is_hurried);
}

static pt_status pull(pt__open_rows *rows, struct ArrowArray *out, pt_error *err)
{
    pt_status status = rows->vtable->pull(rows->context, out, err);
    if (status == PT_CANCELLED && atomic_load(&rows->is_hurried))
        pt_error_set(err, status, "this result had to make way for the ROLLBACK of its transaction");
    return status;
}

static pt_status take_next(pt__open_rows *rows, bool *at_end, pt_error *err)
{
    struct ArrowArray batch = {.release = NULL};
    PT_TRY(pull(rows, &batch, err));
    *at_end = batch.release == NULL;
    return *at_end ? PT_OK : pt__rest_add(rows->rest, &batch, err);
}

/* Why not all could be taken is for the reader to hear, behind those that were. */
bool pt__open_rows_make_way(pt__open_rows *rows, const pt__native_entrant *entrant)
{
    bool at_end = false;
    pt_status status = have_rest(rows, &rows->failure);
    if (status == PT_OK)
        expect(rows, entrant);
    while (status == PT_OK && !at_end) {
        if (pt__native_has_gone(entrant))
            return false;
        status = take_next(rows, &at_end, &rows->failure);
    }
    leave_connection(rows);
    return true;
}

/* ---- reading ---- */

static pt_status next_of_rest(pt__open_rows *rows, struct ArrowArray *out, pt_error *err)
{
    if (rows->rest != NULL)
        PT_TRY(pt__rest_next(rows->rest, out, err));
    if (out->release != NULL || rows->failure.status == PT_OK)
        return PT_OK;
    pt_error_copy(err, &rows->failure);
    return rows->failure.status;
}

/* What an entrant has left behind that went, then those of the connection, which is taken. */
static pt_status next_of_both(pt__open_rows *rows, struct ArrowArray *out, pt_error *err)
{
    PT_TRY(next_of_rest(rows, out, err));
    if (out->release != NULL)
        return PT_OK;
    pt_status status = pull(rows, out, err);
    if (status != PT_OK || out->release == NULL)
        leave_connection(rows);
    return status;
}

pt_status pt__open_rows_next(pt__open_rows *rows, struct ArrowArray *out, pt_error *err)
{
    out->release = NULL;
    if (!pt__native_link_take(rows->link, &rows->is_away))
        return next_of_rest(rows, out, err);
    pt_status status = next_of_both(rows, out, err);
    pt__native_link_leave(rows->link);
    return status;
}

void pt__open_rows_end(pt__open_rows *rows)
{
    if (!pt__open_rows_are(rows))
        return;
    if (pt__native_link_take(rows->link, &rows->is_away)) {
        leave_connection(rows);
        pt__native_link_leave(rows->link);
    }
    pt__rest_free(rows->rest);
    pt_error_clear(&rows->failure);
    *rows = (pt__open_rows){0};
}
