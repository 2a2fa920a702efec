#include "backend/duckdb/functions/functions.h"

#include "backend/duckdb/functions/call.h"
#include "backend/duckdb/functions/kernels.h"
#include "backend/duckdb/functions/register_aggregates.h"
#include "backend/duckdb/functions/types.h"
#include "backend/duckdb/functions/wide.h"
#include "base/buffer.h"
#include "base/map.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_MAX_BYTES = 96, DIGITS_MAX = 38 };

static const pt__fn_row ROWS[] = {
#define PT__FUNCTION(name, arguments, result, kernel, flags, option)                                                   \
    {"spark_" name, arguments, result, pt__fn_##kernel, PT__FN_ANSI, flags, option},
#define PT__FUNCTION_MODES(name, arguments, result, kernel, flags, option)                                             \
    {"spark_" name "_ansi", arguments, result, pt__fn_##kernel, PT__FN_ANSI, flags, option},                           \
        {"spark_" name "_try", arguments, result, pt__fn_##kernel, PT__FN_TRY, flags, option},                         \
        {"spark_" name "_legacy", arguments, result, pt__fn_##kernel, PT__FN_LEGACY, flags, option},
#include "backend/duckdb/functions/catalog.def"
#undef PT__FUNCTION
#undef PT__FUNCTION_MODES
};

/** What all functions of a database share; ended with the last of them. */
typedef struct services {
    pt__zones *zones;
    bool own_zones;
    uint64_t made_limit_bytes;
    atomic_size_t users;
} services;

struct pt__functions {
    services *shared;
    pthread_mutex_t mutex;  /* guards what follows, and the registering */
    pt__map registered;     /* names that DuckDB knows */
    bool has_aggregates[2]; /* those for groups, and for whole partitions */
    bool has_all;
};

/** The result type of a row with PT__FN_DECIMAL. */
typedef struct decimal_type {
    int precision;
    int scale;
} decimal_type;

/** What DuckDB keeps for each registered function. */
typedef struct registration {
    const pt__fn_row *row;
    services *shared;
    decimal_type decimal;
    bool takes_row; /* see ROW_SUFFIX */
} registration;

static void leave_services(services *shared)
{
    if (atomic_fetch_sub(&shared->users, 1) > 1)
        return;
    if (shared->own_zones)
        pt__zones_free(shared->zones);
    free(shared);
}

static void free_registration(void *data)
{
    registration *registered = data;
    leave_services(registered->shared);
    free(registered);
}

/* Binding: the types of the arguments. */

typedef struct binding {
    atomic_size_t threads; /* that have begun to run it */
    size_t count;
    pt__fn_type types[];
} binding;

static void free_binding(void *data)
{
    binding *bound = data;
    for (size_t i = 0; i < bound->count; i++)
        pt__fn_type_free_children(&bound->types[i]);
    free(bound);
}

static void *copy_binding(void *data)
{
    const binding *bound = data;
    binding *copy = malloc(sizeof(binding) + bound->count * sizeof(pt__fn_type));
    if (copy == NULL)
        return NULL;
    atomic_init(&copy->threads, 0);
    copy->count = bound->count;
    for (size_t i = 0; i < bound->count; i++) {
        copy->types[i] = bound->types[i];
        pt__fn_type_copy_children(&copy->types[i]);
    }
    return copy;
}

/** The type that the row declares for an argument, to which DuckDB casts; empty for ANY. */
static pt_text_view declared_type(const pt__fn_row *row, size_t index)
{
    const char *at = row->arguments;
    size_t length = strcspn(at, ",");
    for (; index > 0 && at[length] == ','; index--) {
        at += length + 1;
        length = strcspn(at, ",");
    }
    return (pt_text_view){at, strncmp(at, "ANY", length) == 0 ? 0 : length};
}

/** The expressions of a call being bound do not have the casts to the declared types yet. */
static duckdb_logical_type argument_type(duckdb_bind_info info, const pt__fn_row *row, size_t index)
{
    pt_text_view declared = declared_type(row, index);
    if (declared.size_bytes > 0)
        return pt__fn_type_make(declared, 0);
    duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, index);
    duckdb_logical_type logical = duckdb_expression_return_type(argument);
    duckdb_destroy_expression(&argument);
    return logical;
}

static void bind_types(duckdb_bind_info info)
{
    const registration *registered = duckdb_scalar_function_bind_get_extra_info(info);
    size_t count = duckdb_scalar_function_bind_get_argument_count(info);
    binding *bound = calloc(1, sizeof(binding) + count * sizeof(pt__fn_type));
    if (bound == NULL) {
        duckdb_scalar_function_bind_set_error(info, "out of memory");
        return;
    }
    atomic_init(&bound->threads, 0);
    bound->count = count;
    for (size_t i = 0; i < count; i++) {
        duckdb_logical_type logical = argument_type(info, registered->row, i);
        bound->types[i] = pt__fn_type_unpack(logical);
        duckdb_destroy_logical_type(&logical);
    }
    duckdb_scalar_function_set_bind_data(info, bound, free_binding);
    duckdb_scalar_function_set_bind_data_copy(info, copy_binding);
}

/* State. */

static void free_state(void *data)
{
    pt__fn_state *state = data;
    for (size_t i = 0; i < PT__FN_CACHES; i++) {
        if (state->caches[i].value != NULL)
            state->caches[i].free_value(state->caches[i].value);
        free(state->caches[i].key);
    }
    if (state->extra != NULL)
        state->free_extra(state->extra);
    pt__buffer_deinit(&state->scratch);
    pt__buffer_deinit(&state->scratch2);
    free(state->columns);
    free(state);
}

static void init_state(duckdb_init_info info)
{
    const registration *registered = duckdb_scalar_function_init_get_extra_info(info);
    pt__fn_state *state = calloc(1, sizeof(*state));
    if (state != NULL)
        state->scratch.limit_bytes = state->scratch2.limit_bytes = (size_t)registered->shared->made_limit_bytes;
    if (state == NULL)
        duckdb_scalar_function_init_set_error(info, "out of memory");
    else
        duckdb_scalar_function_init_set_state(info, state, free_state);
    binding *bound = duckdb_scalar_function_init_get_bind_data(info);
    if (state != NULL && bound != NULL)
        state->partition = atomic_fetch_add(&bound->threads, 1);
}

/* Calls. */

static bool open_columns(pt__fn_call *call, duckdb_data_chunk input, const binding *bound, bool takes_row)
{
    pt__fn_state *state = call->state;
    call->column_count = duckdb_data_chunk_get_column_count(input) - (takes_row ? 1 : 0);
    if (call->column_count > state->column_capacity) {
        free(state->columns);
        state->columns = calloc(call->column_count, sizeof(*state->columns));
        state->column_capacity = state->columns == NULL ? 0 : call->column_count;
        if (state->columns == NULL)
            return pt__fn_fail_memory(call);
    }
    call->columns = state->columns;
    for (size_t i = 0; i < call->column_count; i++) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(input, i);
        call->columns[i] = (pt__fn_column){vector, duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector),
                                           bound == NULL ? NULL : &bound->types[i]};
    }
    return true;
}

/** NULL where any argument is. */
static void propagate_nulls(pt__fn_call *call)
{
    for (size_t i = 0; i < call->column_count; i++) {
        const uint64_t *validity = call->columns[i].validity;
        if (validity == NULL)
            continue;
        if (call->out_validity == NULL) {
            duckdb_vector_ensure_validity_writable(call->output);
            call->out_validity = duckdb_vector_get_validity(call->output);
        }
        for (idx_t word = 0; word * 64 < call->row_count; word++)
            call->out_validity[word] &= validity[word];
    }
}

static void run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    const registration *registered = duckdb_scalar_function_get_extra_info(info);
    pt__fn_call call = {
        .info = info,
        .row = registered->row,
        .precision = registered->decimal.precision,
        .scale = registered->decimal.scale,
        .mode = registered->row->mode,
        .row_count = duckdb_data_chunk_get_size(input),
        .output = output,
        .out = duckdb_vector_get_data(output),
        .out_validity = duckdb_vector_get_validity(output),
        .state = duckdb_scalar_function_get_state(info),
        .zones = registered->shared->zones,
        .made_limit_bytes = registered->shared->made_limit_bytes,
    };
    if (!open_columns(&call, input, duckdb_scalar_function_get_bind_data(info), registered->takes_row))
        return;
    if ((call.row->flags & PT__FN_NULLS) == 0)
        propagate_nulls(&call);
    call.row->kernel(&call);
}

