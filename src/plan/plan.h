/**
 * Relations and commands of the plan.
 *
 * Decoders build nodes without columns; analysis builds a new tree whose nodes have `columns` set and consists of
 * core relations and commands only. Nodes are never changed once built and live in an arena. A kind is one row of
 * plan.def; its struct starts with `pt_plan base`.
 */
#ifndef PT_PLAN_PLAN_H
#define PT_PLAN_PLAN_H

#include "plan/expr.h"

typedef enum pt_plan_kind {
#define PT_PLAN(id, name) PT_PLAN_##id,
#include "plan/plan.def"
#undef PT_PLAN
    PT_PLAN_COUNT
} pt_plan_kind;

/** An output column of an analyzed relation. Ids are unique in a plan; passing a row through keeps its ids. */
typedef struct pt_column {
    uint32_t id;
    const char *name;
    const pt_type *type;
    bool nullable;
    bool is_hidden;       /* reachable by qualified name only: the other key of a USING join */
    const char *metadata; /* JSON; NULL none */
    pt_name qualifier;    /* count 0: none */
} pt_column;

struct pt_plan {
    pt_plan_kind kind;
    int64_t plan_id;          /* Spark Connect's common.plan_id; -1 none */
    const pt_origin *origin;  /* may be NULL */
    const pt_column *columns; /* NULL before analysis */
    size_t column_count;
};

typedef struct pt_option {
    const char *key; /* as the user spelled it; compared without case */
    const char *value;
} pt_option;

typedef struct pt_options {
    const pt_option *items;
    size_t count;
} pt_options;

/** NULL when absent. */
const char *pt__options_get(const pt_options *options, const char *key);

/* ---- core relations ---- */

typedef struct pt_plan_scan_table {
    pt_plan base;
    pt_name name; /* before analysis as written; after it catalog, database, table */
    pt_options options;
    const struct pt_table *table; /* set by analysis: what the catalog said */
} pt_plan_scan_table;

typedef struct pt_plan_scan_files {
    pt_plan base;
    const char *format; /* "parquet", "csv", "json", "text", …; NULL: the default source */
    const char *const *paths;
    size_t path_count;
    pt_options options;
    const pt_type *schema;           /* given by the user, or by analysis; a struct; NULL: to be inferred */
    bool may_be_missing;             /* of a table: paths that do not exist hold nothing */
    const struct pt_file_set *files; /* set by analysis: expanded files and partition values */
    const struct pt_table *table;    /* set by analysis: the external table whose rows the files are; NULL: none */
} pt_plan_scan_files;

typedef struct pt_plan_stream {
    pt_plan base;
    const char *format; /* "rate" */
    pt_options options;
} pt_plan_stream;

typedef struct pt_plan_local {
    pt_plan base;
    pt_bytes_view data;              /* Arrow IPC stream; may be empty when a schema is given */
    const pt_type *schema;           /* struct; NULL: Arrow's */
    const char *cache_hash;          /* data lies in the session's artifacts under this SHA-256; NULL: in `data` */
    const char *schema_hash;         /* likewise the schema text (chunked form); NULL none */
    const char *const *chunk_hashes; /* chunked form: one IPC stream each */
    size_t chunk_count;
    const struct pt_local_data *rows; /* set by analysis: decoded Arrow */
} pt_plan_local;

typedef struct pt_plan_values {
    pt_plan base;
    const pt_expr *const *cells; /* row after row */
    size_t row_count;
    size_t width;
} pt_plan_values;

typedef struct pt_plan_range {
    pt_plan base;
    int64_t start;
    int64_t end;
    int64_t step;
} pt_plan_range;

typedef struct pt_plan_cached {
    pt_plan base;
    const char *relation_id;
    const struct pt_cached_result *result; /* set by analysis */
} pt_plan_cached;

typedef struct pt_plan_project {
    pt_plan base;
    const pt_plan *input;              /* NULL: one row without columns */
    const pt_expr *const *expressions; /* analyzed: expressions[i] makes columns[i] */
    size_t expression_count;
} pt_plan_project;

typedef struct pt_plan_filter {
    pt_plan base;
    const pt_plan *input;
    const pt_expr *condition;
    bool is_having;  /* before analysis */
    bool is_qualify; /* before analysis: QUALIFY; sees the output of `input`, then what `input` itself reads */
} pt_plan_filter;

