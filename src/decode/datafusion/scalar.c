/* Calls of scalar functions. */
#include "decode/datafusion/functions.h"

#include <math.h>
#include <string.h>

typedef struct scalar_call {
    const pt__df_function *function;
    pt__df_value *arguments;
    size_t count;
} scalar_call;

typedef pt_status handler(pt__df *d, const scalar_call *call, pt__df_value *out);

/* ---- what all functions share ---- */

static pt_status cast_argument(pt__df *d, const pt__df_function *function, char letter, pt__df_value *argument)
{
    const pt__df_type *type = argument->type;
    switch (letter) {
    case 'd':
        return type->kind == PT_DF_FLOAT32 ? PT_OK : pt__df_cast_to(d, *argument, PT_DF(FLOAT64), false, argument);
    case 's': return pt__df_cast_to(d, *argument, PT_DF(STRING), false, argument);
    case 'b': return pt__df_cast_to(d, *argument, PT_DF(BINARY), false, argument);
    case 'i': return pt__df_cast_to(d, *argument, PT_DF(INT32), false, argument);
    case 'l': return pt__df_cast_to(d, *argument, PT_DF(INT64), false, argument);
    case 'n':
        if (type->kind == PT_DF_NULL)
            return pt__df_cast_to(d, *argument, PT_DF(FLOAT64), false, argument);
        if (!pt__df_is_numeric(type))
            return pt__df_refuse(d, "the function %s of %s", function->name, pt__df_type_text(d->arena, type));
        return PT_OK;
    default: return PT_OK;
    }
}

pt_status pt__df_check_arguments(pt__df *d, const pt__df_function *function, pt__df_value *arguments, size_t count)
{
    if (count < function->fewest || count > function->most)
        return pt__df_refuse(d, "the function %s with %zu arguments", function->name, count);
    const char *letter = function->types;
    for (size_t i = 0; i < count; i++) {
        PT_TRY(cast_argument(d, function, *letter, &arguments[i]));
        if (letter[1] != '\0')
            letter++;
    }
    return *function->types == 'c' && count != 0 ? pt__df_unify(d, arguments, count, function->name) : PT_OK;
}

const pt__df_type *pt__df_result_type(pt__df *d, const pt__df_function *function, const pt__df_type *first)
{
    switch (function->result) {
    case PT_DF_RESULT_FIRST: return first;
    case PT_DF_RESULT_FLOAT: return first->kind == PT_DF_FLOAT32 ? first : PT_DF(FLOAT64);
    case PT_DF_RESULT_BOOLEAN: return PT_DF(BOOLEAN);
    case PT_DF_RESULT_INT32: return PT_DF(INT32);
    case PT_DF_RESULT_INT64: return PT_DF(INT64);
    case PT_DF_RESULT_UINT64: return PT_DF(UINT64);
    case PT_DF_RESULT_FLOAT64: return PT_DF(FLOAT64);
    case PT_DF_RESULT_STRING: return PT_DF(STRING);
    case PT_DF_RESULT_BINARY: return PT_DF(BINARY);
    case PT_DF_RESULT_DATE: return PT_DF(DATE);
    case PT_DF_RESULT_NOW: return pt__df_timestamp(d->arena, DATAFUSION_COMMON__TIME_UNIT__Nanosecond, "+00:00");
    }
    return first;
}

pt__df_value pt__df_give_result(pt__df *d, const pt__df_function *function, const pt__df_type *first,
                                const pt_expr *call)
{
    const pt__df_type *type = pt__df_result_type(d, function, first);
    bool may_differ = function->result != PT_DF_RESULT_FIRST && pt__df_is_numeric(type);
    return (pt__df_value){may_differ ? pt__df_cast_expr(d, call, pt__df_plan_type(d->arena, type)) : call, type};
}

static pt_status refuse_call(pt__df *d, const scalar_call *call, const char *what)
{
    return pt__df_refuse(d, "the function %s with %s", call->function->name, what);
}