/* Registration. */

static bool add_parameters(duckdb_scalar_function function, const pt__fn_row *row)
{
    for (const char *at = row->arguments; *at != '\0';) {
        size_t length = strcspn(at, ",");
        duckdb_logical_type type = pt__fn_type_make((pt_text_view){at, length}, 0);
        if (type == NULL)
            return false;
        at += length + (at[length] == ',');
        if (*at == '\0' && (row->flags & PT__FN_VARIADIC) != 0)
            duckdb_scalar_function_set_varargs(function, type);
        else
            duckdb_scalar_function_add_parameter(function, type);
        duckdb_destroy_logical_type(&type);
    }
    return true;
}

static duckdb_logical_type result_type(const registration *registered)
{
    const pt__fn_row *row = registered->row;
    if ((row->flags & PT__FN_DECIMAL) == 0)
        return pt__fn_type_make((pt_text_view){row->result, strlen(row->result)}, 0);
    return duckdb_create_decimal_type((uint8_t)registered->decimal.precision, (uint8_t)registered->decimal.scale);
}

/* The last argument of a call: behind any number of others it is one of them. */
static void add_row_parameter(duckdb_scalar_function function, const pt__fn_row *row)
{
    duckdb_logical_type any = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
    if ((row->flags & PT__FN_VARIADIC) != 0)
        duckdb_scalar_function_set_varargs(function, any);
    else
        duckdb_scalar_function_add_parameter(function, any);
    duckdb_destroy_logical_type(&any);
}