typedef enum pt_group_kind {
    PT_GROUP_BY,
    PT_GROUP_ROLLUP,
    PT_GROUP_CUBE,
    PT_GROUP_SETS,
    PT_GROUP_PIVOT,
    PT_GROUP_ALL /* GROUP BY ALL */
} pt_group_kind;

/** Positions in `grouping`. */
typedef struct pt_grouping_set {
    const uint32_t *members;
    size_t count;
} pt_grouping_set;

/**
 * Before analysis `aggregates` are the output expressions (SQL: the whole select list; Spark Connect: what follows
 * the grouping columns, which are prepended). Analyzed: columns are the grouping expressions, then the
 * aggregates, each a bare aggregate call, then the grouping id if has_grouping_id.
 */
typedef struct pt_plan_aggregate {
    pt_plan base;
    const pt_plan *input;
    pt_group_kind group_kind;
    const pt_expr *const *grouping;
    size_t grouping_count;
    const pt_expr *const *aggregates;
    size_t aggregate_count;
    bool prepend_grouping;       /* Spark Connect */
    const pt_grouping_set *sets; /* SETS before analysis; analyzed: set for every kind but GROUP_BY */
    size_t set_count;
    bool has_grouping_id;               /* analyzed */
    const pt_expr *pivot_column;        /* PIVOT */
    const pt_expr *const *pivot_values; /* PIVOT; literals, or aliases of such */
    size_t pivot_value_count;
} pt_plan_aggregate;

typedef enum pt_join_kind {
    PT_JOIN_INNER,
    PT_JOIN_CROSS,
    PT_JOIN_LEFT,
    PT_JOIN_RIGHT,
    PT_JOIN_FULL,
    PT_JOIN_LEFT_SEMI,
    PT_JOIN_LEFT_ANTI
} pt_join_kind;

typedef struct pt_plan_join {
    pt_plan base;
    const pt_plan *left;
    const pt_plan *right;
    pt_join_kind join_kind;
    const pt_expr *condition;         /* NULL: none */
    const char *const *using_columns; /* before analysis */
    size_t using_count;
    bool is_natural; /* before analysis */
    bool is_lateral; /* the right side may refer to the left */
} pt_plan_join;

typedef struct pt_plan_sort {
    pt_plan base;
    const pt_plan *input;
    const pt_expr *const *orders; /* sort orders */
    size_t order_count;
    bool is_global;    /* false: within partitions */
    bool order_by_all; /* ORDER BY ALL, before analysis */
} pt_plan_sort;

typedef struct pt_plan_limit {
    pt_plan base;
    const pt_plan *input;
    const pt_expr *limit;  /* constant; NULL: none */
    const pt_expr *offset; /* constant; NULL: none */
} pt_plan_limit;

typedef struct pt_plan_tail {
    pt_plan base;
    const pt_plan *input;
    int64_t count;
} pt_plan_tail;

typedef enum pt_set_kind { PT_SET_UNION, PT_SET_INTERSECT, PT_SET_EXCEPT } pt_set_kind;

typedef struct pt_plan_set_operation {
    pt_plan base;
    pt_set_kind set_kind;
    bool is_all;
    bool by_name;       /* before analysis */
    bool allow_missing; /* before analysis */
    const pt_plan *left;
    const pt_plan *right;
} pt_plan_set_operation;

/** Columns: the input's, then the generator's. */
typedef struct pt_plan_generate {
    pt_plan base;
    const pt_plan *input;
    const pt_expr *generator; /* call of a generator function */
    bool is_outer;
    const char *table_alias;         /* LATERAL VIEW, before analysis; may be NULL */
    const char *const *column_names; /* LATERAL VIEW, before analysis */
    size_t column_name_count;
} pt_plan_generate;

typedef struct pt_plan_sample {
    pt_plan base;
    const pt_plan *input;
    double lower;
    double upper;
    bool with_replacement;
    int64_t seed;
    bool has_seed;
    bool deterministic_order;
    int64_t row_limit; /* TABLESAMPLE (n ROWS); -1: by fraction */
} pt_plan_sample;

typedef struct pt_cte {
    const char *name;
    const pt_plan *plan;
    const char *const *column_names; /* may be empty */
    size_t column_name_count;
    uint32_t id; /* set by analysis; REFERENCE nodes of the analyzed tree name it */
} pt_cte;

