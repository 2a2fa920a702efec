/** Inside the translation of regular expressions: state, escapes, classes. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_REGEX_TRANSLATE_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_REGEX_TRANSLATE_H

#include "base/buffer.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { PT__REGEX_DEPTH_MAX = 200 };

typedef struct pt__regex_flags {
    bool fold;         /* i */
    bool fold_unicode; /* u, U */
    bool multiline;    /* m */
    bool dot_all;      /* s */
    bool unix_lines;   /* d */
    bool comments;     /* x */
} pt__regex_flags;

typedef struct pt__regex_translator {
    const char *at;
    const char *end;
    pt__buffer *out;
    pt__regex_flags flags;
    int depth;
} pt__regex_translator;

/** Whether (?i) is on, which folds ASCII letters, without (?u). */
static inline bool pt__regex_folds_ascii(const pt__regex_translator *t)
{
    return t->flags.fold && !t->flags.fold_unicode;
}

static inline char pt__regex_other_case(char c)
{
    return (char)(c ^ 0x20);
}

static inline bool pt__regex_is_letter(uint32_t c)
{
    return c < 0x80 && isalpha((int)c);
}

/** The character of an escape whose letter is read; false when the letter stands for something else. */
bool pt__regex_character_escape(pt__regex_translator *t, char letter, uint32_t *value);

/** Reads a name behind \p or \P; `set` gets what stands for it inside brackets. */
bool pt__regex_property(pt__regex_translator *t, pt__buffer *set);

/** Behind the opening bracket of a class; ends behind the closing one. */
bool pt__regex_class(pt__regex_translator *t);

#endif
