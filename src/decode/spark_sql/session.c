/* SET, RESET, USE, CACHE and REFRESH. */
#include "decode/spark_sql/internal.h"

#include <string.h>

/* ---- SET and RESET: what follows is text, not tokens ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= 0x09 && c <= 0x0D);
}

/* The statement's text from the current token on, without closing semicolons; takes all tokens. */
static pt_text_view take_rest(pt__sql_parser *p)
{
    uint32_t start = p->tokens[p->position].start_byte;
    const char *text = p->sql + start;
    size_t size = strlen(text);
    while (size > 0 && (is_blank(text[size - 1]) || text[size - 1] == ';'))
        size--;
    p->position = p->token_count - 1;
    return (pt_text_view){text, size};
}

static bool is_key_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == ':';
}

static size_t key_size(pt_text_view text)
{
    size_t size = 0;
    while (size < text.size_bytes && is_key_character(text.data[size]))
        size++;
    return size;
}

static pt_text_view trim(pt_text_view text)
{
    while (text.size_bytes > 0 && is_blank(text.data[0])) {
        text.data++;
        text.size_bytes--;
    }
    while (text.size_bytes > 0 && is_blank(text.data[text.size_bytes - 1]))
        text.size_bytes--;
    return text;
}

static const char *copy(pt__sql_parser *p, pt_text_view text)
{
    return pt__arena_copy_text(p->arena, text.data, text.size_bytes);
}

static pt_status invalid_set(pt__sql_parser *p, size_t first, pt__condition_id condition)
{
    return pt__sql_locate_error(p, first, pt__raise(p->err, condition, NULL));
}

/* key, or key = value, where the value is everything up to the end. */
static pt_status parse_raw_setting(pt__sql_parser *p, size_t first, pt_plan_set *set)
{
    pt_text_view rest = take_rest(p);
    size_t size = key_size(rest);
    set->key = copy(p, (pt_text_view){rest.data, size});
    pt_text_view value = trim((pt_text_view){rest.data + size, rest.size_bytes - size});
    if (size > 0 && value.size_bytes == 0)
        return PT_OK;
    bool valid = size > 0 && value.data[0] == '=' && memchr(value.data, ';', value.size_bytes) == NULL;
    if (!valid)
        return invalid_set(p, first, PT_COND_INVALID_SET_SYNTAX);
    set->value = copy(p, trim((pt_text_view){value.data + 1, value.size_bytes - 1}));
    return PT_OK;
}

/* `key` = value, `key` = `value` */
static pt_status parse_quoted_setting(pt__sql_parser *p, size_t first, pt_plan_set *set)
{
    PT_TRY(pt__sql_identifier(p, &set->key));
    if (pt__sql_at(p, PT_TOKEN_END) || pt__sql_at(p, ';'))
        return PT_OK;
    PT_TRY(pt__sql_expect(p, '='));
    if (pt__sql_at(p, PT_TOKEN_QUOTED))
        return pt__sql_identifier(p, &set->value);
    pt_text_view value = take_rest(p);
    if (memchr(value.data, ';', value.size_bytes) != NULL)
        return invalid_set(p, first, PT_COND_INVALID_SET_SYNTAX);
    set->value = copy(p, trim(value));
    return PT_OK;
}

/* "+02:00", "-01:30:15" */
static pt_status offset_text(pt__sql_parser *p, size_t first, const pt_expr *interval, const char **out)
{
    const pt_expr_literal *literal = pt__expr_as_literal(interval);
    int64_t seconds = literal->value.as.integer / 1000000;
    bool is_time = literal->base.type->id == PT_TYPE_INTERVAL_DAY_TIME && literal->value.as.integer % 1000000 == 0;
    if (!is_time || seconds > 18 * 3600 || seconds < -18 * 3600)
        return invalid_set(p, first, PT_COND_INVALID_TIME_ZONE_INTERVAL);
    char sign = seconds < 0 ? '-' : '+';
    int total = (int)(seconds < 0 ? -seconds : seconds);
    const char *text = pt__arena_printf(p->arena, "%c%02d:%02d", sign, total / 3600, total / 60 % 60);
    *out = total % 60 == 0 ? text : pt__arena_printf(p->arena, "%s:%02d", text, total % 60);
    return PT_OK;
}

