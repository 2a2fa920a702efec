#include "backend/duckdb/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * portico_local(key): the rows of a pt_local_data as columns l0, l1, … DuckDB reads the Arrow buffers where they are;
 * intervals, whose layout is that of a number, are shown to it as numbers.
 */

enum { ROWS_PER_THREAD = 50000 };

typedef struct bound {
    pt__duckdb *database;
    duckdb_connection connection; /* for its conversion settings */
    const pt_local_data *data;
    struct ArrowSchema *columns; /* our version of each column's schema */
    size_t column_count;
    duckdb_arrow_converted_schema *converted; /* per column */
} bound;

typedef struct scan {
    idx_t *projection;
    size_t column_count;
    pthread_mutex_t mutex; /* guards the position */
    size_t batch;
    int64_t row;
} scan;

/* ---- schemas ---- */

static void keep_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void free_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        free_schema(schema->children[i]);
        free(schema->children[i]);
    }
    if (schema->dictionary != NULL) {
        free_schema(schema->dictionary);
        free(schema->dictionary);
    }
    free(schema->children);
    schema->children = NULL;
    schema->n_children = 0;
}

static const char *format_for_engine(const char *format)
{
    if (strcmp(format, "tiM") == 0)
        return "i";
    if (strncmp(format, "tD", 2) == 0)
        return "l";
    return format;
}

static bool copy_schema(const struct ArrowSchema *from, struct ArrowSchema *to)
{
    *to = *from;
    to->format = format_for_engine(from->format);
    to->metadata = NULL;
    to->release = keep_schema;
    to->children = NULL;
    to->n_children = 0;
    to->dictionary = NULL;
    if (from->n_children > 0) {
        to->children = calloc((size_t)from->n_children, sizeof(*to->children));
        if (to->children == NULL)
            return false;
    }
    for (int64_t i = 0; i < from->n_children; i++) {
        to->children[i] = calloc(1, sizeof(**to->children));
        if (to->children[i] == NULL || !copy_schema(from->children[i], to->children[i]))
            return false;
        to->n_children = i + 1;
    }
    if (from->dictionary == NULL)
        return true;
    to->dictionary = calloc(1, sizeof(*to->dictionary));
    return to->dictionary != NULL && copy_schema(from->dictionary, to->dictionary);
}

/* ---- arrays ---- */

/* A struct array of one column, that DuckDB takes as its own; the buffers stay ours. */
typedef struct slice {
    struct ArrowArray parent;
    struct ArrowArray column;
    struct ArrowArray *children[1];
} slice;

static void free_slice(struct ArrowArray *array)
{
    free(array->private_data);
    array->release = NULL;
}

static void keep_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static slice *make_slice(const struct ArrowArray *batch, size_t column, int64_t row, int64_t count)
{
    slice *made = calloc(1, sizeof(*made));
    if (made == NULL)
        return NULL;
    made->column = *batch->children[column];
    made->column.offset += batch->offset + row;
    made->column.length = count;
    made->column.null_count = batch->children[column]->null_count == 0 ? 0 : -1;
    made->column.release = keep_array;
    made->children[0] = &made->column;
    made->parent = (struct ArrowArray){.length = count,
                                       .n_buffers = 0,
                                       .n_children = 1,
                                       .children = made->children,
                                       .release = free_slice,
                                       .private_data = made};
    return made;
}

/* A chunk of one column; the error's message goes to `fail`. */
static duckdb_data_chunk make_chunk(const bound *b, const struct ArrowArray *batch, size_t column, int64_t row,
                                    int64_t count, duckdb_error_data *error)
{
    duckdb_data_chunk chunk = NULL;
    slice *made = make_slice(batch, column, row, count);
    if (made == NULL) {
        *error = duckdb_create_error_data(DUCKDB_ERROR_OUT_OF_MEMORY, "no memory to read local rows");
        return NULL;
    }
    struct ArrowArray parent = made->parent;
    *error = duckdb_data_chunk_from_arrow(b->connection, &parent, b->converted[column], &chunk);
    if (parent.release != NULL) /* not taken */
        parent.release(&parent);
    return chunk;
}