typedef struct pt_plan_with {
    pt_plan base;
    const pt_cte *ctes;
    size_t cte_count;
    bool is_recursive;
    int64_t recursion_limit; /* MAX RECURSION LEVEL; -1 default */
    const pt_plan *input;
} pt_plan_with;

typedef struct pt_plan_collect_metrics {
    pt_plan base;
    const pt_plan *input;
    const char *name;
    const pt_expr *const *metrics; /* aggregates with names */
    size_t metric_count;
} pt_plan_collect_metrics;

typedef struct pt_plan_map_python {
    pt_plan base;
    const pt_plan *input;
    const pt_plan *other;    /* cogroup; NULL */
    const pt_expr *function; /* python_udf */
    const pt_expr *const *grouping;
    size_t grouping_count;
    const pt_expr *const *other_grouping;
    size_t other_grouping_count;
} pt_plan_map_python;

/* ---- relations that analysis rewrites ---- */

typedef struct pt_plan_subquery_alias {
    pt_plan base;
    const pt_plan *input;
    pt_name alias;
    const char *const *column_names; /* may be empty */
    size_t column_name_count;
} pt_plan_subquery_alias;

typedef struct pt_plan_with_columns {
    pt_plan base;
    const pt_plan *input;
    const pt_expr *const *aliases; /* alias expressions */
    size_t alias_count;
} pt_plan_with_columns;

typedef struct pt_plan_rename_columns {
    pt_plan base;
    const pt_plan *input;
    const pt_option *renames; /* key: old name, value: new one */
    size_t rename_count;
} pt_plan_rename_columns;

typedef struct pt_plan_drop_columns {
    pt_plan base;
    const pt_plan *input;
    const char *const *names;
    size_t name_count;
    const pt_expr *const *expressions;
    size_t expression_count;
} pt_plan_drop_columns;

typedef struct pt_plan_to_df {
    pt_plan base;
    const pt_plan *input;
    const char *const *names;
    size_t name_count;
} pt_plan_to_df;

typedef struct pt_plan_to_schema {
    pt_plan base;
    const pt_plan *input;
    const pt_type *schema;
} pt_plan_to_schema;

typedef struct pt_plan_deduplicate {
    pt_plan base;
    const pt_plan *input;
    const char *const *names; /* empty: all columns */
    size_t name_count;
} pt_plan_deduplicate;

typedef struct pt_plan_fill_na {
    pt_plan base;
    const pt_plan *input;
    const char *const *names;
    size_t name_count;
    const pt_expr *const *values; /* literals: one, or one per name */
    size_t value_count;
} pt_plan_fill_na;

typedef struct pt_plan_drop_na {
    pt_plan base;
    const pt_plan *input;
    const char *const *names;
    size_t name_count;
    int32_t min_non_nulls; /* -1: all must be there */
} pt_plan_drop_na;

typedef struct pt_plan_replace_values {
    pt_plan base;
    const pt_plan *input;
    const char *const *names;
    size_t name_count;
    const pt_expr *const *old_values; /* literals */
    const pt_expr *const *new_values;
    size_t value_count;
} pt_plan_replace_values;

typedef struct pt_plan_unpivot {
    pt_plan base;
    const pt_plan *input;
    const pt_expr *const *ids;
    size_t id_count;
    bool ids_given;               /* false (SQL): all columns that are no values */
    const pt_expr *const *values; /* width expressions per group of SQL's UNPIVOT */
    size_t value_count;
    bool values_given;
    size_t value_width;               /* columns per value group; 1 but for SQL's multi-column form */
    const char *const *value_aliases; /* per group; may hold NULL; NULL: none */
    const char *variable_name;
    const char *const *value_names; /* value_width names */
    bool include_nulls;
} pt_plan_unpivot;

typedef struct pt_plan_pivot {
    pt_plan base;
    const pt_plan *input;
    const pt_expr *const *aggregates; /* may be aliases */
    size_t aggregate_count;
    const pt_expr *const *columns;
    size_t column_expr_count;
    const pt_expr *const *values; /* may be aliases; structs for several columns */
    size_t value_count;
} pt_plan_pivot;

typedef struct pt_plan_transpose {
    pt_plan base;
    const pt_plan *input;
    const pt_expr *const *index_columns;
    size_t index_count;
} pt_plan_transpose;

