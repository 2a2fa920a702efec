#include "backend/duckdb/functions/number_pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct scanner {
    const char *at;
    const char *end;
    pt__number_pattern *out;
    pt__number_pattern_error *error;
} scanner;

static bool refuse(pt__number_pattern_error *error, pt__condition_id condition, const char *token)
{
    error->condition = condition;
    snprintf(error->token, sizeof(error->token), "%s", token);
    return false;
}

static char upper_at(const scanner *s, size_t ahead)
{
    return (size_t)(s->end - s->at) > ahead ? (char)toupper((unsigned char)s->at[ahead]) : '\0';
}

/* Counting: whole-pattern checks come before those of order. */

static size_t count_letters(const scanner *s, const char *letters)
{
    size_t count = 0;
    for (const char *p = s->at; p < s->end; p++)
        count += strchr(letters, toupper((unsigned char)*p)) != NULL && *p != '\0';
    return count;
}

static size_t count_words(const scanner *s, const char *word)
{
    size_t count = 0;
    for (const char *p = s->at; p + 1 < s->end; p++)
        count += toupper((unsigned char)p[0]) == word[0] && toupper((unsigned char)p[1]) == word[1];
    return count;
}

static bool check_counts(const scanner *s)
{
    if (s->at == s->end)
        return refuse(s->error, PT_COND_INVALID_FORMAT_EMPTY, "");
    if (count_letters(s, "09") == 0)
        return refuse(s->error, PT_COND_INVALID_FORMAT_WRONG_NUM_DIGIT, "");
    if (count_letters(s, ".D") > 1)
        return refuse(s->error, PT_COND_INVALID_FORMAT_WRONG_NUM_TOKEN, ". or D");
    if (count_letters(s, "$") > 1)
        return refuse(s->error, PT_COND_INVALID_FORMAT_WRONG_NUM_TOKEN, "$");
    if (count_letters(s, "S") > 1)
        return refuse(s->error, PT_COND_INVALID_FORMAT_WRONG_NUM_TOKEN, "S");
    if (count_words(s, "MI") > 1)
        return refuse(s->error, PT_COND_INVALID_FORMAT_WRONG_NUM_TOKEN, "MI");
    if (count_words(s, "PR") > 1)
        return refuse(s->error, PT_COND_INVALID_FORMAT_WRONG_NUM_TOKEN, "PR");
    return true;
}

/* Tokens. */

static bool add(scanner *s, pt__number_token token, size_t size)
{
    s->at += size;
    if (s->out->token_count == PT__NUMBER_TOKENS_MAX)
        return refuse(s->error, PT_COND_INVALID_FORMAT_UNEXPECTED_TOKEN, "digit sequence");
    s->out->tokens[s->out->token_count++] = token;
    return true;
}

static bool add_digits(scanner *s, int *total)
{
    size_t size = 0;
    while (upper_at(s, size) == '0' || upper_at(s, size) == '9')
        size++;
    *total += (int)size;
    return add(s, (pt__number_token){PT__TOKEN_DIGITS, (int)size, *s->at == '0'}, size);
}

static bool is_digit(char c)
{
    return c == '0' || c == '9';
}

/** Groups of digits before the point; separators stand between digits. */
static bool add_groups(scanner *s)
{
    while (is_digit(upper_at(s, 0)) || strchr(",G", upper_at(s, 0)) != NULL) {
        char c = upper_at(s, 0);
        if (c == '\0')
            break;
        if (is_digit(c)) {
            if (!add_digits(s, &s->out->whole_digits))
                return false;
            continue;
        }
        bool between = s->out->token_count > 0 && s->out->tokens[s->out->token_count - 1].kind == PT__TOKEN_DIGITS;
        if (!between || !is_digit(upper_at(s, 1)))
            return refuse(s->error, PT_COND_INVALID_FORMAT_CONT_THOUSANDS_SEPS, "");
        if (!add(s, (pt__number_token){.kind = PT__TOKEN_COMMA}, 1))
            return false;
    }
    return true;
}

static bool add_fraction(scanner *s)
{
    if (upper_at(s, 0) != '.' && upper_at(s, 0) != 'D')
        return true;
    if (!add(s, (pt__number_token){.kind = PT__TOKEN_POINT}, 1))
        return false;
    if (is_digit(upper_at(s, 0)) && !add_digits(s, &s->out->fraction_digits))
        return false;
    if (upper_at(s, 0) == ',' || upper_at(s, 0) == 'G')
        return refuse(s->error, PT_COND_INVALID_FORMAT_THOUSANDS_SEPS_MUST_BEFORE_DEC, "");
    return true;
}

static bool add_sign(scanner *s)
{
    if (upper_at(s, 0) == 'S')
        return add(s, (pt__number_token){.kind = PT__TOKEN_SIGN}, 1);
    if (upper_at(s, 0) == 'M' && upper_at(s, 1) == 'I')
        return add(s, (pt__number_token){.kind = PT__TOKEN_MINUS}, 2);
    return true;
}

static bool add_dollar(scanner *s)
{
    return upper_at(s, 0) != '$' || add(s, (pt__number_token){.kind = PT__TOKEN_DOLLAR}, 1);
}

/** PR at the end puts a bracket at both ends. */
static bool add_brackets(scanner *s)
{
    if (upper_at(s, 0) != 'P' || upper_at(s, 1) != 'R')
        return true;
    if (!add(s, (pt__number_token){.kind = PT__TOKEN_CLOSING}, 2) ||
        !add(s, (pt__number_token){.kind = PT__TOKEN_OPENING}, 0))
        return false;
    memmove(s->out->tokens + 1, s->out->tokens, (s->out->token_count - 1) * sizeof(s->out->tokens[0]));
    s->out->tokens[0] = (pt__number_token){.kind = PT__TOKEN_OPENING};
    return true;
}

static bool refuse_rest(const scanner *s)
{
    char token[32];
    char c = upper_at(s, 0);
    if (is_digit(c))
        return refuse(s->error, PT_COND_INVALID_FORMAT_UNEXPECTED_TOKEN, "digit sequence");
    if (strchr("S$.D,G", c) != NULL)
        snprintf(token, sizeof(token), "%s",
                 c == '.' || c == 'D'   ? ". or D"
                 : c == ',' || c == 'G' ? ", or G"
                 : c == 'S'             ? "S"
                                        : "$");
    else if ((c == 'M' && upper_at(s, 1) == 'I') || (c == 'P' && upper_at(s, 1) == 'R'))
        snprintf(token, sizeof(token), "%s", c == 'M' ? "MI" : "PR");
    else
        snprintf(token, sizeof(token), "character '%c''", c);
    return refuse(s->error, PT_COND_INVALID_FORMAT_UNEXPECTED_TOKEN, token);
}

bool pt__number_pattern_parse(const char *text, size_t size_bytes, pt__number_pattern *out,
                              pt__number_pattern_error *error)
{
    scanner s = {text, text + size_bytes, out, error};
    out->token_count = 0;
    out->whole_digits = out->fraction_digits = 0;
    if (!check_counts(&s) || !add_sign(&s) || !add_dollar(&s) || !add_groups(&s) || !add_fraction(&s) ||
        !add_dollar(&s) || !add_sign(&s) || !add_brackets(&s))
        return false;
    return s.at == s.end || refuse_rest(&s);
}
