/* Plans and commands, and the entry points of the decoder. */
#include "decode/spark_connect/internal.h"

#include <spark/connect/ml.pb-c.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define COMMAND(name) SPARK__CONNECT__COMMAND__COMMAND_TYPE_##name

typedef pt__connect_operation operation;

/* ---- commands ---- */

static pt_status decode_view(pt__decoder *d, const Spark__Connect__CreateDataFrameViewCommand *m, operation *out)
{
    pt_plan_create_view *node = pt__plan_make(d->arena, CREATE_VIEW, create_view, d->origin);
    out->plan = &node->base;
    node->view_kind = m->is_global ? PT_VIEW_GLOBAL_TEMPORARY : PT_VIEW_TEMPORARY;
    node->replace = m->replace;
    PT_TRY(pt__decode_name(d, m->name, &node->name));
    return pt__decode_relation(d, m->input, &node->query);
}

/* Clients since 4.0 send a relation, others the text itself. */
static pt_status decode_sql(pt__decoder *d, const Spark__Connect__SqlCommand *m, operation *out)
{
    out->kind = PT_CONNECT_SQL;
    out->sql_input = m->input;
    if (m->input == NULL)
        return pt__decode_old_sql_command(d, m, &out->plan);
    return pt__decode_relation(d, m->input, &out->plan);
}

static pt_status decode_register(pt__decoder *d, const Spark__Connect__CommonInlineUserDefinedFunction *m,
                                 operation *out)
{
    const pt_expr *function;
    out->kind = PT_CONNECT_REGISTER_FUNCTION;
    out->name = m->function_name;
    if (m->function_case == SPARK__CONNECT__COMMON_INLINE_USER_DEFINED_FUNCTION__FUNCTION_JAVA_UDF) {
        out->java_class = m->java_udf->class_name;
        return PT_OK;
    }
    PT_TRY(pt__decode_python_udf(d, m, &function));
    out->function = pt__expr_as_python_udf(function);
    return PT_OK;
}

static pt_status decode_register_table(pt__decoder *d, const Spark__Connect__CommonInlineUserDefinedTableFunction *m,
                                       operation *out)
{
    const pt_expr *function;
    out->kind = PT_CONNECT_REGISTER_TABLE_FUNCTION;
    out->name = m->function_name;
    PT_TRY(pt__decode_python_udtf(d, m, &function));
    out->function = pt__expr_as_python_udf(function);
    return PT_OK;
}

static pt_status decode_checkpoint(pt__decoder *d, const Spark__Connect__CheckpointCommand *m, operation *out)
{
    out->kind = PT_CONNECT_CHECKPOINT;
    out->is_eager = m->eager;
    out->is_local = m->local;
    return pt__decode_relation(d, m->relation, &out->plan);
}

static pt_status decode_remove_cached(const Spark__Connect__RemoveCachedRemoteRelationCommand *m, operation *out)
{
    out->kind = PT_CONNECT_REMOVE_CACHED;
    out->relation_id = m->relation == NULL ? "" : m->relation->relation_id;
    return PT_OK;
}

static pt_status decode_ml(pt__decoder *d, const Spark__Connect__MlCommand *m, operation *out)
{
    out->kind = PT_CONNECT_ML_CLEAN_CACHE;
    if (m->command_case == SPARK__CONNECT__ML_COMMAND__COMMAND_CLEAN_CACHE)
        return PT_OK;
    if (m->command_case == SPARK__CONNECT__ML_COMMAND__COMMAND__NOT_SET)
        return pt__decode_not_set(d, &m->base, m->base.descriptor, "COMMAND_NOT_SET");
    return pt__decode_not_supported(d, &m->base, m->command_case);
}

static pt_status plain(pt__connect_kind kind, operation *out)
{
    out->kind = kind;
    return PT_OK;
}

