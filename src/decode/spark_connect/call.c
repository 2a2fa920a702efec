/* Calls: functions, operators, and those two operators that have nodes of their own; Python functions. */
#include "decode/spark_connect/internal.h"

#include <string.h>
#include <strings.h>

static pt_status wrong_count(pt__decoder *d, const char *name, const char *expected, size_t actual)
{
    return pt__raise(d->err, PT_COND_WRONG_NUM_ARGS, "functionName", pt__arena_printf(d->arena, "`%s`", name),
                     "expectedNum", expected, "actualNum", pt__arena_printf(d->arena, "%zu", actual), NULL);
}

static pt_status make_in(pt__decoder *d, const pt_expr *const *arguments, size_t count, const pt_expr **out)
{
    if (count == 0)
        return wrong_count(d, "in", "> 0", count);
    pt_expr_in *node = pt__expr_make(d->arena, IN, in, d->origin);
    node->child = arguments[0];
    node->values = arguments + 1;
    node->value_count = count - 1;
    *out = &node->base;
    return PT_OK;
}

/* Pairs of condition and value, then the value of ELSE if the count is odd. */
static pt_status make_case(pt__decoder *d, const pt_expr *const *arguments, size_t count, const pt_expr **out)
{
    if (count < 2)
        return wrong_count(d, "when", "> 1", count);
    pt_expr_case *node = pt__expr_make(d->arena, CASE, case, d->origin);
    pt_case_branch *branches = pt__arena_array(d->arena, pt_case_branch, count / 2);
    for (size_t i = 0; i < count / 2; i++)
        branches[i] = (pt_case_branch){arguments[2 * i], arguments[2 * i + 1]};
    node->branches = branches;
    node->branch_count = count / 2;
    node->otherwise = count % 2 == 1 ? arguments[count - 1] : NULL;
    *out = &node->base;
    return PT_OK;
}

static pt_expr_call *make_call(pt__decoder *d, pt_name name, const pt_expr *const *arguments, size_t count)
{
    pt_expr_call *node = pt__expr_make(d->arena, CALL, call, d->origin);
    node->name = name;
    node->arguments = arguments;
    node->argument_count = count;
    return node;
}

pt_status pt__decode_call(pt__decoder *d, const Spark__Connect__Expression__UnresolvedFunction *function,
                          const pt_expr **out)
{
    const pt_expr *const *arguments;
    const char *name = function->function_name;
    size_t count = function->n_arguments;
    PT_TRY(pt__decode_expressions(d, function->arguments, count, &arguments));
    if (!function->is_user_defined_function && strcasecmp(name, "in") == 0)
        return make_in(d, arguments, count, out);
    if (!function->is_user_defined_function && strcasecmp(name, "when") == 0)
        return make_case(d, arguments, count, out);
    pt_name parts;
    if (function->is_user_defined_function)
        PT_TRY(pt__decode_name(d, name, &parts));
    else
        parts = pt__name_one(d->arena, strcmp(name, "==") == 0 ? "=" : name);
    pt_expr_call *node = make_call(d, parts, arguments, count);
    node->is_distinct = function->is_distinct;
    node->is_internal = PT_OPTIONAL(function, is_internal, false);
    node->reach = function->is_user_defined_function ? PT_REACH_SQL : PT_REACH_CONNECT;
    *out = &node->base;
    return PT_OK;
}

pt_status pt__decode_call_function(pt__decoder *d, const Spark__Connect__CallFunction *function, const pt_expr **out)
{
    const pt_expr *const *arguments;
    pt_name name;
    PT_TRY(pt__decode_expressions(d, function->arguments, function->n_arguments, &arguments));
    PT_TRY(pt__decode_name(d, function->function_name, &name));
    pt_expr_call *node = make_call(d, name, arguments, function->n_arguments);
    node->reach = PT_REACH_SQL;
    *out = &node->base;
    return PT_OK;
}

static void set_python(pt_expr_python_udf *node, ProtobufCBinaryData command, int32_t evaluation_type,
                       const char *version)
{
    node->command = (pt_bytes_view){command.data, command.len};
    node->evaluation_type = evaluation_type;
    node->python_version = version;
}

pt_status pt__decode_python_udf(pt__decoder *d, const Spark__Connect__CommonInlineUserDefinedFunction *function,
                                const pt_expr **out)
{
    if (function == NULL ||
        function->function_case == SPARK__CONNECT__COMMON_INLINE_USER_DEFINED_FUNCTION__FUNCTION__NOT_SET)
        return pt__decode_not_set(d, function == NULL ? NULL : &function->base,
                                  &spark__connect__common_inline_user_defined_function__descriptor, "FUNCTION_NOT_SET");
    if (function->function_case != SPARK__CONNECT__COMMON_INLINE_USER_DEFINED_FUNCTION__FUNCTION_PYTHON_UDF)
        return pt__decode_not_supported(d, &function->base, function->function_case);
    if (function->is_distinct)
        return pt__decode_unsupported_feature(d, "DISTINCT arguments of Python functions");
    pt_expr_python_udf *node = pt__expr_make(d->arena, PYTHON_UDF, python_udf, d->origin);
    const Spark__Connect__PythonUDF *udf = function->python_udf;
    node->name = function->function_name;
    node->is_deterministic = function->deterministic;
    PT_TRY(pt__decode_type(d, udf->output_type, &node->result_type));
    set_python(node, udf->command, udf->eval_type, udf->python_ver);
    PT_TRY(pt__decode_expressions(d, function->arguments, function->n_arguments, &node->arguments));
    node->argument_count = function->n_arguments;
    *out = &node->base;
    return PT_OK;
}

pt_status pt__decode_python_udtf(pt__decoder *d, const Spark__Connect__CommonInlineUserDefinedTableFunction *function,
                                 const pt_expr **out)
{
    if (function->function_case != SPARK__CONNECT__COMMON_INLINE_USER_DEFINED_TABLE_FUNCTION__FUNCTION_PYTHON_UDTF)
        return pt__decode_not_set(d, &function->base, function->base.descriptor, "FUNCTION_NOT_SET");
    pt_expr_python_udf *node = pt__expr_make(d->arena, PYTHON_UDF, python_udf, d->origin);
    const Spark__Connect__PythonUDTF *udtf = function->python_udtf;
    node->name = function->function_name;
    node->is_deterministic = function->deterministic;
    if (udtf->_return_type_case != 0) /* else the class says it when asked */
        PT_TRY(pt__decode_type(d, udtf->return_type, &node->result_type));
    set_python(node, udtf->command, udtf->eval_type, udtf->python_ver);
    PT_TRY(pt__decode_expressions(d, function->arguments, function->n_arguments, &node->arguments));
    node->argument_count = function->n_arguments;
    *out = &node->base;
    return PT_OK;
}
