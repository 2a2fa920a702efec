/* Calls that no row of the function table takes: the error that says why. */
#include "analyze/type_rules.h"

#include "base/arena_buffer.h"

#include <ctype.h>
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

/* Calls that Spark replaces before it checks types: its errors show the replacement. */
const char *pt__quote_refused(pt__analyzer *a, const pt_expr_call *call)
{
    static const char *const REPLACED[][2] = {
        {"explode_outer", "explode"},
        {"inline_outer", "inline"},
        {"posexplode_outer", "posexplode"},
        {"try_add", "+"},
        {"try_aes_decrypt", "aes_decrypt"},
        {"try_divide", "/"},
        {"try_make_interval", "make_interval"},
        {"try_make_timestamp", "make_timestamp"},
        {"try_mod", "%"},
        {"try_multiply", "*"},
        {"try_subtract", "-"},
        {"try_to_binary", "to_binary"},
        {"try_url_decode", "url_decode"},
    };
    for (size_t i = 0; i < sizeof(REPLACED) / sizeof(REPLACED[0]); i++) {
        if (strcasecmp(REPLACED[i][0], pt__name_last(&call->name)) != 0)
            continue;
        pt_expr_call *replaced = pt__expr_make(a->arena, CALL, call, call->base.origin);
        *replaced = *call;
        replaced->name = pt__name_one(a->arena, REPLACED[i][1]);
        return pt__quote_expr(a->arena, &replaced->base);
    }
    return pt__quote_expr(a->arena, &call->base);
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

/* How a signature's type is told: by its whole text, or by the word that it begins with. */
static const char *type_text(pt__arena *arena, const char *at)
{
    static const struct {
        const char *word;
        const char *text;
    } WORDS[] = {{"array<float>", "ARRAY<FLOAT>"},
                 {"array<string>", "ARRAY<STRING>"},
                 {"dt", "INTERVAL DAY TO SECOND"},
                 {"ym", "INTERVAL YEAR TO MONTH"}};
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        size_t size = strlen(WORDS[i].word);
        if (strncmp(WORDS[i].word, at, size) == 0 && !isalnum((unsigned char)at[size]) && at[size] != '_')
            return WORDS[i].text;
    }
    char *text = pt__arena_copy_text(arena, at, strspn(at, "abcdefghijklmnopqrstuvwxyz_"));
    for (char *c = text; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    return text;
}

static const char *skip_marks(const char *at)
{
    static const char *const MARKS[] = {"const ", "exact ", "typed ", "wider "};
    for (size_t i = 0; i < sizeof(MARKS) / sizeof(MARKS[0]); i++) {
        size_t size = strlen(MARKS[i]);
        if (strncmp(at, MARKS[i], size) == 0)
            return skip_marks(at + size);
    }
    return at;
}

typedef pt__list(const char *) text_list;

static void add_once(pt__arena *arena, text_list *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (strcmp(texts->items[i], text) == 0)
            return;
    }
    pt__list_push(arena, texts, text);
}

/* "INT", or ("INT" or "BIGINT"): what the overloads of the call's number of arguments take at `index`. */
static const char *required_type(pt__analyzer *a, const pt__function *rows, size_t count, const pt_expr_call *call,
                                 size_t index)
{
    text_list texts = {0};
    for (size_t i = 0; i < count; i++) {
        if (rows[i].signature[0] == '@' || !pt__arity_fits(&rows[i], call->argument_count))
            continue;
        const char *text = type_text(a->arena, skip_marks(parameter_at(rows[i].signature, index)));
        if (*text != '\0')
            add_once(a->arena, &texts, text);
    }
    pt__buffer *out = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < texts.count; i++)
        pt__buffer_printf(out, "%s\"%s\"", i == 0 ? (texts.count > 1 ? "(" : "") : " or ", texts.items[i]);
    pt__buffer_append_string(out, texts.count > 1 ? ")" : "");
    return pt__arena_buffer_take(a->arena, out);
}

