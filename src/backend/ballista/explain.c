#include "backend/ballista/explain.h"

#include "base/arena_buffer.h"

#include <string.h>

/* Rows of two texts, which the backend hands out as plain ones. */
static pt_text_view text_at(const struct ArrowArray *rows, int64_t column, int64_t row)
{
    const struct ArrowArray *array = rows->children[column];
    const int32_t *offsets = (const int32_t *)array->buffers[1] + array->offset;
    return (pt_text_view){(const char *)array->buffers[2] + offsets[row], (size_t)(offsets[row + 1] - offsets[row])};
}

static void append_rows(pt__buffer *out, const struct ArrowArray *rows)
{
    for (int64_t row = 0; row < rows->length; row++) {
        pt_text_view kind = text_at(rows, 0, row);
        pt_text_view plan = text_at(rows, 1, row);
        pt__buffer_printf(out, "%.*s:\n%.*s\n", (int)kind.size_bytes, kind.data, (int)plan.size_bytes, plan.data);
    }
}

static pt_status check_columns(struct ArrowArrayStream *stream, pt_error *err)
{
    struct ArrowSchema schema;
    if (stream->get_schema(stream, &schema) != 0)
        return pt_error_set(err, PT_EXECUTION, "%s", stream->get_last_error(stream));
    bool is_text = schema.n_children == 2 && strcmp(schema.children[0]->format, "u") == 0 &&
                   strcmp(schema.children[1]->format, "u") == 0;
    schema.release(&schema);
    return is_text ? PT_OK : pt_error_set(err, PT_BAD_MESSAGE, "the cluster explains a query in an unknown form");
}

static pt_status read_rows(struct ArrowArrayStream *stream, pt__buffer *out, pt_error *err)
{
    PT_TRY(check_columns(stream, err));
    for (;;) {
        struct ArrowArray rows;
        if (stream->get_next(stream, &rows) != 0)
            return pt_error_set(err, PT_EXECUTION, "%s", stream->get_last_error(stream));
        if (rows.release == NULL)
            return PT_OK;
        append_rows(out, &rows);
        rows.release(&rows);
    }
}

static pt_status read_operation(pt_operation *operation, pt__buffer *out, pt_error *err)
{
    struct ArrowArrayStream stream = {0};
    PT_TRY(operation->vtable->result(operation, &stream, err));
    pt_status status = read_rows(&stream, out, err);
    stream.release(&stream);
    return status;
}

pt_status pt__ballista_explain(pt__ballista_session *session, const pt_query *query, pt__arena *arena, const char **out,
                               pt_error *err)
{
    pt_bytes_view plan;
    pt_operation *operation = NULL;
    const pt__ballista_lower_options options = pt__ballista_lowering(session->cluster, query->time_zone);
    *out = "";
    if (query->plan == NULL || pt__plan_is_command(query->plan))
        return PT_OK;
    PT_TRY(pt__ballista_lower_explain(arena, query->plan, false, &options, &plan, err));
    pt_query explaining = *query;
    explaining.plan = NULL;
    explaining.announce = NULL;
    explaining.resume = NULL;
    explaining.encoded = (pt_encoded_query){.format = PT_FORMAT_DATAFUSION_LOGICAL, .payload = plan};
    PT_TRY(pt__ballista_operation_new(session, &explaining, &operation, err));
    pt__buffer *text = pt__arena_buffer(arena);
    pt_status status = read_operation(operation, text, err);
    operation->vtable->free(operation);
    *out = pt__arena_buffer_take(arena, text);
    return status;
}
