/**
 * The world as analysis sees it through a session: its views, functions, files and kept rows, and the tables of its
 * backend. One per analysis; for files of src/exec.
 */
#ifndef PT_EXEC_SESSION_CATALOG_H
#define PT_EXEC_SESSION_CATALOG_H

#include "base/list.h"
#include "decode/spark_sql/parser.h"
#include "exec/state.h"

typedef struct pt__session_catalog {
    pt__catalog base;
    pt_session *session;
    pt_job *job; /* on whose behalf; may be NULL */
    pt__arena *arena;
    int64_t now_us;
    const char *database;      /* current one when the analysis began */
    const pt__conf_pair *conf; /* what the session had set then, sorted */
    size_t conf_count;
    const char *time_zone;           /* default of spark.sql.session.timeZone */
    pt__list(pt__view *) used_views; /* temporary ones that were asked for; the arena holds a reference each */
} pt__session_catalog;

/** In the arena, for as long as it. */
pt__session_catalog *pt__session_catalog_new(pt_session *session, pt_job *job, pt__arena *arena);

/** Analysis on behalf of a job (may be NULL). */
pt_status pt__analyze_for(pt_session *session, pt_job *job, pt__arena *arena, const pt_plan *plan, const pt_plan **out,
                          pt_error *err);

/** How Spark SQL is to be read in this session. */
pt__sql_options pt__session_sql_options(const pt__session_catalog *catalog);

/** Unquoted, split name of what a client gives as text, such as "db.`a.b`". */
pt_status pt__session_parse_name(pt__session_catalog *catalog, const char *text, pt_name *out, pt_error *err);

/** A name without catalog: "spark_catalog" is taken off. False when it names another catalog or has too many parts. */
bool pt__strip_catalog(const pt_name *name, const char **database, const char **object);

extern const char pt__catalog_name[]; /* "spark_catalog" */
extern const char pt__global_temp[];  /* "global_temp" */

/** PT_NOT_FOUND leaves `err` untouched. */
pt_status pt__session_get_table(pt_session *session, const char *database, const char *name, pt__arena *arena,
                                const pt_table **out, pt_error *err);

/* ---- views, functions, current database (views.c) ---- */

/** The temporary view that the name stands for, a reference of the caller's; NULL: none. */
pt__view *pt__session_find_view(pt_session *session, const pt_name *name);
/** Whether the name is that of the database of global temporary views. */
bool pt__is_global_temp(const char *database);

/** Publishes; takes the reference, success or failure. PT_ALREADY_EXISTS leaves `err` untouched. */
pt_status pt__session_put_view(pt_session *session, pt__view *take_view, bool is_global, bool replace, pt_error *err);
/** False: there was none. */
bool pt__session_drop_view(pt_session *session, const char *name, bool is_global);
/** Sorted by name; the arena holds a reference to each. */
pt__view **pt__session_list_views(pt_session *session, pt__arena *arena, bool is_global, size_t *count);

/** A reference, or NULL. `database` is the current one. */
pt__function_entry *pt__session_find_function(pt_session *session, const pt_name *name, const char *database);
/** `database` NULL: temporary. Takes the reference; false when the limit is reached. */
bool pt__session_put_function(pt_session *session, const char *database, pt__function_entry *take_entry);
bool pt__session_drop_function(pt_session *session, const char *database, const char *name);
pt__function_entry **pt__session_list_functions(pt_session *session, pt__arena *arena, bool is_temporary,
                                                size_t *count);

/** The current database. */
const char *pt__session_database(pt_session *session, pt__arena *arena);
pt_status pt__session_set_database(pt_session *session, const char *database, pt_error *err);

/* ---- files (files.c, partitions.c) ---- */

pt_status pt__session_find_files(pt__session_catalog *catalog, pt__arena *arena, const pt_plan_scan_files *scan,
                                 const pt_file_set **out, pt_error *err);
/** A local path of what a client names: "file:" taken off, made absolute; refused by scheme and by files.allow. */
pt_status pt__session_local_path(pt_session *session, pt__arena *arena, const char *given, const char **out,
                                 pt_error *err);
/** Whether `name` is a format of files that FROM format.`path` may name. */
bool pt__is_file_format(const char *name);
/** DATA_SOURCE_NOT_FOUND, or PT_UNSUPPORTED naming the format; `*canonical` is static. */
pt_status pt__check_format(pt__arena *arena, const char *name, const char **canonical, pt_error *err);

/* ---- local rows (local.c) ---- */

pt_status pt__session_find_local(pt__session_catalog *catalog, pt__arena *arena, const pt_plan_local *local,
                                 const pt_type **schema, const pt_local_data **out, pt_error *err);

/* ---- cells (cells.c) ---- */

/** The value of a row of an Arrow column as the plan has it; text is copied into the arena. */
pt_value pt__cell(pt__arena *arena, const pt_type *type, const struct ArrowArray *column, int64_t row);

/** Runs an analyzed relation; all its cells, row after row. PT_LIMIT beyond `max_rows`. */
pt_status pt__collect_cells(pt_session *session, pt_job *job, pt__arena *arena, const pt_plan *relation,
                            size_t max_rows, const pt_value **cells, size_t *row_count, pt_error *err);

/** Runs a relation whose first column is text and hands over its values; NULL is a view without data. */
pt_status pt__each_text(pt_session *session, pt_job *job, const pt_plan *relation,
                        pt_status (*take)(void *context, pt_text_view text, pt_error *err), void *context,
                        pt_error *err);

#endif
