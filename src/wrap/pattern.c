#include "wrap/pattern.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static bool same(char a, char b, bool ignore_case)
{
    return a == b || (ignore_case && tolower((unsigned char)a) == tolower((unsigned char)b));
}

/* Goes back to the last star only, so that the time is bounded by the product of the lengths. */
bool pt__pattern_matches(const char *pattern, const char *text, bool ignore_case)
{
    const char *star = NULL;
    const char *retry = text;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (*pattern != '\0' && (*pattern == '?' || same(*pattern, *text, ignore_case))) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

bool pt__patterns_match(const char *list, const char *text, bool ignore_case)
{
    if (list == NULL)
        return true;
    for (; *list != '\0'; list += strlen(list) + 1)
        if (pt__pattern_matches(list, text, ignore_case))
            return true;
    return false;
}
