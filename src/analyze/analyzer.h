/**
 * Analysis, inside: the state of one run and what its files offer each other.
 */
#ifndef PT_ANALYZE_ANALYZER_H
#define PT_ANALYZE_ANALYZER_H

#include "analyze/analyze.h"
#include "analyze/function.h"
#include "base/condition.h"
#include "base/list.h"

/** Common table expressions in reach, innermost first. */
typedef struct pt__cte_scope {
    const struct pt__cte_scope *outer;
    const char *name;
    const pt_plan *analyzed; /* NULL: a recursive one whose anchor is not analyzed yet */
    uint32_t id;
    bool is_recursive_reference; /* referred to from its own body: columns of the anchor */
} pt__cte_scope;

/** References of the enclosing WITH_REFERENCES nodes. */
typedef struct pt__reference_scope {
    const struct pt__reference_scope *outer;
    const pt_plan_with_references *node;
} pt__reference_scope;

typedef struct pt__lambda_scope {
    const struct pt__lambda_scope *outer;
    const pt_expr_lambda *lambda;                    /* unresolved: names */
    const pt_expr_lambda_variable *const *variables; /* resolved */
} pt__lambda_scope;

/** Where names of an expression are looked up. */
typedef struct pt__scope {
    const struct pt__scope *outer; /* of the enclosing query, for correlated subqueries */
    const pt_plan *const *inputs;
    size_t input_count;
    const pt__lambda_scope *lambdas;
    /* The select list so far, for lateral column aliases; NULL items are skipped. */
    const pt_expr *const *select_items;
    size_t select_count;
    bool outer_was_used; /* set when a name was found in `outer` */
} pt__scope;

typedef struct pt__analyzer {
    pt__arena *arena;
    pt__catalog *catalog;
    uint32_t next_id; /* of columns, CTEs and lambda variables */
    uint32_t depth;
    bool ansi;
    bool case_sensitive;
    const char *time_zone;
    const pt__cte_scope *ctes;
    const pt__reference_scope *references;
    pt__scope *query_scope;    /* of the enclosing query when a subquery is analyzed; NULL at the top */
    const char *view_database; /* inside a view: its database; NULL: the session's */
    bool view_is_temporary;    /* inside a temporary view */
    uint32_t view_depth;
    const pt_expr *windowed; /* the call that OVER follows, while it is analyzed */
} pt__analyzer;

enum {
    PT_ANALYZE_DEPTH_MAX =
        4000, /* relations and expressions nested in each other; a level takes below 2 KiB of stack */
    PT_ANALYZE_VIEW_DEPTH_MAX = 100 /* spark.sql.view.maxNestedViewDepth */
};

/** Counts a level of nesting for the duration of a call; PT_LIMIT beyond the maximum. */
pt_status pt__analyzer_enter(pt__analyzer *a, pt_error *err);
static inline void pt__analyzer_leave(pt__analyzer *a)
{
    a->depth--;
}

/** The error with the origin of the node at fault added; returns `status`. */
pt_status pt__analyzer_fail(pt_status status, const pt_origin *origin, pt_error *err);

bool pt__same_name(const pt__analyzer *a, const char *x, const char *y);
bool pt__conf_is(const pt__analyzer *a, const char *key, const char *value);

/** `a`.`b` — as names are quoted in errors. */
const char *pt__quote_name(pt__arena *arena, const pt_name *name);
const char *pt__quote_one(pt__arena *arena, const char *name);
/** "INT" — a type as quoted in errors. */
const char *pt__quote_type(pt__arena *arena, const pt_type *type);
/** "(a + 1)" — an expression as quoted in errors. */
const char *pt__quote_expr(pt__arena *arena, const pt_expr *expr);

/* ---- relation.c ---- */

/** Resolves and types a relation and all below it, by the function of its kind. */
pt_status pt__analyze_plan(pt__analyzer *a, const pt_plan *plan, const pt_plan **out, pt_error *err);

/* ---- node.c ---- */

/** A column of a new id. */
pt_column pt__new_column(pt__analyzer *a, const char *name, const pt_type *type, bool nullable);

/** Columns that the user sees: those not hidden. */
size_t pt__visible_count(const pt_plan *plan);
/** A list of column references to the visible columns. */
const pt_expr *const *pt__visible_refs(pt__analyzer *a, const pt_plan *plan, size_t *count);

/** A reference to a column of an analyzed relation. */
const pt_expr *pt__column_ref(pt__analyzer *a, const pt_column *column);

