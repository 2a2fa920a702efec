/* rlike, the regexp_ functions and split. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/list_out.h"
#include "backend/duckdb/functions/regex.h"
#include "backend/duckdb/functions/unicode.h"
#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

enum { REGEX_SLOT = 0 };

static bool rlike(pt__fn_call *call, idx_t row)
{
    pt__span match;
    pt__regex *regex = pt__fn_regex(call, REGEX_SLOT, 1, row, "`rlike`");
    if (regex == NULL)
        return false;
    PT__FN_OUT(call, bool)[row] = pt__fn_find(call, regex, pt__fn_text(call, 0, row), 0, &match);
    return !call->failed;
}

void pt__fn_rlike(pt__fn_call *call)
{
    PT__FN_EACH(call, r, rlike(call, r));
}

/* regexp_replace. */

/** The byte offset of a position counted from 1 in UTF-16 units; the size of the text when it is behind the end. */
static size_t offset_of(pt_text_view text, int32_t position)
{
    size_t at = 0;
    uint32_t code_point;
    for (int64_t units = 1; units < position && pt__utf8_next(text.data, text.size_bytes, &at, &code_point);)
        units += code_point > 0xffff ? 2 : 1;
    return at;
}

static void append_group(pt__buffer *out, pt__regex *regex, pt_text_view text, size_t group)
{
    pt__span span = pt__regex_group(regex, group);
    if (span.start <= span.end)
        pt__buffer_append(out, text.data + span.start, span.end - span.start);
}

/** Behind `$`: a group's number, or {name}. False when there is none such. */
static bool read_group(const char **at, const char *end, pt__regex *regex, size_t *group)
{
    const char *p = *at;
    if (p < end && *p == '{') {
        char name[64];
        const char *stop = memchr(p, '}', (size_t)(end - p));
        if (stop == NULL || stop - p - 1 >= (ptrdiff_t)sizeof(name))
            return false;
        snprintf(name, sizeof(name), "%.*s", (int)(stop - p - 1), p + 1);
        *group = pt__regex_group_named(regex, name);
        *at = stop + 1;
        return *group > 0;
    }
    if (p == end || !isdigit((unsigned char)*p))
        return false;
    *group = (size_t)(*p++ - '0');
    if (*group > pt__regex_group_count(regex))
        return false;
    while (p < end && isdigit((unsigned char)*p) && *group * 10 + (size_t)(*p - '0') <= pt__regex_group_count(regex))
        *group = *group * 10 + (size_t)(*p++ - '0');
    *at = p;
    return true;
}

static bool append_replacement(pt__buffer *out, pt__regex *regex, pt_text_view text, pt_text_view replacement)
{
    const char *end = replacement.data + replacement.size_bytes;
    for (const char *at = replacement.data; at < end;) {
        size_t group;
        char c = *at++;
        if (c == '\\') {
            if (at == end)
                return false;
            pt__buffer_append_byte(out, (uint8_t)*at++);
        } else if (c == '$') {
            if (!read_group(&at, end, regex, &group))
                return false;
            append_group(out, regex, text, group);
        } else {
            pt__buffer_append_byte(out, (uint8_t)c);
        }
    }
    return true;
}

static bool raise_replacement(pt__fn_call *call, idx_t row, int32_t position)
{
    pt__buffer copies[3] = {PT_BUFFER_INIT, PT_BUFFER_INIT, PT_BUFFER_INIT};
    char number[16];
    for (size_t i = 0; i < 3; i++) {
        pt_text_view text = pt__fn_text(call, i, row);
        pt__buffer_append(&copies[i], text.data, text.size_bytes);
    }
    snprintf(number, sizeof(number), "%" PRId32, position);
    pt__fn_raise(call, PT_COND_INVALID_REGEXP_REPLACE, "source", pt__buffer_string(&copies[0]), "pattern",
                 pt__buffer_string(&copies[1]), "replacement", pt__buffer_string(&copies[2]), "position", number, NULL);
    for (size_t i = 0; i < 3; i++)
        pt__buffer_deinit(&copies[i]);
    return false;
}

