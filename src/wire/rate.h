/**
 * Rate: counts events against an allowance per second; ten seconds' worth may come at once.
 */
#ifndef PT_WIRE_RATE_H
#define PT_WIRE_RATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pt__rate {
    uint64_t per_second;
    uint64_t left_thousandths; /* of an event */
    uint64_t counted_ms;
} pt__rate;

void pt__rate_init(pt__rate *rate, uint64_t per_second, uint64_t now_ms);

/** Counts one event; false when the allowance is used up. */
bool pt__rate_take(pt__rate *rate, uint64_t now_ms);

/** Gives one event back. */
void pt__rate_return(pt__rate *rate);

#endif
