#include "decode/spark_connect/internal.h"

#include "plan/text.h"

#include <string.h>

enum { LAMBDA_ARGUMENTS_MAX = 3 };

#define EXPR(name) SPARK__CONNECT__EXPRESSION__EXPR_TYPE_##name

/* ---- names ---- */

static pt_status decode_attribute(pt__decoder *d, const Spark__Connect__Expression__UnresolvedAttribute *attribute,
                                  const pt_expr **out)
{
    pt_expr_attribute *node = pt__expr_make(d->arena, ATTRIBUTE, attribute, d->origin);
    PT_TRY(pt__sql_parse_column_name(d->arena, pt__decode_text(attribute->unparsed_identifier), &node->name, d->err));
    node->plan_id = PT_OPTIONAL(attribute, plan_id, -1);
    node->is_metadata_column = PT_OPTIONAL(attribute, is_metadata_column, false);
    *out = &node->base;
    return PT_OK;
}

/* The target keeps its ".*". */
static pt_status decode_star(pt__decoder *d, const Spark__Connect__Expression__UnresolvedStar *star,
                             const pt_expr **out)
{
    pt_expr_star *node = pt__expr_make(d->arena, STAR, star, d->origin);
    const char *target = PT_OPTIONAL(star, unparsed_target, NULL);
    node->plan_id = PT_OPTIONAL(star, plan_id, -1);
    *out = &node->base;
    if (target == NULL || strcmp(target, "*") == 0)
        return PT_OK;
    size_t size = strlen(target);
    if (size < 3 || strcmp(target + size - 2, ".*") != 0)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_STAR, "target", target, NULL);
    return pt__sql_parse_column_name(d->arena, (pt_text_view){target, size - 2}, &node->target, d->err);
}

/* Where a back-quote behind a dot begins the last part of "t.`i.*`"; NULL when there is none. */
static const char *quoted_part(const char *text, size_t size)
{
    for (size_t i = size - 2; i > 1; i--) {
        if (text[i - 1] == '`' && text[i - 2] == '.')
            return text + i;
    }
    return NULL;
}

/* Only in back-quotes is it a pattern. */
static pt_status decode_regex(pt__decoder *d, const Spark__Connect__Expression__UnresolvedRegex *regex,
                              const pt_expr **out)
{
    const char *text = regex->col_name;
    size_t size = strlen(text);
    int64_t plan_id = PT_OPTIONAL(regex, plan_id, -1);
    bool is_quoted = size > 2 && text[size - 1] == '`';
    const char *part = is_quoted && text[0] != '`' ? quoted_part(text, size) : NULL;
    if (!is_quoted || (text[0] != '`' && part == NULL)) {
        pt_expr_attribute *attribute = pt__expr_make(d->arena, ATTRIBUTE, attribute, d->origin);
        PT_TRY(pt__sql_parse_column_name(d->arena, (pt_text_view){text, size}, &attribute->name, d->err));
        attribute->plan_id = plan_id;
        *out = &attribute->base;
        return PT_OK;
    }
    const char *pattern = part == NULL ? text + 1 : part;
    pt_expr_column_regex *node = pt__expr_make(d->arena, COLUMN_REGEX, column_regex, d->origin);
    node->pattern = pt__arena_copy_text(d->arena, pattern, (size_t)(text + size - 1 - pattern));
    node->plan_id = plan_id;
    if (part != NULL)
        node->qualifier = pt__name_one(d->arena, pt__arena_copy_text(d->arena, text, (size_t)(part - 2 - text)));
    *out = &node->base;
    return PT_OK;
}

pt_status pt__decode_attribute_name(pt__decoder *d, const pt_expr *expr, const char *place, pt_name *out)
{
    if (expr->kind != PT_EXPR_ATTRIBUTE)
        return pt__decode_unsupported_feature(
            d, pt__arena_printf(d->arena, "%s that are not columns (%s)", place, pt__expr_kind_name(expr->kind)));
    *out = pt__expr_as_attribute(expr)->name;
    return PT_OK;
}

/* ---- SQL text ---- */

static pt_status decode_expression_string(pt__decoder *d, const Spark__Connect__Expression__ExpressionString *string,
                                          const pt_expr **out)
{
    return pt__sql_parse_expression(d->arena, pt__decode_text(string->expression), d->options, out, d->err);
}

