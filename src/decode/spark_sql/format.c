/* Spark SQL as a registered format. */
#include "decode/builder.h"
#include "decode/formats.h"

static pt_status decode(void *self, const pt_encoded_query *query, pt_builder *builder, const pt_plan **out,
                        pt_error *err)
{
    (void)self;
    PT_TRY(pt__refuse_options(query, err));
    pt_text_view sql = {(const char *)query->payload.data, query->payload.size_bytes};
    return pt__sql_parse_statement(builder->arena, sql, &builder->options->sql, out, err);
}

const pt_decoder_vtable pt__decoder_spark_sql = {
    .size_bytes = sizeof(pt_decoder_vtable),
    .format = "spark.sql",
    .decode = decode,
};
