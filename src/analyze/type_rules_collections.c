/* Types of calls on arrays, maps and structs that a signature cannot say. */
#include "analyze/type_rules.h"

#include <string.h>

/* ---- arrays ---- */

/* The first array's type; union takes NULL elements from both, intersect only where both have them. */
PT_RULE(array_set)
{
    (void)call;
    (void)err;
    const pt_type *first = pt__argument_type(match, 0);
    bool nulls = first->contains_null;
    if (pt__is_called(match, "array_union"))
        nulls = nulls || pt__argument_type(match, 1)->contains_null;
    if (pt__is_called(match, "array_intersect"))
        nulls = nulls && pt__argument_type(match, 1)->contains_null;
    match->type = pt__type_array(a->arena, first->element, nulls);
    return PT_OK;
}

PT_RULE(array_insert)
{
    (void)call;
    (void)err;
    match->type = pt__type_array(a->arena, pt__argument_type(match, 0)->element, true);
    match->nullable = match->arguments[0]->nullable || match->arguments[1]->nullable;
    return PT_OK;
}

PT_RULE(array_repeat)
{
    (void)call;
    (void)err;
    match->type = pt__type_array(a->arena, pt__argument_type(match, 0), match->arguments[0]->nullable);
    match->nullable = match->arguments[1]->nullable;
    return PT_OK;
}

/* array_contains and arrays_overlap: NULL elements leave the answer open. */
PT_RULE(array_question)
{
    (void)a;
    (void)call;
    (void)err;
    for (size_t i = 0; i < match->argument_count; i++) {
        const pt_type *type = pt__argument_type(match, i);
        bool is_list = i == 0 || pt__is_called(match, "arrays_overlap");
        match->nullable = match->nullable || match->arguments[i]->nullable || (is_list && type->contains_null);
    }
    match->type = PT_T(BOOLEAN);
    return PT_OK;
}

PT_RULE(flatten)
{
    (void)a;
    (void)call;
    (void)err;
    const pt_type *outer = pt__argument_type(match, 0);
    match->type = outer->element;
    match->nullable = match->arguments[0]->nullable || outer->contains_null;
    return PT_OK;
}

/* The element of array(...) that a literal index means; NULL when it is not known. */
static const pt_expr *known_element(const pt__match *match, bool from_one)
{
    const pt_expr *array = match->arguments[0];
    const pt_expr *index = match->arguments[1];
    if (array->kind != PT_EXPR_CALL || index->kind != PT_EXPR_LITERAL || pt__expr_as_literal(index)->value.is_null)
        return NULL;
    const pt_expr_call *call = pt__expr_as_call(array);
    int64_t at = pt__expr_as_literal(index)->value.as.integer;
    int64_t count = (int64_t)call->argument_count;
    if (call->function == NULL || strcmp(call->function->name, "array") != 0)
        return NULL;
    at = from_one ? (at < 0 ? count + at : at - 1) : at;
    return at >= 0 && at < count ? call->arguments[at] : NULL;
}

/* Spark trusts an index that it knows only within array(...). */
PT_RULE(element)
{
    (void)a;
    (void)err;
    const pt_type *array = pt__argument_type(match, 0);
    const pt_expr *index = match->arguments[1];
    bool from_one = strstr(match->function->name, "element_at") != NULL;
    bool fails = call->mode == PT_CAST_ANSI && !pt__is_called(match, "get");
    const pt_expr *known = known_element(match, from_one);
    match->type = array->element;
    if (known != NULL)
        match->nullable = known->nullable;
    else if (pt__expr_is_constant(index) && !index->nullable)
        match->nullable = true;
    else
        match->nullable = !fails || array->contains_null || match->arguments[0]->nullable || index->nullable;
    return PT_OK;
}

/* exists, forall: NULL where the condition is. */
PT_RULE(quantifier)
{
    (void)a;
    (void)call;
    (void)err;
    match->type = PT_T(BOOLEAN);
    match->nullable = match->arguments[0]->nullable || match->arguments[1]->nullable;
    return PT_OK;
}

/* The field of an array in a zip: its own name, or its position. */
static const char *zip_name(pt__analyzer *a, const pt_expr *argument, size_t index)
{
    if (argument->kind == PT_EXPR_COLUMN)
        return pt__expr_as_column(argument)->name;
    if (argument->kind == PT_EXPR_FIELD)
        return pt__expr_as_field(argument)->name;
    return pt__arena_printf(a->arena, "%zu", index);
}

