#include <portico/mailbox.h>

#include "base/test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { POSTS = 1000, THREADS = 4 };

typedef struct state {
    pt_mailbox *mailbox;
    atomic_int woken;
    int runs;
    int last;
    bool ordered;
} state;

typedef struct letter {
    state *owner;
    int number;
} letter;

static void on_wake(void *context)
{
    atomic_fetch_add(&((state *)context)->woken, 1);
}

static void take_in_order(void *argument)
{
    letter *taken = argument;
    taken->owner->runs++;
    taken->owner->ordered = taken->owner->ordered && taken->number == taken->owner->last + 1;
    taken->owner->last = taken->number;
}

PT_TEST(mailbox_runs_posts_in_order_and_wakes_once)
{
    state s = {.ordered = true};
    PT_REQUIRE(pt_mailbox_new(on_wake, &s, &s.mailbox, NULL) == PT_OK);
    letter letters[100];
    for (int i = 0; i < 100; i++) {
        letters[i] = (letter){&s, i + 1};
        pt_mailbox_post(s.mailbox, take_in_order, &letters[i]);
    }
    PT_CHECK_EQ(atomic_load(&s.woken), 1);
    PT_CHECK_EQ(pt_mailbox_run(s.mailbox), 100);
    PT_CHECK_EQ(pt_mailbox_run(s.mailbox), 0);
    PT_CHECK(s.ordered);
    pt_mailbox_free(s.mailbox);
}

static void post_again(void *argument)
{
    state *s = argument;
    if (++s->runs < 3)
        pt_mailbox_post(s->mailbox, post_again, s);
}

PT_TEST(mailbox_leaves_what_is_posted_meanwhile_for_the_next_run)
{
    state s = {.ordered = true};
    PT_REQUIRE(pt_mailbox_new(on_wake, &s, &s.mailbox, NULL) == PT_OK);
    pt_mailbox_post(s.mailbox, post_again, &s);
    PT_CHECK_EQ(pt_mailbox_run(s.mailbox), 1);
    PT_CHECK_EQ(s.runs, 1);
    PT_CHECK_EQ(atomic_load(&s.woken), 2);
    pt_mailbox_free(s.mailbox); /* runs the rest */
    PT_CHECK_EQ(s.runs, 3);
}

static void count(void *argument)
{
    ((state *)argument)->runs++;
}

static void *post_many(void *argument)
{
    for (int i = 0; i < POSTS; i++)
        pt_mailbox_post(((state *)argument)->mailbox, count, argument);
    return NULL;
}

PT_TEST(mailbox_takes_posts_of_many_threads)
{
    state s = {.ordered = true};
    pthread_t threads[THREADS];
    PT_REQUIRE(pt_mailbox_new(on_wake, &s, &s.mailbox, NULL) == PT_OK);
    for (int i = 0; i < THREADS; i++)
        PT_REQUIRE(pthread_create(&threads[i], NULL, post_many, &s) == 0);
    while (s.runs < POSTS * THREADS / 2)
        pt_mailbox_run(s.mailbox);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pt_mailbox_run(s.mailbox);
    PT_CHECK_EQ(s.runs, POSTS * THREADS);
    pt_mailbox_free(s.mailbox);
}
