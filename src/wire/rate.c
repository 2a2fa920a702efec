#include "wire/rate.h"

enum { BURST_SECONDS = 10, THOUSANDTHS = 1000 };

static uint64_t most(const pt__rate *rate)
{
    return rate->per_second * BURST_SECONDS * THOUSANDTHS;
}

void pt__rate_init(pt__rate *rate, uint64_t per_second, uint64_t now_ms)
{
    rate->per_second = per_second;
    rate->left_thousandths = most(rate);
    rate->counted_ms = now_ms;
}

bool pt__rate_take(pt__rate *rate, uint64_t now_ms)
{
    if (now_ms > rate->counted_ms) {
        uint64_t elapsed_ms = now_ms - rate->counted_ms;
        uint64_t room = most(rate) - rate->left_thousandths;
        /* Per second and thousandths per millisecond are the same number. */
        bool full = elapsed_ms > BURST_SECONDS * THOUSANDTHS || elapsed_ms * rate->per_second >= room;
        rate->left_thousandths = full ? most(rate) : rate->left_thousandths + elapsed_ms * rate->per_second;
        rate->counted_ms = now_ms;
    }
    if (rate->left_thousandths < THOUSANDTHS)
        return false;
    rate->left_thousandths -= THOUSANDTHS;
    return true;
}

void pt__rate_return(pt__rate *rate)
{
    if (rate->left_thousandths + THOUSANDTHS <= most(rate))
        rate->left_thousandths += THOUSANDTHS;
}
