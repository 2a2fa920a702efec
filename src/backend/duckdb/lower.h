/**
 * Lowering: an analyzed plan becomes one SQL statement of DuckDB.
 *
 * Columns are known by their ids: the lowerer keeps for each id the SQL text that gives its value over the FROM
 * clause of the block (block.h) that the column currently belongs to; a column that left its block is `q<n>.c<id>`.
 * What is used once is written where it is used; what is used more often and costs something is computed in a
 * subquery below. An argument that a template names twice is written twice while it is short
 * (PT_LOWER_REPEAT_MAX bytes) and bound once by a lambda over a list of one element when it is long or volatile:
 * text grows by a constant for each level, never by a factor.
 *
 * Ownership: results live in the arena of the request.
 * Errors:    UNSUPPORTED_FEATURE naming the node or function; PT_LIMIT when the plan nests too deeply.
 * Threads:   a lowerer belongs to one thread.
 */
#ifndef PT_BACKEND_DUCKDB_LOWER_H
#define PT_BACKEND_DUCKDB_LOWER_H

#include "analyze/function.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/list.h"
#include "plan/table.h"

enum {
    PT_LOWER_REPEAT_MAX = 256,  /* bytes of an argument that may be written twice */
    PT_LOWER_INLINE_DEPTH = 48, /* nesting of an expression that may be written where it is used */
    PT_LOWER_LAMBDAS_MAX = 16,  /* within each other: DuckDB's binder takes twice the time for each */
    PT_LOWER_DEPTH_MAX = 1500   /* nesting of relations and expressions together */
};

/** What a piece of text contains. */
enum {
    PT_TEXT_VOLATILE = 1,
    PT_TEXT_WINDOW = 2,
    PT_TEXT_SUBQUERY = 4,
    PT_TEXT_AGGREGATE = 8,
    PT_TEXT_COMPUTED = 16, /* more than a column or a literal */
    PT_TEXT_COLUMN = 32    /* exactly a column of FROM */
};

/** What an id stands for at the moment. */
typedef struct pt__binding {
    const char *text; /* NULL: not bound */
    unsigned flags;
    uint32_t depth;
    uint32_t uses;           /* references in the whole plan, passing through not counted */
    const char *narrow_text; /* the same with products in 64 bits (lower_narrow.h); NULL none */
} pt__binding;

/** Where rows outside the database come from; kept by whoever runs the statement until it has ended. */
typedef struct pt__lower_source {
    uint64_t key;
    const pt_local_data *data;
} pt__lower_source;

struct pt__duckdb;
typedef struct pt__lowered_cte {
    uint32_t id;
    const pt_plan *plan;
} pt__lowered_cte;

typedef struct pt__lower {
    pt__arena *arena;
    struct pt__duckdb *database; /* names of its catalogs; may be NULL in tests */
    const char *time_zone;
    pt__buffer text;       /* grows at its end only */
    unsigned seen;         /* PT_TEXT_* of what was appended since it was last cleared */
    uint32_t deepest;      /* nesting of what was appended, likewise */
    uint32_t nesting;      /* of expressions, at the moment */
    uint32_t depth;        /* of the recursion, at the moment */
    uint32_t lambdas;      /* calls with a lambda, at the moment */
    pt__binding *bindings; /* by id */
    size_t binding_count;
    uint32_t next_alias;
    uint32_t last_id; /* of the plan and of columns made here */
    pt__list(pt__lowered_cte) ctes;
    pt__list(const char *) hoisted; /* WITH clauses of the whole statement, in order */
    pt__list(pt__lower_source) sources;
    bool in_filter;                     /* conjuncts of WHERE: NULL counts as false */
    bool may_narrow;                    /* see lower_narrow.h */
    bool in_narrow;                     /* inside of an argument of sum() or avg() */
    bool used_narrow;                   /* the text has such a product */
    const pt_plan_aggregate *aggregate; /* whose calls are being lowered; NULL none */
} pt__lower;

/** A statement that yields the visible columns of the plan, in order. */
typedef struct pt__lowered {
    const char *sql;
    const pt_column *columns; /* visible ones */
    size_t column_count;
    const pt__lower_source *sources;
    size_t source_count;
    bool used_narrow; /* may fail where the plan does not: lower again with may_narrow off */
} pt__lowered;

/** In the arena, which also frees its text. */
pt__lower *pt__lower_new(pt__arena *arena, struct pt__duckdb *database, const char *time_zone);

/** Lowers a relation. */
pt_status pt__lower_query(pt__lower *lower, const pt_plan *plan, pt__lowered *out, pt_error *err);

/* Expressions (lower_expr.c): append SQL to lower->text. */

