/*
 * Names: of tables, of generated columns, and of expressions as DataFusion makes them (its schema_name; what stands in
 * FILTER and ORDER BY of a name is in its display form, which shows casts and parentheses).
 */
#include "decode/datafusion/internal.h"
#include "decode/datafusion/operators.h"

#include <string.h>

#define EXPR(name) DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_##name

typedef Datafusion__LogicalExprNode node;

typedef struct writer {
    pt__df *d;
    pt__buffer *out;
    bool display; /* the display form */
} writer;

static void put_expr(writer *w, const node *expr);

/* ---- tables, columns ---- */

const char *pt__df_table_name(pt__df *d, const Datafusion__TableReference *reference)
{
    if (reference == NULL)
        return NULL;
    switch ((int)reference->table_reference_enum_case) {
    case DATAFUSION__TABLE_REFERENCE__TABLE_REFERENCE_ENUM_BARE: return reference->bare->table;
    case DATAFUSION__TABLE_REFERENCE__TABLE_REFERENCE_ENUM_PARTIAL:
        return pt__arena_printf(d->arena, "%s.%s", reference->partial->schema, reference->partial->table);
    case DATAFUSION__TABLE_REFERENCE__TABLE_REFERENCE_ENUM_FULL:
        return pt__arena_printf(d->arena, "%s.%s.%s", reference->full->catalog, reference->full->schema,
                                reference->full->table);
    default: return NULL;
    }
}

const char *pt__df_new_id(pt__df *d)
{
    return pt__arena_printf(d->arena, "c%u", ++d->next_id);
}

/* "t" and "s.t" name the same table where the one says more than the other. */
static bool same_table(const char *a, const char *b)
{
    size_t a_size = strlen(a);
    size_t b_size = strlen(b);
    if (a_size == b_size)
        return memcmp(a, b, a_size) == 0;
    const char *longer = a_size > b_size ? a : b;
    const char *shorter = a_size > b_size ? b : a;
    const char *tail = longer + strlen(longer) - strlen(shorter);
    return strcmp(tail, shorter) == 0 && tail[-1] == '.';
}

static const char *known_columns(pt__df *d, const pt__df_relation *in)
{
    pt__buffer *text = pt__arena_buffer(d->arena);
    for (size_t i = 0; i < in->count && i < 20; i++)
        pt__buffer_printf(text, "%s%s%s%s", i == 0 ? "" : ", ",
                          in->columns[i].qualifier == NULL ? "" : in->columns[i].qualifier,
                          in->columns[i].qualifier == NULL ? "" : ".", in->columns[i].name);
    return pt__arena_copy_string(d->arena, pt__buffer_string(text));
}

static pt_status find_unqualified(pt__df *d, const pt__df_relation *in, const char *name, const pt__df_column **out)
{
    size_t matches = 0;
    size_t bare_matches = 0;
    const pt__df_column *bare = NULL;
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(in->columns[i].name, name) != 0)
            continue;
        if (matches++ == 0)
            *out = &in->columns[i];
        if (in->columns[i].qualifier == NULL && bare_matches++ == 0)
            bare = &in->columns[i];
    }
    if (matches > 1 && bare_matches == 1)
        *out = bare;
    if (matches > 1 && bare_matches != 1)
        return pt__df_bad(d, "Column.name: \"%s\" is ambiguous", name);
    return PT_OK;
}

static const pt__df_column *find_qualified(const pt__df_relation *in, const char *qualifier, const char *name)
{
    const pt__df_column *alike = NULL;
    for (size_t i = 0; i < in->count; i++) {
        const pt__df_column *column = &in->columns[i];
        if (column->qualifier == NULL || strcmp(column->name, name) != 0)
            continue;
        if (strcmp(column->qualifier, qualifier) == 0)
            return column;
        if (alike == NULL && same_table(column->qualifier, qualifier))
            alike = column;
    }
    return alike;
}

pt_status pt__df_find_column(pt__df *d, const pt__df_relation *in, const DatafusionCommon__Column *column,
                             const pt__df_column **out)
{
    const char *qualifier = column->relation == NULL ? NULL : column->relation->relation;
    *out = NULL;
    if (qualifier == NULL)
        PT_TRY(find_unqualified(d, in, column->name, out));
    else
        *out = find_qualified(in, qualifier, column->name);
    if (*out != NULL)
        return PT_OK;
    return pt__df_bad(d, "Column: there is no column \"%s%s%s\"; there are: %s", qualifier == NULL ? "" : qualifier,
                      qualifier == NULL ? "" : ".", column->name, known_columns(d, in));
}

