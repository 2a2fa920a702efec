#include "wrap/shared_batch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pt__shared_batch {
    atomic_size_t references;
    struct ArrowArray array;
};

pt__shared_batch *pt__shared_batch_new(struct ArrowArray *array)
{
    pt__shared_batch *batch = calloc(1, sizeof(*batch));
    if (batch == NULL) {
        array->release(array);
        return NULL;
    }
    atomic_init(&batch->references, 1);
    batch->array = *array;
    array->release = NULL;
    return batch;
}

pt__shared_batch *pt__shared_batch_ref(pt__shared_batch *batch)
{
    atomic_fetch_add_explicit(&batch->references, 1, memory_order_relaxed);
    return batch;
}

void pt__shared_batch_unref(pt__shared_batch *batch)
{
    if (batch == NULL || atomic_fetch_sub_explicit(&batch->references, 1, memory_order_acq_rel) != 1)
        return;
    batch->array.release(&batch->array);
    free(batch);
}

const struct ArrowArray *pt__shared_batch_get(const pt__shared_batch *batch)
{
    return &batch->array;
}

/* Every node has a reference, as children may outlive their parent. */
static void release_node(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    free(array->children);
    if (array->dictionary != NULL && array->dictionary->release != NULL)
        array->dictionary->release(array->dictionary);
    free(array->dictionary);
    pt__shared_batch_unref(array->private_data);
    array->release = NULL;
}

static bool export_node(pt__shared_batch *batch, const struct ArrowArray *from, struct ArrowArray *out);

static bool export_child(pt__shared_batch *batch, const struct ArrowArray *from, struct ArrowArray **out)
{
    *out = calloc(1, sizeof(**out));
    if (*out == NULL)
        return false;
    if (export_node(batch, from, *out))
        return true;
    free(*out);
    *out = NULL;
    return false;
}

static bool export_node(pt__shared_batch *batch, const struct ArrowArray *from, struct ArrowArray *out)
{
    *out = *from; /* the buffers are the batch's */
    out->n_children = 0;
    out->dictionary = NULL;
    out->release = release_node;
    out->private_data = pt__shared_batch_ref(batch);
    out->children = calloc((size_t)from->n_children + 1, sizeof(struct ArrowArray *));
    bool fits = out->children != NULL;
    for (int64_t i = 0; fits && i < from->n_children; i++) {
        fits = export_child(batch, from->children[i], &out->children[i]);
        out->n_children += fits;
    }
    if (fits && from->dictionary != NULL)
        fits = export_child(batch, from->dictionary, &out->dictionary);
    if (!fits)
        release_node(out);
    return fits;
}

bool pt__shared_batch_export(pt__shared_batch *batch, struct ArrowArray *out)
{
    return export_node(batch, &batch->array, out);
}
