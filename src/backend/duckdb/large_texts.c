#include "backend/duckdb/large_texts.h"

#include <string.h>

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
static struct pt__large_text *find(pt__large_texts *self, uint64_t hash)
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
        struct pt__large_text *text = &self->texts[self->next];
        text->hash = hash;
        memset(&text->columns, 0xFF, sizeof(text->columns));
        self->next = (self->next + 1) % PT_LARGE_TEXTS;
    }
    pthread_mutex_unlock(&self->lock);
}

void pt__large_texts_limit(pt__large_texts *self, uint64_t hash, const pt__column_set *columns)
{
    pthread_mutex_lock(&self->lock);
    struct pt__large_text *text = find(self, hash);
    for (size_t i = 0; text != NULL && i < PT_LARGE_COLUMNS / 64; i++)
        text->columns.bits[i] &= columns->bits[i];
    pthread_mutex_unlock(&self->lock);
}

bool pt__large_texts_find(pt__large_texts *self, uint64_t hash, pt__column_set *columns)
{
    pthread_mutex_lock(&self->lock);
    const struct pt__large_text *text = find(self, hash);
    if (text != NULL)
        *columns = text->columns;
    pthread_mutex_unlock(&self->lock);
    return text != NULL;
}
