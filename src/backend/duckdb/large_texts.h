/**
 * Large texts: statements whose results were large, and what their executions have shown. What takes time to prepare, and saves
 * it for each row, is done for these when they come again.
 *
 * They are told by hashes, the last ones of many: two texts of one hash cost time, nothing else. Threads: any.
 */
#ifndef PT_BACKEND_DUCKDB_LARGE_TEXTS_H
#define PT_BACKEND_DUCKDB_LARGE_TEXTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PT_LARGE_TEXTS = 256, PT_LARGE_COLUMNS = 256 };

/** A set of columns; those from PT_LARGE_COLUMNS on are in none. */
typedef struct pt__column_set {
    uint64_t bits[PT_LARGE_COLUMNS / 64];
} pt__column_set;

static inline bool pt__column_set_has(const pt__column_set *set, size_t column)
{
    return column < PT_LARGE_COLUMNS && (set->bits[column / 64] >> column % 64 & 1) != 0;
}

static inline void pt__column_set_remove(pt__column_set *set, size_t column)
{
    if (column < PT_LARGE_COLUMNS)
        set->bits[column / 64] &= ~(UINT64_C(1) << column % 64);
}

static inline pt__column_set pt__column_set_of_all(void)
{
    pt__column_set set;
    memset(&set, 0xFF, sizeof(set));
    return set;
}

typedef struct pt__large_text {
    uint64_t hash;         /* 0: none */
    pt__column_set packed; /* columns of which packed values are worth it */
    bool is_slow;          /* one thread does not make the rows fast enough */
} pt__large_text;

typedef struct pt__large_texts {
    pthread_mutex_t lock;
    pt__large_text texts[PT_LARGE_TEXTS];
    size_t next;
} pt__large_texts;

void pt__large_texts_init(pt__large_texts *self);
void pt__large_texts_deinit(pt__large_texts *self);

/** With all columns, and fast, if it is new. */
void pt__large_texts_add(pt__large_texts *self, uint64_t hash);
/**
 * What an execution has shown: only these columns, and whether it was slow. Others do not take it back, also when the text has
 * come to mean other columns: that costs time, nothing else.
 */
void pt__large_texts_learn(pt__large_texts *self, uint64_t hash, const pt__column_set *packed, bool is_slow);
/** False if it is none of them. */
bool pt__large_texts_find(pt__large_texts *self, uint64_t hash, pt__large_text *out);

#endif
