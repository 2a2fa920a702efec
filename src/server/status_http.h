/**
 * What the status page's listener reads and answers: HTTP/1.1 requests of browsers, as bytes. No I/O.
 *
 * A request is GET or HEAD of /, /status or /status.json without a body; anything else is refused, and the connection
 * ends after each answer. A Host that is a name other than localhost is refused, too, unless all are taken: a page of
 * another site whose name has been pointed at this machine must not read this one.
 *
 * Spec: RFC 9112, RFC 9110.
 */
#ifndef PT_SERVER_STATUS_HTTP_H
#define PT_SERVER_STATUS_HTTP_H

#include "server/status_page.h"

enum { PT_STATUS_REQUEST_MAX = 8192 }; /* bytes of a request's head */

/** Whether `bytes` hold a whole head, or so much that there is none. */
bool pt__status_is_complete(const char *bytes, size_t size);

/** Appends the whole answer to a complete request. */
void pt__status_answer(const pt__status_source *source, bool any_host, const char *bytes, size_t size, pt__buffer *out);

#endif
