/**
 * One line of CSV taken apart.
 *
 * Source: behaviour of Spark's CSV functions: a quoted field may hold separators; a quote within it is written with
 * the escape; where a quote ends a field too early the field is taken as it stands, up to the separator.
 */
#ifndef PT_BASE_CSV_LINE_H
#define PT_BASE_CSV_LINE_H

#include "base/buffer.h"

#include <stdbool.h>

typedef struct pt__csv_format {
    const char *separator;
    char quote;  /* 0: none */
    char escape; /* 0: none */
    bool trim_start;
    bool trim_end;
} pt__csv_format;

typedef struct pt__csv_line {
    const pt__csv_format *format;
    const char *at;
    const char *end;
    bool is_done; /* no field follows */
} pt__csv_line;

void pt__csv_line_start(pt__csv_line *line, const pt__csv_format *format, pt_text_view text);
/** Puts the next field into `field`, which is reset first; false when there is none. */
bool pt__csv_line_next(pt__csv_line *line, pt__buffer *field, bool *was_quoted);

#endif
