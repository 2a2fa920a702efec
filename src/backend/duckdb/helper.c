#include "backend/duckdb/helper.h"

#include "base/monotonic.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    LOOK_MS = 10,          /* between looks at streams */
    SETTLE_MS = 500,       /* idle for as long, what the thread keeps for itself is given back */
    ANSWERED_MS = 3,       /* a task is waited for longer (5 ms): no call is left */
    SKIPPED_MOST = 1 << 12 /* statements, until the calls for threads that they left are taken */
};

/* What the thread is to do next. */
typedef enum duty {
    DUTY_NONE,
    DUTY_LOOK, /* at streams, a little later */
    DUTY_WORK,
    DUTY_END
} duty;

struct pt__helper {
    duckdb_database database;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    pthread_cond_t stopped; /* at work no more */
    pt__helped *helped;
    uint64_t skipped;
    bool is_clearing; /* calls that nobody answered */
    bool is_working;
    bool is_retired;
    bool is_ending;
    bool is_settled; /* keeps no memory for itself */
};

/* ---- what there is to do ---- */

static bool is_waiting(const pt__helped *helped, uint64_t now)
{
    uint64_t since = atomic_load_explicit(&helped->waiting_since, memory_order_relaxed);
    return since != 0 && now > since + PT_HELPER_PATIENCE_MS;
}

/* With the lock held. */
static duty next_duty(const pt__helper *helper)
{
    if (helper->is_ending)
        return DUTY_END;
    if (helper->is_retired)
        return DUTY_NONE;
    uint64_t now = helper->helped == NULL ? 0 : pt__monotonic_ms();
    for (const pt__helped *helped = helper->helped; helped != NULL; helped = helped->next)
        if (!helped->is_stream || is_waiting(helped, now))
            return DUTY_WORK;
    return helper->is_clearing ? DUTY_WORK : helper->helped != NULL ? DUTY_LOOK : DUTY_NONE;
}

/* ---- the thread ---- */

/* One task, or some milliseconds without any. */
static void work(pt__helper *helper)
{
    uint64_t start = pt__monotonic_ms();
    helper->is_settled = false;
    helper->is_working = true;
    pthread_mutex_unlock(&helper->lock);
    duckdb_execute_tasks(helper->database, 1);
    pthread_mutex_lock(&helper->lock);
    helper->is_working = false;
    if (helper->is_retired)
        pthread_cond_broadcast(&helper->stopped);
    if (pt__monotonic_ms() - start >= ANSWERED_MS)
        helper->is_clearing = false;
}

static bool wait_ms(pt__helper *helper, uint64_t ms)
{
    struct timespec at = pt__monotonic_in_ms(ms);
    return pthread_cond_timedwait(&helper->changed, &helper->lock, &at) == 0;
}

/* A thread that ends its work in DuckDB's own way gives its memory back. */
static void settle(pt__helper *helper)
{
    helper->is_settled = true;
    pthread_mutex_unlock(&helper->lock);
    duckdb_task_state state = duckdb_create_task_state(helper->database);
    duckdb_finish_execution(state);
    duckdb_execute_tasks_state(state);
    duckdb_destroy_task_state(state);
    pthread_mutex_lock(&helper->lock);
}

static void rest(pt__helper *helper)
{
    if (helper->is_settled)
        pthread_cond_wait(&helper->changed, &helper->lock);
    else if (!wait_ms(helper, SETTLE_MS))
        settle(helper);
}

static void *run(void *context)
{
    pt__helper *helper = context;
    duty next;
    pthread_mutex_lock(&helper->lock);
    while ((next = next_duty(helper)) != DUTY_END) {
        switch (next) {
        case DUTY_WORK: work(helper); break;
        case DUTY_LOOK: wait_ms(helper, LOOK_MS); break;
        default: rest(helper); break;
        }
    }
    pthread_mutex_unlock(&helper->lock);
    return NULL;
}

/* ---- lifetime ---- */

static void free_helper(pt__helper *helper)
{
    pthread_cond_destroy(&helper->stopped);
    pthread_cond_destroy(&helper->changed);
    pthread_mutex_destroy(&helper->lock);
    free(helper);
}

pt_status pt__helper_new(duckdb_database database, pt__helper **out, pt_error *err)
{
    pt__helper *helper = calloc(1, sizeof(*helper));
    if (helper == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a thread of DuckDB");
    helper->database = database;
    helper->is_settled = true;
    pthread_mutex_init(&helper->lock, NULL);
    pt__monotonic_condition_init(&helper->changed);
    pthread_cond_init(&helper->stopped, NULL);
    if (pthread_create(&helper->thread, NULL, run, helper) != 0) {
        free_helper(helper);
        return pt_error_set(err, PT_NO_MEMORY, "a thread of DuckDB cannot be started");
    }
    *out = helper;
    return PT_OK;
}

void pt__helper_free(pt__helper *helper)
{
    if (helper == NULL)
        return;
    pthread_mutex_lock(&helper->lock);
    helper->is_ending = true;
    pthread_cond_signal(&helper->changed);
    pthread_mutex_unlock(&helper->lock);
    pthread_join(helper->thread, NULL);
    free_helper(helper);
}

/* ---- statements ---- */

void pt__helper_begin(pt__helper *helper, pt__helped *helped)
{
    if (helper == NULL)
        return;
    pthread_mutex_lock(&helper->lock);
    if (helped->helper == NULL) {
        helped->helper = helper;
        helped->next = helper->helped;
        helper->helped = helped;
    }
    helped->is_stream = false;
    pthread_cond_signal(&helper->changed);
    pthread_mutex_unlock(&helper->lock);
}

void pt__helper_stream(pt__helped *helped)
{
    if (helped->helper == NULL)
        return;
    pthread_mutex_lock(&helped->helper->lock);
    helped->is_stream = true;
    pthread_mutex_unlock(&helped->helper->lock);
}

void pt__helped_wait(pt__helped *helped)
{
    if (helped->helper != NULL)
        atomic_store_explicit(&helped->waiting_since, pt__monotonic_ms(), memory_order_relaxed);
}

void pt__helped_go_on(pt__helped *helped)
{
    atomic_store_explicit(&helped->waiting_since, 0, memory_order_relaxed);
}

void pt__helper_end(pt__helped *helped)
{
    pt__helper *helper = helped->helper;
    if (helper == NULL)
        return;
    pthread_mutex_lock(&helper->lock);
    pt__helped **at = &helper->helped;
    while (*at != helped)
        at = &(*at)->next;
    *at = helped->next;
    pthread_mutex_unlock(&helper->lock);
    helped->helper = NULL;
    helped->next = NULL;
}

void pt__helper_skip(pt__helper *helper)
{
    if (helper == NULL)
        return;
    pthread_mutex_lock(&helper->lock);
    if (++helper->skipped % SKIPPED_MOST == 0) {
        helper->is_clearing = true;
        pthread_cond_signal(&helper->changed);
    }
    pthread_mutex_unlock(&helper->lock);
}

void pt__helper_retire(pt__helper *helper)
{
    if (helper == NULL)
        return;
    pthread_mutex_lock(&helper->lock);
    helper->is_retired = true;
    while (helper->is_working)
        pthread_cond_wait(&helper->stopped, &helper->lock);
    pthread_mutex_unlock(&helper->lock);
}
