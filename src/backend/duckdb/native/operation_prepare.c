/* A statement's connection, and the statement prepared on it. */
#include "backend/duckdb/harvest.h"
#include "backend/duckdb/native/operation_inside.h"

/* What it is kept by: a client's handle, or else a text that means the same at any time. NULL: it is not. */
static const char *key_of(const pt__native_operation *op)
{
    if (op->statement_id[0] != '\0')
        return op->statement_id;
    return pt__native_is_literal_row(op->sql) ? op->sql : NULL;
}

static bool take_kept(pt__native_operation *op)
{
    const char *key = op->link->is_pooled ? NULL : key_of(op);
    return key != NULL && pt__native_take_kept(op->link, key, &op->statement);
}

static pt_status take_apart_and_prepare(pt__native_operation *op, pt_error *err)
{
    PT_TRY(pt__native_statement_init(&op->statement, op->link, op->sql, err));
    if (op->statement.count > 1 && op->link->is_pooled)
        return PT_OK;
    return pt__native_statement_prepare(&op->statement, op->link, op->is_plain ? NULL : op->sql, err);
}

static bool is_gone(void *context)
{
    return pt__native_operation_check(context, NULL) != PT_OK;
}

pt_status pt__native_operation_enter(pt__native_operation *op, pt_error *err)
{
    pt__native_entrant self = {.rolls_back = pt__native_is_rollback(op->sql), .is_gone = is_gone, .context = op};
    return pt__native_link_enter_as(op->link, &self) ? PT_OK : pt__native_operation_check(op, err);
}

pt_status pt__native_operation_prepare_on_link(pt__native_operation *op, pt_error *err)
{
    PT_TRY(pt__native_operation_enter(op, err));
    pt__native_operation_set_running(op, op->link);
    pt_status status = take_kept(op) ? PT_OK : take_apart_and_prepare(op, err);
    pt__native_operation_set_running(op, NULL);
    pt__native_link_leave(op->link);
    return status;
}

static bool must_be_own(const pt__native_operation *op)
{
    if (!op->link->is_pooled)
        return false;
    return op->statement.count > 1 || pt__native_leaves_state(op->statement.last, op->sql);
}

/* What was prepared before, unless the session has by now set something for itself. */
static bool take_prepared(pt__native_operation *op)
{
    if (op->link != NULL)
        return false;
    if (op->statement_id[0] == '\0' ||
        !pt__native_unshelve(op->database, PT_SHELF_HANDLES, op->statement_id, &op->link, &op->statement))
        return pt__native_unshelve_text(op->database, op->native, op->sql, &op->link, &op->statement);
    if (!pt__native_has_own(op->native))
        return true;
    pt__native_statement_deinit(&op->statement);
    pt__native_link_unref(op->link);
    op->link = NULL;
    return false;
}

pt_status pt__native_operation_prepare(pt__native_operation *op, pt_error *err)
{
    if (take_prepared(op))
        return PT_OK;
    if (op->link == NULL)
        PT_TRY(pt__native_any(op->database, op->native, op->sql, &op->link, err));
    PT_TRY(pt__native_operation_prepare_on_link(op, err));
    if (!must_be_own(op))
        return PT_OK;
    pt__native_statement_deinit(&op->statement);
    pt__native_link_unref(op->link);
    op->link = NULL;
    PT_TRY(pt__native_own(op->database, op->native, &op->link, err));
    return pt__native_operation_prepare_on_link(op, err);
}

/* ---- afterwards ---- */

static void keep_with(pt__native_operation *op, pt__shelf shelf, const char *key)
{
    if (op->link->is_pooled) {
        pt__native_shelve(op->database, shelf, key, op->link, &op->statement);
        op->link = NULL;
        return;
    }
    if (!pt__native_link_try(op->link)) /* whoever has it may be at work for long */
        return;
    pt__native_keep(op->link, key, &op->statement);
    pt__native_link_leave(op->link);
}

/* There may be other values for it, or somebody who sends it again. */
void pt__native_operation_keep(pt__native_operation *op)
{
    if (op->head.state != PT_OPERATION_SUCCEEDED || op->link == NULL || (op->link->is_pooled && !op->link->is_clean))
        return;
    if (!op->has_parameters && op->statement.harvest != NULL && pt__harvest_is_outgrown(op->statement.harvest))
        return;
    if (op->has_parameters && op->statement_id[0] != '\0')
        keep_with(op, PT_SHELF_HANDLES, op->statement_id);
    else if (!op->has_parameters && pt__native_is_literal_row(op->sql))
        keep_with(op, PT_SHELF_TEXTS, op->sql);
}