/* ---- shapes ---- */

pt_status pt__decode_alias(pt__decoder *d, const Spark__Connect__Expression__Alias *alias, const pt_expr **out)
{
    pt_expr_alias *node = pt__expr_make(d->arena, ALIAS, alias, d->origin);
    PT_TRY(pt__decode_expression(d, alias->expr, &node->child));
    node->names = (const char *const *)alias->name;
    node->name_count = alias->n_name;
    node->metadata = PT_OPTIONAL(alias, metadata, NULL);
    if (node->name_count > 1 && node->metadata != NULL)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_ALIAS_METADATA, NULL);
    if (node->name_count == 0)
        return pt__raise(d->err, PT_COND_MULTI_ALIAS_WITHOUT_GENERATOR, "expr", pt__expr_text(d->arena, node->child),
                         "names", "", NULL);
    *out = &node->base;
    return PT_OK;
}

static pt_status decode_cast_mode(pt__decoder *d, Spark__Connect__Expression__Cast__EvalMode mode, pt_cast_mode *out)
{
    switch ((int)mode) {
    case SPARK__CONNECT__EXPRESSION__CAST__EVAL_MODE__EVAL_MODE_UNSPECIFIED: *out = PT_CAST_DEFAULT; return PT_OK;
    case SPARK__CONNECT__EXPRESSION__CAST__EVAL_MODE__EVAL_MODE_LEGACY: *out = PT_CAST_LEGACY; return PT_OK;
    case SPARK__CONNECT__EXPRESSION__CAST__EVAL_MODE__EVAL_MODE_ANSI: *out = PT_CAST_ANSI; return PT_OK;
    case SPARK__CONNECT__EXPRESSION__CAST__EVAL_MODE__EVAL_MODE_TRY: *out = PT_CAST_TRY; return PT_OK;
    default: return pt__decode_bad_enum(d, &spark__connect__expression__cast__eval_mode__descriptor, (int)mode);
    }
}

static pt_status decode_cast_target(pt__decoder *d, const Spark__Connect__Expression__Cast *cast, const pt_type **out)
{
    if (cast->cast_to_type_case == SPARK__CONNECT__EXPRESSION__CAST__CAST_TO_TYPE_TYPE)
        return pt__decode_type(d, cast->type, out);
    const char *text =
        cast->cast_to_type_case == SPARK__CONNECT__EXPRESSION__CAST__CAST_TO_TYPE_TYPE_STR ? cast->type_str : "";
    if (text[strspn(text, " \t\r\n")] == '\0')
        return pt__raise(d->err, PT_COND_PARSE_EMPTY_STATEMENT, NULL);
    return pt__sql_parse_type(d->arena, pt__decode_text(text), d->options, out, d->err);
}

static pt_status decode_cast(pt__decoder *d, const Spark__Connect__Expression__Cast *cast, const pt_expr **out)
{
    const pt_expr *child = NULL;
    const pt_type *target = NULL;
    pt_cast_mode mode = PT_CAST_DEFAULT;
    PT_TRY(pt__decode_expression(d, cast->expr, &child));
    PT_TRY(decode_cast_target(d, cast, &target));
    PT_TRY(decode_cast_mode(d, cast->eval_mode, &mode));
    pt_expr_cast *node = pt__expr_make(d->arena, CAST, cast, d->origin);
    node->base.type = target;
    node->child = child;
    node->target = target;
    node->mode = mode;
    *out = &node->base;
    return PT_OK;
}

pt_status pt__decode_sort_order(pt__decoder *d, const Spark__Connect__Expression__SortOrder *order, const pt_expr **out)
{
    pt_expr_sort_order *node = pt__expr_make(d->arena, SORT_ORDER, sort_order, d->origin);
    PT_TRY(pt__decode_expression(d, order->child, &node->child));
    node->is_descending =
        order->direction == SPARK__CONNECT__EXPRESSION__SORT_ORDER__SORT_DIRECTION__SORT_DIRECTION_DESCENDING;
    if (order->null_ordering == SPARK__CONNECT__EXPRESSION__SORT_ORDER__NULL_ORDERING__SORT_NULLS_UNSPECIFIED)
        node->nulls_first = !node->is_descending;
    else
        node->nulls_first =
            order->null_ordering == SPARK__CONNECT__EXPRESSION__SORT_ORDER__NULL_ORDERING__SORT_NULLS_FIRST;
    *out = &node->base;
    return PT_OK;
}