static pt_status decode_command(pt__decoder *d, const Spark__Connect__Command *c, operation *out)
{
    out->kind = PT_CONNECT_COMMAND;
    switch ((int)c->command_type_case) {
    case COMMAND(_NOT_SET):
        return pt__decode_not_set(d, &c->base, &spark__connect__command__descriptor, "COMMANDTYPE_NOT_SET");
    case COMMAND(REGISTER_FUNCTION): return decode_register(d, c->register_function, out);
    case COMMAND(WRITE_OPERATION): return pt__decode_write(d, c->write_operation, &out->plan);
    case COMMAND(CREATE_DATAFRAME_VIEW): return decode_view(d, c->create_dataframe_view, out);
    case COMMAND(WRITE_OPERATION_V2): return pt__decode_write_v2(d, c->write_operation_v2, &out->plan);
    case COMMAND(EXTENSION): return pt__decode_extension_command(d, c->extension, &out->plan);
    case COMMAND(SQL_COMMAND): return decode_sql(d, c->sql_command, out);
    case COMMAND(GET_RESOURCES_COMMAND): return plain(PT_CONNECT_GET_RESOURCES, out);
    case COMMAND(REGISTER_TABLE_FUNCTION): return decode_register_table(d, c->register_table_function, out);
    case COMMAND(CREATE_RESOURCE_PROFILE_COMMAND): return plain(PT_CONNECT_CREATE_RESOURCE_PROFILE, out);
    case COMMAND(CHECKPOINT_COMMAND): return decode_checkpoint(d, c->checkpoint_command, out);
    case COMMAND(REMOVE_CACHED_REMOTE_RELATION_COMMAND):
        return decode_remove_cached(c->remove_cached_remote_relation_command, out);
    case COMMAND(MERGE_INTO_TABLE_COMMAND): return pt__decode_merge(d, c->merge_into_table_command, &out->plan);
    case COMMAND(ML_COMMAND): return decode_ml(d, c->ml_command, out);
    default: return pt__decode_not_supported(d, &c->base, c->command_type_case);
    }
}

static pt_status decode_plan(pt__decoder *d, const Spark__Connect__Plan *plan, operation *out)
{
    switch ((int)plan->op_type_case) {
    case SPARK__CONNECT__PLAN__OP_TYPE_ROOT:
        out->kind = PT_CONNECT_RELATION;
        return pt__decode_relation(d, plan->root, &out->plan);
    case SPARK__CONNECT__PLAN__OP_TYPE_COMMAND: return decode_command(d, plan->command, out);
    default: return pt__decode_not_set(d, &plan->base, &spark__connect__plan__descriptor, "OPTYPE_NOT_SET");
    }
}

/* ---- entry points ---- */

static pt__decoder decoder_of(pt__arena *arena, const pt__decode_options *options, pt_error *err)
{
    pt__decoder d = {.arena = arena, .err = err};
    if (options != NULL) {
        d.options = &options->sql;
        d.extensions = options->extensions;
    }
    return d;
}

pt_status pt__connect_decode_plan(pt__arena *arena, const Spark__Connect__Plan *plan, const pt__decode_options *options,
                                  operation *out, pt_error *err)
{
    pt__decoder d = decoder_of(arena, options, err);
    *out = (operation){0};
    if (plan == NULL)
        return pt__decode_not_set(&d, NULL, &spark__connect__plan__descriptor, "OPTYPE_NOT_SET");
    PT_TRY(pt__connect_inflate_plan(arena, plan, &plan, err));
    return decode_plan(&d, plan, out);
}

pt_status pt__connect_decode_command(pt__arena *arena, const Spark__Connect__Command *command,
                                     const pt__decode_options *options, operation *out, pt_error *err)
{
    *out = (operation){0};
    pt__decoder d = decoder_of(arena, options, err);
    return decode_command(&d, command, out);
}

pt_status pt__connect_decode_relation(pt__arena *arena, const Spark__Connect__Relation *relation,
                                      const pt__decode_options *options, const pt_plan **out, pt_error *err)
{
    pt__decoder d = decoder_of(arena, options, err);
    return pt__decode_relation(&d, relation, out);
}

pt_status pt__connect_decode_expression(pt__arena *arena, const Spark__Connect__Expression *expression,
                                        const pt__decode_options *options, const pt_expr **out, pt_error *err)
{
    pt__decoder d = decoder_of(arena, options, err);
    return pt__decode_expression(&d, expression, out);
}

pt_status pt__connect_decode_type(pt__arena *arena, const Spark__Connect__DataType *type,
                                  const pt__decode_options *options, const pt_type **out, pt_error *err)
{
    pt__decoder d = decoder_of(arena, options, err);
    return pt__decode_type(&d, type, out);
}

pt_status pt__connect_decode_schema_text(pt__arena *arena, const char *text, const pt__decode_options *options,
                                         const pt_type **out, pt_error *err)
{
    pt__decoder d = decoder_of(arena, options, err);
    return pt__decode_schema_text(&d, text, out);
}
