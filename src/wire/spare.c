#include "wire/spare.h"

#include <pthread.h>
#include <stdlib.h>

struct pt__spare {
    pthread_mutex_t lock;
    size_t references; /* of the owner, and of bytes that are out */
    bool is_closed;
    size_t count;
    size_t size_bytes;                 /* of the following */
    pt__buffer kept[PT_SPARE_BUFFERS]; /* without content */
};

/* Memory that is out. */
typedef struct loan {
    pt__spare *spare;
    pt__buffer buffer;
} loan;

pt__spare *pt__spare_new(void)
{
    pt__spare *spare = calloc(1, sizeof(*spare));
    if (spare == NULL)
        return NULL;
    pthread_mutex_init(&spare->lock, NULL);
    spare->references = 1;
    return spare;
}

/* With the lock held. */
static bool has_room(const pt__spare *spare, const pt__buffer *buffer)
{
    return !spare->is_closed && spare->count < PT_SPARE_BUFFERS && buffer->capacity_bytes <= PT_SPARE_BYTES_MAX &&
           spare->size_bytes + buffer->capacity_bytes <= PT_SPARE_TOTAL_BYTES;
}

/* Keeps `buffer`, if there is room, in exchange for the reference. */
static void unref(pt__spare *spare, pt__buffer *buffer)
{
    pthread_mutex_lock(&spare->lock);
    if (has_room(spare, buffer)) {
        spare->size_bytes += buffer->capacity_bytes;
        spare->kept[spare->count++] = *buffer;
        pt__buffer_init(buffer);
    }
    bool is_last = --spare->references == 0;
    pthread_mutex_unlock(&spare->lock);
    pt__buffer_deinit(buffer);
    if (is_last) {
        pthread_mutex_destroy(&spare->lock);
        free(spare);
    }
}

/* With the lock held. */
static void drop_kept(pt__spare *spare)
{
    while (spare->count > 0)
        pt__buffer_deinit(&spare->kept[--spare->count]);
    spare->size_bytes = 0;
}

void pt__spare_trim(pt__spare *spare)
{
    pthread_mutex_lock(&spare->lock);
    drop_kept(spare);
    pthread_mutex_unlock(&spare->lock);
}

void pt__spare_close(pt__spare *spare)
{
    pt__buffer none = PT_BUFFER_INIT;
    if (spare == NULL)
        return;
    pthread_mutex_lock(&spare->lock);
    spare->is_closed = true;
    drop_kept(spare);
    pthread_mutex_unlock(&spare->lock);
    unref(spare, &none);
}

void pt__spare_lend(pt__spare *spare, pt__buffer *buffer)
{
    if (spare == NULL)
        return;
    pthread_mutex_lock(&spare->lock);
    if (spare->count > 0) {
        *buffer = spare->kept[--spare->count];
        spare->size_bytes -= buffer->capacity_bytes;
    }
    pthread_mutex_unlock(&spare->lock);
    pt__buffer_reset(buffer);
}

static void come_back(void *context)
{
    loan *out = context;
    unref(out->spare, &out->buffer);
    free(out);
}

pt_bytes *pt__spare_take(pt__spare *spare, pt__buffer *buffer)
{
    loan *out = spare == NULL || buffer->failed ? NULL : malloc(sizeof(*out));
    if (out == NULL)
        return pt__buffer_take(buffer);
    *out = (loan){spare, *buffer};
    pt__buffer_init(buffer);
    pthread_mutex_lock(&spare->lock);
    spare->references++;
    pthread_mutex_unlock(&spare->lock);
    return pt_bytes_wrap(pt__buffer_view(&out->buffer), come_back, out);
}