PT_RULE(arrays_zip)
{
    pt_field *fields = pt__arena_array(a->arena, pt_field, match->argument_count + 1);
    for (size_t i = 0; i < match->argument_count; i++) {
        const pt_type *type = pt__argument_type(match, i);
        if (type->id != PT_TYPE_ARRAY)
            return pt__mismatch(a, call, i, "\"ARRAY\"", err);
        fields[i] = (pt_field){zip_name(a, call->arguments[i], i), type->element, true, NULL};
    }
    match->type = pt__type_array(a->arena, pt__type_struct(a->arena, fields, match->argument_count), false);
    return PT_OK;
}

/* ---- sequence ---- */

static pt_status wrong_sequence(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt_status status = pt__raise(err, PT_COND_DATATYPE_MISMATCH_SEQUENCE_WRONG_INPUT_TYPES, "sqlExpr",
                                 pt__quote_expr(a->arena, &call->base), "functionName", "`sequence`", "startType",
                                 "(\"TIMESTAMP\" or \"TIMESTAMP_NTZ\" or \"DATE\")", "stepType",
                                 "(\"INTERVAL\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL DAY TO SECOND\")",
                                 "otherStartType", "\"INTEGRAL\"", NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

PT_RULE(sequence)
{
    bool has_step = call->argument_count == 3;
    const pt_type *common = pt__common_type(a, pt__argument_type(match, 0), pt__argument_type(match, 1));
    bool is_time = common != NULL && pt__type_is_datetime(common) && common->id != PT_TYPE_TIME;
    if (common != NULL && has_step && pt__type_is_integral(common))
        common = pt__common_type(a, common, pt__argument_type(match, 2));
    if (common == NULL || (!is_time && !pt__type_is_integral(common)))
        return wrong_sequence(a, call, err);
    if (has_step && is_time && !pt__type_is_interval(pt__argument_type(match, 2)))
        return wrong_sequence(a, call, err);
    for (size_t i = 0; i < (is_time ? 2 : call->argument_count); i++)
        pt__cast_argument(a, match, i, common);
    match->type = pt__type_array(a->arena, common, false);
    return PT_OK;
}

/* ---- maps ---- */

PT_RULE(map_entries)
{
    (void)call;
    (void)err;
    const pt_type *map = pt__argument_type(match, 0);
    pt_field *fields = pt__arena_array(a->arena, pt_field, 2);
    fields[0] = (pt_field){"key", map->key, false, NULL};
    fields[1] = (pt_field){"value", map->element, map->contains_null, NULL};
    match->type = pt__type_array(a->arena, pt__type_struct(a->arena, fields, 2), false);
    return PT_OK;
}

PT_RULE(map_from_entries)
{
    const pt_type *array = pt__argument_type(match, 0);
    if (array->id != PT_TYPE_ARRAY || array->element->id != PT_TYPE_STRUCT || array->element->field_count != 2)
        return pt__mismatch(a, call, 0, "\"ARRAY\" of pair \"STRUCT\"", err);
    const pt_field *fields = array->element->fields;
    match->type = pt__type_map(a->arena, fields[0].type, fields[1].type, fields[1].nullable);
    match->nullable = match->arguments[0]->nullable || array->contains_null;
    return PT_OK;
}

PT_RULE(map_from_arrays)
{
    (void)call;
    (void)err;
    const pt_type *values = pt__argument_type(match, 1);
    match->type = pt__type_map(a->arena, pt__argument_type(match, 0)->element, values->element, values->contains_null);
    return PT_OK;
}

PT_RULE(map_concat)
{
    (void)call;
    (void)err;
    bool nulls = false;
    for (size_t i = 0; i < match->argument_count; i++)
        nulls = nulls || pt__argument_type(match, i)->contains_null;
    match->type = match->argument_count == 0 ? pt__type_map(a->arena, PT_T(STRING), PT_T(STRING), false)
                                             : pt__type_map(a->arena, pt__argument_type(match, 0)->key,
                                                            pt__argument_type(match, 0)->element, nulls);
    return PT_OK;
}

/* ---- generators ---- */

PT_RULE(inline)
{
    const pt_type *array = pt__argument_type(match, 0);
    bool outer = strstr(match->function->name, "_outer") != NULL;
    if (array->id != PT_TYPE_ARRAY || array->element->id != PT_TYPE_STRUCT)
        return pt__mismatch(a, call, 0, "\"ARRAY<STRUCT>\"", err);
    const pt_type *element = array->element;
    pt_field *fields = pt__arena_array(a->arena, pt_field, element->field_count + 1);
    for (size_t i = 0; i < element->field_count; i++) {
        fields[i] = element->fields[i];
        fields[i].nullable = fields[i].nullable || outer || array->contains_null;
    }
    match->type = pt__type_struct(a->arena, fields, element->field_count);
    match->nullable = false;
    return PT_OK;
}

static int64_t literal_int(const pt_expr *expr)
{
    bool is_known =
        expr->kind == PT_EXPR_LITERAL && pt__type_is_integral(expr->type) && !pt__expr_as_literal(expr)->value.is_null;
    return is_known ? pt__expr_as_literal(expr)->value.as.integer : 0;
}

/* stack(n, ...): n rows; column i takes every width-th value, whose types must agree. */
PT_RULE(stack)
{
    int64_t rows = literal_int(call->arguments[0]);
    if (rows <= 0)
        return pt__mismatch(a, call, 0, "\"INT\"", err);
    size_t values = call->argument_count - 1;
    size_t width = (values + (size_t)rows - 1) / (size_t)rows;
    pt_field *fields = pt__arena_array(a->arena, pt_field, width);
    for (size_t column = 0; column < width; column++) {
        const pt_type *common = PT_T(VOID);
        for (size_t i = 1 + column; i <= values && common != NULL; i += width)
            common = pt__common_type(a, common, pt__argument_type(match, i));
        if (common == NULL)
            return pt__mismatch(a, call, 1 + column, pt__quote_type(a->arena, pt__argument_type(match, 1 + column)),
                                err);
        for (size_t i = 1 + column; i <= values; i += width)
            pt__cast_argument(a, match, i, common);
        fields[column] = (pt_field){pt__arena_printf(a->arena, "col%zu", column), common, true, NULL};
    }
    match->type = pt__type_struct(a->arena, fields, width);
    match->nullable = false;
    return PT_OK;
}

static pt_status fail_texts(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_NON_STRING_TYPE, "sqlExpr", pt__quote_expr(a->arena, &call->base),
                  "funcName", pt__quote_name(a->arena, &call->name), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

PT_RULE(json_tuple)
{
    pt_field *fields = pt__arena_array(a->arena, pt_field, call->argument_count);
    for (size_t i = 0; i < call->argument_count; i++) {
        if (!pt__type_is_string(pt__argument_type(match, i)) && pt__argument_type(match, i)->id != PT_TYPE_VOID)
            return fail_texts(a, call, err);
        pt__cast_argument(a, match, i, PT_T(STRING));
        fields[i] = (pt_field){pt__arena_printf(a->arena, "c%zu", i), PT_T(STRING), true, NULL};
    }
    match->type = pt__type_struct(a->arena, fields, call->argument_count - 1);
    match->nullable = false;
    return PT_OK;
}

/* ---- one element, all elements ---- */

PT_RULE(element_at)
{
    const pt_type *type = call->arguments[0]->type;
    if (type->id == PT_TYPE_ARRAY) {
        pt__cast_argument(a, match, 1, PT_T(INT));
        match->type = type->element;
    } else if (type->id == PT_TYPE_MAP) {
        const pt_type *key = pt__common_type(a, type->key, call->arguments[1]->type);
        if (key == NULL)
            return pt__fail_differing(a, call, err);
        pt__cast_argument(a, match, 1, type->key);
        match->type = type->element;
    } else {
        return pt__mismatch(a, call, 0, "(\"ARRAY\" or \"MAP\")", err);
    }
    match->nullable = true;
    return PT_OK;
}

/* The struct of the columns that a generator makes. */
PT_RULE(explode)
{
    const pt_type *type = call->arguments[0]->type;
    bool with_position = strncmp(match->function->name, "pos", 3) == 0;
    bool outer = strstr(match->function->name, "_outer") != NULL;
    pt_field *fields = pt__arena_array(a->arena, pt_field, 3);
    size_t count = 0;
    if (with_position)
        fields[count++] = (pt_field){"pos", PT_T(INT), outer, NULL};
    if (type->id == PT_TYPE_ARRAY) {
        fields[count++] = (pt_field){"col", type->element, outer || type->contains_null, NULL};
    } else if (type->id == PT_TYPE_MAP) {
        fields[count++] = (pt_field){"key", type->key, outer, NULL};
        fields[count++] = (pt_field){"value", type->element, outer || type->contains_null, NULL};
    } else {
        return pt__mismatch(a, call, 0, "(\"ARRAY\" or \"MAP\")", err);
    }
    match->type = pt__type_struct(a->arena, fields, count);
    match->nullable = false;
    return PT_OK;
}
