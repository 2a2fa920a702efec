#include "backend/ballista/keep.h"

#include "backend/ballista/stage.h"
#include "backend/ballista/write.h"
#include "base/condition.h"
#include "exec/folder.h"

#include <stdlib.h>

typedef struct kept_rows {
    pt__ballista_kept base;
    pt__arena *arena;
    const char *folder;
} kept_rows;

static pt_status run_write(pt__ballista_session *session, const pt_query *query, pt_error *err)
{
    pt_operation *operation = NULL;
    PT_TRY(pt__ballista_operation_new(session, query, &operation, err));
    pt_status status = pt__ballista_drain(operation, err);
    operation->vtable->free(operation);
    return status;
}

static pt_status write_rows(pt__ballista_session *session, const pt_query *query, kept_rows *kept, pt_error *err)
{
    if (PT_ARENA_GUARD(kept->arena))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to keep rows");
    kept->folder = pt__ballista_new_folder(session->cluster, kept->arena);
    kept->base.url = pt__ballista_folder_url(kept->arena, kept->folder);
    const pt_plan *named = pt__ballista_renamed(kept->arena, query->plan);
    const pt_plan_write_files *write = pt__ballista_write_folder(kept->arena, named, kept->folder);
    pt_query writing = *query;
    writing.plan = &write->base;
    writing.resume = NULL;
    writing.announce = NULL;
    pt__arena_unguard(kept->arena);
    return run_write(session, &writing, err);
}

pt_status pt__ballista_keep(pt__ballista_session *session, const pt_query *query, void **kept, pt_error *err)
{
    if (*session->cluster->options.shared_directory == '\0')
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                         "keeping rows on Ballista without ballista.shared-directory", NULL);
    kept_rows *made = calloc(1, sizeof(*made));
    if (made == NULL || (made->arena = pt__arena_new(0)) == NULL) {
        free(made);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to keep rows");
    }
    pt_status status = write_rows(session, query, made, err);
    if (status == PT_OK)
        *kept = made;
    else
        pt__ballista_release_kept(made);
    return status;
}

void pt__ballista_release_kept(void *kept)
{
    kept_rows *made = kept;
    if (made->folder != NULL)
        pt__folder_remove(made->folder, NULL);
    pt__arena_free(made->arena);
    free(made);
}
