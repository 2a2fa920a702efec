/**
 * Lowering for Ballista: an analyzed plan becomes the bytes of a DataFusion LogicalPlanNode.
 *
 * What cannot be said so that a stock cluster gives Spark's answer is refused by name: the same call tells describe
 * and execute whether a plan runs.
 *
 * Errors of Spark that DataFusion does not know are raised by casts of a text to a number: the failure's message then
 * holds PT_BALLISTA_RAISED, the condition, a colon, JSON of its parameters and a closing "]".
 *
 * Ownership: everything lives in the arena.
 * Errors:    UNSUPPORTED_FEATURE naming the node, function, cast or type; PT_LIMIT for plans that nest too deeply.
 * Threads:   none of its own; needs no engine, session or file.
 * Spec:      datafusion.proto of DataFusion 54, src/backend/ballista's notes in docs/ballista.md.
 */
#ifndef PT_BACKEND_BALLISTA_LOWER_H
#define PT_BACKEND_BALLISTA_LOWER_H

#include "base/arena.h"
#include "plan/plan.h"

#define PT_BALLISTA_RAISED "[portico:"

typedef struct pt__ballista_lower_options {
    const char *time_zone;      /* of the session; NULL or "": UTC */
    uint32_t target_partitions; /* of scans; 0: 2 */
    size_t values_max;          /* cells of a local relation that go as values; 0: 100000 */
    /**
     * Sees to it that the rows of a relation that a cluster does not read, with the names of its visible columns, are
     * in Parquet files of the folder `*url` when the query runs. NULL: such relations are refused. Errors: its own.
     */
    pt_status (*stage)(void *context, const pt_plan *relation, const char **url, pt_error *err);
    void *stage_context;
} pt__ballista_lower_options;

/** What pt_cached_result.handle is: rows in a folder, as of `stage`, of pt__ballista_renamed. */
typedef struct pt__ballista_kept {
    const char *url;
} pt__ballista_kept;

/** The same relation whose visible columns are called s0, s1 …: names that files can have, whatever the user's are. */
const pt_plan *pt__ballista_renamed(pt__arena *arena, const pt_plan *plan);

/**
 * Result column i is called o<i> on the cluster, and has the Arrow layout that pt__arrow_schema gives for
 * columns[i].type; timestamps say UTC, whatever the session's zone. A plan without visible columns gives one column
 * that is to be dropped.
 */
typedef struct pt__ballista_lowered {
    pt_bytes_view plan;
    const pt_column *columns; /* visible ones */
    size_t column_count;
} pt__ballista_lowered;

pt_status pt__ballista_lower(pt__arena *arena, const pt_plan *plan, const pt__ballista_lower_options *options,
                             pt__ballista_lowered *out, pt_error *err);

typedef struct pt__ballista_copy {
    const char *url;                      /* file:///…; a folder ends in "/" */
    const char *format;                   /* "parquet", "csv" or "json" */
    pt_options options;                   /* Spark's writer options; what is not known is refused */
    const char *const *partition_columns; /* names of visible columns, any case */
    size_t partition_count;
} pt__ballista_copy;

/** A plan whose rows are written; it answers with one row, the number of rows. */
pt_status pt__ballista_lower_copy(pt__arena *arena, const pt_plan *query, const pt__ballista_copy *copy,
                                  const pt__ballista_lower_options *options, pt_bytes_view *out, pt_error *err);

/** A plan whose rows are DataFusion's text about the query: columns plan_type and plan. */
pt_status pt__ballista_lower_explain(pt__arena *arena, const pt_plan *query, bool analyze,
                                     const pt__ballista_lower_options *options, pt_bytes_view *out, pt_error *err);

#endif
