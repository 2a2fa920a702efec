#include "auth/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

pt_status pt__auth_read_file(const char *path, pt__buffer *out, pt_error *err)
{
    char piece[4096];
    size_t size;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return pt_error_set(err, PT_IO, "cannot read %s: %s", path, strerror(errno));
    while ((size = fread(piece, 1, sizeof(piece), file)) != 0 && out->size_bytes <= PT_AUTH_FILE_BYTES_MAX)
        pt__buffer_append(out, piece, size);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed)
        return pt_error_set(err, PT_IO, "cannot read %s: %s", path, strerror(EIO));
    if (out->size_bytes > PT_AUTH_FILE_BYTES_MAX)
        return pt_error_set(err, PT_LIMIT, "%s is larger than %d bytes", path, PT_AUTH_FILE_BYTES_MAX);
    return out->failed ? pt_error_set(err, PT_NO_MEMORY, "no memory to read %s", path) : PT_OK;
}
