/**
 * Readers: the FROM items that read files of one format, with Spark's options.
 */
#ifndef PT_BACKEND_DUCKDB_READER_H
#define PT_BACKEND_DUCKDB_READER_H

#include "backend/duckdb/lower.h"

/** What to read and how; borrowed. */
typedef struct pt__reader {
    const char *format;
    const pt_data_file *files;
    size_t file_count;
    const pt_options *options;
    const pt_type *partition_schema; /* may be NULL */
    bool skips_header;               /* lines: CSV without the first line of each file */
} pt__reader;

/** Refuses options that would change the answer and are not supported, by name. */
pt_status pt__reader_check(pt__lower *lower, const pt__reader *reader, const pt_origin *origin, pt_error *err);

/** `read_parquet([…], …)` */
void pt__put_parquet_reader(pt__lower *lower, const pt__reader *reader);
/** `read_csv([…], …)` with columns c0, c1, … as text. */
void pt__put_csv_reader(pt__lower *lower, const pt__reader *reader, size_t column_count);
/** Lines of text as column `line`; partition columns are not there. */
void pt__put_line_reader(pt__lower *lower, const pt__reader *reader);
/** One column `json`; what is malformed is NULL. */
void pt__put_json_reader(pt__lower *lower, const pt__reader *reader);

/** A boolean option. */
bool pt__option_is_true(const pt_options *options, const char *key, bool fallback);
/** CSV: the separator, with its two names and its escapes. */
const char *pt__csv_separator(pt__arena *arena, const pt_options *options);
/** The value of a one-character option; "" when it is set to nothing. */
const char *pt__csv_character(const pt_options *options, const char *key, const char *fallback);

#endif
