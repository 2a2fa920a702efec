#include "backend/duckdb/functions/time_pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 19, OPEN_OPTIONALS_MAX = 32 };

typedef struct compiler {
    pt__time_pattern *pattern;
    const char *source;
    bool parsing;
    bool era;           /* the pattern has a G: y is a year of an era */
    ptrdiff_t adjacent; /* number that gives digits to the numbers right after it; -1: none */
    size_t open[OPEN_OPTIONALS_MAX];
    size_t open_count;
    bool failed;
} compiler;

/* Items. */

static pt__time_item *append_item(compiler *c, pt__time_item item)
{
    pt__time_pattern *p = c->pattern;
    if (p->item_count == p->item_capacity) {
        size_t capacity = p->item_capacity == 0 ? 16 : p->item_capacity * 2;
        pt__time_item *grown = realloc(p->items, capacity * sizeof(*grown));
        if (grown == NULL) {
            c->failed = true;
            return NULL;
        }
        p->items = grown;
        p->item_capacity = capacity;
    }
    p->items[p->item_count] = item;
    c->adjacent = -1;
    return &p->items[p->item_count++];
}

/** Numbers that touch: those of a fixed width take their digits from the one in front. */
static void append_number(compiler *c, pt__time_item item)
{
    ptrdiff_t base = c->adjacent;
    bool fixed = item.min_width == item.max_width && item.sign == PT__SIGN_NEVER;
    if (append_item(c, item) == NULL)
        return;
    c->adjacent = (ptrdiff_t)c->pattern->item_count - 1;
    if (base < 0)
        return;
    if (fixed) {
        c->pattern->items[base].subsequent_width += item.max_width;
        c->adjacent = base;
    }
}

static void append_literal(compiler *c, const char *text, size_t size)
{
    size_t at = c->pattern->text.size_bytes;
    pt__buffer_append(&c->pattern->text, text, size);
    append_item(c, (pt__time_item){.kind = PT__ITEM_LITERAL, .literal = at, .literal_bytes = size});
}

/* Letters. Each returns false when the letter does not take that count. */

static bool append_simple_number(compiler *c, pt__time_field field, int count, int most)
{
    pt__time_item item = {.kind = PT__ITEM_NUMBER, .field = field, .min_width = count, .max_width = count};
    if (count > most)
        return false;
    if (count == 1) {
        item.max_width = WIDEST;
        item.sign = PT__SIGN_NORMAL;
    }
    append_number(c, item);
    return true;
}

static bool append_year(compiler *c, int count)
{
    pt__time_field field = c->era ? PT__FIELD_YEAR_OF_ERA : PT__FIELD_YEAR;
    pt__time_item item = {.kind = PT__ITEM_NUMBER, .field = field, .min_width = count, .max_width = WIDEST};
    item.sign = count < 4 ? PT__SIGN_NORMAL : PT__SIGN_EXCEEDS_PAD;
    if (count == 2)
        item = (pt__time_item){.kind = PT__ITEM_REDUCED_YEAR, .field = field, .min_width = 2, .max_width = 2};
    append_number(c, item);
    return true;
}

static bool append_text(compiler *c, pt__time_field field, int count)
{
    append_item(c, (pt__time_item){.kind = PT__ITEM_TEXT, .field = field, .full = count == 4});
    return count <= 4;
}

static bool append_number_or_text(compiler *c, pt__time_field field, int count)
{
    return count <= 2 ? append_simple_number(c, field, count, 2) : append_text(c, field, count);
}

static bool append_day_of_year(compiler *c, int count)
{
    if (count == 1)
        return append_simple_number(c, PT__FIELD_DAY_OF_YEAR, 1, 1);
    append_number(c, (pt__time_item){
                         .kind = PT__ITEM_NUMBER, .field = PT__FIELD_DAY_OF_YEAR, .min_width = count, .max_width = 3});
    return count <= 3;
}

static bool append_fraction(compiler *c, int count)
{
    pt__time_item item = {.kind = PT__ITEM_FRACTION, .field = PT__FIELD_NANO, .min_width = count, .max_width = count};
    if (c->parsing)
        item.min_width = 1;
    if (item.min_width == item.max_width)
        append_number(c, item);
    else
        append_item(c, item);
    return count <= 9;
}

