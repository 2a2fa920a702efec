#include "plan/members.h"

#include <stddef.h>
#include <string.h>

/* Rows are written for the struct NODE, which is defined before each table. */
#define AT(member) (uint16_t) offsetof(NODE, member)
#define ONE(FORM, member)                                                                                              \
    {                                                                                                                  \
        .name = #member, .form = PT_FORM_##FORM, .offset = AT(member)                                                  \
    }
#define LIST(FORM, member, count)                                                                                      \
    {                                                                                                                  \
        .name = #member, .form = PT_FORM_##FORM, .offset = AT(member), .count_offset = AT(count)                       \
    }
#define ENUM(member, values)                                                                                           \
    {                                                                                                                  \
        .name = #member, .form = PT_FORM_ENUM, .offset = AT(member), .names = (values)                                 \
    }
#define RECORD(member, of)                                                                                             \
    {                                                                                                                  \
        .name = #member, .form = PT_FORM_RECORD, .offset = AT(member), .record = &(of)                                 \
    }
#define RECORDS(member, count, of)                                                                                     \
    {                                                                                                                  \
        .name = #member, .form = PT_FORM_RECORDS, .offset = AT(member), .count_offset = AT(count), .record = &(of)     \
    }
#define OPTIONS(member)                                                                                                \
    {                                                                                                                  \
        .name = #member, .form = PT_FORM_RECORDS, .offset = (uint16_t)(AT(member) + offsetof(pt_options, items)),      \
        .count_offset = (uint16_t)(AT(member) + offsetof(pt_options, count)), .record = &pt__record_option             \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        .form = PT_FORM_END                                                                                            \
    }

/* ---- enums ---- */

static const char *const CAST_MODES[] = {"default", "ansi", "try", "legacy"};
static const char *const FRAME_UNITS[] = {"none", "rows", "range"};
static const char *const BOUND_KINDS[] = {"unbounded_preceding", "preceding", "current_row", "following",
                                          "unbounded_following"};
static const char *const SUBQUERY_KINDS[] = {"scalar", "exists", "in", "table"};
static const char *const GROUP_KINDS[] = {"group_by", "rollup", "cube", "grouping_sets", "pivot", "group_by_all"};
static const char *const JOIN_KINDS[] = {"inner", "cross", "left", "right", "full", "left_semi", "left_anti"};
static const char *const SET_KINDS[] = {"union", "intersect", "except"};
static const char *const STATISTICS_KINDS[] = {"describe",    "summary",         "crosstab",       "covariance",
                                               "correlation", "approx_quantile", "frequent_items", "sample_by"};
static const char *const CATALOG_OPERATIONS[] = {
    "current_database",      "set_current_database", "list_databases",  "list_tables",     "list_functions",
    "list_columns",          "list_views",           "get_database",    "get_table",       "get_function",
    "database_exists",       "table_exists",         "function_exists", "create_table",    "drop_temp_view",
    "drop_global_temp_view", "recover_partitions",   "is_cached",       "cache_table",     "uncache_table",
    "clear_cache",           "refresh_table",        "refresh_by_path", "current_catalog", "set_current_catalog",
    "list_catalogs"};
static const char *const VIEW_KINDS[] = {"temporary", "global_temporary", "persistent"};
static const char *const SAVE_MODES[] = {"error", "append", "overwrite", "ignore"};
static const char *const CREATE_MODES[] = {"create", "replace", "create_or_replace"};
static const char *const OBJECT_KINDS[] = {
    "table",      "view",           "database",         "function",     "columns", "catalog",
    "partitions", "table_extended", "table_properties", "create_table", "query",   "current_namespace"};
static const char *const ALTER_KINDS[] = {"rename",         "add_columns",      "drop_columns",    "rename_column",
                                          "column_type",    "column_comment",   "column_nullable", "column_default",
                                          "set_properties", "unset_properties", "view_query",      "comment",
                                          "truncate",       "repair",           "analyze"};
static const char *const MERGE_MATCHES[] = {"matched", "not_matched", "not_matched_by_source"};
static const char *const MERGE_ACTIONS[] = {"delete", "update", "update_all", "insert", "insert_all"};

/* One name per value: the last enumerator of each. */
#define NAMED(values, last) _Static_assert(sizeof(values) / sizeof((values)[0]) == (last) + 1, #values)
NAMED(CAST_MODES, PT_CAST_LEGACY);
NAMED(FRAME_UNITS, PT_FRAME_RANGE);
NAMED(BOUND_KINDS, PT_BOUND_UNBOUNDED_FOLLOWING);
NAMED(SUBQUERY_KINDS, PT_SUBQUERY_TABLE);
NAMED(GROUP_KINDS, PT_GROUP_ALL);
NAMED(JOIN_KINDS, PT_JOIN_LEFT_ANTI);
NAMED(SET_KINDS, PT_SET_EXCEPT);
NAMED(STATISTICS_KINDS, PT_STATISTICS_SAMPLE_BY);
NAMED(CATALOG_OPERATIONS, PT_CATALOG_LIST_CATALOGS);
NAMED(VIEW_KINDS, PT_VIEW_PERSISTENT);
NAMED(SAVE_MODES, PT_SAVE_IGNORE);
NAMED(CREATE_MODES, PT_CREATE_OR_REPLACE);
NAMED(OBJECT_KINDS, PT_OBJECT_CURRENT_NAMESPACE);
NAMED(ALTER_KINDS, PT_ALTER_ANALYZE);
NAMED(MERGE_MATCHES, PT_MERGE_NOT_MATCHED_BY_SOURCE);
NAMED(MERGE_ACTIONS, PT_MERGE_INSERT_ALL);

