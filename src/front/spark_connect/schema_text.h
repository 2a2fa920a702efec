/**
 * Schemas as text for people: the tree of printSchema and column lists in DDL.
 */
#ifndef PT_FRONT_SPARK_CONNECT_SCHEMA_TEXT_H
#define PT_FRONT_SPARK_CONNECT_SCHEMA_TEXT_H

#include "plan/type.h"

/** "root" and a line per field, nested down to `level` (0 or less: all). `schema` is a struct. */
void pt__connect_append_tree(pt__buffer *out, const pt_type *schema, int32_t level);

/** "a INT,b STRING NOT NULL COMMENT 'x'". `schema` is a struct. */
void pt__connect_append_ddl(pt__buffer *out, pt__arena *arena, const pt_type *schema);

#endif