static bool append_zone(compiler *c, pt__time_item_kind kind, int count, int most)
{
    append_item(c, (pt__time_item){.kind = kind, .full = count == 4});
    return count <= most;
}

static bool append_offset(compiler *c, int letters)
{
    append_item(c, (pt__time_item){.kind = PT__ITEM_OFFSET, .letters = letters});
    return letters <= 5 && letters >= -5;
}

static bool append_rfc_offset(compiler *c, int count)
{
    if (count < 4)
        return append_offset(c, -2);
    return count == 4 ? append_zone(c, PT__ITEM_LOCALIZED_OFFSET, 4, 4) : append_offset(c, count);
}

static bool append_letter(compiler *c, char letter, int count)
{
    switch (letter) {
    case 'G': return append_text(c, PT__FIELD_ERA, count);
    case 'y': return append_year(c, count);
    case 'Q':
    case 'q': return append_number_or_text(c, PT__FIELD_QUARTER, count);
    case 'M':
    case 'L': return append_number_or_text(c, PT__FIELD_MONTH, count);
    case 'D': return append_day_of_year(c, count);
    case 'd': return append_simple_number(c, PT__FIELD_DAY, count, 2);
    case 'F': return append_simple_number(c, PT__FIELD_WEEK_OF_MONTH, count, 1);
    case 'E': return append_text(c, PT__FIELD_WEEKDAY, count);
    case 'a': return append_text(c, PT__FIELD_AMPM, count) && count == 1;
    case 'h': return append_simple_number(c, PT__FIELD_CLOCK_HOUR_OF_AMPM, count, 2);
    case 'K': return append_simple_number(c, PT__FIELD_HOUR_OF_AMPM, count, 2);
    case 'k': return append_simple_number(c, PT__FIELD_CLOCK_HOUR, count, 2);
    case 'H': return append_simple_number(c, PT__FIELD_HOUR, count, 2);
    case 'm': return append_simple_number(c, PT__FIELD_MINUTE, count, 2);
    case 's': return append_simple_number(c, PT__FIELD_SECOND, count, 2);
    case 'S': return append_fraction(c, count);
    case 'V': return append_zone(c, PT__ITEM_ZONE_ID, count, 2) && count == 2;
    case 'z': return append_zone(c, PT__ITEM_ZONE_NAME, count, 4);
    case 'O': return append_zone(c, PT__ITEM_LOCALIZED_OFFSET, count, 4) && (count == 1 || count == 4);
    case 'X': return append_offset(c, count);
    case 'x': return append_offset(c, -count);
    case 'Z': return append_rfc_offset(c, count);
    default: return false;
    }
}

/* The pattern's text. */

/** A quoted piece from `*at` on, which is behind the quote; false when it does not end. */
static bool take_quoted(compiler *c, const char **at)
{
    const char *p = *at;
    if (*p == '\'') {
        append_literal(c, "'", 1);
        *at = p + 1;
        return true;
    }
    pt__buffer piece = PT_BUFFER_INIT;
    for (; *p != '\0' && (*p != '\'' || p[1] == '\''); p += *p == '\'' ? 2 : 1)
        pt__buffer_append_byte(&piece, (uint8_t)*p);
    append_literal(c, pt__buffer_string(&piece), piece.size_bytes);
    pt__buffer_deinit(&piece);
    *at = p + 1;
    return *p == '\'';
}

static bool open_optional(compiler *c)
{
    if (c->open_count == OPEN_OPTIONALS_MAX)
        return false;
    c->open[c->open_count++] = c->pattern->item_count;
    append_item(c, (pt__time_item){.kind = PT__ITEM_OPTIONAL});
    return true;
}

static bool close_optional(compiler *c)
{
    if (c->open_count == 0)
        return false;
    append_item(c, (pt__time_item){.kind = PT__ITEM_OPTIONAL_END});
    if (!c->failed)
        c->pattern->items[c->open[--c->open_count]].end = c->pattern->item_count - 1;
    return true;
}

