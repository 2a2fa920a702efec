/**
 * Admission: a call that waits for its authenticator. Held by the stream and by the authenticator; the answer comes
 * through the connection's mailbox.
 */
#ifndef PT_WIRE_ADMISSION_H
#define PT_WIRE_ADMISSION_H

#include "wire/stream.h"

#include <portico/authenticator.h>

/** The authenticator's reference is `*out`, the stream's is the same pointer. */
pt_status pt__admission_new(pt__stream *stream, pt_mailbox *mailbox, pt_admission **out, pt_error *err);

/** The stream lets go: it is over, or an answer is no longer wanted. Threads: the loop thread. */
void pt__admission_forget(pt_admission *admission);

#endif
