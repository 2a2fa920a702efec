/*
 * Pairs of text: messages of clients and the plans they stand for, in tests/spark_connect/.
 *
 * A file holds cases of the form "message, a line ---, the plan, a line ===". Messages are in the text format of
 * Protocol Buffers; expressions*.txt hold spark.connect.Expression, types*.txt DataType, all others Plan. What fails
 * has "error: …" for a plan. PORTICO_REWRITE=1 in the environment writes what was found instead of comparing.
 */
#include "decode/spark_connect/decoder.h"

#include "base/test.h"
#include "decode/spark_connect/test_textproto.h"
#include "plan/text.h"
#include "plan/walk.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const KINDS[] = {
    "relation",   "command",       "sql",           "register_function",       "register_table_function",
    "checkpoint", "remove_cached", "get_resources", "create_resource_profile", "ml_clean_cache"};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    if (text != NULL)
        text[fread(text, 1, size, file)] = '\0';
    fclose(file);
    return text;
}

static void append_error(pt__buffer *out, const pt_error *err)
{
    const char *name;
    const char *value;
    pt_error_context context;
    pt__buffer_printf(out, "error: %s\n", pt_error_full_message(err));
    for (size_t i = 0; pt_error_parameter(err, i, &name, &value); i++)
        pt__buffer_printf(out, "with %s: %s\n", name, value);
    for (size_t i = 0; pt_error_context_at(err, i, &context); i++)
        pt__buffer_printf(out, "at %d to %d: %s %s\n", context.start, context.stop, context.fragment,
                          context.call_site);
}

static void append_operation(pt__buffer *out, const pt__connect_operation *operation)
{
    pt__buffer_append_string(out, KINDS[operation->kind]);
    if (operation->name != NULL)
        pt__buffer_printf(out, " name=%s", operation->name);
    if (operation->java_class != NULL)
        pt__buffer_printf(out, " java_class=%s", operation->java_class);
    if (operation->relation_id != NULL)
        pt__buffer_printf(out, " relation_id=%s", operation->relation_id);
    pt__buffer_printf(out, "%s%s", operation->is_eager ? " eager" : "", operation->is_local ? " local" : "");
    if (operation->function != NULL) {
        pt__buffer_append_byte(out, ' ');
        pt__expr_append_text(out, &operation->function->base);
    }
    pt__buffer_append_byte(out, '\n');
    if (operation->plan == NULL)
        return;
    pt__plan_append_text(out, operation->plan);
}

/* A copy of the plan must say the same when the original is gone. */
static void check_copy(pt__arena *arena, const pt_plan *plan)
{
    if (plan == NULL)
        return;
    pt__arena *other = pt__arena_new(0);
    const char *text = pt__arena_copy_string(other, pt__plan_text(arena, plan));
    const pt_plan *copy = pt__plan_copy(other, plan);
    PT_CHECK(pt__plan_equal(plan, copy));
    pt__arena_reset(arena);
    PT_CHECK_STR(pt__plan_text(other, copy), text);
    pt__arena_free(other);
}

static pt_status decode_plan(pt__arena *arena, pt_bytes_view wire, pt__buffer *out, pt_error *err)
{
    ProtobufCMessage *message;
    pt__connect_operation operation;
    PT_TRY(pt__connect_unpack(arena, &spark__connect__plan__descriptor, wire, &message, err));
    PT_TRY(pt__connect_decode_plan(arena, (Spark__Connect__Plan *)message, NULL, &operation, err));
    append_operation(out, &operation);
    check_copy(arena, operation.plan);
    return PT_OK;
}

static void append_origin(pt__buffer *out, const pt_origin *origin)
{
    if (origin != NULL && origin->sql == NULL)
        pt__buffer_printf(out, "from %s at %s\n", origin->fragment, origin->call_site);
}

static pt_status decode_expression(pt__arena *arena, pt_bytes_view wire, pt__buffer *out, pt_error *err)
{
    ProtobufCMessage *message;
    const pt_expr *expr;
    PT_TRY(pt__connect_unpack(arena, &spark__connect__expression__descriptor, wire, &message, err));
    PT_TRY(pt__connect_decode_expression(arena, (Spark__Connect__Expression *)message, NULL, &expr, err));
    pt__expr_append_text(out, expr);
    pt__buffer_append_byte(out, '\n');
    append_origin(out, expr->origin);
    return PT_OK;
}

