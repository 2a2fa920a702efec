/* Sources: tables, files, rows of the client, SQL text. */
#include "decode/spark_connect/internal.h"

#include "plan/members.h"
#include "plan/walk.h"

#include <string.h>

/* Clients before 4.0 give arguments of SQL in fields that are deprecated since. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* ---- tables and files ---- */

static pt_status decode_table(pt__decoder *d, const Spark__Connect__Read__NamedTable *table, pt_plan **out)
{
    pt_plan_scan_table *node = pt__plan_make(d->arena, SCAN_TABLE, scan_table, d->origin);
    *out = &node->base;
    node->options = PT_DECODE_OPTIONS(d, table, options);
    return pt__decode_name(d, table->unparsed_identifier, &node->name);
}

static pt_status decode_files(pt__decoder *d, const Spark__Connect__Read__DataSource *source, pt_plan **out)
{
    pt_plan_scan_files *node = pt__plan_make(d->arena, SCAN_FILES, scan_files, d->origin);
    const char *schema = pt__decode_optional_text(PT_OPTIONAL(source, schema, NULL));
    *out = &node->base;
    if (source->n_predicates != 0)
        return pt__decode_unsupported_feature(d, "predicates of JDBC sources");
    node->format = pt__decode_optional_text(PT_OPTIONAL(source, format, NULL));
    node->paths = (const char *const *)source->paths;
    node->path_count = source->n_paths;
    node->options = PT_DECODE_OPTIONS(d, source, options);
    if (schema == NULL)
        return PT_OK;
    PT_TRY(pt__decode_schema_text(d, schema, &node->schema));
    if (node->schema->id == PT_TYPE_STRUCT)
        return PT_OK;
    return pt__sql_parse_schema(d->arena, pt__decode_text(schema), d->options, &node->schema, d->err);
}

static pt_status decode_stream(pt__decoder *d, const Spark__Connect__Read *read, pt_plan **out)
{
    pt_plan_stream *node = pt__plan_make(d->arena, STREAM, stream, d->origin);
    *out = &node->base;
    if (read->read_type_case != SPARK__CONNECT__READ__READ_TYPE_DATA_SOURCE)
        return pt__decode_unsupported_feature(d, "streaming reads of tables");
    node->format = pt__decode_optional_text(PT_OPTIONAL(read->data_source, format, NULL));
    node->options = PT_DECODE_OPTIONS(d, read->data_source, options);
    return PT_OK;
}

pt_status pt__decode_read(pt__decoder *d, const Spark__Connect__Read *read, pt_plan **out)
{
    if (read->is_streaming)
        return decode_stream(d, read, out);
    switch ((int)read->read_type_case) {
    case SPARK__CONNECT__READ__READ_TYPE_NAMED_TABLE: return decode_table(d, read->named_table, out);
    case SPARK__CONNECT__READ__READ_TYPE_DATA_SOURCE: return decode_files(d, read->data_source, out);
    default: return pt__decode_not_set(d, &read->base, read->base.descriptor, "READTYPE_NOT_SET");
    }
}

/* ---- rows of the client ---- */

/* A schema that is no struct is that of the one column `value`. */
static const pt_type *as_struct(pt__arena *arena, const pt_type *type)
{
    if (type->id == PT_TYPE_STRUCT)
        return type;
    pt_field *field = pt__arena_make(arena, pt_field);
    field->name = "value";
    field->type = type;
    field->nullable = true;
    return pt__type_struct(arena, field, 1);
}

pt_status pt__decode_local(pt__decoder *d, const Spark__Connect__LocalRelation *local, pt_plan **out)
{
    pt_plan_local *node = pt__plan_make(d->arena, LOCAL, local, d->origin);
    *out = &node->base;
    if (local->_schema_case == 0 && local->_data_case == 0)
        return pt__raise(d->err, PT_COND_SCHEMA_REQUIRED_FOR_LOCAL_RELATION, NULL);
    if (local->_data_case != 0)
        node->data = (pt_bytes_view){local->data.data, local->data.len};
    if (local->_schema_case == 0)
        return PT_OK;
    PT_TRY(pt__decode_schema_text(d, local->schema, &node->schema));
    node->schema = as_struct(d->arena, node->schema);
    return PT_OK;
}

/* ---- SQL ---- */

typedef struct binder {
    pt__decoder *d;
    const pt__sql_argument *arguments;
    size_t count;
    const pt_expr_parameter *missing; /* first marker without a value */
} binder;

static const pt_expr *find_argument(const binder *b, const pt_expr_parameter *parameter)
{
    size_t position = 0;
    for (size_t i = 0; i < b->count; i++) {
        const pt__sql_argument *argument = &b->arguments[i];
        if (parameter->name == NULL && argument->name == NULL && position++ == (size_t)parameter->position)
            return argument->value;
        if (parameter->name != NULL && argument->name != NULL && strcmp(parameter->name, argument->name) == 0)
            return argument->value;
    }
    return NULL;
}

