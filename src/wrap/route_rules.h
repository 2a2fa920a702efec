/**
 * The rules of the wrapper route: a file of one rule a line, of which the first that fits names the backend.
 *
 *     # all conditions of a line have to hold
 *     bulk   min-bytes=1GiB
 *     bulk   table=sales.facts*,sales.history
 *     small  user=ann max-bytes=10MiB
 *     bulk   conf=portico.backend:bulk
 *     bulk   path=/lake*
 *
 * Names are patterns as in policy.h. Threads: read-only once read.
 */
#ifndef PT_WRAP_ROUTE_RULES_H
#define PT_WRAP_ROUTE_RULES_H

#include "base/arena.h"

#include <portico/config.h>
#include <portico/query.h>

typedef struct pt__route_rule {
    const char *backend;
    const char *users; /* lists of patterns; NULL: any */
    const char *tables;
    const char *paths;
    const char *setting; /* name; NULL: any */
    const char *setting_value;
    uint64_t min_bytes;
    uint64_t max_bytes; /* UINT64_MAX: any */
    const char *place;  /* "file:line" */
} pt__route_rule;

typedef struct pt__route_rules {
    pt__arena *arena;
    pt__route_rule *items;
    size_t count;
} pt__route_rules;

/** `path` NULL: no rules. Errors: PT_IO; PT_INVALID_ARGUMENT naming file and line. */
pt_status pt__route_rules_read(const char *path, pt__route_rules *out, pt_error *err);
void pt__route_rules_deinit(pt__route_rules *rules);

/** What is known of a query. */
typedef struct pt__route_facts {
    const char *user;
    const pt_query *query;
    const char *const *tables; /* "database.table", read or written */
    size_t table_count;
    const char *const *paths;
    size_t path_count;
    uint64_t bytes; /* of all files */
} pt__route_facts;

/** NULL: none fits. */
const pt__route_rule *pt__route_rules_find(const pt__route_rules *rules, const pt__route_facts *facts);

#endif