/* Types go both ways: the encoded type is decoded again. */
static pt_status decode_type(pt__arena *arena, pt_bytes_view wire, pt__buffer *out, pt_error *err)
{
    ProtobufCMessage *message;
    const pt_type *type;
    const pt_type *again;
    PT_TRY(pt__connect_unpack(arena, &spark__connect__data_type__descriptor, wire, &message, err));
    PT_TRY(pt__connect_decode_type(arena, (Spark__Connect__DataType *)message, NULL, &type, err));
    PT_TRY(pt__connect_decode_type(arena, pt__connect_encode_type(arena, type), NULL, &again, err));
    PT_CHECK(pt__type_equal(type, again));
    pt__type_append_json(out, type);
    pt__buffer_append_byte(out, '\n');
    return PT_OK;
}

static const ProtobufCMessageDescriptor *descriptor_of(const char *kind)
{
    if (strncmp(kind, "expressions", 11) == 0)
        return &spark__connect__expression__descriptor;
    return strncmp(kind, "types", 5) == 0 ? &spark__connect__data_type__descriptor : &spark__connect__plan__descriptor;
}

static void decode(const char *kind, pt__arena *arena, const char *text, pt__buffer *out)
{
    pt_error err = PT_ERROR_INIT;
    pt__buffer wire = PT_BUFFER_INIT;
    size_t fault = 0;
    pt_status status;
    const ProtobufCMessageDescriptor *descriptor = descriptor_of(kind);
    if (!pt__test_textproto(descriptor, text, &wire, &fault))
        status = pt_error_set(&err, PT_INVALID_ARGUMENT, "no such message: %.40s", text + fault);
    else if (descriptor == &spark__connect__expression__descriptor)
        status = decode_expression(arena, pt__buffer_view(&wire), out, &err);
    else if (descriptor == &spark__connect__data_type__descriptor)
        status = decode_type(arena, pt__buffer_view(&wire), out, &err);
    else
        status = decode_plan(arena, pt__buffer_view(&wire), out, &err);
    if (status != PT_OK)
        append_error(out, &err);
    pt__buffer_deinit(&wire);
    pt_error_clear(&err);
}

/* One case at `text`; returns what follows it, or NULL at the end of the file. */
static char *run_case(const char *kind, char *text, pt__buffer *rewritten)
{
    char *separator = strstr(text, "\n---\n");
    char *end = separator == NULL ? NULL : strstr(separator, "\n===\n");
    if (end == NULL)
        return NULL;
    *separator = '\0';
    end[1] = '\0';
    pt__arena *arena = pt__arena_new(0);
    pt__buffer got = PT_BUFFER_INIT;
    decode(kind, arena, text, &got);
    if (getenv("PORTICO_REWRITE") == NULL &&
        !pt__test_check_string(__FILE__, __LINE__, kind, pt__buffer_string(&got), separator + 5))
        printf("for\n%s\n", text);
    pt__buffer_printf(rewritten, "%s\n---\n%s===\n", text, pt__buffer_string(&got));
    pt__buffer_deinit(&got);
    pt__arena_free(arena);
    return end + 5;
}

static void run_file(const char *path, const char *kind)
{
    char *text = read_file(path);
    PT_REQUIRE(text != NULL);
    pt__buffer rewritten = PT_BUFFER_INIT;
    for (char *at = text; at != NULL && *at != '\0';)
        at = run_case(kind, at, &rewritten);
    if (getenv("PORTICO_REWRITE") != NULL) {
        FILE *file = fopen(path, "wb");
        PT_REQUIRE(file != NULL);
        fwrite(rewritten.data, 1, rewritten.size_bytes, file);
        fclose(file);
    }
    pt__buffer_deinit(&rewritten);
    free(text);
}

PT_TEST(spark_connect_messages_become_the_expected_plans)
{
    DIR *folder = opendir(PT_SOURCE_DIR "/tests/spark_connect");
    PT_REQUIRE(folder != NULL);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[1024];
        if (strstr(entry->d_name, ".txt") == NULL)
            continue;
        snprintf(path, sizeof(path), "%s/%s", PT_SOURCE_DIR "/tests/spark_connect", entry->d_name);
        run_file(path, entry->d_name);
        files++;
    }
    closedir(folder);
    PT_CHECK(files > 0);
}