/**
 * PROJECT of analyzed expressions: names from aliases or as Spark makes them; bare columns keep their ids. The plan
 * id is that of `plan` (may be NULL).
 */
const pt_plan *pt__project(pt__analyzer *a, const pt_plan *input, const pt_expr *const *expressions, size_t count,
                           const pt_plan *plan);
const pt_plan *pt__filter(pt__analyzer *a, const pt_plan *input, const pt_expr *condition, const pt_plan *plan);

/** JOIN of analyzed sides without a condition, the right one of which refers to the left; plan id that of `plan`. */
const pt_plan *pt__lateral_join(pt__analyzer *a, pt_join_kind kind, const pt_plan *left, const pt_plan *right,
                                const pt_plan *plan);

/** Copies the node's plan id and origin. */
void pt__inherit(pt_plan *node, const pt_plan *from);

/** Columns of a node that passes its input's rows through. */
void pt__pass_columns(pt_plan *node, const pt_plan *input);

/**
 * Makes node->columns for output expressions whose types are set: names, nullability, metadata; bare columns keep
 * their ids.
 */
const pt_column *pt__output_columns(pt__analyzer *a, const pt_expr *const *expressions, size_t count);

/** A new alias of an analyzed expression, of its type and nullability; the caller may still change it. */
pt_expr_alias *pt__typed_alias(pt__analyzer *a, const pt_expr *child, const char *name);
/** An alias of the name that Spark makes up for an analyzed expression. */
const pt_expr *pt__automatic_alias(pt__analyzer *a, const pt_expr *expr);

/** Casts the visible columns of `plan` to `types` where they differ, keeping names. */
const pt_plan *pt__cast_columns(pt__analyzer *a, const pt_plan *plan, const pt_type *const *types);

/** A list of column names after an alias must be empty or as long as the relation is wide. */
pt_status pt__check_name_count(pt__analyzer *a, const pt_plan *plan, size_t name_count, pt_error *err);
/** The visible columns of `input` under a new qualifier, the first `name_count` of them renamed; plan id of `plan`. */
const pt_plan *pt__rename(pt__analyzer *a, const pt_plan *input, pt_name qualifier, const char *const *names,
                          size_t name_count, const pt_plan *plan);

/* ---- with.c ---- */

/** The DataFrame of the enclosing WITH_REFERENCES nodes, not analyzed, that is aliased `name`; NULL: none. */
const pt_plan *pt__find_reference(const pt__analyzer *a, const pt_name *name);
/** A reference to the common table expression in reach that is called `name`; NULL: none. Plan id of `plan`. */
const pt_plan *pt__refer_to_cte(pt__analyzer *a, const pt_name *name, const pt_plan *plan);

/* ---- expression.c ---- */

/** Resolves and types an expression; aggregates, windows, generators and stars are left to the caller's care. */
pt_status pt__analyze_expr(pt__analyzer *a, pt__scope *scope, const pt_expr *expr, const pt_expr **out, pt_error *err);

/** Resolves a condition and checks that it is boolean. */
pt_status pt__analyze_condition(pt__analyzer *a, pt__scope *scope, const pt_expr *expr, const char *clause,
                                const pt_expr **out, pt_error *err);

/** Types a call whose arguments are resolved (but for lambdas); used by rewrites. Never fails for builtin uses. */
pt_status pt__call(pt__analyzer *a, const char *name, const pt_expr *const *arguments, size_t count,
                   const pt_expr **out, pt_error *err);

pt__scope pt__scope_of(pt__analyzer *a, const pt_plan *const *inputs, size_t count);

/** Resolves each of `count` expressions. */
pt_status pt__analyze_all(pt__analyzer *a, pt__scope *scope, const pt_expr *const *items, size_t count,
                          const pt_expr *const **out, pt_error *err);
/** DATATYPE_MISMATCH.DATA_DIFF_TYPES: the items of `shown` have no common type. */
pt_status pt__fail_types_differ(pt__analyzer *a, const pt_expr *shown, const pt_expr *const *items, size_t count,
                                const char *function, pt_error *err);

/* ---- kinds of expressions with a file of their own, called by the dispatch of expression.c ---- */

pt_status pt__analyze_window(pt__analyzer *a, pt__scope *scope, const pt_expr_window *window, const pt_expr **out,
                             pt_error *err);
