#include "backend/duckdb/engine.h"
#include "backend/duckdb/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * portico_lines(paths, whole, header): the lines of text files as column `line`, or whole files; without the first
 * line of each file when `header` is true. Lines end with \n, \r\n or \r. Threads share out ranges of the files: a
 * range has the lines that begin in it.
 */

enum { READ_BYTES = 1 << 20 };
static const int64_t RANGE_BYTES = INT64_C(16) << 20;

typedef struct line_bound {
    char **paths;
    size_t path_count;
    bool whole;
    bool has_header;
    duckdb_client_context context;
} line_bound;

/* What is not yet shared out. */
typedef struct line_work {
    pthread_mutex_t mutex;
    size_t path;        /* being shared out */
    int64_t offset;     /* of its next range */
    int64_t size_bytes; /* of that file; negative: not asked yet */
} line_work;

/* A thread's range. */
typedef struct line_reader {
    duckdb_file_system files;
    pt__text_file *file; /* NULL: none open */
    char *data;
    size_t size_bytes;
    size_t capacity_bytes;
    size_t start;     /* of what is not handed out */
    int64_t position; /* in the file, of data[start] */
    int64_t end;      /* lines that begin here are another range's */
    bool at_end;      /* the file has no more bytes */
} line_reader;

/* ---- binding ---- */

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

static bool flag_parameter(duckdb_bind_info info, idx_t index)
{
    duckdb_value value = duckdb_bind_get_parameter(info, index);
    bool flag = duckdb_get_bool(value);
    duckdb_destroy_value(&value);
    return flag;
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
    bool ok = copy_paths(paths, b);
    duckdb_destroy_value(&paths);
    b->whole = flag_parameter(info, 1);
    b->has_header = flag_parameter(info, 2);
    duckdb_table_function_get_client_context(info, &b->context);
    if (!ok)
        duckdb_bind_set_error(info, "no memory to read text");
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_bind_add_result_column(info, "line", text);
    duckdb_destroy_logical_type(&text);
}

/* ---- states ---- */

static void free_work(void *context)
{
    line_work *work = context;
    pthread_mutex_destroy(&work->mutex);
    free(work);
}

static void init_work(duckdb_init_info info)
{
    line_work *work = calloc(1, sizeof(*work));
    if (work == NULL) {
        duckdb_init_set_error(info, "no memory to read text");
        return;
    }
    pthread_mutex_init(&work->mutex, NULL);
    work->size_bytes = -1;
    duckdb_init_set_init_data(info, work, free_work);
    duckdb_init_set_max_threads(info, 64);
}

