#include "exec/files.h"

#include "base/condition.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDER_DEPTH_MAX = 64 };

const char *pt__path_uri(pt__arena *arena, const char *path)
{
    return pt__arena_printf(arena, "file:%s", path);
}

static pt_status not_found(pt__file_finder *f, const char *path, pt_error *err)
{
    return pt__raise(err, PT_COND_PATH_NOT_FOUND, "path", pt__path_uri(f->arena, path), NULL);
}

static bool is_hidden(const char *name)
{
    return (name[0] == '_' && strchr(name, '=') == NULL) || name[0] == '.';
}

static int64_t modified_us(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * 1000000 + status->st_mtim.tv_nsec / 1000;
}

static bool passes(const pt__file_filter *filter, const char *path, int64_t modified)
{
    const char *slash = strrchr(path, '/');
    if (filter->name_pattern != NULL && fnmatch(filter->name_pattern, slash == NULL ? path : slash + 1, 0) != 0)
        return false;
    return modified > filter->modified_after_us && modified < filter->modified_before_us;
}

static const char *folder_of(pt__arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == path ? "/" : pt__arena_copy_text(arena, path, (size_t)(slash - path));
}

/* What a walk through one root knows. */
typedef struct walk {
    pt__file_finder *finder;
    const char *root;
    bool root_is_file;
    pt_error *err;
} walk;

static pt_status add_file(walk *w, const char *path, const struct stat *status)
{
    pt__file_finder *f = w->finder;
    if (!passes(f->filter, path, modified_us(status)))
        return PT_OK;
    if (f->files.count >= f->max_files)
        return pt_error_set(w->err, PT_LIMIT, "there are more than %zu files below %s (files.limit)", f->max_files,
                            w->root);
    pt__found_file file = {
        .path = path,
        .folder = folder_of(f->arena, path),
        .root = w->root,
        .root_is_file = w->root_is_file,
        .size_bytes = status->st_size,
        .modified_us = modified_us(status),
    };
    pt__list_push(f->arena, &f->files, file);
    return PT_OK;
}

static void close_folder(void *folder)
{
    if (*(DIR **)folder != NULL)
        closedir(*(DIR **)folder);
}

typedef struct names {
    pt__list(const char *) list;
} names;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static pt_status read_names(walk *w, const char *path, names *out)
{
    pt__arena *arena = w->finder->arena;
    DIR **folder = pt__arena_make(arena, DIR *);
    pt__arena_defer(arena, close_folder, folder);
    *folder = opendir(path);
    if (*folder == NULL)
        return pt_error_set(w->err, errno == EACCES ? PT_PERMISSION_DENIED : PT_IO, "the folder %s cannot be read: %s",
                            path, strerror(errno));
    for (struct dirent *entry = readdir(*folder); entry != NULL; entry = readdir(*folder)) {
        if (is_hidden(entry->d_name))
            continue;
        const char *name = pt__arena_copy_string(arena, entry->d_name);
        pt__list_push(arena, &out->list, name);
    }
    closedir(*folder);
    *folder = NULL;
    if (out->list.count > 1)
        qsort(out->list.items, out->list.count, sizeof(*out->list.items), compare_names);
    return PT_OK;
}

/* The target of a link must be allowed as the root was. */
static pt_status check_link(walk *w, const char *path)
{
    struct stat status;
    if (w->finder->allow == NULL || lstat(path, &status) != 0 || !S_ISLNK(status.st_mode))
        return PT_OK;
    return w->finder->allow(w->finder->context, path, w->err);
}

static pt_status visit(walk *w, const char *path, int depth);

static pt_status visit_folder(walk *w, const char *path, int depth)
{
    names entries = {{NULL, 0, 0}};
    if (depth > FOLDER_DEPTH_MAX)
        return pt_error_set(w->err, PT_LIMIT, "folders below %s are nested more than %d deep", w->root,
                            FOLDER_DEPTH_MAX);
    PT_TRY(read_names(w, path, &entries));
    for (size_t i = 0; i < entries.list.count; i++) {
        const char *separator = strcmp(path, "/") == 0 ? "" : "/";
        const char *child = pt__arena_printf(w->finder->arena, "%s%s%s", path, separator, entries.list.items[i]);
        PT_TRY(visit(w, child, depth + 1));
    }
    return PT_OK;
}

static pt_status visit(walk *w, const char *path, int depth)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return depth == 0 ? not_found(w->finder, path, w->err) : PT_OK; /* gone since it was listed */
    PT_TRY(check_link(w, path));
    if (S_ISDIR(status.st_mode))
        return visit_folder(w, path, depth);
    if (!S_ISREG(status.st_mode))
        return PT_OK;
    w->root_is_file = w->root_is_file || depth == 0;
    return add_file(w, path, &status);
}

static pt_status visit_root(pt__file_finder *f, const char *root, pt_error *err)
{
    walk w = {.finder = f, .root = root, .err = err};
    if (f->allow != NULL)
        PT_TRY(f->allow(f->context, root, err));
    return visit(&w, root, 0);
}

/* ---- patterns ---- */

static void end_glob(void *object)
{
    globfree(object);
}

static bool is_pattern(const char *path)
{
    return strpbrk(path, "*?[{") != NULL;
}

static pt_status expand(pt__file_finder *f, const char *pattern, pt_error *err)
{
    glob_t *found = pt__arena_make(f->arena, glob_t);
    int code = glob(pattern, GLOB_BRACE, NULL, found);
    pt__arena_defer(f->arena, end_glob, found);
    if (code == GLOB_NOSPACE)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to expand %s", pattern);
    if (code != 0 || found->gl_pathc == 0)
        return not_found(f, pattern, err);
    for (size_t i = 0; i < found->gl_pathc; i++) {
        const char *slash = strrchr(found->gl_pathv[i], '/');
        if (is_hidden(slash == NULL ? found->gl_pathv[i] : slash + 1))
            continue;
        PT_TRY(visit_root(f, pt__arena_copy_string(f->arena, found->gl_pathv[i]), err));
    }
    return PT_OK;
}

pt_status pt__find_files(pt__file_finder *finder, const char *path, pt_error *err)
{
    struct stat status;
    if (is_pattern(path) && stat(path, &status) != 0)
        return expand(finder, path, err);
    return visit_root(finder, path, err);
}
