/**
 * Harvest: the rows of a query, made Arrow by DuckDB's own threads within the pipeline that produces them.
 *
 * DuckDB copies each chunk of a streamed result into a buffer, and one thread takes it from there and would have to
 * convert it. Instead the query is wrapped: SELECT portico_harvest(KEY, {its columns}) FROM (query). The function appends
 * its rows to a batch of the thread it runs on and answers, for each of them, where it went: a handle. Only handles pass
 * through DuckDB's buffer, which keeps the order of rows over all threads and makes producers wait for a slow reader.
 * The reader gives out the batches that the handles name.
 *
 * A text whose results have been large before is wrapped otherwise once its columns are known. To prepare it again takes as
 * long as some thousand rows take to be read.
 * - Dictionaries are packed. A column of a file or a table is often a dictionary of few values and an index for each row.
 *   DuckDB makes plain vectors of them, and copies the values for each row and whether they are NULL, before a function of its
 *   C interface sees them. But a function of one such column is called once for the dictionary. So in the rows such a column is
 *   replaced by a call, COLUMNS(* REPLACE (portico_pack(0, a) AS a)), and what is made plain are 64 bits for each value, which
 *   for a text tell where it lies (harvest_pack.c, batch_packed.h). The first time this is done for all columns, then for those
 *   that turned out to be dictionaries.
 * - Where the helper (helper.h) would be the only thread besides the reader's, and has not been needed, the rows are made by one
 *   pipeline, which two threads cannot share: two of them take turns with files' row groups, whose memory then is twice as much.
 *
 * Lifetime: shared by counting references; what was given out outlives it.
 */
#ifndef PT_BACKEND_DUCKDB_HARVEST_H
#define PT_BACKEND_DUCKDB_HARVEST_H

#include "backend/duckdb/batch.h"
#include "backend/duckdb/engine.h"
#include "backend/duckdb/filler.h"

typedef struct pt__harvest pt__harvest;

/** For this text, a reference; NULL when memory is exhausted. */
pt__harvest *pt__harvest_new(pt__duckdb *database, const char *sql);
/** Ends it: rows that nobody has read are freed, and threads that are still at it are told to stop. Gives the reference back. */
void pt__harvest_close(pt__harvest *harvest);

/**
 * The wrapped text, to be freed; NULL if `sql`, which is one statement, does not look like a query of many rows, or when
 * memory is exhausted. Its first line is ours.
 */
char *pt__harvest_wrap(const pt__harvest *harvest, const char *sql);
/**
 * Another harvest of the same query, a reference, which is wrapped for many rows; NULL when its results have not been large,
 * when there is nothing to be gained, or when memory is exhausted.
 */
pt__harvest *pt__harvest_for_many_rows(pt__harvest *plain);
bool pt__harvest_is_for_many_rows(const pt__harvest *harvest);
/** Whether there have been so many rows that the text would be wrapped otherwise. */
bool pt__harvest_is_outgrown(const pt__harvest *harvest);
/**
 * Around what binds the wrapped text on this thread: its preparation, and what makes it pending, as DuckDB may bind it again
 * then. At no other time are our functions bound, and meanwhile this thread executes none: in a text of users they would
 * give packed values, which tell addresses, or take theirs.
 */
void pt__harvest_begin_binding(pt__harvest *harvest);
void pt__harvest_end_binding(pt__harvest *harvest);

/**
 * The columns of the query, once its wrapped text is bound, until when there are none, unless it is one for many rows:
 * borrowed. Their names are the query's own.
 */
size_t pt__harvest_columns(const pt__harvest *harvest, const duckdb_logical_type **types, char *const **names);
/** Takes the schema of these columns, whatever comes of it; false if rows cannot be harvested in it. */
bool pt__harvest_set_schema(pt__harvest *harvest, struct ArrowSchema *take_schema);
/** Whether the query was prepared anew by DuckDB and has other columns now: it cannot be executed. */
bool pt__harvest_is_outdated(pt__harvest *harvest);
/** Before an execution: how large batches get. */
void pt__harvest_begin(pt__harvest *harvest, pt__batch_limits limits);

/** From now on rows are thrown away: what is executed is executed for its error. */
void pt__harvest_discard(pt__harvest *harvest);

/** The next batch; `out->release` stays NULL at the end. `fetch` gives the chunks of the wrapped query. One thread at a time. */
pt_status pt__harvest_next(pt__harvest *harvest, pt__filler_fetch fetch, void *context, struct ArrowArray *out,
                           pt_error *err);

/** Registers portico_harvest() and portico_pack(). */
pt_status pt__harvest_register_functions(pt__duckdb *database, duckdb_connection connection, pt_error *err);

#endif
