/**
 * Requests: the session that they name. Messages are unpacked by decode/spark_connect/message.h.
 */
#ifndef PT_FRONT_SPARK_CONNECT_REQUEST_H
#define PT_FRONT_SPARK_CONNECT_REQUEST_H

#include "decode/spark_connect/message.h"
#include "exec/session.h"

#include <portico/call.h>

/** The name of who calls, borrowed from the call; NULL when anyone may say who he is. */
const char *pt__connect_principal(pt_call *call);

/** Whose session a request is about; a principal counts for more than what the request says. */
pt__session_key pt__connect_key(const char *principal, const char *session_id, const Spark__Connect__UserContext *user,
                                const char *observed_id);

/** The key of an unpacked request of any type that has the common fields. */
#define PT_CONNECT_KEY(principal, request)                                                                             \
    pt__connect_key((principal), (request)->session_id, (request)->user_context,                                       \
                    (int)(request)->_client_observed_server_side_session_id_case == 0                                  \
                        ? NULL                                                                                         \
                        : (request)->client_observed_server_side_session_id)

#endif