pt_status pt__analyze_update_fields(pt__analyzer *a, pt__scope *scope, const pt_expr_update_fields *update,
                                    const pt_expr **out, pt_error *err);
pt_status pt__analyze_subquery(pt__analyzer *a, pt__scope *scope, const pt_expr_subquery *subquery, const pt_expr **out,
                               pt_error *err);

/* ---- select_list.c ---- */

/** Resolves a select list: stars and regexes are expanded; items keep their aliases. */
pt_status pt__analyze_list(pt__analyzer *a, pt__scope *scope, const pt_expr *const *expressions, size_t count,
                           const pt_expr *const **out, size_t *out_count, pt_error *err);

/* ---- inspect.c ---- */

bool pt__contains_aggregate(const pt_expr *expr); /* outside windows and subqueries */
bool pt__contains_window(const pt_expr *expr);
bool pt__contains_generator(const pt_expr *expr);
bool pt__contains_subquery(const pt_expr *expr);
bool pt__is_aggregate_call(const pt_expr *expr);
bool pt__is_generator_call(const pt_expr *expr);
bool pt__is_deterministic(const pt_expr *expr);
/** The expression below aliases. */
const pt_expr *pt__strip_alias(const pt_expr *expr);

/* ---- names.c ---- */

/**
 * The column, lambda variable, lateral alias or outer column that a name means, with the fields that follow it taken
 * out of it. Errors: PT_NOT_FOUND with err untouched when there is none; AMBIGUOUS_REFERENCE.
 */
pt_status pt__resolve_attribute(pt__analyzer *a, pt__scope *scope, const pt_expr_attribute *attribute,
                                const pt_expr **out, pt_error *err);
/** Errors: PT_BAD_PLAN when there is no such column. */
pt_status pt__resolve_ordinal(pt__analyzer *a, pt__scope *scope, const pt_expr_ordinal *ordinal, const pt_expr **out,
                              pt_error *err);
/** UNRESOLVED_COLUMN with the nearest names proposed. */
pt_status pt__unresolved_column(pt__analyzer *a, const pt__scope *scope, const pt_name *name, const pt_origin *origin,
                                pt_error *err);

/* ---- star.c ---- */

/** The columns that a star stands for, or the fields of the struct that it is a star of. */
pt_status pt__expand_star(pt__analyzer *a, pt__scope *scope, const pt_expr_star *star, const pt_expr *const **out,
                          size_t *count, pt_error *err);
/** Position of a visible column by plain name; -1 none, -2 several. */
int pt__find_column(const pt__analyzer *a, const pt_plan *plan, const char *name);

/* ---- field.c ---- */

/** child[key] and child.key: a field of a struct or of each struct of an array, an element, a map's value. */
pt_status pt__extract(pt__analyzer *a, const pt_expr *child, const pt_expr *key, const pt_origin *origin,
                      const pt_expr **out, pt_error *err);
/** A struct's field by name. Errors: FIELD_NOT_FOUND, AMBIGUOUS_REFERENCE_TO_FIELDS. */
pt_status pt__struct_field(pt__analyzer *a, const pt_expr *child, const char *name, const pt_origin *origin,
                           const pt_expr **out, pt_error *err);
/** A struct's field by position. Errors: PT_BAD_PLAN. */
pt_status pt__field_at(pt__analyzer *a, const pt_expr *child, uint32_t position, const pt_origin *origin,
                       const pt_expr **out, pt_error *err);

/* ---- call.c, signature.c ---- */

/** Chooses the overload, casts the arguments, resolves lambdas, types the result. */
pt_status pt__resolve_call(pt__analyzer *a, pt__scope *scope, pt_expr_call *call, const pt_expr **out, pt_error *err);

/** Whether the row takes that number of arguments. */
bool pt__arity_fits(const pt__function *row, size_t count);

/* ---- call_error.c ---- */

/** UNRESOLVED_ROUTINE */
pt_status pt__fail_unknown_function(pt__analyzer *a, const pt_expr_call *call, pt_error *err);
/** What keeps all `count` rows from taking the arguments: their number, a lambda, a type. */
pt_status pt__fail_overload(pt__analyzer *a, const pt_expr_call *call, const pt__function *rows, size_t count,
                            pt_error *err);
/** Lambdas are for functions that have a parameter for one. */
pt_status pt__check_lambdas(const pt_expr_call *call, const pt__function *rows, size_t count, pt_error *err);
/** WRONG_NUM_ARGS; `expected` says how many there should be. */
pt_status pt__wrong_count(pt__analyzer *a, const pt_expr_call *call, const char *expected, pt_error *err);

