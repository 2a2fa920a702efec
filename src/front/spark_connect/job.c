#include "front/spark_connect/job.h"

#include "analyze/analyze.h"
#include "base/arena_buffer.h"
#include "base/condition.h"
#include "base/unconst.h"
#include "decode/spark_connect/decoder.h"
#include "exec/decode.h"
#include "exec/recover.h"
#include "front/spark_connect/notes.h"
#include "front/spark_connect/show.h"
#include "front/spark_connect/streaming.h"
#include "front/spark_connect/text_batch.h"
#include "wire/proto.h"

#include <stdlib.h>
#include <string.h>

typedef struct job_context {
    pt__connect *mount;
    pt_bytes *plan;
    uint8_t chunk_exponent;
} job_context;

void *pt__connect_job_new(pt__connect *mount, pt_bytes *take_plan, uint8_t chunk_exponent)
{
    job_context *context = malloc(sizeof(*context));
    if (context == NULL) {
        pt_bytes_unref(take_plan);
        return NULL;
    }
    *context = (job_context){pt__connect_ref(mount), take_plan, chunk_exponent};
    return context;
}

void pt__connect_job_free(void *state)
{
    job_context *context = state;
    pt_bytes_unref(context->plan);
    pt__connect_unref(context->mount);
    free(context);
}

pt_status pt__connect_job_prepare(void *mount, const pt_encoded_query *query, pt__job_request *out, pt_error *err)
{
    unsigned long exponent = 0;
    for (size_t i = 0; i < query->option_count; i++)
        if (strcmp(query->options[i].name, PT_CONNECT_CHUNK_OPTION) == 0)
            exponent = strtoul(query->options[i].value, NULL, 10);
    pt_bytes *plan = pt_bytes_copy(query->payload);
    out->context = plan == NULL ? NULL : pt__connect_job_new(mount, plan, exponent > 31 ? 0 : (uint8_t)exponent);
    out->run = pt__connect_job_run;
    out->free_context = pt__connect_job_free;
    return out->context != NULL ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for a plan");
}

/* ---- notes ---- */

