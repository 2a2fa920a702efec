/*
 * Pairs of text: Substrait messages and the plans they stand for, in tests/substrait/.
 *
 * A file holds cases of the form "message, a line ---, the plan, a line ===". Messages are in the text format of
 * Protocol Buffers: plans*.txt hold substrait.Plan, relations*.txt substrait.Rel over the functions that declarations.txt
 * declares, expressions*.txt substrait.Expression over the table t of schema.txt. What fails has "error: …" for a plan.
 * PORTICO_REWRITE=1 in the environment writes what was found instead of comparing.
 */
#include "decode/substrait/decoder.h"

#include "base/test.h"
#include "decode/spark_connect/test_textproto.h"
#include "plan/text.h"
#include "plan/walk.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <substrait/plan.pb-c.h>

#define FOLDER PT_SOURCE_DIR "/tests/substrait/"

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

/* ---- messages ---- */

static void append_file(pt__buffer *out, const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), FOLDER "%s", name);
    char *text = read_file(path);
    PT_REQUIRE(text != NULL);
    pt__buffer_append_string(out, text);
    free(text);
}

static void append_plan_of(pt__buffer *out, const char *kind, const char *text)
{
    if (strncmp(kind, "plans", 5) == 0) {
        pt__buffer_append_string(out, text);
        return;
    }
    append_file(out, "declarations.txt");
    if (strncmp(kind, "relations", 9) == 0) {
        pt__buffer_printf(out, "relations { rel { %s } }", text);
        return;
    }
    pt__buffer_append_string(out, "relations { rel { project { common { emit { output_mapping: 8 } } input { ");
    append_file(out, "schema.txt");
    pt__buffer_printf(out, " } expressions { %s } } } }", text);
}

static bool encode(const char *kind, const char *text, pt__buffer *wire)
{
    pt__buffer message = PT_BUFFER_INIT;
    size_t fault = 0;
    append_plan_of(&message, kind, text);
    bool fits = pt__test_textproto(&substrait__plan__descriptor, pt__buffer_string(&message), wire, &fault);
    if (!fits)
        fprintf(stderr, "does not fit: %.60s\n", pt__buffer_string(&message) + fault);
    pt__buffer_deinit(&message);
    return fits;
}

/* ---- plans ---- */

static void append_error(pt__buffer *out, const pt_error *err)
{
    pt__buffer_printf(out, "error: %s\n", pt_error_full_message(err));
}

/* A copy of the plan must say the same when the original is gone. */
static void check_copy(pt__arena *arena, const pt_plan *plan)
{
    pt__arena *other = pt__arena_new(0);
    const char *text = pt__arena_copy_string(other, pt__plan_text(arena, plan));
    const pt_plan *copy = pt__plan_copy(other, plan);
    PT_CHECK(pt__plan_equal(plan, copy));
    PT_CHECK_STR(pt__plan_text(other, copy), text);
    pt__arena_free(other);
}

/* Of an expression only what the projection computes is shown. */
static void append_found(pt__buffer *out, const char *kind, const pt_plan *plan)
{
    if (strncmp(kind, "expressions", 11) != 0) {
        pt__plan_append_text(out, plan);
        return;
    }
    pt__expr_append_text(out, pt__plan_as_project(plan)->expressions[0]);
    pt__buffer_append_byte(out, '\n');
}

static void decode(const char *kind, const char *text, pt__buffer *out)
{
    pt__arena *arena = pt__arena_new(0);
    pt_error err = PT_ERROR_INIT;
    pt__buffer wire = PT_BUFFER_INIT;
    const pt_plan *plan = NULL;
    if (!encode(kind, text, &wire))
        pt__buffer_append_string(out, "error: the message does not fit\n");
    else if (pt__substrait_decode(arena, pt__buffer_view(&wire), NULL, &plan, &err) != PT_OK)
        append_error(out, &err);
    else
        append_found(out, kind, plan);
    if (plan != NULL && err.status == PT_OK)
        check_copy(arena, plan);
    pt__buffer_deinit(&wire);
    pt_error_clear(&err);
    pt__arena_free(arena);
}

/* ---- files ---- */

static char *cut(char **rest, const char *separator)
{
    char *start = *rest;
    char *end = strstr(start, separator);
    if (end == NULL)
        return NULL;
    *end = '\0';
    *rest = end + strlen(separator);
    return start;
}

