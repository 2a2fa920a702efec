/* DataFrame calls that change columns or drop rows by their columns; all become projections, filters and groups. */
#include "analyze/aggregate.h"
#include "analyze/time_window.h"

#include "base/arena_buffer.h"

#include <string.h>

/* ---- withColumns, withColumnsRenamed, drop, toDF, to ---- */

static int find_name(const pt__analyzer *a, const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (pt__same_name(a, names[i], name))
            return (int)i;
    }
    return -1;
}

static const char *const *alias_names(pt__analyzer *a, const pt_expr *const *aliases, size_t count)
{
    const char **names = pt__arena_array(a->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = pt__expr_as_alias(aliases[i])->names[0];
    return names;
}

PT_ANALYZE_KIND(with_columns)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    pt__expr_list list = {node->aliases, node->alias_count};
    PT_TRY(pt__take_time_windows(a, &input, &list, 1, err));
    bool has_windows = list.items != node->aliases;
    pt__scope scope = pt__scope_of(a, &input, 1);
    const pt_expr **added = pt__arena_array(a->arena, const pt_expr *, node->alias_count + 1);
    for (size_t i = 0; i < node->alias_count; i++)
        PT_TRY(pt__analyze_expr(a, &scope, list.items[i], &added[i], err));
    const char *const *names = alias_names(a, added, node->alias_count);
    bool *used = pt__arena_array(a->arena, bool, node->alias_count + 1);
    pt__list(const pt_expr *) all = {0};
    size_t count = input->column_count - (has_windows ? 1 : 0); /* the column of windows comes last */
    for (size_t i = 0; i < count; i++) {
        if (input->columns[i].is_hidden)
            continue;
        int replaced = find_name(a, names, node->alias_count, input->columns[i].name);
        if (replaced >= 0)
            used[replaced] = true;
        pt__list_push(a->arena, &all, replaced >= 0 ? added[replaced] : pt__column_ref(a, &input->columns[i]));
    }
    for (size_t i = 0; i < node->alias_count; i++) {
        if (!used[i])
            pt__list_push(a->arena, &all, added[i]);
    }
    return pt__select(a, input, all.items, all.count, &node->base, out, err);
}

PT_ANALYZE_KIND(rename_columns)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    size_t count;
    const pt_expr **refs = (const pt_expr **)pt__visible_refs(a, input, &count);
    const char **names = pt__arena_array(a->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = pt__expr_as_column(refs[i])->name;
    for (size_t r = 0; r < node->rename_count; r++) { /* one after the other: a later one sees the new names */
        for (size_t i = 0; i < count; i++) {
            if (pt__same_name(a, names[i], node->renames[r].key))
                names[i] = node->renames[r].value;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (names[i] != pt__expr_as_column(refs[i])->name)
            refs[i] = &pt__typed_alias(a, refs[i], names[i])->base;
    }
    *out = pt__project(a, input, refs, count, &node->base);
    return PT_OK;
}

static pt_status ids_to_drop(pt__analyzer *a, const pt_plan *input, const pt_plan_drop_columns *node, uint32_t *ids,
                             size_t *count, pt_error *err)
{
    *count = 0;
    pt__scope scope = pt__scope_of(a, &input, 1);
    for (size_t i = 0; i < node->expression_count; i++) {
        const pt_expr *expr = node->expressions[i];
        const pt_expr *found;
        if (expr->kind != PT_EXPR_ATTRIBUTE)
            continue; /* an expression that names no column drops none */
        pt_error ignored = PT_ERROR_INIT;
        pt_status status = pt__resolve_attribute(a, &scope, pt__expr_as_attribute(expr), &found, &ignored);
        if (status != PT_OK && status != PT_NOT_FOUND) {
            if (err != NULL)
                pt_error_move(err, &ignored);
            pt_error_clear(&ignored);
            return status;
        }
        pt_error_clear(&ignored);
        if (status == PT_OK && found->kind == PT_EXPR_COLUMN)
            ids[(*count)++] = pt__expr_as_column(found)->id;
    }
    return PT_OK;
}

PT_ANALYZE_KIND(drop_columns)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    uint32_t *ids = pt__arena_array(a->arena, uint32_t, node->expression_count + 1);
    size_t id_count;
    PT_TRY(ids_to_drop(a, input, node, ids, &id_count, err));
    pt__list(const pt_expr *) list = {0};
    for (size_t i = 0; i < input->column_count; i++) {
        const pt_column *column = &input->columns[i];
        bool dropped = column->is_hidden || find_name(a, node->names, node->name_count, column->name) >= 0;
        for (size_t k = 0; k < id_count; k++)
            dropped |= ids[k] == column->id;
        if (!dropped)
            pt__list_push(a->arena, &list, pt__column_ref(a, column));
    }
    *out = pt__project(a, input, list.items, list.count, &node->base);
    return PT_OK;
}

