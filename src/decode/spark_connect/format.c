/* Spark Connect's plans as a registered format. */
#include "decode/builder.h"
#include "decode/formats.h"
#include "decode/spark_connect/decoder.h"

static pt_status decode(void *self, const pt_encoded_query *query, pt_builder *builder, const pt_plan **out,
                        pt_error *err)
{
    (void)self;
    pt__connect_operation operation = {0};
    ProtobufCMessage *message;
    PT_TRY(pt__refuse_options(query, err));
    PT_TRY(pt__connect_unpack(builder->arena, &spark__connect__plan__descriptor, query->payload, &message, err));
    PT_TRY(pt__connect_decode_plan(builder->arena, (const Spark__Connect__Plan *)message, builder->options, &operation,
                                   err));
    switch (operation.kind) {
    case PT_CONNECT_RELATION:
    case PT_CONNECT_COMMAND:
    case PT_CONNECT_SQL: *out = operation.plan; return PT_OK;
    default:
        return pt_error_set(err, PT_UNSUPPORTED,
                            "the plan's command is about a Spark Connect session and is served by its frontend only");
    }
}

const pt_decoder_vtable pt__decoder_spark_connect = {
    .size_bytes = sizeof(pt_decoder_vtable),
    .format = "spark.connect.plan.v1",
    .decode = decode,
};
