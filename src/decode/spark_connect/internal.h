/**
 * What the files of the Spark Connect decoder share.
 */
#ifndef PT_DECODE_SPARK_CONNECT_INTERNAL_H
#define PT_DECODE_SPARK_CONNECT_INTERNAL_H

#include "base/condition.h"
#include "base/list.h"
#include "decode/spark_connect/decoder.h"

typedef struct pt__decoder {
    pt__arena *arena;
    const pt__sql_options *options;   /* NULL: Spark's defaults */
    const pt__extensions *extensions; /* NULL: none */
    const pt_origin *origin;          /* of the innermost node that has one */
    int extension_depth;              /* extensions around what is decoded */
    pt_error *err;
} pt__decoder;

/** The value of an `optional` field, or `fallback`. */
#define PT_OPTIONAL(message, field, fallback) ((message)->_##field##_case != 0 ? (message)->field : (fallback))

/* ---- errors ---- */

/** The member of a oneof is not supported: names message, member and number. */
pt_status pt__decode_not_supported(pt__decoder *d, const ProtobufCMessage *message, unsigned number);
/** No member of a oneof is set, or one that a newer client knows. `message` may be NULL: it is missing altogether. */
pt_status pt__decode_not_set(pt__decoder *d, const ProtobufCMessage *message,
                             const ProtobufCMessageDescriptor *descriptor, const char *name);
pt_status pt__decode_bad_enum(pt__decoder *d, const ProtobufCEnumDescriptor *descriptor, int value);
pt_status pt__decode_too_precise(pt__decoder *d, int32_t precision);
pt_status pt__decode_unsupported_feature(pt__decoder *d, const char *feature);

/* ---- texts ---- */

pt_text_view pt__decode_text(const char *text);
/** NULL for the empty text. */
const char *pt__decode_optional_text(const char *text);
pt_status pt__decode_name(pt__decoder *d, const char *text, pt_name *out);

/** Arrays of map entries { base, key, value } become options in their order. */
#define PT_DECODE_OPTIONS(d, message, field)                                                                           \
    pt__decode_option_map((d), (const void *const *)(message)->field, (message)->n_##field,                            \
                          offsetof(__typeof__(**(message)->field), key),                                               \
                          offsetof(__typeof__(**(message)->field), value))
pt_options pt__decode_option_map(pt__decoder *d, const void *const *entries, size_t count, size_t key_offset,
                                 size_t value_offset);

/* ---- pieces ---- */

const pt_origin *pt__decode_origin(pt__decoder *d, const Spark__Connect__Origin *origin);

pt_status pt__decode_type(pt__decoder *d, const Spark__Connect__DataType *type, const pt_type **out);
pt_status pt__decode_schema_text(pt__decoder *d, const char *text, const pt_type **out);

pt_status pt__decode_literal(pt__decoder *d, const Spark__Connect__Expression__Literal *literal, const pt_expr **out);
pt_status pt__decode_literals(pt__decoder *d, Spark__Connect__Expression__Literal *const *literals, size_t count,
                              const pt_expr *const **out);

pt_status pt__decode_expression(pt__decoder *d, const Spark__Connect__Expression *expression, const pt_expr **out);
/** `*out` is NULL when the message is. */
pt_status pt__decode_optional_expression(pt__decoder *d, const Spark__Connect__Expression *expression,
                                         const pt_expr **out);
pt_status pt__decode_expressions(pt__decoder *d, Spark__Connect__Expression *const *expressions, size_t count,
                                 const pt_expr *const **out);
pt_status pt__decode_sort_order(pt__decoder *d, const Spark__Connect__Expression__SortOrder *order,
                                const pt_expr **out);
pt_status pt__decode_sort_orders(pt__decoder *d, Spark__Connect__Expression__SortOrder *const *orders, size_t count,
                                 const pt_expr *const **out);
pt_status pt__decode_alias(pt__decoder *d, const Spark__Connect__Expression__Alias *alias, const pt_expr **out);
pt_status pt__decode_call(pt__decoder *d, const Spark__Connect__Expression__UnresolvedFunction *function,
                          const pt_expr **out);
pt_status pt__decode_call_function(pt__decoder *d, const Spark__Connect__CallFunction *function, const pt_expr **out);
pt_status pt__decode_python_udf(pt__decoder *d, const Spark__Connect__CommonInlineUserDefinedFunction *function,
                                const pt_expr **out);
pt_status pt__decode_python_udtf(pt__decoder *d, const Spark__Connect__CommonInlineUserDefinedTableFunction *function,
                                 const pt_expr **out);
/** The name that an attribute expression is; PT_UNSUPPORTED naming `place` for any other. */
pt_status pt__decode_attribute_name(pt__decoder *d, const pt_expr *expr, const char *place, pt_name *out);

pt_status pt__decode_relation(pt__decoder *d, const Spark__Connect__Relation *relation, const pt_plan **out);
pt_status pt__decode_join_kind(pt__decoder *d, Spark__Connect__Join__JoinType type, pt_join_kind *out);

/* Families of relations, one file each. */
pt_status pt__decode_read(pt__decoder *d, const Spark__Connect__Read *read, pt_plan **out);
pt_status pt__decode_local(pt__decoder *d, const Spark__Connect__LocalRelation *local, pt_plan **out);
pt_status pt__decode_sql(pt__decoder *d, const Spark__Connect__SQL *sql, pt_plan **out);
pt_status pt__decode_old_sql_command(pt__decoder *d, const Spark__Connect__SqlCommand *command, const pt_plan **out);
pt_status pt__decode_aggregate(pt__decoder *d, const Spark__Connect__Aggregate *aggregate, pt_plan **out);
pt_status pt__decode_statistics(pt__decoder *d, const Spark__Connect__Relation *relation, pt_plan **out);
pt_status pt__decode_missing_values(pt__decoder *d, const Spark__Connect__Relation *relation, pt_plan **out);
pt_status pt__decode_python_relation(pt__decoder *d, const Spark__Connect__Relation *relation, pt_plan **out);
pt_status pt__decode_catalog(pt__decoder *d, const Spark__Connect__Catalog *catalog, pt_plan **out);

/* Extension nodes, by the host's translators (extension.c). */
pt_status pt__decode_extension_relation(pt__decoder *d, const Google__Protobuf__Any *any, pt_plan **out);
pt_status pt__decode_extension_expression(pt__decoder *d, const Google__Protobuf__Any *any, const pt_expr **out);
pt_status pt__decode_extension_command(pt__decoder *d, const Google__Protobuf__Any *any, const pt_plan **out);

/* Commands that write. */
pt_status pt__decode_write(pt__decoder *d, const Spark__Connect__WriteOperation *write, const pt_plan **out);
pt_status pt__decode_write_v2(pt__decoder *d, const Spark__Connect__WriteOperationV2 *write, const pt_plan **out);
pt_status pt__decode_merge(pt__decoder *d, const Spark__Connect__MergeIntoTableCommand *merge, const pt_plan **out);

#endif
