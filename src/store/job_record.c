#include "store/job_record.h"

#include "base/list.h"
#include "wire/proto.h"

#include <string.h>

enum request_field {
    REQUEST_FORMAT = 1,
    REQUEST_PAYLOAD = 2,
    REQUEST_OPTION = 3,
    REQUEST_TAG = 4,
    REQUEST_DATABASE = 5,
    REQUEST_CONF = 6,
    REQUEST_VIEW = 7,
    REQUEST_SERVER_SESSION = 8
};

enum view_field { VIEW_NAME = 1, VIEW_TEXT = 2, VIEW_DATABASE = 3, VIEW_COLUMN = 4 };

enum outcome_field {
    OUTCOME_STATUS = 1,
    OUTCOME_SQLSTATE = 2,
    OUTCOME_CONDITION = 3,
    OUTCOME_MESSAGE = 4,
    OUTCOME_PARAMETER = 5,
    OUTCOME_OUTPUT = 6,
    OUTCOME_BATCHES = 7,
    OUTCOME_ATTEMPT = 8,
    OUTCOME_NEED = 9,
    OUTCOME_BACKEND = 10,
    OUTCOME_PROGRESS = 11,
    OUTCOME_HANDLE = 12
};

/* ---- encoding ---- */

static void append_text(pt__buffer *out, uint32_t field, const char *text)
{
    if (text != NULL)
        pt__proto_append_string(out, field, text);
}

static void append_message(pt__buffer *out, uint32_t field, pt__buffer *message)
{
    if (message->failed)
        out->failed = true;
    pt__proto_append_bytes(out, field, pt__buffer_view(message));
    pt__buffer_deinit(message);
}

static void append_pair(pt__buffer *out, uint32_t field, const char *key, const char *value)
{
    pt__buffer pair = PT_BUFFER_INIT;
    append_text(&pair, 1, key);
    append_text(&pair, 2, value);
    append_message(out, field, &pair);
}

static void append_view(pt__buffer *out, const pt__record_view *view)
{
    pt__buffer message = PT_BUFFER_INIT;
    append_text(&message, VIEW_NAME, view->name);
    append_text(&message, VIEW_TEXT, view->text);
    append_text(&message, VIEW_DATABASE, view->database);
    for (size_t i = 0; i < view->column_count; i++)
        append_text(&message, VIEW_COLUMN, view->column_names[i]);
    append_message(out, REQUEST_VIEW, &message);
}

void pt__job_request_encode(pt__buffer *out, const pt__job_request_record *r)
{
    append_text(out, REQUEST_FORMAT, r->query.format);
    pt__proto_append_bytes(out, REQUEST_PAYLOAD, r->query.payload);
    for (size_t i = 0; i < r->query.option_count; i++)
        append_pair(out, REQUEST_OPTION, r->query.options[i].name, r->query.options[i].value);
    for (size_t i = 0; i < r->tag_count; i++)
        append_text(out, REQUEST_TAG, r->tags[i]);
    append_text(out, REQUEST_DATABASE, r->database);
    append_text(out, REQUEST_SERVER_SESSION, r->server_session_id);
    for (size_t i = 0; i < r->conf_count; i++)
        append_pair(out, REQUEST_CONF, r->conf[i].key, r->conf[i].value);
    for (size_t i = 0; i < r->view_count; i++)
        append_view(out, &r->views[i]);
}

void pt__job_outcome_encode(pt__buffer *out, const pt__job_outcome_record *o)
{
    pt__proto_append_integer(out, OUTCOME_STATUS, (uint64_t)o->status);
    append_text(out, OUTCOME_SQLSTATE, o->sqlstate);
    append_text(out, OUTCOME_CONDITION, o->condition);
    append_text(out, OUTCOME_MESSAGE, o->message);
    for (size_t i = 0; i < o->parameter_count; i++)
        append_pair(out, OUTCOME_PARAMETER, o->parameters[i].key, o->parameters[i].value);
    append_text(out, OUTCOME_OUTPUT, o->output);
    append_text(out, OUTCOME_BACKEND, o->backend);
    append_text(out, OUTCOME_HANDLE, o->handle);
    pt__proto_append_integer(out, OUTCOME_BATCHES, o->batch_count);
    if (o->progress_percent > 0)
        pt__proto_append_integer(out, OUTCOME_PROGRESS, (uint64_t)o->progress_percent);
    pt__proto_append_integer(out, OUTCOME_ATTEMPT, (uint64_t)o->attempt);
    for (size_t i = 0; i < o->need_count; i++)
        append_text(out, OUTCOME_NEED, o->needs[i]);
}

/* ---- decoding ---- */