pt_status pt__decode_sort_orders(pt__decoder *d, Spark__Connect__Expression__SortOrder *const *orders, size_t count,
                                 const pt_expr *const **out)
{
    const pt_expr **list = pt__arena_array(d->arena, const pt_expr *, count);
    for (size_t i = 0; i < count; i++)
        PT_TRY(pt__decode_sort_order(d, orders[i], &list[i]));
    *out = list;
    return PT_OK;
}

static pt_status decode_extract(pt__decoder *d, const Spark__Connect__Expression__UnresolvedExtractValue *extract,
                                const pt_expr **out)
{
    pt_expr_extract *node = pt__expr_make(d->arena, EXTRACT, extract, d->origin);
    PT_TRY(pt__decode_expression(d, extract->child, &node->child));
    PT_TRY(pt__decode_expression(d, extract->extraction, &node->key));
    *out = &node->base;
    return PT_OK;
}

static pt_status decode_update_fields(pt__decoder *d, const Spark__Connect__Expression__UpdateFields *update,
                                      const pt_expr **out)
{
    pt_expr_update_fields *node = pt__expr_make(d->arena, UPDATE_FIELDS, update_fields, d->origin);
    PT_TRY(pt__decode_expression(d, update->struct_expression, &node->child));
    PT_TRY(pt__decode_optional_expression(d, update->value_expression, &node->value));
    node->field = update->field_name;
    *out = &node->base;
    return PT_OK;
}

/* ---- lambdas ---- */

static pt_expr_lambda_variable *new_variable(pt__decoder *d,
                                             const Spark__Connect__Expression__UnresolvedNamedLambdaVariable *variable)
{
    pt_expr_lambda_variable *node = pt__expr_make(d->arena, LAMBDA_VARIABLE, lambda_variable, d->origin);
    node->name = (pt_name){(const char *const *)variable->name_parts, variable->n_name_parts};
    return node;
}

static pt_status decode_lambda(pt__decoder *d, const Spark__Connect__Expression__LambdaFunction *lambda,
                               const pt_expr **out)
{
    if (lambda->n_arguments < 1 || lambda->n_arguments > LAMBDA_ARGUMENTS_MAX)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_LAMBDA, "got",
                         pt__arena_printf(d->arena, "%zu", lambda->n_arguments), NULL);
    pt_expr_lambda *node = pt__expr_make(d->arena, LAMBDA, lambda, d->origin);
    const pt_expr_lambda_variable **parameters =
        pt__arena_array(d->arena, const pt_expr_lambda_variable *, lambda->n_arguments);
    for (size_t i = 0; i < lambda->n_arguments; i++)
        parameters[i] = new_variable(d, lambda->arguments[i]);
    node->parameters = parameters;
    node->parameter_count = lambda->n_arguments;
    PT_TRY(pt__decode_expression(d, lambda->function, &node->body));
    *out = &node->base;
    return PT_OK;
}

static pt_status decode_lambda_variable(pt__decoder *d,
                                        const Spark__Connect__Expression__UnresolvedNamedLambdaVariable *variable,
                                        const pt_expr **out)
{
    *out = &new_variable(d, variable)->base;
    return PT_OK;
}

/* ---- windows ---- */

#define BOUNDARY(name) SPARK__CONNECT__EXPRESSION__WINDOW__WINDOW_FRAME__FRAME_BOUNDARY__BOUNDARY_##name

static pt_status decode_bound(pt__decoder *d,
                              const Spark__Connect__Expression__Window__WindowFrame__FrameBoundary *boundary,
                              pt_bound_kind unbounded, pt_frame_bound *out)
{
    switch ((int)boundary->boundary_case) {
    case BOUNDARY(_NOT_SET):
        return pt__decode_not_set(d, &boundary->base, boundary->base.descriptor, "BOUNDARY_NOT_SET");
    case BOUNDARY(CURRENT_ROW): out->kind = PT_BOUND_CURRENT_ROW; return PT_OK;
    case BOUNDARY(UNBOUNDED): out->kind = unbounded; return PT_OK;
    case BOUNDARY(VALUE):
        out->kind = PT_BOUND_FOLLOWING;
        return pt__decode_expression(d, boundary->value, &out->offset);
    default: return pt__decode_not_supported(d, &boundary->base, boundary->boundary_case);
    }
}

