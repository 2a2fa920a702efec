/**
 * Lists of patterns: separated by NUL and ended by an empty one.
 */
#ifndef PT_WRAP_PATTERN_H
#define PT_WRAP_PATTERN_H

#include <stdbool.h>

/** * stands for any text, ? for one character. */
bool pt__pattern_matches(const char *pattern, const char *text, bool ignore_case);

/** NULL list: everything matches. */
bool pt__patterns_match(const char *list, const char *text, bool ignore_case);

#endif
