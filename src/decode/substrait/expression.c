/* Expressions: one function per kind; functions go to function.c, references to reference.c. */
#include "decode/substrait/internal.h"

#include <string.h>

#define KIND(name) SUBSTRAIT__EXPRESSION__REX_TYPE_##name

/* ---- choices ---- */

static pt_status decode_otherwise(decoder *d, const scope *s, const Substrait__Expression *message, pt_expr_case *node,
                                  const pt_type **type)
{
    value_of value;
    if (message == NULL)
        return PT_OK;
    PT_TRY(pt__substrait_expression(d, s, message, &value));
    node->otherwise = value.expr;
    if (*type == NULL || (*type)->id == PT_TYPE_VOID)
        *type = value.type;
    return PT_OK;
}

/* DataFusion writes the operand of CASE x WHEN … as a first clause without a value. */
static pt_status case_operand(decoder *d, const scope *s, const Substrait__Expression__IfThen *m, const pt_expr **out)
{
    value_of operand;
    *out = NULL;
    if (m->n_ifs < 2 || m->ifs[0]->then != NULL)
        return PT_OK;
    PT_TRY(pt__substrait_expression(d, s, m->ifs[0]->if_, &operand));
    *out = operand.expr;
    return PT_OK;
}

static pt_status case_condition(decoder *d, const scope *s, const Substrait__Expression *m, const pt_expr *operand,
                                const pt_expr **out)
{
    value_of wanted;
    if (operand == NULL)
        return pt__substrait_condition(d, s, m, out);
    PT_TRY(pt__substrait_expression(d, s, m, &wanted));
    *out = pt__substrait_call(d, "=", 2, operand, wanted.expr, NULL);
    return PT_OK;
}

static pt_status decode_if_then(decoder *d, const scope *s, const Substrait__Expression__IfThen *m, value_of *out)
{
    if (m->n_ifs == 0)
        return pt__substrait_bad(d, "an if_then has no condition");
    pt_expr_case *node = pt__expr_make(d->arena, CASE, case, NULL);
    pt_case_branch *branches = pt__arena_array(d->arena, pt_case_branch, m->n_ifs);
    const pt_expr *operand;
    PT_TRY(case_operand(d, s, m, &operand));
    size_t first = operand != NULL;
    for (size_t i = first; i < m->n_ifs; i++) {
        value_of value;
        PT_TRY(case_condition(d, s, m->ifs[i]->if_, operand, &branches[i - first].condition));
        PT_TRY(pt__substrait_expression(d, s, m->ifs[i]->then, &value));
        branches[i - first].value = value.expr;
        if (out->type == NULL)
            out->type = value.type;
    }
    node->branches = branches;
    node->branch_count = m->n_ifs - first;
    out->expr = &node->base;
    return decode_otherwise(d, s, m->else_, node, &out->type);
}

static pt_status decode_switch(decoder *d, const scope *s, const Substrait__Expression__SwitchExpression *m,
                               value_of *out)
{
    value_of match;
    PT_TRY(pt__substrait_expression(d, s, m->match, &match));
    if (m->n_ifs == 0)
        return pt__substrait_bad(d, "a switch has no case");
    pt_expr_case *node = pt__expr_make(d->arena, CASE, case, NULL);
    pt_case_branch *branches = pt__arena_array(d->arena, pt_case_branch, m->n_ifs);
    for (size_t i = 0; i < m->n_ifs; i++) {
        value_of wanted;
        value_of value;
        PT_TRY(pt__substrait_literal(d, m->ifs[i]->if_, &wanted));
        PT_TRY(pt__substrait_expression(d, s, m->ifs[i]->then, &value));
        branches[i].condition = pt__substrait_call(d, "=", 2, match.expr, wanted.expr, NULL);
        branches[i].value = value.expr;
        if (out->type == NULL)
            out->type = value.type;
    }
    node->branches = branches;
    node->branch_count = m->n_ifs;
    out->expr = &node->base;
    return decode_otherwise(d, s, m->else_, node, &out->type);
}

static pt_status decode_in_list(decoder *d, const scope *s, const Substrait__Expression__SingularOrList *m,
                                value_of *out)
{
    value_of value;
    PT_TRY(pt__substrait_expression(d, s, m->value, &value));
    pt_expr_in *in = pt__expr_make(d->arena, IN, in, NULL);
    const pt_expr **options = pt__arena_array(d->arena, const pt_expr *, m->n_options + 1);
    for (size_t i = 0; i < m->n_options; i++) {
        value_of option;
        PT_TRY(pt__substrait_expression(d, s, m->options[i], &option));
        options[i] = option.expr;
    }
    in->child = value.expr;
    in->values = options;
    in->value_count = m->n_options;
    out->expr = m->n_options == 0 ? pt__expr_boolean(d->arena, false) : &in->base;
    return PT_OK;
}

