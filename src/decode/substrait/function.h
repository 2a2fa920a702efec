/**
 * How a call of Substrait becomes one of Spark's functions.
 */
#ifndef PT_DECODE_SUBSTRAIT_FUNCTION_H
#define PT_DECODE_SUBSTRAIT_FUNCTION_H

#include "decode/substrait/internal.h"

typedef struct pt__substrait_call pt__substrait_call_of;

typedef struct pt__substrait_row {
    pt__substrait_function_kind kind;
    const char *tail;
    const char *name;
    pt_status (*build)(decoder *d, const pt__substrait_call_of *call, const pt_expr **out);
    const char *target;
} pt__substrait_row;

/** A call whose arguments are decoded. */
struct pt__substrait_call {
    const pt__substrait_row *row;
    const char *shown; /* "add:i32_i32 of functions_arithmetic", for messages */
    const pt_expr **arguments;
    const pt_type **types; /* of the arguments; items may be NULL */
    size_t count;
    const char **enums;
    size_t enum_count;
    Substrait__FunctionOption *const *options;
    size_t option_count;
    const pt_type *output; /* declared; may be NULL */
    bool is_window;        /* what is built must be one call */
};

/** NULL: there is no such function. `tail` NULL: of no extension. `name` ends at `name_size`. */
const pt__substrait_row *pt__substrait_find_row(pt__substrait_function_kind kind, const char *tail, const char *name,
                                                size_t name_size);

/** The preference that is honoured of an option; NULL when the call does not give the option. */
const char *pt__substrait_preference(const pt__substrait_call_of *call, const char *option);

/** PT_UNSUPPORTED naming an option none of whose preferences holds here. */
pt_status pt__substrait_check_options(decoder *d, const pt__substrait_call_of *call);

#endif