static pt_status parse_time_zone(pt__sql_parser *p, size_t first, pt_plan_set *set)
{
    pt__sql_skip(p, 2);
    set->is_time_zone = true;
    set->key = "spark.sql.session.timeZone";
    if (pt__sql_at_interval_literal(p)) {
        const pt_expr *interval = NULL;
        PT_TRY(pt__sql_interval_literal(p, &interval));
        return offset_text(p, first, interval, &set->value);
    }
    if (pt__sql_accept(p, PT_KW_LOCAL)) {
        set->value = "LOCAL";
        return PT_OK;
    }
    if (!pt__sql_at(p, PT_TOKEN_STRING))
        return invalid_set(p, first, PT_COND_INVALID_TIME_ZONE_SYNTAX);
    return pt__sql_string_text(p, &set->value);
}

static pt_status parse_set_catalog(pt__sql_parser *p, size_t first, const pt_plan **out)
{
    pt_plan_use *use = pt__plan_make(p->arena, USE, use, NULL);
    const char *name = NULL;
    pt__sql_skip(p, 1);
    use->is_catalog = true;
    if (pt__sql_at(p, PT_TOKEN_STRING))
        PT_TRY(pt__sql_string_text(p, &name));
    else
        PT_TRY(pt__sql_checked_identifier(p, &name));
    use->name = pt__name_one(p->arena, name);
    use->base.origin = pt__sql_origin(p, first);
    *out = &use->base;
    return PT_OK;
}

static pt_status parse_setting(pt__sql_parser *p, size_t first, pt_plan_set *set)
{
    int32_t next = pt__sql_peek(p, 1);
    if (pt__sql_at(p, PT_TOKEN_END) || pt__sql_at(p, ';'))
        return PT_OK;
    if (pt__sql_at(p, '-') && pt__sql_is_word(p, 1, "v")) {
        set->is_verbose = true;
        pt__sql_skip(p, 2);
        return PT_OK;
    }
    if (pt__sql_at_two(p, PT_KW_TIME, PT_KW_ZONE))
        return parse_time_zone(p, first, set);
    if (pt__sql_at(p, PT_TOKEN_QUOTED))
        return parse_quoted_setting(p, first, set);
    if (pt__sql_at(p, PT_KW_ROLE) && pt__sql_is_name(next))
        return pt__sql_invalid_statement(p, "SET ROLE");
    bool variable =
        (pt__sql_at(p, PT_KW_VARIABLE) || pt__sql_at(p, PT_KW_VAR)) && (pt__sql_is_name(next) || next == '(');
    if (variable)
        return pt__sql_unsupported(p, "variables");
    if (pt__sql_at_two(p, PT_KW_PATH, '='))
        return pt__sql_unsupported(p, "SET PATH");
    return parse_raw_setting(p, first, set);
}

pt_status pt__sql_set(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt__sql_skip(p, 1);
    if (pt__sql_at(p, PT_KW_CATALOG) && pt__sql_peek(p, 1) != PT_TOKEN_END && pt__sql_peek(p, 1) != '=')
        return parse_set_catalog(p, first, out);
    pt_plan_set *set = pt__plan_make(p->arena, SET, set, NULL);
    PT_TRY(parse_setting(p, first, set));
    set->base.origin = pt__sql_origin(p, first);
    *out = &set->base;
    return PT_OK;
}

