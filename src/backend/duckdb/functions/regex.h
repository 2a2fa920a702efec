/**
 * Regular expressions as Java understands them, run by PCRE2 (compiled to machine code where that works).
 *
 * Threads: a regex belongs to one thread.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_REGEX_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_REGEX_H

#include "backend/duckdb/functions/call.h"

typedef struct pt__regex pt__regex;

/** Byte offsets; start after end: nothing. */
typedef struct pt__span {
    size_t start;
    size_t end;
} pt__span;

#define PT__SPAN_NONE ((pt__span){1, 0})

/** NULL when the pattern is none, or without memory. */
pt__regex *pt__regex_new(pt_text_view pattern);
void pt__regex_free(void *regex);

size_t pt__regex_group_count(const pt__regex *regex);

/** The first match at or after `from`. False when there is none or the engine gave up: see pt__regex_gave_up. */
bool pt__regex_find(pt__regex *regex, pt_text_view text, size_t from, pt__span *match);
bool pt__regex_gave_up(const pt__regex *regex);

/** Where to look for the next match: one character further after an empty one. */
size_t pt__regex_next(pt_text_view text, pt__span match);

/** A group of the last match; its start is after its end when it took no part. */
pt__span pt__regex_group(const pt__regex *regex, size_t group);

/** The number of a named group, 0 when there is none. */
size_t pt__regex_group_named(const pt__regex *regex, const char *name);

/**
 * The regex of a row of a text column, cached in `slot`. NULL after raising INVALID_PARAMETER_VALUE.PATTERN for the
 * function `name` ("`rlike`").
 */
pt__regex *pt__fn_regex(pt__fn_call *call, size_t slot, size_t column, idx_t row, const char *name);

/** pt__regex_find that raises an error when the engine gives up: then call->failed. */
bool pt__fn_find(pt__fn_call *call, pt__regex *regex, pt_text_view text, size_t from, pt__span *match);

#endif