static pt_status decode_frame(pt__decoder *d, const Spark__Connect__Expression__Window__WindowFrame *frame,
                              pt_expr_window *out)
{
    switch ((int)frame->frame_type) {
    case SPARK__CONNECT__EXPRESSION__WINDOW__WINDOW_FRAME__FRAME_TYPE__FRAME_TYPE_ROW: out->unit = PT_FRAME_ROWS; break;
    case SPARK__CONNECT__EXPRESSION__WINDOW__WINDOW_FRAME__FRAME_TYPE__FRAME_TYPE_RANGE:
        out->unit = PT_FRAME_RANGE;
        break;
    default:
        return pt__decode_bad_enum(d, &spark__connect__expression__window__window_frame__frame_type__descriptor,
                                   (int)frame->frame_type);
    }
    if (frame->lower == NULL)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_LOWER_BOUND, NULL);
    if (frame->upper == NULL)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_UPPER_BOUND, NULL);
    PT_TRY(decode_bound(d, frame->lower, PT_BOUND_UNBOUNDED_PRECEDING, &out->lower));
    return decode_bound(d, frame->upper, PT_BOUND_UNBOUNDED_FOLLOWING, &out->upper);
}

static pt_status decode_window(pt__decoder *d, const Spark__Connect__Expression__Window *window, const pt_expr **out)
{
    pt_expr_window *node = pt__expr_make(d->arena, WINDOW, window, d->origin);
    PT_TRY(pt__decode_expression(d, window->window_function, &node->function));
    PT_TRY(pt__decode_expressions(d, window->partition_spec, window->n_partition_spec, &node->partition));
    node->partition_count = window->n_partition_spec;
    PT_TRY(pt__decode_sort_orders(d, window->order_spec, window->n_order_spec, &node->order));
    node->order_count = window->n_order_spec;
    if (window->frame_spec != NULL)
        PT_TRY(decode_frame(d, window->frame_spec, node));
    *out = &node->base;
    return PT_OK;
}

/* ---- sub-queries ---- */

#define SUBQUERY(name) SPARK__CONNECT__SUBQUERY_EXPRESSION__SUBQUERY_TYPE__SUBQUERY_TYPE_##name

static pt_status decode_subquery_kind(pt__decoder *d, Spark__Connect__SubqueryExpression__SubqueryType type,
                                      pt_subquery_kind *out)
{
    switch ((int)type) {
    case SUBQUERY(SCALAR): *out = PT_SUBQUERY_SCALAR; return PT_OK;
    case SUBQUERY(EXISTS): *out = PT_SUBQUERY_EXISTS; return PT_OK;
    case SUBQUERY(TABLE_ARG): *out = PT_SUBQUERY_TABLE; return PT_OK;
    case SUBQUERY(IN): *out = PT_SUBQUERY_IN; return PT_OK;
    default: return pt__decode_bad_enum(d, &spark__connect__subquery_expression__subquery_type__descriptor, (int)type);
    }
}

static pt_status decode_subquery(pt__decoder *d, const Spark__Connect__SubqueryExpression *subquery,
                                 const pt_expr **out)
{
    pt_expr_subquery *node = pt__expr_make(d->arena, SUBQUERY, subquery, d->origin);
    const Spark__Connect__SubqueryExpression__TableArgOptions *options = PT_OPTIONAL(subquery, table_arg_options, NULL);
    PT_TRY(decode_subquery_kind(d, subquery->subquery_type, &node->subquery_kind));
    if (options != NULL && (options->n_partition_spec != 0 || options->n_order_spec != 0))
        return pt__decode_unsupported_feature(d, "partitioned or ordered table arguments");
    PT_TRY(pt__decode_expressions(d, subquery->in_subquery_values, subquery->n_in_subquery_values, &node->values));
    node->value_count = subquery->n_in_subquery_values;
    pt_plan_reference *reference = pt__plan_make(d->arena, REFERENCE, reference, d->origin);
    reference->referenced_plan_id = subquery->plan_id;
    node->plan = &reference->base;
    *out = &node->base;
    return PT_OK;
}