pt_status pt__sql_reset(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_set *set = pt__plan_make(p->arena, SET, set, NULL);
    pt__sql_skip(p, 1);
    set->is_reset = true;
    if (pt__sql_at(p, PT_TOKEN_QUOTED)) {
        PT_TRY(pt__sql_identifier(p, &set->key));
    } else if (!pt__sql_at(p, PT_TOKEN_END) && !pt__sql_at(p, ';')) {
        pt_text_view rest = take_rest(p);
        if (key_size(rest) != rest.size_bytes)
            return invalid_set(p, first, PT_COND_INVALID_RESET_COMMAND_FORMAT);
        set->key = copy(p, rest);
    }
    set->base.origin = pt__sql_origin(p, first);
    *out = &set->base;
    return PT_OK;
}

/* ---- USE ---- */

pt_status pt__sql_use(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_use *use = pt__plan_make(p->arena, USE, use, NULL);
    pt__sql_skip(p, 1);
    bool followed = pt__sql_is_name(pt__sql_peek(p, 1));
    if (pt__sql_at_namespace_word(p) && followed)
        pt__sql_skip(p, 1);
    PT_TRY(pt__sql_name(p, &use->name));
    use->base.origin = pt__sql_origin(p, first);
    *out = &use->base;
    return PT_OK;
}

/* ---- CACHE and REFRESH ---- */

static pt_status finish_cache(pt__sql_parser *p, size_t first, pt_plan_cache_table *cache, const pt_plan **out)
{
    cache->base.origin = pt__sql_origin(p, first);
    *out = &cache->base;
    return PT_OK;
}

pt_status pt__sql_cache(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_cache_table *cache = pt__plan_make(p->arena, CACHE_TABLE, cache_table, NULL);
    pt_options options = {0};
    pt__sql_skip(p, 1);
    (void)pt__sql_accept(p, PT_KW_LAZY);
    PT_TRY(pt__sql_expect(p, PT_KW_TABLE));
    PT_TRY(pt__sql_name(p, &cache->name));
    if (pt__sql_accept(p, PT_KW_OPTIONS))
        PT_TRY(pt__sql_property_list(p, &options));
    if (pt__sql_accept(p, PT_KW_AS) || pt__sql_starts_query(p, 0) || pt__sql_at(p, '('))
        PT_TRY(pt__sql_query(p, &cache->query));
    return finish_cache(p, first, cache, out);
}

pt_status pt__sql_uncache(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_cache_table *cache = pt__plan_make(p->arena, CACHE_TABLE, cache_table, NULL);
    pt__sql_skip(p, 1);
    cache->is_uncache = true;
    PT_TRY(pt__sql_expect(p, PT_KW_TABLE));
    cache->if_exists = pt__sql_accept_if_exists(p);
    PT_TRY(pt__sql_name(p, &cache->name));
    return finish_cache(p, first, cache, out);
}

pt_status pt__sql_clear_cache(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_cache_table *cache = pt__plan_make(p->arena, CACHE_TABLE, cache_table, NULL);
    pt__sql_skip(p, 1);
    cache->is_uncache = true;
    PT_TRY(pt__sql_expect(p, PT_KW_CACHE));
    return finish_cache(p, first, cache, out);
}

/* REFRESH TABLE t, REFRESH 'path', REFRESH path */
pt_status pt__sql_refresh(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_cache_table *cache = pt__plan_make(p->arena, CACHE_TABLE, cache_table, NULL);
    pt__sql_skip(p, 1);
    cache->is_refresh = true;
    if (pt__sql_at(p, PT_KW_FUNCTION) && pt__sql_is_name(pt__sql_peek(p, 1)))
        return pt__sql_unsupported(p, "REFRESH FUNCTION");
    if (pt__sql_at(p, PT_KW_TABLE) && pt__sql_is_name(pt__sql_peek(p, 1))) {
        pt__sql_skip(p, 1);
        PT_TRY(pt__sql_name(p, &cache->name));
    } else if (pt__sql_at(p, PT_TOKEN_STRING)) {
        PT_TRY(pt__sql_string_text(p, &cache->path));
    } else if (pt__sql_at(p, PT_TOKEN_END)) {
        return pt__sql_syntax_error(p);
    } else {
        cache->path = copy(p, take_rest(p));
    }
    return finish_cache(p, first, cache, out);
}
