/**
 * Text files as bytes: plain or compressed with gzip, through DuckDB's file system, so that its list of allowed
 * folders counts.
 */
#ifndef PT_BACKEND_DUCKDB_TEXT_FILE_H
#define PT_BACKEND_DUCKDB_TEXT_FILE_H

#include <portico/error.h>

#include <duckdb.h>

typedef struct pt__text_file pt__text_file;

/** `offset` must be 0 for compressed files. */
pt_status pt__text_file_open(duckdb_file_system files, const char *path, int64_t offset, pt__text_file **out,
                             pt_error *err);
void pt__text_file_close(pt__text_file *file);

/** The number of bytes read, 0 at the end, or -1 after an error. */
int64_t pt__text_file_read(pt__text_file *file, char *out, size_t size_bytes, pt_error *err);

/** Bytes of the file as it lies there. */
int64_t pt__text_file_size(pt__text_file *file);

bool pt__text_file_is_compressed(const char *path);

#endif
