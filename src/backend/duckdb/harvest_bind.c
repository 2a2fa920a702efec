/* Binding what a query is wrapped into: whose it is, and what its functions learn from their arguments. */
#include "backend/duckdb/harvest_inside.h"

/* ---- whose text is bound ---- */

void pt__harvest_begin_binding(pt__harvest *harvest)
{
    pthread_mutex_lock(&harvest->lock);
    harvest->is_bound_anew = true;
    harvest->binder = pthread_self();
    pthread_mutex_unlock(&harvest->lock);
    atomic_store(&harvest->is_binding, true);
}

void pt__harvest_end_binding(pt__harvest *harvest)
{
    atomic_store(&harvest->is_binding, false);
}

bool pt__harvest_is_bound_here(pt__harvest *harvest)
{
    if (!atomic_load(&harvest->is_binding)) /* almost always */
        return false;
    pthread_mutex_lock(&harvest->lock);
    bool is_here = pthread_equal(harvest->binder, pthread_self()) != 0;
    pthread_mutex_unlock(&harvest->lock);
    return is_here;
}

pt__harvest *pt__harvest_being_bound(pt__duckdb *database)
{
    pthread_mutex_lock(&database->mutex);
    pt__harvest *harvest = database->harvests;
    while (harvest != NULL && !pt__harvest_is_bound_here(harvest))
        harvest = harvest->next;
    if (harvest != NULL)
        pt__harvest_ref(harvest);
    pthread_mutex_unlock(&database->mutex);
    return harvest;
}

/* ---- arguments ---- */

bool pt__harvest_bind_constant(duckdb_bind_info info, idx_t index, duckdb_value *out)
{
    duckdb_client_context context = NULL;
    duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, index);
    duckdb_scalar_function_get_client_context(info, &context);
    *out = NULL;
    if (argument != NULL && duckdb_expression_is_foldable(argument)) {
        duckdb_error_data error = duckdb_expression_fold(context, argument, out);
        duckdb_destroy_error_data(&error);
    }
    duckdb_destroy_client_context(&context);
    duckdb_destroy_expression(&argument);
    return *out != NULL;
}

duckdb_logical_type pt__harvest_bind_type(duckdb_bind_info info, idx_t index)
{
    duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, index);
    duckdb_logical_type type = duckdb_expression_return_type(argument);
    duckdb_destroy_expression(&argument);
    return type;
}

/* ---- what is bound ---- */

static void release_bound(void *harvest)
{
    pt__harvest_unref(harvest);
}

static void *copy_bound(void *harvest)
{
    return pt__harvest_ref(harvest);
}

void pt__harvest_bind_to(duckdb_bind_info info, pt__harvest *take_harvest)
{
    duckdb_scalar_function_set_bind_data(info, take_harvest, release_bound);
    duckdb_scalar_function_set_bind_data_copy(info, copy_bound);
}
