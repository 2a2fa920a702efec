#include "front/spark_connect/streaming.h"

#include "base/arena_buffer.h"
#include "base/condition.h"
#include "base/unconst.h"
#include "decode/spark_connect/decoder.h"
#include "exec/decode.h"
#include "front/spark_connect/notes.h"
#include "front/spark_connect/show.h"
#include "front/spark_connect/unary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef Spark__Connect__WriteStreamOperationStart start_message;
typedef Spark__Connect__StreamingQueryCommand query_message;
typedef Spark__Connect__StreamingQueryCommandResult query_result;
typedef Spark__Connect__StreamingQueryManagerCommand manager_message;
typedef Spark__Connect__StreamingQueryManagerCommandResult manager_result;
typedef Spark__Connect__StreamingQueryManagerCommandResult__StreamingQueryInstance query_instance;

/* ---- sinks ---- */

/* Where the batches of a query go. Texts lie in `memory`. */
typedef struct sink {
    pt__connect *mount;
    pt__arena *memory;
    pt_status (*write)(pt_job *job, struct sink *sink, const pt_plan *rows, int64_t batch, pt_error *err);
    const char *format;
    const char *path;
    const char *table;
    const char *name;
    pt_options options;
    const char *const *partition_columns;
    size_t partition_count;
    bool is_complete;
    const char *kept; /* memory: id of the rows so far, made by malloc */
} sink;

static void free_sink(void *context)
{
    sink *s = context;
    pt__connect_unref(s->mount);
    free(pt__unconst(s->kept));
    pt__arena_free(s->memory);
    free(s);
}

static pt_status run_batch(pt_job *job, void *context, const pt_plan *rows, int64_t batch, pt_error *err)
{
    sink *s = context;
    return s->write(job, s, rows, batch, err);
}

static pt_status settle(pt_job *job, const pt_plan *plan, pt_error *err)
{
    const pt_plan *relation = NULL;
    bool was_command;
    return pt__job_settle(job, plan, &relation, &was_command, err);
}

static pt_status write_console(pt_job *job, sink *s, const pt_plan *rows, int64_t batch, pt_error *err)
{
    pt__buffer *text = pt__arena_buffer(pt__job_arena(job));
    pt_plan_show show = {.input = rows, .row_count = 20, .truncate = 20};
    PT_TRY(pt__connect_show(job, s->mount->zones, &show, text, err));
    const char *rule = "-------------------------------------------";
    printf("%s\nBatch: %lld\n%s\n%s\n", rule, (long long)batch, rule, pt__buffer_string(text));
    fflush(stdout);
    return PT_OK;
}

static pt_status drop_rows(void *context, const struct ArrowSchema *schema, const struct ArrowArray *batch,
                           pt_error *err)
{
    (void)context, (void)schema, (void)batch, (void)err;
    return PT_OK;
}

static pt_status write_nowhere(pt_job *job, sink *s, const pt_plan *rows, int64_t batch, pt_error *err)
{
    (void)s, (void)batch;
    const pt_plan *relation = NULL;
    bool was_command;
    PT_TRY(pt__job_settle(job, rows, &relation, &was_command, err));
    return pt__job_each_batch(job, relation, drop_rows, NULL, err);
}

static const pt_plan *kept_rows(pt__arena *arena, const char *relation_id)
{
    pt_plan_cached *cached = pt__plan_make(arena, CACHED, cached, NULL);
    cached->relation_id = relation_id;
    return &cached->base;
}

/* The view that shows what a memory sink holds. */
static pt_status show_kept(pt_job *job, const sink *s, const char *relation_id, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    pt_plan_create_view *view = pt__plan_make(arena, CREATE_VIEW, create_view, NULL);
    view->name = pt__name_one(arena, s->name);
    view->view_kind = PT_VIEW_TEMPORARY;
    view->replace = true;
    view->query = kept_rows(arena, relation_id);
    return settle(job, &view->base, err);
}

static pt_status write_memory(pt_job *job, sink *s, const pt_plan *rows, int64_t batch, pt_error *err)
{
    (void)batch;
    pt__arena *arena = pt__job_arena(job);
    if (s->kept != NULL && !s->is_complete) {
        pt_plan_set_operation *all = pt__plan_make(arena, SET_OPERATION, set_operation, NULL);
        all->set_kind = PT_SET_UNION;
        all->is_all = true;
        all->left = kept_rows(arena, s->kept);
        all->right = rows;
        rows = &all->base;
    }
    const char *id = NULL;
    PT_TRY(pt__job_checkpoint(job, rows, &id, err));
    PT_TRY(show_kept(job, s, id, err));
    if (s->kept != NULL)
        pt__session_drop_checkpoint(pt__job_session(job), s->kept);
    free(pt__unconst(s->kept));
    s->kept = strdup(id);
    return s->kept == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for the sink") : PT_OK;
}

