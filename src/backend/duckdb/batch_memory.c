#include "backend/duckdb/batch_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    IDLE_MAX = 512,            /* buffers waiting for another batch */
    IDLE_BYTES_MAX = 32 << 20, /* of all of them: a few batches */
    ALIGNMENT = 64             /* what Arrow recommends */
};

struct pt__batch_memory {
    pthread_mutex_t mutex;
    size_t references;
    size_t idle_count;
    size_t idle_bytes;
    pt__batch_buffer idle[IDLE_MAX];
};

pt__batch_memory *pt__batch_memory_new(void)
{
    pt__batch_memory *memory = calloc(1, sizeof(*memory));
    if (memory == NULL)
        return NULL;
    pthread_mutex_init(&memory->mutex, NULL);
    memory->references = 1;
    return memory;
}

void pt__batch_memory_ref(pt__batch_memory *memory)
{
    pthread_mutex_lock(&memory->mutex);
    memory->references++;
    pthread_mutex_unlock(&memory->mutex);
}

void pt__batch_memory_unref(pt__batch_memory *memory)
{
    if (memory == NULL)
        return;
    pthread_mutex_lock(&memory->mutex);
    size_t left = --memory->references;
    pthread_mutex_unlock(&memory->mutex);
    if (left > 0)
        return;
    for (size_t i = 0; i < memory->idle_count; i++)
        free(memory->idle[i].data);
    pthread_mutex_destroy(&memory->mutex);
    free(memory);
}

/* The smallest idle buffer that is large enough and not wastefully so. */
static bool take_idle(pt__batch_memory *memory, size_t capacity_bytes, pt__batch_buffer *out)
{
    size_t best = IDLE_MAX;
    pthread_mutex_lock(&memory->mutex);
    for (size_t i = 0; i < memory->idle_count; i++) {
        size_t have = memory->idle[i].capacity_bytes;
        if (have >= capacity_bytes && have / 4 <= capacity_bytes &&
            (best == IDLE_MAX || have < memory->idle[best].capacity_bytes))
            best = i;
    }
    if (best != IDLE_MAX) {
        *out = memory->idle[best];
        memory->idle_bytes -= out->capacity_bytes;
        memory->idle[best] = memory->idle[--memory->idle_count];
    }
    pthread_mutex_unlock(&memory->mutex);
    return best != IDLE_MAX;
}

bool pt__batch_reserve(pt__batch_memory *memory, pt__batch_buffer *buffer, size_t capacity_bytes)
{
    if (capacity_bytes <= buffer->capacity_bytes)
        return true;
    size_t wanted = buffer->capacity_bytes * 2 > capacity_bytes ? buffer->capacity_bytes * 2 : capacity_bytes;
    wanted = (wanted + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    pt__batch_buffer larger = {NULL, 0, 0};
    if (!take_idle(memory, wanted, &larger)) {
        larger.data = aligned_alloc(ALIGNMENT, wanted);
        larger.capacity_bytes = wanted;
    }
    if (larger.data == NULL)
        return false;
    if (buffer->size_bytes > 0)
        memcpy(larger.data, buffer->data, buffer->size_bytes);
    larger.size_bytes = buffer->size_bytes;
    pt__batch_release(memory, buffer);
    *buffer = larger;
    return true;
}

void pt__batch_release(pt__batch_memory *memory, pt__batch_buffer *buffer)
{
    if (buffer->data == NULL)
        return;
    buffer->size_bytes = 0;
    pthread_mutex_lock(&memory->mutex);
    bool keep = memory->idle_count < IDLE_MAX && memory->idle_bytes + buffer->capacity_bytes <= IDLE_BYTES_MAX;
    if (keep) {
        memory->idle[memory->idle_count++] = *buffer;
        memory->idle_bytes += buffer->capacity_bytes;
    }
    pthread_mutex_unlock(&memory->mutex);
    if (!keep)
        free(buffer->data);
    *buffer = (pt__batch_buffer){NULL, 0, 0};
}
