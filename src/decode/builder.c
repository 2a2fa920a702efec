#include "decode/builder.h"

/* ---- the builder ---- */

static void close_builder(void *object)
{
    pt_builder *b = object;
    pt_error_clear(&b->error);
    pt__arena_free(b->arena);
}

pt_builder *pt__builder_new(pt__arena *parent, size_t limit_bytes, const pt__decode_options *options,
                            const pt__nested *nested)
{
    pt_builder *b = pt__arena_make(parent, pt_builder);
    pt__arena_defer(parent, close_builder, b);
    b->options = options;
    b->nested = nested;
    b->arena = pt__arena_new(limit_bytes);
    return b->arena == NULL ? NULL : b;
}

pt_status pt__builder_finish(pt_builder *b, pt_status status, const void *out, pt_error *err)
{
    if (b->error.status != PT_OK) {
        pt_status failure = b->error.status;
        if (err != NULL)
            pt_error_move(err, &b->error);
        return failure;
    }
    if (status == PT_OK && out == NULL)
        return pt_error_set(err, PT_INTERNAL, "the decoder succeeded without a plan");
    return status;
}

void pt__builder_fail_for_memory(pt_builder *b)
{
    pt_error_set(&b->error, PT_LIMIT, "the plan needs more memory than a request may have (plan.memory-limit)");
}

bool pt__builder_has(pt_builder *b, const void *node)
{
    if (node == NULL && b->error.status == PT_OK)
        pt_error_set(&b->error, PT_INVALID_ARGUMENT, "a node that a builder was given is NULL");
    return b->error.status == PT_OK;
}

bool pt__builder_has_all(pt_builder *b, const pt_expr *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!pt__builder_has(b, nodes[i]))
            return false;
    }
    return b->error.status == PT_OK;
}

const char **pt__builder_texts(pt_builder *b, const char *const *texts, size_t count)
{
    const char **copies = pt__arena_array(b->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        copies[i] = pt__arena_copy_string(b->arena, texts[i]);
    return copies;
}

const pt_expr *const *pt__builder_list(pt_builder *b, const pt_expr *const *nodes, size_t count)
{
    return count == 0 ? NULL : pt__arena_copy(b->arena, (const void *)nodes, count * sizeof(*nodes));
}