/* ---- records within nodes ---- */

#define NODE pt_option
static const pt__member OPTION_MEMBERS[] = {ONE(TEXT, key), ONE(TEXT, value), END};
#undef NODE
const pt__record pt__record_option = {"option", sizeof(pt_option), OPTION_MEMBERS};

#define NODE pt_field
static const pt__member FIELD_MEMBERS[] = {ONE(TEXT, name), ONE(TYPE, type), ONE(BOOL, nullable), ONE(TEXT, metadata),
                                           END};
#undef NODE
static const pt__record FIELD = {"field", sizeof(pt_field), FIELD_MEMBERS};

#define NODE pt_case_branch
static const pt__member BRANCH_MEMBERS[] = {ONE(EXPR, condition), ONE(EXPR, value), END};
#undef NODE
static const pt__record BRANCH = {"branch", sizeof(pt_case_branch), BRANCH_MEMBERS};

#define NODE pt_frame_bound
static const pt__member BOUND_MEMBERS[] = {ENUM(kind, BOUND_KINDS), ONE(EXPR, offset), END};
#undef NODE
static const pt__record BOUND = {"bound", sizeof(pt_frame_bound), BOUND_MEMBERS};

#define NODE pt_grouping_set
static const pt__member GROUPING_SET_MEMBERS[] = {LIST(UINT32S, members, count), END};
#undef NODE
static const pt__record GROUPING_SET = {"grouping_set", sizeof(pt_grouping_set), GROUPING_SET_MEMBERS};

#define NODE pt_cte
static const pt__member CTE_MEMBERS[] = {ONE(TEXT, name), LIST(TEXTS, column_names, column_name_count), ONE(UINT32, id),
                                         ONE(PLAN, plan), END};
#undef NODE
static const pt__record CTE = {"cte", sizeof(pt_cte), CTE_MEMBERS};

#define NODE pt_assignment
static const pt__member ASSIGNMENT_MEMBERS[] = {ONE(NAME, column), ONE(EXPR, value), END};
#undef NODE
static const pt__record ASSIGNMENT = {"assignment", sizeof(pt_assignment), ASSIGNMENT_MEMBERS};

#define NODE pt_merge_clause
static const pt__member CLAUSE_MEMBERS[] = {ENUM(match, MERGE_MATCHES), ENUM(action, MERGE_ACTIONS),
                                            ONE(EXPR, condition), RECORDS(assignments, assignment_count, ASSIGNMENT),
                                            END};
#undef NODE
static const pt__record CLAUSE = {"clause", sizeof(pt_merge_clause), CLAUSE_MEMBERS};

/* ---- nodes: one table per kind, named after its struct ---- */

#include "plan/members_expr.inc"
#include "plan/members_plan.inc"

static const pt__record EXPR_RECORDS[] = {
#define PT_EXPR(id, name) [PT_EXPR_##id] = {#name, sizeof(pt_expr_##name), expr_##name##_members},
#include "plan/expr.def"
#undef PT_EXPR
};

static const pt__record PLAN_RECORDS[] = {
#define PT_PLAN(id, name) [PT_PLAN_##id] = {#name, sizeof(pt_plan_##name), plan_##name##_members},
#include "plan/plan.def"
#undef PT_PLAN
};

const pt__record *pt__record_of_expr(pt_expr_kind kind)
{
    return &EXPR_RECORDS[kind];
}

const pt__record *pt__record_of_plan(pt_plan_kind kind)
{
    return &PLAN_RECORDS[kind];
}

/* ---- arrays ---- */

bool pt__member_is_array(const pt__member *member)
{
    switch ((int)member->form) {
    case PT_FORM_PLANS:
    case PT_FORM_EXPRS:
    case PT_FORM_TEXTS:
    case PT_FORM_NAMES:
    case PT_FORM_UINT32S:
    case PT_FORM_DOUBLES:
    case PT_FORM_RECORDS: return true;
    default: return false;
    }
}

static size_t load_size(const void *node, uint16_t offset)
{
    size_t size;
    memcpy(&size, (const char *)node + offset, sizeof(size));
    return size;
}

const void *pt__member_data(const pt__member *member, const void *node)
{
    const void *at = (const char *)node + member->offset;
    if (!pt__member_is_array(member))
        return at;
    const void *items;
    memcpy(&items, at, sizeof(items));
    return items;
}

size_t pt__member_count(const pt__member *member, const void *node)
{
    if (!pt__member_is_array(member))
        return 1;
    if (pt__member_data(member, node) == NULL)
        return 0;
    size_t count = load_size(node, member->count_offset);
    if (member->count_rule == PT_COUNT_PLAIN)
        return count;
    size_t factor = load_size(node, member->factor_offset);
    if (member->count_rule == PT_COUNT_TIMES)
        return count * factor;
    return factor == 0 ? count : count / factor;
}
