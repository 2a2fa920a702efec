/**
 * Building DataFusion's messages: expressions and relations in an arena, with the depth that they will have on the
 * wire and a weight, so that what a scheduler refuses, or dies of, is refused here.
 *
 * A node may be used in several places; it is then written several times.
 *
 * Spec: prost decodes 100 messages within each other; ours stop at PT_BALLISTA_DEPTH_MAX.
 */
#ifndef PT_BACKEND_BALLISTA_MAKE_H
#define PT_BACKEND_BALLISTA_MAKE_H

#include "base/arena.h"
#include "base/int128.h"
#include "plan/expr.h"

#include "datafusion/plan.pb-c.h"

enum {
    PT_BALLISTA_DEPTH_MAX = 95,      /* messages within each other */
    PT_BALLISTA_WEIGHT_MAX = 200000, /* messages of a plan */
    PT_BALLISTA_CHAIN_MAX = 500      /* operands of one chain: DataFusion recurses over them */
};

typedef struct pt__bx {
    Datafusion__LogicalExprNode node;
    uint32_t depth;
    uint64_t weight;
    bool varies; /* there is a column in it */
} pt__bx;

typedef struct pt__bname {
    const char *name;
    const pt_type *type;
} pt__bname;

typedef struct pt__bplan {
    Datafusion__LogicalPlanNode node;
    uint32_t depth;
    uint64_t weight;
    const pt__bname *names; /* output columns */
    size_t name_count;
} pt__bplan;

typedef DatafusionCommon__ArrowType pt__btype;

/** A message of protobuf-c with its defaults. */
void *pt__bmessage(pt__arena *arena, const ProtobufCMessageDescriptor *descriptor);

/* Types. NULL: there is none on the cluster. */
pt__btype *pt__btype_of(pt__arena *arena, const pt_type *type);
/** The same in 256 bits. */
pt__btype *pt__btype_decimal256(pt__arena *arena, int32_t precision, int32_t scale);
pt__btype *pt__btype_timestamp(pt__arena *arena, const char *zone);
/** "int32", "utf8", "date32" …: the word of templates; NULL when there is none. */
pt__btype *pt__btype_named(pt__arena *arena, const char *name);

/* Leaves. */
const pt__bx *pt__bx_column(pt__arena *arena, const char *name);
const pt__bx *pt__bx_qualified(pt__arena *arena, const char *relation, const char *name);
const pt__bx *pt__bx_null(pt__arena *arena, pt__btype *type);
const pt__bx *pt__bx_bool(pt__arena *arena, bool value);
const pt__bx *pt__bx_int32(pt__arena *arena, int32_t value);
const pt__bx *pt__bx_int64(pt__arena *arena, int64_t value);
const pt__bx *pt__bx_double(pt__arena *arena, double value);
const pt__bx *pt__bx_text(pt__arena *arena, const char *value);
const pt__bx *pt__bx_decimal(pt__arena *arena, pt_int128 value, int32_t precision, int32_t scale);
const pt__bx *pt__bx_interval(pt__arena *arena, int32_t months, int32_t days);
const pt__bx *pt__bx_scalar(pt__arena *arena, DatafusionCommon__ScalarValue *value);
/** NULL when values of the type cannot be written. */
const pt__bx *pt__bx_literal(pt__arena *arena, const pt_type *type, const pt_value *value);

/* Operators. `op` is one of DataFusion's words. */
const pt__bx *pt__bx_binary(pt__arena *arena, const char *op, const pt__bx *a, const pt__bx *b);
/** And, Or, Plus, StringConcat over any number of operands; one: itself. */
const pt__bx *pt__bx_chain(pt__arena *arena, const char *op, const pt__bx *const *items, size_t count);
const pt__bx *pt__bx_and(pt__arena *arena, const pt__bx *a, const pt__bx *b); /* either may be NULL: the other */
const pt__bx *pt__bx_or(pt__arena *arena, const pt__bx *a, const pt__bx *b);
const pt__bx *pt__bx_not(pt__arena *arena, const pt__bx *x);
const pt__bx *pt__bx_is_null(pt__arena *arena, const pt__bx *x);
const pt__bx *pt__bx_is_not_null(pt__arena *arena, const pt__bx *x);
const pt__bx *pt__bx_negative(pt__arena *arena, const pt__bx *x);
const pt__bx *pt__bx_cast(pt__arena *arena, const pt__bx *x, pt__btype *type);
const pt__bx *pt__bx_try_cast(pt__arena *arena, const pt__bx *x, pt__btype *type);
/** Conditions and values in turn; `otherwise` NULL: NULL. */
const pt__bx *pt__bx_case(pt__arena *arena, const pt__bx *const *pairs, size_t pair_count, const pt__bx *otherwise);
const pt__bx *pt__bx_if(pt__arena *arena, const pt__bx *condition, const pt__bx *value, const pt__bx *otherwise);
const pt__bx *pt__bx_in(pt__arena *arena, const pt__bx *x, const pt__bx *const *items, size_t count, bool negated);
const pt__bx *pt__bx_like(pt__arena *arena, const pt__bx *x, const pt__bx *pattern, const char *escape,
                          bool ignores_case);
