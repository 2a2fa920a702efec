/* Queries: where they start and end, their operands, set operations; the clauses have files of their own. */
#include "decode/spark_sql/internal.h"

#include <strings.h>

/* ---- what starts and continues a query ---- */

bool pt__sql_ends_operand(int32_t kind)
{
    return kind == PT_TOKEN_END || kind == ')' || kind == ',' || kind == ';' || kind == '.' || kind == ']' ||
           kind == '=' || kind == '+' || kind == '/' || kind == '%' || kind == '<' || kind == '>' || kind == '|' ||
           kind == '&' || kind == '^' || kind == PT_TOKEN_ARROW || kind == PT_TOKEN_FAT_ARROW ||
           (kind >= PT_TOKEN_DOUBLE_COLON && kind <= PT_TOKEN_PIPE);
}

bool pt__sql_starts_query(const pt__sql_parser *p, size_t ahead)
{
    int32_t next = pt__sql_peek(p, ahead + 1);
    bool name = pt__sql_is_name(next);
    switch (pt__sql_peek(p, ahead)) {
    case PT_KW_SELECT: return !pt__sql_ends_operand(next) && next != PT_KW_AS;
    case PT_KW_VALUES: return !pt__sql_ends_operand(next) && next != '-' && next != '*' && next != PT_KW_AS;
    case PT_KW_WITH: return name && next != PT_KW_AS;
    case PT_KW_FROM: return next == '(' || (name && next != PT_KW_AS);
    case PT_KW_TABLE: return name && next != PT_KW_AS;
    case PT_KW_MAP: return name && next != PT_KW_AS;
    case PT_KW_REDUCE: return name && next != PT_KW_AS;
    default: return false;
    }
}

bool pt__sql_at_set_operation(const pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_UNION:
    case PT_KW_INTERSECT:
    case PT_KW_EXCEPT:
    case PT_KW_MINUS:
        return next == PT_KW_ALL || next == PT_KW_DISTINCT || next == PT_KW_BY || next == '(' ||
               pt__sql_starts_query(p, 1);
    default: return false;
    }
}

static bool at_by(const pt__sql_parser *p)
{
    return pt__sql_peek(p, 1) == PT_KW_BY;
}

bool pt__sql_continues_query(const pt__sql_parser *p)
{
    if (pt__sql_at_set_operation(p) || pt__sql_at(p, PT_TOKEN_PIPE))
        return true;
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_ORDER: return at_by(p);
    case PT_KW_SORT: return at_by(p);
    case PT_KW_CLUSTER: return at_by(p);
    case PT_KW_DISTRIBUTE: return at_by(p);
    case PT_KW_LIMIT: return !pt__sql_ends_operand(pt__sql_peek(p, 1));
    case PT_KW_OFFSET: return !pt__sql_ends_operand(pt__sql_peek(p, 1));
    default: return false;
    }
}

/* WATERMARK expression DELAY OF … */
static bool at_watermark(const pt__sql_parser *p)
{
    int32_t third = pt__sql_peek(p, 2);
    return pt__sql_is_name(pt__sql_peek(p, 1)) && (third == PT_KW_DELAY || third == '(' || third == '.');
}

bool pt__sql_starts_clause(const pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    if (pt__sql_continues_query(p))
        return true;
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_FROM: return next == '(' || pt__sql_is_name(next);
    case PT_KW_WHERE: return !pt__sql_ends_operand(next) || next == '+';
    case PT_KW_HAVING: return !pt__sql_ends_operand(next) || next == '+';
    case PT_KW_QUALIFY: return !pt__sql_ends_operand(next) || next == '+';
    case PT_KW_GROUP: return at_by(p);
    case PT_KW_WINDOW: return pt__sql_is_name(next) && pt__sql_peek(p, 2) == PT_KW_AS;
    case PT_KW_LATERAL: return true;
    case PT_KW_PIVOT: return next == '(';
    case PT_KW_UNPIVOT: return next == '(' || pt__sql_peek(p, 2) == PT_KW_NULLS;
    case PT_KW_TABLESAMPLE: return next == '(' || pt__sql_peek(p, 2) == '(';
    case PT_KW_CHANGES: return next == PT_KW_FROM;
    case PT_KW_EXACT: return next == PT_KW_NEAREST;
    case PT_KW_APPROX: return next == PT_KW_NEAREST;
    case PT_KW_WATERMARK: return at_watermark(p);
    case PT_KW_VERSION: return next == PT_KW_AS;
    case PT_KW_FOR: return true;
    case PT_KW_WITH: return next == '(' || pt__sql_is_name(next);
    case PT_KW_SELECT: return !pt__sql_ends_operand(next);
    case PT_KW_INSERT: return next == PT_KW_INTO || next == PT_KW_OVERWRITE;
    default: return false;
    }
}

/* ---- operands of set operations ---- */