PT_ANALYZE_KIND(to_df)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    size_t count;
    const pt_expr **refs = (const pt_expr **)pt__visible_refs(a, input, &count);
    if (count != node->name_count) {
        pt_status status =
            pt__raise(err, PT_COND_ASSIGNMENT_ARITY_MISMATCH, "numExpr", pt__arena_printf(a->arena, "%zu", count),
                      "numTarget", pt__arena_printf(a->arena, "%zu", node->name_count), NULL);
        return pt__analyzer_fail(status, node->base.origin, err);
    }
    for (size_t i = 0; i < count; i++)
        refs[i] = &pt__typed_alias(a, refs[i], node->names[i])->base;
    *out = pt__project(a, input, refs, count, &node->base);
    return PT_OK;
}

static pt_status column_to_field(pt__analyzer *a, const pt_plan *input, const pt_field *field, const pt_expr **out,
                                 pt_error *err)
{
    int index = pt__find_column(a, input, field->name);
    pt_status status = PT_OK;
    if (index == -1 && field->nullable) {
        *out = &pt__typed_alias(a, pt__expr_null(a->arena, field->type), field->name)->base;
        return PT_OK;
    }
    pt_name one = pt__name_one(a->arena, field->name);
    if (index < 0) {
        status = pt__raise(err, PT_COND_UNRESOLVED_COLUMN_WITHOUT_SUGGESTION, "objectName",
                           pt__quote_name(a->arena, &one), NULL);
        return status;
    }
    const pt_column *column = &input->columns[index];
    const pt_expr *ref = pt__column_ref(a, column);
    if (column->nullable && !field->nullable)
        return pt__raise(err, PT_COND_NULLABLE_COLUMN_OR_FIELD, "name", pt__quote_name(a->arena, &one), NULL);
    if (!pt__type_same_kind(column->type, field->type)) {
        if (!pt__can_cast(a, column->type, field->type, PT_CAST_ANSI) ||
            (pt__type_is_string(column->type) && !pt__type_is_string(field->type)))
            return pt__raise(err, PT_COND_INVALID_COLUMN_OR_FIELD_DATA_TYPE, "name", pt__quote_name(a->arena, &one),
                             "type", pt__quote_type(a->arena, column->type), "expectedType",
                             pt__quote_type(a->arena, field->type), NULL);
        ref = pt__make_cast(a, ref, field->type, PT_CAST_ANSI, true);
    }
    pt_expr_alias *alias = pt__typed_alias(a, ref, field->name);
    alias->metadata = field->metadata;
    *out = &alias->base;
    return PT_OK;
}

PT_ANALYZE_KIND(to_schema)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    const pt_expr **list = pt__arena_array(a->arena, const pt_expr *, node->schema->field_count + 1);
    for (size_t i = 0; i < node->schema->field_count; i++)
        PT_TRY(pt__analyzer_fail(column_to_field(a, input, &node->schema->fields[i], &list[i], err), node->base.origin,
                                 err));
    *out = pt__project(a, input, list, node->schema->field_count, &node->base);
    return PT_OK;
}

/* ---- columns that a call names ---- */

static pt_status no_such_column(pt__analyzer *a, const pt_plan *input, const char *name, pt_error *err)
{
    pt__buffer *fields = pt__arena_buffer(a->arena);
    for (size_t c = 0; c < input->column_count; c++)
        pt__buffer_printf(fields, "%s%s", c == 0 ? "" : ", ", input->columns[c].name);
    return pt__raise(err, PT_COND_UNRESOLVED_COLUMN_AMONG_FIELD_NAMES, "colName", pt__quote_one(a->arena, name),
                     "fieldNames", pt__buffer_string(fields), NULL);
}

/* Marks the columns of the input that the call of `plan` is about: those it names, all visible ones without names. */
static pt_status choose_columns(pt__analyzer *a, const pt_plan *plan, const pt_plan *input, const char *const *names,
                                size_t name_count, const bool **out, pt_error *err)
{
    bool *chosen = pt__arena_array(a->arena, bool, input->column_count + 1);
    *out = chosen;
    for (size_t c = 0; c < input->column_count; c++)
        chosen[c] = name_count == 0 && !input->columns[c].is_hidden;
    for (size_t i = 0; i < name_count; i++) {
        bool found = false;
        for (size_t c = 0; c < input->column_count; c++) {
            if (!input->columns[c].is_hidden && pt__same_name(a, input->columns[c].name, names[i]))
                found = chosen[c] = true;
        }
        if (!found)
            return pt__analyzer_fail(no_such_column(a, input, names[i], err), plan->origin, err);
    }
    return PT_OK;
}

