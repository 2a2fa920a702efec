#include "exec/streams.h"

#include "base/uuid.h"
#include "exec/state.h"
#include "plan/walk.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { WAIT_STEP_MS = 20 };

struct pt__stream {
    pt__stream *next; /* of the session's, under its lock as all below that changes */
    atomic_size_t references;
    pt_host *host;
    pt__stream_info info;
    pt__arena *memory; /* of the plan */
    const pt_plan *plan;
    pt__stream_request request;
    int64_t start_us; /* the wall clock when it began */
    int64_t begun_ms; /* when the last batch was started, since the start */
    int64_t done;     /* seconds of the sources' time that are written */
    int64_t batch;    /* the next one */
    pt_job *job;      /* the running batch; NULL none */
    int64_t job_end;  /* what `done` will be after it */
};

/* Cut where it does not fit. */
static void copy_text(char *out, size_t capacity, const char *text)
{
    size_t size = strnlen(text, capacity - 1);
    memcpy(out, text, size);
    out[size] = '\0';
}

static void stream_unref(pt__stream *stream)
{
    if (atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel) != 1)
        return;
    if (stream->request.free_context != NULL)
        stream->request.free_context(stream->request.context);
    pt__arena_free(stream->memory);
    free(stream);
}

static int64_t elapsed_ms(const pt__stream *stream)
{
    return (pt__host_now_us(stream->host) - stream->start_us) / 1000;
}

/* ---- the sources of a batch ---- */

typedef struct source_range {
    pt__arena *arena;
    int64_t start_us;
    int64_t from; /* seconds since the start */
    int64_t to;
    const pt_plan *refused; /* a node that a query cannot have in this mode */
    bool is_complete;
} source_range;

static int64_t rows_per_second(const pt_plan_stream *stream)
{
    for (size_t i = 0; i < stream->options.count; i++) {
        if (strcasecmp(stream->options.items[i].key, "rowsPerSecond") == 0)
            return strtoll(stream->options.items[i].value, NULL, 10);
    }
    return 1;
}

/* Row n of the rate source: its time, and n. */
static const pt_plan *rate_rows(const source_range *range, const pt_plan_stream *stream)
{
    pt__arena *arena = range->arena;
    int64_t rate = rows_per_second(stream);
    pt_plan_range *rows = pt__plan_make(arena, RANGE, range, NULL);
    rows->start = range->from * rate;
    rows->end = range->to * rate;
    rows->step = 1;
    const pt_expr *n = pt__expr_attribute(arena, "id", NULL);
    const pt_expr *offset =
        pt__expr_call(arena, NULL, "div", 2, pt__expr_call(arena, NULL, "*", 2, n, pt__expr_long(arena, 1000000)),
                      pt__expr_long(arena, rate));
    const pt_expr *at = pt__expr_call(arena, NULL, "+", 2, pt__expr_long(arena, range->start_us), offset);
    const pt_expr **columns = pt__arena_array(arena, const pt_expr *, 2);
    columns[0] = pt__expr_alias(arena, pt__expr_call(arena, NULL, "timestamp_micros", 1, at), "timestamp");
    columns[1] = pt__expr_alias(arena, n, "value");
    pt_plan_project *project = pt__plan_make(arena, PROJECT, project, stream->base.origin);
    project->base.plan_id = stream->base.plan_id;
    project->input = &rows->base;
    project->expressions = columns;
    project->expression_count = 2;
    return &project->base;
}

static bool needs_state(const pt_plan *plan)
{
    return plan->kind == PT_PLAN_AGGREGATE || plan->kind == PT_PLAN_DEDUPLICATE || plan->kind == PT_PLAN_SORT ||
           plan->kind == PT_PLAN_LIMIT || plan->kind == PT_PLAN_TAIL || plan->kind == PT_PLAN_JOIN;
}

static const pt_plan *bounded(void *context, const pt_plan *plan)
{
    source_range *range = context;
    if (!range->is_complete && needs_state(plan))
        range->refused = plan;
    return plan->kind == PT_PLAN_STREAM ? rate_rows(range, pt__plan_as_stream(plan)) : plan;
}

/* The query over the rows that its sources give from one second of its life to another. */
static const pt_plan *batch_plan(source_range *range, const pt_plan *plan)
{
    const pt__rewriter rewriter = {.plan = bounded, .context = range};
    return pt__plan_rewrite(range->arena, plan, &rewriter);
}

