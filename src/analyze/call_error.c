/* Calls that no row of the function table takes: the error that says why. */
#include "analyze/type_rules.h"

#include "base/arena_buffer.h"

#include <strings.h>

pt_status pt__fail_unknown_function(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt__catalog *c = a->catalog;
    pt_name current = {(const char *const[]){c->vtable->current_catalog(c), c->vtable->current_database(c)}, 2};
    const char *path =
        pt__arena_printf(a->arena, "[`system`.`builtin`, `system`.`session`, %s]", pt__quote_name(a->arena, &current));
    pt_status status = pt__raise(err, PT_COND_UNRESOLVED_ROUTINE, "routineName", pt__quote_name(a->arena, &call->name),
                                 "searchPath", path, NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

/* "1", "[1, 2]" or "> 0": the numbers of arguments that the overloads take. */
static const char *expected_counts(pt__analyzer *a, const pt__function *rows, size_t count)
{
    size_t fewest = SIZE_MAX;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t least;
        size_t largest;
        pt__signature_arity(rows[i].signature, &least, &largest);
        if (least < fewest)
            fewest = least;
        if (largest > most)
            most = largest;
    }
    if (most == SIZE_MAX)
        return pt__arena_printf(a->arena, "> %zu", fewest == 0 ? 0 : fewest - 1);
    if (fewest == most)
        return pt__arena_printf(a->arena, "%zu", fewest);
    pt__buffer *text = pt__arena_buffer(a->arena);
    for (size_t n = fewest; n <= most; n++)
        pt__buffer_printf(text, "%s%zu", n == fewest ? "[" : ", ", n);
    pt__buffer_append_string(text, "]");
    return pt__arena_buffer_take(a->arena, text);
}

pt_status pt__wrong_count(pt__analyzer *a, const pt_expr_call *call, const char *expected, pt_error *err)
{
    pt_status status =
        pt__raise(err, PT_COND_WRONG_NUM_ARGS, "functionName", pt__quote_name(a->arena, &call->name), "expectedNum",
                  expected, "actualNum", pt__arena_printf(a->arena, "%zu", call->argument_count), "docroot",
                  "https://spark.apache.org/docs/latest", NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static const char *parameter_at(const char *signature, size_t index)
{
    const char *at = signature;
    int depth = 0;
    for (size_t i = 0; *at != '\0' && i < index; at++) {
        depth += *at == '<' || *at == '(';
        depth -= *at == ')' || (*at == '>' && at != signature && at[-1] != '-');
        i += *at == ',' && depth == 0;
    }
    return at + strspn(at, " ");
}

/* "INT" for the signature word at `index`, for messages. */
static const char *required_type(pt__analyzer *a, const char *signature, size_t index)
{
    static const struct {
        const char *word;
        const char *text;
    } WORDS[] = {{"int", "\"INT\""},           {"bigint", "\"BIGINT\""},     {"string", "\"STRING\""},
                 {"boolean", "\"BOOLEAN\""},   {"double", "\"DOUBLE\""},     {"date", "\"DATE\""},
                 {"numeric", "\"NUMERIC\""},   {"binary", "\"BINARY\""},     {"timestamp", "\"TIMESTAMP\""},
                 {"integral", "\"INTEGRAL\""}, {"array", "\"ARRAY\""},       {"map", "\"MAP\""},
                 {"struct", "\"STRUCT\""},     {"interval", "\"INTERVAL\""}, {"decimal", "\"DECIMAL\""}};
    const char *at = parameter_at(signature, index);
    if (strncmp(at, "const ", 6) == 0)
        at += 6;
    size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        if (strlen(WORDS[i].word) == size && strncmp(WORDS[i].word, at, size) == 0)
            return WORDS[i].text;
    }
    return pt__arena_printf(a->arena, "\"%.*s\"", (int)size, at);
}

/* The parameters of a lambda in a signature, whose text begins behind "fn(". */
static size_t parameters_wanted(const char *text)
{
    size_t count = *text == ')' ? 0 : 1;
    for (int depth = 0; *text != '\0' && (*text != ')' || depth != 0); text++) {
        depth += *text == '<';
        depth -= *text == '>';
        count += *text == ',' && depth == 0;
    }
    return count;
}

static pt_status check_lambda_places(pt__analyzer *a, const pt_expr_call *call, const pt__function *row, pt_error *err)
{
    for (size_t i = 0; i < call->argument_count; i++) {
        if (call->arguments[i]->kind != PT_EXPR_LAMBDA)
            continue;
        const char *parameter = parameter_at(row->signature, i);
        pt_status status = PT_OK;
        size_t given = pt__expr_as_lambda(call->arguments[i])->parameter_count;
        if (strncmp(parameter, "fn(", 3) != 0)
            status = pt__raise(err, PT_COND_INVALID_LAMBDA_MISPLACED, NULL);
        else if (given != parameters_wanted(parameter + 3))
            status = pt__raise(err, PT_COND_INVALID_LAMBDA_PARAMETERS, "expectedNumArgs",
                               pt__arena_printf(a->arena, "%zu", given), "actualNumArgs",
                               pt__arena_printf(a->arena, "%zu", parameters_wanted(parameter + 3)), NULL);
        if (status != PT_OK)
            return pt__analyzer_fail(status, call->base.origin, err);
    }
    return PT_OK;
}

/* Two arguments that share a variable of the signature but have no common type. */
static pt_status fail_element(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    const pt_expr *last = call->arguments[call->argument_count - 1];
    pt_status status = pt__raise(
        err, PT_COND_DATATYPE_MISMATCH_ARRAY_FUNCTION_DIFF_TYPES, "sqlExpr", pt__quote_expr(a->arena, &call->base),
        "functionName", pt__quote_name(a->arena, &call->name), "dataType", "\"ARRAY\"", "leftType",
        pt__quote_type(a->arena, call->arguments[0]->type), "rightType", pt__quote_type(a->arena, last->type), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static pt_status fail_arrays(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_BINARY_ARRAY_DIFF_TYPES, "sqlExpr",
                  pt__quote_expr(a->arena, &call->base), "functionName", pt__quote_name(a->arena, &call->name),
                  "arrayType", "\"ARRAY\"", "leftType", pt__quote_type(a->arena, call->arguments[0]->type), "rightType",
                  pt__quote_type(a->arena, call->arguments[1]->type), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static bool is_array(const pt_expr *expr)
{
    return expr->type != NULL && expr->type->id == PT_TYPE_ARRAY;
}

/* PT_NOT_FOUND when the arguments fail for another reason than that they have no common type. */
static pt_status fail_common_type(pt__analyzer *a, const pt_expr_call *call, const char *signature, pt_error *err)
{
    bool first_is_array = call->argument_count != 0 && is_array(call->arguments[0]);
    if (strncmp(signature, "S, S+", 5) == 0)
        return pt__fail_data_differ(a, call, 0, PT_TYPES_WITH_COMMAS, err);
    if (strncmp(signature, "T, T", 4) == 0)
        return pt__fail_data_differ(a, call, 0, PT_TYPES_WITH_OR, err);
    if (strncmp(signature, "array<S>, array<S>", 18) == 0 && first_is_array && is_array(call->arguments[1]))
        return fail_arrays(a, call, err);
    bool has_element = strncmp(signature, "array<S>, S", 11) == 0 || strncmp(signature, "array<S>, int, S", 16) == 0;
    return has_element && first_is_array ? fail_element(a, call, err) : PT_NOT_FOUND;
}

/* No overload fits: name the first argument that the last tried row does not take. */
pt_status pt__fail_overload(pt__analyzer *a, const pt_expr_call *call, const pt__function *rows, size_t count,
                            pt_error *err)
{
    const pt__function *row = NULL;
    for (size_t i = 0; i < count; i++) {
        if (pt__arity_fits(&rows[i], call->argument_count))
            row = &rows[i];
    }
    if (row == NULL || call->argument_count == 0)
        return pt__wrong_count(a, call, expected_counts(a, rows, count), err);
    PT_TRY(check_lambda_places(a, call, row, err));
    pt_status status = fail_common_type(a, call, row->signature, err);
    if (status != PT_NOT_FOUND)
        return status;
    size_t index = 0;
    for (size_t i = 0; i < call->argument_count; i++) {
        if (call->arguments[i]->kind != PT_EXPR_LAMBDA && call->arguments[i]->type != NULL)
            index = i;
        const char *required = required_type(a, row->signature, i);
        if (call->arguments[i]->type != NULL &&
            strncasecmp(required + 1, pt__type_sql(a->arena, call->arguments[i]->type), 3) != 0)
            break;
    }
    return pt__mismatch(a, call, index, required_type(a, row->signature, index), err);
}

/* Whether some overload of the function takes a lambda. */
static bool is_higher_order(const pt__function *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(rows[i].signature, "fn(") != NULL)
            return true;
    }
    return false;
}

pt_status pt__check_lambdas(const pt_expr_call *call, const pt__function *rows, size_t count, pt_error *err)
{
    if (is_higher_order(rows, count))
        return PT_OK;
    for (size_t i = 0; i < call->argument_count; i++) {
        if (call->arguments[i]->kind != PT_EXPR_LAMBDA)
            continue;
        pt_status status = pt__raise(err, PT_COND_INVALID_LAMBDA_NON_HIGHER_ORDER, "class", rows[0].name, NULL);
        return pt__analyzer_fail(status, call->base.origin, err);
    }
    return PT_OK;
}
