/**
 * The function table: one row per overload of a SQL function or operator, in functions.def.
 *
 * A row: PT_FUNCTION("name", KIND, "signature", NULLS, "lowering"), sorted by name; overloads of one name stand
 * together and are tried in order, first without and then with implicit casts.
 *
 * Signature: parameters, "->", result; as in "array<T>, fn(T, int)->U -> array<U>".
 *   types      boolean tinyint smallint int bigint float double decimal string binary date timestamp timestamp_ntz
 *              interval ym dt variant void
 *   classes    any numeric integral fractional atomic struct datetime strings (kept as the argument has it)
 *   variables  one capital letter: all arguments bound to it get their common type; remembers nullability; with S
 *              text is not read as another type for that
 *   nested     array<X> map<X, Y>
 *   marks      X? optional, X* any number, X+ at least one; in results X! not null, X? nullable element
 *   before it  const: a constant; exact: other kinds of types are not cast to it, numbers to numbers where nothing is
 *              lost; typed: that type alone, and no NULL; wider: cast where nothing is lost
 *   lambdas    fn(A, B?)->R; parameters that the user leaves out are dropped from the end, A? is one that may be NULL
 *   result     a type as above, or @rule: a function of type_rules.c; parameters may be @rule too: the whole row is
 *              then checked and typed by that function ("@add")
 *
 * Who may call a row: PT_FUNCTION everyone; PT_INTERNAL_FUNCTION has the same columns, and is of Spark's internal registry,
 * which Spark Connect's clients reach and SQL text does not; PT_OWN_FUNCTION is ours: what decoders and analysis make of
 * other things. A name that no visible row has is an unresolved routine.
 *
 * NULLS says when the result may be NULL: ANY argument is, ALL arguments are, NEVER, ALWAYS, FIRST argument is, one of
 * the FIRST_TWO is. A result rule may override it.
 *
 * Lowering: how DuckDB computes it. {0} {1} arguments, {*} all of them with commas, {1*} from the second on, {r}
 * the DuckDB type of the result, {t0} of an argument, {z} the session time zone as a string literal, {m} the mode:
 * ansi, try or legacy; "@rule" is a row of src/backend/duckdb/lower_rules.def. An argument that a template
 * names twice must be cheap: it is computed in a projection below when it is no column or literal.
 */
#ifndef PT_ANALYZE_FUNCTION_H
#define PT_ANALYZE_FUNCTION_H

#include "plan/expr.h"

typedef enum pt__function_kind {
    PT_FUNCTION_SCALAR,
    PT_FUNCTION_VOLATILE, /* scalar, another answer at each call */
    PT_FUNCTION_AGGREGATE,
    PT_FUNCTION_WINDOW, /* only with OVER */
    PT_FUNCTION_GENERATOR
} pt__function_kind;

typedef enum pt__null_rule {
    PT_NULLS_ANY,
    PT_NULLS_ALL,
    PT_NULLS_NEVER,
    PT_NULLS_ALWAYS,
    PT_NULLS_FIRST,
    PT_NULLS_FIRST_TWO
} pt__null_rule;

typedef enum pt__function_audience { PT_FOR_EVERYONE, PT_FOR_CONNECT, PT_FOR_US } pt__function_audience;

typedef struct pt__function {
    const char *name;
    pt__function_kind kind;
    pt__function_audience audience;
    const char *signature;
    pt__null_rule nulls;
    const char *lowering;
} pt__function;

/** The rows of a name (any case): `*count` of them; NULL when there are none. */
const pt__function *pt__function_find(const char *name, size_t *count);

/** Whether SQL text may call a function of that name. */
bool pt__function_is_public(const char *name);

/** All rows, sorted; for listings and tests. */
const pt__function *pt__function_table(size_t *count);

#endif
