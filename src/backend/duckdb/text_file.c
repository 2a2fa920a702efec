#include "backend/duckdb/text_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum { INPUT_BYTES = 256 << 10 };

struct pt__text_file {
    duckdb_file_handle handle;
    bool is_compressed;
    bool at_end; /* of the compressed bytes */
    z_stream zlib;
    char *input;
};

bool pt__text_file_is_compressed(const char *path)
{
    size_t size = strlen(path);
    return size > 3 && strcasecmp(path + size - 3, ".gz") == 0;
}

static pt_status start_zlib(pt__text_file *file, pt_error *err)
{
    file->input = malloc(INPUT_BYTES);
    if (file->input == NULL || inflateInit2(&file->zlib, 15 + 32) != Z_OK)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read a compressed file");
    file->is_compressed = true;
    return PT_OK;
}

static pt_status open_handle(duckdb_file_system files, const char *path, duckdb_file_handle *out, pt_error *err)
{
    duckdb_file_open_options options = duckdb_create_file_open_options();
    duckdb_file_open_options_set_flag(options, DUCKDB_FILE_FLAG_READ, true);
    duckdb_state state = duckdb_file_system_open(files, path, options, out);
    duckdb_destroy_file_open_options(&options);
    if (state == DuckDBSuccess)
        return PT_OK;
    duckdb_error_data error = duckdb_file_system_error_data(files);
    pt_error_set(err, PT_IO, "%s", duckdb_error_data_message(error));
    duckdb_destroy_error_data(&error);
    return PT_IO;
}

pt_status pt__text_file_open(duckdb_file_system files, const char *path, int64_t offset, pt__text_file **out,
                             pt_error *err)
{
    pt__text_file *file = calloc(1, sizeof(*file));
    if (file == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read a file");
    pt_status status = open_handle(files, path, &file->handle, err);
    if (status == PT_OK && pt__text_file_is_compressed(path))
        status = start_zlib(file, err);
    else if (status == PT_OK && offset > 0 && duckdb_file_handle_seek(file->handle, offset) != DuckDBSuccess)
        status = pt_error_set(err, PT_IO, "cannot read %s from its middle on", path);
    if (status != PT_OK) {
        pt__text_file_close(file);
        return status;
    }
    *out = file;
    return PT_OK;
}

void pt__text_file_close(pt__text_file *file)
{
    if (file == NULL)
        return;
    if (file->is_compressed)
        inflateEnd(&file->zlib);
    free(file->input);
    if (file->handle != NULL)
        duckdb_destroy_file_handle(&file->handle);
    free(file);
}

int64_t pt__text_file_size(pt__text_file *file)
{
    return duckdb_file_handle_size(file->handle);
}

static bool fill_input(pt__text_file *file)
{
    int64_t count = duckdb_file_handle_read(file->handle, file->input, INPUT_BYTES);
    if (count < 0)
        return false;
    file->at_end = count == 0;
    file->zlib.next_in = (Bytef *)file->input;
    file->zlib.avail_in = (uInt)count;
    return true;
}

/* A file may hold several compressed members, one after the other. */
static int64_t inflate_some(pt__text_file *file, char *out, size_t size_bytes, pt_error *err)
{
    file->zlib.next_out = (Bytef *)out;
    file->zlib.avail_out = (uInt)size_bytes;
    while (file->zlib.avail_out == size_bytes && !(file->at_end && file->zlib.avail_in == 0)) {
        if (file->zlib.avail_in == 0 && !fill_input(file))
            return pt_error_set(err, PT_IO, "a compressed file could not be read"), -1;
        if (file->zlib.avail_in == 0)
            break;
        int result = inflate(&file->zlib, Z_NO_FLUSH);
        if (result == Z_STREAM_END)
            result = inflateReset(&file->zlib);
        if (result != Z_OK && result != Z_BUF_ERROR)
            return pt_error_set(err, PT_IO, "a compressed file is damaged"), -1;
    }
    return (int64_t)(size_bytes - file->zlib.avail_out);
}

int64_t pt__text_file_read(pt__text_file *file, char *out, size_t size_bytes, pt_error *err)
{
    if (file->is_compressed)
        return inflate_some(file, out, size_bytes, err);
    int64_t count = duckdb_file_handle_read(file->handle, out, (int64_t)size_bytes);
    if (count < 0)
        pt_error_set(err, PT_IO, "a text file could not be read");
    return count;
}
