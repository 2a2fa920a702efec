/*
 * Regular expressions: DataFusion's are those of Rust's crate, the plan's are Java's. A pattern is taken over when
 * both mean the same by it, after `$` and `.` are written so that they do.
 */
#include "decode/datafusion/internal.h"

#include <ctype.h>
#include <string.h>

/* What the character at `*at` becomes, or NULL: the dialects differ about it. Steps over what it reads. */
static const char *translate(pt__df *d, const char **at, bool in_class)
{
    char c = *(*at)++;
    if (c == '\\') {
        char escaped = *(*at)++;
        if (ispunct((unsigned char)escaped))
            return pt__arena_printf(d->arena, "\\%c", escaped);
        return escaped == 'd' ? "\\p{Nd}" : escaped == 'n' ? "\\n" : escaped == 't' ? "\\t" : NULL;
    }
    if (in_class && (c == '[' || c == '&' || c == '~'))
        return NULL;
    if (in_class && c == '-' && **at == '-')
        return NULL;
    if (!in_class && c == '(' && **at == '?')
        return NULL;
    if (!in_class && c == '$')
        return "\\z";
    if (!in_class && c == '.')
        return "[^\\n]";
    return (unsigned char)c < 128 ? pt__arena_printf(d->arena, "%c", c) : NULL;
}

static pt_status take_over(pt__df *d, const char *pattern, bool ignore_case, const char **out)
{
    pt__buffer *text = pt__arena_buffer(d->arena);
    bool in_class = false;
    for (const char *at = pattern; *at != '\0';) {
        char c = *at;
        const char *piece = ignore_case && (unsigned char)c >= 128 ? NULL : translate(d, &at, in_class);
        if (piece == NULL && (unsigned char)c >= 128 && !ignore_case && !in_class) {
            pt__buffer_append_byte(text, (uint8_t)c); /* a byte of a character, which stands for itself */
            continue;
        }
        if (piece == NULL)
            return pt__df_refuse(d, "the regular expression '%s'", pattern);
        if (c == '[' && !in_class) {
            in_class = true;
            pt__buffer_append_string(text, piece);
            if (*at == '^')
                pt__buffer_append_byte(text, (uint8_t)*at++);
            if (*at == ']')
                return pt__df_refuse(d, "the regular expression '%s'", pattern);
            continue;
        }
        in_class = in_class && c != ']';
        pt__buffer_append_string(text, piece);
    }
    *out = pt__arena_copy_string(d->arena, pt__buffer_string(text));
    return PT_OK;
}

pt_status pt__df_regex(pt__df *d, pt__df_value text, pt__df_value pattern, bool ignore_case, bool negated,
                       pt__df_value *out)
{
    const char *literal = pt__df_literal_text(pattern.expr);
    const char *translated = NULL;
    if (literal == NULL)
        return pt__df_refuse(d, "a regular expression that is no literal");
    if (strchr(literal, '\\') != NULL && literal[strlen(literal) - 1] == '\\')
        return pt__df_refuse(d, "the regular expression '%s'", literal);
    PT_TRY(take_over(d, literal, ignore_case, &translated));
    PT_TRY(pt__df_cast_to(d, text, PT_DF(STRING), false, &text));
    if (ignore_case)
        translated = pt__arena_printf(d->arena, "(?iu)%s", translated);
    const pt_expr *test = pt__expr_call(d->arena, NULL, "rlike", 2, text.expr, pt__expr_string(d->arena, translated));
    *out = (pt__df_value){pt__df_not(d, test, negated), PT_DF(BOOLEAN)};
    return PT_OK;
}
