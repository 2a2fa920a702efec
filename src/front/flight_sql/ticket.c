#include "front/flight_sql/ticket.h"

#include "front/flight_sql/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct result {
    pt__flight_session *session;
    pt_job *job;
    uint64_t expires_ms;
} result;

static pt_status not_found(pt_error *err)
{
    return pt_error_set(err, PT_NOT_FOUND, "the ticket is unknown, was redeemed before, or has expired");
}

static bool ticket_text(pt_bytes_view ticket, char out[PT_FLIGHT_HANDLE_BYTES])
{
    if (ticket.size_bytes != PT_FLIGHT_HANDLE_BYTES - 1)
        return false;
    snprintf(out, PT_FLIGHT_HANDLE_BYTES, "%.*s", (int)ticket.size_bytes, (const char *)ticket.data);
    return true;
}

pt_status pt__flight_ticket_put(pt__flight *mount, pt__flight_session *session, pt_job *job,
                                char out[PT_FLIGHT_HANDLE_BYTES], pt_error *err)
{
    result *r = calloc(1, sizeof(*r));
    pt__flight_handle_make(out);
    if (r == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a ticket");
    *r = (result){session, job, mount->now_ms + mount->limits.ticket_lifetime_ms};
    pthread_mutex_lock(&mount->lock);
    bool has_room = mount->tickets.live_count < mount->limits.max_tickets;
    bool put = has_room && pt__map_set(&mount->tickets, out, r, NULL);
    pthread_mutex_unlock(&mount->lock);
    if (!put) {
        free(r);
        return has_room ? pt_error_set(err, PT_NO_MEMORY, "no memory for a ticket")
                        : pt_error_set(err, PT_LIMIT, "too many results wait to be fetched (flight-sql.max-tickets)");
    }
    pt__flight_session_ref(session);
    pt_job_ref(job);
    return PT_OK;
}

/* Under the lock; NULL: there is none of the user's. */
static result *find(const pt__flight *mount, const char *ticket, const char *user)
{
    result *r = pt__map_get(&mount->tickets, ticket);
    return r != NULL && strcmp(pt__session_user(r->session->session), user) == 0 ? r : NULL;
}

pt_status pt__flight_ticket_take(pt__flight *mount, pt_bytes_view ticket, const char *user,
                                 pt__flight_session **session, pt_job **job, pt_error *err)
{
    char text[PT_FLIGHT_HANDLE_BYTES];
    if (!ticket_text(ticket, text))
        return not_found(err);
    pthread_mutex_lock(&mount->lock);
    result *r = find(mount, text, user);
    if (r != NULL)
        pt__map_remove(&mount->tickets, text);
    pthread_mutex_unlock(&mount->lock);
    if (r == NULL)
        return not_found(err);
    *session = r->session;
    *job = r->job;
    free(r);
    return PT_OK;
}

pt_job *pt__flight_ticket_job(pt__flight *mount, pt_bytes_view ticket, const char *user)
{
    char text[PT_FLIGHT_HANDLE_BYTES];
    if (!ticket_text(ticket, text))
        return NULL;
    pthread_mutex_lock(&mount->lock);
    const result *r = find(mount, text, user);
    pt_job *job = r == NULL ? NULL : pt_job_ref(r->job);
    pthread_mutex_unlock(&mount->lock);
    return job;
}

bool pt__flight_ticket_renew(pt__flight *mount, pt_bytes_view ticket, const char *user)
{
    char text[PT_FLIGHT_HANDLE_BYTES];
    if (!ticket_text(ticket, text))
        return false;
    pthread_mutex_lock(&mount->lock);
    result *r = find(mount, text, user);
    if (r != NULL)
        r->expires_ms = mount->now_ms + mount->limits.ticket_lifetime_ms;
    pthread_mutex_unlock(&mount->lock);
    return r != NULL;
}

static result *take_expired(pt__flight *mount, bool all)
{
    const char *ticket;
    void *value;
    result *expired = NULL;
    pthread_mutex_lock(&mount->lock);
    for (size_t at = 0; expired == NULL && pt__map_next(&mount->tickets, &at, &ticket, &value);) {
        result *r = value;
        if (all || r->expires_ms < mount->now_ms)
            expired = pt__map_remove(&mount->tickets, ticket);
    }
    pthread_mutex_unlock(&mount->lock);
    return expired;
}

void pt__flight_tickets_expire(pt__flight *mount, bool all)
{
    result *r;
    while ((r = take_expired(mount, all)) != NULL) {
        pt__flight_drop_job(r->session, r->job);
        pt_job_unref(r->job);
        pt__flight_session_unref(r->session);
        free(r);
    }
}
