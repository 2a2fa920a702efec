#include "wire/timeout.h"

enum { DIGITS_MAX = 8 };

/* Eight digits of any unit fit easily. */
static bool scale(uint64_t value, uint8_t unit, uint64_t *out_ms)
{
    switch (unit) {
    case 'H': *out_ms = value * 3600000; return true;
    case 'M': *out_ms = value * 60000; return true;
    case 'S': *out_ms = value * 1000; return true;
    case 'm': *out_ms = value; return true;
    case 'u': *out_ms = (value + 999) / 1000; return true;
    case 'n': *out_ms = (value + 999999) / 1000000; return true;
    default: return false;
    }
}

bool pt__timeout_parse(pt_bytes_view text, uint64_t *out_ms)
{
    if (text.size_bytes < 2 || text.size_bytes > DIGITS_MAX + 1)
        return false;
    uint64_t value = 0;
    size_t digits = text.size_bytes - 1;
    for (size_t i = 0; i < digits; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text.data[i] - '0');
    }
    return scale(value, text.data[digits], out_ms);
}