typedef enum pt_statistics_kind {
    PT_STATISTICS_DESCRIBE,
    PT_STATISTICS_SUMMARY,
    PT_STATISTICS_CROSSTAB,
    PT_STATISTICS_COVARIANCE,
    PT_STATISTICS_CORRELATION,
    PT_STATISTICS_APPROX_QUANTILE,
    PT_STATISTICS_FREQUENT_ITEMS,
    PT_STATISTICS_SAMPLE_BY
} pt_statistics_kind;

typedef struct pt_plan_statistics {
    pt_plan base;
    const pt_plan *input;
    pt_statistics_kind statistics_kind;
    const char *const *names; /* columns, or col1 and col2 */
    size_t name_count;
    const char *const *statistics; /* summary */
    size_t statistic_count;
    const char *method;    /* correlation */
    const double *numbers; /* approxQuantile: probabilities; sampleBy: fractions; freqItems: support */
    size_t number_count;
    double relative_error;        /* approxQuantile */
    const pt_expr *column;        /* sampleBy */
    const pt_expr *const *strata; /* sampleBy: literals */
    int64_t seed;                 /* sampleBy */
} pt_plan_statistics;

typedef struct pt_plan_hint {
    pt_plan base;
    const pt_plan *input;
    const char *name; /* "repartition", "broadcast" … */
    const pt_expr *const *parameters;
    size_t parameter_count;
} pt_plan_hint;

typedef struct pt_plan_table_function {
    pt_plan base;
    pt_name name;
    const pt_expr *const *arguments;
    size_t argument_count;
    const pt_expr *python; /* python_udf: a table function of the client, arguments in it; NULL: by name */
} pt_plan_table_function;

typedef struct pt_plan_parse {
    pt_plan base;
    const pt_plan *input;
    const char *format;    /* "csv" or "json" */
    const pt_type *schema; /* NULL: infer */
    pt_options options;
} pt_plan_parse;

typedef struct pt_plan_show {
    pt_plan base;
    const pt_plan *input;
    int32_t row_count;
    int32_t truncate;
    bool is_vertical;
    bool is_html;
} pt_plan_show;

typedef struct pt_plan_as_of_join {
    pt_plan base;
    const pt_plan *left;
    const pt_plan *right;
    const pt_expr *left_as_of;
    const pt_expr *right_as_of;
    const pt_expr *condition;
    const char *const *using_columns;
    size_t using_count;
    pt_join_kind join_kind;
    const pt_expr *tolerance;
    bool allow_exact_matches;
    const char *direction; /* "backward", "forward", "nearest" */
} pt_plan_as_of_join;

/** Spark Connect: `references` are named by plan id (subquery expressions) or by the alias of a SUBQUERY_ALIAS. */
typedef struct pt_plan_with_references {
    pt_plan base;
    const pt_plan *root;
    const pt_plan *const *references;
    size_t reference_count;
} pt_plan_with_references;

/** Before analysis: the reference with that plan id. Analyzed: the rows of a CTE, with column ids of its own. */
typedef struct pt_plan_reference {
    pt_plan base;
    int64_t referenced_plan_id; /* before analysis */
    uint32_t cte_id;            /* analyzed */
} pt_plan_reference;

/** A call of spark.catalog; members beyond `operation` as the operation needs them. */
typedef enum pt_catalog_operation {
    PT_CATALOG_CURRENT_DATABASE,
    PT_CATALOG_SET_CURRENT_DATABASE,
    PT_CATALOG_LIST_DATABASES,
    PT_CATALOG_LIST_TABLES,
    PT_CATALOG_LIST_FUNCTIONS,
    PT_CATALOG_LIST_COLUMNS,
    PT_CATALOG_LIST_VIEWS,
    PT_CATALOG_GET_DATABASE,
    PT_CATALOG_GET_TABLE,
    PT_CATALOG_GET_FUNCTION,
    PT_CATALOG_DATABASE_EXISTS,
    PT_CATALOG_TABLE_EXISTS,
    PT_CATALOG_FUNCTION_EXISTS,
    PT_CATALOG_CREATE_TABLE,
    PT_CATALOG_DROP_TEMP_VIEW,
    PT_CATALOG_DROP_GLOBAL_TEMP_VIEW,
    PT_CATALOG_RECOVER_PARTITIONS,
    PT_CATALOG_IS_CACHED,
    PT_CATALOG_CACHE_TABLE,
    PT_CATALOG_UNCACHE_TABLE,
    PT_CATALOG_CLEAR_CACHE,
    PT_CATALOG_REFRESH_TABLE,
    PT_CATALOG_REFRESH_BY_PATH,
    PT_CATALOG_CURRENT_CATALOG,
    PT_CATALOG_SET_CURRENT_CATALOG,
    PT_CATALOG_LIST_CATALOGS
} pt_catalog_operation;

