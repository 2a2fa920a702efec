#include "auth/failures.h"

#include "base/buffer.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_MAX = 10000, FORGOTTEN_AFTER_MS = 600000 };

void pt__failures_deinit(pt__failures *failures)
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&failures->by_key, &at, &key, &value);)
        free(value);
    pt__map_deinit(&failures->by_key);
}

/* RFC 4291 section 2.5.4: the lower half of an address of IPv6 is the host's own choice. */
static void append_address(pt__buffer *out, const char *peer)
{
    char address[INET6_ADDRSTRLEN + 1] = "";
    struct in6_addr six;
    const char *port = strrchr(peer, ':');
    size_t size = port == NULL ? strlen(peer) : (size_t)(port - peer);
    snprintf(address, sizeof(address), "%.*s", size < sizeof(address) ? (int)size : (int)sizeof(address) - 1, peer);
    if (inet_pton(AF_INET6, address, &six) != 1 || IN6_IS_ADDR_V4MAPPED(&six)) {
        pt__buffer_append_string(out, address);
        return;
    }
    for (size_t i = 0; i < 8; i++)
        pt__buffer_printf(out, "%02x", six.s6_addr[i]);
}

static bool is_forgotten(const pt__failure *failure, uint64_t now_ms)
{
    return failure->users == 0 && now_ms - failure->last_ms > FORGOTTEN_AFTER_MS;
}

static void forget_old(pt__failures *failures, uint64_t now_ms)
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&failures->by_key, &at, &key, &value);)
        if (is_forgotten(value, now_ms))
            free(pt__map_remove(&failures->by_key, key));
}

static pt__failure *make_record(pt__failures *failures, const char *key, uint64_t now_ms)
{
    if (failures->by_key.live_count >= RECORDS_MAX)
        forget_old(failures, now_ms);
    pt__failure *made = failures->by_key.live_count < RECORDS_MAX ? calloc(1, sizeof(*made)) : NULL;
    if (made != NULL && !pt__map_set(&failures->by_key, key, made, NULL)) {
        free(made);
        made = NULL;
    }
    return made;
}

pt__failure *pt__failures_use(pt__failures *failures, const char *peer, const char *name, uint64_t now_ms)
{
    pt__buffer key = PT_BUFFER_INIT;
    append_address(&key, peer);
    if (name != NULL)
        pt__buffer_printf(&key, " %s", name);
    const char *text = pt__buffer_string(&key);
    pt__failure *found = pt__map_get(&failures->by_key, text);
    if (found == NULL)
        found = make_record(failures, text, now_ms);
    else if (is_forgotten(found, now_ms))
        *found = (pt__failure){0};
    pt__buffer_deinit(&key);
    if (found != NULL)
        found->users++;
    return found;
}

void pt__failures_release(pt__failure *failure)
{
    if (failure != NULL)
        failure->users--;
}

uint64_t pt__failures_count(pt__failure *failure, const pt__auth_limits *limits, uint64_t now_ms)
{
    uint64_t delay_ms = limits->failure_delay_ms;
    for (uint64_t i = 0; failure != NULL && i < failure->count && delay_ms < limits->max_failure_delay_ms; i++)
        delay_ms *= 2;
    if (delay_ms > limits->max_failure_delay_ms)
        delay_ms = limits->max_failure_delay_ms;
    if (failure != NULL) {
        failure->count++;
        failure->last_ms = now_ms;
        failure->free_at_ms = now_ms + delay_ms;
    }
    return delay_ms;
}
