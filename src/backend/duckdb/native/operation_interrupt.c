/* What other threads do to a statement: cancel it, and ask how far it is. */
#include "backend/duckdb/native/operation_inside.h"

pt_status pt__native_operation_check(pt__native_operation *op, pt_error *err)
{
    pthread_mutex_lock(&op->mutex);
    bool interrupted = op->interrupted;
    pthread_mutex_unlock(&op->mutex);
    return interrupted ? pt_error_set(err, PT_CANCELLED, "INTERRUPT Error: the statement was cancelled") : PT_OK;
}

void pt__native_operation_set_running(pt__native_operation *op, pt__native_link *link)
{
    pthread_mutex_lock(&op->mutex);
    op->running = link;
    op->is_open = link != NULL && pt__open_rows_are(&op->open_rows);
    pthread_mutex_unlock(&op->mutex);
}

/*
 * An interrupt ends a transaction, too. Who does not read a result to its end, as many do, is not to lose one by that: as
 * long as rows come, their reader sees for itself that nobody wants them.
 */
static void interrupt(pt__native_operation *op)
{
    duckdb_connection connection = op->running->connection;
    if (!op->is_open || !pt__helped_interrupt_late(&op->head.helped, connection))
        duckdb_interrupt(connection);
}

pt_status pt__native_operation_cancel(pt_operation *base, pt_error *err)
{
    (void)err;
    pt__native_operation *op = pt__native_operation_of(base);
    pthread_mutex_lock(&op->mutex);
    op->interrupted = true;
    if (op->running != NULL)
        interrupt(op);
    pthread_mutex_unlock(&op->mutex);
    return PT_OK;
}

double pt__native_operation_progress(pt_operation *base)
{
    pt__native_operation *op = pt__native_operation_of(base);
    double share = -1;
    pthread_mutex_lock(&op->mutex);
    if (op->running != NULL)
        share = duckdb_query_progress(op->running->connection).percentage / 100;
    pthread_mutex_unlock(&op->mutex);
    return share;
}
