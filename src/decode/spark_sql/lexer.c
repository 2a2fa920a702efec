#include "decode/spark_sql/lexer.h"

#include "base/condition.h"
#include "base/list.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

typedef struct lexer {
    pt__arena *arena;
    const char *sql;
    size_t size;
    size_t position;
    int32_t unit; /* UTF-16 units before `position` */
    bool in_hint;
    bool double_quoted_identifiers;
    pt__list(pt__sql_token) tokens;
} lexer;

/* ---- keywords ---- */

static const struct keyword {
    const char *word;
    bool reserved;
    bool strict;
} KEYWORDS[] = {
#define PT_KEYWORD(word, reserved, strict) {#word, reserved, strict},
#include "decode/spark_sql/keywords.def"
#undef PT_KEYWORD
};

enum { KEYWORD_COUNT = sizeof(KEYWORDS) / sizeof(KEYWORDS[0]), KEYWORD_MAX_BYTES = 24 };

static int compare_keyword(const void *word, const void *row)
{
    return strcmp(word, ((const struct keyword *)row)->word);
}

static int32_t word_kind(const char *text, size_t size)
{
    char upper[KEYWORD_MAX_BYTES + 1];
    if (size > KEYWORD_MAX_BYTES)
        return PT_TOKEN_WORD;
    for (size_t i = 0; i < size; i++)
        upper[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]);
    upper[size] = '\0';
    const struct keyword *row = bsearch(upper, KEYWORDS, KEYWORD_COUNT, sizeof(KEYWORDS[0]), compare_keyword);
    return row == NULL ? PT_TOKEN_WORD : PT_TOKEN_KEYWORD_FIRST + (int32_t)(row - KEYWORDS);
}

bool pt__sql_keyword_is_reserved(int32_t kind)
{
    return kind >= PT_TOKEN_KEYWORD_FIRST && KEYWORDS[kind - PT_TOKEN_KEYWORD_FIRST].reserved;
}

bool pt__sql_keyword_is_strict(int32_t kind)
{
    return kind >= PT_TOKEN_KEYWORD_FIRST && KEYWORDS[kind - PT_TOKEN_KEYWORD_FIRST].strict;
}

const char *pt__sql_keyword_at(size_t index, bool *reserved)
{
    if (index >= KEYWORD_COUNT)
        return NULL;
    *reserved = KEYWORDS[index].reserved;
    return KEYWORDS[index].word;
}

/* ---- characters ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Bytes of the white space at `text`, 0 if there is none. The text ends with NUL, so looking ahead is safe. */
static size_t space_size(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] == ' ' || (c[0] >= 0x09 && c[0] <= 0x0D))
        return 1;
    if (c[0] == 0xC2 && c[1] == 0xA0)
        return 2;
    if (c[0] == 0xE2 && c[1] == 0x80 && ((c[2] >= 0x80 && c[2] <= 0x8A) || c[2] == 0xA8 || c[2] == 0xAF))
        return 3;
    bool wide = (c[0] == 0xE1 && c[1] == 0x9A && c[2] == 0x80) || (c[0] == 0xE2 && c[1] == 0x81 && c[2] == 0x9F) ||
                (c[0] == 0xE3 && c[1] == 0x80 && c[2] == 0x80);
    return wide ? 3 : 0;
}

static bool is_word_byte(const char *text)
{
    return is_letter(*text) || is_digit(*text) || *text == '_' ||
           ((unsigned char)*text >= 0x80 && space_size(text) == 0);
}

/* Moves to `end`, counting UTF-16 units. */
static void advance(lexer *lx, size_t end)
{
    for (; lx->position < end; lx->position++) {
        unsigned char c = (unsigned char)lx->sql[lx->position];
        lx->unit += (c & 0xC0) == 0x80 ? 0 : c >= 0xF0 ? 2 : 1;
    }
}

static void push(lexer *lx, int32_t kind, size_t end)
{
    pt__sql_token token = {kind, (uint32_t)lx->position, (uint32_t)end, lx->unit, 0};
    advance(lx, end);
    token.stop_unit = lx->unit - 1;
    pt__list_push(lx->arena, &lx->tokens, token);
}

/* ---- white space and comments ---- */

static size_t line_comment_end(const lexer *lx)
{
    size_t i = lx->position + 2;
    while (i < lx->size && lx->sql[i] != '\n' && lx->sql[i] != '\r')
        i += lx->sql[i] == '\\' && lx->sql[i + 1] == '\n' ? 2 : 1;
    return i < lx->size ? i : lx->size;
}