static bool find_stream(void *context, const pt_plan *plan)
{
    bool *found = context;
    *found |= plan->kind == PT_PLAN_STREAM;
    return !*found && pt__plan_each_child(plan, find_stream, context);
}

bool pt__plan_is_streaming(const pt_plan *analyzed)
{
    bool found = false;
    find_stream(&found, analyzed);
    return found;
}

/* ---- batches ---- */

typedef struct batch {
    pt__stream *stream;
    int64_t number;
    int64_t from;
    int64_t to;
} batch;

static void free_batch(void *context)
{
    batch *b = context;
    stream_unref(b->stream);
    free(b);
}

static pt_status run_batch(pt_job *job, void *context, pt_error *err)
{
    const batch *b = context;
    const pt__stream *stream = b->stream;
    source_range range = {
        .arena = pt__job_arena(job), .start_us = stream->start_us, .from = b->from, .to = b->to, .is_complete = true};
    const pt_plan *rows = batch_plan(&range, stream->plan);
    return stream->request.run_batch(job, stream->request.context, rows, b->number, err);
}

static void fail(pt__stream *stream, const pt_error *failure)
{
    stream->info.is_active = false;
    copy_text(stream->info.failure, sizeof(stream->info.failure), pt_error_full_message(failure));
}

/* Starts the next batch. The caller holds a reference, not the lock. */
static void start_batch(pt_session *session, pt__stream *stream, int64_t to)
{
    batch *b = calloc(1, sizeof(*b));
    pt_error failure = PT_ERROR_INIT;
    pt_job *job = NULL;
    if (b == NULL)
        return; /* the next tick tries again */
    atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
    *b = (batch){stream, stream->batch, stream->request.is_complete ? 0 : stream->done, to};
    char id[PT_STREAM_ID_BYTES];
    pt__uuid_v4_text(id);
    const pt__job_request request = {.id = id, .run = run_batch, .free_context = free_batch, .context = b};
    pt_status status = pt__job_start(session, &request, NULL, &job, &failure);
    pthread_mutex_lock(&session->lock);
    if (status == PT_OK) {
        stream->job = job;
        stream->job_end = to;
        stream->begun_ms = elapsed_ms(stream);
        stream->info.is_running = true;
    } else {
        fail(stream, &failure);
    }
    pthread_mutex_unlock(&session->lock);
    pt_error_clear(&failure);
}

/* Takes note of a batch that is over. Lock held; the job is the caller's then. */
static pt_job *end_batch_locked(pt__stream *stream)
{
    pt_job *job = stream->job;
    if (job == NULL || !pt__job_has_ended(job))
        return NULL;
    stream->job = NULL;
    stream->info.is_running = false;
    if (pt_job_state(job) == PT_OPERATION_SUCCEEDED) {
        stream->batch++;
        bool had_rows = stream->job_end > stream->done;
        stream->done = stream->job_end;
        if (stream->request.runs_once && had_rows)
            stream->info.is_active = false;
    } else if (stream->info.is_active) {
        pt_error failure = PT_ERROR_INIT;
        (void)pt_job_failure(job, &failure);
        fail(stream, &failure);
        pt_error_clear(&failure);
    }
    return job;
}

static bool is_due_locked(const pt__stream *stream, int64_t *to)
{
    int64_t now = elapsed_ms(stream);
    *to = now / 1000;
    if (!stream->info.is_active || stream->job != NULL || now - stream->begun_ms < stream->request.interval_ms)
        return false;
    return stream->batch == 0 || *to > stream->done;
}

static void tick_one(pt_session *session, pt__stream *stream)
{
    int64_t to;
    pthread_mutex_lock(&session->lock);
    pt_job *ended = end_batch_locked(stream);
    bool is_due = is_due_locked(stream, &to);
    pthread_mutex_unlock(&session->lock);
    if (ended != NULL) {
        pt__session_release_job(session, pt_job_id(ended));
        pt_job_unref(ended);
    }
    if (is_due)
        start_batch(session, stream, to);
}

/* The session's queries, a reference each; the array is the caller's to free. */
static pt__stream **all_streams(pt_session *session, size_t *count)
{
    *count = 0;
    pthread_mutex_lock(&session->lock);
    size_t total = 0;
    for (pt__stream *s = session->streams; s != NULL; s = s->next)
        total++;
    pt__stream **list = total == 0 ? NULL : calloc(total, sizeof(pt__stream *));
    for (pt__stream *s = session->streams; list != NULL && s != NULL; s = s->next) {
        atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
        list[(*count)++] = s;
    }
    pthread_mutex_unlock(&session->lock);
    return list;
}