typedef pt__list(const char *) text_list;
typedef pt__list(pt__record_pair) pair_list;
typedef pt__list(pt__record_view) view_list;
typedef pt__list(pt_query_option) option_list;

static pt_status malformed(pt_error *err)
{
    return pt_error_set(err, PT_INTERNAL, "the record of a job is malformed");
}

/* Text ends with its first NUL, should it have one. */
static pt_status take_text(pt__arena *arena, const pt__proto_field *field, const char **out, pt_error *err)
{
    if (field->wire_type != PT_PROTO_BYTES)
        return malformed(err);
    *out = pt__arena_copy_text(arena, (const char *)field->bytes.data, field->bytes.size_bytes);
    return PT_OK;
}

static pt_status take_integer(const pt__proto_field *field, uint64_t *out, pt_error *err)
{
    if (field->wire_type != PT_PROTO_VARINT)
        return malformed(err);
    *out = field->integer;
    return PT_OK;
}

static pt_status push_text(pt__arena *arena, const pt__proto_field *field, text_list *list, pt_error *err)
{
    const char *text = NULL;
    PT_TRY(take_text(arena, field, &text, err));
    pt__list_push(arena, list, text);
    return PT_OK;
}

static pt_status take_pair(pt__arena *arena, const pt__proto_field *of, pt__record_pair *out, pt_error *err)
{
    pt_bytes_view rest = of->bytes;
    pt__proto_field field;
    pt__proto_state state;
    *out = (pt__record_pair){"", ""};
    if (of->wire_type != PT_PROTO_BYTES)
        return malformed(err);
    while ((state = pt__proto_next(&rest, &field)) == PT_PROTO_FIELD)
        if (field.number == 1 || field.number == 2)
            PT_TRY(take_text(arena, &field, field.number == 1 ? &out->key : &out->value, err));
    return state == PT_PROTO_END ? PT_OK : malformed(err);
}

static pt_status push_pair(pt__arena *arena, const pt__proto_field *field, pair_list *list, pt_error *err)
{
    pt__record_pair pair;
    PT_TRY(take_pair(arena, field, &pair, err));
    pt__list_push(arena, list, pair);
    return PT_OK;
}

static pt_status push_option(pt__arena *arena, const pt__proto_field *field, option_list *list, pt_error *err)
{
    pt__record_pair pair;
    PT_TRY(take_pair(arena, field, &pair, err));
    pt_query_option option = {pair.key, pair.value};
    pt__list_push(arena, list, option);
    return PT_OK;
}

static pt_status push_view(pt__arena *arena, const pt__proto_field *of, view_list *list, pt_error *err)
{
    pt_bytes_view rest = of->bytes;
    pt__record_view view = {.name = "", .text = ""};
    text_list columns = {0};
    pt__proto_field field;
    pt__proto_state state;
    if (of->wire_type != PT_PROTO_BYTES)
        return malformed(err);
    while ((state = pt__proto_next(&rest, &field)) == PT_PROTO_FIELD) {
        switch (field.number) {
        case VIEW_NAME: PT_TRY(take_text(arena, &field, &view.name, err)); break;
        case VIEW_TEXT: PT_TRY(take_text(arena, &field, &view.text, err)); break;
        case VIEW_DATABASE: PT_TRY(take_text(arena, &field, &view.database, err)); break;
        case VIEW_COLUMN: PT_TRY(push_text(arena, &field, &columns, err)); break;
        default: break;
        }
    }
    view.column_names = columns.items;
    view.column_count = columns.count;
    pt__list_push(arena, list, view);
    return state == PT_PROTO_END ? PT_OK : malformed(err);
}

typedef struct request_lists {
    option_list options;
    text_list tags;
    pair_list conf;
    view_list views;
} request_lists;

static pt_status take_request_field(pt__arena *arena, const pt__proto_field *field, pt__job_request_record *out,
                                    request_lists *lists, pt_error *err)
{
    switch (field->number) {
    case REQUEST_FORMAT: return take_text(arena, field, &out->query.format, err);
    case REQUEST_PAYLOAD: out->query.payload = field->bytes; return PT_OK;
    case REQUEST_OPTION: return push_option(arena, field, &lists->options, err);
    case REQUEST_TAG: return push_text(arena, field, &lists->tags, err);
    case REQUEST_DATABASE: return take_text(arena, field, &out->database, err);
    case REQUEST_SERVER_SESSION: return take_text(arena, field, &out->server_session_id, err);
    case REQUEST_CONF: return push_pair(arena, field, &lists->conf, err);
    case REQUEST_VIEW: return push_view(arena, field, &lists->views, err);
    default: return PT_OK;
    }
}