/* Takes the bytes of `fields`. */
static pt_status write_fields(pt_job *job, pt__buffer *fields, pt_error *err)
{
    pt_bytes *bytes = pt__buffer_take(fields);
    if (bytes == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a response");
    return pt__job_write_note(job, PT_CONNECT_NOTE_FIELDS, bytes, err);
}

static void append_message(pt__buffer *out, uint32_t field, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    pt__proto_append_header(out, field, size);
    if (pt__buffer_reserve(out, size))
        out->size_bytes += protobuf_c_message_pack(message, out->data + out->size_bytes);
}

static pt_status write_message(pt_job *job, uint32_t field, const ProtobufCMessage *message, pt_error *err)
{
    pt__buffer fields = PT_BUFFER_INIT;
    append_message(&fields, field, message);
    return write_fields(job, &fields, err);
}

static pt_status write_options(pt_job *job, const job_context *context, pt_error *err)
{
    pt_bytes *bytes = pt_bytes_copy((pt_bytes_view){&context->chunk_exponent, 1});
    if (bytes == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a job");
    return pt__job_write_note(job, PT_CONNECT_NOTE_OPTIONS, bytes, err);
}

static pt_status write_schema(pt_job *job, const pt_type *schema, pt_error *err)
{
    return write_message(job, PT_CONNECT_SCHEMA, &pt__connect_encode_type(pt__job_arena(job), schema)->base, err);
}

/* ---- observed metrics ---- */

static Spark__Connect__ExecutePlanResponse__ObservedMetrics *make_observed(pt__arena *arena,
                                                                           const pt__observation *observation)
{
    Spark__Connect__ExecutePlanResponse__ObservedMetrics *out =
        pt__arena_make(arena, Spark__Connect__ExecutePlanResponse__ObservedMetrics);
    spark__connect__execute_plan_response__observed_metrics__init(out);
    out->name = pt__arena_copy_string(arena, observation->name);
    out->plan_id = observation->plan_id;
    out->keys = pt__arena_array(arena, char *, observation->column_count + 1);
    out->values = pt__arena_array(arena, Spark__Connect__Expression__Literal *, observation->column_count + 1);
    for (size_t i = 0; i < observation->column_count; i++) {
        const pt_column *column = &observation->columns[i];
        out->keys[out->n_keys++] = pt__arena_copy_string(arena, column->name);
        out->values[out->n_values++] = pt__connect_encode_literal(arena, column->type, &observation->values[i]);
    }
    return out;
}

static pt_status write_observed(pt_job *job, const pt_plan *plan, pt_error *err)
{
    const pt__observation *observations = NULL;
    size_t count = 0;
    PT_TRY(pt__job_observe(job, plan, &observations, &count, err));
    if (count == 0)
        return PT_OK;
    pt__buffer *fields = pt__arena_buffer(pt__job_arena(job));
    for (size_t i = 0; i < count; i++)
        append_message(fields, PT_CONNECT_OBSERVED_METRICS, &make_observed(pt__job_arena(job), &observations[i])->base);
    return write_fields(job, fields, err);
}

/* ---- relations ---- */

static pt_status run_show(pt_job *job, const job_context *context, const pt_plan_show *show, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    pt_field *field = pt__arena_make(arena, pt_field);
    field->name = pt__connect_show_column(show);
    field->type = PT_T(STRING);
    PT_TRY(write_schema(job, pt__type_struct(arena, field, 1), err));
    pt__buffer *text = pt__arena_buffer(arena);
    pt__buffer *fields = pt__arena_buffer(arena);
    PT_TRY(pt__connect_show(job, context->mount->zones, show, text, err));
    PT_TRY(pt__connect_append_text_batch(fields, field->name, text, err));
    return write_fields(job, fields, err);
}

static pt_status run_relation(pt_job *job, const job_context *context, const pt_plan *plan, pt_error *err)
{
    if (plan->kind == PT_PLAN_SHOW) {
        PT_TRY(run_show(job, context, pt__plan_as_show(plan), err));
        return write_observed(job, plan, err);
    }
    const pt_plan *relation = NULL;
    bool was_command;
    PT_TRY(pt__job_settle(job, plan, &relation, &was_command, err));
    PT_TRY(write_schema(job, pt__analyzed_schema(pt__job_arena(job), relation), err));
    PT_TRY(pt__job_execute(job, relation, err));
    return write_observed(job, plan, err);
}

static pt_status run_command(pt_job *job, const pt_plan *plan, pt_error *err)
{
    const pt_plan *relation = NULL;
    bool was_command;
    PT_TRY(pt__job_settle(job, plan, &relation, &was_command, err));
    return write_observed(job, plan, err);
}

/* ---- spark.sql ---- */

static pt_status write_sql_result(pt_job *job, Spark__Connect__Relation *relation, pt_error *err)
{
    Spark__Connect__ExecutePlanResponse__SqlCommandResult result =
        SPARK__CONNECT__EXECUTE_PLAN_RESPONSE__SQL_COMMAND_RESULT__INIT;
    result.relation = relation;
    return write_message(job, PT_CONNECT_SQL_COMMAND_RESULT, &result.base, err);
}

/* What clients up to 3.5 sent: the statement in the command itself, in fields that are deprecated since. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static Spark__Connect__Relation *relation_of_old_form(pt__arena *arena, const Spark__Connect__SqlCommand *command)
{
    Spark__Connect__SQL *sql = pt__arena_make(arena, Spark__Connect__SQL);
    Spark__Connect__Relation *relation = pt__arena_make(arena, Spark__Connect__Relation);
    spark__connect__sql__init(sql);
    spark__connect__relation__init(relation);
    sql->query = command->sql;
    sql->n_pos_args = command->n_pos_args;
    sql->pos_args = command->pos_args;
    sql->n_pos_arguments = command->n_pos_arguments;
    sql->pos_arguments = command->pos_arguments;
    sql->args = pt__arena_array(arena, Spark__Connect__SQL__ArgsEntry *, command->n_args + 1);
    for (size_t i = 0; i < command->n_args; i++) {
        Spark__Connect__SQL__ArgsEntry *entry = pt__arena_make(arena, Spark__Connect__SQL__ArgsEntry);
        spark__connect__sql__args_entry__init(entry);
        entry->key = command->args[i]->key;
        entry->value = command->args[i]->value;
        sql->args[sql->n_args++] = entry;
    }
    sql->named_arguments =
        pt__arena_array(arena, Spark__Connect__SQL__NamedArgumentsEntry *, command->n_named_arguments + 1);
    for (size_t i = 0; i < command->n_named_arguments; i++) {
        Spark__Connect__SQL__NamedArgumentsEntry *entry =
            pt__arena_make(arena, Spark__Connect__SQL__NamedArgumentsEntry);
        spark__connect__sql__named_arguments_entry__init(entry);
        entry->key = command->named_arguments[i]->key;
        entry->value = command->named_arguments[i]->value;
        sql->named_arguments[sql->n_named_arguments++] = entry;
    }
    relation->rel_type_case = SPARK__CONNECT__RELATION__REL_TYPE_SQL;
    relation->sql = sql;
    return relation;
}

#pragma GCC diagnostic pop

/* A query is analyzed, so that its errors show now; the client sends the relation back to run it. */
static pt_status run_sql_query(pt_job *job, const pt__connect_operation *operation, const Spark__Connect__Plan *plan,
                               pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    const pt_plan *analyzed = NULL;
    PT_TRY(pt__session_analyze(pt__job_session(job), arena, operation->plan, &analyzed, err));
    Spark__Connect__Relation *relation = pt__unconst(operation->sql_input);
    if (relation == NULL)
        relation = relation_of_old_form(arena, plan->command->sql_command);
    return write_sql_result(job, relation, err);
}

/* A statement has run; its rows go back inside the result, as a relation that the client may send again. */
static pt_status write_statement_rows(pt_job *job, const pt_plan *rows, pt_error *err)
{
    pt__buffer *schema = pt__arena_buffer(pt__job_arena(job));
    pt__type_append_json(schema, pt__analyzed_schema(pt__job_arena(job), rows));
    pt_bytes *stream = NULL;
    int64_t row_count;
    PT_TRY(pt__job_collect(job, rows, &stream, &row_count, err));
    Spark__Connect__LocalRelation local = SPARK__CONNECT__LOCAL_RELATION__INIT;
    Spark__Connect__Relation relation = SPARK__CONNECT__RELATION__INIT;
    pt_bytes_view view = pt_bytes_get_view(stream);
    local._data_case = SPARK__CONNECT__LOCAL_RELATION___DATA_DATA;
    local.data = (ProtobufCBinaryData){view.size_bytes, pt__unconst(view.data)};
    local._schema_case = SPARK__CONNECT__LOCAL_RELATION___SCHEMA_SCHEMA;
    local.schema = pt__unconst(pt__buffer_string(schema));
    relation.rel_type_case = SPARK__CONNECT__RELATION__REL_TYPE_LOCAL_RELATION;
    relation.local_relation = &local;
    pt_status status = write_sql_result(job, &relation, err);
    pt_bytes_unref(stream);
    return status;
}

static bool is_statement(const pt_plan *plan)
{
    if (plan->kind == PT_PLAN_WITH_REFERENCES)
        plan = pt__plan_as_with_references(plan)->root;
    return pt__plan_is_command(plan);
}

static pt_status run_sql(pt_job *job, const pt__connect_operation *operation, const Spark__Connect__Plan *plan,
                         pt_error *err)
{
    if (!is_statement(operation->plan))
        return run_sql_query(job, operation, plan, err);
    const pt_plan *rows = NULL;
    bool was_command;
    PT_TRY(pt__job_settle(job, operation->plan, &rows, &was_command, err));
    return write_statement_rows(job, rows, err);
}

/* ---- other commands ---- */

static pt_status run_checkpoint(pt_job *job, const pt__connect_operation *operation, pt_error *err)
{
    const char *id = NULL;
    PT_TRY(pt__job_checkpoint(job, operation->plan, &id, err));
    Spark__Connect__CachedRemoteRelation relation = SPARK__CONNECT__CACHED_REMOTE_RELATION__INIT;
    Spark__Connect__CheckpointCommandResult result = SPARK__CONNECT__CHECKPOINT_COMMAND_RESULT__INIT;
    relation.relation_id = pt__unconst(id);
    result.relation = &relation;
    return write_message(job, PT_CONNECT_CHECKPOINT_RESULT, &result.base, err);
}

static pt_status write_resources(pt_job *job, pt_error *err)
{
    Spark__Connect__GetResourcesCommandResult result = SPARK__CONNECT__GET_RESOURCES_COMMAND_RESULT__INIT;
    return write_message(job, PT_CONNECT_GET_RESOURCES_RESULT, &result.base, err);
}

/* Clients send this when they end, and wait for a number. */
static pt_status write_cleaned(pt_job *job, pt_error *err)
{
    Spark__Connect__Expression__Literal zero = SPARK__CONNECT__EXPRESSION__LITERAL__INIT;
    Spark__Connect__MlCommandResult result = SPARK__CONNECT__ML_COMMAND_RESULT__INIT;
    zero.literal_type_case = SPARK__CONNECT__EXPRESSION__LITERAL__LITERAL_TYPE_INTEGER;
    result.result_type_case = SPARK__CONNECT__ML_COMMAND_RESULT__RESULT_TYPE_PARAM;
    result.param = &zero;
    return write_message(job, PT_CONNECT_ML_RESULT, &result.base, err);
}

static pt_status refuse_function(const pt__connect_operation *operation, pt_error *err)
{
    if (operation->java_class != NULL)
        return pt__raise(err, PT_COND_CANNOT_LOAD_FUNCTION_CLASS, "className", operation->java_class, "functionName",
                         operation->name, NULL);
    return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "functions in Python", NULL);
}

static pt_status run_operation(pt_job *job, const job_context *context, const pt__connect_operation *operation,
                               const Spark__Connect__Plan *plan, pt_error *err)
{
    switch (operation->kind) {
    case PT_CONNECT_RELATION: return run_relation(job, context, operation->plan, err);
    case PT_CONNECT_COMMAND: return run_command(job, operation->plan, err);
    case PT_CONNECT_SQL: return run_sql(job, operation, plan, err);
    case PT_CONNECT_REGISTER_FUNCTION:
    case PT_CONNECT_REGISTER_TABLE_FUNCTION: return refuse_function(operation, err);
    case PT_CONNECT_CHECKPOINT: return run_checkpoint(job, operation, err);
    case PT_CONNECT_REMOVE_CACHED:
        pt__session_drop_checkpoint(pt__job_session(job), operation->relation_id);
        return PT_OK;
    case PT_CONNECT_GET_RESOURCES: return write_resources(job, err);
    case PT_CONNECT_CREATE_RESOURCE_PROFILE:
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "resource profiles", NULL);
    case PT_CONNECT_ML_CLEAN_CACHE: return write_cleaned(job, err);
    }
    return pt_error_set(err, PT_INTERNAL, "an operation of kind %d", (int)operation->kind);
}