typedef struct pt_plan_catalog {
    pt_plan base;
    pt_catalog_operation operation;
    const char *object;      /* table, view, function, database name as given, unparsed; may be NULL */
    const char *database;    /* may be NULL */
    const char *pattern;     /* may be NULL */
    const char *path;        /* createTable */
    const char *source;      /* createTable */
    const char *description; /* createTable */
    const pt_type *schema;   /* createTable */
    pt_options options;      /* createTable */
} pt_plan_catalog;

/* ---- commands ---- */

typedef enum pt_view_kind { PT_VIEW_TEMPORARY, PT_VIEW_GLOBAL_TEMPORARY, PT_VIEW_PERSISTENT } pt_view_kind;

typedef struct pt_plan_create_view {
    pt_plan base;
    pt_name name;
    pt_view_kind view_kind;
    bool replace;
    bool if_not_exists;
    const pt_plan *query;               /* unresolved: analyzed where it is used, and once when it is created */
    const char *text;                   /* SQL of the query; NULL for DataFrames */
    const char *const *column_names;    /* may be empty */
    const char *const *column_comments; /* per column; may hold NULL */
    size_t column_name_count;
    const char *comment; /* may be NULL */
    pt_options properties;
    const char *database; /* set by the session: names in the query are resolved against it */
} pt_plan_create_view;

typedef enum pt_save_mode {
    PT_SAVE_ERROR, /* fail when it exists */
    PT_SAVE_APPEND,
    PT_SAVE_OVERWRITE,
    PT_SAVE_IGNORE
} pt_save_mode;

typedef enum pt_create_mode { PT_CREATE, PT_REPLACE, PT_CREATE_OR_REPLACE } pt_create_mode;

typedef struct pt_plan_create_table {
    pt_plan base;
    pt_name name;
    pt_create_mode mode;
    bool if_not_exists;
    bool is_external;
    const pt_type *schema; /* struct; NULL with AS SELECT */
    const char *provider;  /* USING; NULL: default */
    pt_options options;
    pt_options properties;
    const char *const *partition_columns;
    size_t partition_count;
    const char *location; /* may be NULL */
    const char *comment;  /* may be NULL */
    const pt_plan *query; /* AS SELECT; NULL none */
    pt_name like;         /* CREATE TABLE … LIKE; count 0 none */
} pt_plan_create_table;

typedef enum pt_object_kind {
    PT_OBJECT_TABLE,
    PT_OBJECT_VIEW,
    PT_OBJECT_DATABASE,
    PT_OBJECT_FUNCTION,
    PT_OBJECT_COLUMNS,
    PT_OBJECT_CATALOG,
    PT_OBJECT_PARTITIONS,
    PT_OBJECT_TABLE_EXTENDED,
    PT_OBJECT_TABLE_PROPERTIES,
    PT_OBJECT_CREATE_TABLE,
    PT_OBJECT_QUERY,
    PT_OBJECT_CURRENT_NAMESPACE /* SHOW CURRENT NAMESPACE: columns catalog, namespace */
} pt_object_kind;

typedef struct pt_plan_drop {
    pt_plan base;
    pt_object_kind object_kind; /* TABLE, VIEW, DATABASE, FUNCTION */
    pt_name name;
    bool if_exists;
    bool cascade;
    bool purge;
    bool is_temporary; /* FUNCTION */
} pt_plan_drop;

