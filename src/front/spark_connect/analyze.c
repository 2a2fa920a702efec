/* AnalyzePlan: fourteen questions about plans and schemas, answered on a worker. */
#include "front/spark_connect/calls.h"

#include "analyze/analyze.h"
#include "base/arena_buffer.h"
#include "base/map.h"
#include "base/unconst.h"
#include "decode/spark_connect/decoder.h"
#include "exec/decode.h"
#include "exec/streams.h"
#include "front/spark_connect/schema_text.h"
#include "plan/walk.h"

#include <stdlib.h>
#include <string.h>

typedef Spark__Connect__AnalyzePlanRequest analyze_request;
typedef Spark__Connect__AnalyzePlanResponse analyze_response;
#define PT_CONNECT_QUESTION(name) SPARK__CONNECT__ANALYZE_PLAN_REQUEST__ANALYZE_##name
#define PT_CONNECT_RESULT(name) SPARK__CONNECT__ANALYZE_PLAN_RESPONSE__RESULT_##name

/* A question on its way through a worker. It ends on the loop thread. */
typedef struct question {
    pt__connect *mount;
    pt_call *call; /* loop thread only; NULL once the call is over */
    pt_mailbox *mailbox;
    char *principal; /* may be NULL */
    pt_bytes *request;
    /* the worker's */
    pt__arena *arena;
    pt_session *session;
    pt__decode_options options;
    pt_bytes *answer;
    pt_error err;
} question;

/* ---- pieces ---- */

static pt_status decode_relation(question *q, const Spark__Connect__Relation *relation, const pt_plan **out,
                                 pt_error *err)
{
    if (relation == NULL)
        return pt_error_set(err, PT_BAD_PLAN, "The AnalyzePlan call carries no relation.");
    return pt__connect_decode_relation(q->arena, relation, &q->options, out, err);
}

/* The relation of a plan; commands have no schema and no explanation. */
static pt_status decode_plan(question *q, const Spark__Connect__Plan *plan, const pt_plan **out, pt_error *err)
{
    if (plan == NULL)
        return pt_error_set(err, PT_BAD_PLAN, "The AnalyzePlan call carries no plan.");
    pt__connect_operation operation = {0};
    const Spark__Connect__Plan *inflated;
    PT_TRY(pt__connect_inflate_plan(q->arena, plan, &inflated, err));
    PT_TRY(pt__connect_decode_plan(q->arena, inflated, &q->options, &operation, err));
    if (operation.kind != PT_CONNECT_RELATION)
        return pt_error_set(err, PT_BAD_PLAN, "AnalyzePlan is about relations, not about commands.");
    *out = operation.plan;
    return PT_OK;
}

static pt_status analyze_plan(question *q, const Spark__Connect__Plan *plan, const pt_plan **out, pt_error *err)
{
    const pt_plan *decoded;
    PT_TRY(decode_plan(q, plan, &decoded, err));
    return pt__session_analyze(q->session, q->arena, decoded, out, err);
}

static pt_status plan_schema(question *q, const Spark__Connect__Plan *plan, const pt_type **out, pt_error *err)
{
    const pt_plan *analyzed;
    PT_TRY(analyze_plan(q, plan, &analyzed, err));
    *out = pt__analyzed_schema(q->arena, analyzed);
    return PT_OK;
}

static const pt_expr *without_names(void *context, const pt_expr *expr)
{
    question *q = context;
    if (expr->kind == PT_EXPR_ALIAS) {
        pt_expr_alias *alias = pt__expr_make(q->arena, ALIAS, alias, NULL);
        *alias = *pt__expr_as_alias(expr);
        alias->name_count = 0;
        alias->metadata = NULL;
        return &alias->base;
    }
    if (expr->kind == PT_EXPR_COLUMN) {
        pt_expr_column *column = pt__expr_make(q->arena, COLUMN, column, NULL);
        *column = *pt__expr_as_column(expr);
        column->name = "";
        return &column->base;
    }
    return expr;
}