static bool failed(duckdb_error_data *error, char *message, size_t size)
{
    bool has_error = *error != NULL && duckdb_error_data_has_error(*error);
    if (has_error)
        snprintf(message, size, "%s", duckdb_error_data_message(*error));
    if (*error != NULL)
        duckdb_destroy_error_data(error);
    return has_error;
}

/* ---- columns ---- */

static const struct ArrowArray *first_rows(const pt_local_data *data)
{
    for (size_t i = 0; i < data->batch_count; i++) {
        if (data->batches[i]->length > 0)
            return data->batches[i];
    }
    return NULL;
}

/* The type of a column is that of a chunk made from its first row. */
static bool add_result_column(duckdb_bind_info info, const bound *b, size_t index)
{
    char message[256];
    duckdb_error_data error = NULL;
    duckdb_data_chunk chunk = make_chunk(b, first_rows(b->data), index, 0, 1, &error);
    if (failed(&error, message, sizeof(message))) {
        duckdb_bind_set_error(info, message);
        return false;
    }
    char name[32];
    snprintf(name, sizeof(name), "l%zu", index);
    duckdb_logical_type type = duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(chunk, 0));
    duckdb_bind_add_result_column(info, name, type);
    duckdb_destroy_logical_type(&type);
    duckdb_destroy_data_chunk(&chunk);
    return true;
}

static bool bind_column(duckdb_bind_info info, bound *b, size_t index)
{
    char message[256];
    struct ArrowSchema *children[1] = {&b->columns[index]};
    struct ArrowSchema schema = {
        .format = "+s", .name = "", .n_children = 1, .children = children, .release = keep_schema};
    duckdb_error_data error = duckdb_schema_from_arrow(b->connection, &schema, &b->converted[index]);
    if (failed(&error, message, sizeof(message))) {
        duckdb_bind_set_error(info, message);
        return false;
    }
    return add_result_column(info, b, index);
}

static bool bind_columns(duckdb_bind_info info, bound *b)
{
    size_t count = (size_t)b->data->schema->n_children;
    b->columns = calloc(count + 1, sizeof(*b->columns));
    b->converted = calloc(count + 1, sizeof(*b->converted));
    if (b->columns == NULL || b->converted == NULL) {
        duckdb_bind_set_error(info, "no memory to read local rows");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        bool copied = copy_schema(b->data->schema->children[i], &b->columns[i]);
        b->column_count = i + 1;
        if (!copied || !bind_column(info, b, i))
            return false;
    }
    return true;
}

static void free_bound(void *context)
{
    bound *b = context;
    for (size_t i = 0; i < b->column_count; i++) {
        if (b->converted[i] != NULL)
            duckdb_destroy_arrow_converted_schema(&b->converted[i]);
        free_schema(&b->columns[i]);
    }
    free(b->converted);
    free(b->columns);
    if (b->connection != NULL)
        pt__duckdb_return(b->database, b->connection);
    free(b);
}

static void bind_rows(duckdb_bind_info info)
{
    pt__duckdb *database = duckdb_bind_get_extra_info(info);
    duckdb_value parameter = duckdb_bind_get_parameter(info, 0);
    const pt_local_data *data = pt__local_find(database, duckdb_get_uint64(parameter));
    duckdb_destroy_value(&parameter);
    bound *b = calloc(1, sizeof(*b));
    if (data == NULL || first_rows(data) == NULL || b == NULL) {
        free(b);
        duckdb_bind_set_error(info, "there are no local rows under this key");
        return;
    }
    b->database = database;
    b->data = data;
    duckdb_bind_set_bind_data(info, b, free_bound);
    if (pt__duckdb_borrow(database, &b->connection, NULL) != PT_OK) {
        duckdb_bind_set_error(info, "no connection to read local rows");
        return;
    }
    if (bind_columns(info, b))
        duckdb_bind_set_cardinality(info, (idx_t)data->row_count, true);
}

