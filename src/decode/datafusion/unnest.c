/*
 * UnnestNode: lists become rows, structs columns. Several lists of one node go side by side, the shorter ones filled up
 * with NULL.
 */
#include "decode/datafusion/internal.h"

#include <string.h>

typedef pt__df_relation relation;

/* The lists of one input column to as many levels as asked for: one output column each. */
typedef struct list_column {
    uint32_t input;
    uint32_t depth;
} list_column;

typedef struct unnest {
    pt__df *d;
    const Datafusion__UnnestNode *node;
    relation in;
    bool preserve_nulls;
} unnest;

static const pt_expr *extract(pt__df *d, const pt_expr *child, const char *field)
{
    pt_expr_extract *made = pt__expr_make(d->arena, EXTRACT, extract, NULL);
    made->child = child;
    made->key = pt__expr_string(d->arena, field);
    return &made->base;
}

static const pt_expr *array_of(pt__df *d, const pt_expr *item, const pt__df_type *list)
{
    const pt_type *type = pt__df_plan_type(d->arena, list);
    return pt__df_cast_expr(
        d, item == NULL ? pt__expr_call(d->arena, NULL, "array", 0) : pt__expr_call(d->arena, NULL, "array", 1, item),
        type);
}

/* A NULL list gives no row, or one of NULL where NULLs are preserved. */
static const pt_expr *with_rows(const unnest *u, const pt_expr *list, const pt__df_type *type)
{
    pt__df *d = u->d;
    const pt_expr *null = pt__expr_null(d->arena, pt__df_plan_type(d->arena, type->fields[0].type));
    const pt_expr *instead = array_of(d, u->preserve_nulls ? null : NULL, type);
    return pt__expr_call(d->arena, NULL, "coalesce", 2, list, instead);
}

/* The plan of `in` with the elements of `generator` beside its columns, under `id`. */
static const pt_plan *generate(pt__df *d, const pt_plan *in, const pt_expr *array, const char *id)
{
    const char **names = pt__arena_array(d->arena, const char *, 1);
    names[0] = id;
    pt_plan_generate *made = pt__plan_make(d->arena, GENERATE, generate, NULL);
    made->input = in;
    made->generator = pt__expr_call(d->arena, NULL, "explode", 1, array);
    made->table_alias = "u";
    made->column_names = names;
    made->column_name_count = 1;
    return &made->base;
}

static pt_status check_list(const unnest *u, const list_column *c)
{
    if (c->input >= u->in.count)
        return pt__df_bad(u->d, "UnnestNode.list_type_columns: there is no column %u", c->input);
    const pt__df_column *column = &u->in.columns[c->input];
    if (column->type->kind != PT_DF_LIST)
        return pt__df_bad(u->d, "UnnestNode.list_type_columns: \"%s\" is no list", column->name);
    if (c->depth != 1)
        return pt__df_refuse(u->d, "UnnestNode: lists to %u levels at once", c->depth);
    return PT_OK;
}

static pt_status read_lists(const unnest *u, list_column **out)
{
    const Datafusion__UnnestNode *m = u->node;
    *out = pt__arena_array(u->d->arena, list_column, m->n_list_type_columns);
    for (size_t i = 0; i < m->n_list_type_columns; i++) {
        const Datafusion__ColumnUnnestListItem *item = m->list_type_columns[i];
        (*out)[i] = (list_column){item->input_index, item->recursion == NULL ? 1 : item->recursion->depth};
        PT_TRY(check_list(u, &(*out)[i]));
        for (size_t k = 0; k < i; k++)
            if ((*out)[k].input == item->input_index)
                return pt__df_refuse(u->d, "UnnestNode: one list twice");
    }
    return PT_OK;
}

/* One list: explode. More: their elements side by side as structs, from arrays_zip. */
static void expand(const unnest *u, const list_column *lists, size_t count, const pt_plan **plan,
                   const pt_expr **elements)
{
    pt__df *d = u->d;
    const char *id = pt__df_new_id(d);
    const pt_expr **arrays = pt__arena_array(d->arena, const pt_expr *, count);
    for (size_t i = 0; i < count; i++) {
        const pt__df_column *column = &u->in.columns[lists[i].input];
        arrays[i] = with_rows(u, pt__df_attribute(d, column->id), column->type);
    }
    const pt_expr *array = arrays[0];
    if (count > 1)
        array = pt__expr_call_list(d->arena, NULL, "arrays_zip", arrays, count);
    *plan = generate(d, *plan, array, id);
    for (size_t i = 0; i < count; i++)
        elements[lists[i].input] = count == 1
                                       ? pt__df_attribute(d, id)
                                       : extract(d, pt__df_attribute(d, id), pt__arena_printf(d->arena, "%zu", i));
}

static bool is_struct_column(const Datafusion__UnnestNode *m, size_t at)
{
    for (size_t i = 0; i < m->n_struct_type_columns; i++)
        if (m->struct_type_columns[i] == at)
            return true;
    return false;
}

typedef struct output {
    pt__list(const pt_expr *) items;
    pt__list(pt__df_column) columns;
} output;

static pt_status put_out(const unnest *u, output *o, const pt_expr *expr, const pt__df_type *type)
{
    const DatafusionCommon__DfSchema *named = u->node->schema;
    size_t at = o->columns.count;
    if (named == NULL || at >= named->n_columns || named->columns[at]->field == NULL)
        return pt__df_bad(u->d, "UnnestNode.schema has too few columns");
    const DatafusionCommon__DfField *field = named->columns[at];
    pt__df_column column = {field->qualifier == NULL ? NULL : field->qualifier->relation, field->field->name, NULL,
                            type};
    pt__list_push(u->d->arena, &o->items, expr);
    pt__list_push(u->d->arena, &o->columns, column);
    return PT_OK;
}

static pt_status put_struct(const unnest *u, output *o, const pt__df_column *column)
{
    if (column->type->kind != PT_DF_STRUCT)
        return pt__df_bad(u->d, "UnnestNode.struct_type_columns: \"%s\" is no struct", column->name);
    for (size_t i = 0; i < column->type->field_count; i++) {
        const pt__df_field *field = &column->type->fields[i];
        PT_TRY(put_out(u, o, extract(u->d, pt__df_attribute(u->d, column->id), field->name), field->type));
    }
    return PT_OK;
}

pt_status pt__df_unnest(pt__df *d, const Datafusion__UnnestNode *m, relation *out)
{
    unnest u = {.d = d, .node = m, .preserve_nulls = m->options != NULL && m->options->preserve_nulls};
    list_column *lists;
    output o = {0};
    if (m->input == NULL)
        return pt__df_bad(d, "UnnestNode.input is missing");
    PT_TRY(pt__df_relation_of(d, m->input, &u.in));
    PT_TRY(read_lists(&u, &lists));
    const pt_expr **elements = pt__arena_array(d->arena, const pt_expr *, u.in.count);
    const pt_plan *plan = u.in.plan;
    if (m->n_list_type_columns != 0)
        expand(&u, lists, m->n_list_type_columns, &plan, elements);
    for (size_t i = 0; i < u.in.count; i++) {
        const pt__df_column *column = &u.in.columns[i];
        if (is_struct_column(m, i))
            PT_TRY(put_struct(&u, &o, column));
        else if (elements[i] != NULL)
            PT_TRY(put_out(&u, &o, elements[i], column->type->fields[0].type));
        else
            PT_TRY(put_out(&u, &o, pt__df_attribute(d, column->id), column->type));
    }
    return pt__df_project(d, plan, o.columns.items, o.items.items, o.items.count, out);
}
