#include "front/spark_connect/table_text.h"

#include "base/utf8.h"

#include <string.h>

enum { WIDTH_MIN = 3, ELLIPSIS_UNITS = 3 };

/* ---- units and widths ---- */

static size_t units_of(uint32_t code_point)
{
    return code_point > 0xFFFF ? 2 : 1;
}

static bool is_wide(uint32_t c)
{
    static const struct {
        uint32_t first;
        uint32_t last;
    } RANGES[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
                  {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}};
    for (size_t i = 0; i < sizeof(RANGES) / sizeof(RANGES[0]); i++) {
        if (c >= RANGES[i].first && c <= RANGES[i].last)
            return true;
    }
    return false;
}

static size_t width_of(pt_text_view text)
{
    size_t width = 0;
    size_t position = 0;
    uint32_t c;
    while (pt__utf8_next(text.data, text.size_bytes, &position, &c))
        width += units_of(c) + (is_wide(c) ? 1 : 0);
    return width;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* ---- cells ---- */

static char escape_letter(char c)
{
    switch (c) {
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\v': return 'v';
    case '\a': return 'a';
    default: return 0;
    }
}

static pt_text_view escape(pt__arena *arena, pt_text_view raw)
{
    size_t extra = 0;
    for (size_t i = 0; i < raw.size_bytes; i++)
        extra += escape_letter(raw.data[i]) != 0;
    if (extra == 0)
        return raw;
    char *text = pt__arena_alloc_text(arena, raw.size_bytes + extra);
    size_t size = 0;
    for (size_t i = 0; i < raw.size_bytes; i++) {
        char letter = escape_letter(raw.data[i]);
        if (letter != 0)
            text[size++] = '\\';
        text[size++] = letter != 0 ? letter : raw.data[i];
    }
    return (pt_text_view){text, size};
}

/* Bytes of the first `limit` units; `*splits` when a character of two units would be cut in half. */
static size_t prefix_bytes(pt_text_view text, size_t limit, bool *splits)
{
    size_t units = 0;
    size_t end = 0;
    size_t position = 0;
    uint32_t c;
    *splits = false;
    while (units < limit && pt__utf8_next(text.data, text.size_bytes, &position, &c)) {
        units += units_of(c);
        *splits = units > limit;
        if (!*splits)
            end = position;
    }
    return end;
}

/* The JVM cuts pairs in half and writes what is left of one as a question mark. */
static pt_text_view cut(pt__arena *arena, pt_text_view text, size_t units, const char *ellipsis)
{
    bool splits;
    size_t size = prefix_bytes(text, units, &splits);
    char *copy = pt__arena_printf(arena, "%.*s%s%s", (int)size, text.data, splits ? "?" : "", ellipsis);
    return (pt_text_view){copy, strlen(copy)};
}

pt_text_view pt__table_text_cell(pt__arena *arena, pt_text_view raw, int32_t truncate)
{
    pt_text_view text = escape(arena, raw);
    if (truncate > 0 && text.size_bytes > (size_t)truncate &&
        pt__utf8_utf16_length(text.data, text.size_bytes) > (size_t)truncate) {
        if (truncate <= ELLIPSIS_UNITS)
            return cut(arena, text, (size_t)truncate, "");
        return cut(arena, text, (size_t)truncate - ELLIPSIS_UNITS, "...");
    }
    return text.data == raw.data ? (pt_text_view){pt__arena_copy_text(arena, raw.data, raw.size_bytes), raw.size_bytes}
                                 : text;
}

/* ---- layouts ---- */

static pt_text_view header_at(const pt__table_text *table, size_t column)
{
    return (pt_text_view){table->headers[column], strlen(table->headers[column])};
}

static pt_text_view cell_at(const pt__table_text *table, size_t row, size_t column)
{
    return table->cells[row * table->column_count + column];
}

static size_t column_width(const pt__table_text *table, size_t column)
{
    size_t width = larger(WIDTH_MIN, width_of(header_at(table, column)));
    for (size_t row = 0; row < table->row_count; row++)
        width = larger(width, width_of(cell_at(table, row, column)));
    return width;
}

static void append_repeated(pt__buffer *out, char c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pt__buffer_append_byte(out, (uint8_t)c);
}

static void append_padded(pt__buffer *out, pt_text_view text, size_t width, bool to_the_right)
{
    size_t own = width_of(text);
    size_t padding = width > own ? width - own : 0;
    if (to_the_right)
        append_repeated(out, ' ', padding);
    pt__buffer_append(out, text.data, text.size_bytes);
    if (!to_the_right)
        append_repeated(out, ' ', padding);
}

static void append_more(pt__buffer *out, const pt__table_text *table)
{
    if (table->has_more)
        pt__buffer_printf(out, "only showing top %d %s", table->shown_limit, table->shown_limit == 1 ? "row" : "rows");
}

static void append_rule(pt__buffer *out, const size_t *widths, size_t count)
{
    pt__buffer_append_byte(out, '+');
    for (size_t i = 0; i < count; i++) {
        append_repeated(out, '-', widths[i]);
        pt__buffer_append_byte(out, '+');
    }
    if (count == 0)
        pt__buffer_append_byte(out, '+');
    pt__buffer_append_byte(out, '\n');
}

/* A row; row_count stands for the headers. */
static void append_row(pt__buffer *out, const pt__table_text *table, const size_t *widths, size_t row)
{
    pt__buffer_append_byte(out, '|');
    for (size_t i = 0; i < table->column_count; i++) {
        pt_text_view text = row == table->row_count ? header_at(table, i) : cell_at(table, row, i);
        append_padded(out, text, widths[i], table->truncate > 0);
        pt__buffer_append_byte(out, '|');
    }
    if (table->column_count == 0)
        pt__buffer_append_byte(out, '|');
    pt__buffer_append_byte(out, '\n');
}

static void append_grid(pt__buffer *out, const pt__table_text *table, const size_t *widths)
{
    append_rule(out, widths, table->column_count);
    append_row(out, table, widths, table->row_count);
    append_rule(out, widths, table->column_count);
    for (size_t row = 0; row < table->row_count; row++)
        append_row(out, table, widths, row);
    append_rule(out, widths, table->column_count);
    append_more(out, table);
}

void pt__table_text_append(pt__buffer *out, const pt__table_text *table)
{
    pt__buffer widths = PT_BUFFER_INIT;
    if (!pt__buffer_reserve(&widths, (table->column_count + 1) * sizeof(size_t))) {
        out->failed = true;
        return;
    }
    size_t *widths_of = (size_t *)(void *)widths.data;
    for (size_t i = 0; i < table->column_count; i++)
        widths_of[i] = column_width(table, i);
    append_grid(out, table, widths_of);
    pt__buffer_deinit(&widths);
}

static void append_record(pt__buffer *out, const pt__table_text *table, size_t row, size_t name_width, size_t width)
{
    size_t start = out->size_bytes;
    pt__buffer_printf(out, "-RECORD %zu", row);
    size_t length = out->size_bytes - start;
    append_repeated(out, '-', name_width + width + 5 > length ? name_width + width + 5 - length : 0);
    pt__buffer_append_byte(out, '\n');
    for (size_t i = 0; i < table->column_count; i++) {
        pt__buffer_append_byte(out, ' ');
        append_padded(out, header_at(table, i), name_width, false);
        pt__buffer_append_string(out, " | ");
        append_padded(out, cell_at(table, row, i), width, false);
        pt__buffer_append_string(out, " \n");
    }
}

void pt__table_text_append_vertical(pt__buffer *out, const pt__table_text *table)
{
    size_t name_width = WIDTH_MIN;
    size_t width = WIDTH_MIN;
    for (size_t i = 0; i < table->column_count; i++) {
        name_width = larger(name_width, width_of(header_at(table, i)));
        for (size_t row = 0; row < table->row_count; row++)
            width = larger(width, width_of(cell_at(table, row, i)));
    }
    for (size_t row = 0; row < table->row_count; row++)
        append_record(out, table, row, name_width, width);
    if (table->row_count == 0)
        pt__buffer_append_string(out, "(0 rows)");
    else
        append_more(out, table);
}

/* ---- HTML ---- */

static const char *entity_of(uint32_t code_point)
{
    static const struct {
        uint32_t code_point;
        const char *name;
    } ENTITIES[] = {
        {'"', "quot"},
        {'&', "amp"},
        {'<', "lt"},
        {'>', "gt"},
#define PT_HTML_ENTITY(code_point, name) {code_point, name},
#include "front/spark_connect/html_entities.def"
#undef PT_HTML_ENTITY
    };
    for (size_t i = 0; i < sizeof(ENTITIES) / sizeof(ENTITIES[0]) && ENTITIES[i].code_point <= code_point; i++) {
        if (ENTITIES[i].code_point == code_point)
            return ENTITIES[i].name;
    }
    return NULL;
}

static void append_html_text(pt__buffer *out, pt_text_view text)
{
    size_t position = 0;
    uint32_t c;
    for (size_t start = 0; pt__utf8_next(text.data, text.size_bytes, &position, &c); start = position) {
        const char *entity = entity_of(c);
        if (entity == NULL)
            pt__buffer_append(out, text.data + start, position - start);
        else
            pt__buffer_printf(out, "&%s;", entity);
    }
}

static void append_html_row(pt__buffer *out, const pt__table_text *table, size_t row, const char *tag)
{
    pt__buffer_append_string(out, "<tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        pt__buffer_printf(out, "<%s>", tag);
        append_html_text(out, row == table->row_count ? header_at(table, i) : cell_at(table, row, i));
        pt__buffer_printf(out, "</%s>", tag);
    }
    if (table->column_count == 0)
        pt__buffer_printf(out, "<%s></%s>", tag, tag);
    pt__buffer_append_string(out, "</tr>\n");
}

void pt__table_text_append_html(pt__buffer *out, const pt__table_text *table)
{
    pt__buffer_append_string(out, "<table border='1'>\n");
    append_html_row(out, table, table->row_count, "th");
    for (size_t row = 0; row < table->row_count; row++)
        append_html_row(out, table, row, "td");
    pt__buffer_append_string(out, "</table>\n");
    append_more(out, table);
    if (table->has_more)
        pt__buffer_append_byte(out, '\n');
}