/* A digest of what the plan computes, whatever its columns are called. */
static pt_status semantic_key(question *q, const Spark__Connect__Plan *plan, const char **out, pt_error *err)
{
    const pt_plan *decoded;
    const pt_plan *analyzed;
    PT_TRY(decode_plan(q, plan, &decoded, err));
    PT_TRY(pt__session_analyze(q->session, q->arena, decoded, &analyzed, err));
    const pt__rewriter rewriter = {.expr = without_names, .context = q};
    const pt_plan *nameless = pt__plan_rewrite(q->arena, analyzed, &rewriter);
    *out = pt__plan_key(q->arena, pt__plan_copy(q->arena, nameless)); /* a copy has no output columns, so no names */
    return PT_OK;
}

/* ---- questions ---- */

static pt_status answer_schema(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const pt_type *schema;
    PT_TRY(plan_schema(q, request->schema->plan, &schema, err));
    out->result_case = PT_CONNECT_RESULT(SCHEMA);
    out->schema = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__Schema,
                                   spark__connect__analyze_plan_response__schema__init);
    out->schema->schema = pt__connect_encode_type(q->arena, schema);
    return PT_OK;
}

static const char *explain_mode(Spark__Connect__AnalyzePlanRequest__Explain__ExplainMode mode)
{
    static const char *const NAMES[] = {"simple", "simple", "extended", "codegen", "cost", "formatted"};
    return (unsigned)mode < sizeof(NAMES) / sizeof(NAMES[0]) ? NAMES[mode] : NULL;
}

static pt_status answer_explain(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const pt_plan *decoded;
    const char *text;
    const char *mode = explain_mode(request->explain->explain_mode);
    if (mode == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "The explain_mode %d is not known.", request->explain->explain_mode);
    PT_TRY(decode_plan(q, request->explain->plan, &decoded, err));
    PT_TRY(pt__session_explain(q->session, q->arena, decoded, mode, &text, err));
    out->result_case = PT_CONNECT_RESULT(EXPLAIN);
    out->explain = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__Explain,
                                    spark__connect__analyze_plan_response__explain__init);
    out->explain->explain_string = pt__arena_copy_string(q->arena, text);
    return PT_OK;
}

static pt_status answer_tree_string(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const pt_type *schema;
    PT_TRY(plan_schema(q, request->tree_string->plan, &schema, err));
    pt__buffer *text = pt__arena_buffer(q->arena);
    pt__connect_append_tree(text, schema, request->tree_string->_level_case == 0 ? 0 : request->tree_string->level);
    out->result_case = PT_CONNECT_RESULT(TREE_STRING);
    out->tree_string = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__TreeString,
                                        spark__connect__analyze_plan_response__tree_string__init);
    out->tree_string->tree_string = pt__arena_copy_string(q->arena, pt__buffer_string(text));
    return PT_OK;
}

static pt_status answer_is_local(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const pt_plan *analyzed;
    PT_TRY(analyze_plan(q, request->is_local->plan, &analyzed, err));
    out->result_case = PT_CONNECT_RESULT(IS_LOCAL);
    out->is_local = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__IsLocal,
                                     spark__connect__analyze_plan_response__is_local__init);
    out->is_local->is_local = analyzed->kind == PT_PLAN_LOCAL || analyzed->kind == PT_PLAN_VALUES;
    return PT_OK;
}

static pt_status answer_is_streaming(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const pt_plan *decoded;
    const pt_plan *analyzed;
    PT_TRY(decode_plan(q, request->is_streaming->plan, &decoded, err));
    PT_TRY(pt__session_analyze(q->session, q->arena, decoded, &analyzed, err));
    out->result_case = PT_CONNECT_RESULT(IS_STREAMING);
    out->is_streaming = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__IsStreaming,
                                         spark__connect__analyze_plan_response__is_streaming__init);
    out->is_streaming->is_streaming = pt__plan_is_streaming(analyzed);
    return PT_OK;
}

static pt_status answer_input_files(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const pt_plan *decoded;
    const char *const *files = NULL;
    size_t count = 0;
    PT_TRY(decode_plan(q, request->input_files->plan, &decoded, err));
    PT_TRY(pt__session_input_files(q->session, q->arena, decoded, &files, &count, err));
    out->result_case = PT_CONNECT_RESULT(INPUT_FILES);
    out->input_files = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__InputFiles,
                                        spark__connect__analyze_plan_response__input_files__init);
    out->input_files->files = pt__arena_array(q->arena, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        out->input_files->files[i] = pt__arena_printf(q->arena, "file://%s", files[i]);
    out->input_files->n_files = count;
    return PT_OK;
}

