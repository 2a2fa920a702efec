/**
 * Decoder of Substrait plans: bytes of a substrait.Plan in, unresolved plan out. No I/O and no session state.
 *
 * What analysis needs to know about the trees:
 * - Columns are ORDINAL nodes; the columns of a named table are attributes in a PROJECT over its scan, because producers
 *   list them in an order of their own.
 * - What a plan declares about types counts: columns of tables and results of functions are implicit casts to the
 *   declared type, which analysis leaves out where it finds that type anyway.
 * - The function table of Spark computes; functions.def says which function of it, and what is written around it where
 *   the two differ. Division of integers is `div`, for instance, and least() of Substrait gives NULL for a NULL.
 * - Relations that a plan shares are common table expressions.
 * - Extension relations, extension tables and literals of user-defined types go to the host's translators.
 * - fixedchar values are kept without their padding, which comparisons then need not look at; casts to varchar(n) and
 *   fixedchar(n) cut. Timestamps have microseconds.
 *
 * Both generations of the messages are read: extension URIs and URNs, arguments as expressions and as arguments, old and
 * new counts, groupings, timestamps, virtual tables, keys of joins.
 *
 * Ownership: everything returned lives in `arena`; `wire` is not kept.
 * Errors:    PT_BAD_MESSAGE, PT_LIMIT of pt__protobuf_unpack; PT_BAD_PLAN for what the specification forbids;
 *            PT_UNSUPPORTED with UNSUPPORTED_FEATURE naming the relation, expression, type, function or option.
 * Threads:   any; the caller guards the arena. The stack must have 4 MiB for the deepest message.
 * Spec:      Substrait 0.108, and what 0.78 still had.
 */
#ifndef PT_DECODE_SUBSTRAIT_DECODER_H
#define PT_DECODE_SUBSTRAIT_DECODER_H

#include "decode/options.h"

/**
 * The one root of a plan: a relation, or a command for write and ddl relations. `options` may be NULL: extension nodes are
 * refused then.
 */
pt_status pt__substrait_decode(pt__arena *arena, pt_bytes_view wire, const pt__decode_options *options,
                               const pt_plan **out, pt_error *err);

#endif
