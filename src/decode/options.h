/**
 * What decoders are given beside the bytes: how SQL is read, and who translates extension nodes.
 */
#ifndef PT_DECODE_OPTIONS_H
#define PT_DECODE_OPTIONS_H

#include "decode/spark_sql/parser.h"

#include <portico/decoder.h>

/** How nodes of the surrounding format are read that an extension carries inside itself. They live in the arena. */
typedef struct pt__nested {
    pt_status (*relation)(const void *context, pt__arena *arena, pt_bytes_view message, const pt_plan **out,
                          pt_error *err);
    pt_status (*expression)(const void *context, pt__arena *arena, pt_bytes_view message, const pt_expr **out,
                            pt_error *err);
    const void *context; /* lives as long as the decoding */
} pt__nested;

/** The translators of a host, as decoders see them. Errors: PT_UNSUPPORTED naming the type when there is none. */
typedef struct pt__extensions {
    pt_status (*relation)(void *context, pt__arena *arena, const pt_extension *extension, const pt__nested *nested,
                          const pt_plan **out, pt_error *err);
    pt_status (*expression)(void *context, pt__arena *arena, const pt_extension *extension, const pt__nested *nested,
                            const pt_expr **out, pt_error *err);
    pt_status (*command)(void *context, pt__arena *arena, const pt_extension *extension, const pt__nested *nested,
                         const pt_plan **out, pt_error *err);
    void *context;
} pt__extensions;

/** All zero: Spark's defaults, and no translators. */
typedef struct pt__decode_options {
    pt__sql_options sql;
    const pt__extensions *extensions; /* NULL: none */
} pt__decode_options;

#endif
