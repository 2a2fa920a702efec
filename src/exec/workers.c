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
    struct worker *next;
    pt__workers *pool;
    pthread_t thread;
} worker;

struct pt__workers {
    pthread_mutex_t lock;
    pthread_cond_t work;  /* a task, or the end */
    pthread_cond_t ended; /* a thread has put itself into `finished` */
    pt__workers_options options;
    task *first;
    task *last;
    uint64_t queued;
    uint64_t idle;
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
    pt__monotonic_condition_init(&pool->work);
    pthread_cond_init(&pool->ended, NULL);
    *out = pool;
    return PT_OK;
}

/** Waits for a task with the lock held; NULL when the thread should end. */
static task *next_task(pt__workers *pool)
{
    struct timespec deadline = pt__monotonic_in_ms(pool->options.idle_ms);
    pool->idle++;
    int waited = 0;
    while (pool->first == NULL && !pool->closing && waited == 0)
        waited = pthread_cond_timedwait(&pool->work, &pool->lock, &deadline);
    pool->idle--;
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
    for (task *t = next_task(pool); t != NULL; t = next_task(pool)) {
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

/** With the lock held. */
static bool add_thread(pt__workers *pool)
{
    worker *w = calloc(1, sizeof(*w));
    if (w == NULL)
        return false;
    w->pool = pool;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)pool->options.stack_bytes);
    int failed = pthread_create(&w->thread, &attributes, run_worker, w);
    pthread_attr_destroy(&attributes);
    if (failed != 0) {
        free(w);
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
        free(w);
        w = next;
    }
}

/** With the lock held; makes a thread when all are busy. */
static pt_status enqueue(pt__workers *pool, task *t, pt_error *err)
{
    if (pool->queued >= pool->options.max_queued)
        return pt_error_set(err, PT_LIMIT, "%llu tasks wait already (host.max-queued)",
                            (unsigned long long)pool->queued);
    if (pool->queued >= pool->idle && pool->live < pool->options.max_threads)
        if (!add_thread(pool) && pool->live == 0)
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
    if (status == PT_OK)
        pthread_cond_signal(&pool->work); /* without the lock, which whoever wakes wants at once */
    else
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
    pthread_cond_broadcast(&pool->work);
    while (pool->live > 0)
        pthread_cond_wait(&pool->ended, &pool->lock);
    worker *finished = pool->finished;
    pthread_mutex_unlock(&pool->lock);
    join_all(finished);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->ended);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