static pt_status write_path(pt_job *job, sink *s, const pt_plan *rows, int64_t batch, pt_error *err)
{
    (void)batch;
    pt_plan_write_files *write = pt__plan_make(pt__job_arena(job), WRITE_FILES, write_files, NULL);
    write->query = rows;
    write->format = s->format;
    write->path = s->path;
    write->mode = PT_SAVE_APPEND;
    write->options = s->options;
    write->partition_columns = s->partition_columns;
    write->partition_count = s->partition_count;
    return settle(job, &write->base, err);
}

static pt_status write_table(pt_job *job, sink *s, const pt_plan *rows, int64_t batch, pt_error *err)
{
    (void)batch;
    pt_plan_insert *insert = pt__plan_make(pt__job_arena(job), INSERT, insert, NULL);
    insert->table = pt__name_one(pt__job_arena(job), s->table);
    insert->query = rows;
    insert->is_save_as_table = true;
    insert->mode = s->is_complete ? PT_SAVE_OVERWRITE : PT_SAVE_APPEND;
    insert->provider = s->format;
    return settle(job, &insert->base, err);
}

/* ---- start ---- */

static pt_status unsupported(pt_error *err, const char *feature)
{
    return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", feature, NULL);
}

static bool is_file_format(const char *format)
{
    return strcasecmp(format, "parquet") == 0 || strcasecmp(format, "csv") == 0 || strcasecmp(format, "json") == 0 ||
           strcasecmp(format, "text") == 0;
}

static pt_status choose_sink(pt__arena *arena, const start_message *m, sink *s, pt_error *err)
{
    if (s->table != NULL)
        s->write = write_table;
    else if (strcasecmp(s->format, "console") == 0)
        s->write = write_console;
    else if (strcasecmp(s->format, "noop") == 0)
        s->write = write_nowhere;
    else if (strcasecmp(s->format, "memory") == 0 && s->name != NULL)
        s->write = write_memory;
    else if (strcasecmp(s->format, "memory") == 0)
        return pt_error_set(err, PT_ANALYSIS, "queryName must be specified for memory sink");
    else if (is_file_format(s->format) && s->path != NULL && !s->is_complete)
        s->write = write_path;
    else
        return unsupported(err, pt__arena_printf(arena, "the streaming sink %s in output mode %s", s->format,
                                                 m->output_mode[0] == '\0' ? "append" : m->output_mode));
    return PT_OK;
}

static const char *copy_or_null(pt__arena *arena, const char *text)
{
    return text == NULL || text[0] == '\0' ? NULL : pt__arena_copy_string(arena, text);
}

static void copy_options(const start_message *m, sink *s)
{
    pt_option *options = pt__arena_array(s->memory, pt_option, m->n_options + 1);
    for (size_t i = 0; i < m->n_options; i++) {
        options[i].key = pt__arena_copy_string(s->memory, m->options[i]->key);
        options[i].value = pt__arena_copy_string(s->memory, m->options[i]->value);
        if (strcasecmp(options[i].key, "path") == 0 && s->path == NULL)
            s->path = options[i].value;
    }
    s->options = (pt_options){options, m->n_options};
    const char **columns = pt__arena_array(s->memory, const char *, m->n_partitioning_column_names + 1);
    for (size_t i = 0; i < m->n_partitioning_column_names; i++)
        columns[i] = pt__arena_copy_string(s->memory, m->partitioning_column_names[i]);
    s->partition_columns = columns;
    s->partition_count = m->n_partitioning_column_names;
}

#define DESTINATION(name) SPARK__CONNECT__WRITE_STREAM_OPERATION_START__SINK_DESTINATION_##name

static bool copy_sink(const start_message *m, sink *s)
{
    if (PT_ARENA_GUARD(s->memory))
        return false;
    s->name = copy_or_null(s->memory, m->query_name);
    s->format = copy_or_null(s->memory, m->format);
    if (m->sink_destination_case == DESTINATION(PATH))
        s->path = copy_or_null(s->memory, m->path);
    if (m->sink_destination_case == DESTINATION(TABLE_NAME))
        s->table = copy_or_null(s->memory, m->table_name);
    if (s->format == NULL && s->table == NULL)
        s->format = "parquet";
    s->is_complete = strcasecmp(m->output_mode, "complete") == 0;
    copy_options(m, s);
    return true;
}

