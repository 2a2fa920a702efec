/* Names: columns by qualifier, by DataFrame, by position, of lambdas, of outer queries; what to propose instead. */
#include "analyze/analyzer.h"

#include "base/arena_buffer.h"
#include "plan/walk.h"

#include <string.h>

/* ---- matching a name against columns ---- */

/* How many leading parts of `name` name the column, qualifier included; 0: no match. */
static size_t match_column(const pt__analyzer *a, const pt_column *column, const pt_name *name, size_t qualifier_parts)
{
    if (name->count <= qualifier_parts || qualifier_parts > column->qualifier.count)
        return 0;
    size_t skip = column->qualifier.count - qualifier_parts;
    for (size_t i = 0; i < qualifier_parts; i++) {
        if (!pt__same_name(a, column->qualifier.parts[skip + i], name->parts[i]))
            return 0;
    }
    return pt__same_name(a, column->name, name->parts[qualifier_parts]) ? qualifier_parts + 1 : 0;
}

typedef struct candidates {
    pt__list(const pt_column *) list;
    size_t used_parts;
} candidates;

static bool has_id(const candidates *found, uint32_t id)
{
    for (size_t i = 0; i < found->list.count; i++) {
        if (found->list.items[i]->id == id)
            return true;
    }
    return false;
}

static void collect(pt__analyzer *a, const pt__scope *scope, const pt_name *name, size_t qualifier_parts,
                    candidates *found)
{
    for (size_t i = 0; i < scope->input_count; i++) {
        const pt_plan *input = scope->inputs[i];
        for (size_t c = 0; c < input->column_count; c++) {
            const pt_column *column = &input->columns[c];
            if (column->is_hidden && qualifier_parts == 0)
                continue;
            size_t used = match_column(a, column, name, qualifier_parts);
            if (used == 0 || has_id(found, column->id))
                continue;
            found->used_parts = used;
            pt__list_push(a->arena, &found->list, column);
        }
    }
}

/* The most qualified reading that has any candidate wins. */
static candidates find_candidates(pt__analyzer *a, const pt__scope *scope, const pt_name *name)
{
    enum { MOST_QUALIFIER_PARTS = 3 };
    candidates found = {0};
    for (size_t parts = MOST_QUALIFIER_PARTS + 1; parts-- > 0;) {
        collect(a, scope, name, parts, &found);
        if (found.list.count != 0)
            break;
    }
    return found;
}

static const char *quote_column(pt__analyzer *a, const pt_column *column)
{
    const char **parts = pt__arena_array(a->arena, const char *, column->qualifier.count + 1);
    for (size_t i = 0; i < column->qualifier.count; i++)
        parts[i] = column->qualifier.parts[i];
    parts[column->qualifier.count] = column->name;
    pt_name full = {parts, column->qualifier.count + 1};
    return pt__quote_name(a->arena, &full);
}

static pt_status fail_ambiguous(pt__analyzer *a, const pt_name *name, const candidates *found, const pt_origin *origin,
                                pt_error *err)
{
    pt__buffer *names = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < found->list.count; i++)
        pt__buffer_printf(names, "%s%s", i == 0 ? "" : ", ", quote_column(a, found->list.items[i]));
    pt_status status = pt__raise(err, PT_COND_AMBIGUOUS_REFERENCE, "name", pt__quote_name(a->arena, name),
                                 "referenceNames", pt__arena_printf(a->arena, "[%s]", pt__buffer_string(names)), NULL);
    return pt__analyzer_fail(status, origin, err);
}

const pt_expr *pt__column_ref(pt__analyzer *a, const pt_column *column)
{
    pt_expr_column *ref = pt__expr_make(a->arena, COLUMN, column, NULL);
    ref->id = column->id;
    ref->name = column->name;
    ref->base.type = column->type;
    ref->base.nullable = column->nullable;
    return &ref->base;
}

