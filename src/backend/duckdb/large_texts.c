#include "backend/duckdb/large_texts.h"
#include "backend/duckdb/harvest.h"

void pt__large_texts_init(pt__large_texts *self)
{
    *self = (pt__large_texts){.next = 0};
    pthread_mutex_init(&self->lock, NULL);
}

static void drop_plain(pt__large_text *text)
{
    if (text->plain != NULL)
        pt__harvest_unref(text->plain);
    text->plain = NULL;
}

/* What is left is that its results are large. */
static void forget(pt__large_text *text)
{
    drop_plain(text);
    *text = (pt__large_text){.hash = text->hash, .packed = pt__column_set_of_all()};
}

void pt__large_texts_deinit(pt__large_texts *self)
{
    for (size_t i = 0; i < PT_LARGE_TEXTS; i++)
        drop_plain(&self->texts[i]);
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
        drop_plain(&self->texts[self->next]);
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

void pt__large_texts_set_plain(pt__large_texts *self, uint64_t hash, pt__harvest *plain)
{
    pthread_mutex_lock(&self->lock);
    pt__large_text *text = find(self, hash);
    if (text != NULL && text->plain != plain) {
        if (text->plain != NULL)
            forget(text);
        text->plain = pt__harvest_ref(plain);
    }
    pthread_mutex_unlock(&self->lock);
}

void pt__large_texts_forget_plain(pt__large_texts *self, uint64_t hash, const pt__harvest *plain)
{
    pthread_mutex_lock(&self->lock);
    pt__large_text *text = find(self, hash);
    if (text != NULL && text->plain == plain)
        forget(text);
    pthread_mutex_unlock(&self->lock);
}

pt__harvest *pt__large_texts_plain(pt__large_texts *self, uint64_t hash)
{
    pthread_mutex_lock(&self->lock);
    const pt__large_text *text = find(self, hash);
    pt__harvest *plain = text == NULL || text->plain == NULL ? NULL : pt__harvest_ref(text->plain);
    pthread_mutex_unlock(&self->lock);
    return plain;
}

bool pt__large_texts_find(pt__large_texts *self, uint64_t hash, pt__large_text *out)
{
    pthread_mutex_lock(&self->lock);
    const pt__large_text *text = find(self, hash);
    if (text != NULL) {
        *out = *text;
        out->plain = NULL;
    }
    pthread_mutex_unlock(&self->lock);
    return text != NULL;
}
