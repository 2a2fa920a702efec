/* Cutting and joining text and bytes: positions count characters from 1, of BLOBs bytes. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/unicode.h"

#include <limits.h>

static bool is_binary(const pt__fn_call *call, size_t column)
{
    return call->columns[column].type->id == DUCKDB_TYPE_BLOB;
}

static int64_t length_of(pt_text_view text, bool binary)
{
    return (int64_t)(binary ? text.size_bytes : pt__character_count(text));
}

static size_t offset_of(pt_text_view text, int64_t index, bool binary)
{
    if (!binary)
        return pt__character_offset(text, index);
    return index <= 0 ? 0 : (size_t)index > text.size_bytes ? text.size_bytes : (size_t)index;
}

/** From index `start` up to `end`, both from 0 and cut to the text. */
static pt_text_view slice(pt_text_view text, int64_t start, int64_t end, bool binary)
{
    if (end <= start || end <= 0)
        return (pt_text_view){"", 0};
    size_t from = offset_of(text, start, binary);
    pt_text_view rest = {text.data + from, text.size_bytes - from};
    return (pt_text_view){rest.data, offset_of(rest, end - (start < 0 ? 0 : start), binary)};
}

/** A position of 0 counts as 1, a negative one from the end. */
static pt_text_view substring(pt_text_view text, int64_t position, int64_t length, bool binary)
{
    int64_t start = position > 0 ? position - 1 : position < 0 ? length_of(text, binary) + position : 0;
    return slice(text, start, start + length, binary);
}

static bool put_view(pt__fn_call *call, idx_t row, pt_text_view text)
{
    pt__fn_put_text(call, row, text.data, text.size_bytes);
    return true;
}

void pt__fn_substring(pt__fn_call *call)
{
    bool binary = is_binary(call, 0);
    const int32_t *position = PT__FN_IN(call, 1, int32_t);
    const int32_t *length = PT__FN_IN(call, 2, int32_t);
    PT__FN_EACH(call, r, put_view(call, r, substring(pt__fn_text(call, 0, r), position[r], length[r], binary)));
}

void pt__fn_substring_to_end(pt__fn_call *call)
{
    bool binary = is_binary(call, 0);
    const int32_t *position = PT__FN_IN(call, 1, int32_t);
    PT__FN_EACH(call, r, put_view(call, r, substring(pt__fn_text(call, 0, r), position[r], INT_MAX, binary)));
}

void pt__fn_left(pt__fn_call *call)
{
    bool binary = is_binary(call, 0);
    const int32_t *length = PT__FN_IN(call, 1, int32_t);
    PT__FN_EACH(call, r, put_view(call, r, substring(pt__fn_text(call, 0, r), 1, length[r], binary)));
}

static pt_text_view right(pt_text_view text, int32_t length, bool binary)
{
    return length <= 0 ? (pt_text_view){"", 0} : substring(text, -(int64_t)length, length, binary);
}

void pt__fn_right(pt__fn_call *call)
{
    bool binary = is_binary(call, 0);
    const int32_t *length = PT__FN_IN(call, 1, int32_t);
    PT__FN_EACH(call, r, put_view(call, r, right(pt__fn_text(call, 0, r), length[r], binary)));
}

/* lpad and rpad; option 1: on the left. */

static void append_padding(pt__buffer *out, pt_text_view pad, int64_t length, bool binary)
{
    int64_t pad_length = length_of(pad, binary);
    for (; length >= pad_length; length -= pad_length)
        pt__buffer_append(out, pad.data, pad.size_bytes);
    pt__buffer_append(out, pad.data, offset_of(pad, length, binary));
}

/* At most. */
static uint64_t padding_bytes(pt_text_view pad, int64_t length, bool binary)
{
    return ((uint64_t)length / (uint64_t)length_of(pad, binary) + 1) * pad.size_bytes;
}