static pt_status decode_in_records(decoder *d, const scope *s, const Substrait__Expression__MultiOrList *m,
                                   value_of *out)
{
    const pt_expr **records = pt__arena_array(d->arena, const pt_expr *, m->n_options + 1);
    const pt_expr **fields = pt__arena_array(d->arena, const pt_expr *, m->n_value + 1);
    for (size_t i = 0; i < m->n_options; i++) {
        if (m->options[i]->n_fields != m->n_value || m->n_value == 0)
            return pt__substrait_bad(d, "a record of a multi_or_list has %zu fields for %zu values",
                                     m->options[i]->n_fields, m->n_value);
        for (size_t k = 0; k < m->n_value; k++) {
            value_of value;
            value_of option;
            PT_TRY(pt__substrait_expression(d, s, m->value[k], &value));
            PT_TRY(pt__substrait_expression(d, s, m->options[i]->fields[k], &option));
            fields[k] = pt__substrait_call(d, "=", 2, value.expr, option.expr, NULL);
        }
        records[i] = pt__substrait_fold(d, "and", fields, m->n_value);
    }
    out->expr = pt__substrait_fold(d, "or", records, m->n_options);
    if (out->expr == NULL)
        out->expr = pt__expr_boolean(d->arena, false);
    return PT_OK;
}

/* ---- casts ---- */

static pt_status cast_mode(decoder *d, Substrait__Expression__Cast__FailureBehavior behavior, pt_cast_mode *out)
{
    switch ((int)behavior) {
    case SUBSTRAIT__EXPRESSION__CAST__FAILURE_BEHAVIOR__FAILURE_BEHAVIOR_UNSPECIFIED:
    case SUBSTRAIT__EXPRESSION__CAST__FAILURE_BEHAVIOR__FAILURE_BEHAVIOR_THROW_EXCEPTION:
        *out = PT_CAST_ANSI;
        return PT_OK;
    case SUBSTRAIT__EXPRESSION__CAST__FAILURE_BEHAVIOR__FAILURE_BEHAVIOR_RETURN_NULL: *out = PT_CAST_TRY; return PT_OK;
    default: return pt__substrait_unsupported(d, "the Substrait cast failure behavior %d", (int)behavior);
    }
}

static bool fits_text(const pt_type *from, const pt_type *to)
{
    bool has_length = from != NULL && (from->id == PT_TYPE_CHAR || from->id == PT_TYPE_VARCHAR);
    return has_length && from->precision <= to->precision;
}

/* Text longer than the target is cut; padding is not kept. */
static const pt_expr *cut_text(decoder *d, const pt_expr *expr, const pt_type *from, const pt_type *to)
{
    if (!fits_text(from, to))
        expr = pt__substrait_call(d, "substring", 3, expr, pt__expr_int(d->arena, 1),
                                  pt__expr_int(d->arena, to->precision));
    bool may_be_padded = to->id == PT_TYPE_CHAR && (from == NULL || from->id != PT_TYPE_CHAR);
    return may_be_padded ? pt__substrait_call(d, "rtrim", 1, expr, NULL, NULL) : expr;
}

static bool is_timestamp(const pt_type *type)
{
    return type->id == PT_TYPE_TIMESTAMP || type->id == PT_TYPE_TIMESTAMP_NTZ;
}

/* Whether the cast drops digits of seconds that the plan's timestamps would keep. */
static bool loses_precision(const pt_type *from, const pt_type *to)
{
    enum { KEPT = 6 };
    if (!is_timestamp(to) || to->precision >= KEPT)
        return false;
    bool is_coarse =
        from != NULL && (from->id == PT_TYPE_DATE || (is_timestamp(from) && from->precision <= to->precision));
    return !is_coarse;
}

/* A cast to a number without sign checks it; the type that stands for it would not. */
static pt_status check_cast_type(decoder *d, const Substrait__Type *m)
{
    uint32_t variation = 0;
    if (m == NULL)
        return pt__substrait_bad(d, "a cast has no type");
    switch ((int)m->kind_case) {
    case SUBSTRAIT__TYPE__KIND_I8: variation = m->i8->type_variation_reference; break;
    case SUBSTRAIT__TYPE__KIND_I16: variation = m->i16->type_variation_reference; break;
    case SUBSTRAIT__TYPE__KIND_I32: variation = m->i32->type_variation_reference; break;
    case SUBSTRAIT__TYPE__KIND_I64: variation = m->i64->type_variation_reference; break;
    default: break;
    }
    return variation == 0 ? PT_OK
                          : pt__substrait_unsupported(d, "casts to the variation %u of a Substrait integer", variation);
}

