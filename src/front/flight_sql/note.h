/**
 * Notes: at log level debug, one line for each call, which says what it asks for and by which client: what a tool sends
 * is seldom documented. No text of a statement, and no value.
 *
 * Threads: the call's loop thread.
 */
#ifndef PT_FRONT_FLIGHT_SQL_NOTE_H
#define PT_FRONT_FLIGHT_SQL_NOTE_H

#include "front/flight_sql/mount.h"

/** `message` is the call's first one; later ones (call->state is set) are passed over. */
void pt__flight_note(pt__flight *mount, pt_call *call, const char *rpc, pt_bytes_view message);

#endif
