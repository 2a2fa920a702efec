#include "server/formats.h"

#include "base/arena_buffer.h"
#include "decode/spark_connect/decoder.h"
#include "front/spark_connect/sql_options.h"

#include <string.h>

typedef pt_status decode_function(pt_job *job, pt_bytes_view payload, const pt_plan **out, pt_error *err);

static pt_status decode_spark_connect(pt_job *job, pt_bytes_view payload, const pt_plan **out, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    pt__sql_options options = pt__connect_sql_options(pt__job_session(job), arena);
    ProtobufCMessage *message;
    pt__connect_operation operation;
    PT_TRY(pt__connect_unpack(arena, &spark__connect__plan__descriptor, payload, &message, err));
    PT_TRY(pt__connect_decode_plan(arena, (const Spark__Connect__Plan *)message, &options, &operation, err));
    *out = operation.plan;
    if (operation.plan != NULL)
        return PT_OK;
    return pt_error_set(err, PT_UNSUPPORTED, "the message is a request to the server and holds no plan");
}

static pt_status decode_spark_sql(pt_job *job, pt_bytes_view payload, const pt_plan **out, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    pt__sql_options options = pt__connect_sql_options(pt__job_session(job), arena);
    pt_text_view text = {(const char *)payload.data, payload.size_bytes};
    return pt__sql_parse_statement(arena, text, &options, out, err);
}

static const struct format {
    const char *name;
    decode_function *decode;
} formats[] = {
#define PT_FORMAT(name, function) {name, function},
#include "server/formats.def"
#undef PT_FORMAT
};

enum { FORMAT_COUNT = sizeof(formats) / sizeof(formats[0]) };

static pt_status unknown_format(pt_job *job, const char *name, pt_error *err)
{
    pt__buffer *names = pt__arena_buffer(pt__job_arena(job));
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        pt__buffer_printf(names, "%s%s", i == 0 ? "" : ", ", formats[i].name);
    return pt_error_set(err, PT_UNSUPPORTED, "there is no decoder for the format \"%s\"; there are: %s", name,
                        pt__buffer_string(names));
}

pt_status pt__format_decode(pt_job *job, const char *format, pt_bytes_view payload, const pt_plan **out, pt_error *err)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].decode(job, payload, out, err);
    }
    return unknown_format(job, format, err);
}
