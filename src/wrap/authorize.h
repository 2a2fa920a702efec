/**
 * The parts of the wrapper authorize: what a query is allowed, and what its rows are turned into.
 */
#ifndef PT_WRAP_AUTHORIZE_H
#define PT_WRAP_AUTHORIZE_H

#include "wrap/needed_columns.h"
#include "wrap/policy.h"
#include "wrap/wrappers.h"

#include "plan/table.h"

/** One query of a user. */
typedef struct pt__authorization {
    const pt__policy *policy;
    pt_wrapper_session *session; /* for tables that row filters name */
    const char *user;
    const char *time_zone; /* the session's */
    pt__arena *arena;
    pt_error *err;
} pt__authorization;

/** INSUFFICIENT_PERMISSIONS unless the user may do that; `what` tells it: "select the column hr.people.ssn". */
pt_status pt__authorize_one(const pt__authorization *a, pt__action action, pt__object object, const char *name,
                            const char *column);

/** The error of pt__authorize_one. */
pt_status pt__authorize_denied(const pt__authorization *a, pt__action action, const char *what);

/** Paths are compared with links resolved; a folder is also compared with a slash at its end. */
pt_status pt__authorize_paths(const pt__authorization *a, pt__action action, const char *const *paths, size_t count);

/** "database.table". */
const char *pt__table_key(pt__arena *arena, const pt_table *table);
/** The path without links, as far as it exists; in the arena. */
const char *pt__resolved_path(pt__arena *arena, const char *path);

/** authorize_check.c: all that the analyzed relation or command does. */
pt_status pt__authorize_plan(const pt__authorization *a, const pt_plan *plan);

/** authorize_rows.c: the tree with filters and masks put above its scans; `plan` itself when there are none. */
pt_status pt__authorize_rows(const pt__authorization *a, const pt_plan *plan, const pt_plan **out);
/** Whether a filter or mask stands between the user and the rows of a table. */
bool pt__has_row_policy(const pt__authorization *a, pt__object object, const char *name, const pt_column *columns,
                        size_t column_count);

#endif
