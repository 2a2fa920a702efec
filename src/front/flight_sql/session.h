/**
 * A client's session: the host's, and what Flight SQL keeps beside it: prepared statements and transactions.
 *
 * A call belongs to the session of its bearer token if a Handshake gave it, else to that of its user on its HTTP/2
 * connection. Both belong to the principal that made them, and are found by no other.
 *
 * Threads: any; `lock` guards the maps.
 */
#ifndef PT_FRONT_FLIGHT_SQL_SESSION_H
#define PT_FRONT_FLIGHT_SQL_SESSION_H

#include "exec/statement.h"
#include "front/flight_sql/mount.h"

enum { PT_FLIGHT_HANDLE_BYTES = 33 }; /* 16 random bytes in hexadecimal digits, and the terminator */

/** Random text of that size. */
void pt__flight_handle_make(char out[PT_FLIGHT_HANDLE_BYTES]);

/** A prepared statement. Its texts and schemas do not change; `parameters` under the session's lock. */
typedef struct pt__flight_statement {
    atomic_size_t references;
    char handle[PT_FLIGHT_HANDLE_BYTES];
    char *query;                              /* NULL: a plan */
    pt_bytes *plan;                           /* of Substrait */
    char transaction[PT_FLIGHT_HANDLE_BYTES]; /* "" none */
    bool is_update;
    bool is_constant;           /* dataset_schema is not NULL, and will be that of its result */
    pt_bytes *dataset_schema;   /* encapsulated; NULL: known once it has run */
    pt_bytes *parameter_schema; /* NULL: no parameters */
    pt_bytes *parameters;       /* bound values as an IPC stream; NULL: none */
} pt__flight_statement;

void pt__flight_statement_unref(pt__flight_statement *statement);

#define PT_FLIGHT_PLAN_FORMAT "substrait.plan.v1"

typedef struct pt__flight_session {
    atomic_size_t references;
    pt__flight *mount; /* a reference */
    pt_session *session;
    char *key;   /* in the mount's map */
    char *token; /* that the session is found by; NULL: by its connection */
    pthread_mutex_t lock;
    pt__map statements;   /* by handle, a reference each */
    pt__map transactions; /* by id: the backend's */
    char *catalog;        /* session options; NULL: not set */
    char *schema;
    bool spark_dialect;
    _Atomic uint64_t last_seen_ms;
    atomic_bool is_left; /* its connection is gone: it ends with its last result */
} pt__flight_session;

pt__flight_session *pt__flight_session_ref(pt__flight_session *session);
void pt__flight_session_unref(pt__flight_session *session);

/** The session of the call, made when there is none: a reference. Threads: the call's loop thread. */
pt_status pt__flight_session_of(pt__flight *mount, pt_call *call, pt__flight_session **out, pt_error *err);

/** Forgets the session and closes the host's; what runs is cancelled. Blocks: on a worker. */
void pt__flight_session_close(pt__flight_session *session);
/** The same, and the token that the session is found by is good no longer. */
void pt__flight_session_sign_out(pt__flight_session *session);
/**
 * The connection is gone, and so is the client of its session: transactions are rolled back, statements closed, and the
 * session ends once its results have been fetched elsewhere or have expired. Threads: the loop thread.
 */
void pt__flight_session_leave(pt__flight *mount, const char *connection_id);
/** Closes those that were idle for too long. Blocks: on a worker. */
void pt__flight_sessions_expire(pt__flight *mount);

/** What is executed for the statement; borrowed from it. */
pt_encoded_query pt__flight_statement_query(const pt__flight_session *session, const pt__flight_statement *statement);

/** The dialect that SQL of this session is in. */
const char *pt__flight_format(const pt__flight_session *session);

/* ---- statements and transactions ---- */

/** Takes the reference, success or failure. */
pt_status pt__flight_statement_add(pt__flight_session *session, pt__flight_statement *take_statement, pt_error *err);
/** A reference. Errors: PT_NOT_FOUND. */
pt_status pt__flight_statement_find(pt__flight_session *session, pt_bytes_view handle, pt__flight_statement **out,
                                    pt_error *err);
/** An unknown one is no error. */
void pt__flight_statement_drop(pt__flight_session *session, pt_bytes_view handle);
/** Takes the bytes. */
void pt__flight_statement_bind(pt__flight_session *session, pt__flight_statement *statement, pt_bytes *take_parameters);
/** A reference to the bound values; NULL: none. */
pt_bytes *pt__flight_statement_bound(pt__flight_session *session, pt__flight_statement *statement);

/** Blocks. */
pt_status pt__flight_begin(pt__flight_session *session, char id[PT_FLIGHT_HANDLE_BYTES], pt_error *err);
pt_status pt__flight_end(pt__flight_session *session, pt_bytes_view id, bool commit, pt_error *err);
/** NULL for an empty id. Errors: PT_NOT_FOUND. */
pt_status pt__flight_transaction(pt__flight_session *session, pt_bytes_view id, void **out, pt_error *err);
/** The one that is open, if there is exactly one; NULL otherwise. */
void *pt__flight_open_transaction(pt__flight_session *session);

#endif
