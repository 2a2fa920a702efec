/**
 * Patterns of to_number and to_char: 99G999D99S, $0.99, 9.9PR …
 *
 * Source: documentation and behaviour of Spark's to_number.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_NUMBER_PATTERN_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_NUMBER_PATTERN_H

#include "base/buffer.h"
#include "base/condition.h"

enum { PT__NUMBER_TOKENS_MAX = 128 };

typedef enum pt__number_token_kind {
    PT__TOKEN_DIGITS, /* one group between thousands separators */
    PT__TOKEN_COMMA,
    PT__TOKEN_POINT,
    PT__TOKEN_DOLLAR,
    PT__TOKEN_SIGN,    /* S */
    PT__TOKEN_MINUS,   /* MI */
    PT__TOKEN_OPENING, /* of PR */
    PT__TOKEN_CLOSING
} pt__number_token_kind;

typedef struct pt__number_token {
    pt__number_token_kind kind;
    int digits;
    bool exact; /* the group begins with 0: all its digits must be there */
} pt__number_token;

typedef struct pt__number_pattern {
    pt__number_token tokens[PT__NUMBER_TOKENS_MAX];
    size_t token_count;
    int whole_digits;
    int fraction_digits;
} pt__number_pattern;

/** What is wrong; `token` where the condition has that parameter. */
typedef struct pt__number_pattern_error {
    pt__condition_id condition;
    char token[32];
} pt__number_pattern_error;

/** `text` in any case. */
bool pt__number_pattern_parse(const char *text, size_t size_bytes, pt__number_pattern *out,
                              pt__number_pattern_error *error);

#endif
