#define PCRE2_CODE_UNIT_WIDTH 8

#include "backend/duckdb/functions/regex.h"

#include "backend/duckdb/functions/regex_java.h"
#include "backend/duckdb/functions/value_text.h"

#include <pcre2.h>
#include <stdlib.h>

enum { JIT_STACK_START_BYTES = 32 * 1024, JIT_STACK_MAX_BYTES = 1024 * 1024, MATCH_LIMIT = 50 * 1000 * 1000 };

struct pt__regex {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    size_t group_count;
    bool gave_up;
    char *literal; /* the pattern when it is nothing but characters to find; then there is no code */
    size_t literal_bytes;
    pt__span literal_match;
};

void pt__regex_free(void *object)
{
    pt__regex *regex = object;
    if (regex == NULL)
        return;
    pcre2_match_data_free(regex->match);
    pcre2_match_context_free(regex->context);
    pcre2_jit_stack_free(regex->stack);
    pcre2_code_free(regex->code);
    free(regex->literal);
    free(regex);
}

static bool prepare(pt__regex *regex)
{
    uint32_t groups = 0;
    regex->match = pcre2_match_data_create_from_pattern(regex->code, NULL);
    regex->context = pcre2_match_context_create(NULL);
    if (regex->match == NULL || regex->context == NULL)
        return false;
    pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    regex->group_count = groups;
    pcre2_set_match_limit(regex->context, MATCH_LIMIT);
    if (pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE) == 0) {
        regex->stack = pcre2_jit_stack_create(JIT_STACK_START_BYTES, JIT_STACK_MAX_BYTES, NULL);
        if (regex->stack != NULL)
            pcre2_jit_stack_assign(regex->context, NULL, regex->stack);
    }
    return true;
}

static bool is_literal(pt_text_view pattern)
{
    for (size_t i = 0; i < pattern.size_bytes; i++)
        if (strchr("\\[](){}.*+?^$|", pattern.data[i]) != NULL)
            return false;
    return pattern.size_bytes > 0;
}

static bool keep_literal(pt__regex *regex, pt_text_view pattern)
{
    regex->literal = malloc(pattern.size_bytes);
    regex->literal_bytes = pattern.size_bytes;
    if (regex->literal != NULL)
        memcpy(regex->literal, pattern.data, pattern.size_bytes);
    return regex->literal != NULL;
}

pt__regex *pt__regex_new(pt_text_view pattern)
{
    pt__buffer translated = PT_BUFFER_INIT;
    pt__regex *regex = calloc(1, sizeof(*regex));
    int error;
    PCRE2_SIZE where;
    if (regex != NULL && is_literal(pattern) && keep_literal(regex, pattern))
        return regex;
    if (regex != NULL && pt__regex_from_java(pattern.data, pattern.size_bytes, &translated))
        regex->code = pcre2_compile((PCRE2_SPTR)pt__buffer_string(&translated), translated.size_bytes,
                                    PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &error, &where, NULL);
    pt__buffer_deinit(&translated);
    if (regex != NULL && regex->code != NULL && prepare(regex))
        return regex;
    pt__regex_free(regex);
    return NULL;
}

size_t pt__regex_group_count(const pt__regex *regex)
{
    return regex->group_count;
}

static bool find_literal(pt__regex *regex, pt_text_view text, size_t from, pt__span *match)
{
    const char *found = memmem(text.data + from, text.size_bytes - from, regex->literal, regex->literal_bytes);
    if (found == NULL)
        return false;
    size_t start = (size_t)(found - text.data);
    *match = regex->literal_match = (pt__span){start, start + regex->literal_bytes};
    return true;
}

bool pt__regex_find(pt__regex *regex, pt_text_view text, size_t from, pt__span *match)
{
    if (from > text.size_bytes)
        return false;
    if (regex->literal != NULL)
        return find_literal(regex, text, from, match);
    int found = pcre2_match(regex->code, (PCRE2_SPTR)text.data, text.size_bytes, from, PCRE2_NO_UTF_CHECK, regex->match,
                            regex->context);
    regex->gave_up = found < 0 && found != PCRE2_ERROR_NOMATCH;
    if (found < 0)
        return false;
    *match = pt__regex_group(regex, 0);
    return true;
}

bool pt__regex_gave_up(const pt__regex *regex)
{
    return regex->gave_up;
}

size_t pt__regex_next(pt_text_view text, pt__span match)
{
    if (match.end > match.start)
        return match.end;
    size_t next = match.end + 1;
    while (next < text.size_bytes && ((unsigned char)text.data[next] & 0xc0) == 0x80)
        next++;
    return next;
}

pt__span pt__regex_group(const pt__regex *regex, size_t group)
{
    if (regex->literal != NULL)
        return regex->literal_match;
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(regex->match);
    if (offsets[2 * group] == PCRE2_UNSET)
        return PT__SPAN_NONE;
    return (pt__span){offsets[2 * group], offsets[2 * group + 1]};
}

size_t pt__regex_group_named(const pt__regex *regex, const char *name)
{
    if (regex->literal != NULL)
        return 0;
    int number = pcre2_substring_number_from_name(regex->code, (PCRE2_SPTR)name);
    return number < 0 ? 0 : (size_t)number;
}

/* In calls. */

pt__regex *pt__fn_regex(pt__fn_call *call, size_t slot, size_t column, idx_t row, const char *name)
{
    pt_text_view pattern = pt__fn_text(call, column, row);
    pt__regex *regex = pt__fn_recall(call->state, slot, pattern);
    if (regex != NULL)
        return regex;
    regex = pt__regex_new(pattern);
    if (regex == NULL) {
        pt__buffer quoted = PT_BUFFER_INIT;
        pt__append_text_literal(&quoted, pattern);
        pt__fn_raise(call, PT_COND_INVALID_PARAMETER_VALUE_PATTERN, "parameter", "`regexp`", "functionName", name,
                     "value", pt__buffer_string(&quoted), NULL);
        pt__buffer_deinit(&quoted);
        return NULL;
    }
    if (!pt__fn_remember(call->state, slot, pattern, regex, pt__regex_free))
        return (pt__fn_fail_memory(call), NULL);
    return regex;
}

bool pt__fn_find(pt__fn_call *call, pt__regex *regex, pt_text_view text, size_t from, pt__span *match)
{
    if (pt__regex_find(regex, text, from, match))
        return true;
    if (pt__regex_gave_up(regex)) {
        duckdb_scalar_function_set_error(call->info, "a regular expression takes too many steps on this text");
        call->failed = true;
    }
    return false;
}
