#include <portico/bytes.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pt_bytes {
    atomic_size_t references;
    pt_bytes_view view;
    void (*release)(void *context);
    void *context;
};

pt_bytes *pt_bytes_wrap(pt_bytes_view view, void (*release)(void *context), void *context)
{
    pt_bytes *bytes = malloc(sizeof(*bytes));
    if (bytes == NULL) {
        if (release != NULL)
            release(context);
        return NULL;
    }
    atomic_init(&bytes->references, 1);
    bytes->view = view;
    bytes->release = release;
    bytes->context = context;
    return bytes;
}

pt_bytes *pt_bytes_copy(pt_bytes_view view)
{
    pt_bytes *bytes = malloc(sizeof(*bytes) + view.size_bytes);
    if (bytes == NULL)
        return NULL;
    uint8_t *copy = (uint8_t *)(bytes + 1);
    if (view.size_bytes != 0)
        memcpy(copy, view.data, view.size_bytes);
    atomic_init(&bytes->references, 1);
    bytes->view = (pt_bytes_view){copy, view.size_bytes};
    bytes->release = NULL;
    bytes->context = NULL;
    return bytes;
}

pt_bytes *pt_bytes_ref(pt_bytes *bytes)
{
    atomic_fetch_add_explicit(&bytes->references, 1, memory_order_relaxed);
    return bytes;
}

void pt_bytes_unref(pt_bytes *bytes)
{
    if (bytes == NULL || atomic_fetch_sub_explicit(&bytes->references, 1, memory_order_acq_rel) != 1)
        return;
    if (bytes->release != NULL)
        bytes->release(bytes->context);
    free(bytes);
}

pt_bytes_view pt_bytes_get_view(const pt_bytes *bytes)
{
    return bytes->view;
}