static bool pad(pt__fn_call *call, idx_t row)
{
    bool binary = is_binary(call, 0);
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view padding = pt__fn_text(call, 2, row);
    int64_t length = PT__FN_IN(call, 1, int32_t)[row];
    int64_t missing = length - length_of(text, binary);
    pt__buffer *out = &call->state->scratch;
    if (missing <= 0)
        return put_view(call, row, slice(text, 0, length, binary));
    if (padding.size_bytes > 0 && !pt__fn_may_make(call, padding_bytes(padding, missing, binary)))
        return false;
    pt__buffer_reset(out);
    if (call->row->option == 0)
        pt__buffer_append(out, text.data, text.size_bytes);
    if (padding.size_bytes > 0)
        append_padding(out, padding, missing, binary);
    if (call->row->option == 1)
        pt__buffer_append(out, text.data, text.size_bytes);
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_pad(pt__fn_call *call)
{
    PT__FN_EACH(call, r, pad(call, r));
}

static bool repeat(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    int32_t count = PT__FN_IN(call, 1, int32_t)[row];
    pt__buffer *out = &call->state->scratch;
    if (count > 0 && !pt__fn_may_make(call, (uint64_t)count * text.size_bytes))
        return false;
    pt__buffer_reset(out);
    for (int32_t i = 0; i < count && text.size_bytes != 0; i++)
        pt__buffer_append(out, text.data, text.size_bytes);
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_repeat(pt__fn_call *call)
{
    PT__FN_EACH(call, r, repeat(call, r));
}

/** overlay(text, replacement, position, length): a negative length is that of the replacement. */
static bool overlay(pt__fn_call *call, idx_t row)
{
    bool binary = is_binary(call, 0);
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view replacement = pt__fn_text(call, 1, row);
    int64_t position = PT__FN_IN(call, 2, int32_t)[row];
    int64_t length = PT__FN_IN(call, 3, int32_t)[row];
    pt__buffer *out = &call->state->scratch;
    if (length < 0)
        length = length_of(replacement, binary);
    pt_text_view before = substring(text, 1, position - 1, binary);
    pt_text_view after = substring(text, position + length, INT_MAX, binary);
    pt__buffer_reset(out);
    pt__buffer_append(out, before.data, before.size_bytes);
    pt__buffer_append(out, replacement.data, replacement.size_bytes);
    pt__buffer_append(out, after.data, after.size_bytes);
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_overlay(pt__fn_call *call)
{
    PT__FN_EACH(call, r, overlay(call, r));
}

static bool reverse(pt__fn_call *call, idx_t row)
{
    bool binary = is_binary(call, 0);
    pt_text_view text = pt__fn_text(call, 0, row);
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    for (size_t end = text.size_bytes; end > 0;) {
        size_t start = end - 1;
        while (!binary && start > 0 && ((unsigned char)text.data[start] & 0xc0) == 0x80)
            start--;
        pt__buffer_append(out, text.data + start, end - start);
        end = start;
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_reverse(pt__fn_call *call)
{
    PT__FN_EACH(call, r, reverse(call, r));
}

/* Searching. */

/** The byte offset of `what` at or after `from`; PTRDIFF_MAX when it is not there. */
static size_t find(pt_text_view text, pt_text_view what, size_t from)
{
    if (from > text.size_bytes)
        return PTRDIFF_MAX;
    const char *found = memmem(text.data + from, text.size_bytes - from, what.data, what.size_bytes);
    return found == NULL ? PTRDIFF_MAX : (size_t)(found - text.data);
}

/** locate(what, text, position): 0 when it is not there. */
static bool locate(pt__fn_call *call, idx_t row)
{
    pt_text_view what = pt__fn_text(call, 0, row);
    pt_text_view text = pt__fn_text(call, 1, row);
    int32_t position = PT__FN_IN(call, 2, int32_t)[row];
    int32_t *out = &PT__FN_OUT(call, int32_t)[row];
    *out = 0;
    if (position < 1)
        return true;
    if (what.size_bytes == 0) {
        *out = 1;
        return true;
    }
    size_t found = find(text, what, pt__character_offset(text, position - 1));
    if (found != PTRDIFF_MAX)
        *out = (int32_t)pt__character_count((pt_text_view){text.data, found}) + 1;
    return true;
}

void pt__fn_locate(pt__fn_call *call)
{
    PT__FN_EACH(call, r, locate(call, r));
}

/** The position of an item in a list separated by commas; 0 when it is not there or has a comma. */
static int32_t find_in_set(pt_text_view item, pt_text_view set)
{
    int32_t position = 1;
    size_t start = 0;
    if (memchr(item.data, ',', item.size_bytes) != NULL)
        return 0;
    for (size_t i = 0; i <= set.size_bytes; i++) {
        if (i < set.size_bytes && set.data[i] != ',')
            continue;
        if (i - start == item.size_bytes && memcmp(set.data + start, item.data, item.size_bytes) == 0)
            return position;
        position++;
        start = i + 1;
    }
    return 0;
}

static bool put_int(int32_t value, int32_t *out)
{
    *out = value;
    return true;
}

void pt__fn_find_in_set(pt__fn_call *call)
{
    PT__FN_EACH(call, r,
                put_int(find_in_set(pt__fn_text(call, 0, r), pt__fn_text(call, 1, r)), &PT__FN_OUT(call, int32_t)[r]));
}

/* substring_index: occurrences may overlap. */

static pt_text_view before_occurrence(pt_text_view text, pt_text_view what, int64_t count)
{
    size_t at = 0;
    for (size_t from = 0; count > 0; count--) {
        at = find(text, what, from);
        if (at == PTRDIFF_MAX)
            return text;
        from = at + 1;
    }
    return (pt_text_view){text.data, at};
}

static pt_text_view after_occurrence(pt_text_view text, pt_text_view what, int64_t count)
{
    if (what.size_bytes > text.size_bytes)
        return text;
    size_t at = text.size_bytes - what.size_bytes + 1;
    while (at-- > 0) {
        if (memcmp(text.data + at, what.data, what.size_bytes) != 0 || --count > 0)
            continue;
        size_t from = at + what.size_bytes;
        return (pt_text_view){text.data + from, text.size_bytes - from};
    }
    return text;
}

static pt_text_view substring_index(pt_text_view text, pt_text_view what, int32_t count)
{
    if (what.size_bytes == 0 || count == 0)
        return (pt_text_view){"", 0};
    return count > 0 ? before_occurrence(text, what, count) : after_occurrence(text, what, -(int64_t)count);
}

void pt__fn_substring_index(pt__fn_call *call)
{
    PT__FN_EACH(
        call, r,
        put_view(call, r,
                 substring_index(pt__fn_text(call, 0, r), pt__fn_text(call, 1, r), PT__FN_IN(call, 2, int32_t)[r])));
}

/* split_part(text, separator, part): a negative part counts from the end; '' outside. */

static int64_t count_parts(pt_text_view text, pt_text_view separator)
{
    int64_t count = 1;
    for (size_t at = find(text, separator, 0); at != PTRDIFF_MAX; at = find(text, separator, at + separator.size_bytes))
        count++;
    return count;
}

static pt_text_view nth_part(pt_text_view text, pt_text_view separator, int64_t part)
{
    size_t start = 0;
    for (; part > 1; part--) {
        size_t at = find(text, separator, start);
        if (at == PTRDIFF_MAX)
            return (pt_text_view){"", 0};
        start = at + separator.size_bytes;
    }
    size_t end = find(text, separator, start);
    return (pt_text_view){text.data + start, (end == PTRDIFF_MAX ? text.size_bytes : end) - start};
}

static bool split_part(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view separator = pt__fn_text(call, 1, row);
    int64_t part = PT__FN_IN(call, 2, int32_t)[row];
    if (part == 0)
        return pt__fn_raise(call, PT_COND_INVALID_INDEX_OF_ZERO, NULL);
    if (separator.size_bytes == 0)
        return put_view(call, row, part == 1 || part == -1 ? text : (pt_text_view){"", 0});
    if (part < 0)
        part += count_parts(text, separator) + 1;
    return put_view(call, row, part < 1 ? (pt_text_view){"", 0} : nth_part(text, separator, part));
}

void pt__fn_split_part(pt__fn_call *call)
{
    PT__FN_EACH(call, r, split_part(call, r));
}

/* translate(text, from, to): what has no partner goes. */

static bool translate(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view from = pt__fn_text(call, 1, row);
    pt_text_view to = pt__fn_text(call, 2, row);
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    for (size_t at = 0; at < text.size_bytes;) {
        size_t size = pt__character_size(text, at);
        size_t source = 0;
        size_t target = 0;
        while (source < from.size_bytes) {
            size_t source_size = pt__character_size(from, source);
            if (source_size == size && memcmp(from.data + source, text.data + at, size) == 0)
                break;
            source += source_size;
            target += target < to.size_bytes ? pt__character_size(to, target) : 0;
        }
        if (source == from.size_bytes)
            pt__buffer_append(out, text.data + at, size);
        else if (target < to.size_bytes)
            pt__buffer_append(out, to.data + target, pt__character_size(to, target));
        at += size;
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_translate(pt__fn_call *call)
{
    PT__FN_EACH(call, r, translate(call, r));
}

/* Trimming a set of characters; option: 1 left, 2 right, 3 both. */

static bool in_set(pt_text_view set, const char *character, size_t size)
{
    for (size_t at = 0; at < set.size_bytes; at += pt__character_size(set, at))
        if (pt__character_size(set, at) == size && memcmp(set.data + at, character, size) == 0)
            return true;
    return false;
}

static bool trim(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view set = pt__fn_text(call, 1, row);
    while ((call->row->option & 1) != 0 && text.size_bytes > 0) {
        size_t size = pt__character_size(text, 0);
        if (!in_set(set, text.data, size))
            break;
        text = (pt_text_view){text.data + size, text.size_bytes - size};
    }
    while ((call->row->option & 2) != 0 && text.size_bytes > 0) {
        size_t start = text.size_bytes - 1;
        while (start > 0 && ((unsigned char)text.data[start] & 0xc0) == 0x80)
            start--;
        if (!in_set(set, text.data + start, text.size_bytes - start))
            break;
        text.size_bytes = start;
    }
    return put_view(call, row, text);
}

void pt__fn_trim(pt__fn_call *call)
{
    PT__FN_EACH(call, r, trim(call, r));
}