pt_status pt__job_request_decode(pt__arena *arena, pt_bytes_view rest, pt__job_request_record *out, pt_error *err)
{
    request_lists lists = {{0}, {0}, {0}, {0}};
    pt__proto_field field;
    pt__proto_state state;
    *out = (pt__job_request_record){.query.format = ""};
    while ((state = pt__proto_next(&rest, &field)) == PT_PROTO_FIELD)
        PT_TRY(take_request_field(arena, &field, out, &lists, err));
    out->query.options = lists.options.items;
    out->query.option_count = lists.options.count;
    out->tags = lists.tags.items;
    out->tag_count = lists.tags.count;
    out->conf = lists.conf.items;
    out->conf_count = lists.conf.count;
    out->views = lists.views.items;
    out->view_count = lists.views.count;
    return state == PT_PROTO_END ? PT_OK : malformed(err);
}

static pt_status take_status(const pt__proto_field *field, pt_status *out, pt_error *err)
{
    uint64_t value = 0;
    PT_TRY(take_integer(field, &value, err));
    if (value >= PT_STATUS_COUNT)
        return malformed(err);
    *out = (pt_status)value;
    return PT_OK;
}

typedef struct outcome_lists {
    pair_list parameters;
    text_list needs;
} outcome_lists;

static pt_status take_outcome_field(pt__arena *arena, const pt__proto_field *field, pt__job_outcome_record *out,
                                    outcome_lists *lists, pt_error *err)
{
    uint64_t attempt = 0;
    uint64_t percent = 0;
    switch (field->number) {
    case OUTCOME_STATUS: return take_status(field, &out->status, err);
    case OUTCOME_SQLSTATE: return take_text(arena, field, &out->sqlstate, err);
    case OUTCOME_CONDITION: return take_text(arena, field, &out->condition, err);
    case OUTCOME_MESSAGE: return take_text(arena, field, &out->message, err);
    case OUTCOME_PARAMETER: return push_pair(arena, field, &lists->parameters, err);
    case OUTCOME_OUTPUT: return take_text(arena, field, &out->output, err);
    case OUTCOME_BACKEND: return take_text(arena, field, &out->backend, err);
    case OUTCOME_HANDLE: return take_text(arena, field, &out->handle, err);
    case OUTCOME_BATCHES: return take_integer(field, &out->batch_count, err);
    case OUTCOME_ATTEMPT:
        PT_TRY(take_integer(field, &attempt, err));
        out->attempt = attempt > INT32_MAX ? INT32_MAX : (int64_t)attempt;
        return PT_OK;
    case OUTCOME_PROGRESS:
        PT_TRY(take_integer(field, &percent, err));
        out->progress_percent = percent > 100 ? 100 : (int)percent;
        return PT_OK;
    case OUTCOME_NEED: return push_text(arena, field, &lists->needs, err);
    default: return PT_OK;
    }
}

pt_status pt__job_outcome_decode(pt__arena *arena, pt_bytes_view rest, pt__job_outcome_record *out, pt_error *err)
{
    outcome_lists lists = {{0}, {0}};
    pt__proto_field field;
    pt__proto_state state;
    *out = (pt__job_outcome_record){.sqlstate = "", .condition = "", .message = ""};
    while ((state = pt__proto_next(&rest, &field)) == PT_PROTO_FIELD)
        PT_TRY(take_outcome_field(arena, &field, out, &lists, err));
    out->parameters = lists.parameters.items;
    out->parameter_count = lists.parameters.count;
    out->needs = lists.needs.items;
    out->need_count = lists.needs.count;
    return state == PT_PROTO_END ? PT_OK : malformed(err);
}

/* ---- comparing ---- */

static bool same_options(const pt_encoded_query *a, const pt_encoded_query *b)
{
    if (a->option_count != b->option_count)
        return false;
    for (size_t i = 0; i < a->option_count; i++)
        if (strcmp(a->options[i].name, b->options[i].name) != 0 ||
            strcmp(a->options[i].value, b->options[i].value) != 0)
            return false;
    return true;
}

static bool same_tags(const pt__job_request_record *a, const pt__job_request_record *b)
{
    if (a->tag_count != b->tag_count)
        return false;
    for (size_t i = 0; i < a->tag_count; i++)
        if (strcmp(a->tags[i], b->tags[i]) != 0)
            return false;
    return true;
}

bool pt__job_request_same(const pt__job_request_record *a, const pt__job_request_record *b)
{
    pt_bytes_view x = a->query.payload;
    pt_bytes_view y = b->query.payload;
    return strcmp(a->query.format, b->query.format) == 0 && x.size_bytes == y.size_bytes &&
           (x.size_bytes == 0 || memcmp(x.data, y.data, x.size_bytes) == 0) && same_options(&a->query, &b->query) &&
           same_tags(a, b);
}
