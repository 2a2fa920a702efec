/**
 * Expressions of the plan.
 *
 * Decoders build them without types; analysis builds new ones with `type` set. Nodes are never changed once
 * built and live in an arena. A kind is one row of expr.def; its struct starts with `pt_expr base`.
 */
#ifndef PT_PLAN_EXPR_H
#define PT_PLAN_EXPR_H

#include "base/int128.h"
#include "plan/origin.h"
#include "plan/type.h"

#include <assert.h>

typedef enum pt_expr_kind {
#define PT_EXPR(id, name) PT_EXPR_##id,
#include "plan/expr.def"
#undef PT_EXPR
    PT_EXPR_COUNT
} pt_expr_kind;

typedef struct pt_plan pt_plan;

typedef struct pt_expr {
    pt_expr_kind kind;
    bool nullable;           /* meaningful once `type` is set */
    const pt_type *type;     /* NULL before analysis */
    const pt_origin *origin; /* may be NULL */
} pt_expr;

typedef struct pt_interval {
    int32_t months;
    int32_t days;
    int64_t microseconds;
} pt_interval;

/** The value of a literal; which member counts follows from its type. */
typedef struct pt_value {
    bool is_null;
    union {
        bool boolean;
        int64_t integer; /* byte … long, date (days), timestamps (µs), time (ns), year-month (months), day-time (µs) */
        double real;     /* float, double */
        pt_int128 decimal;
        pt_text_view text;    /* string, char, varchar (UTF-8), binary; in the arena */
        pt_interval interval; /* calendar */
        struct {
            const struct pt_value *items; /* array elements, struct fields; map: key, value, key, value … */
            size_t count;                 /* number of items, for maps twice the entries */
        } list;
    } as;
} pt_value;

typedef struct pt_expr_literal {
    pt_expr base; /* type is always set */
    pt_value value;
} pt_expr_literal;

/** A possibly qualified name, already split and unquoted. */
typedef struct pt_name {
    const char *const *parts;
    size_t count;
} pt_name;

typedef struct pt_expr_attribute {
    pt_expr base;
    pt_name name;
    int64_t plan_id; /* DataFrame column: the node it belongs to; -1 none */
    bool is_metadata_column;
} pt_expr_attribute;

/** A column by its position among the visible columns of the inputs, those of the right input after the left one's. */
typedef struct pt_expr_ordinal {
    pt_expr base;
    uint32_t position; /* 0-based */
    uint32_t outer;    /* 0: the inputs of the node itself; n: those of the n-th query around it */
} pt_expr_ordinal;

typedef struct pt_expr_star {
    pt_expr base;
    pt_name target;        /* before the ".*"; count 0: everything */
    int64_t plan_id;       /* -1 none */
    const pt_name *except; /* SELECT * EXCEPT (…) */
    size_t except_count;
} pt_expr_star;

typedef struct pt_expr_column_regex {
    pt_expr base;
    const char *pattern;
    pt_name qualifier;
    int64_t plan_id;
} pt_expr_column_regex;

typedef struct pt_expr_parameter {
    pt_expr base;
    const char *name; /* NULL: positional */
    int32_t position; /* 0-based, of a positional one */
} pt_expr_parameter;

typedef struct pt_expr_extract {
    pt_expr base;
    const pt_expr *child;
    const pt_expr *key;
} pt_expr_extract;

typedef struct pt_expr_column {
    pt_expr base;
    uint32_t id; /* of a pt_column of the input, or of an outer query's */
    bool is_outer;
    const char *name; /* as the user spelled it; for output names */
} pt_expr_column;

typedef struct pt_expr_field {
    pt_expr base;
    const pt_expr *child; /* of struct type */
    uint32_t ordinal;
    const char *name; /* as the user spelled it; NULL before analysis */
} pt_expr_field;

typedef enum pt_cast_mode { PT_CAST_DEFAULT, PT_CAST_ANSI, PT_CAST_TRY, PT_CAST_LEGACY } pt_cast_mode;

/** Which rows of the function table a name means: all, those of Spark Connect's clients, those of SQL text. */
typedef enum pt_call_reach { PT_REACH_ALL, PT_REACH_CONNECT, PT_REACH_SQL } pt_call_reach;