static void free_reader(void *context)
{
    line_reader *reader = context;
    pt__text_file_close(reader->file);
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

/* ---- bytes ---- */

static bool fail(duckdb_function_info info, pt_error *err)
{
    duckdb_function_set_error(info, err->message);
    pt_error_clear(err);
    return false;
}

/* More bytes behind those not handed out. */
static bool read_more(duckdb_function_info info, line_reader *reader)
{
    pt_error err = PT_ERROR_INIT;
    size_t left = reader->size_bytes - reader->start;
    if (reader->start > 0)
        memmove(reader->data, reader->data + reader->start, left);
    reader->start = 0;
    reader->size_bytes = left;
    if (reader->capacity_bytes < left + READ_BYTES) {
        size_t capacity =
            reader->capacity_bytes * 2 > left + READ_BYTES ? reader->capacity_bytes * 2 : left + READ_BYTES;
        char *grown = realloc(reader->data, capacity);
        if (grown == NULL) {
            duckdb_function_set_error(info, "no memory to read text");
            return false;
        }
        reader->data = grown;
        reader->capacity_bytes = capacity;
    }
    int64_t count = pt__text_file_read(reader->file, reader->data + left, READ_BYTES, &err);
    if (count < 0)
        return fail(info, &err);
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

/* The next line of the range, or all of the file; false at its end or after an error. */
static bool next_text(duckdb_function_info info, line_reader *reader, bool whole, const char **text, size_t *size)
{
    size_t skip = 0;
    while (whole || reader->position < reader->end) {
        const char *start = reader->data + reader->start;
        size_t left = reader->size_bytes - reader->start;
        bool found = whole ? reader->at_end : find_end(start, left, reader->at_end, size, &skip);
        if (whole && found)
            *size = left;
        if (found && (*size + skip > 0 || whole)) {
            *text = start;
            reader->start += *size + skip;
            reader->position += (int64_t)(*size + skip);
            return true;
        }
        if (reader->at_end || !read_more(info, reader))
            return false;
    }
    return false;
}

/* ---- ranges ---- */

static void close_file(line_reader *reader)
{
    pt__text_file_close(reader->file);
    reader->file = NULL;
}

static bool open_range(duckdb_function_info info, line_reader *reader, const char *path, int64_t from, int64_t to)
{
    pt_error err = PT_ERROR_INIT;
    /* One byte early: a line that begins right at the range's start is told by what ends before it. */
    int64_t offset = from > 0 ? from - 1 : 0;
    if (pt__text_file_open(reader->files, path, offset, &reader->file, &err) != PT_OK)
        return fail(info, &err);
    reader->at_end = false;
    reader->start = 0;
    reader->size_bytes = 0;
    reader->position = offset;
    reader->end = to;
    return true;
}

static bool ask_size(duckdb_function_info info, line_reader *reader, const char *path, int64_t *out)
{
    pt_error err = PT_ERROR_INIT;
    pt__text_file *file;
    if (pt__text_file_open(reader->files, path, 0, &file, &err) != PT_OK)
        return fail(info, &err);
    *out = pt__text_file_size(file);
    pt__text_file_close(file);
    return true;
}

/* Takes a range that nobody has; false when there is none, or after an error. The mutex is held. */
static bool take_range(duckdb_function_info info, line_reader *reader, line_work *work, const line_bound *b,
                       size_t *path, int64_t *from, int64_t *to)
{
    while (work->path < b->path_count) {
        const char *name = b->paths[work->path];
        bool is_one = b->whole || pt__text_file_is_compressed(name);
        if (work->size_bytes < 0 && !is_one && !ask_size(info, reader, name, &work->size_bytes))
            return false;
        bool has_more = is_one ? work->offset == 0 : work->offset < work->size_bytes;
        if (has_more) {
            *path = work->path;
            *from = work->offset;
            *to = is_one ? INT64_MAX : work->offset + RANGE_BYTES;
            work->offset = *to;
            return true;
        }
        work->path++;
        work->offset = 0;
        work->size_bytes = -1;
    }
    return false;
}

static bool open_next(duckdb_function_info info, line_reader *reader)
{
    const line_bound *b = duckdb_function_get_bind_data(info);
    line_work *work = duckdb_function_get_init_data(info);
    size_t path;
    int64_t from;
    int64_t to;
    pthread_mutex_lock(&work->mutex);
    bool taken = take_range(info, reader, work, b, &path, &from, &to);
    pthread_mutex_unlock(&work->mutex);
    if (!taken || !open_range(info, reader, b->paths[path], from, to))
        return false;
    const char *ignored;
    size_t size;
    if (from > 0 || (b->has_header && !b->whole)) /* the end of another range's line, or the header */
        next_text(info, reader, false, &ignored, &size);
    return true;
}

/* ---- rows ---- */

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
    duckdb_table_function_add_parameter(function, flag);
    duckdb_table_function_set_bind(function, bind_lines);
    duckdb_table_function_set_init(function, init_work);
    duckdb_table_function_set_local_init(function, init_reader);
    duckdb_table_function_set_function(function, scan_lines);
    duckdb_state state = duckdb_register_table_function(connection, function);
    duckdb_destroy_logical_type(&text);
    duckdb_destroy_logical_type(&paths);
    duckdb_destroy_logical_type(&flag);
    duckdb_destroy_table_function(&function);
    return state == DuckDBSuccess ? PT_OK : pt_error_set(err, PT_INTERNAL, "DuckDB refused portico_lines");
}