/* Comments nest; a hint inside one is text. Returns 0 when the comment is not closed. */
static size_t block_comment_end(const lexer *lx)
{
    size_t depth = 0;
    for (size_t i = lx->position; i + 1 < lx->size;) {
        if (lx->sql[i] == '/' && lx->sql[i + 1] == '*' && (depth == 0 || lx->sql[i + 2] != '+')) {
            depth++;
            i += 2;
        } else if (lx->sql[i] == '*' && lx->sql[i + 1] == '/') {
            i += 2;
            if (--depth == 0)
                return i;
        } else {
            i++;
        }
    }
    return 0;
}

static pt_status skip_blank(lexer *lx, pt_error *err)
{
    while (lx->position < lx->size) {
        const char *c = lx->sql + lx->position;
        size_t space = space_size(c);
        if (space > 0) {
            advance(lx, lx->position + space);
        } else if (c[0] == '-' && c[1] == '-') {
            advance(lx, line_comment_end(lx));
        } else if (c[0] == '/' && c[1] == '*' && c[2] != '+') {
            size_t end = block_comment_end(lx);
            if (end == 0)
                return pt__raise(err, PT_COND_UNCLOSED_BRACKETED_COMMENT, NULL);
            advance(lx, end);
        } else {
            break;
        }
    }
    return PT_OK;
}

/* ---- numbers and words ---- */

static size_t digits_end(const lexer *lx, size_t i)
{
    while (is_digit(lx->sql[i]))
        i++;
    return i;
}

static size_t exponent_end(const lexer *lx, size_t i)
{
    if (lx->sql[i] != 'e' && lx->sql[i] != 'E')
        return i;
    size_t digits = i + 1;
    if (lx->sql[digits] == '+' || lx->sql[digits] == '-')
        digits++;
    size_t end = digits_end(lx, digits);
    return end > digits ? end : i;
}

static size_t suffix_end(const lexer *lx, size_t i, const char *suffixes)
{
    char c = (char)(lx->sql[i] & ~0x20);
    if (c == 'B' && (lx->sql[i + 1] & ~0x20) == 'D')
        return i + 2;
    return c != '\0' && strchr(suffixes, c) != NULL ? i + 1 : i;
}

static size_t word_end(const lexer *lx, size_t i)
{
    while (is_word_byte(lx->sql + i) && i < lx->size)
        i++;
    return i;
}

/* A number with a dot counts only when no letter, digit or underscore follows; without one a longer word wins. */
static void lex_number(lexer *lx)
{
    size_t start = lx->position;
    size_t whole = digits_end(lx, start);
    if (lx->sql[whole] == '.') {
        size_t end = suffix_end(lx, exponent_end(lx, digits_end(lx, whole + 1)), "FD");
        if (!is_word_byte(lx->sql + end)) {
            push(lx, PT_TOKEN_NUMBER, end);
            return;
        }
        if (whole == start) {
            push(lx, '.', start + 1);
            return;
        }
    }
    size_t exponent = exponent_end(lx, whole);
    size_t end = suffix_end(lx, exponent, exponent == whole ? "LSYFD" : "FD");
    size_t word = word_end(lx, start);
    if (word > end)
        push(lx, PT_TOKEN_WORD, word);
    else
        push(lx, end == whole ? PT_TOKEN_INTEGER : PT_TOKEN_NUMBER, end);
}

/* The end after the closing quote, 0 when there is none. A doubled quote stands for one quote. */
static size_t quoted_end(const lexer *lx, size_t open, bool raw)
{
    char quote = lx->sql[open];
    for (size_t i = open + 1; i < lx->size; i++) {
        if (lx->sql[i] == '\\' && !raw) {
            i++;
        } else if (lx->sql[i] == quote) {
            if (lx->sql[i + 1] != quote || (raw && quote != '`'))
                return i + 1;
            i++;
        }
    }
    return 0;
}

/* Nothing after an unrecognized character is looked at: no text with one in it can be parsed. */
static void lex_unrecognized(lexer *lx)
{
    size_t end = lx->position;
    uint32_t unused;
    (void)pt__utf8_next(lx->sql, lx->size, &end, &unused);
    push(lx, PT_TOKEN_UNRECOGNIZED, end);
    lx->size = lx->position;
}

static void lex_quoted(lexer *lx, int32_t kind, size_t prefix, bool raw)
{
    size_t end = quoted_end(lx, lx->position + prefix, raw);
    if (end == 0 || end > lx->size)
        lex_unrecognized(lx);
    else
        push(lx, kind, end);
}

