/**
 * What a catalog says about tables, databases, files, kept results and local rows; analyzed plans point to these.
 */
#ifndef PT_PLAN_TABLE_H
#define PT_PLAN_TABLE_H

#include "plan/plan.h"

#include <portico/arrow.h>

typedef enum pt_table_kind { PT_TABLE_MANAGED, PT_TABLE_EXTERNAL, PT_TABLE_VIEW } pt_table_kind;

typedef struct pt_table {
    const char *catalog; /* "spark_catalog" */
    const char *database;
    const char *name;
    pt_table_kind kind;
    const pt_type *schema;     /* struct: columns with nullability and metadata (comments, char lengths) */
    const char *provider;      /* "duckdb", "parquet", "csv" …; what the user wrote after USING, or the default */
    const char *comment;       /* NULL none */
    const char *location;      /* external tables: directory or file; NULL none */
    const char *view_text;     /* views: SQL in Spark's dialect */
    const char *view_database; /* views: current database when it was created */
    pt_options options;        /* external tables: reader options */
    pt_options properties;
    const char *const *partition_columns;
    size_t partition_count;
    const char *owner;
    int64_t created_us;  /* since 1970, UTC */
    const char *backend; /* the one of several that has it, set by the wrapper route; NULL: there is one */
} pt_table;

typedef struct pt_database {
    const char *name;
    const char *comment;
    const char *location;
    pt_options properties;
} pt_database;

/** Files of one format to be described or read. */
typedef struct pt_file_request {
    const char *format;
    const char *const *paths; /* plain files, no directories or patterns */
    size_t path_count;
    pt_options options;
} pt_file_request;

typedef struct pt_data_file {
    const char *path;
    int64_t size_bytes;
    int64_t modified_us;
    const pt_value *partition_values; /* one per partition field */
} pt_data_file;

/** Expanded files. The scan's columns are those of `data_schema`, then those of `partition_schema`. */
typedef struct pt_file_set {
    const pt_data_file *files;
    size_t file_count;
    const pt_type *data_schema;      /* struct */
    const pt_type *partition_schema; /* struct; NULL: not partitioned */
    const pt_type *found_schema;     /* struct: what the files have, of `data_schema` that was given; NULL: all of it */
} pt_file_set;

/** Rows that a client sent: one or more Arrow arrays of struct type, all of the scan's columns, not owned. */
typedef struct pt_local_data {
    const struct ArrowSchema *schema;
    const struct ArrowArray *const *batches;
    size_t batch_count;
    int64_t row_count;
} pt_local_data;

/** A result that the session keeps (backend.h, keep). */
typedef struct pt_cached_result {
    void *handle;             /* the backend's */
    const pt_column *columns; /* of the plan that was kept: names, types, nullability */
    size_t column_count;
} pt_cached_result;

#endif
