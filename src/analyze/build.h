/**
 * Building analyzed expressions for rewrites: typed at once, of names that the function table has.
 *
 * A failure is kept in the builder and the following calls do nothing, so that a chain is checked once at its end.
 */
#ifndef PT_ANALYZE_BUILD_H
#define PT_ANALYZE_BUILD_H

#include "analyze/analyzer.h"

typedef struct pt__build {
    pt__analyzer *a;
    pt_status status;
    pt_error *err;
} pt__build;

/** Calls `name` with `count` expressions; NULL arguments come from earlier failures. */
const pt_expr *pt__build_call(pt__build *b, const char *name, size_t count, ...);
const pt_expr *pt__build_call_list(pt__build *b, const char *name, const pt_expr *const *arguments, size_t count);
const pt_expr *pt__build_alias(pt__build *b, const pt_expr *child, const char *name);
const pt_expr *pt__build_cast(pt__build *b, const pt_expr *child, const pt_type *type);
const pt_expr *pt__build_try_cast(pt__build *b, const pt_expr *child, const pt_type *type);
/** The field of a struct expression. */
const pt_expr *pt__build_field(pt__build *b, const pt_expr *child, const char *name);

/** A constant's text as it names a column of a pivot: no quotes, NULL is "null". */
const char *pt__literal_name(pt__analyzer *a, const pt_type *type, const pt_value *value);

#endif
