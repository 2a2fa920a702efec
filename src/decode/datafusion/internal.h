/**
 * What the files of the DataFusion decoder share.
 */
#ifndef PT_DECODE_DATAFUSION_INTERNAL_H
#define PT_DECODE_DATAFUSION_INTERNAL_H

#include "base/arena_buffer.h"
#include "base/list.h"
#include "decode/datafusion/decoder.h"
#include "decode/datafusion/type.h"

#include <datafusion/plan.pb-c.h>

/** A column of a relation: what DataFusion calls it, and the generated name that the plan knows it by. */
typedef struct pt__df_column {
    const char *qualifier; /* "t", "s.t", "c.s.t"; NULL none */
    const char *name;
    const char *id;
    const pt__df_type *type;
} pt__df_column;

/** `plan` gives exactly `columns`, by their ids. */
typedef struct pt__df_relation {
    const pt_plan *plan;
    const pt__df_column *columns;
    size_t count;
} pt__df_relation;

typedef struct pt__df_value {
    const pt_expr *expr;
    const pt__df_type *type;
} pt__df_value;

/** The name of the only column of a scalar sub-query. */
typedef struct pt__df_subquery_name {
    const Datafusion__SubqueryNode *node;
    const char *name;
} pt__df_subquery_name;

typedef struct pt__df {
    pt__arena *arena;
    const pt__datafusion_options *options;
    pt_error *err;
    uint32_t next_id;
    uint32_t depth;
    pt__list(pt__df_subquery_name) subquery_names;
} pt__df;

/* ---- errors ---- */

