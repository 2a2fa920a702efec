#include "backend/ballista/write.h"

#include "base/arena_buffer.h"
#include "base/condition.h"
#include "base/uuid.h"
#include "exec/folder.h"

#include <string.h>
#include <unistd.h>

static pt_status refuse(const char *what, pt_error *err)
{
    return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", what, NULL);
}

static pt_status check_node(const pt_plan_write_files *node, pt_error *err)
{
    if (node->bucket_count != 0)
        return refuse("buckets on Ballista", err);
    if (node->is_single_file)
        return refuse("a single file as the target of a write on Ballista", err);
    return node->sort_count == 0 ? PT_OK : refuse("sorted files on Ballista", err);
}

static const char *without_end_slash(pt__arena *arena, const char *path)
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    return pt__arena_copy_text(arena, path, size);
}

/* RFC 3986, section 2.3: what may stand in a path as it is. */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/=", c) != NULL;
}

const char *pt__ballista_folder_url(pt__arena *arena, const char *path)
{
    pt__buffer *url = pt__arena_buffer(arena);
    pt__buffer_append_string(url, "file://");
    for (; *path != '\0'; path++) {
        if (is_plain(*path))
            pt__buffer_append_byte(url, (uint8_t)*path);
        else
            pt__buffer_printf(url, "%%%02X", (unsigned)(unsigned char)*path);
    }
    pt__buffer_append_string(url, "/");
    return pt__arena_buffer_take(arena, url);
}

pt_status pt__ballista_write_prepare(pt__arena *arena, const pt_plan_write_files *node,
                                     const pt__ballista_lower_options *options, pt__ballista_write *out, pt_error *err)
{
    char id[PT_UUID_TEXT_BYTES];
    PT_TRY(check_node(node, err));
    pt__uuid_v4_text(id);
    *out = (pt__ballista_write){.arena = arena, .mode = node->mode};
    out->target = without_end_slash(arena, node->path);
    out->folder = pt__arena_printf(arena, "%s.portico-%s", out->target, id);
    const pt__ballista_copy copy = {
        .url = pt__ballista_folder_url(arena, out->folder),
        .format = node->format == NULL ? "parquet" : node->format,
        .options = node->options,
        .partition_columns = node->partition_columns,
        .partition_count = node->partition_count,
    };
    return pt__ballista_lower_copy(arena, node->query, &copy, options, &out->plan, err);
}

static const char *folder_above(pt__arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL || slash == path ? "/" : pt__arena_copy_text(arena, path, (size_t)(slash - path));
}

pt_status pt__ballista_write_begin(const pt__ballista_write *write, bool *is_needed, pt_error *err)
{
    bool exists = access(write->target, F_OK) == 0;
    *is_needed = !exists || write->mode != PT_SAVE_IGNORE;
    if (exists && write->mode == PT_SAVE_ERROR)
        return pt__raise(err, PT_COND_PATH_ALREADY_EXISTS, "outputPath", write->target, NULL);
    if (!*is_needed)
        return PT_OK;
    PT_TRY(pt__folder_make(folder_above(write->arena, write->target), err));
    return pt__folder_make(write->folder, err);
}

static pt_status commit(const pt__ballista_write *write, pt_error *err)
{
    bool is_merge = write->mode == PT_SAVE_APPEND && access(write->target, F_OK) == 0;
    if (!is_merge) {
        PT_TRY(pt__folder_touch(pt__arena_printf(write->arena, "%s/_SUCCESS", write->folder), err));
        return pt__folder_replace(write->folder, write->target, err);
    }
    PT_TRY(pt__folder_merge(write->folder, write->target, err));
    return pt__folder_touch(pt__arena_printf(write->arena, "%s/_SUCCESS", write->target), err);
}

pt_status pt__ballista_write_end(const pt__ballista_write *write, pt_status status, pt_error *err)
{
    if (status == PT_OK)
        status = commit(write, err);
    if (status != PT_OK)
        pt__folder_remove(write->folder, NULL);
    return status;
}