static const pt_expr *call1(pt__df *d, const char *name, const pt_expr *x)
{
    return pt__expr_call(d->arena, NULL, name, 1, x);
}

static const pt_expr *call2(pt__df *d, const char *name, const pt_expr *x, const pt_expr *y)
{
    return pt__expr_call(d->arena, NULL, name, 2, x, y);
}

static pt_status give(const pt_expr *expr, const pt__df_type *type, pt__df_value *out)
{
    *out = (pt__df_value){expr, type};
    return PT_OK;
}

/* ---- handlers ---- */

static pt_status call_plain(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const pt_expr **arguments = pt__arena_array(d->arena, const pt_expr *, call->count);
    for (size_t i = 0; i < call->count; i++)
        arguments[i] = call->arguments[i].expr;
    const pt_expr *made = pt__expr_call_list(d->arena, NULL, call->function->plan, arguments, call->count);
    *out = pt__df_give_result(d, call->function, call->count == 0 ? NULL : call->arguments[0].type, made);
    return PT_OK;
}

/* Spark's ceil and floor of floats give bigint; what that does not hold is an error. */
static pt_status call_whole(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const pt__df_type *type = call->arguments[0].type;
    if (pt__df_is_integer(type))
        return give(call->arguments[0].expr, type, out);
    const pt_expr *made = call1(d, call->function->plan, call->arguments[0].expr);
    if (type->kind == PT_DF_DECIMAL) {
        type = pt__df_decimal(d->arena, type->precision, type->scale, type->precision);
        made = pt__df_cast_expr(d, made, pt__df_plan_type(d->arena, type));
        return give(made, type, out);
    }
    return give(pt__df_cast_expr(d, made, pt__df_plan_type(d->arena, type)), type, out);
}

/* NULLs count as nothing; those of || do not. */
static pt_status call_concat(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    for (size_t i = 0; i < call->count; i++)
        if (pt__df_literal_text(call->arguments[i].expr) == NULL)
            call->arguments[i].expr = call2(d, "coalesce", call->arguments[i].expr, pt__expr_string(d->arena, ""));
    return call_plain(d, call, out);
}

static pt_status call_extreme(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    if (call->arguments[0].type->kind >= PT_DF_INTERVAL_YEAR_MONTH)
        return refuse_call(d, call, pt__df_type_text(d->arena, call->arguments[0].type));
    if (call->count == 1) /* Spark's want two */
        return give(call->arguments[0].expr, call->arguments[0].type, out);
    return call_plain(d, call, out);
}

static pt_status call_is_nan(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const pt_expr *number = pt__df_cast_expr(d, call->arguments[0].expr, PT_T(DOUBLE));
    return give(call2(d, "=", number, pt__expr_double(d->arena, (double)NAN)), PT_DF(BOOLEAN), out);
}

static pt_status call_is_zero(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    pt__df_value zero = {pt__expr_int(d->arena, 0), PT_DF(INT32)};
    return pt__df_operate(d, "Eq", call->arguments[0], zero, out);
}

/* Spark's logarithms of zero and less are NULL. */
static pt_status call_logarithm(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const pt_expr *x = call->arguments[0].expr;
    const pt__df_type *type = pt__df_result_type(d, call->function, call->arguments[0].type);
    PT_TRY(pt__df_repeatable(d, x, call->function->name));
    const pt_expr *zero = pt__expr_double(d->arena, 0);
    const pt_expr *value = call1(d, call->function->plan, x);
    if (strcmp(call->function->name, "log") == 0) /* Rust: x.ln() / base.ln() */
        value = call2(d, "/", value, pt__expr_double(d->arena, log(10)));
    const pt_expr *otherwise = pt__df_if(d, call2(d, "<", x, zero), pt__expr_double(d->arena, (double)NAN), value);
    const pt_expr *whole =
        pt__df_if(d, call2(d, "=", x, zero), pt__expr_double(d->arena, -(double)INFINITY), otherwise);
    return give(pt__df_cast_expr(d, whole, pt__df_plan_type(d->arena, type)), type, out);
}

