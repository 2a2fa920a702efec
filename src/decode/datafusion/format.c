/*
 * DataFusion's plans as a registered format. The nodes that the format leaves open have translators of these types:
 * datafusion.CustomTableScanNode (the value is custom_table_data; the columns are those of the node's schema) and
 * datafusion.LogicalExtensionNode (the value is node; the columns are those of its only input, or of the schema that a
 * to_schema node on top gives).
 */
#include "decode/builder.h"
#include "decode/datafusion/decoder.h"
#include "decode/formats.h"

static const pt_type *schema_of(const pt__datafusion_extension *extension, const pt_plan *plan)
{
    if (plan->kind == PT_PLAN_TO_SCHEMA)
        return pt__plan_as_to_schema(plan)->schema;
    if (extension->schema != NULL)
        return extension->schema;
    return extension->input_count == 1 ? extension->input_schemas[0] : NULL;
}

static pt_status translate(void *context, pt__arena *arena, const pt__datafusion_extension *extension,
                           const pt_plan **plan, const pt_type **schema, pt_error *err)
{
    const pt__extensions *extensions = context;
    pt_extension any = {.size_bytes = sizeof(any),
                        .type_url = extension->table_name == NULL ? "datafusion.LogicalExtensionNode"
                                                                  : "datafusion.CustomTableScanNode",
                        .value = extension->payload,
                        .inputs = extension->inputs,
                        .input_count = extension->input_count};
    PT_TRY(extensions->relation(extensions->context, arena, &any, NULL, plan, err));
    *schema = schema_of(extension, *plan);
    if (*schema != NULL)
        return PT_OK;
    return pt_error_set(err, PT_UNSUPPORTED, "LogicalExtensionNode: the translator of %s does not say its columns",
                        any.type_url);
}

static pt_status decode(void *self, const pt_encoded_query *query, pt_builder *builder, const pt_plan **out,
                        pt_error *err)
{
    (void)self;
    pt__extensions extensions = {0};
    pt__datafusion_options options = {0};
    if (builder->options != NULL && builder->options->extensions != NULL) {
        extensions = *builder->options->extensions;
        options = (pt__datafusion_options){translate, &extensions};
    }
    PT_TRY(pt__refuse_options(query, err));
    return pt__datafusion_decode(builder->arena, query->payload, &options, out, err);
}

const pt_decoder_vtable pt__decoder_datafusion = {
    .size_bytes = sizeof(pt_decoder_vtable),
    .format = PT_DATAFUSION_FORMAT,
    .decode = decode,
};
