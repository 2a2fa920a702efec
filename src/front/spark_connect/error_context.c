#include "front/spark_connect/error_context.h"

#include <string.h>

/* How much of a long line is shown before and behind the fragment. */
enum { MARGIN_UNITS = 32 };

/* A place in UTF-8 text, counted in UTF-16 units as contexts do. */
typedef struct place {
    const char *at;
    int32_t unit;
} place;

static size_t character_bytes(const char *at)
{
    unsigned char lead = (unsigned char)*at;
    size_t wanted = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    size_t found = 1;
    while (found < wanted && ((unsigned char)at[found] & 0xC0) == 0x80)
        found++;
    return found;
}

static void step(place *p)
{
    size_t size = character_bytes(p->at);
    p->unit += size == 4 ? 2 : 1;
    p->at += size;
}

static place seek(const char *text, int32_t unit)
{
    place p = {text, 0};
    while (*p.at != '\0' && p.unit < unit)
        step(&p);
    return p;
}

void pt__connect_context_position(const pt_error_context *context, int32_t *line, int32_t *position)
{
    *line = 1;
    int32_t line_start = 0;
    place p = {context->sql, 0};
    while (*p.at != '\0' && p.unit < context->start) {
        bool ends_line = *p.at == '\n';
        step(&p);
        if (ends_line) {
            (*line)++;
            line_start = p.unit;
        }
    }
    *position = p.unit - line_start;
}

static place start_of_line(const char *sql, place start)
{
    place line = {sql, 0};
    for (place p = line; p.at < start.at;) {
        bool ends_line = *p.at == '\n';
        step(&p);
        if (ends_line)
            line = p;
    }
    return line;
}

static void append_repeated(pt__buffer *out, char c, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        pt__buffer_append_byte(out, (uint8_t)c);
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* One line of text and the carets below it. `shift` is what was put before the text. */
static void append_marked_line(pt__buffer *out, place line, place end, const char *before, const char *behind,
                               const pt_error_context *context)
{
    pt__buffer_append_string(out, before);
    pt__buffer_append(out, line.at, (size_t)(end.at - line.at));
    pt__buffer_append_string(out, behind);
    pt__buffer_append_byte(out, '\n');
    int32_t from = clamp(context->start, line.unit, end.unit);
    int32_t to = clamp(context->stop + 1, from, end.unit);
    append_repeated(out, ' ', (int32_t)strlen(before) + from - line.unit);
    append_repeated(out, '^', to - from);
    append_repeated(out, ' ', end.unit - to + (int32_t)strlen(behind));
    while (out->size_bytes > 0 && out->data[out->size_bytes - 1] == ' ')
        out->size_bytes--;
    pt__buffer_append_byte(out, '\n');
}

static void append_sql_lines(pt__buffer *out, const pt_error_context *context)
{
    place start = seek(context->sql, context->start);
    place line = start_of_line(context->sql, start);
    bool is_cut = start.unit - line.unit >= MARGIN_UNITS;
    if (is_cut)
        line = seek(context->sql, context->start - MARGIN_UNITS);
    const char *before = is_cut ? "..." : "";
    for (;;) {
        place end = line;
        while (*end.at != '\0' && *end.at != '\n' && end.unit <= context->stop + MARGIN_UNITS)
            step(&end);
        bool is_cut_behind = *end.at != '\0' && *end.at != '\n';
        append_marked_line(out, line, end, before, is_cut_behind ? "..." : "", context);
        if (*end.at != '\n' || end.unit >= context->stop)
            return;
        step(&end);
        line = end;
        before = "";
    }
}

void pt__connect_append_context(pt__buffer *out, const pt_error_context *context)
{
    if (!context->is_sql) {
        pt__buffer_printf(out, "== DataFrame ==\n\"%s\" was called from\n%s\n", context->fragment, context->call_site);
        return;
    }
    int32_t line;
    int32_t position;
    pt__connect_context_position(context, &line, &position);
    pt__buffer_printf(out, "== SQL (line %d, position %d) ==\n", line, position + 1);
    append_sql_lines(out, context);
}

void pt__connect_append_syntax_place(pt__buffer *out, const pt_error_context *context)
{
    int32_t line;
    int32_t position;
    pt__connect_context_position(context, &line, &position);
    pt__buffer_printf(out, " (line %d, pos %d)\n\n== SQL ==\n", line, position);
    const char *rest = context->sql;
    for (int32_t number = 1; *rest != '\0' || number <= line; number++) {
        const char *end = strchrnul(rest, '\n');
        pt__buffer_append(out, rest, (size_t)(end - rest));
        pt__buffer_append_byte(out, '\n');
        if (number == line) {
            append_repeated(out, '-', position);
            pt__buffer_append_string(out, "^^^\n");
        }
        rest = *end == '\n' ? end + 1 : end;
    }
}