static void lex_word(lexer *lx)
{
    const char *text = lx->sql + lx->position;
    if ((text[0] == 'r' || text[0] == 'R') && (text[1] == '\'' || (text[1] == '"' && !lx->double_quoted_identifiers))) {
        lex_quoted(lx, PT_TOKEN_STRING, 1, true);
        return;
    }
    size_t end = word_end(lx, lx->position);
    push(lx, word_kind(text, end - lx->position), end);
}

/* ---- symbols ---- */

static const struct symbol {
    const char *text;
    int32_t kind;
} SYMBOLS[] = {
    {"<=>", PT_TOKEN_NULL_SAFE_EQUAL},
    {"->", PT_TOKEN_ARROW},
    {"=>", PT_TOKEN_FAT_ARROW},
    {"::", PT_TOKEN_DOUBLE_COLON},
    {"==", PT_TOKEN_DOUBLE_EQUAL},
    {"<>", PT_TOKEN_NOT_EQUAL},
    {"!=", PT_TOKEN_NOT_EQUAL},
    {"<=", PT_TOKEN_LESS_EQUAL},
    {"!>", PT_TOKEN_LESS_EQUAL},
    {">=", PT_TOKEN_GREATER_EQUAL},
    {"!<", PT_TOKEN_GREATER_EQUAL},
    {"||", PT_TOKEN_CONCAT},
    {"|>", PT_TOKEN_PIPE},
};

static void lex_symbol(lexer *lx)
{
    const char *text = lx->sql + lx->position;
    if (text[0] == '/' && text[1] == '*' && text[2] == '+') {
        lx->in_hint = true;
        push(lx, PT_TOKEN_HINT_START, lx->position + 3);
        return;
    }
    if (lx->in_hint && text[0] == '*' && text[1] == '/') {
        lx->in_hint = false;
        push(lx, PT_TOKEN_HINT_END, lx->position + 2);
        return;
    }
    for (size_t i = 0; i < sizeof(SYMBOLS) / sizeof(SYMBOLS[0]); i++) {
        size_t size = strlen(SYMBOLS[i].text);
        if (strncmp(text, SYMBOLS[i].text, size) == 0) {
            push(lx, SYMBOLS[i].kind, lx->position + size);
            return;
        }
    }
    if (*text != '\0' && strchr("()[],;.*/+-%=<>&|^~!:?{}", *text) != NULL)
        push(lx, (unsigned char)*text, lx->position + 1);
    else
        lex_unrecognized(lx);
}

static void lex_token(lexer *lx)
{
    const char *text = lx->sql + lx->position;
    if (is_digit(*text) || (*text == '.' && is_digit(text[1])))
        lex_number(lx);
    else if (*text == '\'')
        lex_quoted(lx, PT_TOKEN_STRING, 0, false);
    else if (*text == '"' && !lx->double_quoted_identifiers)
        lex_quoted(lx, PT_TOKEN_STRING, 0, false);
    else if (*text == '"')
        lex_quoted(lx, PT_TOKEN_QUOTED, 0, false);
    else if (*text == '`')
        lex_quoted(lx, PT_TOKEN_QUOTED, 0, true);
    else if (is_word_byte(text))
        lex_word(lx);
    else
        lex_symbol(lx);
}

pt_status pt__sql_tokenize(pt__arena *arena, const char *sql, size_t size_bytes, const pt__sql_options *options,
                           const pt__sql_token **tokens, size_t *count, pt_error *err)
{
    if (size_bytes > PT_SQL_TEXT_MAX_BYTES)
        return pt_error_set(err, PT_LIMIT, "the statement is longer than %d bytes", (int)PT_SQL_TEXT_MAX_BYTES);
    if (!pt__utf8_valid(sql, size_bytes))
        return pt_error_set(err, PT_BAD_SQL, "the statement is not valid UTF-8");
    lexer lx = {.arena = arena, .sql = sql, .size = size_bytes};
    lx.double_quoted_identifiers = options->double_quoted_identifiers;
    PT_TRY(skip_blank(&lx, err));
    while (lx.position < lx.size) {
        lex_token(&lx);
        PT_TRY(skip_blank(&lx, err));
    }
    push(&lx, PT_TOKEN_END, lx.position);
    *tokens = lx.tokens.items;
    *count = lx.tokens.count;
    return PT_OK;
}