typedef struct pt__match {
    const pt__function *function;
    const pt_expr **arguments; /* cast */
    size_t argument_count;
    const pt_type *type;
    bool nullable;
    const pt_expr *folded; /* computed instead of the call; NULL: the call */
} pt__match;

bool pt__type_is_orderable(const pt_type *type);
/** DATATYPE_MISMATCH.INVALID_ORDERING_TYPE. */
pt_status pt__fail_unordered(pt__analyzer *a, const pt_expr_call *call, const pt_type *type, pt_error *err);

/** What argument_checks.def asks of arguments before their types are looked at, and once they fit. */
pt_status pt__check_untyped_arguments(pt__analyzer *a, const char *function, const pt_expr_call *call, pt_error *err);
pt_status pt__check_typed_arguments(pt__analyzer *a, const pt_expr_call *call, const pt__match *match, pt_error *err);

/** How far arguments may be from what a signature asks for; tried in this order. */
typedef enum pt__leniency {
    PT_MATCH_EXACT,
    PT_MATCH_WIDENING,  /* with the casts of ANSI's type coercion */
    PT_MATCH_NARROWING, /* also from one numeric type to a smaller one, with a check of each value */
    PT_MATCH_COUNT
} pt__leniency;

/** PT_NOT_FOUND with err untouched when the row does not fit. */
/** Whether the row's parameter takes the argument, the others apart. */
bool pt__parameter_fits(pt__analyzer *a, const pt__function *row, const pt_expr_call *call, size_t index);

pt_status pt__match_signature(pt__analyzer *a, pt__scope *scope, const pt__function *row, const pt_expr_call *call,
                              pt__leniency leniency, pt__match *out, pt_error *err);

/** Fewest and most arguments that a row takes; most is SIZE_MAX for any number. */
void pt__signature_arity(const char *signature, size_t *fewest, size_t *most);

/* ---- type_rules.c ---- */

/** A row of type_rules.def. */
typedef struct pt__type_rule {
    const char *name;
    size_t fewest; /* arguments, where the rule is a row's whole signature */
    size_t most;
    /** Checks, casts and types a call; PT_NOT_FOUND when the row does not fit. */
    pt_status (*apply)(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err);
} pt__type_rule;

/** NULL when there is no such rule. */
const pt__type_rule *pt__type_rule_find(const char *name, size_t name_size);

/* ---- coerce.c ---- */

/** The type that both can be widened to without loss of meaning; NULL: none. */
const pt_type *pt__common_type(pt__analyzer *a, const pt_type *x, const pt_type *y);
bool pt__can_cast_implicitly(const pt__analyzer *a, const pt_type *from, const pt_type *to);
bool pt__can_cast(const pt__analyzer *a, const pt_type *from, const pt_type *to, pt_cast_mode mode);
/** `expr`, or an implicit cast of it. */
const pt_expr *pt__implicit_cast(pt__analyzer *a, const pt_expr *expr, const pt_type *to);
/** An explicit cast with mode and nullability set; checks nothing. */
const pt_expr *pt__make_cast(pt__analyzer *a, const pt_expr *expr, const pt_type *to, pt_cast_mode mode, bool implicit);
/** A decimal type that holds every value of a numeric type; literals count by their digits. */
const pt_type *pt__decimal_for(pt__analyzer *a, const pt_expr *expr);
/** The decimal that holds every value of a numeric type. */
const pt_type *pt__decimal_of(pt__analyzer *a, const pt_type *type);
const pt_type *pt__bounded_decimal(pt__analyzer *a, int32_t precision, int32_t scale);
/** Precision and scale cut as Spark does when the precision exceeds 38, keeping integer digits. */
const pt_type *pt__adjusted_decimal(pt__analyzer *a, int32_t precision, int32_t scale);
/** The call in quotes, as errors about the types of its arguments show it. */
const char *pt__quote_refused(pt__analyzer *a, const pt_expr_call *call);
/** What errors say that the parameter takes: `required` unless required_types.def tells another text. */
const char *pt__required_type(const pt_expr_call *call, size_t index, const char *required);
/** DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE and relatives. */
pt_status pt__mismatch(pt__analyzer *a, const pt_expr_call *call, size_t index, const char *required, pt_error *err);

/* ---- pretty.c ---- */

