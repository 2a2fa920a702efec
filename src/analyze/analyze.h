/**
 * Analysis: names, types and functions of an unresolved plan are settled; out comes a typed, read-only plan of core
 * relations and commands (plan.h).
 *
 * Ownership: the result lives in `arena` and may point into `plan`, which must live as long.
 * Errors:    Spark's conditions, with the query context of the node at fault.
 * Threads:   blocks on the catalog; call it on a worker.
 * Source:    behaviour of Apache Spark 4.2's analyzer.
 */
#ifndef PT_ANALYZE_ANALYZE_H
#define PT_ANALYZE_ANALYZE_H

#include "analyze/catalog.h"

pt_status pt__analyze(pt__arena *arena, pt__catalog *catalog, const pt_plan *plan, const pt_plan **out, pt_error *err);

/**
 * As pt__analyze, for a tree that becomes part of another: its columns get ids from `*next_id` on, which is then the
 * next free one.
 */
pt_status pt__analyze_part(pt__arena *arena, pt__catalog *catalog, const pt_plan *plan, uint32_t *next_id,
                           const pt_plan **out, pt_error *err);

/** The visible output columns of an analyzed relation as a struct type: df.schema. */
const pt_type *pt__analyzed_schema(pt__arena *arena, const pt_plan *analyzed);

#endif