static pt_status answer_spark_version(question *q, analyze_response *out)
{
    out->result_case = PT_CONNECT_RESULT(SPARK_VERSION);
    out->spark_version = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__SparkVersion,
                                          spark__connect__analyze_plan_response__spark_version__init);
    out->spark_version->version = pt__arena_copy_string(q->arena, PT_SPARK_VERSION);
    return PT_OK;
}

static pt_status answer_ddl_parse(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const pt_type *type;
    PT_TRY(pt__connect_decode_schema_text(q->arena, request->ddl_parse->ddl_string, &q->options, &type, err));
    out->result_case = PT_CONNECT_RESULT(DDL_PARSE);
    out->ddl_parse = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__DDLParse,
                                      spark__connect__analyze_plan_response__ddlparse__init);
    out->ddl_parse->parsed = pt__connect_encode_type(q->arena, type);
    return PT_OK;
}

static pt_status answer_same_semantics(question *q, const analyze_request *request, analyze_response *out,
                                       pt_error *err)
{
    const char *target;
    const char *other;
    PT_TRY(semantic_key(q, request->same_semantics->target_plan, &target, err));
    PT_TRY(semantic_key(q, request->same_semantics->other_plan, &other, err));
    out->result_case = PT_CONNECT_RESULT(SAME_SEMANTICS);
    out->same_semantics = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__SameSemantics,
                                           spark__connect__analyze_plan_response__same_semantics__init);
    out->same_semantics->result = strcmp(target, other) == 0;
    return PT_OK;
}

static pt_status answer_semantic_hash(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const char *key;
    PT_TRY(semantic_key(q, request->semantic_hash->plan, &key, err));
    out->result_case = PT_CONNECT_RESULT(SEMANTIC_HASH);
    out->semantic_hash = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__SemanticHash,
                                          spark__connect__analyze_plan_response__semantic_hash__init);
    out->semantic_hash->result = (int32_t)pt__hash_bytes(key, strlen(key));
    return PT_OK;
}

/* ---- persistence ---- */

static pt_status relation_key(question *q, const Spark__Connect__Relation *relation, const char **out, pt_error *err)
{
    const pt_plan *decoded;
    PT_TRY(decode_relation(q, relation, &decoded, err));
    *out = pt__plan_key(q->arena, decoded);
    return PT_OK;
}

static pt_status answer_persist(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    pt__storage_level level = {.use_disk = true, .use_memory = true, .deserialized = true, .replication = 1};
    const char *key;
    const pt_plan *decoded;
    const pt_plan *analyzed;
    PT_TRY(decode_relation(q, request->persist->relation, &decoded, err));
    key = pt__plan_key(q->arena, decoded);
    PT_TRY(pt__session_analyze(q->session, q->arena, decoded, &analyzed, err));
    pt__session_persist(q->session, q->arena, key, analyzed);
    if (request->persist->_storage_level_case != 0) {
        const Spark__Connect__StorageLevel *wanted = request->persist->storage_level;
        level = (pt__storage_level){wanted->use_disk, wanted->use_memory, wanted->use_off_heap, wanted->deserialized,
                                    wanted->replication};
    }
    pt__session_set_storage(q->session, key, &level);
    out->result_case = PT_CONNECT_RESULT(PERSIST);
    out->persist = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__Persist,
                                    spark__connect__analyze_plan_response__persist__init);
    return PT_OK;
}

static pt_status answer_unpersist(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const char *key;
    PT_TRY(relation_key(q, request->unpersist->relation, &key, err));
    pt__session_set_storage(q->session, key, NULL);
    pt__session_unpersist(q->session, key);
    out->result_case = PT_CONNECT_RESULT(UNPERSIST);
    out->unpersist = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__Unpersist,
                                      spark__connect__analyze_plan_response__unpersist__init);
    return PT_OK;
}

