/**
 * The system's clock that nobody sets, and waiting until a time of it.
 *
 * For waits within the process alone: what a host tells about times goes by the clock of its embedder (exec/host.h).
 */
#ifndef PT_BASE_MONOTONIC_H
#define PT_BASE_MONOTONIC_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/** Milliseconds since a time that is unspecified. */
uint64_t pt__monotonic_ms(void);

/** The time so many microseconds from now, for pthread_cond_timedwait on a condition of the following. */
struct timespec pt__monotonic_in_us(uint64_t us);
struct timespec pt__monotonic_in_ms(uint64_t ms);

/** Initializes a condition whose times are those of this clock. */
void pt__monotonic_condition_init(pthread_cond_t *condition);

#endif