const pt__bx *pt__bx_call(pt__arena *arena, const char *name, const pt__bx *const *arguments, size_t count);
const pt__bx *pt__bx_call1(pt__arena *arena, const char *name, const pt__bx *a);
const pt__bx *pt__bx_call2(pt__arena *arena, const char *name, const pt__bx *a, const pt__bx *b);
const pt__bx *pt__bx_alias(pt__arena *arena, const pt__bx *x, const char *name);

/**
 * Fails at run time, when it is reached, with the condition; see PT_BALLISTA_RAISED. `row` is an expression that
 * varies where the failure may be: a constant would fail as soon as the query is planned. NULL: there is none.
 */
const pt__bx *pt__bx_raise(pt__arena *arena, const char *condition, const char *parameters_json, const pt__bx *row,
                           pt__btype *type);
/** The same with a text in the JSON, between `prefix` and `suffix`. */
const pt__bx *pt__bx_raise_text(pt__arena *arena, const char *prefix, const pt__bx *text, const char *suffix,
                                pt__btype *type);

/* Relations. The names of the result are the caller's to set where they are not the input's. */
pt__bplan *pt__bplan_new(pt__arena *arena);
/** Takes the depth and weight of a child into account; `levels` messages lie between the two. */
void pt__bplan_holds(pt__bplan *plan, const pt__bplan *input, uint32_t levels);
void pt__bplan_holds_expr(pt__bplan *plan, const pt__bx *expr, uint32_t levels);

pt__bplan *pt__bplan_one_row(pt__arena *arena);
/** Items are aliased to the names. */
pt__bplan *pt__bplan_project(pt__arena *arena, const pt__bplan *input, const pt__bx *const *items,
                             const pt__bname *names, size_t count);
/** Exactly those columns of the input, in that order; the input itself when it has no others. */
const pt__bplan *pt__bplan_pick(pt__arena *arena, const pt__bplan *input, const pt__bname *names, size_t count);
pt__bplan *pt__bplan_filter(pt__arena *arena, const pt__bplan *input, const pt__bx *condition);
pt__bplan *pt__bplan_limit(pt__arena *arena, const pt__bplan *input, int64_t skip, int64_t fetch);
pt__bplan *pt__bplan_alias(pt__arena *arena, const pt__bplan *input, const char *alias);
pt__bplan *pt__bplan_distinct(pt__arena *arena, const pt__bplan *input);
/** `filter` NULL: none. Names: those of both sides, of the left one for semi and anti joins. */
pt__bplan *pt__bplan_join(pt__arena *arena, const pt__bplan *left, const pt__bplan *right,
                          DatafusionCommon__JoinType type, const pt__bx *filter);
pt__bplan *pt__bplan_cross(pt__arena *arena, const pt__bplan *left, const pt__bplan *right);
pt__bplan *pt__bplan_union(pt__arena *arena, const pt__bplan *const *inputs, size_t count);
/** Keys and aggregates are aliased to `names`, keys first. */
pt__bplan *pt__bplan_aggregate(pt__arena *arena, const pt__bplan *input, const pt__bx *const *keys, size_t key_count,
                               const pt__bx *const *aggregates, size_t aggregate_count, const pt__bname *names);

Datafusion__SortExprNode *pt__bsort(pt__arena *arena, const pt__bx *expr, bool ascending, bool nulls_first);

/** The node as its message type wants it: nothing is changed below. */
Datafusion__LogicalExprNode *pt__bx_node(const pt__bx *expr);
Datafusion__LogicalPlanNode *pt__bplan_node(const pt__bplan *plan);

#endif