/* ---- scanning ---- */

static void free_scan(void *context)
{
    scan *s = context;
    pthread_mutex_destroy(&s->mutex);
    free(s->projection);
    free(s);
}

static void init_scan(duckdb_init_info info)
{
    const bound *b = duckdb_init_get_bind_data(info);
    idx_t count = duckdb_init_get_column_count(info);
    scan *s = calloc(1, sizeof(*s));
    idx_t *projection = calloc(count + 1, sizeof(*projection));
    if (s == NULL || projection == NULL) {
        free(s);
        free(projection);
        duckdb_init_set_error(info, "no memory to read local rows");
        return;
    }
    for (idx_t i = 0; i < count; i++)
        projection[i] = duckdb_init_get_column_index(info, i);
    pthread_mutex_init(&s->mutex, NULL);
    s->projection = projection;
    s->column_count = count;
    duckdb_init_set_init_data(info, s, free_scan);
    duckdb_init_set_max_threads(info, 1 + (idx_t)b->data->row_count / ROWS_PER_THREAD);
}

/* The next rows of one batch, at most a vector of them; false at the end. */
static bool take_rows(scan *s, const pt_local_data *data, const struct ArrowArray **batch, int64_t *row, int64_t *count)
{
    int64_t vector = (int64_t)duckdb_vector_size();
    pthread_mutex_lock(&s->mutex);
    while (s->batch < data->batch_count && s->row >= data->batches[s->batch]->length) {
        s->batch++;
        s->row = 0;
    }
    bool any = s->batch < data->batch_count;
    if (any) {
        int64_t left = data->batches[s->batch]->length - s->row;
        *batch = data->batches[s->batch];
        *row = s->row;
        *count = left < vector ? left : vector;
        s->row += *count;
    }
    pthread_mutex_unlock(&s->mutex);
    return any;
}

static void scan_rows(duckdb_function_info info, duckdb_data_chunk output)
{
    const bound *b = duckdb_function_get_bind_data(info);
    scan *s = duckdb_function_get_init_data(info);
    const struct ArrowArray *batch;
    int64_t row;
    int64_t count;
    if (!take_rows(s, b->data, &batch, &row, &count)) {
        duckdb_data_chunk_set_size(output, 0);
        return;
    }
    for (size_t i = 0; i < s->column_count; i++) {
        char message[256];
        duckdb_error_data error = NULL;
        if (s->projection[i] >= b->column_count) /* counting rows needs no column */
            continue;
        duckdb_data_chunk chunk = make_chunk(b, batch, s->projection[i], row, count, &error);
        if (failed(&error, message, sizeof(message))) {
            duckdb_function_set_error(info, message);
            return;
        }
        duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(output, i), duckdb_data_chunk_get_vector(chunk, 0));
        duckdb_destroy_data_chunk(&chunk);
    }
    duckdb_data_chunk_set_size(output, (idx_t)count);
}

pt_status pt__local_register_function(pt__duckdb *self, duckdb_connection connection, pt_error *err)
{
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_logical_type key = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
    duckdb_table_function_set_name(function, "portico_local");
    duckdb_table_function_add_parameter(function, key);
    duckdb_table_function_set_extra_info(function, self, NULL);
    duckdb_table_function_set_bind(function, bind_rows);
    duckdb_table_function_set_init(function, init_scan);
    duckdb_table_function_set_function(function, scan_rows);
    duckdb_table_function_supports_projection_pushdown(function, true);
    duckdb_state state = duckdb_register_table_function(connection, function);
    duckdb_destroy_logical_type(&key);
    duckdb_destroy_table_function(&function);
    return state == DuckDBSuccess ? PT_OK : pt_error_set(err, PT_INTERNAL, "DuckDB refused portico_local");
}