static sink *make_sink(pt__connect *mount, const start_message *m)
{
    sink *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    s->mount = pt__connect_ref(mount);
    s->memory = pt__arena_new(0);
    if (s->memory != NULL && copy_sink(m, s))
        return s;
    free_sink(s);
    return NULL;
}

/* "10 seconds", "500 milliseconds", "1 minute". */
static pt_status parse_interval(pt__arena *arena, const char *text, int64_t *out_ms, pt_error *err)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } UNITS[] = {{"milli", 1}, {"ms", 1}, {"sec", 1000}, {"min", 60000}, {"hour", 3600000}, {"day", 86400000}};
    char *end;
    long long count = strtoll(text, &end, 10);
    end += strspn(end, " ");
    for (size_t i = 0; end != text && count >= 0 && i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
        if (strncasecmp(end, UNITS[i].unit, strlen(UNITS[i].unit)) == 0 && count < INT64_MAX / UNITS[i].ms) {
            *out_ms = (int64_t)count * UNITS[i].ms;
            return PT_OK;
        }
    }
    return unsupported(err, pt__arena_printf(arena, "the trigger interval %s", text));
}

#define TRIGGER(name) SPARK__CONNECT__WRITE_STREAM_OPERATION_START__TRIGGER_##name

static pt_status read_trigger(pt__arena *arena, const start_message *m, pt__stream_request *request, pt_error *err)
{
    switch ((int)m->trigger_case) {
    case TRIGGER(_NOT_SET): return PT_OK;
    case TRIGGER(PROCESSING_TIME_INTERVAL):
        return parse_interval(arena, m->processing_time_interval, &request->interval_ms, err);
    case TRIGGER(AVAILABLE_NOW):
    case TRIGGER(ONCE): request->runs_once = true; return PT_OK;
    default: return unsupported(err, "continuous and real-time triggers");
    }
}

static Spark__Connect__StreamingQueryInstanceId *instance_id(pt__arena *arena, const pt__stream_info *info)
{
    Spark__Connect__StreamingQueryInstanceId *id = pt__connect_make(arena, Spark__Connect__StreamingQueryInstanceId,
                                                                    spark__connect__streaming_query_instance_id__init);
    id->id = pt__arena_copy_string(arena, info->id);
    id->run_id = pt__arena_copy_string(arena, info->run_id);
    return id;
}

static const ProtobufCMessage *started(pt__arena *arena, const pt__stream_info *info)
{
    Spark__Connect__WriteStreamOperationStartResult *result =
        pt__connect_make(arena, Spark__Connect__WriteStreamOperationStartResult,
                         spark__connect__write_stream_operation_start_result__init);
    result->query_id = instance_id(arena, info);
    result->name = pt__arena_copy_string(arena, info->name);
    return &result->base;
}

static pt_status check_start(const start_message *m, pt_error *err)
{
    if (m->foreach_writer != NULL || m->foreach_batch != NULL)
        return unsupported(err, "Python functions of streaming queries");
    if (m->n_clustering_column_names != 0)
        return unsupported(err, "clustered streaming tables");
    return PT_OK;
}