/* A reference spelled as the user did, with the fields that follow it taken out of it. */
static pt_status refer(pt__analyzer *a, const pt_column *column, const pt_name *name, size_t used_parts, bool is_outer,
                       const pt_origin *origin, const pt_expr **out, pt_error *err)
{
    pt_expr_column *ref = pt__expr_make(a->arena, COLUMN, column, origin);
    ref->id = column->id;
    ref->name = name->parts[used_parts - 1];
    ref->is_outer = is_outer;
    ref->base.type = column->type;
    ref->base.nullable = column->nullable;
    const pt_expr *expr = &ref->base;
    for (size_t i = used_parts; i < name->count; i++)
        PT_TRY(pt__extract(a, expr, pt__expr_string(a->arena, name->parts[i]), origin, &expr, err));
    *out = expr;
    return PT_OK;
}

/* ---- DataFrame columns ---- */

typedef struct node_search {
    pt__analyzer *a;
    int64_t plan_id;
    const char *name;
    candidates *found;
    pt__list(uint32_t) depths; /* of the candidates */
    uint32_t depth;            /* of the node looked at */
    size_t node_count;
} node_search;

/* Nodes of the plan id, topmost only; their columns of that name are candidates. */
static bool find_nodes(void *context, const pt_plan *plan)
{
    node_search *search = context;
    if (plan->plan_id != search->plan_id) {
        search->depth++;
        pt__plan_each_child(plan, find_nodes, search);
        search->depth--;
        return true;
    }
    search->node_count++;
    for (size_t i = 0; i < plan->column_count; i++) {
        const pt_column *column = &plan->columns[i];
        if (!column->is_hidden && pt__same_name(search->a, column->name, search->name) &&
            !has_id(search->found, column->id)) {
            pt__list_push(search->a->arena, &search->found->list, column);
            pt__list_push(search->a->arena, &search->depths, search->depth);
        }
    }
    return true;
}

static const pt_column *column_of_scope(const pt__scope *scope, uint32_t id)
{
    for (size_t i = 0; i < scope->input_count; i++) {
        for (size_t c = 0; c < scope->inputs[i]->column_count; c++) {
            if (scope->inputs[i]->columns[c].id == id)
                return &scope->inputs[i]->columns[c];
        }
    }
    return NULL;
}

static pt_status fail_dataframe(pt__analyzer *a, pt__condition_id condition, const pt_expr_attribute *attribute,
                                pt_error *err)
{
    pt_status status = pt__raise(err, condition, "name", pt__quote_name(a->arena, &attribute->name), NULL);
    return pt__analyzer_fail(status, attribute->base.origin, err);
}

/* The nearest of the found columns that the scope still has: a DataFrame may be part of both sides of a join. */
static const pt_column *nearest_visible(const pt__scope *s, const node_search *search, bool *is_ambiguous)
{
    const pt_column *nearest = NULL;
    uint32_t depth = 0;
    *is_ambiguous = false;
    for (size_t i = 0; i < search->found->list.count; i++) {
        const pt_column *here = column_of_scope(s, search->found->list.items[i]->id);
        if (here == NULL || (nearest != NULL && search->depths.items[i] > depth))
            continue;
        *is_ambiguous = nearest != NULL && search->depths.items[i] == depth;
        nearest = here;
        depth = search->depths.items[i];
    }
    return nearest;
}

static pt_status resolve_dataframe_column(pt__analyzer *a, pt__scope *scope, const pt_expr_attribute *attribute,
                                          const pt_expr **out, pt_error *err)
{
    for (pt__scope *s = scope; s != NULL; s = (pt__scope *)s->outer) {
        candidates found = {0};
        node_search search = {.a = a, .plan_id = attribute->plan_id, .name = attribute->name.parts[0], .found = &found};
        for (size_t i = 0; i < s->input_count; i++)
            find_nodes(&search, s->inputs[i]);
        if (search.node_count == 0)
            continue;
        if (found.list.count == 0)
            return PT_NOT_FOUND;
        bool is_ambiguous;
        const pt_column *column = nearest_visible(s, &search, &is_ambiguous);
        if (is_ambiguous)
            return fail_dataframe(a, PT_COND_AMBIGUOUS_COLUMN_REFERENCE, attribute, err);
        if (column == NULL)
            return PT_NOT_FOUND;
        scope->outer_was_used |= s != scope;
        return refer(a, column, &attribute->name, 1, s != scope, attribute->base.origin, out, err);
    }
    return PT_NOT_FOUND;
}

