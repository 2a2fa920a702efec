/* portico_harvest(key, rows): runs in the pipeline's threads, on each chunk of the query's rows. */
#include "backend/duckdb/harvest_inside.h"

static const char NOT_FOR_USERS[] = PT_HARVEST_FUNCTION " is not for users";

/* ---- binding ---- */

/* The harvest whose key is the first argument: a reference; NULL: it is not being bound here. */
static pt__harvest *find(duckdb_bind_info info)
{
    duckdb_value key = NULL;
    if (duckdb_scalar_function_bind_get_argument_count(info) != 2 || !pt__harvest_bind_constant(info, 0, &key))
        return NULL;
    pt__harvest *harvest = pt__harvest_being_bound(duckdb_scalar_function_bind_get_extra_info(info));
    if (harvest != NULL && harvest->key != duckdb_get_uint64(key)) {
        pt__harvest_unref(harvest);
        harvest = NULL;
    }
    duckdb_destroy_value(&key);
    return harvest;
}

static bool bind_rows(duckdb_bind_info info, pt__harvest *harvest)
{
    duckdb_logical_type type = pt__harvest_bind_type(info, 1);
    bool is_right = pt__harvest_read_columns(harvest, type);
    duckdb_destroy_logical_type(&type);
    return is_right;
}

static void bind(duckdb_bind_info info)
{
    pt__harvest *harvest = find(info);
    if (harvest == NULL) {
        duckdb_scalar_function_bind_set_error(info, NOT_FOR_USERS);
        return;
    }
    if (!bind_rows(info, harvest))
        duckdb_scalar_function_bind_set_error(info, "the query has other columns than when it was prepared");
    pt__harvest_bind_to(info, harvest);
}

/* ---- running ---- */

static void release_producer(void *data)
{
    pt__producer_end(data);
    pt__producer_unref(data);
}

static void init(duckdb_init_info info)
{
    pt__harvest *harvest = duckdb_scalar_function_init_get_bind_data(info);
    bool may_run = !pt__harvest_is_bound_here(harvest) && pt__harvest_is_ours(harvest);
    pt__producer *producer = may_run ? pt__producer_new(harvest) : NULL;
    if (producer != NULL)
        duckdb_scalar_function_init_set_state(info, producer, release_producer);
    else
        duckdb_scalar_function_init_set_error(info, may_run ? "no memory for rows" : NOT_FOR_USERS);
}

static void run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    pt__producer *producer = duckdb_scalar_function_get_state(info);
    idx_t count = duckdb_data_chunk_get_size(input);
    duckdb_vector rows = duckdb_data_chunk_get_vector(input, 1);
    if (count > 0 && !pt__producer_append(producer, rows, count, duckdb_vector_get_data(output)))
        duckdb_scalar_function_set_error(info, "no memory for rows, or nobody wants them");
}

/* ---- registering ---- */

static duckdb_scalar_function make(pt__duckdb *database, const pt__harvest_function *f)
{
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_logical_type constant = duckdb_create_logical_type(f->constant);
    duckdb_logical_type any = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
    duckdb_logical_type result = duckdb_create_logical_type(f->result);
    duckdb_scalar_function_set_name(function, f->name);
    duckdb_scalar_function_add_parameter(function, constant);
    duckdb_scalar_function_add_parameter(function, any);
    duckdb_scalar_function_set_return_type(function, result);
    duckdb_scalar_function_set_special_handling(function);
    duckdb_scalar_function_set_extra_info(function, database, NULL);
    duckdb_scalar_function_set_bind(function, f->bind);
    duckdb_scalar_function_set_function(function, f->run);
    if (f->init != NULL)
        duckdb_scalar_function_set_init(function, f->init);
    if (f->is_volatile)
        duckdb_scalar_function_set_volatile(function);
    duckdb_destroy_logical_type(&constant);
    duckdb_destroy_logical_type(&any);
    duckdb_destroy_logical_type(&result);
    return function;
}

static bool add(pt__duckdb *database, duckdb_connection connection, const pt__harvest_function *f)
{
    duckdb_scalar_function function = make(database, f);
    duckdb_state state = duckdb_register_scalar_function(connection, function);
    duckdb_destroy_scalar_function(&function);
    return state == DuckDBSuccess;
}

static const pt__harvest_function HARVEST = {.name = PT_HARVEST_FUNCTION,
                                             .constant = DUCKDB_TYPE_UBIGINT,
                                             .result = DUCKDB_TYPE_BIGINT,
                                             .is_volatile = true, /* called once for each row, whatever its arguments */
                                             .bind = bind,
                                             .init = init,
                                             .run = run};

pt_status pt__harvest_register_functions(pt__duckdb *database, duckdb_connection connection, pt_error *err)
{
    if (add(database, connection, &HARVEST) && add(database, connection, &pt__harvest_pack_function))
        return PT_OK;
    return pt_error_set(err, PT_INTERNAL, "DuckDB does not take " PT_HARVEST_FUNCTION);
}
