/**
 * The world as row filters and column masks see it: the scan that they stand above, tables that their subqueries
 * name, and Spark's default configuration, so that nothing that a session sets changes what they mean.
 */
#ifndef PT_WRAP_POLICY_CATALOG_H
#define PT_WRAP_POLICY_CATALOG_H

#include "analyze/catalog.h"
#include "wrap/wrappers.h"

typedef struct pt__policy_catalog {
    pt__catalog base;
    pt_wrapper_session *session;
    const pt_plan *scan; /* SCAN_TABLE or SCAN_FILES, analyzed */
    const char *user;
    int64_t now_us;
} pt__policy_catalog;

/** The name that the scan is found under. */
extern const char pt__policy_input[];

void pt__policy_catalog_init(pt__policy_catalog *catalog, pt_wrapper_session *session, const pt_plan *scan);

#endif
