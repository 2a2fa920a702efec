/**
 * Tokens of Spark SQL.
 *
 * A token's kind is one number: a character that stands for itself, a pt__sql_token_kind, or a keyword. Offsets count
 * bytes (`start_byte`, `end_byte` exclusive) and UTF-16 units (`start_unit`, `stop_unit` inclusive), as Spark's error
 * positions do. `>` is always one character: the parser joins shifts, so that `array<array<int>>` needs no care.
 */
#ifndef PT_DECODE_SPARK_SQL_LEXER_H
#define PT_DECODE_SPARK_SQL_LEXER_H

#include "base/arena.h"
#include "decode/spark_sql/parser.h"

typedef enum pt__sql_token_kind {
    PT_TOKEN_END = 0,
    PT_TOKEN_WORD = 256,   /* a name that is no keyword */
    PT_TOKEN_QUOTED,       /* `name`, or "name" when those are identifiers */
    PT_TOKEN_INTEGER,      /* digits */
    PT_TOKEN_NUMBER,       /* every other number */
    PT_TOKEN_STRING,       /* '…', "…", r'…', r"…" */
    PT_TOKEN_UNRECOGNIZED, /* nothing follows it but END */
    PT_TOKEN_HINT_START,   /* slash, star, plus */
    PT_TOKEN_HINT_END,
    PT_TOKEN_ARROW,     /* -> */
    PT_TOKEN_FAT_ARROW, /* => */
    PT_TOKEN_DOUBLE_COLON,
    PT_TOKEN_DOUBLE_EQUAL,
    PT_TOKEN_NULL_SAFE_EQUAL, /* <=> */
    PT_TOKEN_NOT_EQUAL,       /* <> != */
    PT_TOKEN_LESS_EQUAL,      /* <= !> */
    PT_TOKEN_GREATER_EQUAL,   /* >= !< */
    PT_TOKEN_CONCAT,          /* || */
    PT_TOKEN_PIPE,            /* |> */
    PT_TOKEN_KEYWORD_FIRST = 512
} pt__sql_token_kind;

typedef enum pt__sql_keyword {
    PT_KW_BEFORE_FIRST = PT_TOKEN_KEYWORD_FIRST - 1,
#define PT_KEYWORD(word, reserved, strict) PT_KW_##word,
#include "decode/spark_sql/keywords.def"
#undef PT_KEYWORD
    PT_KW_END_OF_TABLE
} pt__sql_keyword;

typedef struct pt__sql_token {
    int32_t kind;
    uint32_t start_byte;
    uint32_t end_byte;
    int32_t start_unit;
    int32_t stop_unit;
} pt__sql_token;

enum { PT_SQL_TEXT_MAX_BYTES = 1 << 30 };

/** `sql` ends with NUL at `size_bytes`. The last token is END. */
pt_status pt__sql_tokenize(pt__arena *arena, const char *sql, size_t size_bytes, const pt__sql_options *options,
                           const pt__sql_token **tokens, size_t *count, pt_error *err);

bool pt__sql_keyword_is_reserved(int32_t kind);
bool pt__sql_keyword_is_strict(int32_t kind);

#endif