static pt_status decode_cast(decoder *d, const scope *s, const Substrait__Expression__Cast *m, value_of *out)
{
    value_of input;
    pt_cast_mode mode = PT_CAST_ANSI;
    PT_TRY(pt__substrait_expression(d, s, m->input, &input));
    PT_TRY(check_cast_type(d, m->type));
    PT_TRY(pt__substrait_type(d, m->type, &out->type));
    PT_TRY(cast_mode(d, m->failure_behavior, &mode));
    if (loses_precision(input.type, out->type))
        return pt__substrait_unsupported(d, "casts to Substrait timestamps of precision %d", out->type->precision);
    const pt_type *plain = pt__substrait_plain(d, out->type);
    bool is_same = input.type != NULL && pt__type_same_kind(pt__substrait_plain(d, input.type), plain);
    out->expr = is_same ? input.expr : pt__expr_cast(d->arena, input.expr, plain, mode);
    if (out->type->id == PT_TYPE_CHAR || out->type->id == PT_TYPE_VARCHAR)
        out->expr = cut_text(d, out->expr, input.type, out->type);
    return PT_OK;
}

/* ---- nested values ---- */

static pt_status nested_struct(decoder *d, const scope *s, const Substrait__Expression__Nested__Struct *m,
                               value_of *out)
{
    const pt_expr **arguments = pt__arena_array(d->arena, const pt_expr *, 2 * m->n_fields + 1);
    pt_field *fields = pt__arena_array(d->arena, pt_field, m->n_fields + 1);
    for (size_t i = 0; i < m->n_fields; i++) {
        value_of field;
        PT_TRY(pt__substrait_expression(d, s, m->fields[i], &field));
        fields[i] =
            (pt_field){.name = pt__arena_printf(d->arena, "col%zu", i + 1), .type = field.type, .nullable = true};
        arguments[2 * i] = pt__expr_string(d->arena, fields[i].name);
        arguments[2 * i + 1] = field.expr;
        if (field.type == NULL)
            return pt__substrait_unsupported(d, "Substrait structs with fields of unknown type");
    }
    out->expr = pt__expr_call_list(d->arena, NULL, "named_struct", arguments, 2 * m->n_fields);
    out->type = pt__type_struct(d->arena, fields, m->n_fields);
    return PT_OK;
}

static pt_status nested_list(decoder *d, const scope *s, const Substrait__Expression__Nested__List *m, value_of *out)
{
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, m->n_values + 1);
    value_of item = {0};
    for (size_t i = 0; i < m->n_values; i++) {
        PT_TRY(pt__substrait_expression(d, s, m->values[i], &item));
        items[i] = item.expr;
    }
    if (m->n_values == 0)
        return pt__substrait_bad(d, "a nested list without values does not tell its type");
    out->expr = pt__expr_call_list(d->arena, NULL, "array", items, m->n_values);
    out->type = item.type == NULL ? NULL : pt__type_array(d->arena, item.type, true);
    return PT_OK;
}

static pt_status nested_map(decoder *d, const scope *s, const Substrait__Expression__Nested__Map *m, value_of *out)
{
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, 2 * m->n_key_values + 1);
    value_of key = {0};
    value_of value = {0};
    for (size_t i = 0; i < m->n_key_values; i++) {
        PT_TRY(pt__substrait_expression(d, s, m->key_values[i]->key, &key));
        PT_TRY(pt__substrait_expression(d, s, m->key_values[i]->value, &value));
        items[2 * i] = key.expr;
        items[2 * i + 1] = value.expr;
    }
    if (m->n_key_values == 0)
        return pt__substrait_bad(d, "a nested map without entries does not tell its type");
    out->expr = pt__expr_call_list(d->arena, NULL, "map", items, 2 * m->n_key_values);
    bool is_known = key.type != NULL && value.type != NULL;
    out->type = is_known ? pt__type_map(d->arena, key.type, value.type, true) : NULL;
    return PT_OK;
}

static pt_status decode_nested(decoder *d, const scope *s, const Substrait__Expression__Nested *m, value_of *out)
{
    switch ((int)m->nested_type_case) {
    case SUBSTRAIT__EXPRESSION__NESTED__NESTED_TYPE_STRUCT: return nested_struct(d, s, m->struct_, out);
    case SUBSTRAIT__EXPRESSION__NESTED__NESTED_TYPE_LIST: return nested_list(d, s, m->list, out);
    case SUBSTRAIT__EXPRESSION__NESTED__NESTED_TYPE_MAP: return nested_map(d, s, m->map, out);
    default: return pt__substrait_unknown_kind(d, &m->base, m->nested_type_case);
    }
}

