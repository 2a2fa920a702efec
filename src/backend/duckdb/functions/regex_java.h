/** Java's regular expressions in the syntax of PCRE2. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_REGEX_JAVA_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_REGEX_JAVA_H

#include "base/buffer.h"

/**
 * Translates a pattern of java.util.regex for PCRE2 with PCRE2_UTF and without PCRE2_UCP.
 *
 * Line ends, `.` and `$` mean what they mean in Java; (?i) folds ASCII letters only unless (?u) is on; classes may be
 * nested and intersected. False when Java would refuse the pattern as far as is seen here; what is left PCRE2 refuses.
 *
 * Source: documentation of java.util.regex.Pattern.
 */
bool pt__regex_from_java(const char *pattern, size_t size_bytes, pt__buffer *out);

#endif
