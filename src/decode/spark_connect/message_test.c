#include "decode/spark_connect/message.h"

#include "base/test.h"
#include "decode/spark_connect/decoder.h"
#include "decode/spark_connect/test_textproto.h"
#include "plan/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static void append_varint(pt__buffer *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        pt__buffer_append_byte(out, (uint8_t)(value | 0x80));
    pt__buffer_append_byte(out, (uint8_t)value);
}

/* Puts the buffer's bytes into field `number` of a message that starts with `head`. */
static void wrap(pt__buffer *buffer, uint32_t number, const char *head, size_t head_size)
{
    pt__buffer outer = PT_BUFFER_INIT;
    pt__buffer_append(&outer, head, head_size);
    append_varint(&outer, (uint64_t)number << 3 | 2);
    append_varint(&outer, buffer->size_bytes);
    pt__buffer_append(&outer, buffer->data, buffer->size_bytes);
    pt__buffer_deinit(buffer);
    *buffer = outer;
}

static pt__buffer encode(const ProtobufCMessageDescriptor *descriptor, const char *text)
{
    pt__buffer out = PT_BUFFER_INIT;
    size_t fault;
    PT_CHECK(pt__test_textproto(descriptor, text, &out, &fault));
    return out;
}

/* A plan of that many nested limits over a range. */
static pt__buffer chain_of_limits(int count)
{
    pt__buffer wire = encode(&spark__connect__relation__descriptor, "range { end: 3 step: 1 }");
    for (int i = 0; i < count; i++) {
        wrap(&wire, 1, "\x10\x05", 2); /* Limit: limit 5, input */
        wrap(&wire, 8, "", 0);         /* Relation: limit */
    }
    wrap(&wire, 1, "", 0); /* Plan: root */
    return wire;
}

static pt_status decode(pt__arena *arena, pt_bytes_view wire, pt__connect_operation *out, pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(pt__connect_unpack(arena, &spark__connect__plan__descriptor, wire, &message, err));
    return pt__connect_decode_plan(arena, (Spark__Connect__Plan *)message, NULL, out, err);
}

static pt_status decode_limits(int count, pt_error *err)
{
    pt__arena *arena = pt__arena_new(0);
    pt__buffer wire = chain_of_limits(count);
    pt__connect_operation operation;
    pt_status status = decode(arena, pt__buffer_view(&wire), &operation, err);
    pt__buffer_deinit(&wire);
    pt__arena_free(arena);
    return status;
}

PT_TEST(message_of_511_chained_calls_decodes)
{
    PT_CHECK_EQ(decode_limits(400, NULL), PT_OK);
    PT_CHECK_EQ(decode_limits(511, NULL), PT_OK); /* 1024 levels: root, 511 × 2, range */
}

PT_TEST(message_nested_too_deeply_is_refused_by_name)
{
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(decode_limits(512, &err), PT_LIMIT);
    PT_CHECK(strstr(err.message, "1024 levels") != NULL);
    PT_CHECK_EQ(decode_limits(5000, &err), PT_LIMIT);
    pt_error_clear(&err);
}

PT_TEST(message_of_nested_calls_decodes)
{
    pt__arena *arena = pt__arena_new(0);
    pt__buffer wire = encode(&spark__connect__expression__descriptor, "literal { integer: 1 }");
    for (int i = 0; i < 500; i++) {
        wrap(&wire, 2, "\n\x01-", 3); /* UnresolvedFunction: function_name, arguments */
        wrap(&wire, 3, "", 0);        /* Expression: unresolved_function */
    }
    ProtobufCMessage *message;
    const pt_expr *expr;
    PT_REQUIRE(pt__connect_unpack(arena, &spark__connect__expression__descriptor, pt__buffer_view(&wire), &message,
                                  NULL) == PT_OK);
    PT_CHECK_EQ(pt__connect_decode_expression(arena, (Spark__Connect__Expression *)message, NULL, &expr, NULL), PT_OK);
    PT_CHECK(strncmp(pt__expr_text(arena, expr), "-(-(-(", 6) == 0);
    pt__buffer_deinit(&wire);
    pt__arena_free(arena);
}

static pt_status check_bytes(const char *bytes, size_t size)
{
    return pt__connect_check(&spark__connect__relation__descriptor, (pt_bytes_view){(const uint8_t *)bytes, size},
                             NULL);
}

PT_TEST(message_check_refuses_malformed_bytes)
{
    PT_CHECK_EQ(check_bytes("", 0), PT_OK);
    PT_CHECK_EQ(check_bytes("\x12", 1), PT_BAD_MESSAGE);                     /* length missing */
    PT_CHECK_EQ(check_bytes("\x12\x05\x0a", 3), PT_BAD_MESSAGE);             /* length beyond the end */
    PT_CHECK_EQ(check_bytes("\x80", 1), PT_BAD_MESSAGE);                     /* tag cut off */
    PT_CHECK_EQ(check_bytes("\x07", 1), PT_BAD_MESSAGE);                     /* wire type 7 */
    PT_CHECK_EQ(check_bytes("\x0b\x0c", 2), PT_BAD_MESSAGE);                 /* group */
    PT_CHECK_EQ(check_bytes("\x02\x00", 2), PT_BAD_MESSAGE);                 /* field 0 */
    PT_CHECK_EQ(check_bytes("\x3d\x01\x02", 3), PT_BAD_MESSAGE);             /* four bytes cut off */
    PT_CHECK_EQ(check_bytes("\x52\x04\x0a\x02\xff\xfe", 6), PT_BAD_MESSAGE); /* sql.query: not UTF-8 */
    PT_CHECK_EQ(check_bytes("\x52\x04\x0a\x02\xc3\xa9", 6), PT_OK);
}

