/*
 * The decoder of Spark SQL. Input: one byte of options, one byte that says what the text is read as, then the text.
 * Whatever is read must be printable, and every error must have a place inside the text.
 */
#include "decode/spark_sql/parser.h"

#include "plan/text.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

enum { MEMORY_MAX = 256 << 20, TEXT_MAX = 1 << 16, PRINTED_TEXT_MAX = 4096 };

enum { DOUBLE_QUOTED_IDENTIFIERS = 1, ESCAPED_STRING_LITERALS = 2, ENFORCE_RESERVED_KEYWORDS = 4, TIMESTAMP_NTZ = 8 };

static void print_plan(const pt_plan *plan)
{
    pt__buffer out = PT_BUFFER_INIT;
    pt__plan_append_text(&out, plan);
    pt__buffer_deinit(&out);
}

static void print_expr(const pt_expr *expr)
{
    pt__buffer out = PT_BUFFER_INIT;
    pt__expr_append_text(&out, expr);
    pt__buffer_deinit(&out);
}

static void print_type(const pt_type *type)
{
    pt__buffer out = PT_BUFFER_INIT;
    pt__type_append_json(&out, type);
    pt__buffer_deinit(&out);
}

static pt_status read_text(pt__arena *arena, uint8_t what, pt_text_view text, const pt__sql_options *options,
                           pt_error *err)
{
    const pt_plan *plan = NULL;
    const pt_expr *expr = NULL;
    const pt_expr *const *list = NULL;
    const pt_type *type = NULL;
    pt_name name = {0};
    size_t count = 0;
    pt_status status = PT_OK;
    switch (what % 8) {
    case 0: status = pt__sql_parse_expression(arena, text, options, &expr, err); break;
    case 1: status = pt__sql_parse_expressions(arena, text, options, &list, &count, err); break;
    case 2: status = pt__sql_parse_name(arena, text, options, &name, err); break;
    case 3: status = pt__sql_parse_column_name(arena, text, &name, err); break;
    case 4: status = pt__sql_parse_type(arena, text, options, &type, err); break;
    case 5: status = pt__sql_parse_schema(arena, text, options, &type, err); break;
    default: status = pt__sql_parse_statement(arena, text, options, &plan, err); break;
    }
    bool printed = text.size_bytes <= PRINTED_TEXT_MAX; /* printing recurses as deep as a chain is long */
    if (status == PT_OK && printed && plan != NULL)
        print_plan(plan);
    if (status == PT_OK && printed && expr != NULL)
        print_expr(expr);
    if (status == PT_OK && printed && type != NULL)
        print_type(type);
    return status;
}

static void check_error(const pt_error *err, size_t size)
{
    pt_error_context context;
    assert(err->status != PT_OK && err->message[0] != '\0');
    for (size_t i = 0; pt_error_context_at(err, i, &context); i++) {
        assert(context.start >= 0 && (size_t)context.start <= size);
        assert(context.stop >= context.start - 1 && (size_t)(context.stop + 1) <= size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > TEXT_MAX)
        return -1;
    pt__sql_options options = {
        .double_quoted_identifiers = (data[0] & DOUBLE_QUOTED_IDENTIFIERS) != 0,
        .escaped_string_literals = (data[0] & ESCAPED_STRING_LITERALS) != 0,
        .enforce_reserved_keywords = (data[0] & ENFORCE_RESERVED_KEYWORDS) != 0,
        .timestamp_is_ntz = (data[0] & TIMESTAMP_NTZ) != 0,
    };
    pt__arena *arena = pt__arena_new(MEMORY_MAX);
    pt_text_view text = {(const char *)data + 2, size - 2};
    pt_error err = PT_ERROR_INIT;
    if (!PT_ARENA_GUARD(arena)) {
        if (read_text(arena, data[1], text, &options, &err) != PT_OK)
            check_error(&err, text.size_bytes);
    } else {
        abort(); /* no text of this size needs that much memory */
    }
    pt_error_clear(&err);
    pt__arena_free(arena);
    return 0;
}
