#include "base/csv_line.h"

#include <string.h>

void pt__csv_line_start(pt__csv_line *line, const pt__csv_format *format, pt_text_view text)
{
    *line = (pt__csv_line){format, text.data, text.data + text.size_bytes, false};
}

static bool at_separator(const pt__csv_line *line, const char *at)
{
    size_t size = strlen(line->format->separator);
    return (size_t)(line->end - at) >= size && memcmp(at, line->format->separator, size) == 0;
}

static const char *find_separator(const pt__csv_line *line, const char *at)
{
    while (at < line->end && !at_separator(line, at))
        at++;
    return at;
}

/* Past a field that ends at `at`. */
static void step_over(pt__csv_line *line, const char *at)
{
    line->is_done = at == line->end;
    line->at = line->is_done ? at : at + strlen(line->format->separator);
}

/* Behind the opening quote. False: the field is no quoted one after all. */
static bool read_quoted(pt__csv_line *line, const char *at, pt__buffer *field)
{
    char quote = line->format->quote;
    char escape = line->format->escape;
    for (; at < line->end; at++) {
        bool escapes = escape != 0 && *at == escape && at + 1 < line->end && (at[1] == quote || at[1] == escape);
        if (escapes && !(escape == quote && at[1] != quote)) {
            pt__buffer_append_byte(field, (uint8_t) * ++at);
        } else if (*at == quote) {
            if (at + 1 != line->end && !at_separator(line, at + 1))
                return false;
            step_over(line, at + 1);
            return true;
        } else {
            pt__buffer_append_byte(field, (uint8_t)*at);
        }
    }
    return false;
}

static void trim(const pt__csv_format *format, const char **start, const char **end)
{
    while (format->trim_start && *start < *end && (unsigned char)**start <= ' ')
        ++*start;
    while (format->trim_end && *start < *end && (unsigned char)(*end)[-1] <= ' ')
        --*end;
}

bool pt__csv_line_next(pt__csv_line *line, pt__buffer *field, bool *was_quoted)
{
    pt__buffer_reset(field);
    *was_quoted = false;
    if (line->is_done)
        return false;
    const char *start = line->at;
    const char *first = start;
    while (line->format->trim_start && first < line->end && (unsigned char)*first <= ' ' && !at_separator(line, first))
        first++;
    if (line->format->quote != 0 && first < line->end && *first == line->format->quote) {
        *was_quoted = read_quoted(line, first + 1, field);
        if (*was_quoted)
            return true;
        pt__buffer_reset(field);
    }
    const char *end = find_separator(line, start);
    const char *last = end;
    trim(line->format, &start, &last);
    pt__buffer_append(field, start, (size_t)(last - start));
    step_over(line, end);
    return true;
}