static pt_status start(pt_job *job, pt__connect *mount, const start_message *m, pt__connect_stream_answer *out,
                       pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    pt__decode_options options = pt__session_decode_options(pt__job_session(job), arena);
    pt__stream_request request = {
        .name = m->query_name[0] == '\0' ? NULL : m->query_name, .run_batch = run_batch, .free_context = free_sink};
    PT_TRY(check_start(m, err));
    PT_TRY(read_trigger(arena, m, &request, err));
    PT_TRY(pt__connect_decode_relation(arena, m->input, &options, &request.plan, err));
    sink *s = make_sink(mount, m);
    if (s == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a streaming query");
    request.context = s;
    request.is_complete = s->is_complete;
    pt_status status = choose_sink(arena, m, s, err);
    if (status != PT_OK) {
        free_sink(s);
        return status;
    }
    pt__stream_info info;
    PT_TRY(pt__stream_start(job, &request, &info, err));
    *out = (pt__connect_stream_answer){PT_CONNECT_STREAM_START_RESULT, started(arena, &info)};
    return PT_OK;
}

/* ---- one query ---- */

#define RESULT(name) SPARK__CONNECT__STREAMING_QUERY_COMMAND_RESULT__RESULT_TYPE_##name
#define QUERY(name) SPARK__CONNECT__STREAMING_QUERY_COMMAND__COMMAND_##name

static void put_status(pt__arena *arena, const pt__stream_info *info, query_result *result)
{
    result->result_type_case = RESULT(STATUS);
    result->status = pt__connect_make(arena, Spark__Connect__StreamingQueryCommandResult__StatusResult,
                                      spark__connect__streaming_query_command_result__status_result__init);
    const char *message = !info->is_active   ? info->failure[0] != '\0' ? "Terminated with exception" : "Stopped"
                          : info->is_running ? "Processing new data"
                                             : "Waiting for data to arrive";
    result->status->status_message = pt__arena_copy_string(arena, message);
    result->status->is_data_available = info->is_running;
    result->status->is_trigger_active = info->is_running;
    result->status->is_active = info->is_active;
}

static void put_progress(pt__arena *arena, query_result *result)
{
    result->result_type_case = RESULT(RECENT_PROGRESS);
    result->recent_progress =
        pt__connect_make(arena, Spark__Connect__StreamingQueryCommandResult__RecentProgressResult,
                         spark__connect__streaming_query_command_result__recent_progress_result__init);
}

/* Clients take off what stands before the first colon. */
static const char *failure_text(pt__arena *arena, const pt__stream_info *info)
{
    return pt__arena_printf(arena,
                            "org.apache.spark.sql.streaming.StreamingQueryException: [STREAM_FAILED] Query [id = %s, "
                            "runId = %s] terminated with exception: %s",
                            info->id, info->run_id, info->failure);
}

static void put_exception(pt__arena *arena, const pt__stream_info *info, query_result *result)
{
    result->result_type_case = RESULT(EXCEPTION);
    result->exception = pt__connect_make(arena, Spark__Connect__StreamingQueryCommandResult__ExceptionResult,
                                         spark__connect__streaming_query_command_result__exception_result__init);
    if (info->failure[0] == '\0')
        return;
    result->exception->_exception_message_case =
        SPARK__CONNECT__STREAMING_QUERY_COMMAND_RESULT__EXCEPTION_RESULT___EXCEPTION_MESSAGE_EXCEPTION_MESSAGE;
    result->exception->exception_message = pt__arena_copy_string(arena, failure_text(arena, info));
    result->exception->_error_class_case =
        SPARK__CONNECT__STREAMING_QUERY_COMMAND_RESULT__EXCEPTION_RESULT___ERROR_CLASS_ERROR_CLASS;
    result->exception->error_class = pt__arena_copy_string(arena, "STREAM_FAILED");
}

static pt_status await_query(pt_job *job, const query_message *m, query_result *result, pt_error *err)
{
    bool ended = false;
    bool has_limit = m->await_termination->_timeout_ms_case != 0;
    PT_TRY(pt__stream_await(job, m->query_id->id, has_limit ? m->await_termination->timeout_ms : -1, &ended, err));
    pt__stream_info info;
    if (pt__stream_find(pt__job_session(job), m->query_id->id, &info) && info.failure[0] != '\0')
        return pt_error_set(err, PT_EXECUTION, "%s", strchr(failure_text(pt__job_arena(job), &info), '['));
    result->result_type_case = RESULT(AWAIT_TERMINATION);
    result->await_termination =
        pt__connect_make(pt__job_arena(job), Spark__Connect__StreamingQueryCommandResult__AwaitTerminationResult,
                         spark__connect__streaming_query_command_result__await_termination_result__init);
    result->await_termination->terminated = ended;
    return PT_OK;
}

static pt_status answer_query(pt_job *job, const query_message *m, const pt__stream_info *info, query_result *result,
                              pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    switch ((int)m->command_case) {
    case QUERY(STATUS): put_status(arena, info, result); return PT_OK;
    case QUERY(LAST_PROGRESS):
    case QUERY(RECENT_PROGRESS): put_progress(arena, result); return PT_OK;
    case QUERY(STOP): pt__stream_stop(pt__job_session(job), info->id); return PT_OK;
    case QUERY(PROCESS_ALL_AVAILABLE): return pt__stream_catch_up(job, info->id, err);
    case QUERY(EXCEPTION): put_exception(arena, info, result); return PT_OK;
    case QUERY(AWAIT_TERMINATION): return await_query(job, m, result, err);
    default: return unsupported(err, "EXPLAIN of streaming queries");
    }
}

static pt_status ask_query(pt_job *job, const query_message *m, pt__connect_stream_answer *out, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    pt__stream_info info;
    if (m->query_id == NULL || !pt__stream_find(pt__job_session(job), m->query_id->id, &info))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "There is no streaming query %s",
                            m->query_id == NULL ? "" : m->query_id->id);
    query_result *result = pt__connect_make(arena, query_result, spark__connect__streaming_query_command_result__init);
    result->query_id = instance_id(arena, &info);
    PT_TRY(answer_query(job, m, &info, result, err));
    *out = (pt__connect_stream_answer){PT_CONNECT_STREAM_RESULT, &result->base};
    return PT_OK;
}

