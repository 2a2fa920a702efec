/* LIKE and ILIKE with escapes. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/unicode.h"
#include "backend/duckdb/functions/value_text.h"

#include <stdlib.h>

enum { PATTERN_SLOT = 0, ANY_ONE = 1, ANY_NUMBER = 2 };

/** A pattern in pieces: characters, each of ANY_ONE or ANY_NUMBER alone. */
typedef struct like_item {
    int wild;
    uint32_t at; /* offset and size of the character in the text */
    uint32_t size;
} like_item;

typedef struct like_pattern {
    pt__buffer text;
    pt__buffer items; /* of like_item */
} like_pattern;

static void free_pattern(void *object)
{
    like_pattern *pattern = object;
    pt__buffer_deinit(&pattern->text);
    pt__buffer_deinit(&pattern->items);
    free(pattern);
}

static bool raise_escape(pt__fn_call *call, pt_text_view pattern, pt_text_view character)
{
    pt__buffer format = PT_BUFFER_INIT;
    pt__buffer letter = PT_BUFFER_INIT;
    pt__append_text_literal(&format, pattern);
    pt__append_text_literal(&letter, character);
    if (character.size_bytes == 0)
        pt__fn_raise(call, PT_COND_INVALID_FORMAT_ESC_AT_THE_END, "format", pt__buffer_string(&format), NULL);
    else
        pt__fn_raise(call, PT_COND_INVALID_FORMAT_ESC_IN_THE_MIDDLE, "format", pt__buffer_string(&format), "char",
                     pt__buffer_string(&letter), NULL);
    pt__buffer_deinit(&format);
    pt__buffer_deinit(&letter);
    return false;
}

static void append_item(like_pattern *out, pt_text_view source, size_t at, size_t size, int wild)
{
    like_item item = {wild, (uint32_t)out->text.size_bytes, (uint32_t)size};
    pt__buffer_append(&out->text, source.data + at, size);
    pt__buffer_append(&out->items, &item, sizeof(item));
}

static bool is_at(pt_text_view text, size_t at, pt_text_view character)
{
    return character.size_bytes > 0 && text.size_bytes - at >= character.size_bytes &&
           memcmp(text.data + at, character.data, character.size_bytes) == 0;
}

static bool compile(pt__fn_call *call, pt_text_view pattern, pt_text_view escape, like_pattern *out)
{
    for (size_t at = 0; at < pattern.size_bytes;) {
        bool escaped = is_at(pattern, at, escape);
        at += escaped ? escape.size_bytes : 0;
        if (at == pattern.size_bytes)
            return raise_escape(call, pattern, (pt_text_view){"", 0});
        size_t size = pt__character_size(pattern, at);
        char c = pattern.data[at];
        if (escaped && c != '_' && c != '%' && !is_at(pattern, at, escape))
            return raise_escape(call, pattern, (pt_text_view){pattern.data + at, size});
        append_item(out, pattern, at, size, escaped ? 0 : c == '_' ? ANY_ONE : c == '%' ? ANY_NUMBER : 0);
        at += size;
    }
    return !out->text.failed && !out->items.failed ? true : pt__fn_fail_memory(call);
}

/** The pattern of a row, cached; folded to lower case first where `fold`. NULL after raising an error. */
static const like_pattern *need_pattern(pt__fn_call *call, idx_t row, bool fold)
{
    pt_text_view source = pt__fn_text(call, 1, row);
    const like_pattern *kept = pt__fn_recall(call->state, PATTERN_SLOT, source);
    if (kept != NULL)
        return kept;
    like_pattern *made = calloc(1, sizeof(*made));
    pt__buffer folded = PT_BUFFER_INIT;
    if (fold)
        pt__append_lower(&folded, source);
    pt_text_view text = fold ? (pt_text_view){(const char *)folded.data, folded.size_bytes} : source;
    bool ok = made != NULL && compile(call, text, pt__fn_text(call, 2, row), made);
    pt__buffer_deinit(&folded);
    if (!ok) {
        if (made == NULL)
            pt__fn_fail_memory(call);
        else
            free_pattern(made);
        return NULL;
    }
    if (!pt__fn_remember(call->state, PATTERN_SLOT, source, made, free_pattern))
        return (pt__fn_fail_memory(call), NULL);
    return made;
}

/** Goes back to the last ANY_NUMBER, which then takes one more character, whenever the rest does not fit. */
static bool matches(const like_pattern *pattern, pt_text_view text)
{
    const like_item *items = (const like_item *)(const void *)pattern->items.data;
    size_t count = pattern->items.size_bytes / sizeof(*items);
    size_t item = 0;
    size_t at = 0;
    size_t back_item = SIZE_MAX;
    size_t back_at = 0;
    while (at < text.size_bytes) {
        if (item < count && items[item].wild == ANY_NUMBER) {
            back_item = ++item;
            back_at = at;
            continue;
        }
        size_t size = pt__character_size(text, at);
        bool fits =
            item < count &&
            (items[item].wild == ANY_ONE ||
             (items[item].size == size && memcmp(pattern->text.data + items[item].at, text.data + at, size) == 0));
        if (fits) {
            item++;
            at += size;
        } else if (back_item != SIZE_MAX) {
            back_at += pt__character_size(text, back_at);
            item = back_item;
            at = back_at;
        } else {
            return false;
        }
    }
    while (item < count && items[item].wild == ANY_NUMBER)
        item++;
    return item == count;
}

/** Option 1: without regard to case. */
static bool like(pt__fn_call *call, idx_t row)
{
    bool fold = call->row->option == 1;
    const like_pattern *pattern = need_pattern(call, row, fold);
    pt_text_view text = pt__fn_text(call, 0, row);
    if (pattern == NULL)
        return false;
    if (fold) {
        pt__buffer *folded = &call->state->scratch;
        pt__buffer_reset(folded);
        pt__append_lower(folded, text);
        text = (pt_text_view){(const char *)folded->data, folded->size_bytes};
    }
    PT__FN_OUT(call, bool)[row] = matches(pattern, text);
    return true;
}

void pt__fn_like(pt__fn_call *call)
{
    PT__FN_EACH(call, r, like(call, r));
}