static pt_status answer_storage_level(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const char *key;
    pt__storage_level level;
    PT_TRY(relation_key(q, request->get_storage_level->relation, &key, err));
    pt__session_get_storage(q->session, key, &level);
    Spark__Connect__StorageLevel *told =
        pt__connect_make(q->arena, Spark__Connect__StorageLevel, spark__connect__storage_level__init);
    told->use_disk = level.use_disk;
    told->use_memory = level.use_memory;
    told->use_off_heap = level.use_off_heap;
    told->deserialized = level.deserialized;
    told->replication = level.replication;
    out->result_case = PT_CONNECT_RESULT(GET_STORAGE_LEVEL);
    out->get_storage_level = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__GetStorageLevel,
                                              spark__connect__analyze_plan_response__get_storage_level__init);
    out->get_storage_level->storage_level = told;
    return PT_OK;
}

static pt_status answer_json_to_ddl(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    const pt_type *type;
    const char *json = request->json_to_ddl->json_string;
    PT_TRY(pt__type_parse_json(q->arena, json, strlen(json), &type, err));
    if (type->id != PT_TYPE_STRUCT)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "A schema must be a struct.");
    pt__buffer *text = pt__arena_buffer(q->arena);
    pt__connect_append_ddl(text, q->arena, type);
    out->result_case = PT_CONNECT_RESULT(JSON_TO_DDL);
    out->json_to_ddl = pt__connect_make(q->arena, Spark__Connect__AnalyzePlanResponse__JsonToDDL,
                                        spark__connect__analyze_plan_response__json_to_ddl__init);
    out->json_to_ddl->ddl_string = pt__arena_copy_string(q->arena, pt__buffer_string(text));
    return PT_OK;
}

static pt_status answer_question(question *q, const analyze_request *request, analyze_response *out, pt_error *err)
{
    switch (request->analyze_case) {
    case PT_CONNECT_QUESTION(SCHEMA): return answer_schema(q, request, out, err);
    case PT_CONNECT_QUESTION(EXPLAIN): return answer_explain(q, request, out, err);
    case PT_CONNECT_QUESTION(TREE_STRING): return answer_tree_string(q, request, out, err);
    case PT_CONNECT_QUESTION(IS_LOCAL): return answer_is_local(q, request, out, err);
    case PT_CONNECT_QUESTION(IS_STREAMING): return answer_is_streaming(q, request, out, err);
    case PT_CONNECT_QUESTION(INPUT_FILES): return answer_input_files(q, request, out, err);
    case PT_CONNECT_QUESTION(SPARK_VERSION): return answer_spark_version(q, out);
    case PT_CONNECT_QUESTION(DDL_PARSE): return answer_ddl_parse(q, request, out, err);
    case PT_CONNECT_QUESTION(SAME_SEMANTICS): return answer_same_semantics(q, request, out, err);
    case PT_CONNECT_QUESTION(SEMANTIC_HASH): return answer_semantic_hash(q, request, out, err);
    case PT_CONNECT_QUESTION(PERSIST): return answer_persist(q, request, out, err);
    case PT_CONNECT_QUESTION(UNPERSIST): return answer_unpersist(q, request, out, err);
    case PT_CONNECT_QUESTION(GET_STORAGE_LEVEL): return answer_storage_level(q, request, out, err);
    case PT_CONNECT_QUESTION(JSON_TO_DDL): return answer_json_to_ddl(q, request, out, err);
    case _SPARK__CONNECT__ANALYZE_PLAN_REQUEST__ANALYZE__CASE_IS_INT_SIZE: /* no member */
    case SPARK__CONNECT__ANALYZE_PLAN_REQUEST__ANALYZE__NOT_SET: break;
    }
    return pt_error_set(err, PT_UNSUPPORTED, "The question of the AnalyzePlan call is not set, or is not known.");
}

/* ---- on the worker ---- */

static pt_status pack(question *q, const ProtobufCMessage *message, pt_error *err)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    pt__buffer *packed = pt__arena_buffer(q->arena);
    if (!pt__buffer_reserve(packed, size == 0 ? 1 : size))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an answer of %zu bytes", size);
    packed->size_bytes = protobuf_c_message_pack(message, packed->data);
    q->answer = pt__buffer_take(packed);
    return q->answer == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for an answer") : PT_OK;
}

