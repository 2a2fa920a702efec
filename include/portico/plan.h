/**
 * Plans: building them, for decoders and translators, and reading them, for wrappers and backends.
 *
 * A plan is a tree of relations, or one command, with expressions and types; what the kinds are called and hold is
 * the text form's business (pt_plan_write_text). Decoders build plans by names; analysis then gives every expression
 * its type and every relation its columns. Nodes are read-only once built.
 *
 * Ownership: nodes live as long as the request or job that they belong to. Texts, arrays and bytes that are passed to
 *            a builder are copied.
 * Errors:    a builder remembers its first failure. From then on, and when a node that is passed to it is NULL, it
 *            returns NULL, so that a decoder may check once at its end: by returning what it built. The host reports
 *            the builder's own error when there is one.
 * Threads:   a builder belongs to the call that it was handed to; plans may be read from any thread.
 */
#ifndef PORTICO_PLAN_H
#define PORTICO_PLAN_H

#include <portico/bytes.h>
#include <portico/error.h>
#include <portico/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_expr pt_expr;
typedef struct pt_type pt_type;
typedef struct pt_builder pt_builder;

/* ---- types ---- */

/** A type by Spark's DDL: "int", "decimal(10,2)", "array<string>"; a column list "a int, b string" is a struct. */
const pt_type *pt_build_type(pt_builder *builder, const char *ddl);

/* ---- expressions ---- */

/** A column by the parts of its name: {"a"}, or {"t", "a"} of the relation that is called t. */
const pt_expr *pt_build_column(pt_builder *builder, const char *const *parts, size_t part_count);
/** Every column of the input. */
const pt_expr *pt_build_star(pt_builder *builder);

const pt_expr *pt_build_null(pt_builder *builder, const pt_type *type);
const pt_expr *pt_build_boolean(pt_builder *builder, bool value);
const pt_expr *pt_build_int(pt_builder *builder, int32_t value);
const pt_expr *pt_build_long(pt_builder *builder, int64_t value);
const pt_expr *pt_build_double(pt_builder *builder, double value);
/** UTF-8. */
const pt_expr *pt_build_string(pt_builder *builder, pt_text_view value);
const pt_expr *pt_build_binary(pt_builder *builder, pt_bytes_view value);

/** A function, aggregate or operator by Spark's name: "+", "=", "and", "sum", "upper". */
const pt_expr *pt_build_call(pt_builder *builder, const char *name, const pt_expr *const *arguments, size_t count);
const pt_expr *pt_build_cast(pt_builder *builder, const pt_expr *child, const pt_type *target);
const pt_expr *pt_build_alias(pt_builder *builder, const pt_expr *child, const char *name);
/** What pt_build_sort takes. */
const pt_expr *pt_build_order(pt_builder *builder, const pt_expr *child, bool descending, bool nulls_first);
/** An expression in Spark's SQL: "price * (1 - discount) AS net". */
const pt_expr *pt_build_expression_sql(pt_builder *builder, pt_text_view sql);

/* ---- relations ---- */

/** A table or view by the parts of its name. */
const pt_plan *pt_build_table(pt_builder *builder, const char *const *parts, size_t part_count);
/** Files of a format ("parquet", "csv", "json", "text"); options are Spark's reader options. */
const pt_plan *pt_build_files(pt_builder *builder, const char *format, const char *const *paths, size_t path_count,
                              const pt_query_option *options, size_t option_count);
/** start, start + step … below end. */
const pt_plan *pt_build_range(pt_builder *builder, int64_t start, int64_t end, int64_t step);
/** Rows as an Arrow IPC stream. */
const pt_plan *pt_build_local(pt_builder *builder, pt_bytes_view ipc_stream);
/** A query, or a command, in Spark's SQL. */
const pt_plan *pt_build_sql(pt_builder *builder, pt_text_view sql);

/** `input` NULL: one row without columns. */
const pt_plan *pt_build_project(pt_builder *builder, const pt_plan *input, const pt_expr *const *expressions,
                                size_t count);
const pt_plan *pt_build_filter(pt_builder *builder, const pt_plan *input, const pt_expr *condition);
/** Columns: the grouping expressions, then the aggregates. */
const pt_plan *pt_build_aggregate(pt_builder *builder, const pt_plan *input, const pt_expr *const *grouping,
                                  size_t grouping_count, const pt_expr *const *aggregates, size_t aggregate_count);