static const pt_expr *bind_parameter(void *context, const pt_expr *expr)
{
    binder *b = context;
    if (expr->kind != PT_EXPR_PARAMETER)
        return expr;
    const pt_expr_parameter *parameter = pt__expr_as_parameter(expr);
    const pt_expr *value = find_argument(b, parameter);
    if (value == NULL && b->missing == NULL)
        b->missing = parameter;
    return value == NULL ? expr : value;
}

/* Spark names a positional marker by its offset in the text. */
static pt_status unbound(pt__decoder *d, const pt_expr_parameter *parameter)
{
    const pt_origin *origin = parameter->base.origin;
    const char *name = parameter->name;
    if (name == NULL)
        name = pt__arena_printf(d->arena, "_%d", origin == NULL ? parameter->position : origin->start);
    pt_status status = pt__raise(d->err, PT_COND_UNBOUND_SQL_PARAMETER, "name", name, NULL);
    pt__origin_add_context(origin, d->err);
    return status;
}

static pt_status parse_sql(pt__decoder *d, const char *sql, const pt__sql_argument *arguments, size_t count,
                           const pt_plan **out)
{
    pt__sql_options options = {0};
    if (d->options != NULL)
        options = *d->options;
    options.arguments = arguments;
    options.argument_count = count;
    const pt_plan *parsed;
    PT_TRY(pt__sql_parse_statement(d->arena, pt__decode_text(sql), &options, &parsed, d->err));
    binder b = {d, arguments, count, NULL};
    *out = pt__plan_rewrite(d->arena, parsed, &(pt__rewriter){NULL, bind_parameter, &b});
    return b.missing == NULL ? PT_OK : unbound(d, b.missing);
}

/* A decimal argument becomes a literal of SQL text, whose precision is that of its digits. */
static const pt_expr *as_sql_literal(pt__decoder *d, const pt_expr *value)
{
    if (value->kind != PT_EXPR_LITERAL || value->type->id != PT_TYPE_DECIMAL)
        return value;
    pt_value number = pt__expr_as_literal(value)->value;
    if (number.is_null)
        return value;
    int32_t digits = pt__int128_digits(number.as.decimal);
    int32_t precision = digits > value->type->scale ? digits : value->type->scale;
    return pt__expr_literal(d->arena, pt__type_decimal(d->arena, precision, value->type->scale), number);
}

static pt_status add_argument(pt__decoder *d, const char *name, const Spark__Connect__Expression *value,
                              const Spark__Connect__Expression__Literal *literal, pt__sql_argument *out)
{
    const pt_expr *decoded;
    PT_TRY(value != NULL ? pt__decode_expression(d, value, &decoded) : pt__decode_literal(d, literal, &decoded));
    *out = (pt__sql_argument){name, as_sql_literal(d, decoded)};
    return PT_OK;
}

/* Both messages that hold SQL have the same four fields of arguments; named ones come first, as in Spark. */
#define DECODE_ARGUMENTS(m)                                                                                            \
    size_t count = 0;                                                                                                  \
    pt__sql_argument *arguments = pt__arena_array(                                                                     \
        d->arena, pt__sql_argument, (m)->n_named_arguments + (m)->n_args + (m)->n_pos_arguments + (m)->n_pos_args);    \
    for (size_t i = 0; i < (m)->n_named_arguments; i++)                                                                \
        PT_TRY(                                                                                                        \
            add_argument(d, (m)->named_arguments[i]->key, (m)->named_arguments[i]->value, NULL, &arguments[count++])); \
    for (size_t i = 0; i < (m)->n_args; i++)                                                                           \
        PT_TRY(add_argument(d, (m)->args[i]->key, NULL, (m)->args[i]->value, &arguments[count++]));                    \
    for (size_t i = 0; i < (m)->n_pos_arguments; i++)                                                                  \
        PT_TRY(add_argument(d, NULL, (m)->pos_arguments[i], NULL, &arguments[count++]));                               \
    for (size_t i = 0; i < (m)->n_pos_args; i++)                                                                       \
        PT_TRY(add_argument(d, NULL, NULL, (m)->pos_args[i], &arguments[count++]))

/* The root of parsed text gets a plan id of its own, so it is copied. */
pt_status pt__decode_sql(pt__decoder *d, const Spark__Connect__SQL *sql, pt_plan **out)
{
    const pt_plan *parsed;
    DECODE_ARGUMENTS(sql);
    PT_TRY(parse_sql(d, sql->query, arguments, count, &parsed));
    *out = pt__arena_copy(d->arena, parsed, pt__record_of_plan(parsed->kind)->size_bytes);
    return PT_OK;
}

pt_status pt__decode_old_sql_command(pt__decoder *d, const Spark__Connect__SqlCommand *command, const pt_plan **out)
{
    DECODE_ARGUMENTS(command);
    return parse_sql(d, command->sql, arguments, count, out);
}
