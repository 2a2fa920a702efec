#include "backend/duckdb/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * portico_lines(paths, whole): the lines of text files as column `line`, or whole files. Lines end with \n, \r\n or
 * \r. DuckDB's file system reads, so that the list of allowed folders counts. Files are shared among threads.
 */

enum { READ_BYTES = 1 << 20 };

typedef struct line_bound {
    char **paths;
    size_t path_count;
    bool whole;
    duckdb_client_context context;
} line_bound;

typedef struct line_files {
    pthread_mutex_t mutex;         /* guards `next` */
    size_t next;
} line_files;

/* A thread's file. */
typedef struct line_reader {
    duckdb_file_system files;
    duckdb_file_handle file;       /* NULL: none open */
    char *data;
    size_t size_bytes;
    size_t capacity_bytes;
    size_t start;                  /* of what is not handed out */
    bool at_end;                   /* the file has no more bytes */
} line_reader;

static void free_bound(void *context)
{
    line_bound *b = context;
    for (size_t i = 0; i < b->path_count; i++)
        free(b->paths[i]);
    free(b->paths);
    if (b->context != NULL)
        duckdb_destroy_client_context(&b->context);
    free(b);
}

static bool copy_paths(duckdb_value list, line_bound *b)
{
    size_t count = duckdb_get_list_size(list);
    b->paths = calloc(count + 1, sizeof(*b->paths));
    for (size_t i = 0; b->paths != NULL && i < count; i++) {
        duckdb_value item = duckdb_get_list_child(list, i);
        char *path = duckdb_get_varchar(item);
        b->paths[i] = path == NULL ? NULL : strdup(path);
        b->path_count = i + 1;
        duckdb_free(path);
        duckdb_destroy_value(&item);
        if (b->paths[i] == NULL)
            return false;
    }
    return b->paths != NULL;
}

static void bind_lines(duckdb_bind_info info)
{
    line_bound *b = calloc(1, sizeof(*b));
    if (b == NULL) {
        duckdb_bind_set_error(info, "no memory to read text");
        return;
    }
    duckdb_bind_set_bind_data(info, b, free_bound);
    duckdb_value paths = duckdb_bind_get_parameter(info, 0);
    duckdb_value whole = duckdb_bind_get_parameter(info, 1);
    bool ok = copy_paths(paths, b);
    b->whole = duckdb_get_bool(whole);
    duckdb_destroy_value(&paths);
    duckdb_destroy_value(&whole);
    duckdb_table_function_get_client_context(info, &b->context);
    if (!ok)
        duckdb_bind_set_error(info, "no memory to read text");
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_bind_add_result_column(info, "line", text);
    duckdb_destroy_logical_type(&text);
}

static void free_files(void *context)
{
    line_files *files = context;
    pthread_mutex_destroy(&files->mutex);
    free(files);
}

static void init_files(duckdb_init_info info)
{
    const line_bound *b = duckdb_init_get_bind_data(info);
    line_files *files = calloc(1, sizeof(*files));
    if (files == NULL) {
        duckdb_init_set_error(info, "no memory to read text");
        return;
    }
    pthread_mutex_init(&files->mutex, NULL);
    duckdb_init_set_init_data(info, files, free_files);
    duckdb_init_set_max_threads(info, b->path_count == 0 ? 1 : b->path_count);
}

static void free_reader(void *context)
{
    line_reader *reader = context;
    if (reader->file != NULL)
        duckdb_destroy_file_handle(&reader->file);
    if (reader->files != NULL)
        duckdb_destroy_file_system(&reader->files);
    free(reader->data);
    free(reader);
}

static void init_reader(duckdb_init_info info)
{
    const line_bound *b = duckdb_init_get_bind_data(info);
    line_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        duckdb_init_set_error(info, "no memory to read text");
        return;
    }
    reader->files = duckdb_client_context_get_file_system(b->context);
    duckdb_init_set_init_data(info, reader, free_reader);
}

static bool open_path(duckdb_function_info info, line_reader *reader, const char *path)
{
    duckdb_file_open_options options = duckdb_create_file_open_options();
    duckdb_file_open_options_set_flag(options, DUCKDB_FILE_FLAG_READ, true);
    duckdb_state state = duckdb_file_system_open(reader->files, path, options, &reader->file);
    duckdb_destroy_file_open_options(&options);
    reader->at_end = false;
    reader->start = 0;
    reader->size_bytes = 0;
    if (state == DuckDBSuccess)
        return true;
    duckdb_error_data error = duckdb_file_system_error_data(reader->files);
    duckdb_function_set_error(info, duckdb_error_data_message(error));
    duckdb_destroy_error_data(&error);
    return false;
}

/* The next file nobody reads; false when there is none, or after an error. */
static bool open_next(duckdb_function_info info, line_reader *reader)
{
    const line_bound *b = duckdb_function_get_bind_data(info);
    line_files *files = duckdb_function_get_init_data(info);
    pthread_mutex_lock(&files->mutex);
    size_t index = files->next++;
    pthread_mutex_unlock(&files->mutex);
    return index < b->path_count && open_path(info, reader, b->paths[index]);
}