static bool describe(duckdb_scalar_function function, registration *registered, const char *name)
{
    const pt__fn_row *row = registered->row;
    duckdb_logical_type result = result_type(registered);
    if (result == NULL || !add_parameters(function, row))
        return false;
    if (registered->takes_row)
        add_row_parameter(function, row);
    duckdb_scalar_function_set_name(function, name);
    duckdb_scalar_function_set_return_type(function, result);
    duckdb_destroy_logical_type(&result);
    duckdb_scalar_function_set_bind(function, bind_types);
    duckdb_scalar_function_set_init(function, init_state);
    duckdb_scalar_function_set_function(function, run);
    if ((row->flags & PT__FN_NULLS) != 0)
        duckdb_scalar_function_set_special_handling(function);
    if ((row->flags & PT__FN_VOLATILE) != 0)
        duckdb_scalar_function_set_volatile(function);
    return true;
}

/*
 * A function of one argument that varies is computed for the whole dictionary of a dictionary vector, also for values
 * that no row has any more, and would fail for them. Under its name and this suffix it takes a column besides, which
 * nobody looks at: two that vary are not computed so.
 */
static const char ROW_SUFFIX[] = "_row";

static bool has_row_suffix(const char *name)
{
    size_t size = strlen(name);
    size_t suffix = sizeof(ROW_SUFFIX) - 1;
    return size > suffix && strcmp(name + size - suffix, ROW_SUFFIX) == 0;
}

static duckdb_scalar_function make_function(const pt__fn_row *row, services *shared, decimal_type decimal,
                                            const char *name)
{
    registration *registered = malloc(sizeof(*registered));
    if (registered == NULL)
        return NULL;
    *registered = (registration){row, shared, decimal, has_row_suffix(name)};
    atomic_fetch_add(&shared->users, 1);
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_scalar_function_set_extra_info(function, registered, free_registration);
    if (!describe(function, registered, name))
        duckdb_destroy_scalar_function(&function);
    return function;
}

enum { ROW_COUNT = sizeof(ROWS) / sizeof(ROWS[0]), OVERLOADS_WITHIN = 64 };

/** The next row with the name of `row`, or ROW_COUNT; overloads stand near each other. */
static size_t next_overload(size_t row)
{
    for (size_t i = row + 1; i < ROW_COUNT && i <= row + OVERLOADS_WITHIN; i++)
        if (strcmp(ROWS[i].name, ROWS[row].name) == 0)
            return i;
    return ROW_COUNT;
}

static bool is_decimal(size_t row)
{
    return (ROWS[row].flags & PT__FN_DECIMAL) != 0;
}

