/**
 * Proofs: that a write was carried out, for those who ask after its node has died.
 *
 * Within the database a row in the write's own transaction proves it. Files are no part of the transaction: before a
 * finished folder of them takes its place, a row tells of which it is, so that one can see later whether it got there.
 * A database in memory proves nothing, as it dies with its node.
 *
 * Threads: any.
 */
#ifndef PT_BACKEND_DUCKDB_PROOF_H
#define PT_BACKEND_DUCKDB_PROOF_H

#include "backend/duckdb/engine.h"

/** Makes the tables; removes proofs that nobody has wanted for a month. */
pt_status pt__proof_prepare(pt__duckdb *self, duckdb_connection connection, pt_error *err);

/** Whether the write of that query is to be proven, and can be. */
bool pt__proof_is_wanted(const pt__duckdb *self, const pt_query *query);

/** Within the write's transaction, which the caller commits. */
pt_status pt__proof_add(duckdb_connection connection, const char *id, pt_error *err);

/**
 * On record at once: the files of `folder` are complete, and about to become those of `target`: to be moved into it
 * (`is_merge`), or the folder to take its place.
 */
pt_status pt__proof_announce(pt__duckdb *self, const char *id, const char *folder, const char *target, bool is_merge,
                             pt_error *err);
/** They did not, and will not. */
void pt__proof_withdraw(pt__duckdb *self, const char *id);

/** Completes a merge that was announced. */
pt_status pt__proof_find(pt__duckdb *self, const char *id, bool *out, pt_error *err);

void pt__proof_forget(pt__duckdb *self, const char *id);

#endif
