#include "backend/ballista/stage.h"

#include "backend/ballista/companion.h"
#include "backend/ballista/write.h"
#include "base/uuid.h"
#include "exec/folder.h"

const char *pt__ballista_new_folder(const pt__ballista *cluster, pt__arena *arena)
{
    char id[PT_UUID_TEXT_BYTES];
    pt__uuid_v4_text(id);
    return pt__arena_printf(arena, "%s/portico-%s", cluster->options.shared_directory, id);
}

pt_plan_write_files *pt__ballista_write_folder(pt__arena *arena, const pt_plan *query, const char *folder)
{
    pt_plan_write_files *write = pt__plan_make(arena, WRITE_FILES, write_files, NULL);
    write->query = query;
    write->format = "parquet";
    write->path = folder;
    write->mode = PT_SAVE_ERROR;
    return write;
}

pt_status pt__ballista_stage_rows(void *context, const pt_plan *relation, const char **url, pt_error *err)
{
    pt__ballista_stages *stages = context;
    pt_backend companion;
    PT_TRY(pt__companion_open(stages->session, &companion, err));
    const pt__ballista_stage stage = {.folder = pt__ballista_new_folder(stages->session->cluster, stages->arena)};
    const pt_plan_write_files *write = pt__ballista_write_folder(stages->arena, relation, stage.folder);
    const pt_query query = {.size_bytes = sizeof(query),
                            .plan = &write->base,
                            .time_zone = stages->query->time_zone,
                            .operation_id = stages->query->operation_id};
    pt__list_push(stages->arena, &stages->list, stage);
    pt_operation **operation = &stages->list.items[stages->list.count - 1].operation;
    PT_TRY(companion.vtable->execute(companion.self, &query, operation, err));
    *url = pt__ballista_folder_url(stages->arena, stage.folder);
    return PT_OK;
}

/* ---- running ---- */

static pt_status read_all(struct ArrowArrayStream *stream)
{
    for (;;) {
        struct ArrowArray rows = {.release = NULL};
        if (stream->get_next(stream, &rows) != 0)
            return PT_EXECUTION;
        if (rows.release == NULL)
            return PT_OK;
        rows.release(&rows);
    }
}

pt_status pt__ballista_drain(pt_operation *operation, pt_error *err)
{
    struct ArrowArrayStream stream = {.release = NULL};
    PT_TRY(operation->vtable->result(operation, &stream, err));
    pt_status status = read_all(&stream);
    if (status != PT_OK) {
        status = operation->vtable->failure(operation, err);
        status = status != PT_OK ? status : pt_error_set(err, PT_EXECUTION, "rows for the cluster cannot be written");
    }
    stream.release(&stream);
    return status;
}

pt_status pt__ballista_stages_run(pt__ballista_stages *stages, pt_error *err)
{
    for (; stages->done < stages->list.count; stages->done++)
        PT_TRY(pt__ballista_drain(stages->list.items[stages->done].operation, err));
    return PT_OK;
}

void pt__ballista_stages_cancel(pt__ballista_stages *stages)
{
    for (size_t i = 0; i < stages->list.count; i++)
        stages->list.items[i].operation->vtable->cancel(stages->list.items[i].operation, NULL);
}

void pt__ballista_stages_deinit(pt__ballista_stages *stages)
{
    for (size_t i = 0; i < stages->list.count; i++) {
        pt_operation *operation = stages->list.items[i].operation;
        if (operation != NULL)
            operation->vtable->free(operation);
        pt__folder_remove(stages->list.items[i].folder, NULL);
    }
    stages->list.count = stages->done = 0;
}
