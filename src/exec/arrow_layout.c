#include "exec/arrow_layout.h"

#include <stdlib.h>
#include <string.h>

static pt__layout fixed(int32_t bits)
{
    return (pt__layout){PT_LAYOUT_FIXED, bits};
}

static const pt__layout unknown = {PT_LAYOUT_UNKNOWN, 0};

static pt__layout decimal_layout(const char *format)
{
    const char *comma = strchr(format, ',');
    comma = comma == NULL ? NULL : strchr(comma + 1, ',');
    int32_t bits = comma == NULL ? 128 : (int32_t)strtol(comma + 1, NULL, 10);
    return bits == 32 || bits == 64 || bits == 128 || bits == 256 ? fixed(bits) : unknown;
}

static pt__layout time_layout(const char *format)
{
    switch (format[1]) {
    case 'd': return fixed(format[2] == 'm' ? 64 : 32);
    case 't': return fixed(format[2] == 's' || format[2] == 'm' ? 32 : 64);
    case 's': return fixed(64);
    case 'D': return fixed(64);
    case 'i': return fixed(format[2] == 'M' ? 32 : format[2] == 'D' ? 64 : 128);
    default: return unknown;
    }
}

static pt__layout nested_layout(const char *format)
{
    switch (format[1]) {
    case 'l':
    case 'm': return (pt__layout){PT_LAYOUT_LIST, 32};
    case 'L': return (pt__layout){PT_LAYOUT_LIST, 64};
    case 's': return (pt__layout){PT_LAYOUT_STRUCT, 0};
    case 'w': return (pt__layout){PT_LAYOUT_FIXED_LIST, (int32_t)strtol(format + 3, NULL, 10)};
    case 'u': return (pt__layout){format[2] == 'd' ? PT_LAYOUT_DENSE_UNION : PT_LAYOUT_SPARSE_UNION, 0};
    default: return unknown;
    }
}

pt__layout pt__arrow_layout(const struct ArrowSchema *schema)
{
    const char *format = schema->format;
    if (schema->dictionary != NULL)
        return unknown;
    switch (format[0]) {
    case 'n': return (pt__layout){PT_LAYOUT_NULL, 0};
    case 'b': return fixed(1);
    case 'c':
    case 'C': return fixed(8);
    case 's':
    case 'S':
    case 'e': return fixed(16);
    case 'i':
    case 'I':
    case 'f': return fixed(32);
    case 'l':
    case 'L':
    case 'g': return fixed(64);
    case 'w': return fixed((int32_t)strtol(format + 2, NULL, 10) * 8);
    case 'd': return decimal_layout(format);
    case 'u':
    case 'z': return (pt__layout){PT_LAYOUT_BYTES, 32};
    case 'U':
    case 'Z': return (pt__layout){PT_LAYOUT_BYTES, 64};
    case 't': return time_layout(format);
    case '+': return nested_layout(format);
    default: return unknown;
    }
}
