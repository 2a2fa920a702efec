/* Types of calls on JSON and CSV text. */
#include "analyze/json_schema.h"
#include "analyze/type_rules.h"

#include <strings.h>

static pt_status take_text(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    if (!pt__can_cast_implicitly(a, match->arguments[0]->type, PT_T(STRING)))
        return pt__mismatch(a, call, 0, "\"STRING\"", err);
    pt__cast_argument(a, match, 0, PT_T(STRING));
    return PT_OK;
}

static pt_status take_options(pt__analyzer *a, const pt_expr_call *call, size_t index, pt__options *out, pt_error *err)
{
    const pt_expr *expr = index < call->argument_count ? call->arguments[index] : NULL;
    if (pt__constant_options(a->arena, expr, out))
        return PT_OK;
    pt_status status = pt__raise(err, PT_COND_INVALID_OPTIONS_NON_MAP_FUNCTION, NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static pt_status check_mode(pt__analyzer *a, const pt_expr_call *call, pt__options options, pt_error *err)
{
    const char *mode = pt__json_get_string(options, "mode", "PERMISSIVE");
    if (strcasecmp(mode, "DROPMALFORMED") != 0)
        return PT_OK;
    pt_status status = pt__raise(err, PT_COND_PARSE_MODE_UNSUPPORTED, "funcName", pt__quote_name(a->arena, &call->name),
                                 "mode", "DROPMALFORMED", NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

/* Whether all maps within have string keys; *out is the first that has not. */
static const pt_type *find_bad_map(const pt_type *type)
{
    const pt_type *found = NULL;
    if (type->id == PT_TYPE_MAP && !pt__type_is_string(type->key))
        return type;
    if (type->id == PT_TYPE_MAP || type->id == PT_TYPE_ARRAY)
        return find_bad_map(type->element);
    for (size_t i = 0; type->id == PT_TYPE_STRUCT && i < type->field_count && found == NULL; i++)
        found = find_bad_map(type->fields[i].type);
    return found;
}

static pt_status invalid_schema(pt__analyzer *a, const pt_expr_call *call, const pt_type *type, pt_error *err)
{
    pt_status status = pt__raise(err, PT_COND_DATATYPE_MISMATCH_INVALID_JSON_SCHEMA, "sqlExpr",
                                 pt__quote_expr(a->arena, &call->base), "schema", pt__quote_type(a->arena, type), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static bool is_json_root(const pt_type *type)
{
    return type->id == PT_TYPE_STRUCT || type->id == PT_TYPE_ARRAY || type->id == PT_TYPE_MAP;
}

/* from_json(text, schema[, options]); from_csv takes structs alone. */
PT_RULE(from_text)
{
    const pt_type *type;
    pt__options options;
    PT_TRY(take_text(a, call, match, err));
    pt_status status = pt__schema_argument(a->arena, call->arguments[1], &type, err);
    if (status != PT_OK)
        return pt__analyzer_fail(status, call->base.origin, err);
    PT_TRY(take_options(a, call, 2, &options, err));
    PT_TRY(check_mode(a, call, options, err));
    if (!is_json_root(type) || (pt__is_called(match, "from_csv") && type->id != PT_TYPE_STRUCT))
        return invalid_schema(a, call, type, err);
    const pt_type *bad = find_bad_map(type);
    if (bad != NULL) {
        status = pt__raise(err, PT_COND_DATATYPE_MISMATCH_INVALID_JSON_MAP_KEY_TYPE, "sqlExpr",
                           pt__quote_expr(a->arena, &call->base), "schema", pt__quote_type(a->arena, bad), NULL);
        return pt__analyzer_fail(status, call->base.origin, err);
    }
    match->type = pt__type_as_nullable(a->arena, type);
    match->nullable = !pt__is_called(match, "from_csv") || match->arguments[0]->nullable;
    return PT_OK;
}

/* to_json(value[, options]), to_csv(struct[, options]) */
PT_RULE(to_text)
{
    pt__options options;
    const pt_type *type = match->arguments[0]->type;
    bool is_csv = pt__is_called(match, "to_csv");
    if (is_csv ? type->id != PT_TYPE_STRUCT : !is_json_root(type) && type->id != PT_TYPE_VARIANT)
        return is_csv ? pt__mismatch(a, call, 0, "\"STRUCT\"", err) : invalid_schema(a, call, type, err);
    PT_TRY(take_options(a, call, 1, &options, err));
    match->type = PT_T(STRING);
    match->nullable = true;
    return PT_OK;
}

/* schema_of_json(text[, options]), schema_of_csv: of constants. */
PT_RULE(schema_of)
{
    pt_text_view text;
    pt__options options;
    const pt_type *type;
    if (!pt__constant_text(call->arguments[0], &text)) {
        pt_status status = pt__raise(err, PT_COND_DATATYPE_MISMATCH_NON_FOLDABLE_INPUT, "sqlExpr",
                                     pt__quote_expr(a->arena, &call->base), "inputName",
                                     pt__is_called(match, "schema_of_csv") ? "`csv`" : "`json`", "inputType",
                                     "\"STRING\"", "inputExpr", pt__quote_expr(a->arena, call->arguments[0]), NULL);
        return pt__analyzer_fail(status, call->base.origin, err);
    }
    PT_TRY(take_options(a, call, 1, &options, err));
    if (pt__is_called(match, "schema_of_json")) {
        pt_status status = pt__infer_json(a->arena, text, options, &type, err);
        if (status != PT_OK)
            return pt__analyzer_fail(status, call->base.origin, err);
    }
    match->type = PT_T(STRING);
    match->nullable = false;
    return PT_OK;
}

/* variant_get(variant, path[, type]) */
PT_RULE(variant_get)
{
    if (match->arguments[0]->type->id != PT_TYPE_VARIANT)
        return pt__mismatch(a, call, 0, "\"VARIANT\"", err);
    if (!pt__can_cast_implicitly(a, match->arguments[1]->type, PT_T(STRING)))
        return pt__mismatch(a, call, 1, "\"STRING\"", err);
    pt__cast_argument(a, match, 1, PT_T(STRING));
    match->type = PT_T(VARIANT);
    if (call->argument_count > 2) {
        pt_status status = pt__schema_argument(a->arena, call->arguments[2], &match->type, err);
        if (status != PT_OK)
            return pt__analyzer_fail(status, call->base.origin, err);
        match->type = pt__type_as_nullable(a->arena, match->type);
    }
    match->nullable = true;
    return PT_OK;
}

PT_RULE(variant_explode)
{
    if (match->arguments[0]->type->id != PT_TYPE_VARIANT)
        return pt__mismatch(a, call, 0, "\"VARIANT\"", err);
    bool outer = pt__is_called(match, "variant_explode_outer");
    pt_field *fields = pt__arena_array(a->arena, pt_field, 3);
    fields[0] = (pt_field){"pos", PT_T(INT), outer, NULL};
    fields[1] = (pt_field){"key", PT_T(STRING), true, NULL};
    fields[2] = (pt_field){"value", PT_T(VARIANT), outer, NULL};
    match->type = pt__type_struct(a->arena, fields, 3);
    match->nullable = false;
    return PT_OK;
}

PT_RULE(to_variant)
{
    const pt_type *type = match->arguments[0]->type;
    if (type == NULL)
        return PT_NOT_FOUND;
    if (type->id != PT_TYPE_STRUCT && type->id != PT_TYPE_ARRAY && type->id != PT_TYPE_MAP)
        return pt__mismatch(a, call, 0, "\"STRUCT\", \"ARRAY\" or \"MAP\"", err);
    match->type = PT_T(VARIANT);
    return PT_OK;
}