/* left, right, lpad, rpad: negative counts mean something else. */
static pt_status call_counted(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    int64_t count;
    if (!pt__df_literal_integer(call->arguments[1].expr, &count) || count < 0)
        return refuse_call(d, call, "a count that is no literal of 0 or more");
    return call_plain(d, call, out);
}

/* Spark's second form has the characters first. */
static pt_status call_trim_side(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    if (call->count == 1)
        return call_plain(d, call, out);
    return give(call2(d, call->function->plan, call->arguments[1].expr, call->arguments[0].expr), PT_DF(STRING), out);
}

static pt_status call_make_array(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const pt__df_type *element = call->count == 0 ? PT_DF(NULL) : call->arguments[0].type;
    scalar_call plain = *call;
    PT_TRY(call_plain(d, &plain, out));
    out->type = pt__df_list(d->arena, element);
    out->expr = pt__df_cast_expr(d, out->expr, pt__df_plan_type(d->arena, out->type));
    return PT_OK;
}

static pt_status call_digest(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const pt__df_value *input = &call->arguments[0];
    if (input->type->kind != PT_DF_STRING && input->type->kind != PT_DF_BINARY)
        return refuse_call(d, call, pt__df_type_text(d->arena, input->type));
    if (strcmp(call->function->plan, "md5") == 0)
        return call_plain(d, call, out);
    int32_t bits =
        (call->function->plan[0] - '0') * 100 + (call->function->plan[1] - '0') * 10 + (call->function->plan[2] - '0');
    const pt_expr *text = call2(d, "sha2", input->expr, pt__expr_int(d->arena, bits));
    return give(call1(d, "unhex", text), PT_DF(BINARY), out);
}

/* ---- structs ---- */

static pt_status give_struct(pt__df *d, const pt_expr **pairs, const pt__df_field *fields, size_t count,
                             pt__df_value *out)
{
    pt__df_type *type = pt__arena_make(d->arena, pt__df_type);
    *type = (pt__df_type){.kind = PT_DF_STRUCT, .fields = fields, .field_count = count};
    const pt_expr *made = pt__expr_call_list(d->arena, NULL, "named_struct", pairs, 2 * count);
    return give(made, type, out);
}

static const pt_expr *full_value(pt__df *d, pt__df_value value)
{
    bool is_short = value.type->kind == PT_DF_DECIMAL && value.type->held < value.type->precision;
    return is_short ? pt__df_cast_expr(d, value.expr, pt__df_plan_type(d->arena, value.type)) : value.expr;
}

static pt_status call_named_struct(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    size_t count = call->count / 2;
    const pt_expr **pairs = pt__arena_array(d->arena, const pt_expr *, 2 * count);
    pt__df_field *fields = pt__arena_array(d->arena, pt__df_field, count);
    if (call->count % 2 != 0)
        return refuse_call(d, call, "a name without a value");
    for (size_t i = 0; i < count; i++) {
        fields[i].name = pt__df_literal_text(call->arguments[2 * i].expr);
        if (fields[i].name == NULL)
            return refuse_call(d, call, "a name that is no literal");
        fields[i].type = call->arguments[2 * i + 1].type;
        fields[i].nullable = true;
        pairs[2 * i] = call->arguments[2 * i].expr;
        pairs[2 * i + 1] = full_value(d, call->arguments[2 * i + 1]);
    }
    return give_struct(d, pairs, fields, count, out);
}

static pt_status call_plain_struct(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const pt_expr **pairs = pt__arena_array(d->arena, const pt_expr *, 2 * call->count);
    pt__df_field *fields = pt__arena_array(d->arena, pt__df_field, call->count);
    for (size_t i = 0; i < call->count; i++) {
        fields[i] = (pt__df_field){pt__arena_printf(d->arena, "c%zu", i), call->arguments[i].type, true};
        pairs[2 * i] = pt__expr_string(d->arena, fields[i].name);
        pairs[2 * i + 1] = full_value(d, call->arguments[i]);
    }
    return give_struct(d, pairs, fields, call->count, out);
}