pt_status pt__lower_expr(pt__lower *lower, const pt_expr *expr, pt_error *err);
/** The same, into a string of its own. */
pt_status pt__lower_expr_text(pt__lower *lower, const pt_expr *expr, const char **out, pt_error *err);
/** As a conjunct of WHERE. */
pt_status pt__lower_condition(pt__lower *lower, const pt_expr *expr, const char **out, pt_error *err);
/** Appends `expr ASC NULLS FIRST, …`. */
pt_status pt__lower_orders(pt__lower *lower, const pt_expr *const *orders, size_t count, pt_error *err);

/* Appending. */
void pt__put(pt__lower *lower, const char *text);
__attribute__((format(printf, 2, 3))) void pt__putf(pt__lower *lower, const char *format, ...);
void pt__put_identifier(pt__lower *lower, const char *name);
void pt__put_string(pt__lower *lower, const char *data, size_t size_bytes);
void pt__put_literal(pt__lower *lower, const pt_type *type, const pt_value *value);
/** Cuts what was appended since `mark` into a string of the arena. */
const char *pt__cut(pt__lower *lower, size_t mark);

/* Types (lower_type.c). */
void pt__put_type(pt__lower *lower, const pt_type *type);
/** The name of a struct's field in DuckDB: Spark's, or f<i> where DuckDB could not tell the names apart. */
void pt__put_field_name(pt__lower *lower, const pt_type *type, size_t ordinal);
const char *pt__field_name(pt__arena *arena, const pt_type *type, size_t ordinal);

/** Whether DuckDB orders values of the type otherwise than Spark: it takes a NULL within for the largest. */
static inline bool pt__orders_by_key(const pt_type *type)
{
    return type->id == PT_TYPE_ARRAY || type->id == PT_TYPE_STRUCT;
}

/** Refuses by name. */
pt_status pt__lower_unsupported(pt_error *err, const pt_origin *origin, const char *what);
pt_status pt__lower_enter(pt__lower *lower, pt_error *err);

/* Calls (lower_template.c). */

/** How an aggregate is called: inserted at each aggregate of a template. */
typedef struct pt__aggregate_form {
    bool is_distinct;
    const char *filter; /* condition; NULL none */
    const char *over;   /* window; NULL none */
    bool is_whole;      /* the window's frame is the partition: aggregates of ours have another name (aggregate.h) */
    const char *order;  /* ORDER BY … within the call; NULL none */
    bool ignore_nulls;
} pt__aggregate_form;

/** The arguments' texts, filled as a template needs them. */
typedef struct pt__template {
    const char *text;
    const pt_type *result;
    const pt_type *const *types;
    const char *const *arguments;
    size_t argument_count;
    const char *mode; /* "ansi", "try" or "legacy" */
    const char *time_zone;
    const pt__aggregate_form *form; /* NULL: none */
} pt__template;

/** Appends the expansion; fails when the template names what is not there. */
pt_status pt__put_template(pt__lower *lower, const pt__template *template, pt_error *err);
/** Appends the template over the call's arguments; `form` goes to every aggregate function that the template calls. */
pt_status pt__lower_by_template(pt__lower *lower, const char *template, const pt_expr_call *call,
                                const pt__aggregate_form *form, pt_error *err);
/** An analyzed call of the function of that name, ignoring case. */
bool pt__is_call_of(const pt_expr *expr, const char *name);
pt_status pt__lower_call(pt__lower *lower, const pt_expr_call *call, const pt__aggregate_form *form, pt_error *err);

/** The rules of lower_rules.def; NULL: there is none of that name. `form` is NULL for scalars. */
typedef pt_status (*pt__lower_rule)(pt__lower *lower, const pt_expr_call *call, const pt__aggregate_form *form,
                                    pt_error *err);
pt__lower_rule pt__lower_rule_find(const char *name);

/* Casts (lower_cast.c). */
pt_status pt__lower_cast(pt__lower *lower, const pt_expr_cast *cast, pt_error *err);

/** Appends the cast of an SQL expression. */
pt_status pt__put_cast(pt__lower *lower, pt_cast_mode mode, const char *text, const pt_type *from, const pt_type *to,
                       pt_error *err);

/* Windows and subqueries. */
pt_status pt__lower_window(pt__lower *lower, const pt_expr_window *window, pt_error *err);
pt_status pt__lower_subquery(pt__lower *lower, const pt_expr_subquery *subquery, bool negated, pt_error *err);

/* Bindings. */
pt__binding *pt__bind(pt__lower *lower, uint32_t id);
void pt__bind_text(pt__lower *lower, uint32_t id, const char *text, unsigned flags, uint32_t depth);

/** The parenthesis that closes the one at `open`, text in quotes skipped; NULL: none. */
const char *pt__closing_parenthesis(const char *open);

/** "ansi", "try" or "legacy": how names of our functions end. */
const char *pt__mode_name(pt_cast_mode mode);

#endif