static pt_status decode_named_argument(pt__decoder *d, const Spark__Connect__NamedArgumentExpression *argument,
                                       const pt_expr **out)
{
    pt_expr_named_argument *node = pt__expr_make(d->arena, NAMED_ARGUMENT, named_argument, d->origin);
    node->name = argument->key;
    PT_TRY(pt__decode_expression(d, argument->value, &node->value));
    *out = &node->base;
    return PT_OK;
}

/* ---- all kinds ---- */

static pt_status decode_kind(pt__decoder *d, const Spark__Connect__Expression *e, const pt_expr **out)
{
    switch ((int)e->expr_type_case) {
    case EXPR(_NOT_SET):
        return pt__decode_not_set(d, &e->base, &spark__connect__expression__descriptor, "EXPRTYPE_NOT_SET");
    case EXPR(LITERAL): return pt__decode_literal(d, e->literal, out);
    case EXPR(UNRESOLVED_ATTRIBUTE): return decode_attribute(d, e->unresolved_attribute, out);
    case EXPR(UNRESOLVED_FUNCTION): return pt__decode_call(d, e->unresolved_function, out);
    case EXPR(EXPRESSION_STRING): return decode_expression_string(d, e->expression_string, out);
    case EXPR(UNRESOLVED_STAR): return decode_star(d, e->unresolved_star, out);
    case EXPR(ALIAS): return pt__decode_alias(d, e->alias, out);
    case EXPR(CAST): return decode_cast(d, e->cast, out);
    case EXPR(UNRESOLVED_REGEX): return decode_regex(d, e->unresolved_regex, out);
    case EXPR(SORT_ORDER): return pt__decode_sort_order(d, e->sort_order, out);
    case EXPR(LAMBDA_FUNCTION): return decode_lambda(d, e->lambda_function, out);
    case EXPR(WINDOW): return decode_window(d, e->window, out);
    case EXPR(UNRESOLVED_EXTRACT_VALUE): return decode_extract(d, e->unresolved_extract_value, out);
    case EXPR(UPDATE_FIELDS): return decode_update_fields(d, e->update_fields, out);
    case EXPR(UNRESOLVED_NAMED_LAMBDA_VARIABLE):
        return decode_lambda_variable(d, e->unresolved_named_lambda_variable, out);
    case EXPR(COMMON_INLINE_USER_DEFINED_FUNCTION):
        return pt__decode_python_udf(d, e->common_inline_user_defined_function, out);
    case EXPR(CALL_FUNCTION): return pt__decode_call_function(d, e->call_function, out);
    case EXPR(NAMED_ARGUMENT_EXPRESSION): return decode_named_argument(d, e->named_argument_expression, out);
    case EXPR(EXTENSION): return pt__decode_extension_expression(d, e->extension, out);
    case EXPR(SUBQUERY_EXPRESSION): return decode_subquery(d, e->subquery_expression, out);
    case EXPR(DIRECT_SHUFFLE_PARTITION_ID): /* where a row goes changes no result */
        return pt__decode_expression(d, e->direct_shuffle_partition_id->child, out);
    default: return pt__decode_not_supported(d, &e->base, e->expr_type_case);
    }
}

pt_status pt__decode_expression(pt__decoder *d, const Spark__Connect__Expression *expression, const pt_expr **out)
{
    if (expression == NULL)
        return pt__decode_not_set(d, NULL, &spark__connect__expression__descriptor, "EXPRTYPE_NOT_SET");
    const pt_origin *outer = d->origin;
    if (expression->common != NULL)
        d->origin = pt__decode_origin(d, expression->common->origin);
    PT_TRY(decode_kind(d, expression, out));
    d->origin = outer;
    return PT_OK;
}

pt_status pt__decode_optional_expression(pt__decoder *d, const Spark__Connect__Expression *expression,
                                         const pt_expr **out)
{
    *out = NULL;
    return expression == NULL ? PT_OK : pt__decode_expression(d, expression, out);
}

pt_status pt__decode_expressions(pt__decoder *d, Spark__Connect__Expression *const *expressions, size_t count,
                                 const pt_expr *const **out)
{
    const pt_expr **list = pt__arena_array(d->arena, const pt_expr *, count);
    for (size_t i = 0; i < count; i++)
        PT_TRY(pt__decode_expression(d, expressions[i], &list[i]));
    *out = list;
    return PT_OK;
}
