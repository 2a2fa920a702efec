/**
 * Finding data files: patterns, folders, and what their names say about partitions; for files of src/exec.
 *
 * Behaviour: that of Spark's file index. Names that start with '_' or '.' are passed over.
 */
#ifndef PT_EXEC_FILES_H
#define PT_EXEC_FILES_H

#include "base/list.h"
#include "base/timezone.h"
#include "plan/table.h"

typedef struct pt__found_file {
    const char *path;   /* absolute */
    const char *folder; /* absolute, of the file */
    const char *root;   /* the path given that led here */
    bool root_is_file;
    int64_t size_bytes;
    int64_t modified_us;
} pt__found_file;

typedef struct pt__file_filter {
    const char *name_pattern;   /* pathGlobFilter; NULL none */
    int64_t modified_after_us;  /* INT64_MIN none */
    int64_t modified_before_us; /* INT64_MAX none */
} pt__file_filter;

typedef struct pt__file_finder {
    pt__arena *arena;
    const pt__file_filter *filter;
    size_t max_files;
    /** Whether queries may read the path; called with roots and targets of links. */
    pt_status (*allow)(void *context, const char *path, pt_error *err);
    void *context;
    pt__list(pt__found_file) files;
} pt__file_finder;

/**
 * Adds the files that an absolute path or pattern stands for, sorted by name.
 * Errors: PATH_NOT_FOUND, PT_LIMIT, what `allow` says, PT_IO.
 */
pt_status pt__find_files(pt__file_finder *finder, const char *path, pt_error *err);

/** "file:/a/b": how Spark shows a path. */
const char *pt__path_uri(pt__arena *arena, const char *path);

/* ---- partitions.c ---- */

/** "%3A" becomes ':'. */
const char *pt__unescape_path(pt__arena *arena, const char *text);

/** "2020-01-01T10:00:00" or with a blank, the time may be left out; µs of local time. */
bool pt__read_local_timestamp(const char *text, int64_t *out);

typedef struct pt__partition_options {
    const char *base_path; /* absolute; NULL: the roots */
    bool infer_types;
    const pt_type *given; /* schema that the user gave; NULL none */
    const pt__zone *zone; /* of timestamps */
} pt__partition_options;

/**
 * Reads key=value folders between base and file. `*schema` is NULL when there are none; else values[i] belongs to
 * files[i], and is NULL for a file that lies outside the partitions and is not to be read.
 * Errors: CONFLICTING_PARTITION_COLUMN_NAMES, CONFLICTING_DIRECTORY_STRUCTURES.
 */
pt_status pt__find_partitions(pt__arena *arena, const pt__found_file *files, size_t count,
                              const pt__partition_options *options, const pt_type **schema,
                              const pt_value *const **values, pt_error *err);

#endif
