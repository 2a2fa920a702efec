/**
 * What analysis asks about the world outside the plan. The session (src/exec) implements it.
 */
#ifndef PT_ANALYZE_CATALOG_H
#define PT_ANALYZE_CATALOG_H

#include "plan/table.h"

typedef enum pt__relation_origin { PT_RELATION_VIEW, PT_RELATION_TABLE } pt__relation_origin;

/** What a table name stands for. */
typedef struct pt__relation {
    pt__relation_origin origin;
    const pt_plan *view;                  /* VIEW: the unresolved plan */
    const char *view_database;            /* VIEW: names inside are resolved against it; NULL: against the session's */
    bool is_temporary;                    /* VIEW: names inside may be those of other temporary views */
    const char *const *view_column_names; /* VIEW: may be empty */
    size_t view_column_count;
    pt_name name;          /* full name for qualifiers: spark_catalog.db.t; temp views: v */
    const pt_table *table; /* TABLE; views: NULL for temporary ones */
} pt__relation;

/** A function that the session registered: CREATE FUNCTION … RETURN expression. */
typedef struct pt__user_function {
    const char *name;
    const pt_field *parameters;
    const pt_expr *const *defaults; /* may hold NULL */
    size_t parameter_count;
    const pt_type *return_type; /* NULL: the body's */
    const pt_expr *body;        /* scalar; NULL for table functions */
    const pt_plan *table_body;
} pt__user_function;

typedef struct pt__catalog pt__catalog;

typedef struct pt__catalog_vtable {
    /** PT_NOT_FOUND (err untouched) when there is none. */
    pt_status (*find_relation)(pt__catalog *catalog, pt__arena *arena, const pt_name *name, pt__relation *out,
                               pt_error *err);
    /** PT_NOT_FOUND when there is none. */
    pt_status (*find_function)(pt__catalog *catalog, pt__arena *arena, const pt_name *name,
                               const pt__user_function **out, pt_error *err);
    /** Expands paths, finds partitions and infers what `scan` leaves open. */
    pt_status (*find_files)(pt__catalog *catalog, pt__arena *arena, const pt_plan_scan_files *scan,
                            const pt_file_set **out, pt_error *err);
    /** Decodes local rows, from the plan or from the session's artifacts. */
    pt_status (*find_local)(pt__catalog *catalog, pt__arena *arena, const pt_plan_local *local, const pt_type **schema,
                            const pt_local_data **out, pt_error *err);
    pt_status (*find_cached)(pt__catalog *catalog, pt__arena *arena, const char *relation_id,
                             const pt_cached_result **out, pt_error *err);
    /** Distinct values of a pivot column, sorted, as literals: runs the query. */
    pt_status (*collect)(pt__catalog *catalog, pt__arena *arena, const pt_plan *analyzed, const pt_value **cells,
                         size_t *row_count, pt_error *err);
    /**
     * Runs a query of one column of text and hands over its values; NULL is a view without data. Views are valid
     * during the call.
     */
    pt_status (*each_text)(pt__catalog *catalog, const pt_plan *analyzed,
                           pt_status (*take)(void *context, pt_text_view text, pt_error *err), void *context,
                           pt_error *err);
    /** The effective value of a configuration key; NULL when it has none. Valid during the analysis. */
    const char *(*conf)(pt__catalog *catalog, const char *key);
    const char *(*current_catalog)(pt__catalog *catalog);
    const char *(*current_database)(pt__catalog *catalog);
    const char *(*current_user)(pt__catalog *catalog);
    /** Time of the query's start, µs since 1970: current_timestamp() and the like. */
    int64_t (*now_us)(pt__catalog *catalog);
} pt__catalog_vtable;

struct pt__catalog {
    const pt__catalog_vtable *vtable;
};

#endif
