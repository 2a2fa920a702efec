/**
 * What the files of src/wrap share.
 */
#ifndef PT_WRAP_WRAPPERS_H
#define PT_WRAP_WRAPPERS_H

#include <portico/wrappers.h>

/** Whether a word stands in a list separated by commas, without case; blanks around words do not count. */
bool pt__wrap_list_has(const char *list, const char *word);

#endif
