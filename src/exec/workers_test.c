#include "exec/workers.h"

#include "base/test.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

typedef struct fixture {
    pt__workers *pool;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    int begun;
    int ended;
    bool may_end;
} fixture;

static bool begin(fixture *f, uint64_t threads, uint64_t idle_ms)
{
    const pt__workers_options options = {
        .max_threads = threads, .max_queued = 1000, .stack_bytes = 256 << 10, .idle_ms = idle_ms};
    *f = (fixture){.may_end = true};
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    return pt__workers_new(&options, &f->pool, NULL) == PT_OK;
}

static void end(fixture *f)
{
    pt__workers_free(f->pool);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->lock);
}

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000 * 1000}, NULL);
}

/* A task: lasts until it may end. */
static void run(void *context)
{
    fixture *f = context;
    pthread_mutex_lock(&f->lock);
    f->begun++;
    pthread_cond_broadcast(&f->changed);
    while (!f->may_end)
        pthread_cond_wait(&f->changed, &f->lock);
    f->ended++;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static void post(fixture *f)
{
    PT_CHECK_EQ(pt__workers_post(f->pool, run, f, NULL), PT_OK);
}

static void set_may_end(fixture *f, bool may)
{
    pthread_mutex_lock(&f->lock);
    f->may_end = may;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static void await(fixture *f, const int *count, int wanted)
{
    pthread_mutex_lock(&f->lock);
    while (*count < wanted)
        pthread_cond_wait(&f->changed, &f->lock);
    pthread_mutex_unlock(&f->lock);
}

/* As many threads as there are tasks at once. */
static void make_threads(fixture *f, int count)
{
    int all = f->begun + count; /* nothing runs yet */
    set_may_end(f, false);
    for (int i = 0; i < count; i++)
        post(f);
    await(f, &f->begun, all);
    set_may_end(f, true);
    await(f, &f->ended, all);
}

PT_TEST(workers_run_tasks_side_by_side)
{
    fixture f;
    PT_REQUIRE(begin(&f, 8, 1000));
    make_threads(&f, 8);
    PT_CHECK_EQ(f.ended, 8);
    end(&f);
}

PT_TEST(workers_run_more_tasks_than_threads)
{
    fixture f;
    PT_REQUIRE(begin(&f, 2, 1000));
    set_may_end(&f, false);
    for (int i = 0; i < 500; i++)
        post(&f);
    await(&f, &f.begun, 2);
    set_may_end(&f, true);
    await(&f, &f.ended, 500);
    end(&f);
}

PT_TEST(workers_refuse_what_does_not_fit_the_queue)
{
    fixture f;
    pt_error err = PT_ERROR_INIT;
    PT_REQUIRE(begin(&f, 1, 1000));
    set_may_end(&f, false);
    post(&f);
    await(&f, &f.begun, 1);
    for (int i = 0; i < 1000; i++)
        post(&f);
    PT_CHECK_EQ(pt__workers_post(f.pool, run, &f, &err), PT_LIMIT);
    pt_error_clear(&err);
    set_may_end(&f, true);
    await(&f, &f.ended, 1001);
    end(&f);
}

static int thread_count(void)
{
    int count = 0;
    DIR *threads = opendir("/proc/self/task");
    while (threads != NULL && readdir(threads) != NULL)
        count++;
    if (threads != NULL)
        closedir(threads);
    return count;
}

PT_TEST(workers_that_are_idle_end_and_come_back)
{
    fixture f;
    PT_REQUIRE(begin(&f, 4, 1));
    int before = thread_count();
    for (int i = 0; i < 50; i++) {
        post(&f);
        post(&f);
        nap_ms(i % 3);
    }
    await(&f, &f.ended, 100);
    for (int i = 0; i < 1000 && thread_count() > before; i++)
        nap_ms(1);
    PT_CHECK(thread_count() <= before); /* one of a former pool may have been about to go */
    make_threads(&f, 4);
    end(&f);
}

PT_TEST(workers_do_what_is_queued_before_they_are_freed)
{
    fixture f;
    PT_REQUIRE(begin(&f, 2, 1000));
    for (int i = 0; i < 100; i++)
        post(&f);
    pt__workers_free(f.pool);
    f.pool = NULL;
    PT_CHECK_EQ(f.ended, 100);
    end(&f);
}

typedef struct poster {
    fixture *f;
    pthread_t thread;
} poster;

static void *post_many(void *context)
{
    const poster *p = context;
    for (int i = 0; i < 200; i++) {
        post(p->f);
        if (i % 50 == 0)
            nap_ms(2);
    }
    return NULL;
}

PT_TEST(workers_take_tasks_of_many_threads)
{
    fixture f;
    poster posters[4];
    PT_REQUIRE(begin(&f, 3, 1));
    for (int i = 0; i < 4; i++) {
        posters[i].f = &f;
        PT_REQUIRE(pthread_create(&posters[i].thread, NULL, post_many, &posters[i]) == 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(posters[i].thread, NULL);
    await(&f, &f.ended, 800);
    end(&f);
}
