/**
 * What the files of lowering share.
 *
 * Every relation gives columns of unique names without a qualifier: c<id> of the plan's column ids, x<n> of what
 * lowering adds. Expressions are lowered over the relation at `input` and may put nodes on top of it: windows,
 * and the joins that subqueries become.
 */
#ifndef PT_BACKEND_BALLISTA_LOWERING_H
#define PT_BACKEND_BALLISTA_LOWERING_H

#include "backend/ballista/lower.h"
#include "backend/ballista/make.h"

#include "analyze/function.h"
#include "base/list.h"
#include "plan/table.h"

enum { PT_BALLISTA_NESTING_MAX = 400 /* recursion of lowering itself */ };

/** Where aggregates of the call being lowered go. */
typedef struct pt__bl_leaves {
    pt__list(const pt__bx *) calls;
    pt__list(pt__bname) names;
} pt__bl_leaves;

/** A conjunct taken out of a subquery, still to be lowered over the join of both sides. */
typedef pt__list(const pt_expr *) pt__bl_conjuncts;

typedef struct pt__bl_cte {
    uint32_t id;
    const pt_plan *plan;
} pt__bl_cte;

typedef struct pt__bl {
    pt__arena *arena;
    const pt__ballista_lower_options *options;
    const char *time_zone;
    bool is_utc;
    uint32_t target_partitions;
    const char **columns; /* by id: name on the cluster; NULL: none */
    size_t column_count;
    uint32_t next; /* of x<n> */
    uint32_t depth;
    pt__list(pt__bl_cte) ctes;
    const pt__bplan **input;    /* of the expression being lowered; NULL: it must not change it */
    pt__bl_leaves *leaves;      /* inside of an aggregate's call; else NULL */
    const pt_expr_window *over; /* inside of a window's call; else NULL */
    const pt_expr_call *call;   /* the aggregate or window call itself */
    const pt_plan_aggregate *aggregate;
    const char *set_name;   /* of its column with the number of the grouping set; NULL: none */
    const pt__bplan *outer; /* the relation around the subquery whose correlation is being taken apart */
    bool sees_outer;        /* conjuncts of a correlated subquery: outer columns are in reach */
} pt__bl;

/* Refusals. */
pt_status pt__bl_refuse(pt_error *err, const pt_origin *origin, const char *what);
pt_status pt__bl_refuse_function(pt__bl *bl, const pt_expr_call *call, pt_error *err);
pt_status pt__bl_type(pt__bl *bl, const pt_type *type, const pt_origin *origin, pt__btype **out, pt_error *err);
pt_status pt__bl_enter(pt__bl *bl, pt_error *err);

/* Names. */
const char *pt__bl_new_name(pt__bl *bl);
void pt__bl_bind(pt__bl *bl, uint32_t id, const char *name);
const char *pt__bl_bound(const pt__bl *bl, uint32_t id);
/** c<id>, bound. */
const char *pt__bl_bind_own(pt__bl *bl, const pt_column *column);

/* Relations (lower_relation.c). */
pt_status pt__bl_relation(pt__bl *bl, const pt_plan *plan, const pt__bplan **out, pt_error *err);
/** Exactly the columns of the analyzed plan, in order, under their bound names. */
pt_status pt__bl_exact(pt__bl *bl, const pt_plan *plan, const pt__bplan **out, pt_error *err);
/** The relation with one column more. */
const pt__bplan *pt__bl_extend(pt__bl *bl, const pt__bplan *input, const pt__bx *item, const char *name,
                               const pt_type *type);
/** A scan of Parquet files, or of one folder, whose URL ends in "/". */
pt__bplan *pt__bl_parquet(pt__bl *bl, const char *relation, char **urls, size_t count,
                          DatafusionCommon__Schema *schema);
DatafusionCommon__Schema *pt__bl_schema(pt__arena *arena, size_t most);
void pt__bl_add_field(pt__arena *arena, DatafusionCommon__Schema *schema, const char *name, pt__btype *type);
/** A leaf that the cluster does not read (lower_stage.c); refused as `what` when nobody can read it for it. */
pt_status pt__bl_stage(pt__bl *bl, const pt_plan *leaf, const char *what, const pt__bplan **out, pt_error *err);
pt_status pt__bl_cached(pt__bl *bl, const pt_plan_cached *cached, const pt__bplan **out, pt_error *err);
pt_status pt__bl_scan_files(pt__bl *bl, const pt_plan_scan_files *scan, const pt__bplan **out, pt_error *err);
pt_status pt__bl_local(pt__bl *bl, const pt_plan_local *local, const pt__bplan **out, pt_error *err);
pt_status pt__bl_values(pt__bl *bl, const pt_plan_values *values, const pt__bplan **out, pt_error *err);
pt_status pt__bl_range(pt__bl *bl, const pt_plan_range *range, const pt__bplan **out, pt_error *err);
pt_status pt__bl_no_rows(pt__bl *bl, const pt_plan *plan, const pt__bplan **out, pt_error *err);
pt_status pt__bl_aggregate_plan(pt__bl *bl, const pt_plan_aggregate *aggregate, const pt__bplan **out, pt_error *err);
pt_status pt__bl_join_plan(pt__bl *bl, const pt_plan_join *join, const pt__bplan **out, pt_error *err);
pt_status pt__bl_set_plan(pt__bl *bl, const pt_plan_set_operation *set, const pt__bplan **out, pt_error *err);
/** Keeps the rows for which all of the conjuncts hold. */
pt_status pt__bl_apply(pt__bl *bl, const pt__bl_conjuncts *list, const pt__bplan **input, pt_error *err);
pt_status pt__bl_filter_plan(pt__bl *bl, const pt_plan_filter *filter, const pt__bplan **out, pt_error *err);
/** Values of the columns, row after row, as a relation. */
pt_status pt__bl_rows(pt__bl *bl, const pt_column *columns, size_t width, const pt__bx *const *cells, size_t row_count,
                      const pt__bplan **out, pt_error *err);

