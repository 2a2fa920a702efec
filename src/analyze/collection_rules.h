/** Type rules of arrays, maps, JSON and aggregates over them; part of the table that pt__type_rule_find searches. */
#ifndef PT_ANALYZE_COLLECTION_RULES_H
#define PT_ANALYZE_COLLECTION_RULES_H

#include "analyze/analyzer.h"

/** NULL when there is no such rule. */
pt__type_rule pt__collection_rule_find(const char *name, size_t name_size);
pt__type_rule pt__statistics_rule_find(const char *name, size_t name_size);
pt__type_rule pt__json_rule_find(const char *name, size_t name_size);

#endif