const char *pt__required_type(const pt_expr_call *call, size_t index, const char *required)
{
    static const struct {
        const char *function;
        size_t argument;
        const char *text;
    } REQUIRED[] = {
#define PT_REQUIRED(function, argument, text) {function, argument, text},
#include "analyze/required_types.def"
#undef PT_REQUIRED
    };
    for (size_t i = 0; i < sizeof(REQUIRED) / sizeof(REQUIRED[0]); i++) {
        if (REQUIRED[i].argument == index && call->name.count != 0 &&
            strcasecmp(REQUIRED[i].function, call->name.parts[call->name.count - 1]) == 0)
            return REQUIRED[i].text;
    }
    return required;
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

static pt_status fail_map(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_MAP_FUNCTION_DIFF_TYPES, "sqlExpr",
                  pt__quote_expr(a->arena, &call->base), "functionName", pt__quote_name(a->arena, &call->name),
                  "dataType", "\"MAP\"", "leftType", pt__quote_type(a->arena, call->arguments[0]->type), "rightType",
                  pt__quote_type(a->arena, call->arguments[1]->type), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static pt_status fail_map_concat(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt__buffer *types = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < call->argument_count; i++)
        pt__buffer_printf(types, "%s%s", i == 0 ? "[" : ", ", pt__quote_type(a->arena, call->arguments[i]->type));
    pt__buffer_append_string(types, "]");
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_MAP_CONCAT_DIFF_TYPES, "sqlExpr",
                  pt__quote_expr(a->arena, &call->base), "functionName", pt__quote_name(a->arena, &call->name),
                  "dataType", pt__arena_buffer_take(a->arena, types), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

/* What Spark has in the place of a call when it checks types. */
static pt_status fail_replaced(pt__analyzer *a, const pt_expr_call *call, const char *name, pt_error *err)
{
    pt_expr_call *replaced = pt__expr_make(a->arena, CALL, call, call->base.origin);
    *replaced = *call;
    replaced->name = pt__name_one(a->arena, name);
    return strcmp(name, "<=>") == 0 ? pt__fail_differing(a, replaced, err)
                                    : pt__fail_data_differ(a, replaced, 0, PT_TYPES_WITH_OR, err);
}

static bool starts(const char *signature, const char *beginning)
{
    return strncmp(signature, beginning, strlen(beginning)) == 0;
}

/* PT_NOT_FOUND when the arguments fail for another reason than that they have no common type. */
static pt_status fail_common_type(pt__analyzer *a, const pt_expr_call *call, const char *signature, pt_error *err)
{
    const char *name = pt__name_last(&call->name);
    bool first_is_map = call->arguments[0]->type != NULL && call->arguments[0]->type->id == PT_TYPE_MAP;
    if (starts(signature, "boolean, boolean"))
        return pt__fail_differing(a, call, err);
    if (starts(signature, "S, S+"))
        return pt__fail_data_differ(a, call, 0, PT_TYPES_WITH_COMMAS, err);
    if (starts(signature, "boolean, T, T") && pt__can_cast_implicitly(a, call->arguments[0]->type, PT_T(BOOLEAN)))
        return pt__fail_data_differ(a, call, 1, PT_TYPES_WITH_COMMAS, err);
    if (starts(signature, "T, T"))
        return fail_replaced(a, call, strcasecmp(name, "equal_null") == 0 ? "<=>" : "coalesce", err);
    if (starts(signature, "map<K, V>*"))
        return fail_map_concat(a, call, err);
    if (strcasecmp(name, "map_contains_key") == 0 || (first_is_map && starts(signature, "map<K, V>, K")))
        return fail_map(a, call, err);
    if (starts(signature, "array<S>, array<S>"))
        return fail_arrays(a, call, err);
    bool is_question = strcasecmp(name, "array_contains") == 0 || strcasecmp(name, "array_position") == 0 ||
                       strcasecmp(name, "array_append") == 0 || strcasecmp(name, "array_prepend") == 0;
    if (starts(signature, "array<S>, S"))
        return is_question && !is_array(call->arguments[0]) ? PT_NOT_FOUND : fail_element(a, call, err);
    if (starts(signature, "array<S>, exact int, S"))
        return pt__type_is_integral(call->arguments[1]->type) ? fail_element(a, call, err) : PT_NOT_FOUND;
    return PT_NOT_FOUND;
}

/* The first argument that no overload takes in its place; the last when it is their combination that fits none. */
static size_t misfit(pt__analyzer *a, const pt__function *rows, size_t count, const pt_expr_call *call)
{
    size_t last = 0;
    for (size_t i = 0; i < call->argument_count; i++) {
        bool fits = false;
        for (size_t k = 0; k < count && !fits; k++)
            fits = pt__arity_fits(&rows[k], call->argument_count) && pt__parameter_fits(a, &rows[k], call, i);
        if (!fits)
            return i;
        if (call->arguments[i]->kind != PT_EXPR_LAMBDA)
            last = i;
    }
    return last;
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
    pt_status status = fail_common_type(a, call, skip_marks(row->signature), err);
    if (status != PT_NOT_FOUND)
        return status;
    size_t index = misfit(a, rows, count, call);
    return pt__mismatch(a, call, index, required_type(a, rows, count, call, index), err);
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
