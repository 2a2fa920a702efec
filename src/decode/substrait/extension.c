/* Extension nodes: given to the host's translators. */
#include "decode/substrait/internal.h"

enum { EXTENSION_DEPTH_MAX = 8 };

/* ---- nodes of the format within an extension ---- */

/** What the decoder goes back to. */
typedef struct kept {
    pt__arena *arena;
    pt_error *err;
} kept;

static pt_status enter(decoder *d, pt__arena *arena, pt_error *err, kept *out)
{
    if (d->extension_depth == EXTENSION_DEPTH_MAX)
        return pt_error_set(err, PT_LIMIT, "extensions nest deeper than %d levels", EXTENSION_DEPTH_MAX);
    *out = (kept){d->arena, d->err};
    d->extension_depth++;
    d->arena = arena;
    d->err = err;
    return PT_OK;
}

static void leave(decoder *d, const kept *before)
{
    d->extension_depth--;
    d->arena = before->arena;
    d->err = before->err;
}

static pt_status nested_relation(const void *context, pt__arena *arena, pt_bytes_view message, const pt_plan **out,
                                 pt_error *err)
{
    decoder *d = (decoder *)context;
    Substrait__Rel *rel;
    kept before = {NULL, NULL};
    relation_of relation = {0};
    PT_TRY(pt__protobuf_unpack(arena, &substrait__rel__descriptor, message, (ProtobufCMessage **)&rel, err));
    PT_TRY(enter(d, arena, err, &before));
    pt_status status = pt__substrait_relation_in(d, NULL, rel, &relation);
    leave(d, &before);
    *out = relation.plan;
    return status;
}

static pt_status nested_expression(const void *context, pt__arena *arena, pt_bytes_view message, const pt_expr **out,
                                   pt_error *err)
{
    decoder *d = (decoder *)context;
    Substrait__Expression *expression;
    kept before = {NULL, NULL};
    value_of value = {0};
    scope anything = {.outer = NULL};
    PT_TRY(
        pt__protobuf_unpack(arena, &substrait__expression__descriptor, message, (ProtobufCMessage **)&expression, err));
    PT_TRY(enter(d, arena, err, &before));
    pt_status status = pt__substrait_expression(d, &anything, expression, &value);
    leave(d, &before);
    *out = value.expr;
    return status;
}

/* ---- translation ---- */

static pt_status no_translator(decoder *d, const char *url)
{
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_NO_HANDLER, "extensionTypeUrl", url, "registeredTypes",
                     "none", NULL);
}

static pt_extension extension_of(const Google__Protobuf__Any *detail, const pt_plan *const *inputs, size_t count)
{
    return (pt_extension){
        .size_bytes = sizeof(pt_extension),
        .type_url = detail->type_url,
        .value = {detail->value.data, detail->value.len},
        .inputs = inputs,
        .input_count = count,
    };
}

/* The names that the producer hints at tell how many columns there are, nothing more. */
static const pt_type *hinted_columns(decoder *d, const Substrait__RelCommon__Hint *hint)
{
    if (hint == NULL || hint->n_output_names == 0)
        return NULL;
    pt_field *fields = pt__arena_array(d->arena, pt_field, hint->n_output_names);
    for (size_t i = 0; i < hint->n_output_names; i++)
        fields[i] = (pt_field){.name = hint->output_names[i], .nullable = true};
    return pt__type_struct(d->arena, fields, hint->n_output_names);
}

pt_status pt__substrait_extension_of(decoder *d, const Google__Protobuf__Any *detail, const relation_of *inputs,
                                     size_t input_count, const Substrait__RelCommon__Hint *hint, relation_of *out)
{
    if (detail == NULL)
        return pt__substrait_bad(d, "an extension relation has no detail");
    if (d->extensions == NULL)
        return no_translator(d, detail->type_url);
    const pt_plan **plans = pt__arena_array(d->arena, const pt_plan *, input_count + 1);
    for (size_t i = 0; i < input_count; i++)
        plans[i] = inputs[i].plan;
    pt_extension extension = extension_of(detail, plans, input_count);
    pt__nested nested = {nested_relation, nested_expression, d};
    *out = (relation_of){NULL, hinted_columns(d, hint)};
    return d->extensions->relation(d->extensions->context, d->arena, &extension, &nested, &out->plan, d->err);
}

pt_status pt__substrait_extension_literal(decoder *d, const Google__Protobuf__Any *detail, value_of *out)
{
    if (d->extensions == NULL)
        return no_translator(d, detail->type_url);
    pt_extension extension = extension_of(detail, NULL, 0);
    pt__nested nested = {nested_relation, nested_expression, d};
    return d->extensions->expression(d->extensions->context, d->arena, &extension, &nested, &out->expr, d->err);
}