static bool replace(pt__fn_call *call, idx_t row)
{
    pt__regex *regex = pt__fn_regex(call, REGEX_SLOT, 1, row, "`regexp_replace`");
    pt_text_view source = pt__fn_text(call, 0, row);
    int32_t position = call->column_count > 3 ? PT__FN_IN(call, 3, int32_t)[row] : 1;
    if (regex == NULL)
        return false;
    size_t skipped = offset_of(source, position);
    pt_text_view text = {source.data + skipped, source.size_bytes - skipped};
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    pt__buffer_append(out, source.data, skipped);
    size_t copied = 0;
    pt__span match;
    bool behind_end = position > 1 && text.size_bytes == 0;
    for (size_t from = 0; !behind_end && !out->failed && pt__fn_find(call, regex, text, from, &match);) {
        pt__buffer_append(out, text.data + copied, match.start - copied);
        if (!append_replacement(out, regex, text, pt__fn_text(call, 2, row)))
            return raise_replacement(call, row, position);
        copied = match.end;
        from = pt__regex_next(text, match);
    }
    pt__buffer_append(out, text.data + copied, text.size_bytes - copied);
    return !call->failed && pt__fn_put_buffer(call, row, out);
}

void pt__fn_regexp_replace(pt__fn_call *call)
{
    PT__FN_EACH(call, r, replace(call, r));
}

/* regexp_extract and regexp_extract_all. */

static bool check_group(pt__fn_call *call, const pt__regex *regex, int32_t group, const char *name)
{
    char index[16];
    char count[24];
    if (group >= 0 && (size_t)group <= pt__regex_group_count(regex))
        return true;
    snprintf(index, sizeof(index), "%" PRId32, group);
    snprintf(count, sizeof(count), "%zu", pt__regex_group_count(regex));
    return pt__fn_raise(call, PT_COND_INVALID_PARAMETER_VALUE_REGEX_GROUP_INDEX, "parameter", "`idx`", "functionName",
                        name, "groupCount", count, "groupIndex", index, NULL);
}

static bool extract(pt__fn_call *call, idx_t row)
{
    pt__regex *regex = pt__fn_regex(call, REGEX_SLOT, 1, row, "`regexp_extract`");
    pt_text_view text = pt__fn_text(call, 0, row);
    int32_t group = PT__FN_IN(call, 2, int32_t)[row];
    pt__span span = {0, 0};
    if (regex == NULL)
        return false;
    if (pt__fn_find(call, regex, text, 0, &span)) {
        if (!check_group(call, regex, group, "`regexp_extract`"))
            return false;
        span = pt__regex_group(regex, (size_t)group);
    }
    if (call->failed)
        return false;
    bool any = span.start < span.end;
    pt__fn_put_text(call, row, any ? text.data + span.start : "", any ? span.end - span.start : 0);
    return true;
}

void pt__fn_regexp_extract(pt__fn_call *call)
{
    PT__FN_EACH(call, r, extract(call, r));
}

static bool extract_all(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    pt__regex *regex = pt__fn_regex(call, REGEX_SLOT, 1, row, "`regexp_extract_all`");
    pt_text_view text = pt__fn_text(call, 0, row);
    int32_t group = PT__FN_IN(call, 2, int32_t)[row];
    pt__span match;
    if (regex == NULL)
        return false;
    pt__list_out_begin(out);
    for (size_t from = 0; pt__fn_find(call, regex, text, from, &match); from = pt__regex_next(text, match)) {
        if (!check_group(call, regex, group, "`regexp_extract_all`"))
            return false;
        pt__span span = pt__regex_group(regex, (size_t)group);
        bool any = span.start < span.end;
        if (!pt__list_out_push_text(out,
                                    (pt_text_view){any ? text.data + span.start : "", any ? span.end - span.start : 0}))
            return false;
    }
    return !call->failed && pt__list_out_end(out, row);
}