pt_status pt__df_refuse(pt__df *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
pt_status pt__df_bad(pt__df *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** The member of a oneof that is not set, or not known. */
pt_status pt__df_not_set(pt__df *d, const ProtobufCMessage *message);
/** The member by its name in the message. */
pt_status pt__df_refuse_member(pt__df *d, const ProtobufCMessage *message, unsigned number);

/** One level deeper: PT_LIMIT beyond PT_DATAFUSION_DEPTH_MAX. What was entered is left by `d->depth--`. */
pt_status pt__df_enter(pt__df *d);

/* ---- names ---- */

/** "t" or "s.t"; NULL when the reference is missing. */
const char *pt__df_table_name(pt__df *d, const Datafusion__TableReference *reference);
const char *pt__df_new_id(pt__df *d);
/** What DataFusion calls the column that the expression makes, and its qualifier. */
const char *pt__df_expr_name(pt__df *d, const Datafusion__LogicalExprNode *expr, const char **qualifier);
void pt__df_put_name(pt__df *d, pt__buffer *out, const Datafusion__LogicalExprNode *expr);
/** A value as DataFusion shows it: Int64(1). */
void pt__df_put_literal(pt__df *d, pt__buffer *out, const DatafusionCommon__ScalarValue *value);

pt_status pt__df_find_column(pt__df *d, const pt__df_relation *in, const DatafusionCommon__Column *column,
                             const pt__df_column **out);

/* ---- expressions ---- */

pt_status pt__df_expr(pt__df *d, const pt__df_relation *in, const Datafusion__LogicalExprNode *expr, pt__df_value *out);
pt_status pt__df_exprs(pt__df *d, const pt__df_relation *in, Datafusion__LogicalExprNode *const *exprs, size_t count,
                       pt__df_value **out);
/** `types` may be NULL. */
pt_status pt__df_sorts(pt__df *d, const pt__df_relation *in, Datafusion__SortExprNode *const *sorts, size_t count,
                       const pt_expr *const **out, const pt__df_type *const **types);
/** A condition; NULL for a missing one. */
pt_status pt__df_condition(pt__df *d, const pt__df_relation *in, const Datafusion__LogicalExprNode *expr,
                           const pt_expr **out);
pt_status pt__df_literal(pt__df *d, const DatafusionCommon__ScalarValue *value, pt__df_value *out);
pt_status pt__df_nested_literal(pt__df *d, const DatafusionCommon__ScalarNestedValue *value, pt__df_value *out);
pt_status pt__df_binary(pt__df *d, const pt__df_relation *in, const Datafusion__BinaryExprNode *node,
                        pt__df_value *out);
/** `op` as on the wire: "Plus". */
pt_status pt__df_operate(pt__df *d, const char *op, pt__df_value left, pt__df_value right, pt__df_value *out);
pt_status pt__df_cast_to(pt__df *d, pt__df_value value, const pt__df_type *to, bool is_try, pt__df_value *out);
/** Both to a common type, as DataFusion's analysis makes them; `what` names the place. */
pt_status pt__df_unify(pt__df *d, pt__df_value *values, size_t count, const char *what);
/** x ~ pattern in Spark's dialect; refused unless both dialects agree about the pattern. */
pt_status pt__df_regex(pt__df *d, pt__df_value text, pt__df_value pattern, bool ignore_case, bool negated,
                       pt__df_value *out);
pt_status pt__df_scalar(pt__df *d, const pt__df_relation *in, const Datafusion__ScalarUDFExprNode *node,
                        pt__df_value *out);
pt_status pt__df_aggregate(pt__df *d, const pt__df_relation *in, const Datafusion__AggregateUDFExprNode *node,
                           pt__df_value *out);
pt_status pt__df_window(pt__df *d, const pt__df_relation *in, const Datafusion__WindowExprNode *node,
                        pt__df_value *out);
/** date_part(part, x). */
pt_status pt__df_date_part(pt__df *d, pt__df_value part, pt__df_value x, pt__df_value *out);
pt_status pt__df_date_trunc(pt__df *d, pt__df_value part, pt__df_value x, pt__df_value *out);

/* Builders. */
const pt_expr *pt__df_attribute(pt__df *d, const char *id);
const pt_expr *pt__df_cast_expr(pt__df *d, const pt_expr *expr, const pt_type *to);
const pt_expr *pt__df_not(pt__df *d, const pt_expr *expr, bool negated);
const pt_expr *pt__df_if(pt__df *d, const pt_expr *condition, const pt_expr *then, const pt_expr *otherwise);
/** PT_UNSUPPORTED when `expr` is too large to be computed twice. */
pt_status pt__df_repeatable(pt__df *d, const pt_expr *expr, const char *what);
/** The text of a literal; NULL when it is none. */
const char *pt__df_literal_text(const pt_expr *expr);
bool pt__df_literal_integer(const pt_expr *expr, int64_t *out);

/* ---- relations ---- */

pt_status pt__df_relation_of(pt__df *d, const Datafusion__LogicalPlanNode *node, pt__df_relation *out);
/** A projection to new columns; `columns` gives names and types, ids are set. */
pt_status pt__df_project(pt__df *d, const pt_plan *input, pt__df_column *columns, const pt_expr *const *exprs,
                         size_t count, pt__df_relation *out);
pt_status pt__df_filter(pt__df *d, const pt_expr *condition, pt__df_relation *relation);
pt_status pt__df_listing_scan(pt__df *d, const Datafusion__ListingTableScanNode *node, pt__df_relation *out);
pt_status pt__df_view_scan(pt__df *d, const Datafusion__ViewTableScanNode *node, pt__df_relation *out);
pt_status pt__df_custom_scan(pt__df *d, const Datafusion__CustomTableScanNode *node, pt__df_relation *out);
pt_status pt__df_empty_scan(pt__df *d, const Datafusion__EmptyTableScanNode *node, pt__df_relation *out);
pt_status pt__df_extension(pt__df *d, const Datafusion__LogicalExtensionNode *node, pt__df_relation *out);
pt_status pt__df_join(pt__df *d, const Datafusion__JoinNode *node, pt__df_relation *out);
pt_status pt__df_cross_join(pt__df *d, const Datafusion__CrossJoinNode *node, pt__df_relation *out);
pt_status pt__df_grouping(pt__df *d, const Datafusion__AggregateNode *node, pt__df_relation *out);
pt_status pt__df_unnest(pt__df *d, const Datafusion__UnnestNode *node, pt__df_relation *out);
/** A projection that carries DataFusion's names. */
const pt_plan *pt__df_named(pt__df *d, const pt__df_relation *relation);

/** A scan's files, for writing to them. */
pt_status pt__df_file_format(pt__df *d, const Datafusion__ListingTableScanNode *node, const char **format,
                             pt_options *options);
pt_status pt__df_csv_options(pt__df *d, const DatafusionCommon__CsvOptions *csv, bool for_reading, pt_options *out);

/** A command; PT_NOT_FOUND when the node is a relation. */
pt_status pt__df_command(pt__df *d, const Datafusion__LogicalPlanNode *node, const pt_plan **out);

#endif
