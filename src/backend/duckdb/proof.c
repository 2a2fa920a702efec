#include "backend/duckdb/proof.h"

#include "backend/duckdb/rows.h"
#include "exec/folder.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COMMITS PT_METADATA_SCHEMA ".commits"
#define MOVES PT_METADATA_SCHEMA ".moves"

pt_status pt__proof_prepare(pt__duckdb *self, duckdb_connection connection, pt_error *err)
{
    if (self->is_in_memory)
        return PT_OK;
    return pt__duckdb_run(connection,
                          "CREATE TABLE IF NOT EXISTS " COMMITS " (id VARCHAR, at_ms BIGINT);"
                          "CREATE TABLE IF NOT EXISTS " MOVES
                          " (id VARCHAR, at_ms BIGINT, folder VARCHAR, target VARCHAR, place VARCHAR);"
                          "DELETE FROM " COMMITS " WHERE at_ms < epoch_ms(now()) - 2592000000;"
                          "DELETE FROM " MOVES " WHERE at_ms < epoch_ms(now()) - 2592000000",
                          err);
}

bool pt__proof_is_wanted(const pt__duckdb *self, const pt_query *query)
{
    bool is_told = query->size_bytes >= offsetof(pt_query, leaves_proof) + sizeof(query->leaves_proof);
    return is_told && query->leaves_proof && !self->is_in_memory && query->operation_id != NULL;
}

/* What none of our statements gives is not looked at. */
static pt_status run(duckdb_connection connection, const char *sql, const char *const *values, size_t count,
                     pt__rows *out, pt__arena *arena, pt_error *err)
{
    pt__rows ignored;
    return pt__rows_read(connection, arena, sql, values, count, out == NULL ? &ignored : out, err);
}

/* One statement in a transaction of its own, or in that of `connection`. */
static pt_status run_alone(duckdb_connection connection, const char *sql, const char *const *values, size_t count,
                           pt_error *err)
{
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the proof of a write");
    pt_status status = run(connection, sql, values, count, NULL, arena, err);
    pt__arena_free(arena);
    return status;
}

static pt_status run_borrowed(pt__duckdb *self, const char *sql, const char *const *values, size_t count, pt_error *err)
{
    duckdb_connection connection;
    PT_TRY(pt__duckdb_borrow(self, &connection, err));
    pt_status status = run_alone(connection, sql, values, count, err);
    pt__duckdb_return(self, connection);
    return status;
}

pt_status pt__proof_add(duckdb_connection connection, const char *id, pt_error *err)
{
    return run_alone(connection, "INSERT INTO " COMMITS " VALUES (?, epoch_ms(now())) RETURNING id", &id, 1, err);
}

/* ---- files ---- */

/* What stays the same of a folder that is renamed; "" when it is not there. */
static void describe_place(const char *path, char *out, size_t size)
{
    struct stat status;
    if (stat(path, &status) == 0)
        snprintf(out, size, "%llu:%llu", (unsigned long long)status.st_dev, (unsigned long long)status.st_ino);
    else
        out[0] = '\0';
}

pt_status pt__proof_announce(pt__duckdb *self, const char *id, const char *folder, const char *target, bool is_merge,
                             pt_error *err)
{
    char place[48];
    describe_place(folder, place, sizeof(place));
    const char *values[] = {id, folder, target, is_merge ? NULL : place};
    return run_borrowed(self, "INSERT INTO " MOVES " VALUES (?, epoch_ms(now()), ?, ?, ?) RETURNING id", values, 4,
                        err);
}

void pt__proof_withdraw(pt__duckdb *self, const char *id)
{
    run_borrowed(self, "DELETE FROM " MOVES " WHERE id = ? RETURNING id", &id, 1, NULL);
}

/* The last step of a merge removes the folder, so that what is there of it has yet to be moved. */
static pt_status find_merged(pt__arena *arena, const char *folder, const char *target, bool *out, pt_error *err)
{
    struct stat status;
    if (stat(folder, &status) == 0)
        PT_TRY(pt__folder_merge(folder, target, err));
    else if (errno != ENOENT)
        return pt_error_set(err, PT_IO, "cannot look at %s: %s", folder, strerror(errno));
    *out = true;
    return pt__folder_touch(pt__arena_printf(arena, "%s/_SUCCESS", target), err);
}

static pt_status find_moved(duckdb_connection connection, pt__arena *arena, const char *id, bool *out, pt_error *err)
{
    char place[48];
    pt__rows rows;
    PT_TRY(run(connection, "SELECT folder, target, place FROM " MOVES " WHERE id = ?", &id, 1, &rows, arena, err));
    if (rows.row_count == 0)
        return PT_OK;
    if (rows.cells[2] == NULL)
        return find_merged(arena, rows.cells[0], rows.cells[1], out, err);
    describe_place(rows.cells[1], place, sizeof(place));
    *out = place[0] != '\0' && strcmp(place, rows.cells[2]) == 0;
    return PT_OK;
}

/* ---- asking ---- */

static pt_status find(duckdb_connection connection, pt__arena *arena, const char *id, bool *out, pt_error *err)
{
    pt__rows rows;
    PT_TRY(run(connection, "SELECT id FROM " COMMITS " WHERE id = ?", &id, 1, &rows, arena, err));
    *out = rows.row_count > 0;
    return *out ? PT_OK : find_moved(connection, arena, id, out, err);
}

static pt_status find_on(pt__duckdb *self, pt__arena *arena, const char *id, bool *out, pt_error *err)
{
    duckdb_connection connection;
    PT_TRY(pt__duckdb_borrow(self, &connection, err));
    pt_status status = find(connection, arena, id, out, err);
    pt__duckdb_return(self, connection);
    return status;
}

pt_status pt__proof_find(pt__duckdb *self, const char *id, bool *out, pt_error *err)
{
    *out = false;
    if (self->is_in_memory)
        return PT_OK;
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to look for the proof of a write");
    pt_status status = find_on(self, arena, id, out, err);
    pt__arena_free(arena);
    return status;
}

void pt__proof_forget(pt__duckdb *self, const char *id)
{
    if (self->is_in_memory)
        return;
    run_borrowed(self, "DELETE FROM " COMMITS " WHERE id = ? RETURNING id", &id, 1, NULL);
    pt__proof_withdraw(self, id);
}