typedef enum pt_build_join_kind {
    PT_BUILD_JOIN_INNER,
    PT_BUILD_JOIN_CROSS,
    PT_BUILD_JOIN_LEFT,
    PT_BUILD_JOIN_RIGHT,
    PT_BUILD_JOIN_FULL,
    PT_BUILD_JOIN_LEFT_SEMI,
    PT_BUILD_JOIN_LEFT_ANTI
} pt_build_join_kind;

/** `condition` NULL: a cross join. */
const pt_plan *pt_build_join(pt_builder *builder, const pt_plan *left, const pt_plan *right, pt_build_join_kind kind,
                             const pt_expr *condition);
const pt_plan *pt_build_sort(pt_builder *builder, const pt_plan *input, const pt_expr *const *orders, size_t count);
/** A negative limit or offset means none. */
const pt_plan *pt_build_limit(pt_builder *builder, const pt_plan *input, int64_t limit, int64_t offset);

typedef enum pt_build_set_kind { PT_BUILD_UNION, PT_BUILD_INTERSECT, PT_BUILD_EXCEPT } pt_build_set_kind;

const pt_plan *pt_build_set(pt_builder *builder, const pt_plan *left, const pt_plan *right, pt_build_set_kind kind,
                            bool all);
const pt_plan *pt_build_distinct(pt_builder *builder, const pt_plan *input);
/** A share of the rows, 0 to 1, the same ones for the same seed. */
const pt_plan *pt_build_sample(pt_builder *builder, const pt_plan *input, double share, int64_t seed);
/** Names the relation, for qualified columns. */
const pt_plan *pt_build_named(pt_builder *builder, const pt_plan *input, const char *name);
/** Renames all columns, by position. */
const pt_plan *pt_build_renamed(pt_builder *builder, const pt_plan *input, const char *const *names, size_t count);

/* ---- nodes within an extension ---- */

/**
 * A relation or an expression of the surrounding format that an extension carries inside itself: a serialized
 * spark.connect.Relation or spark.connect.Expression, a substrait.Rel or substrait.Expression, and so on.
 */
const pt_plan *pt_build_nested_relation(pt_builder *builder, pt_bytes_view message);
const pt_expr *pt_build_nested_expression(pt_builder *builder, pt_bytes_view message);

/* ---- reading ---- */

/** "filter", "scan_table", "insert" …: the words of the text form. */
const char *pt_plan_kind_text(const pt_plan *plan);
bool pt_plan_is_command(const pt_plan *plan);

/** An output column of an analyzed relation. */
typedef struct pt_column_info {
    const char *name;
    const pt_type *type;
    bool nullable;
} pt_column_info;

size_t pt_plan_column_count(const pt_plan *plan);
/** False past the end. */
bool pt_plan_column_at(const pt_plan *plan, size_t index, pt_column_info *out);

/** The parts of the table's name that a "scan_table" or a command over a table has; 0 for any other node. */
size_t pt_plan_table(const pt_plan *plan, const char *const **parts);
/** The paths that a "scan_files" reads or a "write_files" writes; 0 for any other node. */
size_t pt_plan_paths(const pt_plan *plan, const char *const **paths);

/** "call", "column", "literal" … */
const char *pt_expr_kind_text(const pt_expr *expr);
/** The function's name of a "call"; NULL for any other. */
const char *pt_expr_function_name(const pt_expr *expr);
/** The name of a "column" or of an "attribute", its last part; NULL for any other. */
const char *pt_expr_column_name(const pt_expr *expr);
/** NULL before analysis. */
const pt_type *pt_expr_type(const pt_expr *expr);

/** Each is called before what lies below its node; either may be NULL; false ends the walk. */
typedef struct pt_plan_visitor {
    bool (*relation)(void *context, const pt_plan *plan);
    bool (*expression)(void *context, const pt_expr *expr);
    void *context;
} pt_plan_visitor;

/** Walks the whole tree, sub-queries included. False when a visit ended it. */
bool pt_plan_visit(const pt_plan *plan, const pt_plan_visitor *visitor);

/** Hands the text form to write(context, text) once. Errors: PT_NO_MEMORY. */
pt_status pt_plan_write_text(const pt_plan *plan, void (*write)(void *context, pt_text_view text), void *context,
                             pt_error *err);
/** The same for a type: Spark's simple string, such as "array<int>". */
pt_status pt_type_write_text(const pt_type *type, void (*write)(void *context, pt_text_view text), void *context,
                             pt_error *err);

#ifdef __cplusplus
}
#endif

#endif
