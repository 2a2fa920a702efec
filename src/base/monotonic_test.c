#include "base/monotonic.h"

#include "base/test.h"

static bool is_time(struct timespec at)
{
    return at.tv_nsec >= 0 && at.tv_nsec < 1000000000;
}

static bool is_before(struct timespec one, struct timespec other)
{
    return one.tv_sec < other.tv_sec || (one.tv_sec == other.tv_sec && one.tv_nsec < other.tv_nsec);
}

PT_TEST(times_from_now_carry_into_seconds)
{
    struct timespec now = pt__monotonic_in_us(0);
    struct timespec almost = pt__monotonic_in_us(999999);
    struct timespec later = pt__monotonic_in_ms(UINT64_C(86400999));
    PT_CHECK(is_time(now) && is_time(almost) && is_time(later));
    PT_CHECK(is_before(now, almost) && is_before(almost, later));
    PT_CHECK(later.tv_sec - now.tv_sec >= 86400);
}

PT_TEST(a_condition_waits_for_times_of_the_clock)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    pt__monotonic_condition_init(&condition);
    struct timespec until = pt__monotonic_in_us(1000);
    pthread_mutex_lock(&lock);
    while (pthread_cond_timedwait(&condition, &lock, &until) == 0)
        continue;
    pthread_mutex_unlock(&lock);
    PT_CHECK(!is_before(pt__monotonic_in_us(0), until));
    pthread_cond_destroy(&condition);
}
