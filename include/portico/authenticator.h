/**
 * Authenticator: answers who calls. One serves all frontends of a connection or of a mount.
 *
 * An embedder's own is a function and its context. What comes with the library (passwords, tokens, JSON web tokens;
 * client certificates are the transport's) is a pt_sign_in, which also takes an embedder's own into its keeping.
 */
#ifndef PORTICO_AUTHENTICATOR_H
#define PORTICO_AUTHENTICATOR_H

#include <portico/call.h>
#include <portico/config.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_host pt_host;

typedef struct pt_authenticator {
    /**
     * Fills `*out` or fails with PT_UNAUTHENTICATED. out->name lives as long as `context`, or comes from
     * pt_call_keep_text. pt_call_principal(call) is whom the transport knows: the subject of a client certificate.
     * Must not block: what takes time puts the call off (pt_call_put_off) and returns PT_NEED_MORE.
     *
     * Threads: the loop threads, several at once.
     */
    pt_status (*authenticate)(void *context, pt_call *call, pt_principal *out, pt_error *err);
    void *context;
} pt_authenticator;

/**
 * Lets a call in that was put off, as `name`, or sends it away with `err`. Either ends the admission; a call that is
 * over by then is left alone. Threads: any.
 */
void pt_admission_allow(pt_admission *take_admission, const char *name);
void pt_admission_refuse(pt_admission *take_admission, const pt_error *err);

/** False once the call is over: there is no need to find out more. Threads: any. */
bool pt_admission_is_wanted(const pt_admission *admission);

/* ---- what comes with the library ---- */

typedef struct pt_sign_in pt_sign_in;

/**
 * By the keys "auth.*", "token" and "token-value" (docs/flight-sql.md). Files are read during the call.
 *
 * Failures cost the caller time: the answer to a wrong credential comes after a delay that doubles with each failure of
 * the same address, and passwords for one user from one address are then tried one after the other. Right credentials
 * do not wait for wrong ones. Passwords are compared on a thread of the sign-in's own, which starts with the first.
 *
 * Ownership: `*out` is the caller's; the host outlives it. Free it when no connection uses it, before their mailboxes.
 * Errors:    PT_INVALID_ARGUMENT naming the key or the line of a file, PT_IO naming the file, PT_NO_MEMORY.
 */
pt_status pt_sign_in_new(pt_host *host, const pt_config *config, pt_sign_in **out, pt_error *err);
void pt_sign_in_free(pt_sign_in *sign_in);

/**
 * Reads the files of the token, of users and of keys again, which `config` names as at the start, and forgets which
 * credentials it had found right. On failure nothing has changed. Tokens that were given out stay good.
 *
 * Errors:  as pt_sign_in_new; PT_INVALID_ARGUMENT if there are other kinds of credentials than at the start.
 * Threads: any.
 */
pt_status pt_sign_in_reload(pt_sign_in *sign_in, const pt_config *config, pt_error *err);

/** Asks `own` (borrowed) about calls whose credentials are none of the configured ones; before the first call. */
void pt_sign_in_set_own(pt_sign_in *sign_in, const pt_authenticator *own);

/** NULL when neither the configuration nor an own authenticator asks for sign-in. Lives as long as `sign_in`. */
const pt_authenticator *pt_sign_in_authenticator(const pt_sign_in *sign_in);

/** Since the start. */
typedef struct pt_sign_in_counts {
    size_t size_bytes; /* set by the caller */
    uint64_t accepted; /* calls */
    uint64_t refused;  /* wrong, forged or expired credentials */
    uint64_t missing;  /* calls without credentials */
    uint64_t checked;  /* passwords that were computed; the others were remembered */
    uint64_t waiting;  /* calls that wait for an answer now */
} pt_sign_in_counts;

/** Threads: any. */
void pt_sign_in_count(const pt_sign_in *sign_in, pt_sign_in_counts *out);

/** A line for the file of auth.users without its name: scrypt with a random salt. Errors: PT_LIMIT, PT_NO_MEMORY. */
enum { PT_PASSWORD_HASH_BYTES = 128 };
pt_status pt_password_hash(pt_text_view password, char out[PT_PASSWORD_HASH_BYTES], pt_error *err);

#ifdef __cplusplus
}
#endif

#endif