bool pt__streams_tick(pt_session *session)
{
    size_t count;
    bool any = false;
    pt__stream **list = all_streams(session, &count);
    for (size_t i = 0; i < count; i++) {
        tick_one(session, list[i]);
        pthread_mutex_lock(&session->lock);
        any |= list[i]->info.is_active;
        pthread_mutex_unlock(&session->lock);
        stream_unref(list[i]);
    }
    free(list);
    return any;
}

/* ---- start ---- */

/* The plan must be one that analysis takes, and that this mode can do without state. */
static pt_status check_plan(pt_job *job, const pt__stream_request *request, pt_error *err)
{
    source_range range = {.arena = pt__job_arena(job), .is_complete = request->is_complete};
    const pt_plan *analyzed;
    PT_TRY(pt__session_analyze(pt__job_session(job), pt__job_arena(job), request->plan, &analyzed, err));
    if (!pt__plan_is_streaming(analyzed))
        return pt_error_set(err, PT_ANALYSIS, "'writeStream' can be called only on streaming Dataset/DataFrame");
    const pt_plan *empty = batch_plan(&range, request->plan);
    if (range.refused != NULL)
        return pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                         pt__arena_printf(range.arena, "%s of streams in output modes other than complete",
                                          pt__plan_kind_name(range.refused->kind)),
                         NULL);
    return pt__session_analyze(pt__job_session(job), pt__job_arena(job), empty, &analyzed, err);
}

static const pt_plan *copy_plan(pt__arena *memory, const pt_plan *plan)
{
    return PT_ARENA_GUARD(memory) ? NULL : pt__plan_copy(memory, plan);
}

static pt__stream *make_stream(pt_host *host, const pt__stream_request *request)
{
    pt__stream *stream = calloc(1, sizeof(*stream));
    pt__arena *memory = pt__host_arena(host, 0);
    if (stream == NULL || memory == NULL) {
        free(stream);
        pt__arena_free(memory);
        return NULL;
    }
    atomic_init(&stream->references, 1);
    stream->memory = memory;
    stream->request = *request;
    stream->host = host;
    stream->start_us = pt__host_now_us(host) / 1000 * 1000;
    stream->info.is_active = true;
    pt__uuid_v4_text(stream->info.id);
    pt__uuid_v4_text(stream->info.run_id);
    copy_text(stream->info.name, sizeof(stream->info.name), request->name == NULL ? "" : request->name);
    stream->plan = copy_plan(memory, request->plan);
    if (stream->plan == NULL) {
        stream->request.free_context = NULL; /* the caller ends it */
        stream_unref(stream);
        return NULL;
    }
    return stream;
}

static pt_status add_stream(pt_session *session, pt__stream *stream, pt_error *err)
{
    size_t count = 0;
    bool is_taken = false;
    pthread_mutex_lock(&session->lock);
    for (const pt__stream *s = session->streams; s != NULL; s = s->next) {
        count++;
        is_taken |= s->info.is_active && s->info.name[0] != '\0' && strcmp(s->info.name, stream->info.name) == 0;
    }
    bool is_full = count >= session->host->limits.session_streams;
    bool is_closed = session->is_closed;
    if (!is_taken && !is_full && !is_closed) {
        atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
        stream->next = session->streams;
        session->streams = stream;
    }
    pthread_mutex_unlock(&session->lock);
    if (is_closed)
        return pt__session_closed_error(session, err);
    if (is_full)
        return pt_error_set(err, PT_LIMIT, "the session has %zu streaming queries (session.stream-limit)", count);
    if (is_taken)
        return pt_error_set(
            err, PT_ALREADY_EXISTS,
            "Cannot start query with name %s as a query with that name is already active in this session",
            stream->info.name);
    return PT_OK;
}

pt_status pt__stream_start(pt_job *job, const pt__stream_request *request, pt__stream_info *out, pt_error *err)
{
    pt_session *session = pt__job_session(job);
    pt_status status = check_plan(job, request, err);
    pt__stream *stream = status == PT_OK ? make_stream(pt__session_host(session), request) : NULL;
    if (stream == NULL) {
        request->free_context(request->context);
        return status != PT_OK ? status : pt_error_set(err, PT_NO_MEMORY, "no memory for a streaming query");
    }
    *out = stream->info;
    status = add_stream(session, stream, err);
    if (status == PT_OK)
        tick_one(session, stream);
    stream_unref(stream);
    return status;
}