/* ---- dropDuplicates ---- */

static pt_status first_of(pt__analyzer *a, const pt_expr *ref, const pt_expr **out, pt_error *err)
{
    const pt_expr **argument = pt__arena_array(a->arena, const pt_expr *, 1);
    argument[0] = ref;
    const pt_expr *first;
    PT_TRY(pt__call(a, "first", argument, 1, &first, err));
    pt_expr_alias *alias = pt__typed_alias(a, first, pt__expr_as_column(ref)->name);
    alias->base.nullable = ref->nullable;
    *out = &alias->base;
    return PT_OK;
}

PT_ANALYZE_KIND(deduplicate)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    const bool *chosen;
    PT_TRY(choose_columns(a, &node->base, input, node->names, node->name_count, &chosen, err));
    pt__list(const pt_expr *) keys = {0};
    pt__list(const pt_expr *) outputs = {0};
    for (size_t i = 0; i < input->column_count; i++) {
        if (input->columns[i].is_hidden)
            continue;
        const pt_expr *ref = pt__column_ref(a, &input->columns[i]);
        const pt_expr *output = ref;
        if (chosen[i])
            pt__list_push(a->arena, &keys, ref);
        else
            PT_TRY(first_of(a, ref, &output, err));
        pt__list_push(a->arena, &outputs, output);
    }
    return pt__aggregate(a, input, keys.items, keys.count, NULL, 0, outputs.items, outputs.count, &node->base, out,
                         err);
}

/* ---- na.fill, na.drop, na.replace ---- */

static bool fills(const pt_type *column, const pt_type *value)
{
    if (pt__type_is_numeric(value))
        return pt__type_is_numeric(column);
    return pt__type_is_string(value) ? pt__type_is_string(column) : column->id == value->id;
}

/* coalesce(column, value) in the column's type; NaN counts as missing. */
static pt_status filled(pt__analyzer *a, const pt_expr *ref, const pt_expr *value, const pt_expr **out, pt_error *err)
{
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, 2);
    arguments[0] = ref;
    if (ref->type->id == PT_TYPE_DOUBLE || ref->type->id == PT_TYPE_FLOAT) {
        const pt_expr **nan = pt__arena_array(a->arena, const pt_expr *, 2);
        nan[0] = ref;
        nan[1] = pt__make_cast(a, pt__expr_double(a->arena, __builtin_nan("")), ref->type, PT_CAST_ANSI, true);
        PT_TRY(pt__call(a, "nullif", nan, 2, &arguments[0], err));
    }
    arguments[1] =
        pt__type_same_kind(value->type, ref->type) ? value : pt__make_cast(a, value, ref->type, PT_CAST_ANSI, true);
    const pt_expr *made;
    PT_TRY(pt__call(a, "coalesce", arguments, 2, &made, err));
    *out = &pt__typed_alias(a, made, pt__expr_as_column(ref)->name)->base;
    return PT_OK;
}

static const pt_expr *fill_value(pt__analyzer *a, const pt_plan_fill_na *node, const bool *chosen, size_t column,
                                 const pt_column *c)
{
    if (node->value_count == 1)
        return chosen[column] ? pt__strip_alias(node->values[0]) : NULL;
    int index = find_name(a, node->names, node->name_count, c->name);
    return index < 0 ? NULL : pt__strip_alias(node->values[index]);
}

PT_ANALYZE_KIND(fill_na)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    const bool *chosen;
    PT_TRY(choose_columns(a, &node->base, input, node->names, node->name_count, &chosen, err));
    pt__list(const pt_expr *) list = {0};
    for (size_t i = 0; i < input->column_count; i++) {
        const pt_column *column = &input->columns[i];
        if (column->is_hidden)
            continue;
        const pt_expr *expr = pt__column_ref(a, column);
        const pt_expr *value = fill_value(a, node, chosen, i, column);
        if (value != NULL && fills(column->type, value->type))
            PT_TRY(filled(a, expr, value, &expr, err));
        pt__list_push(a->arena, &list, expr);
    }
    *out = pt__project(a, input, list.items, list.count, &node->base);
    return PT_OK;
}

