/** A small file of the configuration, read whole. */
#ifndef PT_AUTH_FILE_H
#define PT_AUTH_FILE_H

#include "base/buffer.h"

#include <portico/error.h>

enum { PT_AUTH_FILE_BYTES_MAX = 16 * 1024 * 1024 };

/** Appends the content to `out`. Errors: PT_IO and PT_LIMIT naming the file. */
pt_status pt__auth_read_file(const char *path, pt__buffer *out, pt_error *err);

#endif
