/**
 * The buffers of an Arrow format string, as far as results and local rows use them.
 *
 * Spec: Arrow C data interface, "Data type description -- format strings"; Arrow columnar format, "Physical memory
 *       layout".
 */
#ifndef PT_EXEC_ARROW_LAYOUT_H
#define PT_EXEC_ARROW_LAYOUT_H

#include <portico/arrow.h>

#include <stdbool.h>

typedef enum pt__layout_kind {
    PT_LAYOUT_NULL,         /* no buffers */
    PT_LAYOUT_FIXED,        /* validity, values of `bits` each */
    PT_LAYOUT_BYTES,        /* validity, offsets, bytes */
    PT_LAYOUT_LIST,         /* validity, offsets; one child */
    PT_LAYOUT_STRUCT,       /* validity; children */
    PT_LAYOUT_FIXED_LIST,   /* validity; one child with `bits` elements for each list */
    PT_LAYOUT_DENSE_UNION,  /* type ids, offsets; children of lengths of their own */
    PT_LAYOUT_SPARSE_UNION, /* type ids; children */
    PT_LAYOUT_UNKNOWN
} pt__layout_kind;

typedef struct pt__layout {
    pt__layout_kind kind;
    int32_t bits; /* FIXED; elements of a FIXED_LIST; of one offset otherwise: 32 or 64 */
} pt__layout;

pt__layout pt__arrow_layout(const struct ArrowSchema *schema);

#endif
