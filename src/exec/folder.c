#include "exec/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pt_status fail(const char *what, const char *path, pt_error *err)
{
    pt_status status = errno == EACCES || errno == EPERM ? PT_PERMISSION_DENIED : PT_IO;
    return pt_error_set(err, status, "cannot %s %s: %s", what, path, strerror(errno));
}

pt_status pt__folder_make(const char *path, pt_error *err)
{
    char *copy = strdup(path);
    if (copy == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a path");
    int failed = 0;
    for (char *c = copy + 1; failed == 0; c++) {
        if (*c != '/' && *c != '\0')
            continue;
        char kept = *c;
        *c = '\0';
        failed = mkdir(copy, 0777) != 0 && errno != EEXIST;
        *c = kept;
        if (kept == '\0')
            break;
    }
    free(copy);
    return failed ? fail("make the folder", path, err) : PT_OK;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)place;
    return kind == FTW_DP ? rmdir(path) : unlink(path);
}

pt_status pt__folder_remove(const char *path, pt_error *err)
{
    if (nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
        return PT_OK;
    return fail("remove", path, err);
}

/* A file system that cannot exchange: the old folder is gone for a moment, but never there in part. */
static pt_status replace_in_steps(const char *from, const char *to, pt_error *err)
{
    char aside[4096];
    if (snprintf(aside, sizeof(aside), "%s-replaced", from) >= (int)sizeof(aside))
        return pt_error_set(err, PT_LIMIT, "the path %s is too long", from);
    if (rename(to, aside) != 0)
        return fail("replace", to, err);
    if (rename(from, to) == 0)
        return pt__folder_remove(aside, err);
    pt_status status = fail("make", to, err);
    (void)rename(aside, to);
    return status;
}

pt_status pt__folder_replace(const char *from, const char *to, pt_error *err)
{
    if (access(to, F_OK) != 0)
        return rename(from, to) == 0 ? PT_OK : fail("make", to, err);
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
        return pt__folder_remove(from, err);
    if (errno != EINVAL && errno != ENOSYS)
        return fail("replace", to, err);
    return replace_in_steps(from, to, err);
}

static pt_status merge_entry(const char *from, const char *to, const char *name, pt_error *err)
{
    char source[4096];
    char target[4096];
    struct stat status;
    if (snprintf(source, sizeof(source), "%s/%s", from, name) >= (int)sizeof(source) ||
        snprintf(target, sizeof(target), "%s/%s", to, name) >= (int)sizeof(target))
        return pt_error_set(err, PT_LIMIT, "a path below %s is too long", to);
    if (stat(source, &status) == 0 && S_ISDIR(status.st_mode))
        return pt__folder_merge(source, target, err);
    return rename(source, target) == 0 ? PT_OK : fail("move a file to", target, err);
}

pt_status pt__folder_merge(const char *from, const char *to, pt_error *err)
{
    PT_TRY(pt__folder_make(to, err));
    DIR *folder = opendir(from);
    if (folder == NULL)
        return fail("read the folder", from, err);
    pt_status status = PT_OK;
    struct dirent *entry;
    while (status == PT_OK && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = merge_entry(from, to, entry->d_name, err);
    }
    closedir(folder);
    PT_TRY(status);
    return rmdir(from) == 0 ? PT_OK : fail("remove the folder", from, err);
}

/* A file system that knows no such step has the files moved one by one. */
pt_status pt__folder_append(const char *from, const char *to, pt_error *err)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return PT_OK;
    if (errno != EEXIST && errno != EINVAL && errno != ENOSYS)
        return fail("make", to, err);
    return pt__folder_merge(from, to, err);
}

pt_status pt__file_replace(const char *from, const char *to, pt_error *err)
{
    return rename(from, to) == 0 ? PT_OK : fail("write the file", to, err);
}

pt_status pt__folder_touch(const char *path, pt_error *err)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return fail("write", path, err);
    close(file);
    return PT_OK;
}
