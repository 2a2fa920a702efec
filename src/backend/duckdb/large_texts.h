/**
 * Large texts: statements whose results were large. What takes time to prepare, and saves it for each row, is done for these
 * when they come again.
 *
 * They are told by hashes, the last ones of many: two texts of one hash cost time, nothing else. Threads: any.
 */
#ifndef PT_BACKEND_DUCKDB_LARGE_TEXTS_H
#define PT_BACKEND_DUCKDB_LARGE_TEXTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_LARGE_TEXTS = 256 };

typedef struct pt__large_texts {
    pthread_mutex_t lock;
    uint64_t hashes[PT_LARGE_TEXTS]; /* 0: none */
    size_t next;
} pt__large_texts;

void pt__large_texts_init(pt__large_texts *self);
void pt__large_texts_deinit(pt__large_texts *self);

void pt__large_texts_add(pt__large_texts *self, uint64_t hash);
bool pt__large_texts_has(pt__large_texts *self, uint64_t hash);

#endif