/** A function, aggregate or operator ("+", "=", "and", "not", "like", "when" …). */
typedef struct pt_expr_call {
    pt_expr base;
    pt_name name;                        /* as the user spelled it; operators have one part */
    const struct pt__function *function; /* row of the function table; NULL before analysis */
    const pt_expr *const *arguments;
    size_t argument_count;
    bool is_distinct;
    bool ignore_nulls;
    bool is_internal;      /* names a function of Spark's internal registry */
    pt_call_reach reach;   /* of the name, by whom it was written; does not count when calls are compared */
    bool is_operator;      /* SQL wrote -x or +x: the output name shows the sign */
    pt_cast_mode mode;     /* analyzed: what a failure does; ANSI raises, TRY and LEGACY give NULL or wrap around */
    const pt_expr *filter; /* aggregate FILTER (WHERE …); may be NULL */
    const pt_expr
        *folded; /* analyzed: what is computed for the call, such as the value of now(); NULL: the call itself */
    const pt_expr *const *within_group; /* sort orders of WITHIN GROUP */
    size_t within_group_count;
} pt_expr_call;

typedef struct pt_expr_alias {
    pt_expr base;
    const pt_expr *child;
    const char *const *names; /* several for generators */
    size_t name_count;
    const char *metadata; /* JSON; NULL none */
} pt_expr_alias;

typedef struct pt_expr_cast {
    pt_expr base; /* type: the target, set by the decoder too */
    const pt_expr *child;
    const pt_type *target;
    pt_cast_mode mode; /* analysis leaves ANSI, TRY or LEGACY */
    bool is_implicit;  /* of analysis, or of a declared type: does not show in output names; none if already so */
} pt_expr_cast;

typedef struct pt_case_branch {
    const pt_expr *condition;
    const pt_expr *value;
} pt_case_branch;

typedef struct pt_expr_case {
    pt_expr base;
    const pt_case_branch *branches;
    size_t branch_count;
    const pt_expr *otherwise; /* may be NULL */
} pt_expr_case;

typedef struct pt_expr_in {
    pt_expr base;
    const pt_expr *child;
    const pt_expr *const *values;
    size_t value_count;
} pt_expr_in;

typedef struct pt_expr_sort_order {
    pt_expr base;
    const pt_expr *child;
    bool is_descending;
    bool nulls_first;
    bool is_plain; /* neither direction nor null order were given in SQL text */
} pt_expr_sort_order;

typedef enum pt_frame_unit { PT_FRAME_NONE, PT_FRAME_ROWS, PT_FRAME_RANGE } pt_frame_unit;
typedef enum pt_bound_kind {
    PT_BOUND_UNBOUNDED_PRECEDING,
    PT_BOUND_PRECEDING,
    PT_BOUND_CURRENT_ROW,
    PT_BOUND_FOLLOWING,
    PT_BOUND_UNBOUNDED_FOLLOWING
} pt_bound_kind;

typedef struct pt_frame_bound {
    pt_bound_kind kind;
    const pt_expr *offset; /* PRECEDING and FOLLOWING; may be negative */
} pt_frame_bound;

typedef struct pt_expr_window {
    pt_expr base;
    const pt_expr *function; /* a call */
    const pt_expr *const *partition;
    size_t partition_count;
    const pt_expr *const *order; /* sort orders */
    size_t order_count;
    pt_frame_unit unit; /* NONE before analysis: the default frame */
    pt_frame_bound lower;
    pt_frame_bound upper;
    const char *reference; /* OVER name, before analysis; NULL none */
} pt_expr_window;

typedef struct pt_expr_lambda {
    pt_expr base;
    const pt_expr *body;
    const struct pt_expr_lambda_variable *const *parameters;
    size_t parameter_count;
} pt_expr_lambda;

typedef struct pt_expr_lambda_variable {
    pt_expr base;
    pt_name name;
    uint32_t id; /* unique in the plan, set by analysis */
} pt_expr_lambda_variable;

typedef struct pt_expr_update_fields {
    pt_expr base;
    const pt_expr *child;
    const char *field;    /* SQL syntax of a possibly nested name */
    const pt_expr *value; /* NULL: drop the field */
} pt_expr_update_fields;

typedef enum pt_subquery_kind {
    PT_SUBQUERY_SCALAR,
    PT_SUBQUERY_EXISTS,
    PT_SUBQUERY_IN,
    PT_SUBQUERY_TABLE /* table argument of a function */
} pt_subquery_kind;