/* ---- all queries ---- */

#define MANAGED(name) SPARK__CONNECT__STREAMING_QUERY_MANAGER_COMMAND_RESULT__RESULT_TYPE_##name
#define MANAGER(name) SPARK__CONNECT__STREAMING_QUERY_MANAGER_COMMAND__COMMAND_##name

static query_instance *instance(pt__arena *arena, const pt__stream_info *info)
{
    query_instance *made = pt__connect_make(
        arena, query_instance, spark__connect__streaming_query_manager_command_result__streaming_query_instance__init);
    made->id = instance_id(arena, info);
    if (info->name[0] != '\0') {
        made->_name_case = SPARK__CONNECT__STREAMING_QUERY_MANAGER_COMMAND_RESULT__STREAMING_QUERY_INSTANCE___NAME_NAME;
        made->name = pt__arena_copy_string(arena, info->name);
    }
    return made;
}

static void put_active(pt_job *job, manager_result *result)
{
    pt__arena *arena = pt__job_arena(job);
    const pt__stream_info *infos;
    size_t count;
    pt__stream_list(pt__job_session(job), arena, &infos, &count);
    result->result_type_case = MANAGED(ACTIVE);
    result->active = pt__connect_make(arena, Spark__Connect__StreamingQueryManagerCommandResult__ActiveResult,
                                      spark__connect__streaming_query_manager_command_result__active_result__init);
    result->active->active_queries = pt__arena_array(arena, query_instance *, count + 1);
    for (size_t i = 0; i < count; i++)
        result->active->active_queries[result->active->n_active_queries++] = instance(arena, &infos[i]);
}

static void put_query(pt_job *job, const char *id, manager_result *result)
{
    pt__stream_info info;
    if (!pt__stream_find(pt__job_session(job), id, &info) || !info.is_active)
        return;
    result->result_type_case = MANAGED(QUERY);
    result->query = instance(pt__job_arena(job), &info);
}

static pt_status await_any(pt_job *job, const manager_message *m, manager_result *result, pt_error *err)
{
    bool ended = false;
    bool has_limit = m->await_any_termination->_timeout_ms_case != 0;
    PT_TRY(pt__stream_await(job, NULL, has_limit ? m->await_any_termination->timeout_ms : -1, &ended, err));
    result->result_type_case = MANAGED(AWAIT_ANY_TERMINATION);
    result->await_any_termination = pt__connect_make(
        pt__job_arena(job), Spark__Connect__StreamingQueryManagerCommandResult__AwaitAnyTerminationResult,
        spark__connect__streaming_query_manager_command_result__await_any_termination_result__init);
    result->await_any_termination->terminated = ended;
    return PT_OK;
}

static pt_status ask_manager(pt_job *job, const manager_message *m, pt__connect_stream_answer *out, pt_error *err)
{
    manager_result *result = pt__connect_make(pt__job_arena(job), manager_result,
                                              spark__connect__streaming_query_manager_command_result__init);
    *out = (pt__connect_stream_answer){PT_CONNECT_STREAM_MANAGER_RESULT, &result->base};
    switch ((int)m->command_case) {
    case MANAGER(ACTIVE): put_active(job, result); return PT_OK;
    case MANAGER(GET_QUERY): put_query(job, m->get_query, result); return PT_OK;
    case MANAGER(AWAIT_ANY_TERMINATION): return await_any(job, m, result, err);
    case MANAGER(RESET_TERMINATED):
        result->result_type_case = MANAGED(RESET_TERMINATED);
        result->reset_terminated = true;
        return PT_OK;
    default: return unsupported(err, "listeners of streaming queries");
    }
}

pt_status pt__connect_streaming(pt_job *job, pt__connect *mount, const Spark__Connect__Command *command,
                                pt__connect_stream_answer *out, pt_error *err)
{
    *out = (pt__connect_stream_answer){0};
    switch ((int)command->command_type_case) {
    case SPARK__CONNECT__COMMAND__COMMAND_TYPE_WRITE_STREAM_OPERATION_START:
        return start(job, mount, command->write_stream_operation_start, out, err);
    case SPARK__CONNECT__COMMAND__COMMAND_TYPE_STREAMING_QUERY_COMMAND:
        return ask_query(job, command->streaming_query_command, out, err);
    case SPARK__CONNECT__COMMAND__COMMAND_TYPE_STREAMING_QUERY_MANAGER_COMMAND:
        return ask_manager(job, command->streaming_query_manager_command, out, err);
    default: return PT_OK;
    }
}
