/**
 * Conversions that touch each value. Part of relayout.h.
 */
#ifndef PT_BACKEND_BALLISTA_RELAYOUT_VALUE_H
#define PT_BACKEND_BALLISTA_RELAYOUT_VALUE_H

#include <portico/arrow.h>
#include <portico/error.h>

/** Replaces `*array`, which is still the caller's on failure. Errors: as for pt__relayout. */
pt_status pt__relayout_values(const struct ArrowSchema *from, struct ArrowArray *array, const struct ArrowSchema *to,
                              pt_error *err);

pt_status pt__relayout_refuse(const struct ArrowSchema *from, const struct ArrowSchema *to, pt_error *err);

#endif