/* More bytes behind those not handed out; false after an error. */
static bool read_more(duckdb_function_info info, line_reader *reader)
{
    size_t left = reader->size_bytes - reader->start;
    if (reader->start > 0)
        memmove(reader->data, reader->data + reader->start, left);
    reader->start = 0;
    reader->size_bytes = left;
    if (reader->capacity_bytes < left + READ_BYTES) {
        size_t capacity = reader->capacity_bytes * 2 > left + READ_BYTES ? reader->capacity_bytes * 2 : left + READ_BYTES;
        char *grown = realloc(reader->data, capacity);
        if (grown == NULL) {
            duckdb_function_set_error(info, "no memory to read text");
            return false;
        }
        reader->data = grown;
        reader->capacity_bytes = capacity;
    }
    int64_t count = duckdb_file_handle_read(reader->file, reader->data + left, READ_BYTES);
    if (count < 0) {
        duckdb_function_set_error(info, "IO Error: a text file could not be read");
        return false;
    }
    reader->size_bytes += (size_t)count;
    reader->at_end = count == 0;
    return true;
}

/* The length of the line at `text` and, in *skip, of its end; false when the end is not in sight. */
static bool find_end(const char *text, size_t size, bool at_end, size_t *length, size_t *skip)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '\n' && text[i] != '\r')
            continue;
        if (text[i] == '\r' && i + 1 == size && !at_end)
            return false;
        *length = i;
        *skip = text[i] == '\r' && i + 1 < size && text[i + 1] == '\n' ? 2 : 1;
        return true;
    }
    *length = size;
    *skip = 0;
    return at_end;
}

static bool put_line(duckdb_function_info info, duckdb_vector vector, idx_t row, const char *text, size_t size)
{
    duckdb_error_data error = duckdb_valid_utf8_check(text, size);
    if (error != NULL && duckdb_error_data_has_error(error)) {
        duckdb_destroy_error_data(&error);
        duckdb_function_set_error(info, "a text file is not UTF-8");
        return false;
    }
    duckdb_destroy_error_data(&error);
    duckdb_unsafe_vector_assign_string_element_len(vector, row, text, size);
    return true;
}

static void close_file(line_reader *reader)
{
    duckdb_destroy_file_handle(&reader->file);
    reader->file = NULL;
}

/* The next line, or the whole file; false at its end or after an error. */
static bool next_text(duckdb_function_info info, line_reader *reader, bool whole, const char **text, size_t *size)
{
    size_t skip = 0;
    for (;;) {
        const char *start = reader->data + reader->start;
        size_t left = reader->size_bytes - reader->start;
        bool found = whole ? reader->at_end : find_end(start, left, reader->at_end, size, &skip);
        if (whole && found)
            *size = left;
        if (found && (left > 0 || whole)) {
            *text = start;
            reader->start += *size + skip;
            return true;
        }
        if (reader->at_end || !read_more(info, reader))
            return false;
    }
}

static void scan_lines(duckdb_function_info info, duckdb_data_chunk output)
{
    const line_bound *b = duckdb_function_get_bind_data(info);
    line_reader *reader = duckdb_function_get_local_init_data(info);
    duckdb_vector vector = duckdb_data_chunk_get_vector(output, 0);
    idx_t limit = duckdb_vector_size();
    idx_t row = 0;
    while (row == 0 || (row < limit && reader->file != NULL)) {
        const char *text;
        size_t size;
        if (reader->file == NULL && !open_next(info, reader))
            break;
        if (!next_text(info, reader, b->whole, &text, &size)) {
            close_file(reader);
            continue;
        }
        if (!put_line(info, vector, row, text, size))
            break;
        row++;
        if (b->whole)
            close_file(reader);
    }
    duckdb_data_chunk_set_size(output, row);
}

pt_status pt__lines_register_function(duckdb_connection connection, pt_error *err)
{
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_logical_type paths = duckdb_create_list_type(text);
    duckdb_logical_type flag = duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN);
    duckdb_table_function_set_name(function, "portico_lines");
    duckdb_table_function_add_parameter(function, paths);
    duckdb_table_function_add_parameter(function, flag);
    duckdb_table_function_set_bind(function, bind_lines);
    duckdb_table_function_set_init(function, init_files);
    duckdb_table_function_set_local_init(function, init_reader);
    duckdb_table_function_set_function(function, scan_lines);
    duckdb_state state = duckdb_register_table_function(connection, function);
    duckdb_destroy_logical_type(&text);
    duckdb_destroy_logical_type(&paths);
    duckdb_destroy_logical_type(&flag);
    duckdb_destroy_table_function(&function);
    return state == DuckDBSuccess ? PT_OK : pt_error_set(err, PT_INTERNAL, "DuckDB refused portico_lines");
}
