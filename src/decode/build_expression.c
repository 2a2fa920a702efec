/* Types and expressions of the public builder. */
#include "base/utf8.h"
#include "decode/builder.h"

#include <string.h>

/* ---- types ---- */

static const pt_type *parse_type(pt_builder *b, pt_text_view ddl)
{
    const pt_type *type = NULL;
    return pt__sql_parse_type(b->arena, ddl, &b->options->sql, &type, &b->error) == PT_OK ? type : NULL;
}

const pt_type *pt_build_type(pt_builder *b, const char *ddl)
{
    const pt_type *volatile out = NULL;
    if (pt__builder_has(b, ddl))
        PT_BUILD(b, out = parse_type(b, (pt_text_view){ddl, strlen(ddl)}));
    return out;
}

/* ---- expressions ---- */

static const pt_expr *make_column(pt_builder *b, const char *const *parts, size_t count)
{
    pt_expr_attribute *node = pt__expr_make(b->arena, ATTRIBUTE, attribute, NULL);
    node->name = (pt_name){pt__builder_texts(b, parts, count), count};
    node->plan_id = -1;
    return &node->base;
}

const pt_expr *pt_build_column(pt_builder *b, const char *const *parts, size_t part_count)
{
    const pt_expr *volatile out = NULL;
    if (pt__builder_has(b, part_count == 0 ? NULL : (const void *)parts))
        PT_BUILD(b, out = make_column(b, parts, part_count));
    return out;
}

static const pt_expr *make_star(pt_builder *b)
{
    pt_expr_star *node = pt__expr_make(b->arena, STAR, star, NULL);
    node->plan_id = -1;
    return &node->base;
}

const pt_expr *pt_build_star(pt_builder *b)
{
    const pt_expr *volatile out = NULL;
    PT_BUILD(b, out = make_star(b));
    return out;
}

const pt_expr *pt_build_null(pt_builder *b, const pt_type *type)
{
    const pt_expr *volatile out = NULL;
    if (pt__builder_has(b, type))
        PT_BUILD(b, out = pt__expr_null(b->arena, type));
    return out;
}

const pt_expr *pt_build_boolean(pt_builder *b, bool value)
{
    const pt_expr *volatile out = NULL;
    PT_BUILD(b, out = pt__expr_boolean(b->arena, value));
    return out;
}

const pt_expr *pt_build_int(pt_builder *b, int32_t value)
{
    const pt_expr *volatile out = NULL;
    PT_BUILD(b, out = pt__expr_int(b->arena, value));
    return out;
}

const pt_expr *pt_build_long(pt_builder *b, int64_t value)
{
    const pt_expr *volatile out = NULL;
    PT_BUILD(b, out = pt__expr_long(b->arena, value));
    return out;
}

const pt_expr *pt_build_double(pt_builder *b, double value)
{
    const pt_expr *volatile out = NULL;
    PT_BUILD(b, out = pt__expr_double(b->arena, value));
    return out;
}

static const pt_expr *make_text(pt_builder *b, const pt_type *type, const void *data, size_t size_bytes)
{
    pt_text_view copy = {pt__arena_copy_text(b->arena, data, size_bytes), size_bytes};
    return pt__expr_literal(b->arena, type, (pt_value){.as.text = copy});
}

const pt_expr *pt_build_string(pt_builder *b, pt_text_view value)
{
    const pt_expr *volatile out = NULL;
    if (b->error.status == PT_OK && !pt__utf8_valid(value.data, value.size_bytes))
        pt_error_set(&b->error, PT_INVALID_ARGUMENT, "a string literal is not UTF-8");
    PT_BUILD(b, out = make_text(b, PT_T(STRING), value.data, value.size_bytes));
    return out;
}

const pt_expr *pt_build_binary(pt_builder *b, pt_bytes_view value)
{
    const pt_expr *volatile out = NULL;
    PT_BUILD(b, out = make_text(b, PT_T(BINARY), value.data, value.size_bytes));
    return out;
}

const pt_expr *pt_build_call(pt_builder *b, const char *name, const pt_expr *const *arguments, size_t count)
{
    const pt_expr *volatile out = NULL;
    if (pt__builder_has(b, name) && pt__builder_has_all(b, arguments, count))
        PT_BUILD(b, out = pt__expr_call_list(b->arena, NULL, pt__arena_copy_string(b->arena, name),
                                             pt__builder_list(b, arguments, count), count));
    return out;
}

const pt_expr *pt_build_cast(pt_builder *b, const pt_expr *child, const pt_type *target)
{
    const pt_expr *volatile out = NULL;
    if (pt__builder_has(b, child) && pt__builder_has(b, target))
        PT_BUILD(b, out = pt__expr_cast(b->arena, child, target, PT_CAST_DEFAULT));
    return out;
}

const pt_expr *pt_build_alias(pt_builder *b, const pt_expr *child, const char *name)
{
    const pt_expr *volatile out = NULL;
    if (pt__builder_has(b, child) && pt__builder_has(b, name))
        PT_BUILD(b, out = pt__expr_alias(b->arena, child, pt__arena_copy_string(b->arena, name)));
    return out;
}

static const pt_expr *make_order(pt_builder *b, const pt_expr *child, bool descending, bool nulls_first)
{
    pt_expr_sort_order *node = pt__expr_make(b->arena, SORT_ORDER, sort_order, NULL);
    node->child = child;
    node->is_descending = descending;
    node->nulls_first = nulls_first;
    return &node->base;
}

const pt_expr *pt_build_order(pt_builder *b, const pt_expr *child, bool descending, bool nulls_first)
{
    const pt_expr *volatile out = NULL;
    if (pt__builder_has(b, child))
        PT_BUILD(b, out = make_order(b, child, descending, nulls_first));
    return out;
}

static const pt_expr *parse_expression(pt_builder *b, pt_text_view sql)
{
    const pt_expr *expr = NULL;
    return pt__sql_parse_expression(b->arena, sql, &b->options->sql, &expr, &b->error) == PT_OK ? expr : NULL;
}

const pt_expr *pt_build_expression_sql(pt_builder *b, pt_text_view sql)
{
    const pt_expr *volatile out = NULL;
    PT_BUILD(b, out = parse_expression(b, sql));
    return out;
}