static pt_status work(question *q, pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(pt__connect_unpack(q->arena, &spark__connect__analyze_plan_request__descriptor,
                              pt_bytes_get_view(q->request), &message, err));
    const analyze_request *request = (const analyze_request *)message;
    pt__session_key key = PT_CONNECT_KEY(q->principal, request);
    PT_TRY(pt__host_session(q->mount->host, &key, true, &q->session, err));
    q->options = pt__session_decode_options(q->session, q->arena);
    analyze_response response = SPARK__CONNECT__ANALYZE_PLAN_RESPONSE__INIT;
    PT_TRY(answer_question(q, request, &response, err));
    response.session_id = request->session_id;
    response.server_side_session_id = pt__unconst(pt_session_id(q->session));
    return pack(q, &response.base, err);
}

static pt_status work_guarded(question *q, pt_error *err)
{
    size_t limit = pt__host_plan_limit_bytes(q->mount->host);
    q->arena = pt__host_arena(q->mount->host, limit);
    if (q->arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a plan");
    if (PT_ARENA_GUARD(q->arena))
        return pt_error_set(err, PT_LIMIT, "The plan needs more than %zu bytes (plan.memory-limit).", limit);
    pt_status status = work(q, err);
    pt__arena_unguard(q->arena);
    return status;
}

/* ---- on the loop thread ---- */

static void free_question(question *q)
{
    pt_session_unref(q->session);
    pt__arena_free(q->arena);
    pt_bytes_unref(q->answer);
    pt_bytes_unref(q->request);
    pt_error_clear(&q->err);
    free(q->principal);
    pt__connect_unref(q->mount);
    free(q);
}

static void send_answer(question *q)
{
    if (q->err.status == PT_OK) {
        pt_segment segment = {q->answer, pt_bytes_get_view(q->answer)};
        q->answer = NULL;
        if (pt_call_send(q->call, &segment, 1, &q->err) == PT_OK) {
            pt__connect_finish_ok(q->call);
            return;
        }
    }
    pt__connect_fail(q->mount, q->call, q->session, &q->err);
}

static void finish_question(void *state)
{
    question *q = state;
    if (q->call != NULL) {
        q->call->state = pt__connect_answered();
        send_answer(q);
    }
    free_question(q);
}

static void run_question(void *state)
{
    question *q = state;
    work_guarded(q, &q->err);
    pt__arena_free(q->arena); /* here, as large arenas take their time */
    q->arena = NULL;
    pt_mailbox_post(q->mailbox, finish_question, q);
}

static question *new_question(pt__connect *mount, pt_call *call, pt_bytes_view request)
{
    question *q = calloc(1, sizeof(*q));
    if (q == NULL)
        return NULL;
    const char *principal = pt__connect_principal(call);
    q->mount = pt__connect_ref(mount);
    q->call = call;
    q->mailbox = pt_call_mailbox(call);
    q->request = pt_bytes_copy(request);
    q->principal = principal == NULL ? NULL : strdup(principal);
    if (q->request != NULL && (principal == NULL || q->principal != NULL))
        return q;
    free_question(q);
    return NULL;
}

void pt__connect_analyze_message(void *state, pt_call *call, pt_bytes_view request)
{
    pt__connect *mount = state;
    pt_error err = PT_ERROR_INIT;
    if (call->state != NULL)
        return; /* a second request of a unary call */
    question *q = new_question(mount, call, request);
    call->state = q;
    pt_status status = q == NULL ? pt_error_set(&err, PT_NO_MEMORY, "no memory for a plan")
                                 : pt__host_run(mount->host, run_question, q, &err);
    if (status != PT_OK) {
        call->state = pt__connect_answered();
        pt__connect_fail(mount, call, NULL, &err);
        if (q != NULL)
            free_question(q);
    }
    pt_error_clear(&err);
}

void pt__connect_analyze_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)mount;
    (void)end;
    question *q = call->state;
    if (call->state != pt__connect_answered() && q != NULL)
        q->call = NULL; /* the worker's answer will find nobody */
    call->state = NULL;
}