/** The name that Spark gives to an unnamed output expression. */
const char *pt__pretty_name(pt__arena *arena, const pt_expr *expr);

/* ---- families of relations: one function per node kind, called by the dispatch of relation.c ---- */

#define PT_ANALYZE_KIND(name)                                                                                          \
    pt_status pt__analyze_##name(pt__analyzer *a, const pt_plan_##name *node, const pt_plan **out, pt_error *err)

PT_ANALYZE_KIND(scan_table);
PT_ANALYZE_KIND(scan_files);
PT_ANALYZE_KIND(stream);
PT_ANALYZE_KIND(local);
PT_ANALYZE_KIND(values);
PT_ANALYZE_KIND(range);
PT_ANALYZE_KIND(cached);
PT_ANALYZE_KIND(project);
PT_ANALYZE_KIND(filter);
PT_ANALYZE_KIND(aggregate);
PT_ANALYZE_KIND(join);
PT_ANALYZE_KIND(sort);
PT_ANALYZE_KIND(limit);
PT_ANALYZE_KIND(tail);
PT_ANALYZE_KIND(set_operation);
PT_ANALYZE_KIND(generate);
PT_ANALYZE_KIND(sample);
PT_ANALYZE_KIND(with);
PT_ANALYZE_KIND(collect_metrics);
PT_ANALYZE_KIND(map_python);
PT_ANALYZE_KIND(subquery_alias);
PT_ANALYZE_KIND(with_columns);
PT_ANALYZE_KIND(rename_columns);
PT_ANALYZE_KIND(drop_columns);
PT_ANALYZE_KIND(to_df);
PT_ANALYZE_KIND(to_schema);
PT_ANALYZE_KIND(deduplicate);
PT_ANALYZE_KIND(fill_na);
PT_ANALYZE_KIND(drop_na);
PT_ANALYZE_KIND(replace_values);
PT_ANALYZE_KIND(unpivot);
PT_ANALYZE_KIND(pivot);
/** groupBy().pivot() of DataFrames. */
pt_status pt__analyze_dataframe_pivot(pt__analyzer *a, const pt_plan_aggregate *node, const pt_plan **out,
                                      pt_error *err);
PT_ANALYZE_KIND(transpose);
PT_ANALYZE_KIND(statistics);
PT_ANALYZE_KIND(hint);
PT_ANALYZE_KIND(table_function);
PT_ANALYZE_KIND(parse);
PT_ANALYZE_KIND(show);
PT_ANALYZE_KIND(as_of_join);
PT_ANALYZE_KIND(with_references);
PT_ANALYZE_KIND(reference);
PT_ANALYZE_KIND(create_view);
PT_ANALYZE_KIND(create_table);
PT_ANALYZE_KIND(insert);
PT_ANALYZE_KIND(write_files);
PT_ANALYZE_KIND(delete);
PT_ANALYZE_KIND(update);
PT_ANALYZE_KIND(merge);
PT_ANALYZE_KIND(explain);
PT_ANALYZE_KIND(describe);
PT_ANALYZE_KIND(cache_table);

/** Builds the plan of a select list whose expressions are analyzed over `input`: project, global aggregate or generate. */
pt_status pt__select(pt__analyzer *a, const pt_plan *input, const pt_expr *const *expressions, size_t count,
                     const pt_plan *plan, const pt_plan **out, pt_error *err);

/** AGGREGATE and the PROJECT above it for analyzed grouping and output expressions over `input`. */
pt_status pt__aggregate(pt__analyzer *a, const pt_plan *input, const pt_expr *const *grouping, size_t grouping_count,
                        const pt_grouping_set *sets, size_t set_count, const pt_expr *const *outputs,
                        size_t output_count, const pt_plan *plan, const pt_plan **out, pt_error *err);

/**
 * Resolves expressions over an analyzed select (sort orders, HAVING): against its output first, then against what
 * lies below. `*out_plan` may have extra columns at its end then; the caller projects them away.
 */
pt_status pt__analyze_over_select(pt__analyzer *a, const pt_plan *select, const pt_expr *const *expressions,
                                  size_t count, const pt_plan **out_plan, const pt_expr *const **out, pt_error *err);

/** HAVING over an analyzed select list of groups; PT_NOT_FOUND when it has no groups. */
pt_status pt__analyze_having(pt__analyzer *a, const pt_plan_project *project, const pt_plan_filter *node,
                             const pt_plan **out, pt_error *err);

#endif
