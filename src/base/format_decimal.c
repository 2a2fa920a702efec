#include "base/format_decimal.h"

#include <string.h>

enum { SCALE_MAX = 38 };

size_t pt__format_decimal(__int128 unscaled, int32_t scale, char out[PT_DECIMAL_TEXT_MAX])
{
    char reversed[PT_DECIMAL_TEXT_MAX];
    unsigned __int128 rest = unscaled < 0 ? 0 - (unsigned __int128)unscaled : (unsigned __int128)unscaled;
    int32_t places = scale < 0 ? 0 : scale > SCALE_MAX ? SCALE_MAX : scale;
    size_t count = 0;
    for (int32_t digit = 0; rest != 0 || digit <= places; digit++) {
        if (digit == places && places > 0)
            reversed[count++] = '.';
        reversed[count++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    }
    size_t length = 0;
    if (unscaled < 0)
        out[length++] = '-';
    while (count > 0)
        out[length++] = reversed[--count];
    out[length] = '\0';
    return length;
}