/* ---- others ---- */

static pt_status decode_lambda(decoder *d, const scope *s, const Substrait__Expression__Lambda *m, value_of *out)
{
    pt__substrait_lambda lambda = {.outer = d->lambdas, .depth = d->lambdas == NULL ? 0 : d->lambdas->depth + 1};
    if (m->parameters == NULL || m->parameters->n_types == 0)
        return pt__substrait_bad(d, "a lambda has no parameters");
    PT_TRY(pt__substrait_struct_type(d, m->parameters->types, m->parameters->n_types, &lambda.parameters));
    pt_expr_lambda *node = pt__expr_make(d->arena, LAMBDA, lambda, NULL);
    const pt_expr_lambda_variable **parameters =
        pt__arena_array(d->arena, const pt_expr_lambda_variable *, m->parameters->n_types);
    for (size_t i = 0; i < m->parameters->n_types; i++) {
        pt_expr_lambda_variable *variable = pt__expr_make(d->arena, LAMBDA_VARIABLE, lambda_variable, NULL);
        variable->name = pt__name_one(d->arena, pt__arena_printf(d->arena, "p%u_%zu", lambda.depth, i));
        parameters[i] = variable;
    }
    value_of body;
    d->lambdas = &lambda;
    pt_status status = pt__substrait_expression(d, s, m->body, &body);
    d->lambdas = lambda.outer;
    PT_TRY(status);
    node->parameters = parameters;
    node->parameter_count = m->parameters->n_types;
    node->body = body.expr;
    out->expr = &node->base;
    return PT_OK;
}

static pt_status decode_context_variable(decoder *d, const Substrait__Expression__ExecutionContextVariable *m,
                                         value_of *out)
{
    switch ((int)m->execution_context_variable_type_case) {
    case SUBSTRAIT__EXPRESSION__EXECUTION_CONTEXT_VARIABLE__EXECUTION_CONTEXT_VARIABLE_TYPE_CURRENT_TIMESTAMP:
        out->type = PT_T(TIMESTAMP);
        out->expr = pt__expr_call_list(d->arena, NULL, "current_timestamp", NULL, 0);
        return PT_OK;
    case SUBSTRAIT__EXPRESSION__EXECUTION_CONTEXT_VARIABLE__EXECUTION_CONTEXT_VARIABLE_TYPE_CURRENT_TIMEZONE:
        out->type = PT_T(STRING);
        out->expr = pt__expr_call_list(d->arena, NULL, "current_timezone", NULL, 0);
        return PT_OK;
    case SUBSTRAIT__EXPRESSION__EXECUTION_CONTEXT_VARIABLE__EXECUTION_CONTEXT_VARIABLE_TYPE_CURRENT_DATE:
        out->type = PT_T(DATE);
        out->expr = pt__expr_call_list(d->arena, NULL, "current_date", NULL, 0);
        return PT_OK;
    default: return pt__substrait_unknown_kind(d, &m->base, m->execution_context_variable_type_case);
    }
}

static pt_status decode_parameter(decoder *d, const Substrait__DynamicParameter *m, value_of *out)
{
    for (size_t i = 0; i < d->plan->n_parameter_bindings; i++) {
        const Substrait__DynamicParameterBinding *binding = d->plan->parameter_bindings[i];
        if (binding->parameter_anchor != m->parameter_reference)
            continue;
        const pt_type *type;
        PT_TRY(pt__substrait_literal(d, binding->value, out));
        PT_TRY(pt__substrait_type(d, m->type, &type));
        out->expr = pt__substrait_declared(d, out->expr, type);
        return PT_OK;
    }
    return pt__substrait_bad(d, "the parameter %u has no value", m->parameter_reference);
}

static pt_status decode_scalar(decoder *d, const scope *s, const Substrait__Expression__ScalarFunction *m,
                               value_of *out)
{
    pt__substrait_invocation call = {
        .anchor = m->function_reference,
        .arguments = m->arguments,
        .argument_count = m->n_arguments,
        .old_arguments = m->args,
        .old_argument_count = m->n_args,
        .options = m->options,
        .option_count = m->n_options,
        .output_type = m->output_type,
    };
    return pt__substrait_function(d, s, PT_SUBSTRAIT_SCALAR, &call, out);
}