static void check_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), FOLDER "%s", name);
    char *text = read_file(path);
    PT_REQUIRE(text != NULL);
    pt__buffer rewritten = PT_BUFFER_INIT;
    char *message;
    for (char *rest = text; (message = cut(&rest, "\n---\n")) != NULL;) {
        char *expected = cut(&rest, "===\n");
        PT_REQUIRE(expected != NULL);
        pt__buffer found = PT_BUFFER_INIT;
        decode(name, message, &found);
        if (getenv("PORTICO_REWRITE") == NULL)
            PT_CHECK_STR(pt__buffer_string(&found), expected);
        pt__buffer_printf(&rewritten, "%s\n---\n%s===\n", message, pt__buffer_string(&found));
        pt__buffer_deinit(&found);
    }
    free(text);
    FILE *file = getenv("PORTICO_REWRITE") == NULL ? NULL : fopen(path, "wb");
    if (file != NULL) {
        fwrite(rewritten.data, 1, rewritten.size_bytes, file);
        fclose(file);
    }
    pt__buffer_deinit(&rewritten);
}

static void check_files(const char *kind)
{
    DIR *folder = opendir(FOLDER);
    size_t count = 0;
    PT_REQUIRE(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, kind, strlen(kind)) != 0 || dot == NULL || strcmp(dot, ".txt") != 0)
            continue;
        check_file(entry->d_name);
        count++;
    }
    closedir(folder);
    PT_CHECK(count > 0);
}

PT_TEST(substrait_expressions_become_expressions)
{
    check_files("expressions");
}

PT_TEST(substrait_relations_become_plans)
{
    check_files("relations");
}

PT_TEST(substrait_plans_are_declarations_and_a_root)
{
    check_files("plans");
}

/* ---- bytes ---- */

static pt_status decode_bytes(const void *bytes, size_t size_bytes, pt_error *err)
{
    pt__arena *arena = pt__arena_new(0);
    const pt_plan *plan;
    pt_status status = pt__substrait_decode(arena, (pt_bytes_view){bytes, size_bytes}, NULL, &plan, err);
    pt__arena_free(arena);
    return status;
}

PT_TEST(substrait_malformed_bytes_are_refused)
{
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(decode_bytes("\xff\xff\xff", 3, &err), PT_BAD_MESSAGE);
    PT_CHECK_EQ(decode_bytes("\x1a\x7f", 2, &err), PT_BAD_MESSAGE);
    PT_CHECK_EQ(decode_bytes("", 0, &err), PT_BAD_PLAN);
    PT_CHECK_STR(err.message, "the Substrait plan is invalid: it has 0 relations and no root");
    pt_error_clear(&err);
}

/* A field of length-delimited bytes around what is in the buffer. */
static void wrap(pt__buffer *inner, uint8_t field)
{
    pt__buffer outer = PT_BUFFER_INIT;
    pt__buffer_append_byte(&outer, (uint8_t)(field << 3 | 2));
    size_t size = inner->size_bytes;
    for (; size > 0x7F; size >>= 7)
        pt__buffer_append_byte(&outer, (uint8_t)((size & 0x7F) | 0x80));
    pt__buffer_append_byte(&outer, (uint8_t)size);
    pt__buffer_append(&outer, inner->data, inner->size_bytes);
    pt__buffer_deinit(inner);
    *inner = outer;
}

/* relations { rel { filter { input { filter { … } } } } }: Rel.filter and FilterRel.input are both field 2. */
static pt_status decode_nested(int depth, pt_error *err)
{
    pt__buffer wire = PT_BUFFER_INIT;
    for (int i = 0; i < depth; i++)
        wrap(&wire, 2);
    wrap(&wire, 1);
    wrap(&wire, 3);
    pt_status status = decode_bytes(wire.data, wire.size_bytes, err);
    pt__buffer_deinit(&wire);
    return status;
}

PT_TEST(substrait_deep_plans_are_a_limit)
{
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(decode_nested(2000, &err), PT_LIMIT);
    PT_CHECK_EQ(decode_nested(1000, &err), PT_BAD_PLAN); /* the innermost relation says nothing */
    pt_error_clear(&err);
}
