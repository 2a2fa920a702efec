/** UTF-8 text: characters, cases, repair. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_UNICODE_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_UNICODE_H

#include "base/buffer.h"

#include <portico/bytes.h>

/** Bytes of the character at `at`, which is inside the text. */
static inline size_t pt__character_size(pt_text_view text, size_t at)
{
    size_t next = at + 1;
    while (next < text.size_bytes && ((unsigned char)text.data[next] & 0xc0) == 0x80)
        next++;
    return next - at;
}

size_t pt__character_count(pt_text_view text);

/** The byte offset of the character with that index; the size of the text when it is behind the end. */
size_t pt__character_offset(pt_text_view text, int64_t index);

/** Appends the whole text with Unicode's full mappings: ß → SS, İ → i̇, Σ → ς at the end of a word. */
void pt__append_upper(pt__buffer *out, pt_text_view text);
void pt__append_lower(pt__buffer *out, pt_text_view text);

/** Appends bytes as text, each malformed run replaced by one U+FFFD, as Java does. */
void pt__append_valid(pt__buffer *out, pt_text_view bytes);

#endif