static const pt_expr *extract(pt__df *d, const pt_expr *child, const pt_expr *key)
{
    pt_expr_extract *made = pt__expr_make(d->arena, EXTRACT, extract, NULL);
    made->child = child;
    made->key = key;
    return &made->base;
}

static pt_status field_of(pt__df *d, const scalar_call *call, pt__df_value from, const pt__df_value *key,
                          pt__df_value *out)
{
    const char *name = pt__df_literal_text(key->expr);
    if (from.type->kind == PT_DF_MAP) {
        pt__df_value cast;
        PT_TRY(pt__df_cast_to(d, *key, from.type->fields[0].type, false, &cast));
        return give(extract(d, from.expr, cast.expr), from.type->fields[1].type, out);
    }
    for (size_t i = 0; from.type->kind == PT_DF_STRUCT && name != NULL && i < from.type->field_count; i++)
        if (strcmp(from.type->fields[i].name, name) == 0)
            return give(extract(d, from.expr, key->expr), from.type->fields[i].type, out);
    return refuse_call(d, call,
                       name == NULL ? pt__df_type_text(d->arena, from.type)
                                    : pt__arena_printf(d->arena, "the name %s, which no field has", name));
}

static pt_status call_get_field(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    *out = call->arguments[0];
    for (size_t i = 1; i < call->count; i++)
        PT_TRY(field_of(d, call, *out, &call->arguments[i], out));
    return PT_OK;
}

/* ---- numbers ---- */

static pt_status call_nvl2(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const pt_expr *is_there = call1(d, "isnotnull", call->arguments[0].expr);
    return give(pt__df_if(d, is_there, call->arguments[1].expr, call->arguments[2].expr), call->arguments[1].type, out);
}

static pt_status call_power(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    if (!pt__df_is_float(call->arguments[0].type))
        return refuse_call(d, call, pt__df_type_text(d->arena, call->arguments[0].type));
    return call_plain(d, call, out);
}

/* Rust: (x * 10^n).round() / 10^n. */
static pt_status round_float(pt__df *d, const pt__df_value *x, int64_t digits, pt__df_value *out)
{
    double factor = 1;
    for (int64_t i = 0; i < digits; i++)
        factor *= 10;
    const pt_type *type = pt__df_plan_type(d->arena, x->type);
    const pt_expr *scaled = digits == 0 ? x->expr : call2(d, "*", x->expr, pt__expr_double(d->arena, factor));
    scaled = call2(d, "round", scaled, pt__expr_int(d->arena, 0));
    if (digits != 0)
        scaled = call2(d, "/", scaled, pt__expr_double(d->arena, factor));
    return give(pt__df_cast_expr(d, scaled, type), x->type, out);
}

static pt_status call_round(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    pt__df_value *x = &call->arguments[0];
    int64_t digits = 0;
    if (pt__df_is_integer(x->type))
        PT_TRY(pt__df_cast_to(d, *x, PT_DF(FLOAT64), false, x));
    if (call->count == 2 && !pt__df_literal_integer(call->arguments[1].expr, &digits))
        return refuse_call(d, call, "digits that are no literal");
    if (digits < 0 || digits > 15)
        return refuse_call(d, call, "digits below 0 or above 15");
    if (x->type->kind == PT_DF_FLOAT64 || (x->type->kind == PT_DF_FLOAT32 && digits == 0))
        return round_float(d, x, digits, out);
    return refuse_call(d, call, pt__df_type_text(d->arena, x->type));
}

static pt_status call_trunc(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const pt_expr *x = call->arguments[0].expr;
    const pt__df_type *type = pt__df_result_type(d, call->function, call->arguments[0].type);
    PT_TRY(pt__df_repeatable(d, x, call->function->name));
    const pt_expr *is_negative = call2(d, "<", x, pt__expr_double(d->arena, 0));
    const pt_expr *whole = pt__df_if(d, is_negative, call1(d, "ceil", x), call1(d, "floor", x));
    return give(pt__df_cast_expr(d, whole, pt__df_plan_type(d->arena, type)), type, out);
}

