/* Rows that a session keeps, and observed metrics. */
#include "analyze/analyze.h"
#include "exec/persist.h"
#include "exec/recover.h"
#include "exec/run.h"
#include "exec/session_catalog.h"
#include "plan/walk.h"

#include <stdlib.h>
#include <string.h>

/* ---- checkpoints ---- */

static pt_column *copy_columns(pt__arena *arena, const pt_plan *relation)
{
    pt_column *columns = pt__arena_array(arena, pt_column, relation->column_count + 1);
    for (size_t i = 0; i < relation->column_count; i++) {
        const pt_column *from = &relation->columns[i];
        columns[i] = (pt_column){
            .id = from->id,
            .name = pt__arena_copy_string(arena, from->name),
            .type = pt__type_copy(arena, from->type),
            .nullable = from->nullable,
            .metadata = from->metadata == NULL ? NULL : pt__arena_copy_string(arena, from->metadata),
        };
    }
    return columns;
}

static pt_status make_kept(pt__backend_slot *slot, const pt_plan *relation, pt__kept **out, pt_error *err)
{
    pt__kept *kept = calloc(1, sizeof(*kept));
    pt__shared_arena *memory = pt__shared_arena_new(0);
    *out = NULL;
    if (kept == NULL || memory == NULL) {
        free(kept);
        pt__shared_arena_unref(memory);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to keep rows");
    }
    atomic_init(&kept->references, 1);
    kept->memory = memory;
    kept->backend = slot;
    kept->result.columns = copy_columns(memory->arena, relation);
    kept->result.column_count = relation->column_count;
    *out = kept;
    return PT_OK;
}

static void discard(pt__kept *kept)
{
    pt__shared_arena_unref(kept->memory);
    free(kept);
}

static pt_status keep_rows(pt_session *session, pt_job *job, pt__arena *arena, const pt_plan *relation, pt__kept *kept,
                           pt_error *err)
{
    pt__backend_slot *slot;
    void *backend_session;
    char zone[PT_ZONE_NAME_MAX];
    pt__session_time_zone(session, zone);
    PT_TRY(pt__session_backend(session, &slot, &backend_session, err));
    pt_query query = pt__query_for(session, job, arena, zone);
    query.plan = relation;
    return slot->vtable->keep(backend_session, &query, &kept->result.handle, err);
}

pt_status pt__keep_relation(pt_session *session, pt_job *job, pt__arena *arena, const pt_plan *analyzed, pt__kept **out,
                            pt_error *err)
{
    pt__backend_slot *slot;
    void *backend_session;
    pt__kept *kept = NULL;
    PT_TRY(pt__session_backend(session, &slot, &backend_session, err));
    if (!pt__backend_has(slot, keep))
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "keeping rows", NULL);
    PT_TRY(make_kept(slot, analyzed, &kept, err));
    pt_status status = keep_rows(session, job, arena, analyzed, kept, err);
    if (status == PT_OK)
        *out = kept;
    else
        discard(kept);
    return status;
}

static pt_status list_kept(pt_session *session, const char *id, pt__kept *kept, pt_error *err)
{
    pthread_mutex_lock(&session->lock);
    bool stored = !session->is_closed && session->kept.live_count < session->host->limits.view_count &&
                  pt__map_set(&session->kept, id, kept, NULL);
    pthread_mutex_unlock(&session->lock);
    if (stored)
        return PT_OK;
    pt__kept_unref(kept);
    return pt_error_set(err, PT_LIMIT, "the session keeps too many results already (session.view-limit)");
}

pt_status pt__job_checkpoint(pt_job *job, const pt_plan *plan, const char **relation_id, pt_error *err)
{
    PT_TRY(pt__job_begin(job, PT_JOB_WRITE, err)); /* what is kept ends with the session */
    const pt_plan *relation;
    pt__kept *kept = NULL;
    char id[PT_UUID_TEXT_BYTES];
    PT_TRY(pt__analyze_for(job->session, job, pt__job_arena(job), plan, &relation, err));
    PT_TRY(pt__use_persisted(job->session, job, relation, &relation, err));
    PT_TRY(pt__keep_relation(job->session, job, pt__job_arena(job), relation, &kept, err));
    pt__uuid_v4_text(id);
    PT_TRY(list_kept(job->session, id, kept, err));
    *relation_id = pt__arena_copy_string(pt__job_arena(job), id);
    return PT_OK;
}

/* A view may still be built on it: then it is kept until the view is gone, and goes at a later drop. */
static pt__kept *take_unused(pt_session *session)
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&session->kept, &at, &key, &value);) {
        pt__kept *kept = value;
        if (kept->is_dropped && atomic_load(&kept->references) == 1)
            return pt__map_remove(&session->kept, key);
    }
    return NULL;
}

void pt__session_drop_checkpoint(pt_session *session, const char *relation_id)
{
    pthread_mutex_lock(&session->lock);
    pt__kept *kept = pt__map_get(&session->kept, relation_id);
    if (kept != NULL)
        kept->is_dropped = true;
    pt__kept *unused = take_unused(session);
    pthread_mutex_unlock(&session->lock);
    while (unused != NULL) {
        pt__kept_unref(unused);
        pthread_mutex_lock(&session->lock);
        unused = take_unused(session);
        pthread_mutex_unlock(&session->lock);
    }
}

/* ---- observed metrics ---- */

typedef struct metric_list {
    pt__arena *arena;
    pt__list(const pt_plan_collect_metrics *) nodes;
} metric_list;

static bool find_metrics(void *context, const pt_plan *plan)
{
    metric_list *list = context;
    if (plan->kind == PT_PLAN_COLLECT_METRICS) {
        const pt_plan_collect_metrics *node = pt__plan_as_collect_metrics(plan);
        pt__list_push(list->arena, &list->nodes, node);
    }
    return pt__plan_each_child(plan, find_metrics, list);
}

/* The metrics over the node's own input, as a query. */
static const pt_plan *metrics_query(pt__arena *arena, const pt_plan_collect_metrics *node)
{
    pt_plan_aggregate *aggregate = pt__plan_make(arena, AGGREGATE, aggregate, node->base.origin);
    aggregate->input = node->input;
    aggregate->group_kind = PT_GROUP_BY;
    aggregate->aggregates = node->metrics;
    aggregate->aggregate_count = node->metric_count;
    aggregate->prepend_grouping = true;
    return &aggregate->base;
}

static pt_status observe_one(pt_job *job, const pt_plan_collect_metrics *node, pt__observation *out, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    const pt_plan *analyzed;
    size_t rows;
    PT_TRY(pt__analyze_for(job->session, job, arena, metrics_query(arena, node), &analyzed, err));
    *out = (pt__observation){
        .name = node->name,
        .plan_id = node->base.plan_id,
        .columns = analyzed->columns,
        .column_count = analyzed->column_count,
    };
    return pt__collect_cells(job->session, job, arena, analyzed, 1, &out->values, &rows, err);
}

pt_status pt__job_observe(pt_job *job, const pt_plan *plan, const pt__observation **out, size_t *count, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    metric_list list = {.arena = arena};
    find_metrics(&list, plan);
    pt__observation *observations = pt__arena_array(arena, pt__observation, list.nodes.count);
    for (size_t i = 0; i < list.nodes.count; i++)
        PT_TRY(observe_one(job, list.nodes.items[i], &observations[i], err));
    *out = observations;
    *count = list.nodes.count;
    return PT_OK;
}
