/* Lists of options and properties. */
#include "decode/spark_sql/internal.h"

/* a.b.c or 'text' */
static pt_status parse_key(pt__sql_parser *p, const char **out)
{
    if (pt__sql_at(p, PT_TOKEN_STRING))
        return pt__sql_one_string(p, out);
    pt_name name = {0};
    PT_TRY(pt__sql_name(p, &name));
    *out = name.parts[0];
    for (size_t i = 1; i < name.count; i++)
        *out = pt__arena_printf(p->arena, "%s.%s", *out, name.parts[i]);
    return PT_OK;
}

/* A string, number or boolean, as text. */
static pt_status parse_value(pt__sql_parser *p, const char **out)
{
    size_t first = p->position;
    if (pt__sql_at(p, PT_TOKEN_STRING))
        return pt__sql_string_text(p, out);
    (void)pt__sql_accept(p, '-');
    bool constant = pt__sql_at(p, PT_TOKEN_INTEGER) || pt__sql_at(p, PT_TOKEN_NUMBER) || pt__sql_at(p, PT_KW_TRUE) ||
                    pt__sql_at(p, PT_KW_FALSE) || pt__sql_at(p, PT_KW_NULL);
    if (!constant)
        return pt__sql_syntax_error(p);
    pt__sql_skip(p, 1);
    *out = pt__sql_text_from(p, first);
    return PT_OK;
}

static pt_status missing_value(pt__sql_parser *p, size_t first, const char *key)
{
    const char *message = pt__arena_printf(p->arena, "a value must be specified for the key: %s", key);
    pt_status status = pt__raise(p->err, PT_COND_OPERATION_NOT_ALLOWED, "message", message, NULL);
    return pt__sql_locate_error(p, first, status);
}

pt_status pt__sql_key_list(pt__sql_parser *p, pt_options *out)
{
    pt__list(pt_option) options = {0};
    PT_TRY(pt__sql_expect(p, '('));
    do {
        pt_option option = {0};
        PT_TRY(parse_key(p, &option.key));
        pt__list_push(p->arena, &options, option);
    } while (pt__sql_accept(p, ','));
    *out = (pt_options){options.items, options.count};
    return pt__sql_expect(p, ')');
}

pt_status pt__sql_property_list(pt__sql_parser *p, pt_options *out)
{
    size_t first = p->position;
    pt__list(pt_option) options = {0};
    PT_TRY(pt__sql_expect(p, '('));
    do {
        pt_option option = {0};
        PT_TRY(parse_key(p, &option.key));
        if (pt__sql_at(p, ',') || pt__sql_at(p, ')'))
            return missing_value(p, first, option.key);
        if (!pt__sql_accept(p, PT_TOKEN_DOUBLE_EQUAL))
            (void)pt__sql_accept(p, '=');
        PT_TRY(parse_value(p, &option.value));
        pt__list_push(p->arena, &options, option);
    } while (pt__sql_accept(p, ','));
    *out = (pt_options){options.items, options.count};
    return pt__sql_expect(p, ')');
}