/* ---- text ---- */

static pt_status call_replace(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const char *from = pt__df_literal_text(call->arguments[1].expr);
    if (from == NULL || *from == '\0')
        return refuse_call(d, call, "a searched text that is no literal, or empty");
    return call_plain(d, call, out);
}

static pt_status call_split_part(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const char *delimiter = pt__df_literal_text(call->arguments[1].expr);
    if (delimiter == NULL || *delimiter == '\0')
        return refuse_call(d, call, "a delimiter that is no literal, or empty");
    return call_plain(d, call, out);
}

/* Positions before the first character count; Spark takes them from the end. */
static pt_status call_substr(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    int64_t start;
    int64_t length = INT32_MAX;
    if (!pt__df_literal_integer(call->arguments[1].expr, &start))
        return refuse_call(d, call, "a start that is no literal");
    if (call->count == 3 && (!pt__df_literal_integer(call->arguments[2].expr, &length) || length < 0))
        return refuse_call(d, call, "a length that is no literal of 0 or more");
    if (start > INT32_MAX || start < INT32_MIN || length > INT32_MAX)
        return refuse_call(d, call, "a position out of range");
    if (start < 1 && call->count == 3)
        length = length + start - 1 < 0 ? 0 : length + start - 1;
    if (start < 1)
        start = 1;
    const pt_expr *from = pt__expr_int(d->arena, (int32_t)start);
    const pt_expr *made = call->count == 2 ? call2(d, "substring", call->arguments[0].expr, from)
                                           : pt__expr_call(d->arena, NULL, "substring", 3, call->arguments[0].expr,
                                                           from, pt__expr_int(d->arena, (int32_t)length));
    return give(made, PT_DF(STRING), out);
}

static pt_status call_to_hex(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    return give(call1(d, "lower", call1(d, "hex", call->arguments[0].expr)), PT_DF(STRING), out);
}

static pt_status call_regexp_like(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    const char *flags = call->count < 3 ? "" : pt__df_literal_text(call->arguments[2].expr);
    if (flags == NULL || (*flags != '\0' && strcmp(flags, "i") != 0))
        return refuse_call(d, call, "flags other than i");
    return pt__df_regex(d, call->arguments[0], call->arguments[1], *flags == 'i', false, out);
}

static pt_status call_date_part(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    return pt__df_date_part(d, call->arguments[0], call->arguments[1], out);
}

static pt_status call_date_trunc(pt__df *d, const scalar_call *call, pt__df_value *out)
{
    return pt__df_date_trunc(d, call->arguments[0], call->arguments[1], out);
}

/* ---- the table ---- */

static const struct scalar_row {
    pt__df_function function;
    handler *handle;
} rows[] = {
#define PT_DF_SCALAR(name, fewest, most, types, plan, result, handle)                                                  \
    {{name, fewest, most, types, plan, PT_DF_RESULT_##result}, call_##handle},
#define PT_DF_AGGREGATE(name, fewest, most, types, plan, result, handle)
#define PT_DF_WINDOW(name, fewest, most, types, plan, result, handle)
#include "decode/datafusion/functions.def"
#undef PT_DF_SCALAR
#undef PT_DF_AGGREGATE
#undef PT_DF_WINDOW
};

pt_status pt__df_scalar(pt__df *d, const pt__df_relation *in, const Datafusion__ScalarUDFExprNode *node,
                        pt__df_value *out)
{
    scalar_call call = {.count = node->n_args};
    if (node->fun_definition_given_case != 0 && node->fun_definition.len != 0)
        return pt__df_refuse(d, "the function %s by a definition of its own", node->fun_name);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].function.name, node->fun_name) != 0)
            continue;
        call.function = &rows[i].function;
        PT_TRY(pt__df_exprs(d, in, node->args, node->n_args, &call.arguments));
        PT_TRY(pt__df_check_arguments(d, call.function, call.arguments, call.count));
        return rows[i].handle(d, &call, out);
    }
    return pt__df_refuse(d, "the function %s of DataFusion", node->fun_name);
}