/* The parts of an aggregate, for correlated subqueries: keys and leaves, but not what is computed of them. */
typedef struct pt__bl_grouped {
    const pt__bplan *plan;
    const pt__bx **results; /* per aggregate, over the leaves' columns */
    pt__bl_leaves leaves;
} pt__bl_grouped;
/** Computes the results on top of what `plan` is now and binds the aggregate's columns to them. */
void pt__bl_bind_results(pt__bl *bl, const pt_plan_aggregate *aggregate, pt__bl_grouped *grouped);
/** `extra` are columns of the input to group by besides, by their names. */
pt_status pt__bl_group(pt__bl *bl, const pt_plan_aggregate *aggregate, const pt__bplan *input, const pt__bname *extra,
                       size_t extra_count, pt__bl_grouped *out, pt_error *err);

/* Expressions. */
pt_status pt__bl_expr(pt__bl *bl, const pt_expr *expr, const pt__bx **out, pt_error *err);
/** Lowers over *input, which may get nodes on top. */
pt_status pt__bl_expr_over(pt__bl *bl, const pt_expr *expr, const pt__bplan **input, const pt__bx **out, pt_error *err);
pt_status pt__bl_call(pt__bl *bl, const pt_expr_call *call, const pt__bx **out, pt_error *err);
pt_status pt__bl_cast(pt__bl *bl, const pt_expr_cast *cast, const pt__bx **out, pt_error *err);
pt_status pt__bl_cast_to(pt__bl *bl, pt_cast_mode mode, const pt__bx *x, const pt_type *from, const pt_type *to,
                         const pt_origin *origin, const pt__bx **out, pt_error *err);
pt_status pt__bl_window(pt__bl *bl, const pt_expr_window *window, const pt__bx **out, pt_error *err);
pt_status pt__bl_subquery(pt__bl *bl, const pt_expr_subquery *subquery, bool negated, const pt__bx **out,
                          pt_error *err);
/** The rows of `input` for which a conjunct that is EXISTS or IN, or the opposite, holds; false: it is neither. */
pt_status pt__bl_subquery_conjunct(pt__bl *bl, const pt_expr *conjunct, const pt__bplan **input, bool *taken,
                                   pt_error *err);
pt_status pt__bl_orders(pt__bl *bl, const pt_expr *const *orders, size_t count, Datafusion__SortExprNode ***out,
                        uint32_t *depth, uint64_t *weight, pt_error *err);

/** A call's template of functions.def over lowered arguments. */
pt_status pt__bl_template(pt__bl *bl, const char *template, const pt_expr_call *call, const pt__bx *const *arguments,
                          size_t count, const pt__bx **out, pt_error *err);
/** An aggregate or window function of DataFusion, wherever the call stands; `filter` may be NULL. */
pt_status pt__bl_leaf(pt__bl *bl, const char *name, const pt__bx *const *arguments, size_t count, const pt__bx *filter,
                      const pt_type *type, const pt__bx **out, pt_error *err);
/** The same, looked up among window functions proper. */
pt_status pt__bl_window_leaf(pt__bl *bl, const char *name, bool is_aggregate, const pt__bx *const *arguments,
                             size_t count, const pt__bx *filter, const pt_type *type, const pt__bx **out,
                             pt_error *err);

/** Rules: calls that a template cannot say. */
typedef pt_status (*pt__bl_rule)(pt__bl *bl, const pt_expr_call *call, const pt__bx *const *arguments,
                                 const pt__bx **out, pt_error *err);

/** NaN and -0.0 in the one form that compares, groups and sorts as Spark does. */
const pt__bx *pt__bl_normal(pt__bl *bl, const pt__bx *x, const pt_expr *expr, const pt_type *type);
/** One of = <=> < <= > >= over operands of one type. */
pt_status pt__bl_compare(pt__bl *bl, const char *op, const pt_expr *a, const pt_expr *b, const pt__bx *x,
                         const pt__bx *y, const pt_type *type, const pt__bx **out, pt_error *err);

/* Questions. */
bool pt__bl_is_call(const pt_expr *expr, const char *name);
bool pt__bl_is_float(const pt_type *type);
const pt_expr_literal *pt__bl_literal(const pt_expr *expr); /* also below casts of analysis; NULL: none */
bool pt__bl_has_outer(const pt_expr *expr);                 /* columns of a query around it */
bool pt__bl_plan_has_outer(const pt_plan *plan);
bool pt__bl_has(const pt_expr *expr, pt_expr_kind kind);
bool pt__bl_is_volatile(const pt_plan *plan);
void pt__bl_split_and(pt__bl *bl, const pt_expr *expr, pt__bl_conjuncts *out);
static inline const pt_type *pt__bl_type_of(const pt_expr_call *call, size_t index)
{
    return call->arguments[index]->type;
}

#endif
