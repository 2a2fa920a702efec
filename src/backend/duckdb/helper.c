#include "backend/duckdb/helper.h"

#include "base/monotonic.h"

#include <pthread.h>
#include <stdlib.h>

/*
 * DuckDB's own threads sleep on a semaphore. One of ours there would take calls that were meant for them, such as that to
 * end, after which DuckDB would wait for a thread that nobody wakes. So tasks are asked for, at growing intervals.
 */
enum {
    NAP_LEAST_US = 50,
    NAP_MOST_US = 1000,
    LOOK_LEAST_US = 10 * 1000, /* between looks at streams */
    LOOK_MOST_US = 100 * 1000, /* if nobody wants their rows */
    SETTLE_US = 500 * 1000     /* idle for as long, what the thread keeps for itself is given back */
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
    duckdb_task_state tasks;
    pthread_t thread;
    bool is_alone;        /* with who waits; DuckDB has no threads of its own */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    pt__helped *helped;
    uint64_t nap_us;
    uint64_t look_us;
    bool is_retired;
    bool is_ending;
    bool is_settled; /* keeps no memory for itself */
};

/* ---- what there is to do ---- */

/* 0: it does not wait. */
static uint64_t waits_since(const pt__helped *helped)
{
    return atomic_load_explicit(&helped->waiting_since, memory_order_relaxed);
}

static bool has_waited(const pt__helped *helped, uint64_t now, uint64_t ms)
{
    uint64_t since = waits_since(helped);
    return since != 0 && now > since + ms;
}

/* With the lock held, as below. */
static void interrupt(pt__helped *helped)
{
    if (helped->interrupts != NULL)
        duckdb_interrupt(helped->interrupts);
    helped->interrupts = NULL;
}

static void interrupt_late(const pt__helper *helper, uint64_t now)
{
    for (pt__helped *helped = helper->helped; helped != NULL; helped = helped->next)
        if (has_waited(helped, now, PT_HELPER_GRACE_MS))
            interrupt(helped);
}

static bool has_interrupts(const pt__helper *helper)
{
    const pt__helped *helped = helper->helped;
    while (helped != NULL && helped->interrupts == NULL)
        helped = helped->next;
    return helped != NULL;
}

static duty next_duty(const pt__helper *helper)
{
    if (helper->is_ending)
        return DUTY_END;
    if (helper->helped == NULL)
        return DUTY_NONE;
    uint64_t now = pt__monotonic_ms();
    interrupt_late(helper, now);
    if (helper->is_retired)
        return has_interrupts(helper) ? DUTY_LOOK : DUTY_NONE;
    for (const pt__helped *helped = helper->helped; helped != NULL; helped = helped->next)
        if (!helped->is_stream || has_waited(helped, now, PT_HELPER_PATIENCE_MS))
            return DUTY_WORK;
    return DUTY_LOOK;
}

/* ---- the thread ---- */

static bool wait_us(pt__helper *helper, uint64_t us)
{
    struct timespec at = pt__monotonic_in_us(us);
    return pthread_cond_timedwait(&helper->changed, &helper->lock, &at) == 0;
}

static uint64_t longer(uint64_t us, uint64_t most_us)
{
    return us * 2 < most_us ? us * 2 : most_us;
}

/* One task; if there is none, a nap. */
static void work(pt__helper *helper)
{
    helper->is_settled = false;
    pthread_mutex_unlock(&helper->lock);
    bool has_worked = duckdb_execute_n_tasks_state(helper->tasks, 1) > 0;
    pthread_mutex_lock(&helper->lock);
    if (has_worked) {
        helper->nap_us = NAP_LEAST_US;
        return;
    }
    wait_us(helper, helper->nap_us);
    helper->nap_us = longer(helper->nap_us, NAP_MOST_US);
}

static bool some_reader_waits(const pt__helper *helper)
{
    const pt__helped *helped = helper->helped;
    while (helped != NULL && waits_since(helped) == 0)
        helped = helped->next;
    return helped != NULL;
}

static void look_later(pt__helper *helper)
{
    wait_us(helper, helper->look_us);
    helper->look_us = some_reader_waits(helper) ? LOOK_LEAST_US : longer(helper->look_us, LOOK_MOST_US);
}

