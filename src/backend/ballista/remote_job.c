#include "backend/ballista/remote_job.h"

#include "backend/ballista/errors.h"
#include "backend/ballista/locations.h"
#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef Ballista__Protobuf__GetJobStatusResult status_result;
typedef Ballista__Protobuf__JobStatus job_status;

/* A job that ends sooner is run again as quickly as it is found. */
enum { ANNOUNCE_AFTER_MS = 250, HANDLE_BYTES = PT_CHANNEL_ADDRESS_BYTES + PT_REMOTE_JOB_ID_BYTES + 32 };

enum { RECONNECT_PAUSE_MS = 200, SUBMISSIONS_MAX = 3, FIRST_EVENT_MS = 1000, UNKNOWN_MS = 250, PAUSE_PART = 10 };

static const pt__ballista_options *options_of(const pt__remote_job *job)
{
    return &job->cluster->options;
}

static void set_times(pt__remote_job *job)
{
    uint64_t interval_ms = options_of(job)->nudge_interval_ms;
    job->nudge_ms = interval_ms == 0 ? UINT64_MAX : pt__ms_from_now(interval_ms);
    job->announce_ms = pt__ms_from_now(ANNOUNCE_AFTER_MS);
}

void pt__remote_job_init(pt__remote_job *job, pt__ballista *cluster, pt__wake *wake, const pt__remote_query *query,
                         bool reads_only)
{
    *job = (pt__remote_job){.cluster = cluster, .wake = wake, .query = query, .reads_only = reads_only};
    job->scheduler = atomic_load(&cluster->scheduler);
    job->give_up_ms = pt__ms_from_now(cluster->options.job_timeout_ms);
    set_times(job);
}

/* ---- handles: scheduler, job, what tells the query from others ---- */

static uint64_t fingerprint(const pt__remote_job *job)
{
    return pt__hash_bytes(job->query->plan.data, job->query->plan.size_bytes);
}

bool pt__remote_job_resume(pt__remote_job *job, const char *handle)
{
    char address[PT_CHANNEL_ADDRESS_BYTES];
    char id[PT_REMOTE_JOB_ID_BYTES];
    char hash[32];
    if (sscanf(handle, "%299s %127s %31s", address, id, hash) != 3 || !job->reads_only ||
        strtoull(hash, NULL, 16) != fingerprint(job))
        return false;
    for (size_t i = 0; i < options_of(job)->scheduler_count; i++) {
        if (strcmp(options_of(job)->schedulers[i], address) == 0) {
            job->scheduler = i;
            job->is_resumed = true;
            snprintf(job->id, sizeof(job->id), "%s", id);
            return true;
        }
    }
    return false;
}

static void announce(pt__remote_job *job)
{
    char handle[HANDLE_BYTES];
    if (job->announce == NULL || job->id[0] == '\0' || pt__monotonic_ms() < job->announce_ms)
        return;
    snprintf(handle, sizeof(handle), "%s %s %llx", options_of(job)->schedulers[job->scheduler], job->id,
             (unsigned long long)fingerprint(job));
    job->announce(job->announce_context, handle);
    job->announce_ms = UINT64_MAX;
}

/* ---- the connection ---- */

static void drop_channel(pt__remote_job *job)
{
    pt__rpc_call_free(job->push);
    job->push = NULL;
    pt__pool_give(&job->cluster->pool, job->channel);
    job->channel = NULL;
}

