#include "exec/workers.h"

#include "base/monotonic.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct task {
    struct task *next;
    void (*run)(void *context);
    void *context;
} task;

typedef struct worker {
    struct worker *next; /* of those that are idle, or have ended */
    pt__workers *pool;
    pthread_t thread;
    pthread_cond_t called;
    bool is_called; /* for a task, which another may have taken by now; not idle any more */
} worker;

struct pt__workers {
    pthread_mutex_t lock;
    pthread_cond_t ended; /* a thread has put itself into `finished` */
    pt__workers_options options;
    task *first;
    task *last;
    uint64_t queued;
    uint64_t called; /* idle no more, and not yet awake */
    worker *idle;    /* the one that was at work last first: its memory is still in the processor's caches */
    uint64_t live;
    worker *finished; /* to be joined */
    bool closing;
};

pt_status pt__workers_new(const pt__workers_options *options, pt__workers **out, pt_error *err)
{
    pt__workers *pool = calloc(1, sizeof(*pool));
    if (pool == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the workers");
    pool->options = *options;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->ended, NULL);
    *out = pool;
    return PT_OK;
}

/* With the lock held, and signalled with it: once it is free, the worker may run, end and be freed. */
static void call_idle(pt__workers *pool)
{
    worker *w = pool->idle;
    pool->idle = w->next;
    pool->called++;
    w->is_called = true;
    pthread_cond_signal(&w->called);
}

/* With the lock held: until it is called; false when the time is up. */
static bool be_idle(worker *self, const struct timespec *deadline)
{
    pt__workers *pool = self->pool;
    int waited = 0;
    self->is_called = false;
    self->next = pool->idle;
    pool->idle = self;
    while (!self->is_called && waited == 0)
        waited = pthread_cond_timedwait(&self->called, &pool->lock, deadline);
    if (self->is_called) {
        pool->called--;
        return true;
    }
    worker **at = &pool->idle;
    while (*at != self)
        at = &(*at)->next;
    *at = self->next;
    return false;
}

/** Waits for a task with the lock held; NULL when the thread should end. */
static task *next_task(worker *self)
{
    pt__workers *pool = self->pool;
    struct timespec deadline = pt__monotonic_in_ms(pool->options.idle_ms);
    while (pool->first == NULL && !pool->closing && be_idle(self, &deadline))
        ;
    task *t = pool->first;
    if (t == NULL)
        return NULL;
    pool->first = t->next;
    if (pool->first == NULL)
        pool->last = NULL;
    pool->queued--;
    return t;
}

static void *run_worker(void *argument)
{
    worker *self = argument;
    pt__workers *pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    for (task *t = next_task(self); t != NULL; t = next_task(self)) {
        pthread_mutex_unlock(&pool->lock);
        t->run(t->context);
        free(t);
        pthread_mutex_lock(&pool->lock);
    }
    pool->live--;
    self->next = pool->finished;
    pool->finished = self;
    pthread_cond_signal(&pool->ended);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void free_worker(worker *w)
{
    pthread_cond_destroy(&w->called);
    free(w);
}

/** With the lock held. */
static bool add_thread(pt__workers *pool)
{
    worker *w = calloc(1, sizeof(*w));
    if (w == NULL)
        return false;
    w->pool = pool;
    pt__monotonic_condition_init(&w->called);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)pool->options.stack_bytes);
    int failed = pthread_create(&w->thread, &attributes, run_worker, w);
    pthread_attr_destroy(&attributes);
    if (failed != 0) {
        free_worker(w);
        return false;
    }
    pool->live++;
    return true;
}

static void join_all(worker *w)
{
    while (w != NULL) {
        worker *next = w->next;
        pthread_join(w->thread, NULL);
        free_worker(w);
        w = next;
    }
}

/** With the lock held; calls a thread that is idle, or makes one. */
static pt_status enqueue(pt__workers *pool, task *t, pt_error *err)
{
    if (pool->queued >= pool->options.max_queued)
        return pt_error_set(err, PT_LIMIT, "%llu tasks wait already (host.max-queued)",
                            (unsigned long long)pool->queued);
    if (pool->idle != NULL)
        call_idle(pool);
    else if (pool->queued >= pool->called && pool->live < pool->options.max_threads && !add_thread(pool) &&
             pool->live == 0)
        return pt_error_set(err, PT_UNAVAILABLE, "no worker thread could be made");
    if (pool->last != NULL)
        pool->last->next = t;
    else
        pool->first = t;
    pool->last = t;
    pool->queued++;
    return PT_OK;
}

pt_status pt__workers_post(pt__workers *pool, void (*run)(void *context), void *context, pt_error *err)
{
    task *t = calloc(1, sizeof(*t));
    if (t == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a task");
    t->run = run;
    t->context = context;
    pthread_mutex_lock(&pool->lock);
    pt_status status = enqueue(pool, t, err);
    worker *finished = pool->finished;
    pool->finished = NULL;
    pthread_mutex_unlock(&pool->lock);
    if (status != PT_OK)
        free(t);
    join_all(finished);
    return status;
}

void pt__workers_free(pt__workers *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    while (pool->idle != NULL)
        call_idle(pool);
    while (pool->live > 0)
        pthread_cond_wait(&pool->ended, &pool->lock);
    worker *finished = pool->finished;
    pthread_mutex_unlock(&pool->lock);
    join_all(finished);
    pthread_cond_destroy(&pool->ended);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