/* A thread that has executed tasks in DuckDB's own way, if only none, gives back memory that it keeps for others. */
static void settle(pt__helper *helper)
{
    helper->is_settled = true;
    pthread_mutex_unlock(&helper->lock);
    duckdb_task_state none = duckdb_create_task_state(helper->database);
    duckdb_finish_execution(none);
    duckdb_execute_tasks_state(none);
    duckdb_destroy_task_state(none);
    pthread_mutex_lock(&helper->lock);
}

static void rest(pt__helper *helper)
{
    if (helper->is_settled)
        pthread_cond_wait(&helper->changed, &helper->lock);
    else if (!wait_us(helper, SETTLE_US))
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
        case DUTY_LOOK: look_later(helper); break;
        case DUTY_NONE: rest(helper); break;
        case DUTY_END: break;
        }
    }
    pthread_mutex_unlock(&helper->lock);
    return NULL;
}

/* ---- lifetime ---- */

static void free_helper(pt__helper *helper)
{
    if (helper->tasks != NULL)
        duckdb_destroy_task_state(helper->tasks);
    pthread_cond_destroy(&helper->changed);
    pthread_mutex_destroy(&helper->lock);
    free(helper);
}

pt_status pt__helper_new(duckdb_database database, int64_t threads, pt__helper **out, pt_error *err)
{
    pt__helper *helper = calloc(1, sizeof(*helper));
    if (helper == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a thread of DuckDB");
    helper->database = database;
    helper->is_alone = threads == PT_HELPER_THREADS;
    helper->is_retired = threads < PT_HELPER_THREADS;
    helper->is_settled = true;
    helper->nap_us = NAP_LEAST_US;
    helper->look_us = LOOK_LEAST_US;
    pthread_mutex_init(&helper->lock, NULL);
    pt__monotonic_condition_init(&helper->changed);
    helper->tasks = duckdb_create_task_state(database);
    if (helper->tasks == NULL || pthread_create(&helper->thread, NULL, run, helper) != 0) {
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

bool pt__helper_executes(pt__helper *helper)
{
    if (helper == NULL)
        return false;
    pthread_mutex_lock(&helper->lock);
    bool executes = !helper->is_retired;
    pthread_mutex_unlock(&helper->lock);
    return executes;
}

bool pt__helper_is_alone(pt__helper *helper)
{
    return pt__helper_executes(helper) && helper->is_alone;
}

void pt__helper_retire(pt__helper *helper)
{
    if (helper == NULL)
        return;
    pthread_mutex_lock(&helper->lock);
    helper->is_retired = true;
    pthread_mutex_unlock(&helper->lock);
}

/* ---- statements ---- */

void pt__helped_begin(pt__helped *helped, pt__helper *helper)
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
    helper->nap_us = NAP_LEAST_US;
    helper->look_us = LOOK_LEAST_US;
    if (!helper->is_retired)
        pthread_cond_signal(&helper->changed);
    pthread_mutex_unlock(&helper->lock);
}

void pt__helped_stream(pt__helped *helped)
{
    if (helped->helper == NULL)
        return;
    pthread_mutex_lock(&helped->helper->lock);
    helped->is_stream = true;
    pthread_mutex_unlock(&helped->helper->lock);
}

void pt__helped_wait(pt__helped *helped)
{
    atomic_store_explicit(&helped->waiting_since, pt__monotonic_ms(), memory_order_relaxed);
}

void pt__helped_go_on(pt__helped *helped)
{
    atomic_store_explicit(&helped->waiting_since, 0, memory_order_relaxed);
}

bool pt__helped_interrupt_late(pt__helped *helped, duckdb_connection connection)
{
    pt__helper *helper = helped->helper;
    if (helper == NULL)
        return false;
    pthread_mutex_lock(&helper->lock);
    helped->interrupts = connection;
    helper->look_us = LOOK_LEAST_US;
    pthread_cond_signal(&helper->changed);
    pthread_mutex_unlock(&helper->lock);
    return true;
}

void pt__helped_end(pt__helped *helped)
{
    pt__helper *helper = helped->helper;
    if (helper == NULL)
        return;
    pthread_mutex_lock(&helper->lock);
    pt__helped **at = &helper->helped;
    while (*at != helped)
        at = &(*at)->next;
    *at = helped->next;
    helped->interrupts = NULL;
    pthread_mutex_unlock(&helper->lock);
    helped->helper = NULL;
    helped->next = NULL;
}
