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

/* With the lock held; NULL: there is none. */
static pt__large_text *find(pt__large_texts *self, uint64_t hash)
{
    for (size_t i = 0; i < PT_LARGE_TEXTS; i++)
        if (self->texts[i].hash == hash)
            return &self->texts[i];
    return NULL;
}

void pt__large_texts_add(pt__large_texts *self, uint64_t hash)
{
    pthread_mutex_lock(&self->lock);
    if (find(self, hash) == NULL) {
        self->texts[self->next] = (pt__large_text){.hash = hash, .packed = pt__column_set_of_all()};
        self->next = (self->next + 1) % PT_LARGE_TEXTS;
    }
    pthread_mutex_unlock(&self->lock);
}

void pt__large_texts_learn(pt__large_texts *self, uint64_t hash, const pt__column_set *packed, bool is_slow)
{
    pthread_mutex_lock(&self->lock);
    pt__large_text *text = find(self, hash);
    for (size_t i = 0; text != NULL && i < PT_LARGE_COLUMNS / 64; i++)
        text->packed.bits[i] &= packed->bits[i];
    if (text != NULL)
        text->is_slow = text->is_slow || is_slow;
    pthread_mutex_unlock(&self->lock);
}

bool pt__large_texts_find(pt__large_texts *self, uint64_t hash, pt__large_text *out)
{
    pthread_mutex_lock(&self->lock);
    const pt__large_text *text = find(self, hash);
    if (text != NULL)
        *out = *text;
    pthread_mutex_unlock(&self->lock);
    return text != NULL;
}
