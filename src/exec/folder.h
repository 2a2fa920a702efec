/**
 * Folders that writers fill: made beside their place and moved there as a whole, or file by file.
 */
#ifndef PT_EXEC_FOLDER_H
#define PT_EXEC_FOLDER_H

#include <portico/error.h>

/** The folder and those above it. */
pt_status pt__folder_make(const char *path, pt_error *err);
/** A file or folder with all in it; nothing when there is none. */
pt_status pt__folder_remove(const char *path, pt_error *err);
/** Puts `from` in the place of `to`, in one step when there is something already; that is then removed. */
pt_status pt__folder_replace(const char *from, const char *to, pt_error *err);
/** Makes `from` the folder `to` in one step when there is none yet, whoever else does the same; else merges it. */
pt_status pt__folder_append(const char *from, const char *to, pt_error *err);
/** Moves the files below `from` to the same places below `to`, and removes `from`. */
pt_status pt__folder_merge(const char *from, const char *to, pt_error *err);
/** Puts the file `from` in the place of the file `to`, in one step. */
pt_status pt__file_replace(const char *from, const char *to, pt_error *err);
/** An empty file. */
pt_status pt__folder_touch(const char *path, pt_error *err);

#endif