PT_TEST(message_with_an_unknown_member_is_named)
{
    pt__arena *arena = pt__arena_new(0);
    pt_error err = PT_ERROR_INIT;
    ProtobufCMessage *message;
    const pt_plan *plan;
    pt_bytes_view wire = {(const uint8_t *)"\x82\x7d\x00", 3}; /* field 2000, a message */
    PT_REQUIRE(pt__connect_unpack(arena, &spark__connect__relation__descriptor, wire, &message, NULL) == PT_OK);
    PT_CHECK_EQ(pt__connect_decode_relation(arena, (Spark__Connect__Relation *)message, NULL, &plan, &err),
                PT_UNSUPPORTED);
    PT_CHECK(strstr(err.message, "2000") != NULL);
    pt_error_clear(&err);
    pt__arena_free(arena);
}

/* ---- compressed plans ---- */

static pt__buffer compressed_plan(const void *content, size_t size, int op_type)
{
    pt__buffer packed = PT_BUFFER_INIT;
    pt__buffer wire = PT_BUFFER_INIT;
    PT_CHECK(pt__buffer_reserve(&packed, ZSTD_compressBound(size)));
    packed.size_bytes = ZSTD_compress(packed.data, packed.capacity_bytes, content, size, 1);
    pt__buffer_append_byte(&wire, 0x0a);
    append_varint(&wire, packed.size_bytes);
    pt__buffer_append(&wire, packed.data, packed.size_bytes);
    pt__buffer_append_byte(&wire, 0x10);
    pt__buffer_append_byte(&wire, (uint8_t)op_type);
    pt__buffer_append(&wire, "\x18\x01", 2); /* codec: zstd */
    wrap(&wire, 3, "", 0);
    pt__buffer_deinit(&packed);
    return wire;
}

static const char *decode_compressed(pt__arena *arena, const void *content, size_t size, int op_type, pt_error *err)
{
    pt__buffer wire = compressed_plan(content, size, op_type);
    pt__connect_operation operation;
    pt_status status = decode(arena, pt__buffer_view(&wire), &operation, err);
    pt__buffer_deinit(&wire);
    return status == PT_OK ? pt__plan_text(arena, operation.plan) : NULL;
}

PT_TEST(message_with_a_compressed_plan_decodes)
{
    pt__arena *arena = pt__arena_new(0);
    pt__buffer relation = encode(&spark__connect__relation__descriptor, "range { end: 3 step: 1 }");
    pt__buffer command =
        encode(&spark__connect__command__descriptor, "sql_command { input { sql { query: \"select 1\" } } }");
    PT_CHECK_STR(decode_compressed(arena, relation.data, relation.size_bytes, 1, NULL), "range end=3 step=1\n");
    PT_CHECK_STR(decode_compressed(arena, command.data, command.size_bytes, 2, NULL), "project expressions=[1]\n");
    pt__buffer_deinit(&relation);
    pt__buffer_deinit(&command);
    pt__arena_free(arena);
}

PT_TEST(message_with_a_bad_compressed_plan_says_that_it_cannot_be_parsed)
{
    pt__arena *arena = pt__arena_new(0);
    pt_error err = PT_ERROR_INIT;
    PT_CHECK(decode_compressed(arena, "\xff\xff", 2, 1, &err) == NULL);
    PT_CHECK_STR(err.condition, "CONNECT_INVALID_PLAN.CANNOT_PARSE");
    PT_CHECK(decode_compressed(arena, "", 0, 0, &err) == NULL);
    PT_CHECK_STR(err.condition, "CONNECT_INVALID_PLAN.CANNOT_PARSE");
    pt__buffer wire =
        encode(&spark__connect__plan__descriptor, "compressed_operation { data: \"nonsense\" op_type: OP_TYPE_RELATION "
                                                  "compression_codec: COMPRESSION_CODEC_ZSTD }");
    pt__connect_operation operation;
    PT_CHECK_EQ(decode(arena, pt__buffer_view(&wire), &operation, &err), PT_BAD_PLAN);
    PT_CHECK_STR(err.condition, "CONNECT_INVALID_PLAN.CANNOT_PARSE");
    pt__buffer_deinit(&wire);
    pt_error_clear(&err);
    pt__arena_free(arena);
}

