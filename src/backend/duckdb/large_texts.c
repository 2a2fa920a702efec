#include "backend/duckdb/large_texts.h"

void pt__large_texts_init(pt__large_texts *self)
{
    *self = (pt__large_texts){.next = 0};
    pthread_mutex_init(&self->lock, NULL);
}

void pt__large_texts_deinit(pt__large_texts *self)
{
    pthread_mutex_destroy(&self->lock);
}

static bool has_locked(const pt__large_texts *self, uint64_t hash)
{
    for (size_t i = 0; i < PT_LARGE_TEXTS; i++)
        if (self->hashes[i] == hash)
            return true;
    return false;
}

void pt__large_texts_add(pt__large_texts *self, uint64_t hash)
{
    pthread_mutex_lock(&self->lock);
    if (!has_locked(self, hash)) {
        self->hashes[self->next] = hash;
        self->next = (self->next + 1) % PT_LARGE_TEXTS;
    }
    pthread_mutex_unlock(&self->lock);
}

bool pt__large_texts_has(pt__large_texts *self, uint64_t hash)
{
    pthread_mutex_lock(&self->lock);
    bool has = has_locked(self, hash);
    pthread_mutex_unlock(&self->lock);
    return has;
}
