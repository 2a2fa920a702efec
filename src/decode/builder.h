/**
 * The builder behind include/portico/plan.h.
 *
 * It allocates in an arena of its own, which ends with the request's: when the limit is reached, the jump must not pass
 * through the frames of a foreign decoder, so every pt_build_* function guards itself.
 */
#ifndef PT_DECODE_BUILDER_H
#define PT_DECODE_BUILDER_H

#include "decode/options.h"

struct pt_builder {
    pt__arena *arena;
    const pt__decode_options *options;
    const pt__nested *nested; /* NULL: nothing is nested here */
    pt_error error;           /* the first failure */
};

/** `limit_bytes` 0: none. Ends with `parent`. NULL when memory is exhausted. */
pt_builder *pt__builder_new(pt__arena *parent, size_t limit_bytes, const pt__decode_options *options,
                            const pt__nested *nested);

/** What a decoder's call came to: the builder's own failure comes first. */
pt_status pt__builder_finish(pt_builder *builder, pt_status status, const void *out, pt_error *err);

/* ---- for the files of the builder ---- */

/** Runs the statements under a guard, unless the builder has failed; what they set is volatile. */
#define PT_BUILD(b, ...)                                                                                               \
    do {                                                                                                               \
        if ((b)->error.status == PT_OK) {                                                                              \
            if (PT_ARENA_GUARD((b)->arena)) {                                                                          \
                pt__builder_fail_for_memory(b);                                                                        \
            } else {                                                                                                   \
                __VA_ARGS__;                                                                                           \
                pt__arena_unguard((b)->arena);                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

void pt__builder_fail_for_memory(pt_builder *builder);

/**
 * Whether the builder has not failed and a node that is to be built upon is there; a missing one is a failure, of this
 * call if of no earlier one.
 */
bool pt__builder_has(pt_builder *builder, const void *node);
bool pt__builder_has_all(pt_builder *builder, const pt_expr *const *nodes, size_t count);

/** Copies in the builder's arena. */
const char **pt__builder_texts(pt_builder *builder, const char *const *texts, size_t count);
const pt_expr *const *pt__builder_list(pt_builder *builder, const pt_expr *const *nodes, size_t count);

#endif