void pt__fn_regexp_extract_all(pt__fn_call *call)
{
    pt__list_out out;
    if (!pt__list_out_open(&out, call))
        return;
    PT__FN_EACH(call, r, extract_all(call, &out, r));
    pt__list_out_close(&out);
}

/* regexp_count and regexp_instr. */

static bool count_matches(pt__fn_call *call, idx_t row)
{
    pt__regex *regex = pt__fn_regex(call, REGEX_SLOT, 1, row, "`regexp_count`");
    pt_text_view text = pt__fn_text(call, 0, row);
    int32_t count = 0;
    pt__span match;
    if (regex == NULL)
        return false;
    for (size_t from = 0; pt__fn_find(call, regex, text, from, &match); from = pt__regex_next(text, match))
        count++;
    PT__FN_OUT(call, int32_t)[row] = count;
    return !call->failed;
}

void pt__fn_regexp_count(pt__fn_call *call)
{
    PT__FN_EACH(call, r, count_matches(call, r));
}

static bool instr(pt__fn_call *call, idx_t row)
{
    pt__regex *regex = pt__fn_regex(call, REGEX_SLOT, 1, row, "`regexp_instr`");
    pt_text_view text = pt__fn_text(call, 0, row);
    pt__span match;
    if (regex == NULL)
        return false;
    bool found = pt__fn_find(call, regex, text, 0, &match);
    PT__FN_OUT(call, int32_t)[row] = found ? (int32_t)pt__utf8_utf16_length(text.data, match.start) + 1 : 0;
    return !call->failed;
}

void pt__fn_regexp_instr(pt__fn_call *call)
{
    PT__FN_EACH(call, r, instr(call, r));
}

/* split(text, regex, limit): a limit of 0 or less is none. */

/** An empty pattern: one piece per character, the last with what is left. */
static bool split_characters(pt__list_out *out, pt_text_view text, int32_t limit)
{
    size_t at = 0;
    for (int32_t count = 1; at < text.size_bytes; count++) {
        size_t size = count == limit ? text.size_bytes - at : pt__character_size(text, at);
        if (!pt__list_out_push_text(out, (pt_text_view){text.data + at, size}))
            return false;
        at += size;
    }
    return text.size_bytes > 0 || pt__list_out_push_text(out, text);
}

static bool split_matches(pt__fn_call *call, pt__list_out *out, pt__regex *regex, pt_text_view text, int32_t limit)
{
    size_t index = 0;
    int32_t pieces = 1;
    pt__span match;
    for (size_t from = 0; (limit <= 0 || pieces < limit) && pt__fn_find(call, regex, text, from, &match);) {
        from = pt__regex_next(text, match);
        if (index == 0 && match.start == 0 && match.end == 0)
            continue;
        if (!pt__list_out_push_text(out, (pt_text_view){text.data + index, match.start - index}))
            return false;
        index = match.end;
        pieces++;
    }
    return !call->failed && pt__list_out_push_text(out, (pt_text_view){text.data + index, text.size_bytes - index});
}

static bool split(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    pt__regex *regex = pt__fn_regex(call, REGEX_SLOT, 1, row, "`split`");
    pt_text_view text = pt__fn_text(call, 0, row);
    int32_t limit = PT__FN_IN(call, 2, int32_t)[row];
    if (regex == NULL)
        return false;
    pt__list_out_begin(out);
    bool ok = pt__fn_text(call, 1, row).size_bytes == 0 ? split_characters(out, text, limit)
                                                        : split_matches(call, out, regex, text, limit);
    return ok && pt__list_out_end(out, row);
}

void pt__fn_split(pt__fn_call *call)
{
    pt__list_out out;
    if (!pt__list_out_open(&out, call))
        return;
    PT__FN_EACH(call, r, split(call, &out, r));
    pt__list_out_close(&out);
}
