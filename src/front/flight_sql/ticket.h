/**
 * Tickets: what DoGet redeems, once.
 *
 * A ticket is either the name of a result, random text that cannot be guessed, or a metadata command as it was sent,
 * which runs when it is redeemed. A result's ticket is good for the user whose statement it was, on any connection;
 * others do not find it.
 *
 * Threads: any.
 */
#ifndef PT_FRONT_FLIGHT_SQL_TICKET_H
#define PT_FRONT_FLIGHT_SQL_TICKET_H

#include "front/flight_sql/session.h"

/** Puts a job's result under a new ticket, the references are copied. */
pt_status pt__flight_ticket_put(pt__flight *mount, pt__flight_session *session, pt_job *job,
                                char out[PT_FLIGHT_HANDLE_BYTES], pt_error *err);

/** Takes the result: references of the caller's. Errors: PT_NOT_FOUND. */
pt_status pt__flight_ticket_take(pt__flight *mount, pt_bytes_view ticket, const char *user,
                                 pt__flight_session **session, pt_job **job, pt_error *err);

/** The job of a ticket that was not redeemed: a reference; NULL: there is none. */
pt_job *pt__flight_ticket_job(pt__flight *mount, pt_bytes_view ticket, const char *user);

/** A later expiry; false when there is no such ticket. */
bool pt__flight_ticket_renew(pt__flight *mount, pt_bytes_view ticket, const char *user);

/** Drops what was not redeemed in time, or everything. */
void pt__flight_tickets_expire(pt__flight *mount, bool all);

#endif