static bool take_mark(compiler *c, const char **at)
{
    char mark = *(*at)++;
    switch (mark) {
    case '\'': return take_quoted(c, at);
    case '[': return open_optional(c);
    case ']': return close_optional(c);
    case '{':
    case '}':
    case '#': return false;
    default: append_literal(c, &mark, 1); return true;
    }
}

static bool compile(compiler *c)
{
    bool ok = true;
    for (const char *at = c->source; ok && *at != '\0';) {
        if (!isalpha((unsigned char)*at)) {
            ok = take_mark(c, &at);
            continue;
        }
        const char *start = at;
        while (*at == *start)
            at++;
        ok = append_letter(c, *start, (int)(at - start));
    }
    while (ok && c->open_count > 0)
        close_optional(c);
    return ok;
}

/* What Spark refuses, and how it says so. */

/** Calls for each unquoted character until one is refused; `*letter` is that one. */
static bool any_unquoted(const char *pattern, const char *letters, char *letter)
{
    bool quoted = false;
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '\'')
            quoted = !quoted;
        else if (!quoted && strchr(letters, *pattern) != NULL) {
            *letter = *pattern;
            return true;
        }
    }
    return false;
}

static size_t longest_run(const char *pattern, char letter)
{
    size_t longest = 0;
    size_t run = 0;
    bool quoted = false;
    for (; *pattern != '\0'; pattern++) {
        quoted ^= *pattern == '\'';
        run = *pattern == letter && !quoted ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static bool has_long_run(const char *pattern)
{
    for (const char *letter = "GMLEQq"; *letter != '\0'; letter++)
        if (longest_run(pattern, *letter) >= 5)
            return true;
    return longest_run(pattern, 'y') >= 7;
}

/** Whether java.text.SimpleDateFormat, which Spark asks about a refused pattern, would take it. */
static bool is_old_pattern(const char *pattern)
{
    bool quoted = false;
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at == '\'')
            quoted = !quoted;
        else if (!quoted && isalpha((unsigned char)*at) && strchr("GyMdEDFHhKkmsSawWzZYuXL", *at) == NULL)
            return false;
    }
    return !quoted && longest_run(pattern, 'X') <= 3;
}

static pt__condition_id why_refused(const char *pattern, bool parsing, char *letter)
{
    if (any_unquoted(pattern, "YWwuec", letter))
        return PT_COND_INCONSISTENT_BEHAVIOR_CROSS_VERSION_DATETIME_WEEK_BASED_PATTERN;
    if (any_unquoted(pattern, parsing ? "ABnNpEFqQ" : "ABnNp", letter))
        return PT_COND_INVALID_DATETIME_PATTERN_ILLEGAL_CHARACTER;
    if (has_long_run(pattern))
        return PT_COND_INVALID_DATETIME_PATTERN_LENGTH;
    return PT_COND_COUNT;
}

pt__time_pattern *pt__time_pattern_new(const char *pattern, bool parsing, pt__time_pattern_error *error)
{
    char letter = '\0';
    *error = (pt__time_pattern_error){why_refused(pattern, parsing, &letter), '\0'};
    pt__time_pattern *compiled = calloc(1, sizeof(*compiled));
    if (compiled == NULL)
        return NULL;
    compiler c = {.pattern = compiled, .source = pattern, .parsing = parsing, .adjacent = -1};
    c.era = any_unquoted(pattern, "G", &letter);
    bool refused = error->condition != PT_COND_COUNT;
    error->letter = letter;
    if (!refused && compile(&c) && !c.failed && !compiled->text.failed)
        return compiled;
    pt__time_pattern_free(compiled);
    if (!refused && !c.failed)
        error->condition = PT_COND_INVALID_DATETIME_PATTERN_WITH_SUGGESTION;
    if (error->condition != PT_COND_COUNT && is_old_pattern(pattern))
        error->condition = PT_COND_INCONSISTENT_BEHAVIOR_CROSS_VERSION_DATETIME_PATTERN_RECOGNITION;
    return NULL;
}

void pt__time_pattern_free(void *object)
{
    pt__time_pattern *pattern = object;
    if (pattern == NULL)
        return;
    free(pattern->items);
    pt__buffer_deinit(&pattern->text);
    free(pattern);
}
