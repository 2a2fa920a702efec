/**
 * A cluster's arrays in the layout that results have here: texts of views as plain texts, dictionaries spelled out,
 * numbers and times of other widths.
 *
 * Spec: Arrow columnar format, "Physical memory layout".
 */
#ifndef PT_BACKEND_BALLISTA_RELAYOUT_H
#define PT_BACKEND_BALLISTA_RELAYOUT_H

#include <portico/arrow.h>
#include <portico/error.h>

/** The nearest schema that results may have: no views, no dictionaries. `*out` is the caller's to release. */
pt_status pt__relayout_schema(const struct ArrowSchema *from, struct ArrowSchema *out, pt_error *err);

/**
 * Changes rows of `from` to rows of `to`, a struct of as many columns or fewer; those beyond are dropped. On failure
 * the array is still the caller's to release.
 * Errors: PT_UNSUPPORTED naming two types, PT_EXECUTION for a value that does not fit, PT_NO_MEMORY.
 */
pt_status pt__relayout(const struct ArrowSchema *from, struct ArrowArray *rows, const struct ArrowSchema *to,
                       pt_error *err);

#endif