PT_TEST(message_with_a_cut_compressed_plan_is_refused)
{
    pt__arena *arena = pt__arena_new(0);
    char content[1000];
    memset(content, 0, sizeof(content));
    pt__buffer packed = PT_BUFFER_INIT;
    PT_REQUIRE(pt__buffer_reserve(&packed, ZSTD_compressBound(sizeof(content))));
    size_t size = ZSTD_compress(packed.data, packed.capacity_bytes, content, sizeof(content), 1);
    Spark__Connect__Plan__CompressedOperation operation = SPARK__CONNECT__PLAN__COMPRESSED_OPERATION__INIT;
    operation.data = (ProtobufCBinaryData){size - 3, packed.data};
    operation.op_type = SPARK__CONNECT__PLAN__COMPRESSED_OPERATION__OP_TYPE__OP_TYPE_RELATION;
    operation.compression_codec = SPARK__CONNECT__COMPRESSION_CODEC__COMPRESSION_CODEC_ZSTD;
    Spark__Connect__Plan plan = SPARK__CONNECT__PLAN__INIT;
    plan.op_type_case = SPARK__CONNECT__PLAN__OP_TYPE_COMPRESSED_OPERATION;
    plan.compressed_operation = &operation;
    const Spark__Connect__Plan *inflated;
    PT_CHECK_EQ(pt__connect_inflate_plan(arena, &plan, &inflated, NULL), PT_BAD_PLAN);
    pt__buffer_deinit(&packed);
    pt__arena_free(arena);
}

/* ---- encoding of literals ---- */

/* Decodes, encodes, packs, decodes again: the text must not change. */
static void check_literal(pt__arena *arena, const char *text)
{
    pt__buffer wire = encode(&spark__connect__expression__descriptor, text);
    ProtobufCMessage *message;
    const pt_expr *expr = NULL;
    PT_REQUIRE(pt__connect_unpack(arena, &spark__connect__expression__descriptor, pt__buffer_view(&wire), &message,
                                  NULL) == PT_OK);
    PT_REQUIRE(pt__connect_decode_expression(arena, (Spark__Connect__Expression *)message, NULL, &expr, NULL) == PT_OK);
    const pt_expr_literal *literal = pt__expr_as_literal(expr);
    Spark__Connect__Expression again = SPARK__CONNECT__EXPRESSION__INIT;
    again.expr_type_case = SPARK__CONNECT__EXPRESSION__EXPR_TYPE_LITERAL;
    again.literal = pt__connect_encode_literal(arena, literal->base.type, &literal->value);
    size_t size = protobuf_c_message_get_packed_size(&again.base);
    uint8_t *packed = (uint8_t *)pt__arena_alloc_text(arena, size + 1);
    protobuf_c_message_pack(&again.base, packed);
    const pt_expr *expr_again = NULL;
    PT_REQUIRE(pt__connect_unpack(arena, &spark__connect__expression__descriptor, (pt_bytes_view){packed, size},
                                  &message, NULL) == PT_OK);
    PT_REQUIRE(pt__connect_decode_expression(arena, (Spark__Connect__Expression *)message, NULL, &expr_again, NULL) ==
               PT_OK);
    PT_CHECK_STR(pt__expr_text(arena, expr_again), pt__expr_text(arena, expr));
    pt__buffer_deinit(&wire);
}

PT_TEST(literals_are_encoded_as_they_are_decoded)
{
    static const char *const TEXTS[] = {
        "literal { null { integer { } } }",
        "literal { boolean: true }",
        "literal { byte: -3 }",
        "literal { short: -3 }",
        "literal { integer: -3 }",
        "literal { long: -3 }",
        "literal { float: 0.5 }",
        "literal { double: 0.1 }",
        "literal { decimal { value: \"-1.20\" precision: 10 scale: 2 } }",
        "literal { string: \"\\303\\251\" }",
        "literal { binary: \"\\000\\377\" }",
        "literal { date: 1 }",
        "literal { timestamp: 1 }",
        "literal { timestamp_ntz: 1 }",
        "literal { time { nano: 5 precision: 3 } }",
        "literal { year_month_interval: 3 }",
        "literal { day_time_interval: 3 }",
        "literal { calendar_interval { months: 1 days: 2 microseconds: 3 } }",
        "literal { array { element_type { integer { } } elements { integer: 1 } elements { null { integer { } } } } }",
        "literal { map { key_type { string { } } value_type { long { } } keys { string: \"a\" } values { long: 1 } } }",
        "literal { struct { struct_type { struct { fields { data_type { date { } } } } } elements { date: 1 } } }",
    };
    pt__arena *arena = pt__arena_new(0);
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        check_literal(arena, TEXTS[i]);
    pt__arena_free(arena);
}

/* ---- the stack ---- */

static void *decode_on_thread(void *count)
{
    *(pt_status *)count = decode_limits(511, NULL);
    return NULL;
}

PT_TEST(message_of_the_deepest_kind_needs_less_stack_than_its_header_says)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pt_status status = PT_INTERNAL;
    PT_REQUIRE(pthread_attr_init(&attributes) == 0);
    PT_REQUIRE(pthread_attr_setstacksize(&attributes, 4 << 20) == 0);
    PT_REQUIRE(pthread_create(&thread, &attributes, decode_on_thread, &status) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    PT_CHECK_EQ(status, PT_OK);
}