typedef struct pt_plan_insert {
    pt_plan base;
    pt_name table;
    const pt_plan *query;
    bool overwrite;
    bool by_name;
    const char *const *column_names; /* INSERT INTO t (a, b); may be empty */
    size_t column_name_count;
    pt_options partition;                 /* PARTITION (k = v); value NULL: dynamic */
    const pt_expr *overwrite_condition;   /* writeTo().overwrite(cond), REPLACE WHERE; NULL none */
    bool overwrite_partitions;            /* writeTo().overwritePartitions() */
    bool is_save_as_table;                /* saveAsTable: creates by `mode` when missing */
    pt_save_mode mode;                    /* saveAsTable */
    const char *provider;                 /* saveAsTable; may be NULL */
    pt_options options;                   /* saveAsTable */
    const char *const *partition_columns; /* saveAsTable */
    size_t partition_count;
    const struct pt_table *target; /* set by analysis: the existing table */
} pt_plan_insert;

typedef struct pt_plan_write_files {
    pt_plan base;
    const pt_plan *query;
    const char *format; /* NULL: the default source */
    const char *path;
    pt_save_mode mode;
    pt_options options;
    const char *const *partition_columns;
    size_t partition_count;
    const char *const *sort_columns;
    size_t sort_count;
    const char *const *bucket_columns;
    size_t bucket_column_count;
    int32_t bucket_count;          /* 0 none */
    bool is_single_file;           /* `path` is a file, not a folder; one that is there is replaced */
    bool gives_count;              /* one row, how many were written, and not none */
    const struct pt_table *target; /* set by the session: the external table that gets the rows; NULL: none */
} pt_plan_write_files;

typedef struct pt_plan_create_database {
    pt_plan base;
    pt_name name;
    bool if_not_exists;
    const char *comment;
    const char *location;
    pt_options properties;
} pt_plan_create_database;

typedef enum pt_alter_kind {
    PT_ALTER_RENAME,
    PT_ALTER_ADD_COLUMNS,
    PT_ALTER_DROP_COLUMNS,
    PT_ALTER_RENAME_COLUMN,
    PT_ALTER_COLUMN_TYPE,
    PT_ALTER_COLUMN_COMMENT,
    PT_ALTER_COLUMN_NULLABLE,
    PT_ALTER_COLUMN_DEFAULT,
    PT_ALTER_SET_PROPERTIES,
    PT_ALTER_UNSET_PROPERTIES,
    PT_ALTER_VIEW_QUERY,
    PT_ALTER_COMMENT, /* COMMENT ON TABLE, DATABASE */
    PT_ALTER_TRUNCATE,
    PT_ALTER_REPAIR, /* MSCK REPAIR, RECOVER PARTITIONS: nothing to do */
    PT_ALTER_ANALYZE /* ANALYZE TABLE, ANALYZE TABLES: nothing to do */
} pt_alter_kind;

typedef struct pt_plan_alter_table {
    pt_plan base;
    pt_alter_kind alter_kind;
    pt_object_kind object_kind; /* TABLE, VIEW or DATABASE */
    pt_name name;
    bool if_exists;
    pt_name new_name;        /* RENAME */
    const pt_field *columns; /* ADD, TYPE: the type; others: names */
    size_t altered_column_count;
    const char *new_column_name;
    const char *comment;
    pt_options properties;
    const pt_plan *query;
    const char *text; /* VIEW_QUERY: SQL; COLUMN_DEFAULT: expression, NULL drops it */
    bool nullable;
} pt_plan_alter_table;

typedef struct pt_plan_delete {
    pt_plan base;
    pt_name table;
    const char *alias;
    const pt_expr *condition; /* NULL: all rows */
    const pt_plan *target;    /* set by analysis: the scan that the condition refers to */
} pt_plan_delete;

typedef struct pt_assignment {
    pt_name column;
    const pt_expr *value; /* NULL: DEFAULT */
} pt_assignment;

typedef struct pt_plan_update {
    pt_plan base;
    pt_name table;
    const char *alias;
    const pt_assignment *assignments;
    size_t assignment_count;
    const pt_expr *condition;
    const pt_plan *target; /* set by analysis */
} pt_plan_update;

typedef enum pt_merge_match { PT_MERGE_MATCHED, PT_MERGE_NOT_MATCHED, PT_MERGE_NOT_MATCHED_BY_SOURCE } pt_merge_match;
typedef enum pt_merge_action {
    PT_MERGE_DELETE,
    PT_MERGE_UPDATE,
    PT_MERGE_UPDATE_ALL,
    PT_MERGE_INSERT,
    PT_MERGE_INSERT_ALL
} pt_merge_action;

