#include "backend/ballista/wake.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

pt_status pt__wake_init(pt__wake *wake, pt_error *err)
{
    atomic_init(&wake->is_raised, false);
    wake->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wake->fd >= 0 ? PT_OK : pt_error_set(err, PT_UNAVAILABLE, "no descriptor to wait by: %s", strerror(errno));
}

void pt__wake_deinit(pt__wake *wake)
{
    if (wake->fd >= 0)
        close(wake->fd);
    wake->fd = -1;
}

void pt__wake_raise(pt__wake *wake)
{
    uint64_t one = 1;
    if (!atomic_exchange(&wake->is_raised, true))
        (void)!write(wake->fd, &one, sizeof(one)); /* it has room for the one that is ever written */
}

bool pt__wake_is_raised(const pt__wake *wake)
{
    return atomic_load(&wake->is_raised);
}

uint64_t pt__ms_from_now(uint64_t ms)
{
    uint64_t now_ms = pt__monotonic_ms();
    return ms > UINT64_MAX - now_ms ? UINT64_MAX : now_ms + ms;
}

void pt__wake_sleep(pt__wake *wake, uint64_t until_ms)
{
    uint64_t now_ms = pt__monotonic_ms();
    struct pollfd entry = {.fd = wake->fd, .events = POLLIN};
    if (until_ms > now_ms)
        poll(&entry, 1, until_ms - now_ms > INT_MAX ? INT_MAX : (int)(until_ms - now_ms));
}