/* Statements of SQL say later what they are. */
static bool has_effect(const Spark__Connect__Plan *plan)
{
    return plan->op_type_case == SPARK__CONNECT__PLAN__OP_TYPE_COMMAND &&
           plan->command->command_type_case != SPARK__CONNECT__COMMAND__COMMAND_TYPE_SQL_COMMAND;
}

pt_status pt__connect_job_run(pt_job *job, void *state, pt_error *err)
{
    const job_context *context = state;
    pt__arena *arena = pt__job_arena(job);
    PT_TRY(write_options(job, context, err));
    ProtobufCMessage *message;
    const Spark__Connect__Plan *plan;
    pt__connect_operation operation = {0};
    pt__decode_options options = pt__session_decode_options(pt__job_session(job), arena);
    PT_TRY(
        pt__connect_unpack(arena, &spark__connect__plan__descriptor, pt_bytes_get_view(context->plan), &message, err));
    PT_TRY(pt__connect_inflate_plan(arena, (const Spark__Connect__Plan *)message, &plan, err));
    pt__connect_stream_answer answer = {0};
    if (has_effect(plan))
        PT_TRY(pt__job_begin(job, PT_JOB_WRITE, err));
    if (plan->op_type_case == SPARK__CONNECT__PLAN__OP_TYPE_COMMAND)
        PT_TRY(pt__connect_streaming(job, context->mount, plan->command, &answer, err));
    if (answer.message != NULL)
        return write_message(job, answer.field, answer.message, err);
    PT_TRY(pt__connect_decode_plan(arena, plan, &options, &operation, err));
    return run_operation(job, context, &operation, plan, err);
}