pt_status pt__substrait_expression(decoder *d, const scope *s, const Substrait__Expression *m, value_of *out)
{
    *out = (value_of){0};
    if (m == NULL)
        return pt__substrait_bad(d, "an expression is missing");
    switch ((int)m->rex_type_case) {
    case KIND(LITERAL): return pt__substrait_literal(d, m->literal, out);
    case KIND(SELECTION): return pt__substrait_reference(d, s, m->selection, out);
    case KIND(SCALAR_FUNCTION): return decode_scalar(d, s, m->scalar_function, out);
    case KIND(WINDOW_FUNCTION): return pt__substrait_window(d, s, m->window_function, out);
    case KIND(IF_THEN): return decode_if_then(d, s, m->if_then, out);
    case KIND(SWITCH_EXPRESSION): return decode_switch(d, s, m->switch_expression, out);
    case KIND(SINGULAR_OR_LIST): out->type = PT_T(BOOLEAN); return decode_in_list(d, s, m->singular_or_list, out);
    case KIND(MULTI_OR_LIST): out->type = PT_T(BOOLEAN); return decode_in_records(d, s, m->multi_or_list, out);
    case KIND(CAST): return decode_cast(d, s, m->cast, out);
    case KIND(SUBQUERY): return pt__substrait_subquery(d, s, m->subquery, out);
    case KIND(NESTED): return decode_nested(d, s, m->nested, out);
    case KIND(DYNAMIC_PARAMETER): return decode_parameter(d, m->dynamic_parameter, out);
    case KIND(LAMBDA): return decode_lambda(d, s, m->lambda, out);
    case KIND(EXECUTION_CONTEXT_VARIABLE): return decode_context_variable(d, m->execution_context_variable, out);
    default: return pt__substrait_unknown_kind(d, &m->base, m->rex_type_case);
    }
}

pt_status pt__substrait_condition(decoder *d, const scope *s, const Substrait__Expression *expression,
                                  const pt_expr **out)
{
    value_of value;
    PT_TRY(pt__substrait_expression(d, s, expression, &value));
    if (value.type != NULL && value.type->id != PT_TYPE_BOOLEAN && value.type->id != PT_TYPE_VOID)
        return pt__substrait_bad(d, "a condition is of type %s", pt__substrait_type_text(d, value.type));
    *out = value.expr;
    return PT_OK;
}

/* ---- sort fields ---- */

static pt_status set_direction(decoder *d, const Substrait__SortField *m, pt_expr_sort_order *order)
{
    if (m->sort_kind_case != SUBSTRAIT__SORT_FIELD__SORT_KIND_DIRECTION)
        return pt__substrait_unknown_kind(d, &m->base, m->sort_kind_case);
    switch ((int)m->direction) {
    case SUBSTRAIT__SORT_FIELD__SORT_DIRECTION__SORT_DIRECTION_CLUSTERED: /* equal ones together: any order does */
    case SUBSTRAIT__SORT_FIELD__SORT_DIRECTION__SORT_DIRECTION_ASC_NULLS_FIRST: order->nulls_first = true; return PT_OK;
    case SUBSTRAIT__SORT_FIELD__SORT_DIRECTION__SORT_DIRECTION_ASC_NULLS_LAST: return PT_OK;
    case SUBSTRAIT__SORT_FIELD__SORT_DIRECTION__SORT_DIRECTION_DESC_NULLS_FIRST:
        order->is_descending = order->nulls_first = true;
        return PT_OK;
    case SUBSTRAIT__SORT_FIELD__SORT_DIRECTION__SORT_DIRECTION_DESC_NULLS_LAST:
        order->is_descending = true;
        return PT_OK;
    default:
        return pt__substrait_unsupported(
            d, "the Substrait sort direction %s",
            pt__substrait_enum_name(d, &substrait__sort_field__sort_direction__descriptor, (int)m->direction));
    }
}

pt_status pt__substrait_sorts(decoder *d, const scope *s, Substrait__SortField *const *sorts, size_t count,
                              const pt_expr *const **out, size_t *out_count)
{
    const pt_expr **orders = pt__arena_array(d->arena, const pt_expr *, count + 1);
    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        value_of value;
        pt_expr_sort_order *order = pt__expr_make(d->arena, SORT_ORDER, sort_order, NULL);
        PT_TRY(pt__substrait_expression(d, s, sorts[i]->expr, &value));
        PT_TRY(set_direction(d, sorts[i], order));
        order->child = value.expr;
        if (value.expr->kind != PT_EXPR_LITERAL) /* constants order nothing, and would be taken for positions */
            orders[(*out_count)++] = &order->base;
    }
    *out = orders;
    return PT_OK;
}