static pt_status parse_table_query(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position + 1;
    pt__sql_skip(p, 1);
    pt_plan_scan_table *scan = pt__plan_make(p->arena, SCAN_TABLE, scan_table, NULL);
    PT_TRY(pt__sql_name(p, &scan->name));
    scan->base.origin = pt__sql_origin(p, first);
    *out = &scan->base;
    return PT_OK;
}

pt_status pt__sql_query_primary(pt__sql_parser *p, const pt_plan **out)
{
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_SELECT: return pt__sql_select(p, out);
    case PT_KW_FROM: return pt__sql_from_first(p, out);
    case PT_KW_VALUES: return pt__sql_values(p, out);
    case PT_KW_TABLE: return parse_table_query(p, out);
    case PT_KW_MAP: return pt__sql_unsupported(p, "MAP … USING");
    case PT_KW_REDUCE: return pt__sql_unsupported(p, "REDUCE … USING");
    case '(': break;
    default: return pt__sql_syntax_error(p);
    }
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_query(p, out));
    return pt__sql_expect(p, ')');
}

/* ---- set operations ---- */

pt_status pt__sql_set_operation(pt__sql_parser *p, const pt_plan *left, const pt_plan *right,
                                pt_plan_set_operation **out)
{
    pt_plan_set_operation *set = pt__plan_make(p->arena, SET_OPERATION, set_operation, NULL);
    size_t first = p->position;
    int32_t word = pt__sql_peek(p, 0);
    pt__sql_skip(p, 1);
    set->set_kind = word == PT_KW_UNION ? PT_SET_UNION : word == PT_KW_INTERSECT ? PT_SET_INTERSECT : PT_SET_EXCEPT;
    set->left = left;
    set->right = right;
    set->is_all = pt__sql_accept(p, PT_KW_ALL);
    if (!set->is_all)
        (void)pt__sql_accept(p, PT_KW_DISTINCT);
    if (pt__sql_accept(p, PT_KW_BY)) {
        PT_TRY(pt__sql_expect(p, PT_KW_NAME));
        set->by_name = true;
    }
    set->base.origin = pt__sql_origin(p, first);
    *out = set;
    return PT_OK;
}

/* INTERSECT binds tighter than UNION, EXCEPT and MINUS; equals go from left to right. */
static pt_status parse_intersections(pt__sql_parser *p, const pt_plan *left, const pt_plan **out)
{
    if (left == NULL)
        PT_TRY(pt__sql_query_primary(p, &left));
    while (pt__sql_at(p, PT_KW_INTERSECT) && pt__sql_at_set_operation(p)) {
        pt_plan_set_operation *set = NULL;
        PT_TRY(pt__sql_set_operation(p, left, NULL, &set));
        PT_TRY(pt__sql_query_primary(p, &set->right));
        left = &set->base;
    }
    *out = left;
    return PT_OK;
}

static pt_status parse_unions(pt__sql_parser *p, const pt_plan *left, const pt_plan **out)
{
    PT_TRY(parse_intersections(p, left, &left));
    while (pt__sql_at_set_operation(p)) {
        pt_plan_set_operation *set = NULL;
        PT_TRY(pt__sql_set_operation(p, left, NULL, &set));
        PT_TRY(parse_intersections(p, NULL, &set->right));
        left = &set->base;
    }
    *out = left;
    return PT_OK;
}

/* ---- whole queries ---- */

static pt_status parse_query_rest(pt__sql_parser *p, const pt_plan *first, const pt_plan **out)
{
    size_t mark = p->named_windows.count;
    PT_TRY(parse_unions(p, first, out));
    PT_TRY(pt__sql_organization_since(p, mark, out));
    while (pt__sql_accept(p, PT_TOKEN_PIPE))
        PT_TRY(pt__sql_pipe_operator(p, out));
    return PT_OK;
}

pt_status pt__sql_query_after(pt__sql_parser *p, const pt_plan *first, const pt_plan **out)
{
    const pt_plan *plan = NULL;
    PT_TRY(pt__sql_enter(p));
    PT_TRY(parse_query_rest(p, first, &plan));
    p->depth--;
    *out = plan;
    return PT_OK;
}

pt_status pt__sql_query_under(pt__sql_parser *p, pt_plan_with *with, const pt_plan **out)
{
    PT_TRY(pt__sql_query(p, out));
    if (with != NULL) {
        with->input = *out;
        *out = &with->base;
    }
    return PT_OK;
}

pt_status pt__sql_query(pt__sql_parser *p, const pt_plan **out)
{
    pt_plan_with *with = NULL;
    const pt_plan *plan = NULL;
    PT_TRY(pt__sql_enter(p));
    PT_TRY(pt__sql_with_clause(p, &with));
    PT_TRY(parse_query_rest(p, NULL, &plan));
    if (with != NULL) {
        with->input = plan;
        plan = &with->base;
    }
    p->depth--;
    *out = plan;
    return PT_OK;
}
