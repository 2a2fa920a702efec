/**
 * Decoder of Spark Connect: messages in, unresolved plan out. No I/O and no session state.
 *
 * What analysis needs to know about the trees:
 * - Functions are calls by the client's name. `==` is `=`; `in` is IN; `when` is CASE; the other operators keep their
 *   names (`isNull`, `<=>`, `negative` …), which are looked up without regard to case as all functions.
 * - Frame bounds given as values are PT_BOUND_FOLLOWING with the value, which may be negative.
 * - A lambda's parameters and their uses are LAMBDA_VARIABLE nodes of equal name.
 * - repartition, coalesce, repartition_by_expression and with_watermark are HINT nodes "repartition", "coalesce",
 *   "repartition" (partition count first if given) and "withwatermark" (column name and delay as strings).
 * - A Python table function is TABLE_FUNCTION with `python` set.
 * - A sub-query expression holds a REFERENCE to a plan of the WITH_REFERENCES around it.
 * - Catalog calls are CATALOG nodes; those of 4.2 that are statements of SQL too (dropTable, createDatabase,
 *   listPartitions …) are those commands, so that a root relation may be a command.
 * - Plan ids are kept on all nodes; origins are those of the client's call sites and hold no SQL.
 * - SQL with arguments: markers that stand for values are replaced here. A named argument that is not used is ignored.
 *
 * Ownership: everything returned lives in `arena`. Messages must be unpacked by pt__connect_unpack into the same
 *            arena, because their text and bytes are used, not copied.
 * Errors:    PT_BAD_PLAN and PT_UNSUPPORTED with Spark's CONNECT_INVALID_PLAN conditions; PT_BAD_SQL of SQL text inside.
 * Threads:   any; the caller guards the arena. The stack must have 4 MiB for the deepest message, besides what
 *            decode/spark_sql/parser.h asks for.
 * Spec:      spark/connect/{relations,expressions,commands,catalog,types}.proto of Apache Spark 4.2, and what clients
 *            of 3.5, 4.0 and 4.1 send in fields that are deprecated since.
 */
#ifndef PT_DECODE_SPARK_CONNECT_DECODER_H
#define PT_DECODE_SPARK_CONNECT_DECODER_H

#include "decode/options.h"
#include "decode/spark_connect/message.h"

typedef enum pt__connect_kind {
    PT_CONNECT_RELATION,
    PT_CONNECT_COMMAND,                 /* `plan` is to be run now; nothing comes back */
    PT_CONNECT_SQL,                     /* spark.sql: a query is analyzed only, a command runs and its rows come back */
    PT_CONNECT_REGISTER_FUNCTION,       /* `function`, or `java_class` */
    PT_CONNECT_REGISTER_TABLE_FUNCTION, /* `function` */
    PT_CONNECT_CHECKPOINT,              /* `plan`, `is_eager`, `is_local` */
    PT_CONNECT_REMOVE_CACHED,           /* `relation_id` */
    PT_CONNECT_GET_RESOURCES,
    PT_CONNECT_CREATE_RESOURCE_PROFILE,
    PT_CONNECT_ML_CLEAN_CACHE
} pt__connect_kind;

/** A plan of a client with what is to be done about it. */
typedef struct pt__connect_operation {
    pt__connect_kind kind;
    const pt_plan *plan;
    const Spark__Connect__Relation *sql_input; /* SQL: the relation to echo; NULL: the client sent the old form */
    const char *name;                          /* functions */
    const pt_expr_python_udf *function; /* functions: without arguments; result_type NULL: to be asked of the class */
    const char *java_class;             /* functions */
    const char *relation_id;
    bool is_eager;
    bool is_local;
} pt__connect_operation;

/** A root, a command or either compressed. `options` may be NULL: Spark's defaults. */
pt_status pt__connect_decode_plan(pt__arena *arena, const Spark__Connect__Plan *plan, const pt__decode_options *options,
                                  pt__connect_operation *out, pt_error *err);

pt_status pt__connect_decode_command(pt__arena *arena, const Spark__Connect__Command *command,
                                     const pt__decode_options *options, pt__connect_operation *out, pt_error *err);

pt_status pt__connect_decode_relation(pt__arena *arena, const Spark__Connect__Relation *relation,
                                      const pt__decode_options *options, const pt_plan **out, pt_error *err);

pt_status pt__connect_decode_expression(pt__arena *arena, const Spark__Connect__Expression *expression,
                                        const pt__decode_options *options, const pt_expr **out, pt_error *err);

pt_status pt__connect_decode_type(pt__arena *arena, const Spark__Connect__DataType *type,
                                  const pt__decode_options *options, const pt_type **out, pt_error *err);

/** A schema text: Spark's JSON, or DDL, in which a bare type is itself. Empty text is the empty struct. */
pt_status pt__connect_decode_schema_text(pt__arena *arena, const char *text, const pt__decode_options *options,
                                         const pt_type **out, pt_error *err);

/** The message of a type, in `arena`. Texts of `type` are used, not copied. */
Spark__Connect__DataType *pt__connect_encode_type(pt__arena *arena, const pt_type *type);

/** The literal message of a value, in `arena`; nested values carry their types. */
Spark__Connect__Expression__Literal *pt__connect_encode_literal(pt__arena *arena, const pt_type *type,
                                                                const pt_value *value);

#endif