/** Registers the overloads of the row `first` under `name`. */
static pt_status register_set(const pt__functions *functions, duckdb_connection connection, size_t first,
                              decimal_type decimal, const char *name, pt_error *err)
{
    duckdb_scalar_function_set set = duckdb_create_scalar_function_set(name);
    bool ok = true;
    for (size_t i = first; ok && i < ROW_COUNT; i = next_overload(i)) {
        duckdb_scalar_function function = make_function(&ROWS[i], functions->shared, decimal, name);
        ok = function != NULL && duckdb_add_scalar_function_to_set(set, function) == DuckDBSuccess;
        duckdb_destroy_scalar_function(&function);
    }
    ok = ok && duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
    return ok ? PT_OK : pt_error_set(err, PT_INTERNAL, "DuckDB refused the function %s", name);
}

/** Registers it for all, unless that was done. */
static pt_status register_once(pt__functions *functions, duckdb_connection connection, size_t first,
                               decimal_type decimal, const char *name, pt_error *err)
{
    if (pt__map_get(&functions->registered, name) != NULL)
        return PT_OK;
    PT_TRY(register_set(functions, connection, first, decimal, name, err));
    return pt__map_set(&functions->registered, name, functions, NULL)
               ? PT_OK
               : pt_error_set(err, PT_NO_MEMORY, "no memory for the functions");
}

static pt_status register_aggregates(pt__functions *functions, duckdb_connection connection, bool is_whole,
                                     pt_error *err)
{
    if (functions->has_aggregates[is_whole])
        return PT_OK;
    PT_TRY(pt__duckdb_register_aggregates(connection, is_whole, err));
    functions->has_aggregates[is_whole] = true;
    return PT_OK;
}

static pt_status register_all(pt__functions *functions, duckdb_connection connection, pt_error *err)
{
    for (size_t first = 0; first < ROW_COUNT; first++)
        if (!is_decimal(first))
            PT_TRY(register_once(functions, connection, first, (decimal_type){0, 0}, ROWS[first].name, err));
    PT_TRY(register_aggregates(functions, connection, false, err));
    PT_TRY(register_aggregates(functions, connection, true, err));
    functions->has_all = true;
    return PT_OK;
}

/* The names in a statement. */

static const char PREFIX[] = "spark_";

/** The next word that starts like our functions; false: none. Words too long for a name are passed over. */
static bool next_name(const char **at, char name[NAME_MAX_BYTES])
{
    for (const char *start = strstr(*at, PREFIX); start != NULL; start = strstr(*at, PREFIX)) {
        size_t size = 0;
        while (isalnum((unsigned char)start[size]) || start[size] == '_')
            size++;
        *at = start + size;
        if (size >= NAME_MAX_BYTES)
            continue;
        memcpy(name, start, size);
        name[size] = '\0';
        return true;
    }
    return false;
}

/** Reads `_precision_scale`, all of `text`. */
static bool read_decimal(const char *text, decimal_type *out)
{
    int size = 0;
    // NOLINTNEXTLINE(cert-err34-c): two digits at most
    bool fits = sscanf(text, "_%2d_%2d%n", &out->precision, &out->scale, &size) == 2 && text[size] == '\0';
    return fits && out->precision >= 1 && out->precision <= DIGITS_MAX && out->scale >= 0 &&
           out->scale <= out->precision;
}

/** Whether the row is meant by `name`, which for a row with decimal results ends in their type. */
static bool row_is(size_t row, const char *name, decimal_type *decimal)
{
    size_t size = strlen(ROWS[row].name);
    *decimal = (decimal_type){0, 0};
    if (strncmp(ROWS[row].name, name, size) != 0)
        return false;
    return is_decimal(row) ? read_decimal(name + size, decimal) : name[size] == '\0';
}

static bool is_aggregate(const char *name)
{
    return strncmp(name, PT_AGGREGATE_PREFIX, strlen(PT_AGGREGATE_PREFIX)) == 0;
}

static bool is_whole(const char *aggregate)
{
    return strncmp(aggregate, PT_WHOLE_AGGREGATE_PREFIX, strlen(PT_WHOLE_AGGREGATE_PREFIX)) == 0;
}