/* ---- asking and ending ---- */

static pt__stream *find_locked(pt_session *session, const char *id)
{
    pt__stream *s = session->streams;
    while (s != NULL && strcmp(s->info.id, id) != 0)
        s = s->next;
    return s;
}

bool pt__stream_find(pt_session *session, const char *id, pt__stream_info *out)
{
    pthread_mutex_lock(&session->lock);
    const pt__stream *stream = find_locked(session, id);
    if (stream != NULL)
        *out = stream->info;
    pthread_mutex_unlock(&session->lock);
    return stream != NULL;
}

void pt__stream_list(pt_session *session, pt__arena *arena, const pt__stream_info **out, size_t *count)
{
    size_t total;
    pt__stream **list = all_streams(session, &total);
    pt__stream_info *infos = pt__arena_array(arena, pt__stream_info, total + 1);
    *count = 0;
    for (size_t i = 0; i < total; i++) {
        if (pt__stream_find(session, list[i]->info.id, &infos[*count]) && infos[*count].is_active)
            ++*count;
        stream_unref(list[i]);
    }
    free(list);
    *out = infos;
}

static void stop(pt_session *session, pt__stream *stream)
{
    pthread_mutex_lock(&session->lock);
    stream->info.is_active = false;
    pt_job *job = stream->job;
    stream->job = NULL;
    stream->info.is_running = false;
    pthread_mutex_unlock(&session->lock);
    if (job == NULL)
        return;
    pt_job_cancel(job, NULL);
    pt__session_release_job(session, pt_job_id(job));
    pt_job_unref(job);
}

void pt__stream_stop(pt_session *session, const char *id)
{
    pthread_mutex_lock(&session->lock);
    pt__stream *stream = find_locked(session, id);
    if (stream != NULL)
        atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
    pthread_mutex_unlock(&session->lock);
    if (stream == NULL)
        return;
    stop(session, stream);
    stream_unref(stream);
}

void pt__streams_end(pt_session *session)
{
    pthread_mutex_lock(&session->lock);
    pt__stream *first = session->streams;
    session->streams = NULL;
    pthread_mutex_unlock(&session->lock);
    while (first != NULL) {
        pt__stream *next = first->next;
        stop(session, first);
        stream_unref(first);
        first = next;
    }
}

/* ---- waiting ---- */

static pt_status pause_job(pt_job *job, pt_error *err)
{
    const struct timespec step = {0, WAIT_STEP_MS * 1000000L};
    PT_TRY(pt__job_check(job, err));
    nanosleep(&step, NULL);
    return PT_OK;
}

static bool has_ended(pt_session *session, const char *id)
{
    bool ended = false;
    pthread_mutex_lock(&session->lock);
    for (const pt__stream *s = session->streams; s != NULL; s = s->next)
        ended |= !s->info.is_active && (id == NULL || strcmp(s->info.id, id) == 0);
    ended |= id != NULL && find_locked(session, id) == NULL;
    pthread_mutex_unlock(&session->lock);
    return ended;
}

pt_status pt__stream_await(pt_job *job, const char *id, int64_t timeout_ms, bool *ended, pt_error *err)
{
    pt_session *session = pt__job_session(job);
    pt_host *host = pt__session_host(session);
    int64_t start = pt__host_now_us(host);
    for (;;) {
        *ended = has_ended(session, id);
        if (*ended || (timeout_ms >= 0 && pt__host_now_us(host) - start >= timeout_ms * 1000))
            return PT_OK;
        PT_TRY(pause_job(job, err));
    }
}

static bool has_caught_up(pt_session *session, const char *id, int64_t *target)
{
    pthread_mutex_lock(&session->lock);
    const pt__stream *stream = find_locked(session, id);
    if (stream != NULL && *target < 0)
        *target = elapsed_ms(stream) / 1000;
    bool is_over = stream == NULL || !stream->info.is_active || (stream->batch > 0 && stream->done >= *target);
    pthread_mutex_unlock(&session->lock);
    return is_over;
}

pt_status pt__stream_catch_up(pt_job *job, const char *id, pt_error *err)
{
    int64_t target = -1;
    while (!has_caught_up(pt__job_session(job), id, &target))
        PT_TRY(pause_job(job, err));
    return PT_OK;
}
