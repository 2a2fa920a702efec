#include "decode/formats.h"

static const pt_decoder_vtable *const DECODERS[] = {
    &pt__decoder_datafusion,
    &pt__decoder_spark_connect,
    &pt__decoder_spark_sql,
    &pt__decoder_substrait,
};

const pt_decoder_vtable *pt__decoder_at(size_t index)
{
    return index < sizeof(DECODERS) / sizeof(DECODERS[0]) ? DECODERS[index] : NULL;
}

pt_status pt__refuse_options(const pt_encoded_query *query, pt_error *err)
{
    if (query->option_count == 0)
        return PT_OK;
    return pt_error_set(err, PT_UNSUPPORTED, "queries of format %s have no option %s", query->format,
                        query->options[0].name);
}