typedef struct pt_merge_clause {
    pt_merge_match match;
    pt_merge_action action;
    const pt_expr *condition;
    const pt_assignment *assignments;
    size_t assignment_count;
} pt_merge_clause;

typedef struct pt_plan_merge {
    pt_plan base;
    pt_name table;
    const char *alias;
    const pt_plan *source;
    const pt_expr *condition;
    const pt_merge_clause *clauses;
    size_t clause_count;
    bool with_schema_evolution;
} pt_plan_merge;

typedef struct pt_plan_use {
    pt_plan base;
    pt_name name;
    bool is_catalog; /* SET CATALOG, USE CATALOG */
} pt_plan_use;

typedef struct pt_plan_set {
    pt_plan base;
    const char *key;   /* NULL: list all (SET), or reset all */
    const char *value; /* NULL: show, or reset */
    bool is_reset;
    bool is_verbose;   /* SET -v */
    bool is_time_zone; /* SET TIME ZONE; value is a zone or LOCAL */
} pt_plan_set;

typedef struct pt_plan_show_objects {
    pt_plan base;
    pt_object_kind object_kind;
    pt_name scope;              /* IN or FROM, or the object of SHOW COLUMNS, PARTITIONS, CREATE TABLE … */
    const char *pattern;        /* LIKE; may be NULL */
    const char *property_key;   /* SHOW TBLPROPERTIES t (key); may be NULL */
    const char *function_scope; /* "user", "system", "all"; NULL: all */
} pt_plan_show_objects;

typedef struct pt_plan_describe {
    pt_plan base;
    pt_object_kind object_kind; /* TABLE, DATABASE, FUNCTION, QUERY */
    pt_name name;
    pt_name column; /* DESCRIBE t c; count 0 none */
    bool is_extended;
    bool as_json;
    const pt_plan *query;
} pt_plan_describe;

typedef struct pt_plan_explain {
    pt_plan base;
    const char *mode;     /* "simple", "extended", "formatted", "cost", "codegen"; "datafusion", "datafusion-verbose",
                         "datafusion-analyze": rows of plan_type and plan */
    const pt_plan *query; /* a relation or a command */
} pt_plan_explain;

typedef struct pt_plan_cache_table {
    pt_plan base;
    pt_name name;         /* count 0: CLEAR CACHE */
    const pt_plan *query; /* CACHE TABLE t AS …; may be NULL */
    bool is_uncache;
    bool is_refresh; /* REFRESH TABLE */
    bool if_exists;
    const char *path; /* REFRESH path; may be NULL */
} pt_plan_cache_table;

/** CREATE FUNCTION f(x INT) RETURNS INT RETURN x + 1. */
typedef struct pt_plan_create_function {
    pt_plan base;
    pt_name name;
    bool is_temporary;
    bool replace;
    bool if_not_exists;
    const pt_field *parameters;
    const pt_expr *const *parameter_defaults; /* per parameter; may hold NULL */
    size_t parameter_count;
    const pt_type *return_type; /* may be NULL */
    const pt_expr *body;        /* scalar */
    const pt_plan *table_body;  /* RETURNS TABLE */
    const char *class_name;     /* AS 'class': refused by name */
    const char *comment;
} pt_plan_create_function;

/* Checked casts: pt__plan_as_filter(p) and so on. */
#define PT_PLAN(id, name)                                                                                              \
    static inline const pt_plan_##name *pt__plan_as_##name(const pt_plan *plan)                                        \
    {                                                                                                                  \
        assert(plan->kind == PT_PLAN_##id);                                                                            \
        return (const pt_plan_##name *)plan;                                                                           \
    }
#include "plan/plan.def"
#undef PT_PLAN

/** A zeroed node with plan_id -1: pt__plan_make(arena, FILTER, filter, origin). */
#define pt__plan_make(arena, id, name, node_origin)                                                                    \
    ((pt_plan_##name *)pt__plan_new((arena), PT_PLAN_##id, sizeof(pt_plan_##name), (node_origin)))
pt_plan *pt__plan_new(pt__arena *arena, pt_plan_kind kind, size_t size_bytes, const pt_origin *origin);

const char *pt__plan_kind_name(pt_plan_kind kind);

/** Commands change something or report about the catalog; relations only have rows. References around one count. */
bool pt__plan_is_command(const pt_plan *plan);

#endif
