/* Harvests for many rows: of which texts they are worth it, and what executions show. */
#include "backend/duckdb/harvest_inside.h"

#include "base/monotonic.h"

#include <stdlib.h>

enum { LARGE_ROWS = 100000 }; /* for which to prepare a text twice is nothing */

/* ---- wrapped for them ---- */

/* One pipeline loses no thread but the helper, which stays away anyway. */
static bool can_be_serial(const pt__harvest *plain, const pt__large_text *text)
{
    return !text->is_slow && pt__helper_is_alone(plain->database->helper);
}

/* False when there is nothing to be gained. */
static bool find_text(const pt__harvest *plain, pt__large_text *out)
{
    return pt__large_texts_find(&plain->database->large_texts, plain->text_hash, out) &&
           (pt__harvest_count_packable(plain, &out->packed) != 0 || can_be_serial(plain, out));
}

pt__harvest *pt__harvest_for_many_rows(pt__harvest *plain)
{
    pt__large_text text;
    pt__harvest *harvest = find_text(plain, &text) ? pt__harvest_new_of(plain->database, plain->text_hash) : NULL;
    if (harvest == NULL)
        return NULL;
    harvest->plain = pt__harvest_ref(plain);
    harvest->types = plain->types;
    harvest->names = plain->names;
    harvest->column_count = plain->column_count;
    harvest->packed = text.packed;
    harvest->is_serial = can_be_serial(plain, &text);
    harvest->packing = calloc(plain->column_count, sizeof(*harvest->packing));
    if (harvest->packing != NULL)
        return harvest;
    pt__harvest_close(harvest);
    return NULL;
}

bool pt__harvest_is_for_many_rows(const pt__harvest *harvest)
{
    return harvest->plain != NULL;
}

bool pt__harvest_is_outgrown(const pt__harvest *harvest)
{
    pt__large_text text;
    return harvest->rows_given >= LARGE_ROWS && harvest->plain == NULL && find_text(harvest, &text);
}

/* ---- what an execution shows ---- */

void pt__harvest_begin_learning(pt__harvest *harvest)
{
    harvest->rows_given = 0;
    harvest->first_batch_ms = 0;
    harvest->slow_ms = 0;
    for (size_t i = 0; harvest->plain != NULL && i < harvest->column_count; i++)
        atomic_store(&harvest->packing[i].values, 0);
}

void pt__harvest_count_rows(pt__harvest *harvest, uint64_t count)
{
    bool was_large = harvest->rows_given >= LARGE_ROWS;
    harvest->rows_given += count;
    if (!was_large && harvest->rows_given >= LARGE_ROWS)
        pt__large_texts_add(&harvest->database->large_texts, harvest->text_hash);
}

/* Not the first one: what comes before it is not made by a pipeline of rows. */
void pt__harvest_note_batch(pt__harvest *harvest, uint64_t since_ms)
{
    uint64_t now_ms = pt__monotonic_ms();
    if (harvest->first_batch_ms == 0)
        harvest->first_batch_ms = now_ms;
    else if (now_ms - since_ms >= PT_HELPER_PATIENCE_MS)
        harvest->slow_ms += now_ms - since_ms;
}

/* It saves nothing to pack the values of rows: those of dictionaries are fewer. */
static pt__column_set worth_packing(const pt__harvest *harvest)
{
    pt__column_set columns = pt__column_set_of_all();
    for (size_t i = 0; harvest->plain != NULL && i < harvest->column_count; i++)
        if (atomic_load(&harvest->packing[i].values) > harvest->rows_given / 2)
            pt__column_set_remove(&columns, i);
    return columns;
}

/* Some waits are an accident. */
static bool was_slow(const pt__harvest *harvest)
{
    return harvest->slow_ms > (pt__monotonic_ms() - harvest->first_batch_ms) / 4;
}

void pt__harvest_learn(pt__harvest *harvest)
{
    if (harvest->rows_given < LARGE_ROWS)
        return;
    pt__column_set columns = worth_packing(harvest);
    pt__large_texts_learn(&harvest->database->large_texts, harvest->text_hash, &columns, was_slow(harvest));
}