typedef struct pt_expr_subquery {
    pt_expr base;
    pt_subquery_kind subquery_kind;
    const pt_plan *plan;
    const pt_expr *const *values; /* IN: left side, several for (a, b) IN */
    size_t value_count;
} pt_expr_subquery;

typedef struct pt_expr_named_argument {
    pt_expr base;
    const char *name;
    const pt_expr *value;
} pt_expr_named_argument;

typedef struct pt_expr_python_udf {
    pt_expr base;
    const char *name;
    const pt_type *result_type;
    int32_t evaluation_type;
    pt_bytes_view command;
    const char *python_version;
    bool is_deterministic;
    const pt_expr *const *arguments;
    size_t argument_count;
} pt_expr_python_udf;

/* Checked casts: pt__expr_as_call(e) and so on. */
#define PT_EXPR(id, name)                                                                                              \
    static inline const pt_expr_##name *pt__expr_as_##name(const pt_expr *expr)                                        \
    {                                                                                                                  \
        assert(expr->kind == PT_EXPR_##id);                                                                            \
        return (const pt_expr_##name *)expr;                                                                           \
    }
#include "plan/expr.def"
#undef PT_EXPR

/** A zeroed node of the kind: pt__expr_make(arena, LITERAL, literal, origin). */
#define pt__expr_make(arena, id, name, node_origin)                                                                    \
    ((pt_expr_##name *)pt__expr_new((arena), PT_EXPR_##id, sizeof(pt_expr_##name), (node_origin)))
pt_expr *pt__expr_new(pt__arena *arena, pt_expr_kind kind, size_t size_bytes, const pt_origin *origin);

const char *pt__expr_kind_name(pt_expr_kind kind);

/** The last part. */
const char *pt__name_last(const pt_name *name);

/* Builders for what decoders and rewrites make most. */
pt_name pt__name_one(pt__arena *arena, const char *part);
const pt_expr *pt__expr_attribute(pt__arena *arena, const char *name, const pt_origin *origin);
/** An untyped call by name with `count` arguments given as pointers. */
const pt_expr *pt__expr_call(pt__arena *arena, const pt_origin *origin, const char *name, size_t count, ...);
const pt_expr *pt__expr_call_list(pt__arena *arena, const pt_origin *origin, const char *name,
                                  const pt_expr *const *arguments, size_t count);
const pt_expr *pt__expr_alias(pt__arena *arena, const pt_expr *child, const char *name);
const pt_expr *pt__expr_cast(pt__arena *arena, const pt_expr *child, const pt_type *target, pt_cast_mode mode);
const pt_expr *pt__expr_literal(pt__arena *arena, const pt_type *type, pt_value value);
const pt_expr *pt__expr_null(pt__arena *arena, const pt_type *type);
const pt_expr *pt__expr_boolean(pt__arena *arena, bool value);
const pt_expr *pt__expr_int(pt__arena *arena, int32_t value);
const pt_expr *pt__expr_long(pt__arena *arena, int64_t value);
const pt_expr *pt__expr_double(pt__arena *arena, double value);
const pt_expr *pt__expr_string(pt__arena *arena, const char *value);

/** Whether the value does not depend on any row: literals and calls and casts over such. */
bool pt__expr_is_constant(const pt_expr *expr);

/**
 * Calls visit(context, child) for each direct child until one returns false; false then. The parameters of a lambda
 * are no children, its body is.
 */
bool pt__expr_each_child(const pt_expr *expr, bool (*visit)(void *context, const pt_expr *child), void *context);

/**
 * A copy of `expr` whose direct children are map(context, child); `expr` itself when none changed.
 * Subquery plans are left as they are.
 */
const pt_expr *pt__expr_map_children(pt__arena *arena, const pt_expr *expr,
                                     const pt_expr *(*map)(void *context, const pt_expr *child), void *context);

/** Structural equality, ignoring origins; what semantic equality of GROUP BY expressions needs. */
bool pt__expr_equal(const pt_expr *a, const pt_expr *b);

/** Equality of two values of one type: NULL equals NULL, NaN equals NaN, 0.0 is not -0.0. */
bool pt__value_equal(const pt_type *type, const pt_value *a, const pt_value *b);

#endif
