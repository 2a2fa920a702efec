/**
 * Decoder of DataFusion's logical plans (protobuf, version 54), as Ballista's clients send them: bytes in, unresolved
 * plan out. No I/O and no session state.
 *
 * Names: DataFusion's are exact and qualified, and an expression without alias is named after its text, such as
 * `sum(t.a)`. The decoder resolves all of them itself: columns of the plan have generated names, and the outermost node
 * gives them the names that the client expects.
 *
 * Types: strings, whatever their layout, are STRING, likewise binaries; dictionaries are their values; dates are
 * DATE. Decimals keep precision and scale. Of what the plan does not have,
 * - UInt8, UInt16 and UInt32 are the next wider integer, UInt64 is LONG: what counts rows fits, a larger value of a
 *   file is an error. Sums, differences and products of unsigned numbers and casts that may lose a sign are refused.
 * - timestamps have microseconds; nanoseconds of files are cut, literals that have them are refused. Without a
 *   time zone they are TIMESTAMP_NTZ, with one TIMESTAMP; what would show the zone (fields, text) is refused.
 * - intervals of mixed units are calendar intervals. Float16, Date64, unions and run-end encoding are refused.
 *
 * Semantics: the types of DataFusion are derived for every expression, so that a call of the plan gives the same value
 * in the same type, by a cast where Spark's function has another; functions.def says what is called. The session must
 * have ANSI mode on: overflow and division by zero are then errors, also where DataFusion wraps around (integers) or
 * gives infinity (floats). -0.0 equals 0.0. COPY and INSERT give the count of rows, which is a LONG, DDL gives no row; EXPLAIN and EXPLAIN
 * ANALYZE give kinds of plans and their texts, which are not DataFusion's. A column
 * of a scan's schema that the files have in another case only is read, where DataFusion gives NULL; a path without files
 * is an error, where it gives no rows.
 *
 * What has no counterpart is refused by name, with PT_UNSUPPORTED and UNSUPPORTED_FEATURE.NOT_IN_PORTICO.
 *
 * Ownership: everything returned lives in `arena`; `payload` is not kept.
 * Errors:    PT_BAD_MESSAGE, PT_LIMIT for nesting, PT_BAD_PLAN for what fits no schema, PT_UNSUPPORTED.
 * Threads:   any; the caller guards the arena.
 * Spec:      datafusion.proto of the crate datafusion-proto 54, and how its from_proto reads it.
 */
#ifndef PT_DECODE_DATAFUSION_DECODER_H
#define PT_DECODE_DATAFUSION_DECODER_H

#include "plan/plan.h"

/** A node that the format leaves open. */
typedef struct pt__datafusion_extension {
    const char *table_name; /* CustomTableScanNode: the table; NULL: a LogicalExtensionNode */
    pt_bytes_view payload;
    const pt_plan *const *inputs; /* LogicalExtensionNode */
    const pt_type *const *input_schemas;
    size_t input_count;
    const pt_type *schema; /* CustomTableScanNode: a struct, all columns; NULL: for the translator to say */
} pt__datafusion_extension;

/** All zero: no extensions. */
typedef struct pt__datafusion_options {
    /**
     * Sets `*plan`, and `*schema` to a struct of its columns in their order (their names are those of DataFusion).
     * NULL: extensions are refused.
     */
    pt_status (*translate)(void *context, pt__arena *arena, const pt__datafusion_extension *extension,
                           const pt_plan **plan, const pt_type **schema, pt_error *err);
    void *context;
} pt__datafusion_options;

/** Name of the format, and how deep nodes and expressions may nest. */
#define PT_DATAFUSION_FORMAT "datafusion.logical_plan.v54"
enum { PT_DATAFUSION_DEPTH_MAX = 200 };

/** `payload` is a LogicalPlanNode. `options` may be NULL. */
pt_status pt__datafusion_decode(pt__arena *arena, pt_bytes_view payload, const pt__datafusion_options *options,
                                const pt_plan **out, pt_error *err);

#endif
