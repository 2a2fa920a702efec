/* to_date(text, pattern) and its kin, for patterns of fields of a fixed width: what stands where is known then. */
#include "backend/ballista/lower_rules.h"

#include "base/arena_buffer.h"

#include <ctype.h>
#include <string.h>

enum { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, FRACTION, FIELD_COUNT };

static const struct {
    char letter;
    size_t width; /* 0: as many letters as there are */
} FIELDS[FIELD_COUNT] = {{'y', 4}, {'M', 2}, {'d', 2}, {'H', 2}, {'m', 2}, {'s', 2}, {'S', 0}};

typedef struct pattern {
    size_t start[FIELD_COUNT]; /* 1-based; 0: the field is not there */
    size_t width[FIELD_COUNT];
    size_t size;
    pt__buffer *regex;
} pattern;

static bool add_field(pattern *p, char letter, size_t width)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (FIELDS[i].letter != letter)
            continue;
        if (p->start[i] != 0 || width > 6 || (FIELDS[i].width != 0 && FIELDS[i].width != width))
            return false;
        p->start[i] = p->size + 1;
        p->width[i] = width;
        p->size += width;
        pt__buffer_printf(p->regex, "[0-9]{%zu}", width);
        return true;
    }
    return false;
}

static void add_literal(pattern *p, char c)
{
    pt__buffer_printf(p->regex, c == '.' ? "[%c]" : "%c", c);
    p->size++;
}

/* 'T', a letter as it is. */
static bool add_quoted(pattern *p, const char **text)
{
    const char *letter = *text + 1;
    if (!isalpha((unsigned char)*letter) || letter[1] != '\'')
        return false;
    add_literal(p, *letter);
    *text = letter + 2;
    return true;
}

static bool read_pattern(pattern *p, const char *text)
{
    pt__buffer_append_string(p->regex, "^");
    while (*text != '\0') {
        size_t run = 1;
        while (text[run] == *text)
            run++;
        if (*text == '\'') {
            if (!add_quoted(p, &text))
                return false;
        } else if (isalpha((unsigned char)*text)) {
            if (!add_field(p, *text, run))
                return false;
            text += run;
        } else if (strchr(" -/:.,", *text) != NULL) {
            add_literal(p, *text++);
        } else {
            return false;
        }
    }
    pt__buffer_append_string(p->regex, "$");
    bool has_gap = (p->start[MINUTE] != 0 && p->start[HOUR] == 0) || (p->start[SECOND] != 0 && p->start[MINUTE] == 0) ||
                   (p->start[FRACTION] != 0 && p->start[SECOND] == 0);
    return p->start[YEAR] != 0 && p->start[MONTH] != 0 && p->start[DAY] != 0 && !has_gap;
}

static const pt__bx *part(pt__bl *bl, const pattern *p, const pt__bx *x, size_t field)
{
    if (p->start[field] == 0)
        return pt__bx_text(bl->arena, "00");
    const pt__bx *arguments[] = {x, pt__bx_int64(bl->arena, (int64_t)p->start[field]),
                                 pt__bx_int64(bl->arena, (int64_t)p->width[field])};
    return pt__bx_call(bl->arena, "substr", arguments, 3);
}

/* 2024-01-02T03:04:05.6 of what matches. */
static const pt__bx *in_order(pt__bl *bl, const pattern *p, const pt__bx *x)
{
    static const char *const MARKS[FIELD_COUNT] = {"-", "-", "T", ":", ":", ".", ""};
    const pt__bx *pieces[2 * FIELD_COUNT];
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        pieces[2 * i] = part(bl, p, x, i);
        pieces[2 * i + 1] = pt__bx_text(bl->arena, MARKS[i]);
    }
    return pt__bx_call(bl->arena, "concat", pieces, 2 * FIELD_COUNT);
}

static const pt__bx *failure(pt__bl *bl, const pt_expr_call *call, const pt__bx *x)
{
    pt__btype *type = pt__btype_of(bl->arena, call->base.type);
    if (call->mode != PT_CAST_ANSI || strncmp(call->function->name, "try_", 4) == 0)
        return pt__bx_null(bl->arena, type);
    return pt__bx_raise_text(bl->arena, PT_BALLISTA_RAISED "CANNOT_PARSE_TIMESTAMP:{\"message\":\"Text '", x,
                             "' could not be parsed\",\"func\":\"`try_to_timestamp`\"}]", type);
}

/* Years with a sign may have more digits than the pattern. */
static const pt__bx *refused_sign(pt__bl *bl, const pt_expr_call *call, const pt__bx *x)
{
    return pt__bx_raise(bl->arena, "UNSUPPORTED_FEATURE.NOT_IN_PORTICO",
                        "{\"feature\":\"reading a time with a sign on a Ballista cluster\"}", x,
                        pt__btype_of(bl->arena, call->base.type));
}

PT_BL_LOWERING(parse_time)
{
    pt__arena *arena = bl->arena;
    const pt_expr_literal *given = pt__bl_literal(call->arguments[1]);
    bool is_text = given != NULL && !given->value.is_null && pt__type_is_string(given->base.type);
    pattern p = {.regex = pt__arena_buffer(arena)};
    if (!is_text || (call->base.type->id == PT_TYPE_TIMESTAMP && !bl->is_utc) ||
        !read_pattern(&p, pt__arena_copy_text(arena, given->value.as.text.data, given->value.as.text.size_bytes)))
        return pt__bl_refuse(err, call->base.origin,
                             pt__arena_printf(arena, "%s with this pattern or in this zone", call->function->name));
    const pt__bx *regex = pt__bx_text(arena, pt__arena_buffer_take(arena, p.regex));
    const pt__bx *fits = pt__bx_call2(arena, "regexp_like", x[0], regex);
    const pt__bx *value = pt__bx_try_cast(arena, in_order(bl, &p, x[0]), pt__btype_named(arena, "ntz"));
    value = pt__bx_cast(arena, value, pt__btype_of(arena, call->base.type));
    const pt__bx *fails = failure(bl, call, x[0]);
    const pt__bx *read = pt__bx_if(arena, pt__bx_is_null(arena, value), fails, value);
    const pt__bx *signs = pt__bx_call2(arena, "regexp_like", x[0], pt__bx_text(arena, "(^|[^0-9A-Za-z])[+-][0-9]"));
    const pt__bx *pairs[] = {
        pt__bx_is_null(arena, x[0]), pt__bx_null(arena, pt__btype_of(arena, call->base.type)), fits, read, signs,
        refused_sign(bl, call, x[0])};
    *out = pt__bx_case(arena, pairs, 3, fails);
    return PT_OK;
}
