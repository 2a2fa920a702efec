#include "base/monotonic.h"

uint64_t pt__monotonic_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct timespec in(uint64_t seconds, uint64_t ns)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    ns += (uint64_t)at.tv_nsec;
    at.tv_sec += (time_t)(seconds + ns / 1000000000);
    at.tv_nsec = (long)(ns % 1000000000);
    return at;
}

struct timespec pt__monotonic_in_us(uint64_t us)
{
    return in(us / 1000000, us % 1000000 * 1000);
}

struct timespec pt__monotonic_in_ms(uint64_t ms)
{
    return in(ms / 1000, ms % 1000 * 1000000);
}

void pt__monotonic_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}
