/** Opening and closing the database. */
#ifndef PT_BACKEND_DUCKDB_OPEN_H
#define PT_BACKEND_DUCKDB_OPEN_H

#include "backend/duckdb/engine.h"

/**
 * Opens the database that the configuration names:
 *
 *   duckdb.database         file, created when missing; default: in memory
 *   duckdb.block-memory     bytes of free blocks that are not given back to the system; default: 512 MiB, or an eighth
 *                           of duckdb.memory-limit
 *   duckdb.memory-limit     bytes; default: DuckDB's, 80 % of the machine's
 *   duckdb.rest-limit       bytes; of results that have to make way for other statements of their sessions, what is
 *                           left of all of them may be as large, and of one a quarter; default: 8 GiB
 *   duckdb.temp-directory   where operators spill to; default: beside the file, none in memory. Such rests go there, too;
 *                           default: $TMPDIR, or /tmp
 *   duckdb.threads          default: the host's workers
 *   files.allow             directories that may be read and written, separated by colons; default: any
 */
pt_status pt__duckdb_open(const pt_config *config, pt_env *env, void **self, pt_error *err);
void pt__duckdb_close(void *self);

#endif