static pt_status need_channel(pt__remote_job *job, pt_error *err)
{
    if (job->channel != NULL && pt__channel_refresh(job->channel))
        return PT_OK;
    drop_channel(job);
    return pt__pool_take(&job->cluster->pool, options_of(job)->schedulers[job->scheduler], &job->channel, err);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_away(pt_status status)
{
    return status == PT_UNAVAILABLE || status == PT_TIMEOUT;
}

/* ---- submitting ---- */

static pt_status submit_here(pt__remote_job *job, pt_error *err)
{
    const pt__ballista_options *options = options_of(job);
    PT_TRY(need_channel(job, err));
    job->may_be_elsewhere = false;
    /* Of a write, and of a scheduler that was away, it has to be known whether the query was taken. */
    if (options->push && job->reads_only && !job->was_lost)
        return pt__scheduler_submit_push(job->channel, options, job->query, &job->push, err);
    pt_status status = pt__scheduler_submit(job->channel, options, job->query, job->wake, job->id, err);
    job->may_be_elsewhere = status != PT_OK && status != PT_BAD_PLAN && job->channel->is_connected;
    return status;
}

/* A query that writes is not sent to another scheduler when the first may have it. */
static bool may_try_another(const pt__remote_job *job, pt_status status)
{
    return is_away(status) && (job->reads_only || !job->may_be_elsewhere);
}

static pt_status submit(pt__remote_job *job, pt_error *err)
{
    const pt__ballista_options *options = options_of(job);
    pt_status status = PT_OK;
    for (size_t i = 0; i < options->scheduler_count; i++) {
        pt_error_clear(err);
        status = submit_here(job, err);
        if (status == PT_OK) {
            atomic_store(&job->cluster->scheduler, job->scheduler);
            set_times(job);
            return PT_OK;
        }
        if (!may_try_another(job, status))
            return status;
        drop_channel(job);
        job->scheduler = (job->scheduler + 1) % options->scheduler_count;
    }
    return status;
}

/* ---- how it goes ---- */

/* Looked at as a thing of its own, because an error does not say it. */
typedef enum progress { GOES_ON, IS_LOST, HAS_ENDED } progress;

static pt_status give_up(pt__remote_job *job, pt_error *err)
{
    return pt_error_set(err, PT_TIMEOUT, "the query ran for longer on Ballista than %llu ms (ballista.job-timeout)",
                        (unsigned long long)options_of(job)->job_timeout_ms);
}

static pt_status take_status(pt__remote_job *job, pt__arena *arena, const status_result *result, progress *out,
                             pt_error *err)
{
    const job_status *status = result->status;
    *out = GOES_ON;
    if (status == NULL) {
        *out = IS_LOST;
        return PT_OK;
    }
    switch (status->status_case) {
    case BALLISTA__PROTOBUF__JOB_STATUS__STATUS_FAILED:
        job->is_over = true;
        if (job->is_resumed) { /* perhaps by its node, which was told to stop */
            *out = IS_LOST;
            return PT_OK;
        }
        return pt__ballista_job_failed(status->failed->error, err);
    case BALLISTA__PROTOBUF__JOB_STATUS__STATUS_SUCCESSFUL:
        *out = HAS_ENDED;
        job->is_over = job->has_results = true;
        return pt__locations_read(arena, result, options_of(job)->schedulers[job->scheduler], &job->locations,
                                  &job->location_count, err);
    default: return PT_OK;
    }
}

/* One question; the scheduler may be away for a while. */
static pt_status ask(pt__remote_job *job, status_result **out, pt_error *err)
{
    uint64_t until_ms = earlier(pt__ms_from_now(options_of(job)->reconnect_timeout_ms), job->give_up_ms);
    for (;;) {
        pt_error_clear(err);
        pt_status status = need_channel(job, err);
        if (status == PT_OK)
            status = pt__scheduler_status(job->channel, options_of(job), job->id, job->wake, out, err);
        if (!is_away(status) || pt__monotonic_ms() >= until_ms)
            return status;
        drop_channel(job);
        pt__wake_sleep(job->wake, pt__ms_from_now(RECONNECT_PAUSE_MS));
        if (pt__wake_is_raised(job->wake))
            return pt_error_set(err, PT_CANCELLED, "the query was cancelled");
    }
}

static pt_status poll_once(pt__remote_job *job, pt__arena *arena, progress *out, pt_error *err)
{
    status_result *result = NULL;
    PT_TRY(ask(job, &result, err));
    pt_status status = take_status(job, arena, result, out, err);
    ballista__protobuf__get_job_status_result__free_unpacked(result, NULL);
    return status;
}

static void nudge(pt__remote_job *job)
{
    uint64_t interval_ms = options_of(job)->nudge_interval_ms;
    if (interval_ms == 0 || job->channel == NULL || pt__monotonic_ms() < job->nudge_ms)
        return;
    job->nudge_ms = pt__ms_from_now(interval_ms);
    pt__scheduler_nudge(job->channel, options_of(job));
}

/* A tenth of the time that it has taken so far, so that this is what asking can add. */
static uint64_t pause_of(const pt__remote_job *job, uint64_t begun_ms)
{
    const pt__ballista_options *options = options_of(job);
    uint64_t part_ms = (pt__monotonic_ms() - begun_ms) / PAUSE_PART;
    return earlier(part_ms > options->poll_first_ms ? part_ms : options->poll_first_ms, options->poll_most_ms);
}

static pt_status wait_a_while(pt__remote_job *job, uint64_t pause_ms, pt_error *err)
{
    pt__wake_sleep(job->wake, earlier(pt__ms_from_now(pause_ms), job->give_up_ms));
    if (pt__wake_is_raised(job->wake))
        return pt_error_set(err, PT_CANCELLED, "the query was cancelled");
    return pt__monotonic_ms() >= job->give_up_ms ? give_up(job, err) : PT_OK;
}

static pt_status poll_to_end(pt__remote_job *job, pt__arena *arena, progress *out, pt_error *err)
{
    uint64_t begun_ms = pt__monotonic_ms();
    uint64_t known_ms = begun_ms;
    *out = GOES_ON;
    while (*out == GOES_ON) {
        PT_TRY(wait_a_while(job, pause_of(job, begun_ms), err));
        nudge(job);
        announce(job);
        PT_TRY(poll_once(job, arena, out, err));
        /* Between taking a job and planning it a scheduler loses sight of it for a moment. */
        if (*out != IS_LOST)
            known_ms = pt__monotonic_ms();
        else if (!job->is_over && pt__monotonic_ms() - known_ms < UNKNOWN_MS)
            *out = GOES_ON;
    }
    return PT_OK;
}

/* ---- being told ---- */

static pt_status take_event(pt__remote_job *job, pt__arena *arena, pt_bytes *take_message, progress *out, pt_error *err)
{
    status_result *result = NULL;
    pt_status status = pt__scheduler_read_status(take_message, &result, err);
    pt_bytes_unref(take_message);
    PT_TRY(status);
    if (result->status != NULL && job->id[0] == '\0' && strlen(result->status->job_id) < sizeof(job->id))
        memcpy(job->id, result->status->job_id, strlen(result->status->job_id) + 1);
    if (result->status != NULL)
        status = take_status(job, arena, result, out, err);
    ballista__protobuf__get_job_status_result__free_unpacked(result, NULL);
    return status;
}

static pt_status refused(const pt_error *why, pt_error *err)
{
    return pt_error_set(err, PT_BAD_PLAN, "Ballista refuses the plan: %s", pt_error_full_message(why));
}

/* The stream ends early when the scheduler does; whether it knows the job is found out by asking. */
static pt_status end_of_events(pt__remote_job *job, progress *out, pt_error *err)
{
    pt_error why = PT_ERROR_INIT;
    pt_status status = pt__rpc_call_failure(job->push, &why);
    bool is_lost = status == PT_OK || is_away(status);
    if (status == PT_INVALID_ARGUMENT)
        status = refused(&why, err);
    else if (err != NULL)
        pt_error_copy(err, &why); /* told if nobody else takes it */
    pt_error_clear(&why);
    *out = job->id[0] == '\0' ? IS_LOST : GOES_ON;
    return is_lost ? PT_OK : status;
}

static uint64_t next_look_ms(const pt__remote_job *job)
{
    uint64_t next_ms = earlier(job->give_up_ms, job->nudge_ms);
    return job->announce == NULL || job->id[0] == '\0' ? next_ms : earlier(next_ms, job->announce_ms);
}

static pt_status listen_to_end(pt__remote_job *job, pt__arena *arena, progress *out, pt_error *err)
{
    pt_bytes *message = NULL;
    *out = GOES_ON;
    while (*out == GOES_ON) {
        switch (pt__rpc_call_next(job->push, &message)) {
        case PT_RPC_MESSAGE: PT_TRY(take_event(job, arena, message, out, err)); break;
        case PT_RPC_END: return end_of_events(job, out, err);
        case PT_RPC_WAIT:
            if (pt__monotonic_ms() >= job->give_up_ms)
                return give_up(job, err);
            nudge(job);
            announce(job);
            PT_TRY(pt__channels_wait(&job->channel, 1, job->wake, next_look_ms(job), err));
            break;
        }
    }
    return PT_OK;
}

/* ---- the whole ---- */

static pt_status wait_for_end(pt__remote_job *job, pt__arena *arena, progress *out, pt_error *err)
{
    *out = GOES_ON;
    if (job->push != NULL) {
        pt_status status = listen_to_end(job, arena, out, err);
        if (status != PT_OK)
            return status; /* the stream still tells the id */
        pt__rpc_call_free(job->push);
        job->push = NULL;
    }
    return *out == GOES_ON ? poll_to_end(job, arena, out, err) : PT_OK;
}

static pt_status lost(const pt__remote_job *job, pt_error *err)
{
    if (err != NULL && err->status != PT_OK)
        return err->status;
    if (!job->reads_only)
        return pt_error_set(err, PT_INTERRUPTED,
                            "Ballista's scheduler does not know the job %s any more; it was writing, and is not run "
                            "twice",
                            job->id);
    return pt_error_set(err, PT_UNAVAILABLE, "Ballista's scheduler lost the query %d times", SUBMISSIONS_MAX);
}

void pt__remote_job_forget(pt__remote_job *job)
{
    job->id[0] = '\0';
    job->is_resumed = false;
    job->is_over = job->has_results = false;
    job->locations = NULL;
    job->location_count = 0;
}

/* After a job was lost its scheduler may be starting. */
static pt_status submit_again(pt__remote_job *job, pt_error *err)
{
    uint64_t until_ms = earlier(pt__ms_from_now(options_of(job)->reconnect_timeout_ms), job->give_up_ms);
    for (;;) {
        pt_status status = submit(job, err);
        if (!is_away(status) || pt__monotonic_ms() >= until_ms)
            return status;
        drop_channel(job);
        pt__wake_sleep(job->wake, pt__ms_from_now(RECONNECT_PAUSE_MS));
        if (pt__wake_is_raised(job->wake))
            return pt_error_set(err, PT_CANCELLED, "the query was cancelled");
    }
}

/* Whether a failure of waiting means the scheduler, with another one that could be asked. */
static bool is_to_move(const pt__remote_job *job, pt_status status)
{
    return is_away(status) && job->reads_only && options_of(job)->scheduler_count > 1 && !job->is_over &&
           pt__monotonic_ms() < job->give_up_ms;
}

static void move_on(pt__remote_job *job)
{
    pt__remote_job_forget(job);
    drop_channel(job);
    job->scheduler = (job->scheduler + 1) % options_of(job)->scheduler_count;
}

pt_status pt__remote_job_run(pt__remote_job *job, pt__arena *arena, pt_error *err)
{
    for (int i = 0; i < SUBMISSIONS_MAX; i++) {
        progress how = IS_LOST;
        if (job->id[0] == '\0')
            PT_TRY(job->was_lost ? submit_again(job, err) : submit(job, err));
        pt_status status = wait_for_end(job, arena, &how, err);
        bool moves = is_to_move(job, status) || (status == PT_OK && how == IS_LOST && job->id[0] == '\0');
        if (!moves && status != PT_OK)
            return status;
        if (how == HAS_ENDED)
            return PT_OK;
        if (!job->reads_only)
            break;
        job->was_lost = true;
        if (moves)
            move_on(job);
        else
            pt__remote_job_forget(job);
    }
    return lost(job, err);
}

/* ---- its end ---- */

/* One that is pushed can be cancelled once its id was told; a scheduler may do so at its end only. */
static void await_id(pt__remote_job *job, pt__arena *arena)
{
    uint64_t until_ms = pt__ms_from_now(FIRST_EVENT_MS);
    progress how = GOES_ON;
    pt_bytes *message = NULL;
    while (job->push != NULL && job->id[0] == '\0' && how == GOES_ON && pt__monotonic_ms() < until_ms) {
        switch (pt__rpc_call_next(job->push, &message)) {
        case PT_RPC_MESSAGE: take_event(job, arena, message, &how, NULL); break;
        case PT_RPC_END: return;
        case PT_RPC_WAIT: pt__channels_wait(&job->channel, 1, NULL, until_ms, NULL); break;
        }
    }
}

static void cancel(pt__remote_job *job)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = need_channel(job, &err);
    if (status == PT_OK)
        status = pt__scheduler_cancel(job->channel, options_of(job), job->id, &err);
    if (status != PT_OK && job->cluster->env != NULL && job->cluster->env->log != NULL)
        job->cluster->env->log(job->cluster->env->log_context, PT_LOG_WARN, "ballista", err.message);
    pt_error_clear(&err);
}

void pt__remote_job_deinit(pt__remote_job *job)
{
    if (job->push != NULL && job->id[0] == '\0') {
        pt__arena *arena = pt__arena_new(0);
        if (arena != NULL)
            await_id(job, arena);
        pt__arena_free(arena);
        job->locations = NULL;
    }
    if (job->id[0] != '\0' && !job->is_over)
        cancel(job);
    if (job->has_results && job->channel == NULL)
        need_channel(job, NULL);
    if (job->has_results && job->channel != NULL)
        pt__scheduler_clean(job->channel, options_of(job), job->id);
    drop_channel(job);
}