static void strip_row_suffix(const char *name, char out[NAME_MAX_BYTES])
{
    size_t suffix = has_row_suffix(name) ? sizeof(ROW_SUFFIX) - 1 : 0;
    snprintf(out, NAME_MAX_BYTES, "%.*s", (int)(strlen(name) - suffix), name);
}

/** Text in quotes may look like a name of ours; what is none is left to DuckDB. */
static pt_status register_name(pt__functions *functions, duckdb_connection connection, const char *name, pt_error *err)
{
    decimal_type decimal;
    char plain[NAME_MAX_BYTES];
    strip_row_suffix(name, plain);
    if (is_aggregate(name))
        return register_aggregates(functions, connection, is_whole(name), err);
    for (size_t row = 0; row < ROW_COUNT; row++)
        if (row_is(row, plain, &decimal))
            return register_once(functions, connection, row, decimal, name, err);
    return PT_OK;
}

static bool is_registered(const pt__functions *functions, const char *name)
{
    decimal_type decimal;
    if (pt__map_get(&functions->registered, name) != NULL ||
        (is_aggregate(name) && functions->has_aggregates[is_whole(name)]))
        return true;
    char plain[NAME_MAX_BYTES];
    bool is_ours = is_aggregate(name);
    strip_row_suffix(name, plain);
    for (size_t row = 0; row < ROW_COUNT && !is_ours; row++)
        is_ours = row_is(row, plain, &decimal);
    return !is_ours;
}

/* Public. */

static services *enter_services(pt__zones *zones, uint64_t made_limit_bytes)
{
    services *shared = calloc(1, sizeof(*shared));
    if (shared == NULL)
        return NULL;
    shared->own_zones = zones == NULL;
    shared->made_limit_bytes = made_limit_bytes;
    shared->zones = zones == NULL ? pt__zones_new(NULL) : zones;
    atomic_init(&shared->users, 1);
    if (shared->zones != NULL)
        return shared;
    free(shared);
    return NULL;
}

pt_status pt__functions_new(pt__zones *zones, uint64_t made_limit_bytes, pt__functions **out, pt_error *err)
{
    pt__functions *functions = calloc(1, sizeof(*functions));
    services *shared = enter_services(zones, made_limit_bytes);
    if (functions == NULL || shared == NULL) {
        if (shared != NULL)
            leave_services(shared);
        free(functions);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the functions");
    }
    functions->shared = shared;
    pthread_mutex_init(&functions->mutex, NULL);
    *out = functions;
    return PT_OK;
}

void pt__functions_free(pt__functions *functions)
{
    if (functions == NULL)
        return;
    leave_services(functions->shared);
    pt__map_deinit(&functions->registered);
    pthread_mutex_destroy(&functions->mutex);
    free(functions);
}

bool pt__functions_has(pt__functions *functions, const char *sql)
{
    char name[NAME_MAX_BYTES];
    pthread_mutex_lock(&functions->mutex);
    bool has = functions->has_all || sql != NULL;
    while (has && sql != NULL && next_name(&sql, name))
        has = is_registered(functions, name);
    pthread_mutex_unlock(&functions->mutex);
    return has;
}

pt_status pt__functions_register(pt__functions *functions, duckdb_connection connection, const char *sql, pt_error *err)
{
    char name[NAME_MAX_BYTES];
    pt_status status = PT_OK;
    pthread_mutex_lock(&functions->mutex);
    if (sql == NULL)
        status = register_all(functions, connection, err);
    while (sql != NULL && status == PT_OK && next_name(&sql, name))
        status = register_name(functions, connection, name, err);
    pthread_mutex_unlock(&functions->mutex);
    return status;
}

pt_status pt__functions_register_here(pt__functions *functions, duckdb_connection connection, const char *sql,
                                      pt_error *err)
{
    char name[NAME_MAX_BYTES];
    decimal_type decimal;
    pt_status status = PT_OK;
    pthread_mutex_lock(&functions->mutex);
    while (status == PT_OK && next_name(&sql, name)) {
        bool known = pt__map_get(&functions->registered, name) != NULL;
        for (size_t row = 0; !known && status == PT_OK && row < ROW_COUNT; row++)
            if (is_decimal(row) && row_is(row, name, &decimal))
                status = register_set(functions, connection, row, decimal, name, err);
    }
    pthread_mutex_unlock(&functions->mutex);
    return status;
}
