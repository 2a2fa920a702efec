/* Extension nodes: the Any fields of relations, expressions and commands, which the host's translators decode. */
#include "decode/spark_connect/internal.h"

/* Extensions within extensions; each may nest messages as deeply as a whole plan. */
enum { EXTENSION_DEPTH_MAX = 8 };

static pt_status nested_message(const pt__decoder *d, const ProtobufCMessageDescriptor *descriptor,
                                pt_bytes_view message, ProtobufCMessage **out)
{
    if (d->extension_depth > EXTENSION_DEPTH_MAX)
        return pt_error_set(d->err, PT_LIMIT, "extensions nest deeper than %d levels", EXTENSION_DEPTH_MAX);
    return pt__connect_unpack(d->arena, descriptor, message, out, d->err);
}

static pt__decoder inner_decoder(const pt__decoder *outer, pt__arena *arena, pt_error *err)
{
    pt__decoder d = *outer;
    d.arena = arena;
    d.err = err;
    d.extension_depth++;
    return d;
}

static pt_status nested_relation(const void *context, pt__arena *arena, pt_bytes_view message, const pt_plan **out,
                                 pt_error *err)
{
    pt__decoder d = inner_decoder(context, arena, err);
    ProtobufCMessage *relation;
    PT_TRY(nested_message(&d, &spark__connect__relation__descriptor, message, &relation));
    return pt__decode_relation(&d, (const Spark__Connect__Relation *)relation, out);
}

static pt_status nested_expression(const void *context, pt__arena *arena, pt_bytes_view message, const pt_expr **out,
                                   pt_error *err)
{
    pt__decoder d = inner_decoder(context, arena, err);
    ProtobufCMessage *expression;
    PT_TRY(nested_message(&d, &spark__connect__expression__descriptor, message, &expression));
    return pt__decode_expression(&d, (const Spark__Connect__Expression *)expression, out);
}

static pt__nested nested_of(const pt__decoder *d)
{
    return (pt__nested){nested_relation, nested_expression, d};
}

static pt_extension extension_of(const Google__Protobuf__Any *any)
{
    return (pt_extension){
        .size_bytes = sizeof(pt_extension), .type_url = any->type_url, .value = {any->value.data, any->value.len}};
}

static pt_status no_translators(pt__decoder *d, const Google__Protobuf__Any *any)
{
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_NO_HANDLER, "extensionTypeUrl", any->type_url,
                     "registeredTypes", "none", NULL);
}

/* A projection of all columns carries the plan id that the client gave the node: what the translator made may not. */
static pt_plan *all_columns_of(pt__decoder *d, const pt_plan *input)
{
    pt_plan_project *project = pt__plan_make(d->arena, PROJECT, project, d->origin);
    pt_expr_star *star = pt__expr_make(d->arena, STAR, star, d->origin);
    const pt_expr **expressions = pt__arena_array(d->arena, const pt_expr *, 1);
    star->plan_id = -1;
    expressions[0] = &star->base;
    project->input = input;
    project->expressions = expressions;
    project->expression_count = 1;
    return &project->base;
}

pt_status pt__decode_extension_relation(pt__decoder *d, const Google__Protobuf__Any *any, pt_plan **out)
{
    if (d->extensions == NULL)
        return no_translators(d, any);
    const pt_plan *plan = NULL;
    pt_extension extension = extension_of(any);
    pt__nested nested = nested_of(d);
    PT_TRY(d->extensions->relation(d->extensions->context, d->arena, &extension, &nested, &plan, d->err));
    *out = all_columns_of(d, plan);
    return PT_OK;
}

pt_status pt__decode_extension_expression(pt__decoder *d, const Google__Protobuf__Any *any, const pt_expr **out)
{
    if (d->extensions == NULL)
        return no_translators(d, any);
    pt_extension extension = extension_of(any);
    pt__nested nested = nested_of(d);
    return d->extensions->expression(d->extensions->context, d->arena, &extension, &nested, out, d->err);
}

pt_status pt__decode_extension_command(pt__decoder *d, const Google__Protobuf__Any *any, const pt_plan **out)
{
    if (d->extensions == NULL)
        return no_translators(d, any);
    pt_extension extension = extension_of(any);
    pt__nested nested = nested_of(d);
    return d->extensions->command(d->extensions->context, d->arena, &extension, &nested, out, d->err);
}