/* 1 when the column has a value, else 0; NaN is none. */
static pt_status has_value(pt__analyzer *a, const pt_column *column, const pt_expr **out, pt_error *err)
{
    const pt_expr *ref = pt__column_ref(a, column);
    const pt_expr **missing = pt__arena_array(a->arena, const pt_expr *, 2);
    const pt_expr **present = pt__arena_array(a->arena, const pt_expr *, 3);
    if (column->type->id == PT_TYPE_DOUBLE || column->type->id == PT_TYPE_FLOAT) {
        missing[0] = ref;
        missing[1] = pt__make_cast(a, pt__expr_double(a->arena, __builtin_nan("")), column->type, PT_CAST_ANSI, true);
        PT_TRY(pt__call(a, "nullif", missing, 2, &ref, err));
    }
    const pt_expr **one = pt__arena_array(a->arena, const pt_expr *, 1);
    one[0] = ref;
    PT_TRY(pt__call(a, "isnotnull", one, 1, &present[0], err));
    present[1] = pt__expr_int(a->arena, 1);
    present[2] = pt__expr_int(a->arena, 0);
    return pt__call(a, "if", present, 3, out, err);
}

PT_ANALYZE_KIND(drop_na)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    const bool *chosen;
    PT_TRY(choose_columns(a, &node->base, input, node->names, node->name_count, &chosen, err));
    const pt_expr *sum = NULL;
    int32_t considered = 0;
    for (size_t i = 0; i < input->column_count; i++) {
        if (!chosen[i])
            continue;
        considered++;
        const pt_expr **both = pt__arena_array(a->arena, const pt_expr *, 2);
        both[0] = sum;
        PT_TRY(has_value(a, &input->columns[i], &both[1], err));
        if (sum == NULL)
            sum = both[1];
        else
            PT_TRY(pt__call(a, "+", both, 2, &sum, err));
    }
    int32_t wanted = node->min_non_nulls < 0 ? considered : node->min_non_nulls;
    if (sum == NULL)
        sum = pt__expr_int(a->arena, 0);
    const pt_expr **sides = pt__arena_array(a->arena, const pt_expr *, 2);
    sides[0] = sum;
    sides[1] = pt__expr_int(a->arena, wanted);
    const pt_expr *condition;
    PT_TRY(pt__call(a, ">=", sides, 2, &condition, err));
    *out = pt__filter(a, input, condition, &node->base);
    return PT_OK;
}

static bool replaces(const pt_type *column, const pt_expr *old_value)
{
    const pt_type *type = old_value->type;
    if (type->id == PT_TYPE_VOID)
        return false;
    return fills(column, type);
}

static pt_status replaced(pt__analyzer *a, const pt_plan_replace_values *node, const pt_expr *ref, const pt_expr **out,
                          pt_error *err)
{
    pt__list(const pt_expr *) when = {0};
    for (size_t i = 0; i < node->value_count; i++) {
        const pt_expr *old_value = pt__strip_alias(node->old_values[i]);
        const pt_expr *new_value = pt__strip_alias(node->new_values[i]);
        if (!replaces(ref->type, old_value))
            continue;
        const pt_expr **sides = pt__arena_array(a->arena, const pt_expr *, 2);
        sides[0] = ref;
        sides[1] = old_value;
        const pt_expr *equal;
        PT_TRY(pt__call(a, "=", sides, 2, &equal, err));
        pt__list_push(a->arena, &when, equal);
        pt__list_push(a->arena, &when, pt__make_cast(a, new_value, ref->type, PT_CAST_ANSI, true));
    }
    *out = ref;
    if (when.count == 0)
        return PT_OK;
    pt__list_push(a->arena, &when, ref);
    const pt_expr *made;
    PT_TRY(pt__call(a, "when", when.items, when.count, &made, err));
    *out = &pt__typed_alias(a, made, pt__expr_as_column(ref)->name)->base;
    return PT_OK;
}

PT_ANALYZE_KIND(replace_values)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    const bool *chosen;
    PT_TRY(choose_columns(a, &node->base, input, node->names, node->name_count, &chosen, err));
    pt__list(const pt_expr *) list = {0};
    for (size_t i = 0; i < input->column_count; i++) {
        if (input->columns[i].is_hidden)
            continue;
        const pt_expr *expr = pt__column_ref(a, &input->columns[i]);
        if (chosen[i])
            PT_TRY(replaced(a, node, expr, &expr, err));
        pt__list_push(a->arena, &list, expr);
    }
    *out = pt__project(a, input, list.items, list.count, &node->base);
    return PT_OK;
}
