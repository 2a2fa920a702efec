/**
 * Commands that a session carries out, one file per family; for files of src/exec.
 *
 * Each takes the command as it was decoded and gives the relation of its rows in `*out`.
 */
#ifndef PT_EXEC_COMMAND_H
#define PT_EXEC_COMMAND_H

#include "exec/rows.h"
#include "exec/session_catalog.h"

typedef struct pt__command {
    pt_job *job;
    pt_session *session;
    pt__arena *arena;
    pt__session_catalog *catalog;
    pt_error *err;
} pt__command;

#define PT_COMMAND(name) pt_status pt__command_##name(pt__command *c, const pt_plan_##name *node, const pt_plan **out)
PT_COMMAND(create_view); /* command_view.c */
PT_COMMAND(set);         /* command_set.c */
PT_COMMAND(use);
PT_COMMAND(show_objects); /* command_show.c */
PT_COMMAND(describe);     /* command_describe.c */
PT_COMMAND(explain);      /* command_explain.c */
PT_COMMAND(cache_table);  /** The columns of a spark.catalog call, which is not carried out if it changes anything. */
pt_status pt__command_catalog_columns(pt__command *c, const pt_plan_catalog *node, const pt_plan **out);

/* command_cache.c */
PT_COMMAND(create_function); /* command_function.c */
PT_COMMAND(catalog);         /* command_catalog.c */
PT_COMMAND(create_table);    /* command_table.c: what the backend runs */
PT_COMMAND(insert);
PT_COMMAND(write_files);
PT_COMMAND(drop); /* command_drop.c */
PT_COMMAND(create_database);
PT_COMMAND(alter_table);

/* command_cache.c */
pt_status pt__command_set_cached(pt__command *c, const pt_name *name, bool is_cached);
bool pt__command_is_cached(pt__command *c, const pt_name *name);
void pt__command_clear_cache(pt__command *c);

/** Analyzes the command and has the backend run it; no rows. */
pt_status pt__command_pass_on(pt__command *c, const pt_plan *command, const pt_plan **out);

/** Whether wrappers let the session do that to a table or function; the name is resolved first. */
pt_status pt__command_permit(pt__command *c, const char *action, const char *object_kind, const pt_name *name);
/** Likewise for a place that rows are written to. */
pt_status pt__command_permit_path(pt__command *c, const char *action, const char *path);

/* ---- names and errors ---- */

/** `spark_catalog`.`db`.`t` — as errors name persistent objects. */
const char *pt__command_full_name(pt__command *c, const pt_name *name);
/** `a`.`b` — as written. */
const char *pt__command_quote(pt__command *c, const pt_name *name);
/** Database and object; CATALOG_NOT_FOUND or REQUIRES_SINGLE_PART_NAMESPACE for what does not fit. */
pt_status pt__command_split(pt__command *c, const pt_name *name, const char **database, const char **object);
/** The name with catalog and database: what the backend is given. */
pt_status pt__command_resolve(pt__command *c, const pt_name *name, pt_name *out);
pt_status pt__command_not_found(pt__command *c, const pt_name *name, const pt_origin *origin);

/** Whether there is such a database; names compare without case. */
pt_status pt__command_has_database(pt__command *c, const char *database, bool *out);
/** SCHEMA_NOT_FOUND when there is none. */
pt_status pt__command_need_database(pt__command *c, const char *database);
/** Databases sorted by name, "default" among them. */
pt_status pt__command_databases(pt__command *c, const pt_database **out, size_t *count);
/** Tables and views of a database, sorted by name. */
pt_status pt__command_tables(pt__command *c, const char *database, const pt_table *const **out, size_t *count);

/** The table or persistent view; PT_NOT_FOUND leaves the error untouched. */
pt_status pt__command_find_table(pt__command *c, const pt_name *name, const pt_table **out);

/** The columns of a table, view or temporary view, by analysis. */
pt_status pt__command_columns(pt__command *c, const pt_name *name, const pt_origin *origin, const pt_plan **out);

/** Whether `text` is among the alternatives ("a*|b") of a SHOW pattern; NULL: all. Without case. */
bool pt__like(const char *pattern, const char *text);

/** The comment in a column's metadata; NULL none. */
const char *pt__column_comment(pt__arena *arena, const char *metadata);
/** The type as DESCRIBE shows it: char and varchar with their lengths. */
const char *pt__column_type_name(pt__arena *arena, const pt_type *type, const char *metadata);

/** A line of what DESCRIBE EXTENDED and SHOW TABLE EXTENDED tell about a table. */
typedef struct pt__info_row {
    const char *name;
    const char *value;
} pt__info_row;
const pt__info_row *pt__table_information(pt__command *c, const pt_table *table, size_t *count);

/** "Sun Nov 29 19:25:09 UTC 2026". */
const char *pt__command_time_text(pt__command *c, int64_t time_us);

#endif