/* ---- attributes ---- */

static bool resolve_lambda_variable(pt__analyzer *a, const pt__scope *scope, const pt_expr_attribute *attribute,
                                    const pt_expr **out, pt_status *status, pt_error *err)
{
    for (const pt__lambda_scope *l = scope->lambdas; l != NULL; l = l->outer) {
        for (size_t i = 0; i < l->lambda->parameter_count; i++) {
            if (!pt__same_name(a, l->lambda->parameters[i]->name.parts[0], attribute->name.parts[0]))
                continue;
            *status = PT_OK;
            *out = &l->variables[i]->base;
            for (size_t part = 1; part < attribute->name.count && *status == PT_OK; part++)
                *status = pt__extract(a, *out, pt__expr_string(a->arena, attribute->name.parts[part]),
                                      attribute->base.origin, out, err);
            return true;
        }
    }
    return false;
}

static const pt_expr_alias *select_alias(pt__analyzer *a, const pt__scope *scope, const char *name)
{
    const pt_expr_alias *found = NULL;
    for (size_t i = 0; i < scope->select_count; i++) {
        const pt_expr *item = scope->select_items[i];
        if (item == NULL || item->kind != PT_EXPR_ALIAS || pt__expr_as_alias(item)->name_count != 1)
            continue;
        if (pt__same_name(a, pt__expr_as_alias(item)->names[0], name))
            found = pt__expr_as_alias(item);
    }
    return found;
}

/* An item of the select list further left, by its alias. */
static pt_status resolve_lateral_alias(pt__analyzer *a, const pt__scope *scope, const pt_expr_attribute *attribute,
                                       const pt_expr **out, pt_error *err)
{
    const pt_expr_alias *alias = select_alias(a, scope, attribute->name.parts[0]);
    if (alias == NULL)
        return PT_NOT_FOUND;
    const pt_expr *expr = &pt__typed_alias(a, alias->child, alias->names[0])->base;
    for (size_t i = 1; i < attribute->name.count; i++)
        PT_TRY(pt__extract(a, expr, pt__expr_string(a->arena, attribute->name.parts[i]), attribute->base.origin, &expr,
                           err));
    *out = expr;
    return PT_OK;
}

pt_status pt__resolve_attribute(pt__analyzer *a, pt__scope *scope, const pt_expr_attribute *attribute,
                                const pt_expr **out, pt_error *err)
{
    pt_status status;
    if (attribute->plan_id >= 0)
        return resolve_dataframe_column(a, scope, attribute, out, err);
    if (resolve_lambda_variable(a, scope, attribute, out, &status, err))
        return status;
    for (pt__scope *s = scope; s != NULL; s = (pt__scope *)s->outer) {
        candidates found = find_candidates(a, s, &attribute->name);
        if (found.list.count > 1)
            return fail_ambiguous(a, &attribute->name, &found, attribute->base.origin, err);
        if (found.list.count == 1) {
            scope->outer_was_used |= s != scope;
            return refer(a, found.list.items[0], &attribute->name, found.used_parts, s != scope, attribute->base.origin,
                         out, err);
        }
        if (s == scope) {
            status = resolve_lateral_alias(a, scope, attribute, out, err);
            if (status != PT_NOT_FOUND)
                return status;
        }
    }
    return PT_NOT_FOUND;
}

/* ---- positions ---- */

