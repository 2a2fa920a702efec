/**
 * The formats that are built in.
 *
 * Their decoders use the builder's arena and options directly (decode/builder.h); the host guards the arena.
 */
#ifndef PT_DECODE_FORMATS_H
#define PT_DECODE_FORMATS_H

#include <portico/decoder.h>

extern const pt_decoder_vtable pt__decoder_datafusion;    /* datafusion.logical_plan.v54: a LogicalPlanNode */
extern const pt_decoder_vtable pt__decoder_spark_connect; /* spark.connect.plan.v1: a spark.connect.Plan */
extern const pt_decoder_vtable pt__decoder_spark_sql;     /* spark.sql: the text of one statement */
extern const pt_decoder_vtable pt__decoder_substrait;     /* substrait.plan.v1: a substrait.Plan */

/** All of them; NULL past the end. */
const pt_decoder_vtable *pt__decoder_at(size_t index);

/** These formats have no options yet: an option is refused by its name. */
pt_status pt__refuse_options(const pt_encoded_query *query, pt_error *err);

#endif
