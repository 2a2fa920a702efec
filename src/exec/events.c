/* The events of a job, and who is told of them. */
#include "exec/output_file.h"
#include "exec/state.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };
static const double PROGRESS_STEP = 0.01;

struct pt_job_subscription {
    pt_job_subscription *next; /* in job->events; all under the job's lock */
    pt_job *job;               /* a reference */
    pt_job_subscribe_options options;
    size_t references; /* the subscriber's, and one per delivery on its way */
    size_t position;   /* the next event it is to be told */
    bool is_closed;
    bool is_busy;        /* a delivery is on its way */
    bool is_running;     /* … and in the callback's hands */
    pthread_t deliverer; /* while is_running */
};

/* ---- adding ---- */

bool pt__events_init(pt_job *job)
{
    job->events.items = calloc(FIRST_CAPACITY, sizeof(pt_job_event));
    job->events.capacity = FIRST_CAPACITY;
    if (job->events.items == NULL)
        return false;
    pt__event_add_locked(job, PT_JOB_ACCEPTED, 0, 0, 0);
    return true;
}

void pt__events_deinit(pt_job *job)
{
    free(job->events.items);
}

static bool has_room(pt__events *events, bool is_end)
{
    if (events->count + 1 < events->capacity || is_end)
        return events->count < events->capacity;
    pt_job_event *items = realloc(events->items, events->capacity * 2 * sizeof(*items));
    if (items == NULL)
        return false;
    events->items = items;
    events->capacity *= 2;
    return true;
}

void pt__event_add_locked(pt_job *job, pt_job_event_kind kind, uint64_t batch, int64_t rows, double progress)
{
    pt__events *events = &job->events;
    if (!has_room(events, kind >= PT_JOB_FINISHED))
        return;
    pt_job_event *event = &events->items[events->count];
    *event = (pt_job_event){
        .size_bytes = sizeof(pt_job_event),
        .number = events->count++,
        .kind = kind,
        .time_us = pt__host_now_us(job->session->host),
        .batch = batch,
        .rows = rows,
        .progress = progress,
    };
    if (kind == PT_JOB_ACCEPTED)
        event->time_us = job->created_us;
    else if (kind == PT_JOB_STARTED)
        event->time_us = job->started_us;
    else if (kind >= PT_JOB_FINISHED)
        event->time_us = job->ended_us;
}

void pt__events_load_locked(pt_job *job)
{
    uint64_t entries = job->output == NULL ? 0 : pt__output_entry_count(job->output);
    uint64_t batch = 0;
    int64_t rows = 0;
    job->events.items[0].time_us = job->created_us;
    if (job->events.count == 1)
        pt__event_add_locked(job, PT_JOB_STARTED, 0, 0, 0);
    for (uint64_t i = 0; i < entries; i++)
        if (pt__output_is_batch(job->output, i, &rows))
            pt__event_add_locked(job, PT_JOB_BATCH, batch++, rows, 0);
}

void pt__events_tick(pt_job *job)
{
    double progress = pt__job_progress(job);
    pthread_mutex_lock(&job->lock);
    bool is_more = job->state == PT_OPERATION_RUNNING && progress >= job->events.progress + PROGRESS_STEP;
    if (is_more) {
        job->events.progress = progress;
        pt__event_add_locked(job, PT_JOB_PROGRESS, 0, job->rows_written, progress);
    }
    pthread_mutex_unlock(&job->lock);
    if (is_more)
        pt__events_deliver(job);
}

/* ---- delivering ---- */

/* With the lock held, which is released. */
static void unref_and_unlock(pt_job_subscription *s)
{
    pt_job *job = s->job;
    bool is_last = --s->references == 0;
    pthread_mutex_unlock(&job->lock);
    if (!is_last)
        return;
    free(s);
    pt_job_unref(job);
}

/* With the lock held, but not during the calls: hands over all that there is, also what comes meanwhile. */
static void hand_over_locked(pt_job_subscription *s)
{
    pt_job *job = s->job;
    s->is_running = true;
    s->deliverer = pthread_self();
    while (!s->is_closed && s->position < job->events.count) {
        pt_job_event event = job->events.items[s->position++];
        pthread_mutex_unlock(&job->lock);
        s->options.event(s->options.context, &event);
        pthread_mutex_lock(&job->lock);
    }
    s->is_running = false;
    s->is_busy = false;
    pthread_cond_broadcast(&job->changed);
}

/* On the mailbox's thread. */
static void hand_over_posted(void *argument)
{
    pt_job_subscription *s = argument;
    pthread_mutex_lock(&s->job->lock);
    hand_over_locked(s);
    unref_and_unlock(s);
}

static pt_job_subscription *find_behind(pt_job *job)
{
    pt_job_subscription *s = job->events.subscriptions;
    while (s != NULL && (s->is_busy || s->position == job->events.count))
        s = s->next;
    return s;
}

void pt__events_deliver(pt_job *job)
{
    pt_job_subscription *s;
    pthread_mutex_lock(&job->lock);
    while ((s = find_behind(job)) != NULL) {
        s->is_busy = true;
        s->references++;
        if (s->options.mailbox != NULL) {
            pt_mailbox_post(s->options.mailbox, hand_over_posted, s);
            continue;
        }
        hand_over_locked(s);
        unref_and_unlock(s);
        pthread_mutex_lock(&job->lock);
    }
    pthread_mutex_unlock(&job->lock);
}

/* ---- subscribing ---- */

pt_status pt_job_subscribe(pt_job *job, const pt_job_subscribe_options *options, pt_job_subscription **out,
                           pt_error *err)
{
    pt_job_subscription *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a subscription");
    s->job = pt_job_ref(job);
    s->options = *options;
    s->references = 1;
    *out = s; /* callbacks may want it */
    pthread_mutex_lock(&job->lock);
    s->next = job->events.subscriptions;
    job->events.subscriptions = s;
    pthread_mutex_unlock(&job->lock);
    pt__events_deliver(job);
    return PT_OK;
}

static void unlink_locked(pt_job_subscription *s)
{
    pt_job_subscription **link = &s->job->events.subscriptions;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
}

void pt_job_unsubscribe(pt_job_subscription *s)
{
    if (s == NULL)
        return;
    pt_job *job = s->job;
    pthread_mutex_lock(&job->lock);
    s->is_closed = true;
    unlink_locked(s);
    while (s->is_running && !pthread_equal(s->deliverer, pthread_self()))
        pthread_cond_wait(&job->changed, &job->lock);
    unref_and_unlock(s);
}

size_t pt_job_events(pt_job *job, uint64_t first, pt_job_event *out, size_t max)
{
    size_t count = 0;
    pthread_mutex_lock(&job->lock);
    for (; count < max && first + count < job->events.count; count++)
        out[count] = job->events.items[first + count];
    pthread_mutex_unlock(&job->lock);
    return count;
}