static const pt_column *visible_at(const pt__scope *scope, uint32_t position)
{
    for (size_t i = 0; i < scope->input_count; i++) {
        for (size_t c = 0; c < scope->inputs[i]->column_count; c++) {
            const pt_column *column = &scope->inputs[i]->columns[c];
            if (!column->is_hidden && position-- == 0)
                return column;
        }
    }
    return NULL;
}

pt_status pt__resolve_ordinal(pt__analyzer *a, pt__scope *scope, const pt_expr_ordinal *ordinal, const pt_expr **out,
                              pt_error *err)
{
    const pt__scope *s = scope;
    for (uint32_t i = 0; s != NULL && i < ordinal->outer; i++)
        s = s->outer;
    const pt_column *column = s == NULL ? NULL : visible_at(s, ordinal->position);
    if (column == NULL)
        return pt__analyzer_fail(pt_error_set(err, PT_BAD_PLAN, "there is no column %u in the input%s",
                                              ordinal->position, ordinal->outer == 0 ? "" : " of the query around"),
                                 ordinal->base.origin, err);
    pt_expr_column *ref = (pt_expr_column *)pt__column_ref(a, column);
    ref->is_outer = s != scope;
    ref->base.origin = ordinal->base.origin;
    scope->outer_was_used |= s != scope;
    *out = &ref->base;
    return PT_OK;
}

/* ---- suggestions ---- */

static size_t edit_distance(const char *x, const char *y)
{
    enum { LONGEST = 64 };
    size_t row[LONGEST + 1];
    size_t x_size = strnlen(x, LONGEST);
    size_t y_size = strnlen(y, LONGEST);
    for (size_t j = 0; j <= y_size; j++)
        row[j] = j;
    for (size_t i = 1; i <= x_size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= y_size; j++) {
            size_t replaced = diagonal + (x[i - 1] != y[j - 1]);
            diagonal = row[j];
            size_t inserted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = replaced < inserted ? replaced : inserted;
        }
    }
    return row[y_size];
}

typedef struct suggestion {
    size_t distance;
    const char *text;
} suggestion;

static void insert_suggestion(suggestion *best, size_t *count, size_t max, suggestion added)
{
    size_t at = *count;
    while (at > 0 && best[at - 1].distance > added.distance)
        at--;
    if (at == max)
        return;
    if (*count < max)
        ++*count;
    for (size_t i = *count - 1; i > at; i--)
        best[i] = best[i - 1];
    best[at] = added;
}

pt_status pt__unresolved_column(pt__analyzer *a, const pt__scope *scope, const pt_name *name, const pt_origin *origin,
                                pt_error *err)
{
    enum { MOST_SUGGESTIONS = 5 };
    suggestion best[MOST_SUGGESTIONS];
    size_t count = 0;
    for (size_t i = 0; i < scope->input_count; i++) {
        for (size_t c = 0; c < scope->inputs[i]->column_count; c++) {
            const pt_column *column = &scope->inputs[i]->columns[c];
            if (column->is_hidden)
                continue;
            suggestion s = {edit_distance(column->name, name->parts[name->count - 1]), quote_column(a, column)};
            insert_suggestion(best, &count, MOST_SUGGESTIONS, s);
        }
    }
    const char *object = pt__quote_name(a->arena, name);
    if (count == 0)
        return pt__analyzer_fail(
            pt__raise(err, PT_COND_UNRESOLVED_COLUMN_WITHOUT_SUGGESTION, "objectName", object, NULL), origin, err);
    pt__buffer *proposal = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < count; i++)
        pt__buffer_printf(proposal, "%s%s", i == 0 ? "" : ", ", best[i].text);
    pt_status status = pt__raise(err, PT_COND_UNRESOLVED_COLUMN_WITH_SUGGESTION, "objectName", object, "proposal",
                                 pt__buffer_string(proposal), NULL);
    return pt__analyzer_fail(status, origin, err);
}
