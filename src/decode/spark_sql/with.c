/* WITH: common table expressions. */
#include "decode/spark_sql/internal.h"

#include <strings.h>

static pt_status parse_cte(pt__sql_parser *p, pt_cte *out, int64_t *recursion_limit)
{
    pt__sql_string_list columns = {0};
    PT_TRY(pt__sql_checked_identifier(p, &out->name));
    if (pt__sql_at(p, '(') && !pt__sql_starts_query(p, 1))
        PT_TRY(pt__sql_identifier_list(p, &columns));
    if (pt__sql_accept_two(p, PT_KW_MAX, PT_KW_RECURSION)) {
        PT_TRY(pt__sql_expect(p, PT_KW_LEVEL));
        PT_TRY(pt__sql_integer(p, recursion_limit));
    }
    (void)pt__sql_accept(p, PT_KW_AS);
    PT_TRY(pt__sql_expect(p, '('));
    PT_TRY(pt__sql_query(p, &out->plan));
    out->column_names = columns.items;
    out->column_name_count = columns.count;
    return pt__sql_expect(p, ')');
}

enum { CTES_MAX = 10000 };

static bool is_duplicate(const pt_cte *ctes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(ctes[i].name, name) == 0)
            return true;
    }
    return false;
}

pt_status pt__sql_with_clause(pt__sql_parser *p, pt_plan_with **out)
{
    size_t first = p->position;
    pt__list(pt_cte) ctes = {0};
    *out = NULL;
    if (!pt__sql_accept(p, PT_KW_WITH))
        return PT_OK;
    pt_plan_with *with = pt__plan_make(p->arena, WITH, with, NULL);
    with->recursion_limit = -1;
    with->is_recursive = pt__sql_accept(p, PT_KW_RECURSIVE);
    do {
        pt_cte cte = {0};
        if (ctes.count == CTES_MAX)
            return pt_error_set(p->err, PT_LIMIT, "WITH defines more than %d tables", (int)CTES_MAX);
        size_t at = p->position;
        PT_TRY(parse_cte(p, &cte, &with->recursion_limit));
        if (is_duplicate(ctes.items, ctes.count, cte.name)) {
            const char *name = pt__arena_printf(p->arena, "'`%s`'", cte.name);
            pt_status status = pt__raise(p->err, PT_COND_DUPLICATED_CTE_NAMES, "duplicateNames", name, NULL);
            return pt__sql_locate_error(p, at, status);
        }
        pt__list_push(p->arena, &ctes, cte);
    } while (pt__sql_accept(p, ','));
    with->ctes = ctes.items;
    with->cte_count = ctes.count;
    with->base.origin = pt__sql_origin(p, first);
    *out = with;
    return PT_OK;
}