/* ---- pieces ---- */

static void put(writer *w, const char *text)
{
    pt__buffer_append_string(w->out, text);
}

static void put_list(writer *w, node *const *exprs, size_t count, const char *separator)
{
    for (size_t i = 0; i < count; i++) {
        put(w, i == 0 ? "" : separator);
        put_expr(w, exprs[i]);
    }
}

static void put_displayed(writer *w, const node *expr)
{
    put_expr(&(writer){w->d, w->out, true}, expr);
}

static void put_sorts(writer *w, Datafusion__SortExprNode *const *sorts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(w, i == 0 ? "" : ", ");
        put_displayed(w, sorts[i]->expr);
        put(w, sorts[i]->asc ? " ASC" : " DESC");
        put(w, sorts[i]->nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
}

static void put_column(writer *w, const DatafusionCommon__Column *column)
{
    if (column->relation != NULL) {
        put(w, column->relation->relation);
        put(w, ".");
    }
    put(w, column->name);
}

static void put_alias(writer *w, const Datafusion__AliasNode *alias)
{
    if (w->display) {
        put_expr(w, alias->expr);
        put(w, " AS ");
    } else if (alias->n_relation != 0 && pt__df_table_name(w->d, alias->relation[0]) != NULL) {
        put(w, pt__df_table_name(w->d, alias->relation[0]));
        put(w, ".");
    }
    put(w, alias->alias);
}

static void put_operand(writer *w, const node *operand, int precedence)
{
    const pt__df_operator *inner = operand != NULL && operand->expr_type_case == EXPR(BINARY_EXPR)
                                       ? pt__df_find_operator(operand->binary_expr->op)
                                       : NULL;
    bool in_parentheses = w->display && inner != NULL && inner->precedence < precedence;
    put(w, in_parentheses ? "(" : "");
    put_expr(w, operand);
    put(w, in_parentheses ? ")" : "");
}

static void put_binary(writer *w, const Datafusion__BinaryExprNode *binary)
{
    const pt__df_operator *op = pt__df_find_operator(binary->op);
    for (size_t i = 0; i < binary->n_operands; i++) {
        if (i != 0)
            pt__buffer_printf(w->out, " %s ", op == NULL ? binary->op : op->sign);
        put_operand(w, binary->operands[i], op == NULL ? 0 : op->precedence);
    }
}

static void put_postfix(writer *w, const node *operand, const char *postfix)
{
    put_expr(w, operand);
    put(w, postfix);
}

static void put_between(writer *w, const Datafusion__BetweenNode *between)
{
    put_postfix(w, between->expr, between->negated ? " NOT BETWEEN " : " BETWEEN ");
    put_postfix(w, between->low, " AND ");
    put_expr(w, between->high);
}

static void put_case(writer *w, const Datafusion__CaseNode *c)
{
    put(w, "CASE ");
    if (c->expr != NULL)
        put_postfix(w, c->expr, " ");
    for (size_t i = 0; i < c->n_when_then_expr; i++) {
        put(w, "WHEN ");
        put_postfix(w, c->when_then_expr[i]->when_expr, " THEN ");
        put_postfix(w, c->when_then_expr[i]->then_expr, " ");
    }
    if (c->else_expr != NULL) {
        put(w, "ELSE ");
        put_postfix(w, c->else_expr, " ");
    }
    put(w, "END");
}

static void put_cast(writer *w, const char *word, const node *operand, const DatafusionCommon__ArrowType *arrow)
{
    const pt__df_type *type = NULL;
    pt_error ignored = PT_ERROR_INIT;
    if (w->display)
        pt__df_arrow_type(w->d->arena, arrow, &type, &ignored);
    pt_error_clear(&ignored);
    if (type == NULL) {
        put_expr(w, operand);
        return;
    }
    pt__buffer_printf(w->out, "%s(", word);
    put_expr(w, operand);
    pt__buffer_printf(w->out, " AS %s)", pt__df_type_text(w->d->arena, type));
}

static void put_in_list(writer *w, const Datafusion__InListNode *in)
{
    put_postfix(w, in->expr, in->negated ? " NOT IN " : " IN ");
    put(w, w->display ? "([" : "");
    put_list(w, in->list, in->n_list, ", ");
    put(w, w->display ? "])" : "");
}

static void put_like(writer *w, const node *expr, const char *word, const node *pattern, const char *escape)
{
    put_postfix(w, expr, word);
    put_expr(w, pattern);
    if (*escape != '\0')
        pt__buffer_printf(w->out, " CHAR '%s'", escape);
}

static void put_prefix(writer *w, const char *prefix, const node *operand, const char *postfix)
{
    put(w, prefix);
    put_postfix(w, operand, postfix);
}

/* ---- functions ---- */

/* get_field(x, 'a') is x[a]. */
static void put_get_field(writer *w, const Datafusion__ScalarUDFExprNode *call)
{
    put_expr(w, call->args[0]);
    for (size_t i = 1; i < call->n_args; i++) {
        const DatafusionCommon__ScalarValue *key =
            call->args[i]->expr_type_case == EXPR(LITERAL) ? call->args[i]->literal : NULL;
        put(w, "[");
        if (key != NULL && key->value_case == DATAFUSION_COMMON__SCALAR_VALUE__VALUE_UTF8_VALUE)
            put(w, key->utf8_value);
        else
            put_expr(w, call->args[i]);
        put(w, "]");
    }
}

static void put_scalar(writer *w, const Datafusion__ScalarUDFExprNode *call)
{
    if (strcmp(call->fun_name, "get_field") == 0 && call->n_args >= 2 && !w->display) {
        put_get_field(w, call);
        return;
    }
    pt__buffer_printf(w->out, "%s(", call->fun_name);
    put_list(w, call->args, call->n_args, w->display ? ", " : ",");
    put(w, ")");
}

/* Those that have WITHIN GROUP: the first argument is not shown before it. */
static bool is_ordered_set(const char *name)
{
    static const char *const names[] = {"percentile_cont", "approx_percentile_cont",
                                        "approx_percentile_cont_with_weight"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void put_treatment(writer *w, bool is_given, Datafusion__NullTreatment treatment)
{
    if (is_given)
        put(w, treatment == DATAFUSION__NULL_TREATMENT__IGNORE_NULLS ? " IGNORE NULLS" : " RESPECT NULLS");
}

static void put_filter(writer *w, const node *filter)
{
    if (filter == NULL)
        return;
    put(w, " FILTER (WHERE ");
    put_displayed(w, filter);
    put(w, ")");
}

static void put_aggregate(writer *w, const Datafusion__AggregateUDFExprNode *call)
{
    bool within = call->n_order_by != 0 && call->n_args != 0 && is_ordered_set(call->fun_name);
    pt__buffer_printf(w->out, "%s(%s", call->fun_name, call->distinct ? "DISTINCT " : "");
    put_list(w, call->args + within, call->n_args - within, w->display ? ", " : ",");
    put(w, ")");
    put_treatment(w, call->null_treatment_given_case != 0, call->null_treatment);
    put_filter(w, call->filter);
    if (call->n_order_by != 0) {
        put(w, within ? " WITHIN GROUP [" : " ORDER BY [");
        put_sorts(w, call->order_by, call->n_order_by);
        put(w, "]");
    }
}

static void put_bound(writer *w, const Datafusion__WindowFrameBound *bound)
{
    if (bound == NULL || bound->window_frame_bound_type == DATAFUSION__WINDOW_FRAME_BOUND_TYPE__CURRENT_ROW) {
        put(w, "CURRENT ROW");
        return;
    }
    const char *side =
        bound->window_frame_bound_type == DATAFUSION__WINDOW_FRAME_BOUND_TYPE__PRECEDING ? "PRECEDING" : "FOLLOWING";
    const DatafusionCommon__ScalarValue *value = bound->bound_value;
    if (value == NULL || value->value_case == DATAFUSION_COMMON__SCALAR_VALUE__VALUE_NULL_VALUE) {
        pt__buffer_printf(w->out, "UNBOUNDED %s", side);
        return;
    }
    /* The number without its type: what stands between the parentheses. */
    pt__buffer *text = pt__arena_buffer(w->d->arena);
    pt__df_put_literal(w->d, text, value);
    const char *whole = pt__buffer_string(text);
    const char *open = strchr(whole, '(');
    const char *start = open == NULL ? whole : open + 1;
    pt__buffer_printf(w->out, "%.*s %s", (int)strcspn(start, ")"), start, side);
}

static void put_frame(writer *w, const Datafusion__WindowFrame *frame)
{
    static const char *const units[] = {"ROWS", "RANGE", "GROUPS"};
    if (frame == NULL || (unsigned)frame->window_frame_units > 2)
        return;
    pt__buffer_printf(w->out, " %s BETWEEN ", units[frame->window_frame_units]);
    put_bound(w, frame->start_bound);
    put(w, " AND ");
    put_bound(w, frame->end_bound_case == 0 ? NULL : frame->bound);
}

static bool is_free_bound(const Datafusion__WindowFrameBound *bound)
{
    return bound == NULL || bound->window_frame_bound_type == DATAFUSION__WINDOW_FRAME_BOUND_TYPE__CURRENT_ROW ||
           bound->bound_value == NULL ||
           bound->bound_value->value_case == DATAFUSION_COMMON__SCALAR_VALUE__VALUE_NULL_VALUE;
}

/* A RANGE frame without ORDER BY is given one by a constant when the plan is read. */
static bool has_constant_order(const Datafusion__WindowExprNode *window)
{
    const Datafusion__WindowFrame *frame = window->window_frame;
    return window->n_order_by == 0 && frame != NULL &&
           frame->window_frame_units == DATAFUSION__WINDOW_FRAME_UNITS__RANGE && is_free_bound(frame->start_bound) &&
           is_free_bound(frame->end_bound_case == 0 ? NULL : frame->bound);
}

static void put_window(writer *w, const Datafusion__WindowExprNode *window)
{
    bool is_aggregate = window->window_function_case == DATAFUSION__WINDOW_EXPR_NODE__WINDOW_FUNCTION_UDAF;
    pt__buffer_printf(w->out, "%s(%s", is_aggregate ? window->udaf : window->udwf, window->distinct ? "DISTINCT " : "");
    put_list(w, window->exprs, window->n_exprs, is_aggregate || w->display ? ", " : ",");
    put(w, ")");
    put_treatment(w, window->null_treatment_given_case != 0, window->null_treatment);
    put_filter(w, window->filter);
    if (window->n_partition_by != 0) {
        put(w, " PARTITION BY [");
        put_list(w, window->partition_by, window->n_partition_by, ", ");
        put(w, "]");
    }
    if (window->n_order_by != 0) {
        put(w, " ORDER BY [");
        put_sorts(w, window->order_by, window->n_order_by);
        put(w, "]");
    } else if (has_constant_order(window)) {
        put(w, " ORDER BY [UInt64(1) ASC NULLS LAST]");
    }
    put_frame(w, window->window_frame);
}

static void put_subquery(writer *w, const Datafusion__SubqueryNode *subquery)
{
    for (size_t i = 0; i < w->d->subquery_names.count; i++)
        if (w->d->subquery_names.items[i].node == subquery)
            put(w, w->d->subquery_names.items[i].name);
}

static void put_unnest(writer *w, const Datafusion__Unnest *unnest)
{
    put(w, "UNNEST(");
    put_list(w, unnest->exprs, unnest->n_exprs, ", ");
    put(w, ")");
}

static void put_rollup(writer *w, node *const *exprs, size_t count)
{
    put(w, "ROLLUP (");
    put_list(w, exprs, count, ", ");
    put(w, ")");
}

/* ---- dispatch ---- */

static void put_text_match(writer *w, const node *e)
{
    if (e->expr_type_case == EXPR(LIKE))
        put_like(w, e->like->expr, e->like->negated ? " NOT LIKE " : " LIKE ", e->like->pattern, e->like->escape_char);
    else if (e->expr_type_case == EXPR(ILIKE))
        put_like(w, e->ilike->expr, e->ilike->negated ? " NOT ILIKE " : " ILIKE ", e->ilike->pattern,
                 e->ilike->escape_char);
    else
        put_like(w, e->similar_to->expr, e->similar_to->negated ? " NOT SIMILAR TO " : " SIMILAR TO ",
                 e->similar_to->pattern, e->similar_to->escape_char);
}

static void put_expr(writer *w, const node *e)
{
    if (e == NULL)
        return;
    switch ((int)e->expr_type_case) {
    case EXPR(COLUMN): put_column(w, e->column); break;
    case EXPR(ALIAS): put_alias(w, e->alias); break;
    case EXPR(LITERAL): pt__df_put_literal(w->d, w->out, e->literal); break;
    case EXPR(BINARY_EXPR): put_binary(w, e->binary_expr); break;
    case EXPR(IS_NULL_EXPR): put_postfix(w, e->is_null_expr->expr, " IS NULL"); break;
    case EXPR(IS_NOT_NULL_EXPR): put_postfix(w, e->is_not_null_expr->expr, " IS NOT NULL"); break;
    case EXPR(NOT_EXPR): put_prefix(w, "NOT ", e->not_expr->expr, ""); break;
    case EXPR(BETWEEN): put_between(w, e->between); break;
    case EXPR(CASE_EXPR): put_case(w, e->case_expr); break;
    case EXPR(CAST): put_cast(w, "CAST", e->cast->expr, e->cast->arrow_type); break;
    case EXPR(TRY_CAST): put_cast(w, "TRY_CAST", e->try_cast->expr, e->try_cast->arrow_type); break;
    case EXPR(NEGATIVE): put_prefix(w, "(- ", e->negative->expr, ")"); break;
    case EXPR(IN_LIST): put_in_list(w, e->in_list); break;
    case EXPR(WINDOW_EXPR): put_window(w, e->window_expr); break;
    case EXPR(AGGREGATE_UDF_EXPR): put_aggregate(w, e->aggregate_udf_expr); break;
    case EXPR(SCALAR_UDF_EXPR): put_scalar(w, e->scalar_udf_expr); break;
    case EXPR(CUBE): put_rollup(w, e->cube->expr, e->cube->n_expr); break;
    case EXPR(ROLLUP): put_rollup(w, e->rollup->expr, e->rollup->n_expr); break;
    case EXPR(IS_TRUE): put_postfix(w, e->is_true->expr, " IS TRUE"); break;
    case EXPR(IS_FALSE): put_postfix(w, e->is_false->expr, " IS FALSE"); break;
    case EXPR(IS_UNKNOWN): put_postfix(w, e->is_unknown->expr, " IS UNKNOWN"); break;
    case EXPR(IS_NOT_TRUE): put_postfix(w, e->is_not_true->expr, " IS NOT TRUE"); break;
    case EXPR(IS_NOT_FALSE): put_postfix(w, e->is_not_false->expr, " IS NOT FALSE"); break;
    case EXPR(IS_NOT_UNKNOWN): put_postfix(w, e->is_not_unknown->expr, " IS NOT UNKNOWN"); break;
    case EXPR(LIKE):
    case EXPR(ILIKE):
    case EXPR(SIMILAR_TO): put_text_match(w, e); break;
    case EXPR(PLACEHOLDER): put(w, e->placeholder->id); break;
    case EXPR(UNNEST): put_unnest(w, e->unnest); break;
    case EXPR(SCALAR_SUBQUERY_EXPR): put_subquery(w, e->scalar_subquery_expr->subquery); break;
    default: break; /* refused where they are decoded */
    }
}

void pt__df_put_name(pt__df *d, pt__buffer *out, const node *expr)
{
    put_expr(&(writer){d, out, false}, expr);
}

const char *pt__df_expr_name(pt__df *d, const node *expr, const char **qualifier)
{
    *qualifier = NULL;
    if (expr->expr_type_case == EXPR(COLUMN)) {
        *qualifier = expr->column->relation == NULL ? NULL : expr->column->relation->relation;
        return expr->column->name;
    }
    if (expr->expr_type_case == EXPR(ALIAS)) {
        if (expr->alias->n_relation != 0)
            *qualifier = pt__df_table_name(d, expr->alias->relation[0]);
        return expr->alias->alias;
    }
    pt__buffer *text = pt__arena_buffer(d->arena);
    pt__df_put_name(d, text, expr);
    const char *name = pt__arena_copy_string(d->arena, pt__buffer_string(text));
    pt__buffer_deinit(text);
    return name;
}
