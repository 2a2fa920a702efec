/* Substrait's plans as a registered format. */
#include "decode/builder.h"
#include "decode/formats.h"
#include "decode/substrait/decoder.h"

static pt_status decode(void *self, const pt_encoded_query *query, pt_builder *builder, const pt_plan **out,
                        pt_error *err)
{
    (void)self;
    PT_TRY(pt__refuse_options(query, err));
    return pt__substrait_decode(builder->arena, query->payload, builder->options, out, err);
}

const pt_decoder_vtable pt__decoder_substrait = {
    .size_bytes = sizeof(pt_decoder_vtable),
    .format = "substrait.plan.v1",
    .decode = decode,
};
